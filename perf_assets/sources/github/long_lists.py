"""The lists of issues that are longer than a page: read to their end."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from perf_assets.sources.github import queries, response_types
from perf_assets.sources.github.answers import AnswerReader
from perf_assets.sources.github.gaps import Flaw, Gap, gap_within
from perf_assets.sources.github.issue_types import Issue
from perf_assets.sources.github.paging import OpenPage, Paging

PAGE = 100
RESTS_PER_REQUEST = 40
GONE = Flaw((), "missing", "GitHub left out a page")
ENDLESS = Flaw((), "missing", "the cursor of the next page is missing or repeated")


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
