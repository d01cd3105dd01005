"""Issues of one repository: what changed, how many there are, and whole cohorts of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import polars as pl

from perf_assets.core.frames import TEXTS, TIME, Columns
from perf_assets.errors import PerfAssetsError
from perf_assets.months import end_of, month_of, months_between, start_of
from perf_assets.sources.github import queries
from perf_assets.sources.github.client import GitHubClient

PAGE = 100
SEARCH_LIMIT = 1000  # https://docs.github.com/rest/search: a search returns no more
COUNTS_PER_REQUEST = 40
RESTS_PER_REQUEST = 20

ISSUE_SCHEMA: Columns = {
    "repository": pl.String,
    "number": pl.Int64,
    "title": pl.String,
    "body": pl.String,
    "author": pl.String,
    "state": pl.String,
    "state_reason": pl.String,
    "labels": TEXTS,
    "created_at": TIME,
    "updated_at": TIME,
    "closed_at": TIME,
    "comments": pl.Int64,
    "html_url": pl.String,
    "month": pl.String,
}
COMMENT_SCHEMA: Columns = {
    "repository": pl.String,
    "comment_id": pl.Int64,
    "number": pl.Int64,
    "author": pl.String,
    "created_at": TIME,
    "body": pl.String,
    "month": pl.String,
}
EVENT_SCHEMA: Columns = {
    "repository": pl.String,
    "event_id": pl.String,
    "number": pl.Int64,
    "event": pl.String,
    "actor": pl.String,
    "created_at": TIME,
    "label": pl.String,
    "commit_sha": pl.String,
    "pull_request": pl.Int64,
    "closer_repository": pl.String,
    "previous_title": pl.String,
    "current_title": pl.String,
    "from_repository": pl.String,
    "month": pl.String,
}
PULL_REQUEST_SCHEMA: Columns = {
    "repository": pl.String,
    "number": pl.Int64,
    "pull_request_repository": pl.String,
    "pull_request": pl.Int64,
    "relation": pl.String,
    "is_merged": pl.Boolean,
    "merge_commit_sha": pl.String,
    "commits": pl.Int64,
    "month": pl.String,
}
EVENT_NAMES = {
    "ClosedEvent": "closed",
    "ReopenedEvent": "reopened",
    "LabeledEvent": "labeled",
    "UnlabeledEvent": "unlabeled",
    "RenamedTitleEvent": "renamed",
    "TransferredEvent": "transferred",
}


@dataclass(frozen=True)
class IssueBatch:
    """Issues with everything that belongs to them; columns as the four ``*_SCHEMA``."""

    issues: pl.DataFrame
    comments: pl.DataFrame
    events: pl.DataFrame
    pull_requests: pl.DataFrame

    def of_month(self, month: str) -> "IssueBatch":
        """The part of the cohort of ``month``."""
        wanted = pl.col("month") == month
        return IssueBatch(*(frame.filter(wanted) for frame in vars(self).values()))

    @property
    def announced_comments(self) -> int:
        """How many comments GitHub says the issues have."""
        return int(self.issues["comments"].sum())


EMPTY_BATCH = IssueBatch(
    *(
        pl.DataFrame(schema=schema)
        for schema in (ISSUE_SCHEMA, COMMENT_SCHEMA, EVENT_SCHEMA, PULL_REQUEST_SCHEMA)
    )
)


@dataclass(frozen=True)
class Look:
    """The newest update GitHub knew of when we looked, and the issues changed since we last did."""

    newest_update: datetime | None
    changed: IssueBatch


class IssueSource:
    """Reads the issues of ``repository`` through ``client``."""

    def __init__(self, client: GitHubClient, repository: str) -> None:
        """Nothing is asked yet."""
        self.client = client
        self.repository = repository
        self._owner, self._name = repository.split("/")

    def look(self, since: datetime | None) -> Look:
        """One look at what changed at or after ``since`` (``None``: only whether it is there)."""
        if since is None:
            found = self._repository(self.client.query(queries.LOOK, self._names()))
            return Look(_newest(found["issues"]), self._batch([]))
        nodes: dict[str, dict[str, Any]] = {}
        newest: datetime | None = None
        variables = {**self._names(), "since": since.strftime("%Y-%m-%dT%H:%M:%SZ")}
        after: str | None = None
        while True:
            sent = {**variables, "after": after}
            found = self._repository(self.client.query(queries.CHANGED, sent, first=PAGE))
            # The first answer decides: what changes while we read is found by the next look.
            newest = newest or _newest(found["newest"])
            for node in found["issues"]["nodes"]:
                nodes[node["id"]] = node
            after = _next_page(found["issues"])
            if after is None:
                return Look(newest, self._batch(list(nodes.values())))

    def counts(self, months: Sequence[str]) -> dict[str, int]:
        """GitHub's own number of issues opened in each of ``months``."""
        counts: dict[str, int] = {}
        for start in range(0, len(months), COUNTS_PER_REQUEST):
            part = months[start : start + COUNTS_PER_REQUEST]
            document = queries.counts_document(len(part))
            variables = {
                f"q{place}": self._created(start_of(month), end_of(month))
                for place, month in enumerate(part)
            }
            data = self.client.query(document, variables)
            for place, month in enumerate(part):
                counts[month] = data[f"c{place}"]["issueCount"]
        return counts

    def cohorts(self, counts: dict[str, int]) -> Iterator[tuple[list[str], IssueBatch]]:
        """Whole cohorts of the months of ``counts``, in order, a searchable window at a time."""
        for months in windows(counts):
            if any(counts[month] for month in months):
                nodes = self._search(start_of(months[0]), end_of(months[-1]))
                batch = self._batch(list({node["id"]: node for node in nodes}.values()))
            else:
                batch = self._batch([])
            yield months, batch

    def _names(self) -> dict[str, Any]:
        return {"owner": self._owner, "name": self._name}

    def _created(self, start: datetime, end: datetime) -> str:
        last = end - timedelta(seconds=1)
        window = f"{start:%Y-%m-%dT%H:%M:%SZ}..{last:%Y-%m-%dT%H:%M:%SZ}"
        return f"repo:{self.repository} is:issue created:{window} sort:created-asc"

    def _repository(self, data: dict[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = data["repository"]
        if found["nameWithOwner"].casefold() != self.repository.casefold():
            raise PerfAssetsError(
                f"repository {self.repository} is called {found['nameWithOwner']} now: "
                "write the new name in the study file"
            )
        return found

    def _search(self, start: datetime, end: datetime) -> Iterator[dict[str, Any]]:
        """Issues opened from ``start`` to before ``end``; the window is halved where it is full."""
        query = self._created(start, end)
        after: str | None = None
        while True:
            sent = {"query": query, "after": after}
            found = self.client.query(queries.SEARCH, sent, first=PAGE)["search"]
            if found["issueCount"] > SEARCH_LIMIT:
                middle = start + timedelta(seconds=int((end - start).total_seconds()) // 2)
                if middle == start:
                    raise PerfAssetsError(
                        f"{self.repository}: more than {SEARCH_LIMIT} issues opened in the second "
                        f"{start:%Y-%m-%dT%H:%M:%SZ}, more than GitHub's search can list"
                    )
                yield from self._search(start, middle)
                yield from self._search(middle, end)
                return
            yield from (node for node in found["nodes"] if node)
            after = _next_page(found)
            if after is None:
                return

    def _batch(self, nodes: list[dict[str, Any]]) -> IssueBatch:
        self._complete(nodes)
        return to_frames(nodes, self.repository)

    def _complete(self, nodes: list[dict[str, Any]]) -> None:
        """Page every nested connection to its end, several at a request."""
        open_pages = [
            (node, connection, cursor)
            for node in nodes
            for connection in queries.CONNECTIONS
            if (cursor := _next_page(node[connection])) is not None
        ]
        while open_pages:
            now, open_pages = open_pages[:RESTS_PER_REQUEST], open_pages[RESTS_PER_REQUEST:]
            document = queries.rest_document([connection for _, connection, _ in now])
            variables: dict[str, Any] = {}
            for place, (node, _, cursor) in enumerate(now):
                variables |= {f"id{place}": node["id"], f"after{place}": cursor}
            data = self.client.query(document, variables)
            for place, (node, connection, _) in enumerate(now):
                page = data[f"n{place}"][connection]
                node[connection]["nodes"] += page["nodes"]
                cursor_after = _next_page(page)
                if cursor_after is not None:
                    open_pages.append((node, connection, cursor_after))


def windows(counts: dict[str, int]) -> Iterator[list[str]]:
    """Group months that follow each other while their issues together fit one search."""
    group: list[str] = []
    total = 0
    for month in sorted(counts):
        follows = not group or months_between(group[-1], month)[1:] == [month]
        if group and (not follows or total + counts[month] > SEARCH_LIMIT):
            yield group
            group, total = [], 0
        group.append(month)
        total += counts[month]
    if group:
        yield group


def to_frames(nodes: Sequence[dict[str, Any]], repository: str) -> IssueBatch:
    """GraphQL issue nodes as the four frames, sorted by number and id."""
    issues, comments, events, pull_requests = [], [], [], []
    for node in nodes:
        month = month_of(datetime.fromisoformat(node["createdAt"]))
        own = {"repository": repository, "number": node["number"], "month": month}
        issues.append(_issue(node) | own)
        comments += [_comment(entry) | own for entry in _distinct(node, "comments")]
        events += [_event(entry) | own for entry in _distinct(node, "timelineItems")]
        pull_requests += [row | own for row in _pull_requests(node)]
    return IssueBatch(
        _frame(issues, ISSUE_SCHEMA, ("number",)),
        _frame(comments, COMMENT_SCHEMA, ("number", "comment_id")),
        _frame(events, EVENT_SCHEMA, ("number", "created_at", "event_id")),
        _frame(pull_requests, PULL_REQUEST_SCHEMA, tuple(PULL_REQUEST_SCHEMA)[1:5]),
    )


def _distinct(node: dict[str, Any], connection: str) -> list[dict[str, Any]]:
    # Pages read while an issue is being edited may overlap.
    key = "fullDatabaseId" if connection == "comments" else "id"
    entries = node[connection]["nodes"] if node[connection] else []
    return list({entry[key]: entry for entry in entries if entry}.values())


def _frame(rows: list[dict[str, Any]], schema: Columns, order: tuple[str, ...]) -> pl.DataFrame:
    times = [name for name, kind in schema.items() if kind == TIME]
    texts: Columns = schema | dict.fromkeys(times, pl.String())
    frame = pl.DataFrame(rows, schema=texts, orient="row")
    return frame.with_columns(
        pl.col(times).str.to_datetime("%Y-%m-%dT%H:%M:%S%#z", time_unit="us", time_zone="UTC")
    ).sort(order)


def _issue(node: dict[str, Any]) -> dict[str, Any]:
    return {
        "title": node["title"],
        "body": node["body"] or None,
        "author": _login(node["author"]),
        "state": node["state"].lower(),
        "state_reason": node["stateReason"] and node["stateReason"].lower(),
        "labels": sorted(label["name"] for label in node["labels"]["nodes"]),
        "created_at": node["createdAt"],
        "updated_at": node["updatedAt"],
        "closed_at": node["closedAt"],
        "comments": node["comments"]["totalCount"],
        "html_url": node["url"],
    }


def _comment(node: dict[str, Any]) -> dict[str, Any]:
    return {
        "comment_id": int(node["fullDatabaseId"]),
        "author": _login(node["author"]),
        "created_at": node["createdAt"],
        "body": node["body"] or None,
    }


def _event(node: dict[str, Any]) -> dict[str, Any]:
    closer = node.get("closer") or {}
    is_pull_request = closer.get("__typename") == "PullRequest"
    commit = closer.get("mergeCommit") if is_pull_request else closer
    return {
        "event_id": node["id"],
        "event": EVENT_NAMES[node["__typename"]],
        "actor": _login(node["actor"]),
        "created_at": node["createdAt"],
        "label": (node.get("label") or {}).get("name"),
        "commit_sha": (commit or {}).get("oid"),
        "pull_request": closer.get("number") if is_pull_request else None,
        "closer_repository": (closer.get("repository") or {}).get("nameWithOwner"),
        "previous_title": node.get("previousTitle"),
        "current_title": node.get("currentTitle"),
        "from_repository": (node.get("fromRepository") or {}).get("nameWithOwner"),
    }


def _pull_requests(node: dict[str, Any]) -> list[dict[str, Any]]:
    """The pull requests that GitHub relates to an issue, once for each relation."""
    linked = _distinct(node, "closedByPullRequestsReferences")
    rows = {_pull_request_key(entry): _pull_request(entry, "linked") for entry in linked}
    closing: dict[tuple[str, int], dict[str, Any]] = {}
    for event in _distinct(node, "timelineItems"):
        closer = event.get("closer") or {}
        if closer.get("__typename") == "PullRequest":
            key = _pull_request_key(closer)
            # How many commits it has is only asked of those that are linked.
            commits = rows[key]["commits"] if key in rows else None
            closing[key] = _pull_request(closer, "closer") | {"commits": commits}
    return [*rows.values(), *closing.values()]


def _pull_request_key(node: dict[str, Any]) -> tuple[str, int]:
    return node["repository"]["nameWithOwner"], node["number"]


def _pull_request(node: dict[str, Any], relation: str) -> dict[str, Any]:
    return {
        "pull_request_repository": node["repository"]["nameWithOwner"],
        "pull_request": node["number"],
        "relation": relation,
        "is_merged": node["merged"],
        "merge_commit_sha": (node["mergeCommit"] or {}).get("oid"),
        "commits": (node.get("commits") or {}).get("totalCount"),
    }


def _login(actor: dict[str, Any] | None) -> str | None:
    """The login; a deleted account ("ghost") has none."""
    return None if actor is None or actor["login"] == "ghost" else actor["login"]


def _newest(connection: dict[str, Any]) -> datetime | None:
    nodes = connection["nodes"]
    return datetime.fromisoformat(nodes[0]["updatedAt"]) if nodes else None


def _next_page(connection: dict[str, Any] | None) -> str | None:
    if connection is None:  # GitHub may leave a connection out that has nothing to show
        return None
    info = connection["pageInfo"]
    return info["endCursor"] if info["hasNextPage"] else None
