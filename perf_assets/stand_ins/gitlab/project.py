"""A corpus as a project on GitLab: its issues, notes, events and merge requests.

Reference: https://docs.gitlab.com/api/issues/, .../notes/, .../resource_state_events/,
.../resource_label_events/ and .../merge_requests/, and ``lib/api/entities`` of GitLab's source.
"""

import zlib
from collections.abc import Iterator
from functools import cached_property
from typing import Any

from perf_assets.base.corpus import Corpus, Record
from perf_assets.stand_ins.github.tracker import Tracker

SITE = "https://gitlab.com"
ID_STEP = 10_000_000  # ids of a project's issues and merge requests
EVENT_IDS = 10**12  # of events, beside those of comments
GHOST = "ghost"
STATES = {"open": "opened", "closed": "closed"}
ACTIONS = {"labeled": "add", "unlabeled": "remove"}


class Project:
    """The answers about one project; it never changes."""

    def __init__(self, corpus: Corpus) -> None:
        """Index the corpus."""
        self.corpus = corpus
        self.path = corpus.repository
        self.id = project_id(corpus.repository)
        self._tracker = Tracker(corpus)

    @property
    def own(self) -> Record:
        """The project itself."""
        return {
            "id": self.id,
            "name": self.path.rpartition("/")[2],
            "path": self.path.rpartition("/")[2],
            "path_with_namespace": self.path,
            "web_url": f"{SITE}/{self.path}",
            "visibility": "public",
            "issues_enabled": True,
            "archived": self.corpus.archived_at is not None,
        }

    @cached_property
    def issues(self) -> list[Record]:
        """The issues that are in lists, in no order."""
        return [self._issue(record) for record in self.corpus.issues.values()]

    def issue(self, number: int) -> Record | None:
        """Return an issue; of one that was moved a corpus has the new place alone."""
        record = self.corpus.issues.get(number)
        if record is not None:
            return self._issue(record)
        address = self.corpus.departed.get(number)
        if address is None:
            return None
        moment = "2020-01-01T00:00:00Z"
        known = {"title": f"Moved to {address}", "created_at": moment, "updated_at": moment}
        moved = self._issue({"number": number, "state": "closed", "closed_at": moment, **known})
        name, _, place = address.partition("#")
        return moved | {"moved_to_id": _thread_id(name, int(place))}

    def notes(self, number: int) -> list[Record]:
        """Return comments, and what GitLab writes about changes, oldest first."""
        found = [self._comment(record) for record in self.corpus.comments.get(number, ())]
        for event in self.corpus.events.get(number, ()):
            text = self._text(event)
            if text is not None:
                found.append(
                    self._note(EVENT_IDS + event["id"], text, event.get("actor"), event)
                    | {"system": True}
                )
        address = self.corpus.departed.get(number)
        if address is not None:
            moment = {"created_at": "2020-01-01T00:00:00Z", "issue_number": number}
            found.append(
                self._note(EVENT_IDS, f"moved to {address}", None, moment) | {"system": True}
            )
        return sorted(found, key=lambda note: (note["created_at"], note["id"]))

    def state_events(self, number: int) -> list[Record]:
        """Return when an issue was closed and opened again."""
        return [
            {
                **self._event(event),
                **self._source(event),
                "state": event["event"],
            }
            for event in self.corpus.events.get(number, ())
            if event["event"] in ("closed", "reopened")
        ]

    def label_events(self, number: int) -> list[Record]:
        """Return which labels an issue got and lost."""
        return [
            {
                **self._event(event),
                "label": {
                    "id": zlib.crc32(event["label"]["name"].encode()),
                    "name": event["label"]["name"],
                    "color": "#34495E",
                    "description": "",
                },
                "action": ACTIONS[event["event"]],
            }
            for event in self.corpus.events.get(number, ())
            if event["event"] in ACTIONS
        ]

    def closing(self, number: int) -> list[Record]:
        """Return the project's merge requests that close an issue, or say so."""
        return [self._merge_request(pull) for pull in self._tracker.closing_pulls(number)]

    def related(self, number: int) -> list[Record]:
        """Return these, and those of other projects that closed it."""
        closers = (event.get("closer") or {} for event in self.corpus.events.get(number, ()))
        others = {
            (closer["repository"], closer["number"]): closer
            for closer in closers
            if closer.get("type") == "pull_request"
            and (closer.get("repository") or self.path) != self.path
        }
        return self.closing(number) + [
            _merge_request(
                name,
                place,
                "merged" if closer.get("merge_commit_sha") else "closed",
                closer.get("merge_commit_sha"),
            )
            for (name, place), closer in others.items()
        ]

    def _issue(self, record: Record) -> Record:
        number = record["number"]
        address = f"{SITE}/api/v4/projects/{self.id}"
        reactions = record.get("reactions") or {}
        milestone = record.get("milestone")
        return {
            "id": _thread_id(self.path, number),
            "iid": number,
            "project_id": self.id,
            "title": record["title"],
            "description": record.get("body"),
            "state": STATES[record["state"]],
            "created_at": exact(record["created_at"]),
            "updated_at": self._updated_at(record),
            "closed_at": record.get("closed_at") and exact(record["closed_at"]),
            "closed_by": None,
            "labels": sorted(label["name"] for label in record.get("labels") or ()),
            "milestone": milestone
            and {"id": 1, "iid": 1, "project_id": self.id, "title": milestone["title"]},
            "assignees": [],
            "author": _user(record.get("user")),
            "type": "ISSUE",
            "assignee": None,
            "user_notes_count": len(self.corpus.comments.get(number, ())),
            "merge_requests_count": len(self._tracker.closing_pulls(number)),
            "upvotes": reactions.get("+1", 0),
            "downvotes": reactions.get("-1", 0),
            "due_date": None,
            "confidential": bool(record.get("confidential")),
            "discussion_locked": None,
            "issue_type": "issue",
            "web_url": f"{SITE}/{self.path}/-/issues/{number}",
            "time_stats": {"time_estimate": 0, "total_time_spent": 0},
            "task_completion_status": {"count": 0, "completed_count": 0},
            "has_tasks": False,
            "_links": {
                "self": f"{address}/issues/{number}",
                "notes": f"{address}/issues/{number}/notes",
                "award_emoji": f"{address}/issues/{number}/award_emoji",
                "project": address,
                "closed_as_duplicate_of": self._duplicate_of(record),
            },
            "references": _references(self.path, "#", number),
            "severity": "UNKNOWN",
            "moved_to_id": None,
            "service_desk_reply_to": None,
        }

    def _updated_at(self, record: Record) -> str:
        """Return the last change of an issue: in the second of its opening, a moment later."""
        updated, number = record["updated_at"], record["number"]
        has_more = bool(self.corpus.events.get(number) or self.corpus.comments.get(number))
        is_at_once = has_more and updated == record["created_at"]
        return exact(updated).replace(".000Z", ".001Z") if is_at_once else exact(updated)

    def _duplicate_of(self, record: Record) -> str | None:
        if record.get("state_reason") != "duplicate":
            return None
        marks = (event.get("canonical") for event in self._marks(record["number"]))
        canonical: Record = next(filter(None, marks), {"number": 1})
        other = project_id(canonical.get("repository") or self.path)
        return f"{SITE}/api/v4/projects/{other}/issues/{canonical['number']}"

    def _marks(self, number: int) -> Iterator[Record]:
        events = reversed(self.corpus.events.get(number, ()))
        return (event for event in events if event["event"] == "marked_as_duplicate")

    def _comment(self, record: Record) -> Record:
        note = self._note(record["id"], record.get("body") or "", record.get("user"), record)
        updated = exact(record.get("updated_at") or record["created_at"])
        is_internal = bool(record.get("internal"))
        return note | {
            "updated_at": updated,
            "confidential": is_internal,
            "internal": is_internal,
        }

    def _note(self, key: int, body: str, user: Record | None, record: Record) -> Record:
        number = record["issue_number"]
        return {
            "id": key,
            "type": None,
            "body": body,
            "attachment": None,
            "author": _user(user),
            "created_at": exact(record["created_at"]),
            "updated_at": exact(record["created_at"]),
            "system": False,
            "noteable_id": _thread_id(self.path, number),
            "noteable_type": "Issue",
            "project_id": self.id,
            "resolvable": False,
            "confidential": False,
            "internal": False,
            "imported": False,
            "imported_from": "none",
            "noteable_iid": number,
            "commands_changes": {},
        }

    def _event(self, event: Record) -> Record:
        return {
            "id": EVENT_IDS + event["id"],
            "user": _user(event.get("actor")),
            "created_at": exact(event["created_at"]),
            "resource_type": "Issue",
            "resource_id": _thread_id(self.path, event["issue_number"]),
        }

    def _source(self, event: Record) -> Record:
        """Return what closed an issue; a merge request has an id that is not its number."""
        closer = event.get("closer") or {"type": "commit", "oid": event.get("commit_id")}
        is_request = closer.get("type") == "pull_request"
        name = closer.get("repository") or self.path
        return {
            "source_commit": closer.get("oid") if closer.get("type") == "commit" else None,
            "source_merge_request_id": _thread_id(name, closer["number"]) if is_request else None,
        }

    def _text(self, event: Record) -> str | None:
        """Return the text of a note about a change; None where an event of its own tells it."""
        if event["event"] == "renamed":
            before, after = _marked(event["rename"]["from"], event["rename"]["to"])
            return f"changed title from **{before}** to **{after}**"
        if event["event"] == "marked_as_duplicate":
            canonical = event.get("canonical")
            if canonical is None:
                return None
            other = canonical.get("repository") or self.path
            name = "" if other == self.path else other
            return f"marked this issue as a duplicate of {name}#{canonical['number']}"
        if event["event"] == "transferred" and event.get("from_repository"):
            return f"moved from {event['from_repository']}#1"
        return None

    def _merge_request(self, pull: Record) -> Record:
        state = "merged" if pull.get("merged_at") else STATES[pull["state"]]
        sha = pull.get("merge_commit_sha") if state == "merged" else None
        return _merge_request(self.path, pull["number"], state, sha)


def exact(moment: str) -> str:
    """Return a moment with milliseconds, as Rails writes it."""
    return moment if "." in moment else moment.replace("Z", ".000Z")


def project_id(path: str) -> int:
    """Return the id of a project."""
    return zlib.crc32(path.casefold().encode()) % 90_000_000 + 1


def _thread_id(path: str, number: int) -> int:
    return project_id(path) * ID_STEP + number


def _references(path: str, sign: str, number: int) -> Record:
    short = f"{sign}{number}"
    return {"short": short, "relative": short, "full": f"{path}{short}"}


def _user(user: Record | None) -> Record:
    """Return an account; what deleted ones wrote belongs to the Ghost User."""
    name = (user or {}).get("login") or GHOST
    return {
        "id": zlib.crc32(name.encode()),
        "username": name,
        "name": name,
        "state": "active",
        "locked": False,
        "avatar_url": None,
        "web_url": f"{SITE}/{name}",
    }


def _merge_request(path: str, number: int, state: str, sha: Any) -> Record:  # noqa: ANN401
    return {
        "id": _thread_id(path, number),
        "iid": number,
        "project_id": project_id(path),
        "state": state,
        "merge_commit_sha": sha,
        "squash_commit_sha": None,
        "sha": None if sha is None else "0" * 40,
        "references": _references(path, "!", number),
        "web_url": f"{SITE}/{path}/-/merge_requests/{number}",
    }


def _marked(before: str, after: str) -> tuple[str, str]:
    """Return two titles with marks around what differs, between what they begin and end with."""
    shorter = min(len(before), len(after))
    start = next((n for n in range(shorter) if before[n] != after[n]), shorter)
    rest = shorter - start
    end = next((n for n in range(rest) if before[-n - 1] != after[-n - 1]), rest)
    return (
        _around(before, start, len(before) - end, "{-", "-}"),
        _around(after, start, len(after) - end, "{+", "+}"),
    )


def _around(title: str, start: int, end: int, opening: str, closing: str) -> str:
    if start >= end:
        return title
    return f"{title[:start]}{opening}{title[start:end]}{closing}{title[end:]}"
