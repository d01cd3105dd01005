"""Issues with everything that belongs to them, as frames: what GitHub's answers are turned into."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import polars as pl

from perf_assets.months import month_of
from perf_assets.sources.github.queries import FIELDS_VERSION
from perf_assets.sources.github.response_types import WHOLE_SECONDS, Actor, Comment, Issue
from perf_assets.tables import schema_of, table_of
from perf_assets.tables.types import TIME

TABLES = ("raw.issues", "raw.issue_comments", "raw.issue_events", "raw.issue_pull_requests")
ACTOR_TYPES = frozenset(table_of("raw.issues").column["author_type"].values or ())
ASSOCIATIONS = frozenset(table_of("raw.issues").column["author_association"].values or ())
REACTIONS = {
    "THUMBS_UP": "thumbs_up",
    "THUMBS_DOWN": "thumbs_down",
    "LAUGH": "laugh",
    "HOORAY": "hooray",
    "CONFUSED": "confused",
    "HEART": "heart",
    "ROCKET": "rocket",
    "EYES": "eyes",
}
"""Columns of the kinds of reactions, by GitHub's names of them."""
GHOST = "ghost"
BOT_SUFFIX = "[bot]"
PULL_REQUEST_KEY = ("number", "pull_request_repository", "pull_request", "relation")
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
    """Issues with everything that belongs to them; columns as in their tables of ``raw``."""

    issues: pl.DataFrame
    comments: pl.DataFrame
    events: pl.DataFrame
    pull_requests: pl.DataFrame

    def of_month(self, month: str) -> "IssueBatch":
        """The part of the cohort of ``month``."""
        condition = pl.col("month") == month
        return IssueBatch(*(frame.filter(condition) for frame in vars(self).values()))

    def of_numbers(self, numbers: Sequence[int]) -> "IssueBatch":
        """The part of the issues with these numbers."""
        condition = pl.col("number").is_in(numbers)
        return IssueBatch(*(frame.filter(condition) for frame in vars(self).values()))

    @property
    def announced_comments(self) -> int:
        """How many comments GitHub says the issues have."""
        return int(self.issues["comments"].sum())

    @property
    def announced_events(self) -> int:
        """How many events of the kept kinds GitHub says the issues have."""
        return int(self.issues["events"].sum())


EMPTY_BATCH = IssueBatch(*(schema_of(table).to_frame() for table in TABLES))


def joined(batches: Sequence[IssueBatch]) -> IssueBatch:
    """Several batches as one."""
    frames = zip(*(vars(batch).values() for batch in [EMPTY_BATCH, *batches]), strict=True)
    return IssueBatch(*map(pl.concat, frames))


def to_frames(nodes: Sequence[Issue], repository: str) -> IssueBatch:
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
        _frame("raw.issues", issues, ("number",)),
        _frame("raw.issue_comments", comments, ("number", "comment_id")),
        _frame("raw.issue_events", events, ("number", "created_at", "event_id")),
        _frame("raw.issue_pull_requests", pull_requests, PULL_REQUEST_KEY),
    )


def _distinct(node: Mapping[str, Any], connection: str) -> list[Any]:
    # Pages read while an issue is being edited may overlap.
    key = "fullDatabaseId" if connection == "comments" else "id"
    entries = node[connection]["nodes"] if node[connection] else []
    return list({entry[key]: entry for entry in entries if entry}.values())


def _frame(table: str, rows: list[dict[str, Any]], order: tuple[str, ...]) -> pl.DataFrame:
    schema = schema_of(table)
    times = [name for name, kind in schema.items() if kind == TIME]
    texts = {**schema, **dict.fromkeys(times, pl.String())}
    frame = pl.DataFrame(rows, schema=texts, orient="row")
    return frame.with_columns(
        pl.col(times).str.to_datetime(_format(rows, times), time_unit="us", time_zone="UTC")
    ).sort(order)


def _format(rows: list[dict[str, Any]], times: list[str]) -> str:
    # GitHub writes whole seconds, for which there is a quicker way.
    texts = (row[name] for row in rows for name in times)
    is_whole = all(text is None or len(text) == WHOLE_SECONDS for text in texts)
    return "%Y-%m-%dT%H:%M:%S%#z" if is_whole else "%Y-%m-%dT%H:%M:%S%.f%#z"


def _issue(node: Issue) -> dict[str, Any]:
    return {
        "title": node["title"],
        "body": node["body"] or None,
        **_author(node),
        "state": node["state"].lower(),
        "state_reason": node["stateReason"] and node["stateReason"].lower(),
        "labels": sorted(label["name"] for label in node["labels"]["nodes"] if label),
        "created_at": node["createdAt"],
        "updated_at": node["updatedAt"],
        "closed_at": node["closedAt"],
        "milestone": node["milestone"] and node["milestone"]["title"],
        **_reactions(node),
        "comments": node["comments"]["totalCount"],
        "events": node["timelineItems"]["totalCount"],
        "fields_version": FIELDS_VERSION,
        "html_url": node["url"],
    }


def _comment(node: Comment) -> dict[str, Any]:
    return {
        "comment_id": node["fullDatabaseId"],
        **_author(node),
        "created_at": node["createdAt"],
        "body": node["body"] or None,
        **_reactions(node),
    }


def _event(node: dict[str, Any]) -> dict[str, Any]:
    closer = node.get("closer") or {}
    is_pull_request = closer.get("kind") == "PullRequest"
    commit = closer.get("mergeCommit") if is_pull_request else closer
    return {
        "event_id": node["id"],
        "event": EVENT_NAMES[node["kind"]],
        "actor": _login(node["actor"]),
        "created_at": node["createdAt"],
        "label": (node.get("label") or {}).get("name"),
        "commit_sha": (commit or {}).get("oid"),
        "commit_author": _commit_author(commit),
        "pull_request": closer.get("number") if is_pull_request else None,
        "closer_repository": (closer.get("repository") or {}).get("nameWithOwner"),
        "previous_title": node.get("previousTitle"),
        "current_title": node.get("currentTitle"),
        "from_repository": (node.get("fromRepository") or {}).get("nameWithOwner"),
    }


def _pull_requests(node: Issue) -> list[dict[str, Any]]:
    """The pull requests that GitHub relates to an issue, once for each relation."""
    linked = _distinct(node, "closedByPullRequestsReferences")
    rows = {_pull_request_key(entry): _pull_request(entry, "linked") for entry in linked}
    closing: dict[tuple[str, int], dict[str, Any]] = {}
    for event in _distinct(node, "timelineItems"):
        closer = event.get("closer") or {}
        if closer.get("kind") == "PullRequest":
            key = _pull_request_key(closer)
            # The number of commits is only requested of those that are linked.
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
        "merge_commit_author": _commit_author(node["mergeCommit"]),
        "commits": (node.get("commits") or {}).get("totalCount"),
    }


def _author(node: Issue | Comment) -> dict[str, Any]:
    """Who wrote it, and what GitHub knows of them."""
    association = node["authorAssociation"]
    return {
        "author": _login(node["author"]),
        "author_type": _author_type(node["author"]),
        "author_association": association if association in ASSOCIATIONS else None,
    }


def _reactions(node: Issue | Comment) -> dict[str, int | None]:
    """How many reacted, by kind; nothing of kinds that nobody is known to have a column for."""
    groups = node["reactionGroups"]
    if groups is None:
        return dict.fromkeys(REACTIONS.values())
    counts = {group["content"]: group["reactors"]["totalCount"] for group in groups}
    return {column: counts.get(content, 0) for content, column in REACTIONS.items()}


def _commit_author(commit: dict[str, Any] | None) -> str | None:
    """The account that GitHub takes the author of a commit for."""
    user = ((commit or {}).get("author") or {}).get("user") or {}
    login = user.get("login")
    return None if login == GHOST else login


def _login(actor: Actor | None) -> str | None:
    """The login, of a bot with ``[bot]`` as GitHub's pages and its REST API write it.

    GraphQL leaves that out, and a person may have the rest as a login. A deleted account ("ghost")
    has none.
    """
    if actor is None or actor["login"] == GHOST:
        return None
    is_bare = actor["kind"] == "Bot" and not actor["login"].endswith(BOT_SUFFIX)
    return actor["login"] + BOT_SUFFIX if is_bare else actor["login"]


def _author_type(actor: Actor | None) -> str | None:
    """The type of an account; a deleted one has none, and an unknown one is not given."""
    if actor is None or actor["login"] == GHOST:
        return None
    return actor["kind"] if actor["kind"] in ACTOR_TYPES else None
