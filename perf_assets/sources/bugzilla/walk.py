"""Lists of bugs in the order of a moment, page by page, though bugs change meanwhile.

An offset would skip bugs when others leave the list. So the next page begins at the moment of the
last bug, which comes again. Where a whole page has one moment, as after a change of thousands of
bugs at once, the rest of that moment is read by number.
"""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, Literal

from perf_assets.sources.bugzilla.client import Filter
from perf_assets.sources.bugzilla.shapes import LISTED, Listed, entries, fitting
from perf_assets.sources.issues.listing import MOST_ISSUES
from perf_assets.sources.json_answers import AnswerError
from perf_assets.sources.json_client import Parameters

Field = Literal["creation_time", "last_change_time"]
Entry = tuple[Listed | None, Any]
"""What places a bug in the list, if it has that, and the bug as it was answered."""
Ask = Callable[[Parameters, list[Filter], Callable[[Any], list[Entry]]], list[Entry]]

# The columns of a search by the names of the fields.
COLUMNS: dict[Field, str] = {"creation_time": "opendate", "last_change_time": "changeddate"}
ONE_SECOND = timedelta(seconds=1)


def walk(
    ask: Ask, field: Field, since: datetime, size: int, until: datetime | None = None
) -> Iterator[list[Entry]]:
    """Yield pages of the bugs whose ``field`` is at or after ``since``, in its order.

    ask : requests a page by its parameters and conditions, and reads it by a function that raises
        ValueError where the page cannot be right.
    size : of a page; a shorter one is the last.
    until : the first moment that is not needed.
    """
    begin, after = _second(since), 0
    seen: dict[int, str] = {}
    while until is None or begin < until:
        beyond: list[Filter] = [("bug_id", "greaterthan", str(after))] if after else []
        order = f"{COLUMNS[field]},bug_id"
        asked: Parameters = {str(field): written(begin), "order": order, "limit": size}
        page = ask(asked, beyond, partial(_page, field=field, begin=begin, after=after, size=size))
        placed = [entry for entry, _ in page if entry is not None]
        here = [entry for entry in placed if not after or moment_of(entry, field) == begin]
        fresh = {entry["id"] for entry in here if seen.get(entry["id"]) != entry[field]}
        seen |= {entry["id"]: entry[field] for entry in here}
        if len(seen) > MOST_ISSUES:
            raise AnswerError(f"a list of bugs does not end at {MOST_ISSUES:,}: check api_url")
        yield [pair for pair in page if pair[0] is None or pair[0]["id"] in fresh]
        is_last = len(page) < size
        if after and (is_last or len(here) < len(placed)):
            begin, after = begin + ONE_SECOND, 0
        elif is_last:
            return
        else:
            last = moment_of(placed[-1], field)
            begin, after = last, placed[-1]["id"] if last == begin else 0


def moment_of(entry: Listed, field: Field) -> datetime:
    """Return a moment of a bug, to the second."""
    return _second(datetime.fromisoformat(entry[field]))


def written(moment: datetime) -> str:
    """Return a moment as a parameter of a search."""
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


def _page(content: object, field: Field, begin: datetime, after: int, size: int) -> list[Entry]:
    """Return a page; ValueError where it is not what was requested, such as an earlier page."""
    page: list[Entry] = [(fitting(LISTED, bug), bug) for bug in entries(content, "bugs")]
    keys = [(moment_of(entry, field), entry["id"]) for entry, _ in page if entry is not None]
    if keys != sorted(set(keys)):
        raise ValueError("a page of the list of bugs is not in the order that was requested")
    if any(moment < begin or number <= after for moment, number in keys):
        raise ValueError("a page of the list of bugs has bugs of an earlier one")
    if len(page) >= size and not keys:
        raise ValueError("a whole page of the list of bugs cannot be used")
    return page


def _second(moment: datetime) -> datetime:
    return moment.astimezone(UTC).replace(microsecond=0)
