"""The loopback GitHub, asked over HTTP as its clients do: mostly through PyGithub itself."""

import http.client
import json
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections import Counter
from datetime import UTC, datetime, timedelta

import github
import pytest
from graphql import graphql_sync
from hypothesis import given, settings
from hypothesis import strategies as st

from perf_assets.errors import PerfAssetsError
from perf_assets.loopback.corpus import Corpus, read_corpus
from perf_assets.loopback.github import graphql_api
from perf_assets.loopback.github.faults import KINDS
from perf_assets.loopback.github.graphql_resolvers import Context
from perf_assets.loopback.github.server import CorpusServer, Faults
from perf_assets.loopback.github.tracker import Tracker
from perf_assets.months import end_of
from tests.places import CHAINER

START = datetime(2021, 1, 1, tzinfo=UTC)
SHA = "ab" * 20


def moment(seconds: float) -> str:
    return (START + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")


def issue(number: int, seconds: float = 0, updated: float | None = None, **more) -> dict:
    return {
        "number": number,
        "title": f"Issue {number}",
        "body": None,
        "user": {"login": "ann"},
        "state": "open",
        "created_at": moment(seconds),
        "updated_at": moment(seconds if updated is None else updated),
        "closed_at": None,
        "labels": [],
    } | more


def comment(key: int, number: int, seconds: float = 0, **more) -> dict:
    at = moment(seconds)
    return {
        "id": key,
        "issue_number": number,
        "user": {"login": "bob"},
        "body": f"Comment {key}",
        "created_at": at,
        "updated_at": at,
    } | more


def event(key: int, number: int, kind: str, seconds: float = 0, **more) -> dict:
    return {
        "id": key,
        "issue_number": number,
        "event": kind,
        "actor": {"login": "ann"},
        "created_at": moment(seconds),
    } | more


def corpus_of(issues, comments=(), events=(), pulls=(), repository="o/n") -> Corpus:
    def grouped(records):
        groups: dict = {}
        for record in sorted(records, key=lambda entry: (entry["created_at"], entry["id"])):
            groups.setdefault(record["issue_number"], []).append(record)
        return groups

    return Corpus(
        repository,
        {record["number"]: record for record in issues},
        grouped(comments),
        grouped(events),
        {record["number"]: record for record in pulls},
    )


PULL = issue(90, 50, title="Fix it", state="closed", closed_at=moment(99)) | {
    "merged_at": moment(99),
    "merge_commit_sha": SHA,
}
RICH = corpus_of(
    [
        issue(1, 0, 500, body="Body", labels=[{"name": "bug"}, {"name": "Slow"}]),
        issue(2, 10, 20, state="closed", closed_at=moment(20), state_reason="not_planned"),
        issue(3, 20, user=None),
        issue(4, 30, user={"login": "ghost"}),
        issue(5, 40, user={"login": "dependabot[bot]"}),
    ],
    [comment(11, 1, 5), comment(12, 1, 9, user=None, updated_at=moment(300)), comment(13, 2, 15)],
    [
        event(21, 1, "labeled", 1, label={"name": "bug"}),
        event(22, 1, "renamed", 2, rename={"from": "Old", "to": "Issue 1"}),
        event(23, 1, "closed", 3, closer={"type": "commit", "oid": SHA, "repository": "x/y"}),
        event(24, 1, "reopened", 4),
        event(25, 1, "closed", 6, closer={"type": "pull_request", "number": 90}),
        event(26, 1, "reopened", 7),
        event(
            27, 1, "closed", 8, closer={"type": "pull_request", "number": 5, "repository": "x/y"}
        ),
        event(28, 1, "unlabeled", 10, label={"name": "bug"}, actor=None),
        event(29, 1, "transferred", 11, from_repository="x/old"),
        event(30, 1, "subscribed", 12),
        event(31, 2, "closed", 20, commit_id=SHA),
    ],
    [PULL],
)
MANY = corpus_of([issue(n, 60 * n) for n in range(1, 1206)], repository="o/many")


@pytest.fixture(scope="module")
def server():
    with CorpusServer([RICH, MANY], limit=10**6) as running:
        yield running


def client(url: str, **more) -> github.Github:
    options = {"seconds_between_requests": 0, "seconds_between_writes": 0, "retry": None} | more
    return github.Github(base_url=url, **options)


def ask(server, query: str, /, **variables):
    """The ``data`` of a query that must succeed."""
    return client(server.url).requester.graphql_query(query, variables)[1]["data"]


def post(server, query: str, path: str = "/graphql", token: str | None = None, variables=None):
    """The whole answer, errors and all, with its headers."""
    body = json.dumps({"query": query, "variables": variables or {}}).encode()
    headers = {"Authorization": f"bearer {token}"} if token else {}
    request = urllib.request.Request(server.url + path, body, headers)
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.load(answer), dict(answer.headers)


def error_of(server, query: str, /, **variables) -> dict:
    (error,) = post(server, query, variables=variables)[0]["errors"]
    return error


def in_repository(fields: str) -> str:
    return f'{{ repository(owner: "o", name: "n") {{ {fields} }} }}'


def walk(server, template: str, at: list[str], size: int, /, **variables) -> list:
    """Every node of the connection at ``at``, page by page, by nodes and by edges."""
    found, after = [], None
    while True:
        page = ask(server, template, first=size, after=after, **variables)
        for key in at:
            page = page[key]
        assert [edge["node"] for edge in page["edges"]] == page["nodes"]
        assert len(page["nodes"]) <= size
        found += page["nodes"]
        if page["edges"]:
            assert page["edges"][-1]["cursor"] == page["pageInfo"]["endCursor"]
        if not page["pageInfo"]["hasNextPage"]:
            return found
        assert after != page["pageInfo"]["endCursor"]
        after = page["pageInfo"]["endCursor"]


def page_of(fields: str) -> str:
    return (
        f"totalCount pageInfo {{ hasNextPage endCursor }} nodes {{ {fields} }} "
        f"edges {{ cursor node {{ {fields} }} }}"
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


def test_the_timeline_tells_what_happened_in_order_and_what_closed_the_issue(server):
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


def test_pull_requests_that_closed_an_issue_are_given_where_asked_for(server):
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


def test_numbers_are_told_apart_as_issue_or_pull_request(server):
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


def test_a_body_that_is_no_query_is_status_400(server):
    for body in (b"{", b"[]", b'{"query": 3}', b'{"query": "{ x }", "variables": 3}'):
        request = urllib.request.Request(f"{server.url}/graphql", body)
        with pytest.raises(urllib.error.HTTPError, match="400"):
            urllib.request.urlopen(request, timeout=10)


# --- paging ---

sizes = st.integers(1, 7)


@pytest.fixture(scope="module")
def blank():
    """A server whose corpus a property replaces example by example."""
    with CorpusServer([], limit=10**9) as running:
        yield running


@settings(max_examples=25, deadline=None)
@given(
    times=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=12),
    size=sizes,
    field=st.sampled_from(["CREATED_AT", "UPDATED_AT"]),
    is_descending=st.booleans(),
)
def test_any_page_size_and_order_yields_every_issue_once(blank, times, size, field, is_descending):
    issues = [issue(n, a, a + b) for n, (a, b) in enumerate(times, start=1)]
    blank.replace([corpus_of(issues)])
    query = f"""query($first: Int!, $after: String, $order: IssueOrder) {{
        repository(owner: "O", name: "N") {{
        issues(first: $first, after: $after, orderBy: $order) {{ {page_of("number")} }} }} }}"""
    order = {"field": field, "direction": "DESC" if is_descending else "ASC"}
    found = walk(blank, query, ["repository", "issues"], size, order=order)
    key = "created_at" if field == "CREATED_AT" else "updated_at"
    expected = sorted(issues, key=lambda record: (record[key], record["number"]))
    numbers = [record["number"] for record in expected]
    assert [node["number"] for node in found] == (numbers[::-1] if is_descending else numbers)


NESTED = {
    "labels": ("name", ""),
    "comments": ("fullDatabaseId", ""),
    "timelineItems": ("... on ReopenedEvent { id } ... on LabeledEvent { id }", ""),
    "closedByPullRequestsReferences": ("number", ", includeClosedPrs: true"),
}


@settings(max_examples=25, deadline=None)
@given(
    times=st.lists(st.integers(0, 4), max_size=12),
    size=sizes,
    connection=st.sampled_from(sorted(NESTED)),
)
def test_any_page_size_yields_every_nested_node_once(blank, times, size, connection):
    keyed = list(enumerate(times, start=1))
    closers = [
        event(100 + n, 1, "closed", t, closer={"type": "pull_request", "number": 100 + n})
        for n, t in keyed
    ]
    corpus = corpus_of(
        [issue(1, labels=[{"name": f"l{n}"} for n, _ in keyed])],
        [comment(n, 1, t) for n, t in keyed],
        [event(n, 1, "reopened", t) for n, t in keyed]
        if connection != "closedByPullRequestsReferences"
        else closers,
        [PULL | {"number": 100 + n} for n, _ in keyed],
    )
    blank.replace([corpus])
    fields, argument = NESTED[connection]
    types = ", itemTypes: [REOPENED_EVENT]" if connection == "timelineItems" else argument
    query = f"""query($first: Int!, $after: String) {{ repository(owner: "o", name: "n") {{
        issue(number: 1) {{ {connection}(first: $first, after: $after{types}) {{
        {page_of(fields)} }} }} }} }}"""
    found = walk(blank, query, ["repository", "issue", connection], size)
    at_once = walk(blank, query, ["repository", "issue", connection], 100)
    assert len({str(node) for node in found}) == len(times)
    assert found == at_once
    if connection == "comments":
        ordered = sorted(keyed, key=lambda pair: (pair[1], pair[0]))
        assert [node["fullDatabaseId"] for node in found] == [str(n) for n, _ in ordered]


def test_a_listing_goes_on_after_its_last_issue_when_another_has_changed():
    issues = [issue(n, n) for n in range(1, 6)]
    query = """query($after: String) { repository(owner: "o", name: "n") { issues(first: 2,
        after: $after, orderBy: {field: UPDATED_AT, direction: ASC}) {
        nodes { number } pageInfo { endCursor } } } }"""
    with CorpusServer([corpus_of(issues)]) as server:
        page = ask(server, query)["repository"]["issues"]
        assert [node["number"] for node in page["nodes"]] == [1, 2]
        issues[0] = issue(1, 1, updated=100)
        server.replace([corpus_of(issues)])
        rest = ask(server, query, after=page["pageInfo"]["endCursor"])["repository"]["issues"]
        assert [node["number"] for node in rest["nodes"]] == [3, 4]


@pytest.mark.parametrize("field", ["CREATED_AT", "UPDATED_AT"])
def test_since_is_inclusive_and_states_and_labels_filter(server, field):
    query = """query($filter: IssueFilters, $field: IssueOrderField!) {
        repository(owner: "o", name: "n") { issues(first: 9, filterBy: $filter,
        orderBy: {field: $field, direction: ASC}) { totalCount nodes { number } } } }"""

    def numbers(**filters):
        issues = ask(server, query, filter=filters, field=field)["repository"]["issues"]
        assert issues["totalCount"] == len(issues["nodes"])
        return sorted(node["number"] for node in issues["nodes"])

    assert numbers(since=moment(30)) == [1, 4, 5]
    assert numbers(since=moment(31)) == [1, 5]
    assert numbers(since=moment(30).replace("Z", "+00:00")) == [1, 4, 5]
    assert numbers(states=["CLOSED"]) == [2]
    assert numbers(labels=["slow"]) == [1]
    assert error_of(server, query, filter={"since": "soon"}, field=field)


# --- search ---

SEARCH = f"""query Find($query: String!, $first: Int!, $after: String) {{
    search(type: ISSUE, query: $query, first: $first, after: $after) {{ issueCount
    {page_of("... on Issue { number } ... on PullRequest { number }").removeprefix("totalCount")}
    }} }}"""


def search_numbers(server, query: str) -> list[int]:
    return [node["number"] for node in walk(server, SEARCH, ["search"], 100, query=query)]


def test_a_search_hands_out_a_thousand_results_and_tells_the_true_count(server):
    query = "repo:o/many is:issue sort:created-asc"
    assert search_numbers(server, query) == list(range(1, 1001))
    count = '{ search(type: ISSUE, query: "repo:o/many is:issue") { issueCount } }'
    assert ask(server, count)["search"]["issueCount"] == 1205


@pytest.mark.parametrize(
    ("terms", "numbers"),
    [
        ("is:issue", [5, 4, 3, 2, 1]),
        ("type:issue sort:created-asc", [1, 2, 3, 4, 5]),
        ("is:issue sort:updated-desc", [1, 5, 4, 3, 2]),
        ("is:issue sort:comments", [1, 2, 5, 4, 3]),
        ("is:pr", [90]),
        ("", [90, 5, 4, 3, 2, 1]),
        ("is:issue is:closed", [2]),
        ("is:issue state:open label:bug", [1]),
        (f"created:{moment(10)}..{moment(30)}", [4, 3, 2]),
        (f"created:>={moment(30)} is:issue", [5, 4]),
        (f"created:>{moment(30)} is:issue", [5]),
        (f"created:<={moment(10)}", [2, 1]),
        (f"created:<{moment(10)}", [1]),
        (f"created:*..{moment(0)}", [1]),
        (f"created:{moment(40)}..* is:issue", [5]),
        (f"created:{moment(10)}", [2]),
        ("created:2021-01-01T01:00:20+01:00", [3]),
        ("created:2021-01-01 is:closed is:issue", [2]),
        ("created:2020-12-31", []),
        ("created:<2021-01-01", []),
        ("created:>2021-01-01", []),
        ("created:<=2021-01-01 is:pr", [90]),
        (f"updated:>={moment(500)}", [1]),
        (f"closed:<{moment(99)}", [2]),
    ],
)
def test_search_qualifiers_select_and_sort_as_documented(server, terms, numbers):
    assert search_numbers(server, f"repo:o/n {terms}") == numbers


@pytest.mark.parametrize(
    "terms", ["slow", "milestone:x", "created:soon", "created:2021-01 created:2021-02", "is:merged"]
)
def test_a_search_that_would_be_answered_otherwise_by_github_is_refused(server, terms):
    error = error_of(server, SEARCH, query=f"repo:o/n {terms}", first=1)
    assert "does not know the search term" in error["message"]


def test_a_search_of_an_unknown_repository_finds_nothing(server):
    assert search_numbers(server, "repo:no/where is:issue") == []


@settings(max_examples=20, deadline=None)
@given(
    times=st.lists(st.integers(0, 40), max_size=25),
    window=st.tuples(st.integers(-3, 43), st.integers(-3, 43)).map(sorted),
    largest=st.integers(1, 4),
)
def test_bisecting_a_window_down_to_the_second_partitions_its_issues(blank, times, window, largest):
    blank.replace([corpus_of([issue(n, t) for n, t in enumerate(times, start=1)])])

    def collect(first: int, last: int) -> list[int]:
        query = f"repo:o/n is:issue created:{moment(first)}..{moment(last)}"
        count = ask(blank, SEARCH, query=query, first=1)["search"]["issueCount"]
        if count <= largest or first == last:
            found = search_numbers(blank, query)
            assert len(found) == count
            return found
        middle = (first + last) // 2
        return collect(first, middle) + collect(middle + 1, last)

    expected = [n for n, t in enumerate(times, start=1) if window[0] <= t <= window[1]]
    assert sorted(collect(*window)) == expected


# --- cost and rate limits ---


def test_points_follow_githubs_worked_example():
    """100 x 50 x 60 nested connections: 5,101 requests, 51 points (GitHub's rate-limit page)."""
    query = in_repository("""issues(first: 100) { nodes { comments(first: 50) { nodes { issue {
        labels(first: 60) { nodes { id } } } } } } }""").replace(
        "{ repository",
        "query Deep { rateLimit { cost limit remaining used nodeCount resetAt } repository",
    )
    with CorpusServer([RICH]) as server:
        answer, headers = post(server, query)
        limit = answer["data"]["rateLimit"]
        assert (limit["cost"], limit["nodeCount"]) == (51, 100 + 100 * 50 + 100 * 50 * 60)
        assert (limit["limit"], limit["remaining"], limit["used"]) == (5000, 4949, 51)
        names = ("Limit", "Remaining", "Used", "Resource")
        assert [headers[f"X-RateLimit-{name}"] for name in names] == [
            "5000",
            "4949",
            "51",
            "graphql",
        ]
        reset = datetime.fromisoformat(limit["resetAt"])
        assert int(headers["X-RateLimit-Reset"]) == reset.timestamp()
        # An hour, rounded up to a whole second.
        assert timedelta(minutes=59) < reset - datetime.now(UTC) <= timedelta(hours=1, seconds=1)
        (logged,) = server.requests
        assert (logged.method, logged.path, logged.operation) == ("POST", "/graphql", "Deep")
        assert (logged.points, logged.status, logged.fault, server.points) == (51, 200, None, 51)


def test_fragments_aliases_and_node_lists_are_counted_and_skipped_fields_are_not(server):
    query = """query($deep: Boolean!, $ids: [ID!]!) { rateLimit { cost nodeCount }
        nodes(ids: $ids) { ...thread }
        a: repository(owner: "o", name: "n") { issues(first: 100) { nodes { ...thread } } } }
        fragment thread on Issue { labels(first: 10) @include(if: $deep) { nodes { id } } }"""
    issue_id = ask(server, in_repository("issue(number: 1) { id }"))["repository"]["issue"]["id"]
    shallow = ask(server, query, deep=False, ids=[issue_id] * 50)["rateLimit"]
    deep = ask(server, query, deep=True, ids=[issue_id] * 50)["rateLimit"]
    assert shallow == {"cost": 1, "nodeCount": 150}
    assert deep == {"cost": round((1 + 50 + 1 + 100) / 100), "nodeCount": 150 + 500 + 1000}
    assert error_of(server, query, deep=True, ids=[issue_id] * 101)["type"] == "ARGUMENT_LIMIT"


def test_a_budget_is_full_again_after_its_window():
    with CorpusServer([RICH], limit=1, window=0.1) as server:
        for _ in range(3):
            assert "errors" not in post(server, in_repository("id"))[0]
            time.sleep(0.15)


def test_a_spent_budget_is_refused_and_belongs_to_one_token():
    with CorpusServer([RICH], limit=2) as server:
        query = in_repository("id")
        for _ in range(2):
            assert "errors" not in post(server, query, token="a")[0]
        answer, headers = post(server, query, token="a")
        assert answer["errors"][0]["type"] == "RATE_LIMITED" and "data" not in answer
        assert headers["X-RateLimit-Remaining"] == "0"
        assert "errors" not in post(server, query, token="b")[0]
        api = client(server.url, auth=github.Auth.Token("a"))
        for _ in range(2):
            api.get_repo("o/n")
        with pytest.raises(github.RateLimitExceededException):
            api.get_repo("o/n")


def test_only_the_right_token_is_let_in():
    with CorpusServer([RICH], token="right") as server:
        for auth in (None, github.Auth.Token("wrong")):
            with pytest.raises(github.GithubException) as refused:
                client(server.url, auth=auth).requester.graphql_query("{ rateLimit { cost } }", {})
            assert (refused.value.status, refused.value.data["message"]) == (401, "Bad credentials")
        right = client(server.url, auth=github.Auth.Token("right"))
        assert right.get_repo("o/n").full_name == "o/n"


# --- REST ---


@pytest.mark.parametrize("prefix", ["", "/api/v3"])
def test_pygithub_reads_the_tracker_over_rest_and_graphql_with_either_base_url(server, prefix):
    api = client(server.url + prefix, per_page=2)
    repository = api.get_repo("o/n")
    everything = list(repository.get_issues(state="all", sort="created", direction="asc"))
    assert [entry.number for entry in everything] == [1, 2, 3, 4, 5, 90]
    assert [entry.number for entry in everything if entry.pull_request] == [90]
    assert [entry.number for entry in repository.get_issues()] == [5, 4, 3, 1]
    since = START + timedelta(seconds=30)
    assert {entry.number for entry in repository.get_issues(state="all", since=since)} == {
        1,
        4,
        5,
        90,
    }
    first = repository.get_issue(1)
    assert (first.title, first.body, first.user.login, first.comments) == (
        "Issue 1",
        "Body",
        "ann",
        2,
    )
    assert [entry.id for entry in first.get_comments()] == [11, 12]
    assert [entry.event for entry in first.get_events()][:2] == ["labeled", "renamed"]
    assert next(iter(repository.get_issue(2).get_events())).commit_id == SHA
    assert api.requester.graphql_query("{ rateLimit { limit } }", {})[1]["data"]


def test_what_rest_does_not_have_is_404(server):
    api = client(server.url)
    for name, number in (("no/where", 1), ("o/n", 77)):
        with pytest.raises(github.UnknownObjectException) as missing:
            client(server.url, lazy=True).get_repo(name).get_issue(number).title  # noqa: B018
        assert missing.value.data["message"] == "Not Found"
    with pytest.raises(github.UnknownObjectException):
        api.get_user("ann").name  # noqa: B018


def test_asking_for_the_rate_limit_is_free():
    with CorpusServer([RICH]) as server:
        api = client(server.url)
        api.get_repo("o/n")
        for _ in range(3):
            limits = api.get_rate_limit().resources
        assert (limits.core.limit, limits.core.remaining, limits.core.used) == (5000, 4999, 1)
        assert limits.graphql.remaining == 5000


# --- changing and misbehaving ---


def test_a_replaced_corpus_is_served_from_the_next_request_on():
    with CorpusServer([RICH]) as server:
        query = in_repository("issues { totalCount }")
        assert ask(server, query)["repository"]["issues"]["totalCount"] == 5
        server.replace([corpus_of([issue(1)])])
        assert ask(server, query)["repository"]["issues"]["totalCount"] == 1


def outcome(server, number: int = 1) -> str:
    """One raw request's fate, as the kind of fault it looks like."""
    connection = http.client.HTTPConnection(
        "127.0.0.1", int(server.url.rpartition(":")[2]), timeout=5
    )
    query = in_repository("issues(first: 5) { nodes { number } }")
    started = time.perf_counter()
    connection.request("POST", "/graphql", json.dumps({"query": query}))
    answer = connection.getresponse()
    try:
        body = answer.read()
    except http.client.IncompleteRead:
        return "cut"
    finally:
        connection.close()
    took = time.perf_counter() - started
    if answer.headers["Content-Type"].startswith("text/html"):
        assert b"<html" in body
        return {502: "bad_gateway", 504: "gateway_timeout", 200: "html"}[answer.status]
    content = json.loads(body)
    if answer.status in (403, 429):
        if "Retry-After" in answer.headers:
            assert "secondary rate limit" in content["message"]
            return "secondary_limit"
        assert answer.headers["X-RateLimit-Remaining"] == "0"
        assert abs(int(answer.headers["X-RateLimit-Reset"]) - time.time()) < 5
        assert content["message"].startswith("API rate limit exceeded")
        return "primary_limit"
    if "errors" in content:
        (error,) = content["errors"]
        if error["type"] == "RESOURCE_LIMITS_EXCEEDED":
            assert (
                content["data"] is None or None in content["data"]["repository"]["issues"]["nodes"]
            )
            return "resource_limits"
        assert error["type"] == "RATE_LIMITED" and answer.headers["X-RateLimit-Remaining"] == "0"
        return "graphql_rate_limited"
    assert [node["number"] for node in content["data"]["repository"]["issues"]["nodes"]] == [
        1,
        2,
        3,
        4,
        5,
    ]
    return "slow" if took >= 0.04 else "good"


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_fault_looks_as_github_makes_it(kind):
    with CorpusServer([RICH], faults=Faults(1, 1.0, [kind], max_consecutive=2)) as server:
        assert [outcome(server) for _ in range(3)] == [kind, kind, "good"]
        assert [request.fault for request in server.requests] == [kind, kind, None]


def test_the_same_seed_makes_the_same_faults_and_another_seed_others():
    def faults(seed: int) -> list[str | None]:
        plan = Faults(seed, 0.5, delay=0)
        with CorpusServer([RICH], faults=plan) as server:
            for _ in range(60):
                outcome(server)
            return [request.fault for request in server.requests]

    first = faults(1)
    assert faults(1) == first != faults(2)
    assert 20 <= sum(fault is not None for fault in first) <= 40


def test_faults_never_come_more_than_the_allowed_number_in_a_row():
    plan = Faults(3, 1.0, ["bad_gateway"], max_consecutive=4)
    with CorpusServer([RICH], faults=plan) as server:
        assert [outcome(server) for _ in range(10)] == (["bad_gateway"] * 4 + ["good"]) * 2


def test_graphql_faults_leave_rest_alone():
    kinds = ["graphql_rate_limited", "resource_limits"]
    with CorpusServer([RICH], faults=Faults(1, 1.0, kinds)) as server:
        assert client(server.url).get_repo("o/n").get_issue(1).number == 1


def test_pygithubs_own_retries_get_through_rest_faults():
    kinds = ["bad_gateway", "gateway_timeout", "secondary_limit"]
    plan = Faults(1, 0.6, kinds, max_consecutive=2)
    with CorpusServer([RICH], faults=plan) as server:
        retry = github.GithubRetry(total=5, backoff_factor=0)
        repository = client(server.url, retry=retry, per_page=1).get_repo("o/n")
        assert [entry.number for entry in repository.get_issues(state="all")] == [90, 5, 4, 3, 2, 1]
        assert {request.fault for request in server.requests} >= {"bad_gateway", None}


def test_an_unknown_kind_of_fault_is_refused_with_the_known_ones():
    with pytest.raises(PerfAssetsError, match="no kind 'earthquake'; choose from bad_gateway"):
        Faults(1, 0.5, ["earthquake"])


# --- the server itself ---


def test_closing_ends_open_connections_at_once():
    with CorpusServer([RICH]) as server:
        connection = http.client.HTTPConnection(
            "127.0.0.1", int(server.url.rpartition(":")[2]), timeout=5
        )
        connection.request("GET", "/rate_limit")
        connection.getresponse().read()
        started = time.perf_counter()
    assert time.perf_counter() - started < 0.5
    with pytest.raises((http.client.RemoteDisconnected, ConnectionError)):
        connection.request("GET", "/rate_limit")
        connection.getresponse()


def test_a_taken_port_is_named():
    with CorpusServer([RICH]) as server:
        port = int(server.url.rpartition(":")[2])
        with (
            pytest.raises(PerfAssetsError, match=f"port {port} of 127.0.0.1"),
            CorpusServer([], port),
        ):
            pass


def test_serving_a_directory_tells_its_url_and_ends_with_an_interrupt(tmp_path):
    (tmp_path / "issues.jsonl").write_text(json.dumps(issue(1)) + "\n")
    (tmp_path / "comments.jsonl").write_text("")
    program = (
        "import sys; from pathlib import Path; "
        "from perf_assets.loopback.github.server import serve; "
        "serve(Path(sys.argv[1]), 0, 'o/n', lambda url: print(url, flush=True))"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path)], stdout=subprocess.PIPE, text=True
    ) as process:
        url = process.stdout.readline().strip()
        assert client(url).get_repo("o/n").get_issue(1).title == "Issue 1"
        process.send_signal(signal.SIGINT)
        assert process.wait(5) == 0


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_planned_execution_answers_as_graphql_cores_own(server, data):
    """graphql-core's executor is the independent implementation here."""
    choice = data.draw(st.sampled_from(["issues", "search", "missing", "null in non-null"]))
    size = data.draw(st.integers(1, 6))
    thread = f"""fragment thread on Issue {{ __typename n: number
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


@pytest.mark.skipif(not CHAINER.is_dir(), reason="the shared chainer data is not on this machine")
def test_the_chainer_corpus_is_served_whole():
    corpus = read_corpus(CHAINER, "chainer/chainer")
    query = f"""query($first: Int!, $after: String) {{
        repository(owner: "chainer", name: "chainer") {{ issues(first: $first, after: $after) {{
        {page_of("number createdAt comments(first: 100) { totalCount nodes { body } }")} }} }} }}"""
    with CorpusServer([corpus]) as server:
        found = walk(server, query, ["repository", "issues"], 100)
        assert len(found) == 338
        assert sum(node["comments"]["totalCount"] for node in found) == 701
        for month, count in Counter(node["createdAt"][:7] for node in found).items():
            last = end_of(month) - timedelta(seconds=1)
            terms = f"repo:chainer/chainer created:{month}-01..{last:%Y-%m-%d}"
            assert len(search_numbers(server, terms)) == count
