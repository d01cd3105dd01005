"""The bugs of a corpus as Bugzilla would have them: fields, comments and a history of changes."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from perf_assets.base.corpus import Corpus, Record
from perf_assets.base.repository_names import split_name

RESOLUTIONS = {"completed": "FIXED", "not_planned": "WONTFIX", "duplicate": "DUPLICATE"}
REACTIONS = {"+1": "+1", "-1": "-1", "laugh": "smile", "hooray": "tada", "confused": "sad"}
REACTIONS |= {"heart": "heart"}
NO_COMPONENT = "General"
DUPLICATE = "DUPLICATE"
NOTE = "*** This bug has been marked as a duplicate of bug {} ***"


@dataclass(frozen=True)
class Bug:
    """A bug: its fields, and the lists that are requested by themselves or with it."""

    fields: Mapping[str, Any]
    comments: list[Record]
    history: list[Record]


@dataclass
class _Story:
    """What happens to a bug, event by event."""

    place: tuple[str, str]
    status: str = "NEW"
    resolution: str = ""
    dupe_of: int | None = None
    last_resolved: str | None = None
    entries: list[Record] = field(default_factory=list)

    def change(self, event: Record, name: str, removed: str, added: str) -> None:
        """Add a change; what somebody changed in one second is one entry of the history."""
        who, when = _login(event.get("actor")), event["created_at"]
        last = self.entries[-1] if self.entries else {}
        if (last.get("who"), last.get("when")) != (who, when):
            self.entries.append({"when": when, "who": who, "changes": []})
        changes = self.entries[-1]["changes"]
        if changes and changes[-1]["field_name"] == name == "keywords":
            old = changes.pop()
            removed, added = (
                ", ".join(filter(None, pair))
                for pair in ((old["removed"], removed), (old["added"], added))
            )
        changes.append({"field_name": name, "removed": removed, "added": added})

    def turn(self, event: Record, status: str, resolution: str) -> None:
        """Set status and resolution."""
        if status != self.status:
            self.change(event, "status", self.status, status)
        if resolution != self.resolution:
            self.change(event, "resolution", self.resolution, resolution)
        if resolution and not self.resolution:
            self.last_resolved = event["created_at"]
        self.status, self.resolution = status, resolution


def place_of(name: str) -> tuple[str, str]:
    """Return product and component of a corpus or of another repository."""
    product, _, component = split_name(name)[1].partition("/")
    return product, component or NO_COMPONENT


def bugs_of(corpus: Corpus) -> Iterator[Bug]:
    """Yield the issues of a corpus as bugs; ids are host-wide, so one that moved keeps its own."""
    for number, issue in corpus.issues.items():
        yield _bug(corpus, number, issue)
    for number, where in corpus.departed.items():
        if where is not None:
            product, component = place_of(where.partition("#")[0])
            moved = {"id": number, "product": product, "component": component, "groups": []}
            moment = "2000-01-01T00:00:00Z"
            yield Bug(moved | {"creation_time": moment, "last_change_time": moment}, [], [])


def _bug(corpus: Corpus, number: int, issue: Record) -> Bug:
    reason = RESOLUTIONS.get(issue.get("state_reason") or "completed", "FIXED")
    story = _Story(place_of(corpus.repository))
    for event in corpus.events.get(number, ()):
        _tell(story, event, reason)
    is_open = issue["state"] == "open"
    if is_open == bool(story.resolution):  # the corpus lacks events
        story.status, story.resolution = ("NEW", "") if is_open else ("RESOLVED", reason)
    reactions = issue.get("reactions") or {}
    fields = {
        "id": number,
        "summary": issue["title"],
        "creator": _login(issue.get("user")),
        "creation_time": issue["created_at"],
        "last_change_time": issue["updated_at"],
        "is_open": is_open,
        "status": story.status,
        "resolution": story.resolution,
        "dupe_of": story.dupe_of if story.resolution == DUPLICATE else None,
        "cf_last_resolved": issue.get("closed_at") or story.last_resolved,
        "keywords": sorted(label["name"] for label in issue.get("labels") or ()),
        "target_milestone": (issue.get("milestone") or {}).get("title") or "---",
        "type": "defect",
        "votes": reactions.get("+1", 0),
        "product": story.place[0],
        "component": story.place[1],
        "groups": [],
        "regressed_by": [],
        "whiteboard": "",
    }
    opening = {"id": number, "user": issue.get("user"), "created_at": issue["created_at"]}
    opening |= {"body": issue.get("body"), "reactions": reactions}
    said = [opening, *corpus.comments.get(number, ())]
    comments = [_comment(entry, number, count) for count, entry in enumerate(said)]
    return Bug(fields, comments, story.entries)


def _tell(story: _Story, event: Record, reason: str) -> None:
    """Change a bug as an event of GitHub says; a duplicate is a resolution here."""
    match event["event"]:
        case "labeled":
            story.change(event, "keywords", "", event["label"]["name"])
        case "unlabeled":
            story.change(event, "keywords", event["label"]["name"], "")
        case "renamed":
            story.change(event, "summary", event["rename"]["from"], event["rename"]["to"])
        case "closed":
            story.turn(event, "RESOLVED", DUPLICATE if story.dupe_of else reason)
        case "reopened":
            story.dupe_of = None
            story.turn(event, "REOPENED", "")
        case "marked_as_duplicate":
            story.dupe_of = (event.get("canonical") or {}).get("number")
            if story.resolution and story.dupe_of:
                story.turn(event, story.status, DUPLICATE)
        case "unmarked_as_duplicate":
            story.dupe_of = None
            if story.resolution == DUPLICATE:
                story.turn(event, story.status, "WORKSFORME")
        case "transferred":
            before = place_of(event.get("from_repository") or "Unknown")
            for name, removed, added in zip(
                ("product", "component"), before, story.place, strict=True
            ):
                if removed != added:
                    story.change(event, name, removed, added)


def _comment(entry: Record, number: int, count: int) -> Record:
    reactions = entry.get("reactions") or {}
    text = entry.get("body") or ""
    return {
        "id": entry["id"],
        "bug_id": number,
        "count": count,
        "creator": _login(entry.get("user")),
        "author": _login(entry.get("user")),
        "time": entry["created_at"],
        "creation_time": entry["created_at"],
        "text": text,
        "raw_text": text,
        "is_private": False,
        "attachment_id": None,
        "tags": [],
        "reactions": {REACTIONS[key]: reactions[key] for key in REACTIONS if reactions.get(key)},
    }


def _login(user: Record | None) -> str:
    return (user or {}).get("login") or ""
