"""Following the pages of a list to its end, and no further."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from perf_assets.sources.github.response_types import Issue
from perf_assets.sources.github.responses import unusable

EMPTY_PAGES = 20  # in a row; those that lead on may be empty, as what they list may go
MOST_PAGES = 20_000


class Paging:
    """Follows the pages of a list of ``subject``, as long as they lead on."""

    def __init__(self, subject: str) -> None:
        """No page was seen yet."""
        self.subject = subject
        self._seen: set[str] = set()
        self._empty = 0

    def next(self, page: Mapping[str, Any] | None) -> str | None:
        """The cursor of the page after ``page``; None where that is the last, or left out.

        Raises
        ------
        AnswerError
            The pages lead in a circle, or nowhere.
        """
        if page is None or not page["pageInfo"]["hasNextPage"]:
            return None
        cursor = str(page["pageInfo"]["endCursor"])
        self._empty = 0 if page["nodes"] else self._empty + 1
        if cursor in self._seen or self._empty > EMPTY_PAGES or len(self._seen) > MOST_PAGES:
            raise unusable(self.subject, "pageInfo: its pages come to no end")
        self._seen.add(cursor)
        return cursor


@dataclass(frozen=True)
class OpenPage:
    """A connection of an issue that has a next page, and the cursor that leads to it."""

    issue: Issue
    connection: str
    paging: Paging
    cursor: str

    def add(self, page: Mapping[str, Any] | None) -> None:
        """Add the entries of the next page, and take over the newest count.

        Entries may come and go between the pages.
        """
        if page is None:
            raise unusable(self.paging.subject, f"{self.connection}: a page of it is missing")
        held: dict[str, Any] = self.issue[self.connection]  # type: ignore[literal-required]
        held["nodes"] += page["nodes"]
        held["totalCount"] = page.get("totalCount")
