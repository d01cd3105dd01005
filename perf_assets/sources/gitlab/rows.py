"""Rows of the raw tables, from GitLab's answers about an issue."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from perf_assets.config.hosts import KINDS
from perf_assets.sources.gitlab.shapes import (
    LABEL_EVENT,
    MERGE_REQUEST,
    NOTE,
    STATE_EVENT,
    Issue,
    MergeRequest,
    Note,
    StateEvent,
    User,
    duplicate_address,
    is_confidential,
    what_is_off,
)
from perf_assets.sources.gitlab.system_notes import Place, event_of, titles_of
from perf_assets.sources.issues.gaps import ENTRY, Kind
from perf_assets.sources.issues.records import IssueRecord, Row

Shape = TypeVar("Shape")

NOBODY = ("ghost", "")
"""Names of accounts that stand for deleted ones."""
STATES = {"opened": "open", "reopened": "open", "closed": "closed"}
STATE_EVENTS = {"closed": "closed", "reopened": "reopened"}
LABEL_ACTIONS = {"add": "labeled", "remove": "unlabeled"}
WHOLE_SECONDS = len("2020-02-01T00:00:00")


@dataclass(frozen=True)
class Answers:
    """What GitLab says of an issue beside its entry in the list of issues."""

    notes: Sequence[Any] = ()
    states: Sequence[Any] = ()
    labels: Sequence[Any] = ()
    closing: Sequence[Any] = ()
    related: Sequence[Any] = ()


def record_of(entry: object, issue: Issue, answers: Answers, repository: str) -> IssueRecord:
    """Return an issue with everything that belongs to it.

    entry : the same issue as GitLab sent it.
    """
    record = IssueRecord(issue["iid"], _issue_row(entry, issue))
    reader = _Reader(record, issue, Place(repository))
    notes = list(reader.valid(NOTE, answers.notes, "comments"))
    reader.read_comments(notes)
    requests = reader.merge_requests(answers)
    reader.read_events(notes, answers, requests)
    reader.read_closers(requests)
    reader.settle_state()
    return record


def login_of(user: User | None) -> str | None:
    """Return the name of an account; a deleted one ("ghost") has none."""
    return None if user is None or user["username"] in NOBODY else user["username"]


def closing_ids(states: Sequence[Any]) -> set[int]:
    """Return the ids of the merge requests that closed an issue."""
    ids = (key_of(entry, "source_merge_request_id") for entry in states)
    return {key for key in ids if key is not None}


def key_of(entry: object, field: str = "id") -> int | None:
    """Return an id in an entry of whatever shape; None where there is none."""
    key = entry.get(field) if isinstance(entry, dict) else None
    return key if isinstance(key, int) else None


def _author(user: User | None) -> Row:
    is_bot = user is not None and user.get("bot") is True
    return {
        "author": login_of(user),
        "author_type": "Bot" if is_bot and login_of(user) else None,
        "author_association": None,
    }


def _issue_row(entry: object, issue: Issue) -> Row:
    milestone = issue.get("milestone")
    state = STATES.get(issue["state"])
    if state is None:  # a word that GitLab has added since
        state = "open" if issue.get("closed_at") is None else "closed"
    is_closed = state == "closed"
    return {
        "title": issue["title"],
        "body": issue.get("description") or None,
        **_author(issue["author"]),
        "state": state,
        "state_reason": "duplicate" if is_closed and duplicate_address(entry) else None,
        "lock_reason": None,
        "issue_type": issue.get("issue_type") or None,
        "labels": sorted(issue["labels"]),
        "created_at": issue["created_at"],
        "updated_at": issue["updated_at"],
        "closed_at": issue.get("closed_at") if is_closed else None,
        "milestone": milestone["title"] if milestone else None,
        "thumbs_up": issue.get("upvotes"),
        "thumbs_down": issue.get("downvotes"),
        "comments": 0,
        "events": 0,
        "fields_version": KINDS["gitlab"].fields_version,
        "html_url": issue["web_url"],
    }


@dataclass(frozen=True)
class _Reader:
    """Adds to ``record`` what its lists have."""

    record: IssueRecord
    issue: Issue
    place: Place

    def valid(
        self, shape: TypeAdapter[Shape], entries: Sequence[Any], entity: str
    ) -> Iterator[Shape]:
        """Yield the entries that are as documented; the others are noted, or are secret."""
        for entry in entries:
            if is_confidential(entry):
                continue
            try:
                yield shape.validate_python(entry)
            except ValidationError as error:
                self._note(entity, "unusable", what_is_off(error))

    def read_comments(self, notes: Sequence[Note]) -> None:
        """Read what people wrote; of what is counted and not shown, only that it is there."""
        rows = [
            {
                "comment_id": note["id"],
                **_author(note["author"]),
                "created_at": note["created_at"],
                "body": note["body"] or None,
            }
            for note in notes
            if not note["system"]
        ]
        aside = self._aside("comments")
        hidden = self.issue["user_notes_count"] - len(rows) - aside
        if hidden > 0:
            reason = "internal, or deleted while we read"
            self.record.note("comments", ENTRY, "withheld", reason, hidden)
        self.record.comments = rows
        self.record.issue["comments"] = len(rows) + aside + max(0, hidden)

    def merge_requests(self, answers: Answers) -> dict[int, Row]:
        """Read the merge requests that close the issue, and return these and its closers by id."""
        closers = closing_ids(answers.states)
        related = [entry for entry in answers.related if key_of(entry) in closers]
        closing = dict(self._merge_requests(answers.closing))
        self.record.pull_requests = list(closing.values())
        return dict(self._merge_requests(related)) | closing

    def read_closers(self, requests: Mapping[int, Row]) -> None:
        """Add what closed the issue to its merge requests, and their commits to its events."""
        places = {
            (row["pull_request_repository"], row["pull_request"]): row for row in requests.values()
        }
        closers = {}
        for event in self.record.events:
            place = (event.get("closer_repository"), event.get("pull_request"))
            if place in places:
                event["commit_sha"] = places[place]["merge_commit_sha"]
                closers[place] = places[place] | {"relation": "closer"}
        self.record.pull_requests += closers.values()

    def read_events(
        self, notes: Sequence[Note], answers: Answers, requests: Mapping[int, Row]
    ) -> None:
        """Read what happened to the issue."""
        states = list(self.valid(STATE_EVENT, answers.states, "events"))
        rows = [row for event in states if (row := self._state_event(event, requests)) is not None]
        for event in self.valid(LABEL_EVENT, answers.labels, "events"):
            kind = LABEL_ACTIONS.get(event["action"])
            if kind is None:
                self._note("events", "unknown", f"{event['action']} is not a known action")
            elif event["label"] is None:
                self._note("events", "missing", "its label was deleted")
            else:
                label = event["label"]["name"]
                rows.append(
                    _event(f"label-{event['id']}", kind, event["user"], event["created_at"])
                    | {"label": label}
                )
        rows += self._told(notes, rows)
        self.record.events = rows
        self.record.issue["events"] = len(rows) + self._aside("events")

    def settle_state(self) -> None:
        """Give a closed issue the time of its last close, where GitLab does not say it."""
        row = self.record.issue
        if row["state"] == "closed" and row["closed_at"] is None:
            closes = [
                event["created_at"] for event in self.record.events if event["event"] == "closed"
            ]
            row["closed_at"] = max(closes, default=None)
        if self.issue["state"] not in STATES:
            reason = f"{self.issue['state']} is not a known state"
            self.record.note("issues", "state", "unknown", reason)

    def _told(self, notes: Sequence[Note], others: Sequence[Row]) -> list[Row]:
        """Return the events that are texts alone; one that is an event of its own as well, once."""
        known = {(row["event"], row["created_at"][:WHOLE_SECONDS]) for row in others}
        rows, texts = [], []
        for note in notes:
            told = event_of(note["body"], self.place) if note["system"] else None
            if told is None or (told["event"], note["created_at"][:WHOLE_SECONDS]) in known:
                continue
            row = _event(f"note-{note['id']}", told["event"], note["author"], note["created_at"])
            rows.append(row | told)
            if told["event"] == "renamed":
                texts.append((row["created_at"], note["id"], note["body"]))
        texts.sort()
        titles = titles_of([text for *_, text in texts], self.issue["title"])
        pairs = {key: pair for (_, key, _), pair in zip(texts, titles, strict=True)}
        for row in rows:
            if row["event"] == "renamed":
                key = int(row["event_id"].removeprefix("note-"))
                row["previous_title"], row["current_title"] = pairs[key]
        return rows

    def _state_event(self, event: StateEvent, requests: Mapping[int, Row]) -> Row | None:
        kind = STATE_EVENTS.get(event["state"])
        if kind is None:
            if event["state"] != "opened":
                self._note("events", "unknown", f"{event['state']} is not a known state")
            return None
        row = _event(f"state-{event['id']}", kind, event["user"], event["created_at"])
        commit, request = event.get("source_commit"), event.get("source_merge_request_id")
        if request is not None:
            closer = requests.get(request)
            if closer is None:
                reason = f"the merge request with id {request} is not shown"
                self.record.note("events", "closer", "withheld", reason)
                return row
            return row | {
                "pull_request": closer["pull_request"],
                "closer_repository": closer["pull_request_repository"],
            }
        if commit is not None:
            return row | {"commit_sha": commit, "closer_repository": self.place.repository}
        return row

    def _merge_requests(self, entries: Sequence[Any]) -> Iterator[tuple[int, Row]]:
        for request in self.valid(MERGE_REQUEST, entries, "pull_requests"):
            repository = self._repository_of(request)
            if repository is None:
                reason = "it does not say which project it is of"
                self._note("pull_requests", "unusable", reason)
                continue
            is_merged = request["state"] == "merged"
            # One that was merged without a commit of its own landed as it is.
            commits = (
                request.get("merge_commit_sha"),
                request.get("squash_commit_sha"),
                request.get("sha"),
            )
            yield (
                request["id"],
                {
                    "pull_request_repository": repository,
                    "pull_request": request["iid"],
                    "relation": "linked",
                    "is_merged": is_merged,
                    "merge_commit_sha": next(filter(None, commits), None) if is_merged else None,
                },
            )

    def _repository_of(self, request: MergeRequest) -> str | None:
        if request["project_id"] == self.issue.get("project_id"):
            return self.place.repository
        references = request.get("references")
        path, mark, _ = (references["full"] if references else "").partition("!")
        return self.place.named(path) if mark and "/" in path else None

    def _aside(self, entity: str) -> int:
        gaps = [gap for gap in self.record.gaps if (gap.entity, gap.lacks) == (entity, ENTRY)]
        return sum(gap.entries or 0 for gap in gaps)

    def _note(self, entity: str, kind: Kind, reason: str) -> None:
        self.record.note(entity, ENTRY, kind, reason)


def _event(key: str, kind: str, actor: User | None, created_at: str) -> Row:
    return {
        "event_id": key,
        "event": kind,
        "actor": login_of(actor),
        "created_at": created_at,
    }
