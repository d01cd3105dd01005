"""How many questions of each forum are about performance, in a few sentences."""

from collections.abc import Iterator, Mapping
from typing import Any

import duckdb

from perf_assets.core.statistics.minimum_events import CURVE
from perf_assets.reports.sql_files import rows_of
from perf_assets.reports.words import counted, percent

Row = Mapping[str, Any]


def read_forums(connection: duckdb.DuckDBPyConnection) -> list[tuple[str, list[str]]]:
    """Return of each tag set of a forum its name and at most two sentences."""
    # Where a lake has them, the tables are not here.
    rows = rows_of(connection, "shares_of_questions", is_optional=True).to_dicts()
    return [(row["repository"], [_share(row), *_accepted(row)]) for row in rows]


def _share(row: Row) -> str:
    number, whole = int(row["performance"]), int(row["asked"])
    verb = "is" if number == 1 else "are"
    if min(number, whole - number) < CURVE:
        return (
            f"{number:,} of {counted(whole, 'question')} {verb} about performance by their words."
        )
    return (
        f"{percent(100 * number / whole)} of {counted(whole, 'question')} are about performance by "
        f"their words (between {percent(row['low'])} and {percent(row['high'])})."
    )


def _accepted(row: Row) -> Iterator[str]:
    """Yield how many of each group have an accepted answer; percentages if enough."""
    groups = (row["accepted"], row["performance"]), (row["others_accepted"], row["others"])
    if not all(questions for _, questions in groups):
        return
    own, others = (
        f"{accepted:,} of {questions:,}"
        if min(accepted for accepted, _ in groups) < CURVE
        else percent(100 * accepted / questions)
        for accepted, questions in groups
    )
    yield f"Of these {own} have an accepted answer, of the others {others}."
