"""Lists that are longer than a page: followed to their end, and no further."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from perf_assets.sources.github import queries, response_types
from perf_assets.sources.github.answers import AnswerReader
from perf_assets.sources.github.gaps import Flaw, gap_within
from perf_assets.sources.github.issue_types import Issue
from perf_assets.sources.issues.gaps import Gap

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


@dataclass
class _OpenList:
    """A list of an issue that may have further pages, and the cursor of the next one."""

    issue: Issue
    connection: str
    paging: Paging = field(default_factory=Paging)
    cursor: str | None = None

    def follow(self, page: Mapping[str, Any] | None, gaps: list[Gap]) -> bool:
        """Go on after ``page``; return whether another follows. A list without end is a gap."""
        self.cursor = self.paging.next(page)
        if self.paging.is_broken:
            gaps.append(self.gap(ENDLESS))
        return self.cursor is not None

    def add(self, page: Mapping[str, Any]) -> None:
        """Add the entries of the next page, and take over the newest count.

        Entries may come and go between the pages.
        """
        held: dict[str, Any] = self.issue[self.connection]  # type: ignore[literal-required]
        held["nodes"] = [*(held["nodes"] or ()), *(page["nodes"] or ())]
        held["totalCount"] = page.get("totalCount")

    def gap(self, flaw: Flaw) -> Gap:
        """Return the gap that ``flaw`` means for the issue."""
        return gap_within(flaw, flaw.way[1:] or (self.connection,), self.issue["number"], None)


def complete_lists(reader: AnswerReader, nodes: Sequence[Issue], gaps: list[Gap]) -> None:
    """Page every nested connection to its end, several at a request.

    ``gaps`` gets what the pages lack, and the lists that end too early.
    """
    lists = [_OpenList(node, connection) for node in nodes for connection in queries.CONNECTIONS]
    waiting = [part for part in lists if part.follow(_page(part.issue, part.connection), gaps)]
    while waiting:
        requested, waiting = waiting[:RESTS_PER_REQUEST], waiting[RESTS_PER_REQUEST:]
        document = queries.rest_document([part.connection for part in requested])
        variables: dict[str, Any] = {}
        for index, part in enumerate(requested):
            variables |= {f"id{index}": part.issue["id"], f"after{index}": part.cursor}
        numbers = {f"n{index}": part.issue["number"] for index, part in enumerate(requested)}
        rests, flaws = reader.flawed_page(response_types.Rests, document, variables, PAGE, numbers)
        for key, part in zip(numbers, requested, strict=True):
            page_flaws = [flaw for flaw in flaws if flaw.way[0] == key]
            gaps += map(part.gap, page_flaws)
            page = _page(rests.get(key) or {}, part.connection)
            if page is not None:
                part.add(page)
                if part.follow(page, gaps):
                    waiting.append(part)
            elif not page_flaws:
                gaps.append(part.gap(GONE))


def _page(issue: Mapping[str, Any], connection: str) -> Mapping[str, Any] | None:
    # GitHub may leave a connection out that has nothing to show.
    page: Mapping[str, Any] | None = issue.get(connection)
    return page
