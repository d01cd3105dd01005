"""The GraphQL documents the client sends. Reference: https://docs.github.com/graphql/reference."""

from collections.abc import Sequence

# Values of the enum IssueTimelineItemsItemType, in the order of raw.issue_events.event.
EVENT_TYPES = (
    "CLOSED_EVENT, REOPENED_EVENT, LABELED_EVENT, UNLABELED_EVENT, "
    "RENAMED_TITLE_EVENT, TRANSFERRED_EVENT, MARKED_AS_DUPLICATE_EVENT, UNMARKED_AS_DUPLICATE_EVENT"
)

RATE_LIMIT = "rateLimit { cost remaining resetAt }"

PAGE_INFO = "pageInfo { hasNextPage endCursor }"

ACTOR = "{ __typename login }"

# How many reacted is a list of its own for each of the eight kinds, of which GitHub charges one.
REACTIONS = "reactionGroups { content reactors { totalCount } }"

# Whose account GitHub takes the author of a commit for; the e-mail address stays with git.
COMMIT = "oid author { user { login } }"

COMMENT_FIELDS = f"fullDatabaseId author {ACTOR} authorAssociation createdAt body {REACTIONS}"

# The report that another one repeats.
CANONICAL = """
canonical {
  __typename
  ... on Issue { number repository { nameWithOwner } }
  ... on PullRequest { number repository { nameWithOwner } }
}"""

EVENT_FIELDS = f"""
__typename
... on ClosedEvent {{
  id createdAt actor {ACTOR}
  closer {{
    __typename
    ... on Commit {{ {COMMIT} repository {{ nameWithOwner }} }}
    ... on PullRequest {{ number merged mergeCommit {{ {COMMIT} }} repository {{ nameWithOwner }} }}
  }}
}}
... on ReopenedEvent {{ id createdAt actor {ACTOR} }}
... on LabeledEvent {{ id createdAt actor {ACTOR} label {{ name }} }}
... on UnlabeledEvent {{ id createdAt actor {ACTOR} label {{ name }} }}
... on RenamedTitleEvent {{ id createdAt actor {ACTOR} previousTitle currentTitle }}
... on TransferredEvent {{ id createdAt actor {ACTOR} fromRepository {{ nameWithOwner }} }}
... on MarkedAsDuplicateEvent {{ id createdAt actor {ACTOR} {CANONICAL} }}
... on UnmarkedAsDuplicateEvent {{ id createdAt actor {ACTOR} {CANONICAL} }}
"""

PULL_REQUEST_FIELDS = (
    f"id number merged mergeCommit {{ {COMMIT} }} commits {{ totalCount }} "
    "repository { nameWithOwner }"
)

# Of more reviews than these the others stay unread: they come in the order of submission, and the
# first is wanted most.
REVIEWS = 20

REVIEWED_FIELDS = (
    f"number author {ACTOR} createdAt closedAt merged mergedAt additions deletions changedFiles "
    f"reviews(first: {REVIEWS}) {{ totalCount nodes {{ author {ACTOR} submittedAt state }} }}"
)

CONNECTIONS = {
    "labels": f"labels(first: %s) {{ {PAGE_INFO} nodes {{ name }} }}",
    "comments": f"comments(first: %s) {{ totalCount {PAGE_INFO} nodes {{ {COMMENT_FIELDS} }} }}",
    "timelineItems": (
        f"timelineItems(first: %s, itemTypes: [{EVENT_TYPES}]) "
        f"{{ totalCount {PAGE_INFO} nodes {{ {EVENT_FIELDS} }} }}"
    ),
    # Holds what closing keywords and people linked; cross-references that will close are among
    # it, and reading all cross-references instead would cost pages of their own.
    "closedByPullRequestsReferences": (
        "closedByPullRequestsReferences(first: %s, includeClosedPrs: true) "
        f"{{ {PAGE_INFO} nodes {{ {PULL_REQUEST_FIELDS} }} }}"
    ),
}

# How much of each nested connection comes with its issue; the rest is requested by itself.
FIRST = {
    "labels": 30,
    "comments": 25,  # each costs a hundredth of a point, for its reactions
    "timelineItems": 50,
    "closedByPullRequestsReferences": 3,  # each costs a hundredth of a point, for its commits
}

# What a server that is older than it is asked without: each by the name that its refusal has.
# The type of issues came in 2025: https://github.com/github/docs/pull/37143.
OPTIONAL = {
    "issueType": "issueType { name }",
    "enableDuplicate": "(enableDuplicate: true)",
    "archivedAt": "archivedAt",
}

ISSUE_FIELDS = (
    f"id number title body author {ACTOR} authorAssociation state "
    f"stateReason{OPTIONAL['enableDuplicate']} activeLockReason {OPTIONAL['issueType']} "
    f"createdAt updatedAt closedAt url milestone {{ title }} {REACTIONS} "
    + " ".join(text % FIRST[name] for name, text in CONNECTIONS.items())
)

SEARCH = f"""
query Search($query: String!, $first: Int!, $after: String) {{
  {RATE_LIMIT}
  search(query: $query, type: ISSUE, first: $first, after: $after) {{
    issueCount {PAGE_INFO}
    nodes {{ ... on Issue {{ {ISSUE_FIELDS} }} }}
  }}
}}
"""


def changed_document(spans: int) -> str:
    """Return a document for a page of what changed since ``$since``.

    Beside it the ``issueCount`` of the searches ``$q0`` to ``$q{spans - 1}``: what left a
    repository is in no list of changes, but is missing from its count.
    """
    variables = "".join(f", $q{index}: String!" for index in range(spans))
    return f"""
query Changed(
  $owner: String!, $name: String!, $since: DateTime!, $first: Int!, $after: String{variables}
) {{
  {RATE_LIMIT}
  {_searches(spans)}
  repository(owner: $owner, name: $name) {{
    nameWithOwner archivedAt
    newest: issues(first: 1, orderBy: {{field: UPDATED_AT, direction: DESC}}) {{
      totalCount nodes {{ updatedAt }}
    }}
    issues(
      first: $first, after: $after, filterBy: {{since: $since}},
      orderBy: {{field: UPDATED_AT, direction: ASC}}
    ) {{ {PAGE_INFO} nodes {{ {ISSUE_FIELDS} }} }}
  }}
}}
"""


CHANGED_COUNT = f"""
query ChangedCount($owner: String!, $name: String!, $since: DateTime!) {{
  {RATE_LIMIT}
  repository(owner: $owner, name: $name) {{
    nameWithOwner
    issues(filterBy: {{since: $since}}) {{ totalCount }}
  }}
}}
"""


def _searches(size: int) -> str:
    return "\n".join(
        f"c{index}: search(query: $q{index}, type: ISSUE, first: 1) {{ issueCount }}"
        for index in range(size)
    )


def removed_document(size: int) -> str:
    """Return a document that looks up where the issues ``$n0`` to ``$n{size - 1}`` are now.

    A number that belongs to nothing any more is an error NOT_FOUND beside a null, and one of an
    issue that was transferred leads to the other repository.
    """
    numbers = ", ".join(f"$n{index}: Int!" for index in range(size))
    lookups = "\n".join(
        f"i{index}: issueOrPullRequest(number: $n{index}) {{ __typename "
        "... on Issue { number repository { nameWithOwner } } "
        "... on PullRequest { number repository { nameWithOwner } } }\n"
        f"d{index}: discussion(number: $n{index}) {{ number }}"
        for index in range(size)
    )
    return f"""
query Removed($owner: String!, $name: String!, {numbers}) {{
  {RATE_LIMIT}
  repository(owner: $owner, name: $name) {{ nameWithOwner {lookups} }}
}}
"""


def pull_requests_document(numbers: Sequence[int]) -> str:
    """Return a document for the pull requests with these ``numbers``, as ``p0``, ``p1``, ...

    A number that belongs to no pull request is an error NOT_FOUND beside a null.
    """
    lookups = "\n".join(
        f"p{index}: pullRequest(number: {number}) {{ {REVIEWED_FIELDS} }}"
        for index, number in enumerate(numbers)
    )
    return f"""
query PullRequests($owner: String!, $name: String!) {{
  {RATE_LIMIT}
  repository(owner: $owner, name: $name) {{ {lookups} }}
}}
"""


def counts_document(size: int) -> str:
    """Return a document for the ``issueCount`` of the searches ``$q0`` to ``$q{size - 1}``."""
    variables = ", ".join(f"$q{index}: String!" for index in range(size))
    return f"query Counts({variables}) {{ {RATE_LIMIT} {_searches(size)} }}"


def rest_document(connections: list[str]) -> str:
    """Return a document for the next page of a connection of each issue ``$id0``, ``$id1``, ..."""
    variables = ", ".join(
        ["$first: Int!"]
        + [f"$id{index}: ID!, $after{index}: String!" for index in range(len(connections))]
    )
    nodes = []
    for index, connection in enumerate(connections):
        page = CONNECTIONS[connection] % f"$first, after: $after{index}"
        nodes.append(f"n{index}: node(id: $id{index}) {{ ... on Issue {{ {page} }} }}")
    return f"query Rest({variables}) {{ {RATE_LIMIT} {' '.join(nodes)} }}"
