"""What a run remarks on, and warns of: months far outside those before, rows that do not fit."""

import duckdb

from perf_assets.base.sanitize import in_words
from perf_assets.reports.sql_files import rows_of, sql_of
from perf_assets.reports.top_repositories import passed_over
from perf_assets.reports.words import listed, month_name
from perf_assets.storage.lake_rows import lake_rows, names_any

QUERIES = (
    *("not_whole", "differing", "of_bots", "rows_set_aside", "set_aside", "withheld"),
    *("locked_as_spam", "corrected", "unreadable", "not_traced", "no_checks"),
)
"""The queries whose rows are sentences."""

SHOWN = 5  # sentences; the rest is counted
MONTHS_NAMED = 2


def unexpected(connection: duckdb.DuckDBPyConnection) -> list[str]:
    """Return a sentence on tables that are not available, and one on odd months, if any."""
    missing = [sentence for (sentence,) in rows_of(connection, "not_whole").iter_rows()]
    left_out = passed_over(connection)
    odd = [row for row in rows_of(connection, "odd_months").iter_rows() if row[0] not in left_out]
    months = sorted({row[1] for row in odd}, reverse=True)
    if months:
        more = len(months) - MONTHS_NAMED
        named = [month_name(month) for month in months[:MONTHS_NAMED]]
        if more > 0:
            named.append(f"{more:,} more month{'s' * (more > 1)}")
        missing.append(f"Check the unusual numbers of {listed(named)}")
    return missing


def warnings(connection: duckdb.DuckDBPyConnection) -> list[str]:
    """Return sentences on the newest odd months, and on rows that stand alone."""
    odd = rows_of(connection, "odd_months").rows()
    sentences = [
        f"{repository} {month}: {in_words(measure)} {_number(value)}, {abs(spreads):.1f} spreads "
        f"{'above' if spreads > 0 else 'below'} the median of the months before ({_number(median)})"
        for repository, month, measure, value, median, spreads in odd[:SHOWN]
    ]
    if len(odd) > SHOWN:
        sentences.append(f"and {len(odd) - SHOWN} earlier ones: perf-assets query anomalous_months")
    left_out = passed_over(connection)
    alone = rows_of(connection, "rows_alone").rows()
    sentences += [
        f"{repository}: {rows:,} {in_words(question)}, for example {example}"
        for repository, question, rows, example in alone
        if repository not in left_out
    ]
    others = sum(repository in left_out for repository, *_ in alone)
    if others:
        sentences.append(f"and {others:,} more in repositories not shown: marts.integrity_checks")
    return sentences


def remarks(connection: duckdb.DuckDBPyConnection) -> list[str]:
    """Return sentences on differing repositories, bots, and unknown commits and fixes."""
    unnamed, elsewhere = passed_over(connection), lake_rows(connection)
    sentences = [
        sentence
        for name in QUERIES
        if not names_any(sql_of(name), elsewhere)
        for (sentence,) in rows_of(connection, name).iter_rows()
    ]
    return sentences + [
        f"{repository}: the fixes of {left_out:,} of {fixes:,} bugs were not analysed "
        "(analyze_fixes = false, or --until links): the methods and languages they touch, and "
        "the commits that introduced the bugs, are not known"
        for repository, left_out, fixes in rows_of(connection, "left_out").iter_rows()
        if repository not in unnamed
    ]


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:.3g}"
