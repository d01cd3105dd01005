"""A small tracker behind the loopback GitHub, and ways to ask it."""

import json
import urllib.error
import urllib.request
from datetime import UTC, datetime, timedelta

import github

from perf_assets.base.corpus import Corpus

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
        issue(3, 20, user=None, reactions={"+1": 2, "heart": 1}),
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


SEARCH = f"""query Find($query: String!, $first: Int!, $after: String) {{
    search(type: ISSUE, query: $query, first: $first, after: $after) {{ issueCount
    {page_of("... on Issue { number } ... on PullRequest { number }").removeprefix("totalCount")}
    }} }}"""


def search_numbers(server, query: str) -> list[int]:
    return [node["number"] for node in walk(server, SEARCH, ["search"], 100, query=query)]
