"""The four sections below the first screen, each an answer of at most one screen.

What is new, why the verdict is what it is, how performance bugs compare with others, and whether
all of this can be trusted. Each repeats only what an appendix has in full.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import duckdb
import polars as pl

from perf_assets.reports.document import Part, Section
from perf_assets.reports.monthly.first_screen import MOST_REPOSITORIES, POOLED
from perf_assets.reports.monthly.growth import ENOUGH, SIGNIFICANT, Growth
from perf_assets.reports.monthly.news import Lists, read_rows
from perf_assets.reports.quality import unexpected
from perf_assets.reports.sql_files import rows_of, sql_of
from perf_assets.reports.top_repositories import passed_over, without
from perf_assets.reports.words import listed, month_name, percent

Row = Mapping[str, Any]

FEW_ENTRIES = 3
MOST_OF_LISTS = {"opened": 5, "fixed": FEW_ENTRIES, "waiting": FEW_ENTRIES}
"""Entries of each list of the newest month that is shown."""

FEW_BUGS = 10
"""Performance bugs that are listed of a repository at rest, of which none is new."""

METRICS = {
    "fix_time_days": ("Days until fixed", "take longer to fix", "are fixed sooner"),
    "fix_size": ("Lines changed by the fix", "need larger fixes", "need smaller fixes"),
    "hours_to_first_comment": ("Hours to the first comment", "wait longer", "are answered sooner"),
    "comments": ("Comments", "are discussed more", "are discussed less"),
    "commentators": ("People who comment", "involve more people", "involve fewer people"),
}
"""Of each measure its name, and what is said of performance bugs with more, and with less of it."""

SOURCES = {
    "people": "people who judged a sample",
    "corrected": "classifier, corrected for its errors",
    "classifier": "classifier",
    "rule": "words and labels of the study",
}


def read_sections(
    connection: duckdb.DuckDBPyConnection, growths: Sequence[Growth], lists: Lists
) -> list[Section]:
    """Return the four sections; without those of which nothing can be said."""
    sections = [
        Section("new", "What is new?", [], list(_new(connection, lists))),
        Section("why", "Why do we say so?", [], list(_why(connection, growths))),
        Section(
            "compared",
            "How do performance bugs compare with other bugs?",
            [],
            list(_compared(connection)),
        ),
        Section("trust", "Can the labels and the data be trusted?", [], list(_trust(connection))),
    ]
    return [section for section in sections if section.parts]


def _new(connection: duckdb.DuckDBPyConnection, lists: Lists) -> Iterator[Part]:
    """Yield the lists of the newest month, of the repositories with most new performance bugs."""
    left_out = passed_over(connection)
    months = [
        row
        for row in read_rows(connection, sql_of("newest_month"))
        if row["repository"] not in left_out
    ]
    months.sort(key=lambda row: (row["is_at_rest"], -row["opened_performance"]))
    chosen = MOST_OF_LISTS if len(months) == 1 else {"opened": FEW_ENTRIES}
    for index, row in enumerate(months[:MOST_REPOSITORIES]):
        name = row["repository"]
        if row["is_at_rest"]:
            yield from lists.of(name, name, f"latest-{index}", {"performance_bugs": FEW_BUGS})
        else:
            of = f"{name}, {month_name(row['month'])}"
            yield from lists.of(name, of, f"latest-{index}", chosen)


def _why(connection: duckdb.DuckDBPyConnection, growths: Sequence[Growth]) -> Iterator[Part]:
    """Yield the verdict with its numbers: by year, or of several repositories by repository."""
    if len(growths) == 1:
        (growth,) = growths
        methods = f"Does this depend on the method? {growth.methods}" if growth.methods else ""
        rows = rows_of(connection, "shares_by_year").drop("repository")
        yield Part(
            "why-years",
            "New bug reports by year",
            of=growth.repository,
            words=[words for words in (growth.sentence, growth.certainty, methods) if words],
            table=rows,
            queries={
                "the table": sql_of("shares_by_year"),
                "the verdict": sql_of("growth"),
                "the methods": sql_of("growth_by_method"),
            },
            is_open=True,
        )
    elif growths:
        left_out = passed_over(connection)
        shown = [growth for growth in growths if growth.repository not in left_out]
        yield Part(
            "why-repositories",
            "The verdict on each repository",
            table=_texts(
                ("repository", "what is seen", "how sure", "other methods"),
                [
                    (growth.repository, growth.sentence, growth.certainty, growth.methods)
                    for growth in shown
                ],
            ),
            queries={
                "the verdicts": sql_of("growth"),
                "the methods": sql_of("growth_by_method"),
            },
            is_open=True,
        )


def _texts(names: Sequence[str], rows: Sequence[tuple[str, ...]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")


def _compared(connection: duckdb.DuckDBPyConnection) -> Iterator[Part]:
    """Yield how performance bugs differ: in the only repository, or in all together."""
    rows = rows_of(connection, "compared").to_dicts()
    names = list(dict.fromkeys(row["repository"] for row in rows if row["repository"] != POOLED))
    if not names:
        return
    name = names[0] if len(names) == 1 else POOLED
    rows = [row for row in rows if row["repository"] == name]
    tested = [row for row in rows if not row["is_too_few"] and row["p"] is not None]
    untested = [METRICS[row["metric"]][0].lower() for row in rows if row not in tested]
    differing = [
        METRICS[row["metric"]][1 if row["cliffs_delta"] > 0 else 2]
        for row in tested
        if row["p"] < SIGNIFICANT
    ]
    words = []
    if tested:
        said = f"Performance bugs {listed(differing)}." if differing else "No difference is shown."
        words = [said, *_against_the_study(tested)]
    if untested:
        words.append(f"Not tested, because there are too few: {listed(untested)}.")
    table = _texts(
        ("median", "performance bugs", "other bugs", "difference"), list(map(_compared_row, tested))
    )
    yield Part(
        "compared-medians",
        "Performance bugs and others",
        of="all repositories" if name == POOLED else name,
        words=words,
        table=table if tested else None,
        queries={"the table": sql_of("compared")},
        is_open=True,
    )


def _compared_row(row: Row) -> tuple[str, str, str, str]:
    medians = [
        "unknown" if row[f"median_{group}"] is None else f"{row[f'median_{group}']:,.3g}"
        for group in ("performance", "other")
    ]
    if row["p"] < SIGNIFICANT:
        difference = "more" if row["cliffs_delta"] > 0 else "less"
    elif row["power"] is not None and row["power"] < ENOUGH:
        difference = "none shown, but one may be hidden"
    else:
        difference = "none shown"
    return METRICS[row["metric"]][0], medians[0], medians[1], difference


def _against_the_study(tested: Sequence[Row]) -> Iterator[str]:
    """Yield a sentence where the test of the study alone would say otherwise."""
    alone = [
        METRICS[row["metric"]][0].lower()
        for row in tested
        if row["p"] >= SIGNIFICANT
        and row["rank_sum_p_value"] is not None
        and row["rank_sum_p_value"] < SIGNIFICANT
    ]
    if alone:
        yield (
            f"Does this depend on the method? For {listed(alone)} the test of the study, taken "
            "alone, shows a difference; among all tests of this report it may be chance."
        )


def _trust(connection: duckdb.DuckDBPyConnection) -> Iterator[Part]:
    """Yield the share by who says so, and what is odd in the data."""
    rows = without(
        rows_of(connection, "share_by_source", is_optional=True), passed_over(connection)
    )
    is_one = not rows.is_empty() and rows["repository"].n_unique() == 1
    if not is_one and not rows.is_empty():
        rows = rows.filter(pl.col("is_believed") | (pl.col("method") == "rule"))
    if not rows.is_empty():
        names = ("repository", "who says so", "share", "likely range", "believed here")
        table = _texts(names, list(map(_source_row, rows.to_dicts())))
        believed = rows.filter("is_believed")["method"].unique(maintain_order=True)
        yield Part(
            "trust-share",
            "How many bug reports are about performance?",
            of=rows["repository"][0] if is_one else "",
            words=list(map(_believed, believed)),
            table=table.drop("repository") if is_one else table,
            queries={"the table": sql_of("share_by_source")},
            is_open=True,
        )
    if sentences := unexpected(connection):
        yield Part(
            "trust-data",
            "What is odd in the data",
            words=sentences,
            queries={"the odd months": sql_of("odd_months")},
        )


def _source_row(row: Row) -> tuple[str, ...]:
    return (
        row["repository"],
        SOURCES[row["method"]],
        percent(row["percent"]),
        f"{percent(row['low'])} to {percent(row['high'])}",
        "yes" if row["is_believed"] else "",
    )


def _believed(method: str) -> str:
    why = {
        "people": "they read a sample of the reports",
        "corrected": "it allows for the errors that the classifier made on reports that people "
        "judged",
        "rule": "there are too few reports for more",
        "classifier": "nothing else is known",
    }[method]
    return f"The report believes the share by the {SOURCES[method]}, because {why}."
