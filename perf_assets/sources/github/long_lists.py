"""Lists that are longer than a page: followed to their end, and no further."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from perf_assets.sources.github import queries, response_types
from perf_assets.sources.github.answers import AnswerReader
from perf_assets.sources.github.gaps import Flaw, Gap, gap_within
from perf_assets.sources.github.issue_types import Issue

PAGE = 100
RESTS_PER_REQUEST = 40
EMPTY_PAGES = 20  # in a row; those that lead on may be empty, as what they list may go
MOST_PAGES = 20_000
GONE = Flaw((), "missing", "GitHub left out a page")
ENDLESS = Flaw((), "missing", "the cursor of the next page is missing or repeated")


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


def complete_lists(reader: AnswerReader, nodes: Sequence[Issue], gaps: list[Gap]) -> None:
    """Page every nested connection to its end, several at a request.

    ``gaps`` gets what the pages lack, and the lists that end too early.
    """
    open_pages = []
    for node in nodes:
        for connection in queries.CONNECTIONS:
            paging = Paging()
            cursor = paging.next(_page(node, connection))
            if cursor is not None:
                open_pages.append(OpenPage(node, connection, paging, cursor))
            elif paging.is_broken:
                gaps.append(gap_within(ENDLESS, (connection,), node["number"], None))
    while open_pages:
        pages, open_pages = open_pages[:RESTS_PER_REQUEST], open_pages[RESTS_PER_REQUEST:]
        document = queries.rest_document([open_page.connection for open_page in pages])
        variables: dict[str, Any] = {}
        for index, open_page in enumerate(pages):
            variables |= {f"id{index}": open_page.issue["id"], f"after{index}": open_page.cursor}
        numbers = {f"n{index}": open_page.issue["number"] for index, open_page in enumerate(pages)}
        rests, flaws = reader.flawed_page(response_types.Rests, document, variables, PAGE, numbers)
        for index, open_page in enumerate(pages):
            key, number = f"n{index}", open_page.issue["number"]
            page_flaws = [flaw for flaw in flaws if flaw.way[0] == key]
            rest = rests.get(key)
            page = None if rest is None else _page(rest, open_page.connection)
            for flaw in page_flaws:
                gaps.append(gap_within(flaw, flaw.way[1:] or (open_page.connection,), number, None))
            if page is None:
                if not page_flaws:
                    gaps.append(gap_within(GONE, (open_page.connection,), number, None))
                continue
            open_page.add(page)
            cursor = open_page.paging.next(page)
            if cursor is not None:
                open_pages.append(replace(open_page, cursor=cursor))
            elif open_page.paging.is_broken:
                gaps.append(gap_within(ENDLESS, (open_page.connection,), number, None))


def _page(issue: Mapping[str, Any], connection: str) -> Mapping[str, Any] | None:
    # GitHub may leave a connection out that has nothing to show.
    page: Mapping[str, Any] | None = issue.get(connection)
    return page
