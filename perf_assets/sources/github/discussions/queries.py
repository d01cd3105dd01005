"""The documents that are sent. Reference: https://docs.github.com/graphql/guides."""

COMMENTS, REPLIES, LABELS = 25, 10, 100  # that come with their discussion or comment
MORE = 100  # that are requested at once where there are more

_PAGE = "pageInfo { hasNextPage endCursor }"
_LIMIT = "rateLimit { cost remaining resetAt }"
_AUTHOR = "author { __typename login ... on User { databaseId } }"
_REPLY = f"databaseId {_AUTHOR} createdAt deletedAt upvoteCount body"
_REPLIES = f"replies(first: %s) {{ {_PAGE} nodes {{ {_REPLY} }} }}" % REPLIES
_COMMENT = f"id databaseId {_AUTHOR} createdAt deletedAt upvoteCount bodyHtml: bodyHTML {_REPLIES}"
_DISCUSSION = f"""
id number title bodyHtml: bodyHTML {_AUTHOR} createdAt updatedAt upvoteCount closedAt stateReason
category {{ id }} answer {{ databaseId }}
labels(first: {LABELS}) {{ nodes {{ name }} }}
comments(first: {COMMENTS}) {{ totalCount {_PAGE} nodes {{ {_COMMENT} }} }}
"""

DISCUSSIONS = f"""
query Discussions(
  $owner: String!, $name: String!, $category: ID, $order: DiscussionOrderField!,
  $first: Int!, $after: String
) {{
  {_LIMIT}
  repository(owner: $owner, name: $name) {{
    discussions(
      first: $first, after: $after, categoryId: $category,
      orderBy: {{ field: $order, direction: DESC }}
    ) {{ {_PAGE} nodes {{ {_DISCUSSION} }} }}
  }}
}}
"""

CATEGORIES = f"""
query Categories($owner: String!, $name: String!, $first: Int!, $after: String) {{
  {_LIMIT}
  repository(owner: $owner, name: $name) {{
    discussionCategories(first: $first, after: $after) {{
      {_PAGE} nodes {{ id slug isAnswerable }}
    }}
  }}
}}
"""

LABEL = f"""
query Label($owner: String!, $name: String!, $label: String!) {{
  {_LIMIT}
  repository(owner: $owner, name: $name) {{ label(name: $label) {{ name }} }}
}}
"""

MORE_COMMENTS = f"""
query MoreComments($id: ID!, $first: Int!, $after: String) {{
  {_LIMIT}
  node(id: $id) {{
    ... on Discussion {{
      comments(first: $first, after: $after) {{ {_PAGE} nodes {{ {_COMMENT} }} }}
    }}
  }}
}}
"""

MORE_REPLIES = f"""
query MoreReplies($id: ID!, $first: Int!, $after: String) {{
  {_LIMIT}
  node(id: $id) {{
    ... on DiscussionComment {{
      replies(first: $first, after: $after) {{ {_PAGE} nodes {{ {_REPLY} }} }}
    }}
  }}
}}
"""
