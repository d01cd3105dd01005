"""What the loopback GitHub answers to GraphQL: as GitHub does, in names, refusals and order."""

import urllib.error
import urllib.request

import github
import pytest
from graphql import graphql_sync
from hypothesis import given, settings
from hypothesis import strategies as st

from perf_assets.stand_ins.github import graphql_api
from perf_assets.stand_ins.github.graphql_resolvers import Context
from perf_assets.stand_ins.github.server import CorpusServer
from perf_assets.stand_ins.github.tracker import Tracker
from tests.effort import examples
from tests.stand_ins.tracker import (
    PULL,
    RICH,
    SHA,
    ask,
    corpus_of,
    error_of,
    in_repository,
    moment,
    post,
)

# --- what an issue looks like ---


def test_an_issue_is_given_with_githubs_names_and_spellings(server):
    fields = """__typename number title body state stateReason closed createdAt updatedAt closedAt
        url author { __typename login } labels(first: 5) { nodes { name } }
        repository { nameWithOwner }"""
    data = ask(
        server, in_repository(f"a: issue(number: 1) {{{fields}}} b: issue(number: 2) {{{fields}}}")
    )
    assert data["repository"]["a"] == {
        "__typename": "Issue",
        "number": 1,
        "title": "Issue 1",
        "body": "Body",
        "state": "OPEN",
        "stateReason": None,
        "closed": False,
        "createdAt": "2021-01-01T00:00:00Z",
        "updatedAt": moment(500),
        "closedAt": None,
        "url": "https://github.com/o/n/issues/1",
        "author": {"__typename": "User", "login": "ann"},
        "labels": {"nodes": [{"name": "bug"}, {"name": "Slow"}]},
        "repository": {"nameWithOwner": "o/n"},
    }
    closed = data["repository"]["b"]
    assert (closed["state"], closed["stateReason"], closed["closedAt"], closed["body"]) == (
        "CLOSED",
        "NOT_PLANNED",
        moment(20),
        "",
    )


def test_deleted_accounts_are_null_and_bots_lose_their_suffix(server):
    fields = "author { __typename login }"
    query = in_repository(" ".join(f"i{n}: issue(number: {n}) {{ {fields} }}" for n in (3, 4, 5)))
    assert [entry["author"] for entry in ask(server, query)["repository"].values()] == [
        None,
        None,
        {"__typename": "Bot", "login": "dependabot"},
    ]


def test_comments_carry_their_database_id_as_text(server):
    query = in_repository("""issue(number: 1) { comments(first: 9) { totalCount nodes {
        fullDatabaseId body createdAt updatedAt author { login } url } } }""")
    comments = ask(server, query)["repository"]["issue"]["comments"]
    assert comments["totalCount"] == 2
    assert [node["fullDatabaseId"] for node in comments["nodes"]] == ["11", "12"]
    assert comments["nodes"][1] == {
        "fullDatabaseId": "12",
        "body": "Comment 12",
        "createdAt": moment(9),
        "updatedAt": moment(300),
        "author": None,
        "url": "https://github.com/o/n/issues/1#issuecomment-12",
    }


TIMELINE = """nodes { __typename
    ... on ClosedEvent { createdAt closer { __typename
        ... on Commit { oid repository { nameWithOwner } }
        ... on PullRequest { number mergeCommit { oid } repository { nameWithOwner } } } }
    ... on LabeledEvent { label { name } actor { login } }
    ... on UnlabeledEvent { label { name } actor { login } }
    ... on RenamedTitleEvent { previousTitle currentTitle }
    ... on TransferredEvent { fromRepository { nameWithOwner } }
    ... on IssueComment { fullDatabaseId } }"""


def test_the_timeline_shows_what_happened_in_order_and_what_closed_the_issue(server):
    query = in_repository(
        f"issue(number: 1) {{ timelineItems(first: 50) {{ totalCount {TIMELINE} }} }}"
    )
    timeline = ask(server, query)["repository"]["issue"]["timelineItems"]
    foreign, own = {"nameWithOwner": "x/y"}, {"nameWithOwner": "o/n"}
    assert timeline["nodes"] == [
        {"__typename": "LabeledEvent", "label": {"name": "bug"}, "actor": {"login": "ann"}},
        {"__typename": "RenamedTitleEvent", "previousTitle": "Old", "currentTitle": "Issue 1"},
        {
            "__typename": "ClosedEvent",
            "createdAt": moment(3),
            "closer": {"__typename": "Commit", "oid": SHA, "repository": foreign},
        },
        {"__typename": "ReopenedEvent"},
        {"__typename": "IssueComment", "fullDatabaseId": "11"},
        {
            "__typename": "ClosedEvent",
            "createdAt": moment(6),
            "closer": {
                "__typename": "PullRequest",
                "number": 90,
                "mergeCommit": {"oid": SHA},
                "repository": own,
            },
        },
        {"__typename": "ReopenedEvent"},
        {
            "__typename": "ClosedEvent",
            "createdAt": moment(8),
            "closer": {
                "__typename": "PullRequest",
                "number": 5,
                "mergeCommit": None,
                "repository": foreign,
            },
        },
        {"__typename": "IssueComment", "fullDatabaseId": "12"},
        {"__typename": "UnlabeledEvent", "label": {"name": "bug"}, "actor": None},
        {"__typename": "TransferredEvent", "fromRepository": {"nameWithOwner": "x/old"}},
    ]
    assert timeline["totalCount"] == 11


def test_a_timeline_is_narrowed_by_type_and_by_time(server):
    query = in_repository(f"""issue(number: 1) {{ timelineItems(
        first: 2, itemTypes: [CLOSED_EVENT, REOPENED_EVENT], since: "{moment(4)}"
    ) {{ totalCount filteredCount pageCount {TIMELINE} }} }}""")
    timeline = ask(server, query)["repository"]["issue"]["timelineItems"]
    assert [node["__typename"] for node in timeline["nodes"]] == ["ReopenedEvent", "ClosedEvent"]
    assert (timeline["totalCount"], timeline["filteredCount"], timeline["pageCount"]) == (4, 4, 2)


def test_a_commit_in_rest_form_closes_too(server):
    query = in_repository(f"issue(number: 2) {{ timelineItems(first: 5) {{ {TIMELINE} }} }}")
    closed = ask(server, query)["repository"]["issue"]["timelineItems"]["nodes"][1]
    assert closed["closer"] == {
        "__typename": "Commit",
        "oid": SHA,
        "repository": {"nameWithOwner": "o/n"},
    }


def test_pull_requests_that_closed_an_issue_are_given_where_requested(server):
    fields = "totalCount nodes { number state merged mergeCommit { oid } }"
    query = in_repository(f"""issue(number: 1) {{
        open: closedByPullRequestsReferences(first: 5) {{ {fields} }}
        all: closedByPullRequestsReferences(first: 5, includeClosedPrs: true) {{ {fields} }} }}""")
    found = ask(server, query)["repository"]["issue"]
    assert found["open"]["totalCount"] == 0
    assert found["all"]["nodes"] == [
        {"number": 90, "state": "MERGED", "merged": True, "mergeCommit": {"oid": SHA}}
    ]


def test_an_unmerged_pull_request_has_no_merge_commit_whatever_rest_says(server):
    unmerged = PULL | {"merged_at": None, "state": "open", "closed_at": None}
    query = in_repository("pullRequest(number: 90) { state mergeCommit { oid } }")
    with CorpusServer([corpus_of([], pulls=[unmerged])]) as other:
        assert ask(other, query)["repository"]["pullRequest"] == {
            "state": "OPEN",
            "mergeCommit": None,
        }
    assert ask(server, query)["repository"]["pullRequest"]["state"] == "MERGED"


def test_numbers_are_distinguished_as_issue_or_pull_request(server):
    query = in_repository("""a: issueOrPullRequest(number: 1) { __typename }
        b: issueOrPullRequest(number: 90) { __typename }
        pullRequests(first: 5, states: [MERGED]) { totalCount nodes { number } }""")
    assert ask(server, query)["repository"] == {
        "a": {"__typename": "Issue"},
        "b": {"__typename": "PullRequest"},
        "pullRequests": {"totalCount": 1, "nodes": [{"number": 90}]},
    }


def test_every_node_is_found_again_by_its_id_also_on_another_server(server):
    query = in_repository("""id issue(number: 1) { id labels(first: 1) { nodes { id } }
        comments(first: 1) { nodes { id } }
        timelineItems(first: 1) { nodes { ... on LabeledEvent { id } } } }
        pullRequest(number: 90) { id }""")

    def ids(value):
        if isinstance(value, dict):
            return [
                key
                for name, inner in value.items()
                for key in ([inner] if name == "id" else ids(inner))
            ]
        return [key for inner in value for key in ids(inner)] if isinstance(value, list) else []

    known = ids(ask(server, query))
    with CorpusServer([RICH]) as other:
        data = ask(other, "query($ids: [ID!]!) { nodes(ids: $ids) { __typename id } }", ids=known)
    assert [node["id"] for node in data["nodes"]] == known
    assert [node["__typename"] for node in data["nodes"]] == [
        "Repository",
        "Issue",
        "Label",
        "IssueComment",
        "LabeledEvent",
        "PullRequest",
    ]


# --- what GitHub refuses ---


def test_half_of_a_character_in_a_query_is_quoted_back(server):
    query = 'query($owner: String!) { repository(owner: $owner, name: "n") { id } }'
    assert "'\ud83d/n'" in error_of(server, query, owner="\ud83d")["message"]


def test_an_unknown_repository_is_a_not_found_error_inside_an_answer(server):
    answer, _ = post(server, '{ repository(owner: "no", name: "where") { id } }')
    (error,) = answer["errors"]
    assert answer["data"] == {"repository": None}
    assert (error["type"], error["path"]) == ("NOT_FOUND", ["repository"])
    assert error["message"] == "Could not resolve to a Repository with the name 'no/where'."
    with pytest.raises(github.UnknownObjectException):
        ask(server, '{ repository(owner: "no", name: "where") { id } }')


@pytest.mark.parametrize(
    ("query", "path"),
    [
        (in_repository("issue(number: 77) { id }"), ["repository", "issue"]),
        (in_repository("issue(number: 90) { id }"), ["repository", "issue"]),
        (in_repository("pullRequest(number: 1) { id }"), ["repository", "pullRequest"]),
        ('{ node(id: "I_nonsense") { id } }', ["node"]),
        ('{ nodes(ids: ["I_bz8jMQ"]) { id } }', ["nodes", 0]),
    ],
)
def test_what_is_not_there_is_a_not_found_error_with_its_path(server, query, path):
    error = error_of(server, query)
    assert (error["type"], error["path"]) == ("NOT_FOUND", path)


@pytest.mark.parametrize(
    ("fields", "kind"),
    [
        ("issues { nodes { id } }", "MISSING_PAGINATION_BOUNDARIES"),
        ("issues(first: 101) { nodes { id } }", "EXCESSIVE_PAGINATION"),
        ("issues(first: 0) { nodes { id } }", "ARGUMENT_LIMIT"),
        ('issues(first: 1, after: "x") { nodes { id } }', "INVALID_CURSOR_ARGUMENTS"),
        ('issues(first: 1, after: "WzFd") { nodes { id } }', "INVALID_CURSOR_ARGUMENTS"),
        (
            "issues(first: 100) { nodes { comments(first: 100) { nodes { issue {"
            " labels(first: 50) { nodes { id } } } } } } }",
            "MAX_NODE_LIMIT_EXCEEDED",
        ),
    ],
)
def test_a_page_beyond_githubs_limits_is_refused(server, fields, kind):
    assert error_of(server, in_repository(fields))["type"] == kind


def test_counting_needs_no_page_size(server):
    assert ask(server, in_repository("issues { totalCount }"))["repository"]["issues"] == {
        "totalCount": 5
    }


@pytest.mark.parametrize(
    "query", ["{", "{ nothing }", "{ rateLimit }", "query($n: Int!) { node(id: $n) { id } }", ""]
)
def test_an_invalid_query_gets_errors_and_no_data(server, query):
    answer, _ = post(server, query)
    assert answer["errors"] and "data" not in answer


def test_a_body_that_is_not_a_query_is_status_400(server):
    for body in (b"{", b"[]", b'{"query": 3}', b'{"query": "{ x }", "variables": 3}'):
        request = urllib.request.Request(f"{server.url}/graphql", body)
        with pytest.raises(urllib.error.HTTPError, match="400"):
            urllib.request.urlopen(request, timeout=10)


@settings(max_examples=examples(25))
@given(st.data())
def test_planned_execution_answers_as_graphql_cores_own(server, data):
    """graphql-core's executor is the independent implementation here."""
    choice = data.draw(st.sampled_from(["issues", "search", "missing", "null in non-null"]))
    size = data.draw(st.integers(1, 6))
    parts = ["__typename", "content", "kind: content", "reactors { totalCount }"]
    drawn = st.sets(st.sampled_from(parts), min_size=1).map(" ".join)
    reaction = data.draw(drawn | st.sampled_from(["content reactors { n: totalCount }"]))
    thread = f"""fragment thread on Issue {{ __typename n: number
        reactionGroups {{ {reaction} }}
        author {{ login ... on Bot {{ id }} }}
        labels(first: {size}) {{ totalCount edges {{ cursor node {{ name }} }} }}
        timelineItems(first: {size}) {{ pageInfo {{ endCursor hasNextPage }} {TIMELINE} }} }}"""
    query = {
        "issues": in_repository(f"issues(first: {size}) {{ nodes {{ number ...thread }} }}"),
        "search": f'{{ search(type: ISSUE, query: "repo:o/n", first: {size}) '
        "{ issueCount nodes { ...thread } } }",
        "missing": in_repository(
            "a: issue(number: 1) { ...thread } b: issue(number: 77) { ...thread }"
        ),
        "null in non-null": in_repository(
            "issue(number: 1) { ...thread timelineItems(first: 20) "
            "{ nodes { ... on ClosedEvent { closer { ... on PullRequest { title } } } } } }"
        ).replace("timelineItems", "t: timelineItems", 1),
    }[choice]
    answer, _ = post(server, query + thread)
    context = Context({"o/n": Tracker(RICH)}, {})
    expected = graphql_sync(graphql_api.SCHEMA, query + thread, context_value=context)
    assert answer["data"] == expected.data
    messages = [error["message"] for error in answer.get("errors", [])]
    assert messages == [error.message for error in expected.errors or []]
    assert bool(messages) == (choice in ("missing", "null in non-null"))
