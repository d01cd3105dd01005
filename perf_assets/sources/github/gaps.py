"""Gaps in GitHub's answers about issues: entries that cannot be stored, and withheld values.

A rule about an entry costs that entry: it is set aside with its reason and counted, and the rest of
the answer is used. Values that GitHub's schema allows to be absent are null, and not an error.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from perf_assets.base.months import month_of
from perf_assets.sources.issues.gaps import ENTRY, Gap, Kind

Way = tuple[str | int, ...]

NODES = "nodes"  # the key under which a list has its entries
ENTITIES = {
    "labels": "labels",
    "comments": "comments",
    "timelineItems": "events",
    "closedByPullRequestsReferences": "pull_requests",
}
"""The lists of an issue by GitHub's names, and here."""
HOLDERS = ("repository", "search", "issues", *ENTITIES)
LEFT_OUT = "GitHub left it out"


@dataclass(frozen=True)
class Flaw:
    """A place in the data of an answer that is null, or was set to null.

    way : the keys and positions that lead to it.
    entry : what was there, as far as that is known.
    """

    way: Way
    kind: Kind
    reason: str
    entry: Mapping[str, Any] = field(default_factory=dict)


def missing(data: Mapping[str, Any], way: Way = ()) -> Iterator[Flaw]:
    """Yield the lists of issues, and the entries of these and of their lists, that are null."""
    for key, inner in data.items():
        if key == NODES:
            for place, entry in enumerate(inner or ()):
                if entry is None:
                    yield Flaw((*way, NODES, place), "missing", LEFT_OUT)
                elif "comments" in entry:
                    yield from missing(entry, (*way, NODES, place))
            if inner is None:
                yield Flaw((*way, NODES), "missing", LEFT_OUT)
        elif inner is None and key == "labels":
            yield Flaw((*way, key), "missing", LEFT_OUT)
        elif inner is not None and (key in HOLDERS or (not way and key[0] == "n")):
            yield from missing(inner, (*way, key))


def gaps_of(flaws: Iterable[Flaw], data: object) -> Iterator[Gap]:
    """Yield the gaps that the flaws in a page mean for its issues."""
    for flaw in flaws:
        start = flaw.way.index(NODES) if NODES in flaw.way else len(flaw.way)
        issue_way, rest = flaw.way[: start + 2], flaw.way[start + 2 :]
        if not rest:
            entries = 1 if len(issue_way) == start + 2 else None
            number, month = _number(flaw.entry), _month(flaw.entry)
            yield Gap(number, month, "issues", ENTRY, flaw.kind, flaw.reason, entries)
        elif (issue := at(data, issue_way)) is not None:
            yield gap_within(flaw, rest, issue["number"], _month(issue))


def gap_within(flaw: Flaw, way: Way, number: int, month: str | None) -> Gap:
    """Return the gap that a flaw means for an issue, to which ``way`` leads."""
    entity = ENTITIES.get(str(way[0]))
    if entity is None:
        return Gap(number, month, "issues", _named(way), flaw.kind, flaw.reason)
    inner = way[1:]
    if len(inner) > 2:
        return Gap(number, month, entity, _named(inner[2:]), flaw.kind, flaw.reason)
    entries = 1 if len(inner) == 2 or entity in ("labels", "pull_requests") else None
    return Gap(number, month, entity, ENTRY, flaw.kind, flaw.reason, entries)


def innermost_entry(way: Way) -> Way | None:
    """Return the way to the innermost entry of a list that ``way`` leads through, if it does."""
    for end in range(len(way), 1, -1):
        if isinstance(way[end - 1], int) and way[end - 2] == NODES:
            return way[:end]
    return None


def null_on(way: Sequence[str | int], data: object) -> Way:
    """Return ``way`` up to the first null in the data."""
    held: Any = data
    for end, part in enumerate(way, 1):
        held = at(held, [part])
        if held is None:
            return tuple(way[:end])
    return tuple(way)


def at(data: Any, way: Iterable[str | int]) -> Any:  # noqa: ANN401
    """Return the value at ``way`` in the data of an answer; None if the way ends before."""
    for part in way:
        try:
            data = data[part]
        except (KeyError, IndexError, TypeError):
            return None
    return data


def _named(way: Way) -> str:
    return ".".join(str(part) for part in way if isinstance(part, str) and part != NODES)


def _number(entry: Mapping[str, Any]) -> int | None:
    number = entry.get("number")
    is_number = isinstance(number, int) and not isinstance(number, bool) and 0 < number < 2**31
    return number if is_number else None


def _month(entry: Mapping[str, Any]) -> str | None:
    try:
        moment = datetime.fromisoformat(str(entry.get("createdAt")))
        return month_of(moment) if moment.tzinfo and moment.year >= 1970 else None
    except (ValueError, OverflowError):
        return None
