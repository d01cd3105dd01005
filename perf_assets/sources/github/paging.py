"""Following the pages of a list to its end, and no further."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from perf_assets.sources.github.issue_types import Issue

EMPTY_PAGES = 20  # in a row; those that lead on may be empty, as what they list may go
MOST_PAGES = 20_000


class Paging:
    """Follows the pages of a list, as long as they lead on.

    is_broken : whether the pages ended before the list did: they lead in a circle, or nowhere.
    """

    def __init__(self) -> None:
        """Start before the first page."""
        self.is_broken = False
        self._seen: set[str] = set()
        self._empty = 0

    def next(self, page: Mapping[str, Any] | None) -> str | None:
        """Return the cursor of the page after ``page``; None where no page follows."""
        if page is None or not page["pageInfo"]["hasNextPage"]:
            return None
        cursor = page["pageInfo"]["endCursor"]
        self._empty = 0 if page["nodes"] else self._empty + 1
        self.is_broken = (
            not cursor
            or cursor in self._seen
            or self._empty > EMPTY_PAGES
            or len(self._seen) > MOST_PAGES
        )
        if self.is_broken:
            return None
        self._seen.add(cursor)
        return str(cursor)


@dataclass(frozen=True)
class OpenPage:
    """A connection of an issue that has a next page, and the cursor that leads to it."""

    issue: Issue
    connection: str
    paging: Paging
    cursor: str

    def add(self, page: Mapping[str, Any]) -> None:
        """Add the entries of the next page, and take over the newest count.

        Entries may come and go between the pages.
        """
        held: dict[str, Any] = self.issue[self.connection]  # type: ignore[literal-required]
        held["nodes"] = [*(held["nodes"] or ()), *(page["nodes"] or ())]
        held["totalCount"] = page.get("totalCount")
