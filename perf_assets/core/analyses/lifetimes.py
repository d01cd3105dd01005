"""How long bugs lived before they were reported: performance bugs compared with the others.

All repositories together are compared within each.

Table and column names are those of the marts they read and of the analysis table they make.
"""

from collections.abc import Iterator

import polars as pl

from perf_assets.core.analyses.group_samples import (
    by_repository,
    by_repository_and_pooled,
    median_of,
)
from perf_assets.core.statistics.minimum_events import APART, COMPARISON, too_few
from perf_assets.core.statistics.samples import magnitude
from perf_assets.core.statistics.strata import alone, compare_strata
from perf_assets.schema import schema_of

INTRODUCERS = {
    "latest": ("result", "lifetime_days"),
    "earliest": ("sensitivity", "longest_lifetime_days"),
}
"""From which candidate a bug's life is counted, what that is for, and its column in
``marts.bug_lifetimes``. The latest is right more often by far (``tests/benchmarks/szz.py``); the
earliest only shows whether the result hangs on the choice."""

NOT_LOOKED_AT = "not_looked_at"
OUTCOMES = ("introduced", "only_adds", "no_candidate", "not_traced", NOT_LOOKED_AT)
"""The outcomes that are counted, each in columns that begin with it."""


def lifetime_comparisons(bug_lifetimes: pl.DataFrame) -> pl.DataFrame:
    """Compare how long performance and other bugs lived (Mann-Whitney U, Cliff's delta).

    Parameters
    ----------
    bug_lifetimes : ``marts.bug_lifetimes``: dataset, repository, is_performance, outcome,
        lifetime_days, longest_lifetime_days.

    Returns
    -------
    ``analysis.lifetime_comparisons``: two rows for each
    dataset and repository, pooled last: the result, and beside it how it would be with the
    earliest candidates (``role``). The counts say over how many bugs with a fix the
    comparison goes (``introduced``) and how many it must leave out, and why; where nobody looked at
    the fixes of a group, its other counts are NULL. Figures of too few bugs are NULL.
    """
    rows = [
        (dataset, repository, introducer, role, *_counts(bugs), *_compared(bugs, column))
        for dataset, repository, bugs in by_repository_and_pooled(bug_lifetimes)
        for introducer, (role, column) in INTRODUCERS.items()
    ]
    return pl.DataFrame(rows, schema=schema_of("analysis.lifetime_comparisons"), orient="row")


def _counts(bugs: pl.DataFrame) -> Iterator[int | None]:
    groups = [bugs.filter(is_performance=kind) for kind in (True, False)]
    for outcome in OUTCOMES:
        for group in groups:
            is_known = group.is_empty() or (group["outcome"] != NOT_LOOKED_AT).any()
            is_reported = is_known or outcome == NOT_LOOKED_AT
            yield group.filter(outcome=outcome).height if is_reported else None


def _compared(bugs: pl.DataFrame, column: str) -> tuple[object, ...]:
    lived = bugs.drop_nulls(column)
    strata = [alone(*_lifetimes(group, column)) for _, _, group in by_repository(lived)]
    found = compare_strata(strata, minimum=COMPARISON)
    noun = "whose introducing commit is known"
    reason = too_few("compare", COMPARISON, found.events_x, found.events_y, noun)
    if found.is_apart:
        reason = APART
    return (
        *(median_of(group.to_numpy(), COMPARISON) for group in _lifetimes(lived, column)),
        *(found.statistic, found.pvalue, found.delta, magnitude(found.delta)),
        reason is not None,
        reason,
    )


def _lifetimes(bugs: pl.DataFrame, column: str) -> list[pl.Series]:
    """Return those of performance bugs, and of others."""
    return [bugs.filter(is_performance=kind)[column] for kind in (True, False)]
