"""What changed in the newest month of each repository, and of each forum: numbers and links."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import duckdb

from perf_assets.base.sanitize import escape_text
from perf_assets.reports.document import Item, Part, Tile
from perf_assets.reports.figures import figures
from perf_assets.reports.sql_files import rows_of, sql_of
from perf_assets.reports.top_repositories import passed_over
from perf_assets.reports.words import counted, month_name
from perf_assets.schema.frames import frame_of
from perf_assets.storage.lake_rows import lake_rows, names_any

MOST = 10
"""Things in a list; the rest is counted."""

Row = dict[str, Any]

TESTS = "analysis.trend_tests"
"""The figure whose rows are the verdicts on the trend."""

VERDICTS = {
    "rises": ("a rise", "in"),
    "falls": ("a fall", "in"),
    "no change shown": ("no change shown", "in"),
    "not tested": ("no test", "of"),
}
"""Each verdict as a noun, and the preposition before the name of the share."""


def read_news(connection: duckdb.DuckDBPyConnection, lists: "Lists") -> list[Part]:
    """Return a part of numbers and the lists that are not empty, of each repository."""
    left_out = passed_over(connection)
    newest, tests = sql_of("newest_month"), figures()[TESTS].rows
    numbers = [row for row in read_rows(connection, newest) if row["repository"] not in left_out]
    trends = [row for row in read_rows(connection, tests) if row["series"] == "opened"]
    parts = []
    for index, row in enumerate(numbers):
        repository = row["repository"]
        verdicts = [_verdict(trend) for trend in trends if trend["repository"] == repository]
        parts.append(
            Part(
                name=f"month-{index}",
                title=f"{repository}, {row['month']}",
                words=list(_notes(row)),
                tiles=[*_tiles(row), *verdicts],
                queries={"the numbers": newest, "the verdict": tests},
            )
        )
        parts += lists.of(repository, repository, str(index), dict.fromkeys(OF_MONTH, MOST))
    return parts


class Lists:
    """The lists of performance bugs, each read when it is first needed."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Read from ``connection``; lists whose rows are not in its database are empty."""
        self._connection = connection
        self._elsewhere = lake_rows(connection)
        self._rows: dict[str, list[Row]] = {}

    def rows(self, name: str) -> list[Row]:
        """Return the rows of a list, of all repositories."""
        if name not in self._rows:
            query = sql_of(name)
            is_far = names_any(query, self._elsewhere)
            self._rows[name] = [] if is_far else read_rows(self._connection, query)
        return self._rows[name]

    def of(
        self, repository: str, title: str, suffix: str, most_of: Mapping[str, int]
    ) -> Iterator[Part]:
        """Yield the lists ``most_of`` of a repository, with at most so many entries each.

        An empty list is left out.
        """
        for name, most in most_of.items():
            if those := [row for row in self.rows(name) if row["repository"] == repository]:
                words, write = LISTS[name]
                yield _listed(f"{name}-{suffix}", words, title, those, sql_of(name), write, most)


def read_questions(connection: duckdb.DuckDBPyConnection) -> list[Part]:
    """Return the performance questions of the newest month of each forum, the most viewed first."""
    title, query = "Performance questions of the month", sql_of("newest_questions")
    by_forum = rows_of(connection, "newest_questions").group_by("forum", maintain_order=True)
    parts = []
    for index, ((forum,), part) in enumerate(by_forum):
        rows, of = part.to_dicts(), f"{forum}, {part['month'][0]}"
        parts.append(_listed(f"asked-{index}", title, of, rows, query, _question_item, MOST))
    return parts


def read_rows(connection: duckdb.DuckDBPyConnection, query: str) -> list[Row]:
    """Return the rows of ``query``, by the names of their columns."""
    return frame_of(connection.sql(query)).to_dicts()


def _notes(row: Row) -> Iterator[str]:
    if row["archived_month"]:
        yield f"Archived on GitHub in {row['archived_month']}: nobody can report bugs any more."
    if row["is_at_rest"]:
        yield (
            f"No issue was opened or closed between {row['month']} and {row['last_month']}. All "
            f"series end with {row['month']}."
        )
    if not row["is_complete"]:
        yield f"Months before {row['month']} are missing."


def _tiles(row: Row) -> Iterator[Tile]:
    yield Tile(
        f"{row['opened_performance']:,}",
        "new performance bugs",
        f"of {row['opened_total']:,} bug reports{_usual(row['opened_median'])}",
    )
    yield Tile(
        f"{row['newly_fixed_performance']:,}",
        "performance bugs fixed",
        f"of {row['newly_fixed_total']:,} bugs fixed{_usual(row['fixed_median'])}",
    )
    change = "" if row["open_before"] is None else row["open_performance"] - row["open_before"]
    yield Tile(
        f"{row['open_performance']:,}",
        "performance bugs open",
        f"{change:+,} in the month" if change else "",
    )
    if row["open_percentage"] is not None:
        yield Tile(
            f"{row['open_percentage']:.1f} %",
            "of the open bug reports",
            f"{row['open_performance']:,} of {row['open_total']:,}",
        )


def _verdict(row: Row) -> Tile:
    if row["is_too_few"]:
        reason = row["result"].removeprefix("too few to test: ")
        return Tile("too few", "to test whether their share changes", reason)
    odds = f"odds x {row['odds_a_year']:.2f} a year" if row["odds_a_year"] else "no estimate"
    verdict, preposition = VERDICTS[row["verdict"]]
    label = f"{preposition} the share among new bug reports"
    return Tile(verdict, label, f"{odds}, over all months")


def _usual(median: float | None) -> str:
    return "" if median is None else f"; median of the year before: {median:,.3g}"


def _listed(
    name: str,
    title: str,
    of: str,
    rows: list[Row],
    query: str,
    words: Callable[[Row], str],
    most: int,
) -> Part:
    items = [
        Item(
            f"#{row['number']}" if "number" in row else "",
            escape_text(row["title"] or "without a title"),
            row["html_url"] or "",
            words(row),
        )
        for row in rows[:most]
    ]
    return Part(
        name=name,
        title=title,
        of=of,
        items=items,
        left_out=max(0, len(rows) - most),
        queries={"the list": query},
    )


def _opened(row: Row) -> str:
    marked = ", ".join(map(escape_text, row["marked_by"] or []))
    by = f"; marked by {marked} ({row['strength']})" if marked else ""
    return f"{counted(row['comments'] or 0, 'comment')}{by}"


def _fixed(row: Row) -> str:
    days = "" if row["days"] is None else f"after {counted(row['days'], 'day')}"
    size = "" if row["changed_lines"] is None else counted(row["changed_lines"], "changed line")
    return ", ".join(filter(None, (days, size)))


def _discussed(row: Row) -> str:
    people = "1 person" if row["people"] == 1 else f"{row['people']:,} people"
    return f"{counted(row['comments'], 'comment')} by {people}; {row['state']} now"


def _waiting(row: Row) -> str:
    return f"open for {counted(row['days_open'], 'day')} at the end of the month"


def _any(row: Row) -> str:
    state = "fixed" if row["is_fixed"] else row["state"]
    return f"{month_name(row['month'])}, {counted(row['comments'], 'comment')}, {state}"


def _question_item(row: Row) -> str:
    views = "" if row["views"] is None else f"{counted(row['views'], 'view')}, "
    return f"{views}score {row['score']}, {'answered' if row['is_answered'] else 'no answer yet'}"


LISTS: dict[str, tuple[str, Callable[[Row], str]]] = {
    "opened": ("New performance bugs", _opened),
    "fixed": ("Fixed, slowest first", _fixed),
    "discussed": ("Most discussed in the month", _discussed),
    "waiting": ("Open longest", _waiting),
    "performance_bugs": ("Performance bugs, the most discussed first", _any),
}
"""The lists: the title of each, and what is said of an entry; the key names its query."""

OF_MONTH = ("opened", "fixed", "discussed", "waiting")
"""The lists of the newest month."""
