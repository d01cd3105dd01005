"""Events of a bug, from its history of changed fields."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from perf_assets.sources.bugzilla.shapes import Bug, Change, ChangeSet
from perf_assets.sources.bugzilla.spot import Spot

Row = dict[str, Any]
History = Mapping[int, ChangeSet]
"""The changes of a bug by their place in its history, oldest first."""

CLOSED_STATUSES = ("RESOLVED", "VERIFIED", "CLOSED")  # of every Bugzilla; others may have more
DUPLICATE = "DUPLICATE"
REGRESSION_MARKS = ("marked_as_regression", "unmarked_as_regression")
NUMBER = re.compile(r"\b[1-9][0-9]{0,8}\b")
# Source: template/en/default/bug/format_comment.txt.tmpl
NOTE = re.compile(
    r"\*\*\* This bug has been marked as a duplicate of (?:bug )?([1-9][0-9]{0,9}) \*\*\*"
)


def events_of(bug: Bug, history: History, comments: Sequence[Row], spot: Spot) -> list[Row]:
    """Return the events of a bug, with ids made of its number and of places in its history."""
    reader = _Reader(
        spot, _notes(comments), _last_mark(bug, history), _places(bug, history), bug.get("dupe_of")
    )
    changed = [
        {
            "event_id": f"{bug['id']}-{place}-{index}-{part}",
            "actor": login_of(entry["who"]),
            "created_at": entry["when"],
            **event,
        }
        for place, entry in history.items()
        for index, change in enumerate(entry["changes"])
        for part, event in enumerate(reader.read(place, entry, change))
    ]
    return [*_origins_from_the_start(bug, changed, spot), *changed]


def _origins_from_the_start(bug: Bug, changed: Sequence[Row], spot: Spot) -> Iterator[Row]:
    """Yield a mark for each bug that brought this one and was named when it was filed."""
    told = {row["canonical_number"] for row in changed if row["event"] in REGRESSION_MARKS}
    for number in bug.get("regressed_by") or ():
        if number not in told:
            yield {
                "event_id": f"{bug['id']}-filed-{number}",
                "actor": None,
                "created_at": bug["creation_time"],
                "event": REGRESSION_MARKS[0],
                "canonical_number": number,
                "canonical_repository": spot.name,
            }


def login_of(name: str | None) -> str | None:
    """Return the name of an account, of an address the part before the sign.

    A Bugzilla gives the whole address or that part, depending on who asks; addresses of people are
    not stored.
    """
    return (name or "").partition("@")[0] or None


@dataclass
class _Reader:
    """Reads changes in their order.

    notes : the other report in the automatic comment about a duplicate, by its time.
    last_mark : the place where it got the resolution that it has, if that is DUPLICATE.
    places : product and component before and after each change that has one of them.
    dupe_of : what it is a duplicate of now.
    """

    spot: Spot
    notes: Mapping[str, int]
    last_mark: int | None
    places: Mapping[int, tuple[tuple[str, str], tuple[str, str]]]
    dupe_of: int | None
    is_open: bool | None = None
    canonical: int | None = None
    moved: set[int] = field(default_factory=set)

    def read(self, place: int, entry: ChangeSet, change: Change) -> Iterator[Row]:
        """Yield the events that a change means."""
        removed, added = change["removed"] or "", change["added"] or ""
        match change["field_name"]:
            case "keywords":
                yield from ({"event": "unlabeled", "label": name} for name in _names(removed))
                yield from ({"event": "labeled", "label": name} for name in _names(added))
            case "summary":
                yield {"event": "renamed", "previous_title": removed, "current_title": added}
            case "resolution":
                yield from self._resolved(place, entry["when"], removed, added)
            case "status":
                # Old changes have no resolution beside it; the state is not changed twice.
                yield from self._turned(removed in CLOSED_STATUSES, added in CLOSED_STATUSES)
            case "regressed_by":
                for mark, numbers in zip(REGRESSION_MARKS, (added, removed), strict=True):
                    for number in NUMBER.findall(numbers):
                        where = {"canonical_repository": self.spot.name}
                        yield {"event": mark, "canonical_number": int(number), **where}
            case "product" | "component" if place not in self.moved:
                self.moved.add(place)
                before, after = self.places[place]
                if self.spot.has(*after) and not self.spot.has(*before):
                    yield {"event": "transferred", "from_repository": self.spot.name_of(*before)}

    def _resolved(self, place: int, when: str, removed: str, added: str) -> Iterator[Row]:
        """Yield what a change of the resolution means: a bug has one while it is closed."""
        if removed == DUPLICATE:
            yield {"event": "unmarked_as_duplicate", **self._other_report()}
        yield from self._turned(bool(removed), bool(added))
        if added == DUPLICATE:
            self.canonical = self.dupe_of if place == self.last_mark else self.notes.get(when)
            yield {"event": "marked_as_duplicate", **self._other_report()}

    def _turned(self, was_closed: bool, is_closed: bool) -> Iterator[Row]:
        if was_closed != is_closed and self.is_open != (not is_closed):
            self.is_open = not is_closed
            yield {"event": "closed" if is_closed else "reopened"}

    def _other_report(self) -> Row:
        """Return the other report. A host has one bug of a number, whatever its component."""
        name = None if self.canonical is None else self.spot.name
        return {"canonical_number": self.canonical, "canonical_repository": name}


def _names(text: str) -> list[str]:
    """Return the keywords in a change, which commas separate."""
    return [name for part in text.split(",") if (name := part.strip())]


def _notes(comments: Sequence[Row]) -> dict[str, int]:
    found = ((row["created_at"], NOTE.search(row["body"] or "")) for row in comments)
    return {moment: int(note[1]) for moment, note in found if note}


def _last_mark(bug: Bug, history: History) -> int | None:
    """Return the last place in the history where a bug became the duplicate that it is."""
    places = [
        place
        for place, entry in history.items()
        for change in entry["changes"]
        if change["field_name"] == "resolution" and change["added"] == DUPLICATE
    ]
    return places[-1] if places and bug["resolution"] == DUPLICATE else None


def _places(bug: Bug, history: History) -> dict[int, tuple[tuple[str, str], tuple[str, str]]]:
    """Return product and component before and after each change of one of them, newest first."""
    after = (bug["product"], bug["component"])
    found = {}
    for place, entry in reversed(list(history.items())):
        old = {change["field_name"]: change["removed"] or "" for change in entry["changes"]}
        before = (old.get("product", after[0]), old.get("component", after[1]))
        found[place] = (before, after)
        after = before
    return found
