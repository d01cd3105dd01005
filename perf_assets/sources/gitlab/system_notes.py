"""Events of an issue that GitLab tells as texts alone: renamed, moved, marked as a duplicate.

Since version 13.2 closings and reopenings are events of their own; before, they were such texts.
Texts are those of ``app/services/system_notes`` in GitLab's source.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from perf_assets.base.repository_names import is_hosted_name

TITLE = "changed title from **"
BETWEEN = "** to **"
DUPLICATE = "marked this issue as a duplicate of "
MOVED_FROM, MOVED_TO = "moved from ", "moved to "
CLOSED_BY = "closed via "
COMMIT = re.compile(r"commit ([0-9a-f]{40}(?:[0-9a-f]{24})?)")
REFERENCE = re.compile(r"([A-Za-z0-9_.][A-Za-z0-9_./-]{0,500})?([#!])([0-9]{1,9})")
LATEST_NUMBER = 10**9


@dataclass(frozen=True)
class Place:
    """The project whose issues are read, by the name that it has in the study."""

    repository: str

    @property
    def host(self) -> str:
        """The host that it is on."""
        return self.repository.partition("/")[0]

    def named(self, path: str) -> str | None:
        """Return the name of the project with ``path``; None where no project can have it.

        A path without a group is that of a project of the same group, and an empty one is ours.
        """
        group = self.repository.rpartition("/")[0]
        name = f"{self.host}/{path}" if "/" in path else f"{group}/{path}"
        if not path or name.casefold() == self.repository.casefold():
            return self.repository
        return name if is_hosted_name(name) else None

    def referred(self, text: str, sign: str) -> tuple[str, int] | None:
        """Return project and number of a reference: ``#1``, ``!1`` or ``group/project#1``."""
        match = REFERENCE.fullmatch(text.strip())
        if match is None or match[2] != sign or not int(match[3]):
            return None
        name = self.named((match[1] or "").strip("/"))
        return (name, int(match[3])) if name else None


def event_of(text: str, place: Place) -> dict[str, Any] | None:
    """Return what a text tells, as columns of raw.issue_events; None where it is not an event.

    The titles of a renaming are not among them, see :func:`titles_of`.
    """
    text = text[:1].lower() + text[1:]
    if text == "closed" or text.startswith(CLOSED_BY):
        return {"event": "closed", **_closer(text.removeprefix(CLOSED_BY), place)}
    if text == "reopened":
        return {"event": "reopened"}
    if text.startswith(TITLE) and text.endswith("**") and BETWEEN in _titles(text):
        return {"event": "renamed"}
    if text.startswith(DUPLICATE):
        canonical = place.referred(text.removeprefix(DUPLICATE), "#")
        name, number = canonical or (None, None)
        return {
            "event": "marked_as_duplicate",
            "canonical_number": number,
            "canonical_repository": name,
        }
    if text.startswith(MOVED_FROM):
        origin = place.referred(text.removeprefix(MOVED_FROM), "#")
        return {"event": "transferred", "from_repository": origin[0] if origin else None}
    return None


def moved_to(text: str, place: Place) -> str | None:
    """Return where an issue was moved, as ``host/group/project#1``, if a text says it."""
    text = text[:1].lower() + text[1:]
    target = place.referred(text.removeprefix(MOVED_TO), "#") if text.startswith(MOVED_TO) else None
    return f"{target[0]}#{target[1]}" if target else None


def titles_of(texts: Sequence[str], title: str) -> list[tuple[str, str]]:
    """Return the titles before and after each renaming, from their texts, oldest first.

    A text has both titles with marks around what differs, and a title may have such marks, or
    ``** to **``, itself. The title that is known, the one of now or before the next renaming,
    decides.
    """
    found = []
    known = title
    for text in reversed(texts):
        pairs = _splits(_titles(text))
        pair = next((pair for pair in pairs if pair[1] == known), pairs[0])
        found.append(pair)
        known = pair[0]
    return found[::-1]


def _titles(text: str) -> str:
    """Return the part of a text about a renaming that has both titles."""
    return text[len(TITLE) : -len("**")]


def _splits(text: str) -> list[tuple[str, str]]:
    """Return what a text may mean: the title before and the one after, without their marks."""
    parts = text.split(BETWEEN)
    return [
        (
            _bare(BETWEEN.join(parts[:place]), "{-", "-}"),
            _bare(BETWEEN.join(parts[place:]), "{+", "+}"),
        )
        for place in range(1, min(len(parts), 10))
    ]


def _bare(title: str, start: str, end: str) -> str:
    return title.replace(start, "").replace(end, "")


def _closer(text: str, place: Place) -> dict[str, Any]:
    """Return what closed an issue: ``merge request !1`` or ``commit`` and its hash."""
    match = COMMIT.fullmatch(text)
    if match:
        return {"commit_sha": match[1], "closer_repository": place.repository}
    closer = place.referred(text.removeprefix("merge request "), "!")
    return {"pull_request": closer[1], "closer_repository": closer[0]} if closer else {}
