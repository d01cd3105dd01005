"""What a run remarks on, and warns of: months far outside those before, rows that do not fit."""

import duckdb

from perf_assets.base.sanitize import in_words
from perf_assets.reports.lacking import (
    CORRECTED,
    LOCKED_AS_SPAM,
    NOT_WHOLE,
    ROWS_SET_ASIDE,
    SET_ASIDE,
    WITHHELD,
)
from perf_assets.reports.queries import (
    DIFFERING,
    LEFT_OUT,
    NO_CHECKS,
    NOT_TRACED,
    OF_BOTS,
    UNREADABLE,
)
from perf_assets.reports.top_repositories import passed_over
from perf_assets.storage.lake_rows import lake_rows, names_any

QUERIES = (
    *(NOT_WHOLE, DIFFERING, OF_BOTS, ROWS_SET_ASIDE, SET_ASIDE, WITHHELD, LOCKED_AS_SPAM),
    CORRECTED,
    *(UNREADABLE, NOT_TRACED, NO_CHECKS),
)
SHOWN = 5  # sentences; the rest is counted
ODD = """
SELECT repository, month, measure, observed, median_before, robust_z_score
FROM marts.volume_anomalies WHERE dataset = 'live' AND is_anomaly
ORDER BY month DESC, abs(robust_z_score) DESC, repository, measure
"""
ALONE = """
SELECT repository, question, failing_rows, example
FROM marts.integrity_checks
WHERE dataset = 'live' AND failing_rows > 0 AND question NOT IN
    ('fixes_before_their_bug', 'comments_before_their_issue', 'labels_without_an_event')
ORDER BY ALL
"""


def warnings(connection: duckdb.DuckDBPyConnection) -> list[str]:
    """The warnings of a database as sentences: the newest odd months, and all that stands alone."""
    odd = connection.execute(ODD).fetchall()
    found = [
        f"{repository} {month}: {in_words(measure)} {_number(value)}, {_number(median)} in the "
        f"median of the months before ({spreads:+.1f} spreads)"
        for repository, month, measure, value, median, spreads in odd[:SHOWN]
    ]
    if len(odd) > SHOWN:
        found.append(f"and {len(odd) - SHOWN} earlier ones: perf-assets query anomalous_months")
    left_out = passed_over(connection)
    alone = connection.execute(ALONE).fetchall()
    found += [
        f"{repository}: {rows:,} {in_words(question)}, {example} for one"
        for repository, question, rows, example in alone
        if repository not in left_out
    ]
    others = sum(repository in left_out for repository, *_ in alone)
    return [
        *found,
        *([f"and so in {others:,} other places: marts.integrity_checks"] if others else []),
    ]


def remarks(connection: duckdb.DuckDBPyConnection) -> list[str]:
    """Where repositories differ, what bots change, and which commits and fixes are unknown."""
    unnamed, elsewhere = passed_over(connection), lake_rows(connection)
    sentences = [
        sentence
        for query in QUERIES
        if not names_any(query, elsewhere)
        for (sentence,) in connection.execute(query).fetchall()
    ]
    return sentences + [
        f"{repository}: the fixes of {left_out:,} of {fixes:,} bugs were not analysed "
        "(analyze_fixes = false, or --until links): which methods and languages they touch, and "
        "who introduced the bug, is not known"
        for repository, left_out, fixes in connection.execute(LEFT_OUT).fetchall()
        if repository not in unnamed
    ]


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:.3g}"
