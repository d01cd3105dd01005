"""Rows of the raw tables, from the issues of GitHub's answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from perf_assets.base.months import month_of
from perf_assets.config.hosts import KINDS
from perf_assets.schema import table_of
from perf_assets.sources.github.gaps import NODES
from perf_assets.sources.github.issue_types import CLOSERS, EVENT_NAMES, Actor, Comment, Issue
from perf_assets.sources.issues.batches import IssueBatch
from perf_assets.sources.issues.gaps import ENTRY, Gap, Kind
from perf_assets.sources.issues.records import IssueRecord, batch_of

ACTOR_TYPES = frozenset(table_of("raw.issues").column["author_type"].values or ())
ASSOCIATIONS = frozenset(table_of("raw.issues").column["author_association"].values or ())
_REACTIONS = ("thumbs_up", "thumbs_down", "laugh", "hooray", "confused", "heart", "rocket", "eyes")
REACTIONS = {name.upper(): name for name in _REACTIONS}
"""Columns of the kinds of reactions, by GitHub's names of them."""
NOBODY = ("ghost", "")
"""Logins of deleted accounts."""
ONE_DAY = timedelta(days=1)
STATES = ("OPEN", "CLOSED")
KNOWN_CLOSERS = (*CLOSERS, "ProjectV2")
BOT_SUFFIX = "[bot]"


@dataclass(frozen=True)
class RowReader:
    """Reads the issues of ``repository``, which is ``now_called`` so; ``gaps`` grows meanwhile."""

    repository: str
    now_called: str
    gaps: list[Gap]

    def record(self, node: Issue) -> IssueRecord:
        """Return an issue with everything that belongs to it."""
        return IssueRecord(
            node["number"],
            self.issue(node),
            [self.comment(node, entry) for entry in self.comments(node)],
            [self.event(entry) for entry in self.events(node)],
            self.pull_requests(node),
        )

    def issue(self, node: Issue) -> dict[str, Any]:
        """Return the row of an issue."""
        self._note_unknown(node, "issues", node)
        kind = node.get("issueType")
        lock = node.get("activeLockReason")
        return {
            "title": node["title"],
            "body": node["body"] or None,
            **_author(node),
            "state": _state(node).lower(),
            "state_reason": node["stateReason"] and node["stateReason"].lower(),
            "lock_reason": lock and lock.lower(),
            "issue_type": (kind["name"] or None) if kind else None,
            "labels": sorted(label["name"] for label in _entries(node["labels"])),
            "created_at": node["createdAt"],
            "updated_at": node["updatedAt"],
            "closed_at": _closed_at(node),
            "milestone": node["milestone"] and node["milestone"]["title"],
            **_reactions(node),
            "comments": node["comments"]["totalCount"],
            "events": node["timelineItems"]["totalCount"],
            "fields_version": KINDS["github"].fields_version,
            "html_url": node["url"],
        }

    def comments(self, node: Issue) -> list[Comment]:
        """Return the comments of an issue; one without an id is set aside."""
        entries = _entries(node["comments"])
        kept = list({entry["fullDatabaseId"]: entry for entry in entries}.values())
        if nameless := sum(entry["fullDatabaseId"] is None for entry in entries):
            kept = [entry for entry in kept if entry["fullDatabaseId"] is not None]
            self._note(node, "comments", ENTRY, "missing", "it has no fullDatabaseId", nameless)
        self._count(node, "comments", node["comments"]["totalCount"], len(kept))
        return kept

    def comment(self, issue: Issue, node: Comment) -> dict[str, Any]:
        """Return the row of a comment."""
        self._note_unknown(issue, "comments", node)
        return {
            "comment_id": node["fullDatabaseId"],
            **_author(node),
            "created_at": node["createdAt"],
            "body": node["body"] or None,
            **_reactions(node),
        }

    def events(self, node: Issue) -> list[dict[str, Any]]:
        """Return the events of an issue; one of a kind that is not known is set aside."""
        entries = _events(node)
        for entry in entries:
            if entry["kind"] not in EVENT_NAMES:
                reason = f"{entry['kind']} is not a known kind of event"
                self._note(node, "events", ENTRY, "unknown", reason)
            closer = entry.get("closer") or {}
            if closer and closer["kind"] not in KNOWN_CLOSERS:
                reason = f"{closer['kind']} is not a known kind of closer"
                self._note(node, "events", "closer", "unknown", reason)
        known = [entry for entry in entries if entry["kind"] in EVENT_NAMES]
        kept = list({entry["id"]: entry for entry in known}.values())
        self._count(node, "events", node["timelineItems"]["totalCount"], len(kept))
        return kept

    def event(self, node: dict[str, Any]) -> dict[str, Any]:
        """Return the row of an event; a project board that closed an issue has no commit."""
        closer = node.get("closer") or {}
        is_pull_request = closer.get("kind") == "PullRequest"
        commit = closer.get("mergeCommit") if is_pull_request else closer
        canonical = node.get("canonical") or {}
        return {
            "event_id": node["id"],
            "event": EVENT_NAMES[node["kind"]],
            "actor": login_of(node["actor"]),
            "created_at": node["createdAt"],
            "label": (node.get("label") or {}).get("name"),
            "commit_sha": (commit or {}).get("oid"),
            "commit_author": _commit_author(commit),
            "pull_request": closer.get("number") if is_pull_request else None,
            "closer_repository": self._named((closer.get("repository") or {}).get("nameWithOwner")),
            "previous_title": node.get("previousTitle"),
            "current_title": node.get("currentTitle"),
            "from_repository": self._named((node.get("fromRepository") or {}).get("nameWithOwner")),
            "canonical_number": canonical.get("number"),
            "canonical_repository": self._named(
                (canonical.get("repository") or {}).get("nameWithOwner")
            ),
        }

    def pull_requests(self, node: Issue) -> list[dict[str, Any]]:
        """Return the pull requests that GitHub relates to an issue, once for each relation."""
        linked = _entries(node["closedByPullRequestsReferences"])
        rows = {self._pull_key(entry): self._pull_request(entry, "linked") for entry in linked}
        closing: dict[tuple[str, int], dict[str, Any]] = {}
        for event in _events(node):
            closer = event.get("closer") or {}
            if closer.get("kind") == "PullRequest":
                key = self._pull_key(closer)
                # The number of commits is only requested of those that are linked.
                commits = rows[key]["commits"] if key in rows else None
                closing[key] = self._pull_request(closer, "closer") | {"commits": commits}
        return [*rows.values(), *closing.values()]

    def _pull_key(self, node: dict[str, Any]) -> tuple[str, int]:
        return str(self._named(node["repository"]["nameWithOwner"])), node["number"]

    def _pull_request(self, node: dict[str, Any], relation: str) -> dict[str, Any]:
        repository, number = self._pull_key(node)
        return {
            "pull_request_repository": repository,
            "pull_request": number,
            "relation": relation,
            "is_merged": node["merged"],
            "merge_commit_sha": (node["mergeCommit"] or {}).get("oid"),
            "merge_commit_author": _commit_author(node["mergeCommit"]),
            "commits": (node.get("commits") or {}).get("totalCount"),
        }

    def _named(self, name: str | None) -> str | None:
        """Return the name of a repository; ours is called as in the study."""
        is_ours = name is not None and name.casefold() == self.now_called.casefold()
        return self.repository if is_ours else name

    def _note_unknown(self, issue: Issue, entity: str, node: Issue | Comment) -> None:
        """Note words that GitHub has added since: they are not stored, but for reasons."""
        actor, association = node["author"], node["authorAssociation"]
        if actor is not None and actor["kind"] not in ACTOR_TYPES:
            reason = f"{actor['kind']} is not a known kind of account"
            self._note(issue, entity, "author_type", "unknown", reason)
        if association is not None and association not in ASSOCIATIONS:
            reason = f"{association} is not a known association"
            self._note(issue, entity, "author_association", "unknown", reason)
        for group in node["reactionGroups"] or ():
            if group["content"] not in REACTIONS and group["reactors"]["totalCount"]:
                reason = f"{group['content']} is not a known reaction"
                self._note(issue, entity, "reactions", "unknown", reason)
        if entity == "issues" and issue["state"] not in STATES:
            reason = f"{issue['state']} is not a known state"
            self._note(issue, entity, "state", "unknown", reason)

    def _count(self, issue: Issue, entity: str, announced: int, stored: int) -> None:
        """Count what a list lacks that GitHub left out as a whole, or to its end."""
        issue_gaps = [
            gap for gap in self.gaps if gap.number == issue["number"] and gap.entity == entity
        ]
        uncounted = [gap for gap in issue_gaps if gap.entries is None]
        if not uncounted:
            return
        known = sum(gap.entries or 0 for gap in issue_gaps if gap.lacks == ENTRY)
        rest = max(0, announced - stored - known)
        for gap in uncounted:
            self.gaps.remove(gap)
        if rest:
            self.gaps.append(replace(uncounted[0], entries=rest))

    def _note(
        self, issue: Issue, entity: str, lacks: str, kind: Kind, reason: str, entries: int = 1
    ) -> None:
        self.gaps.append(
            Gap(issue["number"], month_of_issue(issue), entity, lacks, kind, reason, entries)
        )


def to_frames(
    nodes: Sequence[Issue], repository: str, gaps: Sequence[Gap] = (), now_called: str = ""
) -> IssueBatch:
    """Return GraphQL issue nodes as frames, sorted by number and id.

    ``gaps`` are what the answers lack. ``now_called`` is a newer name of ``repository``, which is
    stored under the name that the study has.
    """
    reader = RowReader(repository, now_called or repository, list(gaps))
    records = [reader.record(node) for node in nodes]
    return batch_of(records, repository, reader.gaps)


def _entries(page: Mapping[str, Any] | None) -> list[Any]:
    """Return the entries of a list that are there; of one that is not, none."""
    return [entry for entry in (page or {}).get(NODES) or () if entry]


def _events(node: Issue) -> list[dict[str, Any]]:
    return _entries(node["timelineItems"])


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


def month_of_issue(node: Issue) -> str:
    """Return the month in which an issue was opened."""
    return month_of(_moment(node["createdAt"]))


def _state(node: Issue) -> str:
    """Return the state of an issue; where GitHub has a new word, by the time of the last close."""
    if node["state"] in STATES:
        return node["state"]
    return "OPEN" if node["closedAt"] is None else "CLOSED"


def _closed_at(node: Issue) -> str | None:
    """Return when an issue was closed: what GitHub says, else its last close."""
    if _state(node) == "OPEN":
        return None
    closes = [event["createdAt"] for event in _events(node) if event["kind"] == "ClosedEvent"]
    return node["closedAt"] or max(closes, default=None)


def _author(node: Issue | Comment) -> dict[str, Any]:
    """Return the author and GitHub's data about the account."""
    association = node["authorAssociation"]
    return {
        "author": login_of(node["author"]),
        "author_type": _author_type(node["author"]),
        "author_association": association if association in ASSOCIATIONS else None,
    }


def _reactions(node: Issue | Comment) -> dict[str, int | None]:
    """Return the number of reactions by kind, without kinds that have no column."""
    groups = node["reactionGroups"]
    if groups is None:
        return dict.fromkeys(REACTIONS.values())
    counts = {group["content"]: group["reactors"]["totalCount"] for group in groups}
    return {column: counts.get(content, 0) for content, column in REACTIONS.items()}


def _commit_author(commit: dict[str, Any] | None) -> str | None:
    """Return the account that GitHub takes the author of a commit for."""
    user = ((commit or {}).get("author") or {}).get("user") or {}
    login = user.get("login")
    return None if login in NOBODY else login


def login_of(actor: Actor | None) -> str | None:
    """Return the login, of a bot with ``[bot]`` as GitHub's pages and its REST API write it.

    GraphQL leaves that out, and a person may have the rest as a login. A deleted account ("ghost")
    has none.
    """
    if actor is None or actor["login"] in NOBODY:
        return None
    is_bare = actor["kind"] == "Bot" and not actor["login"].endswith(BOT_SUFFIX)
    return actor["login"] + BOT_SUFFIX if is_bare else actor["login"]


def _author_type(actor: Actor | None) -> str | None:
    """Return the type of an account; a deleted one has none, and an unknown one is not given."""
    if actor is None or actor["login"] in NOBODY:
        return None
    return actor["kind"] if actor["kind"] in ACTOR_TYPES else None
