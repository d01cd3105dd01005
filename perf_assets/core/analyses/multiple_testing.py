"""The headline tests that the summary prints, as one family: p-values adjusted for all of them."""

from collections.abc import Iterator

import polars as pl

from perf_assets.core.analyses.group_samples import POOLED
from perf_assets.core.analyses.trends import HEADLINES
from perf_assets.core.statistics.samples import holm
from perf_assets.schema import schema_of


def family_of_tests(
    trend_tests: pl.DataFrame,
    open_share_changes: pl.DataFrame,
    closing_rates: pl.DataFrame,
    fix_incidence: pl.DataFrame,
    group_comparisons: pl.DataFrame,
) -> pl.DataFrame:
    """Return every headline test of the summary, with its p-value adjusted for their number (Holm).

    Parameters
    ----------
    trend_tests, open_share_changes, closing_rates, fix_incidence, group_comparisons
        The tables of that name. Of each series the test by which it is read
        (:data:`~perf_assets.core.analyses.trends.HEADLINES`); of fixing the curves of fixes; of
        comparisons the p-value that allows for shared commits.

    Returns
    -------
    ``analysis.adjusted_tests``; a family is all tests of a dataset. Of a single repository pooled
    rows say the same again, and are none. Not of it are the paper's tests, for which the
    permutation test stands, tests of equal differences between repositories, and results by other
    labels, links or ways to count bots, which show whether a result hangs on these.
    """
    rows = [
        row
        for (dataset,), tests in sorted(
            _tests(trend_tests, open_share_changes, closing_rates, fix_incidence, group_comparisons)
            .partition_by("dataset", as_dict=True)
            .items()
        )
        for row in _adjusted(tests)
    ]
    return pl.DataFrame(rows, schema=schema_of("analysis.adjusted_tests"), orient="row")


def _tests(
    trends: pl.DataFrame,
    changes: pl.DataFrame,
    rates: pl.DataFrame,
    incidence: pl.DataFrame,
    groups: pl.DataFrame,
) -> pl.DataFrame:
    read_by = pl.col("series").replace_strict(HEADLINES, return_dtype=pl.String)
    columns = ["dataset", "repository", "source", "result_of", "method", "p_value"]
    tests = pl.concat(
        [
            trends.filter(pl.col("method") == read_by).select(
                "dataset",
                "repository",
                source=pl.lit("trend_tests"),
                result_of="series",
                method="method",
                p_value="p_value",
            ),
            changes.select(
                "dataset",
                "repository",
                source=pl.lit("open_share_changes"),
                result_of=pl.lit("slope_from_closing"),
                method=pl.lit("normal_within_months"),
                p_value="p_value",
            ),
            *(
                rates.filter(kind="performance_against_other").select(
                    "dataset",
                    "repository",
                    source=pl.lit("closing_rates"),
                    result_of=pl.lit(result),
                    method=pl.lit("poisson_regression"),
                    p_value=column,
                )
                for result, column in (
                    ("rate_ratio", "rate_ratio_p_value"),
                    ("rate_ratio_per_year", "p_value"),
                )
            ),
            incidence.filter(event="fixed")
            .unique(["dataset", "repository"], maintain_order=True)
            .select(
                "dataset",
                "repository",
                source=pl.lit("fix_incidence"),
                result_of="event",
                method=pl.lit("gray"),
                p_value="p_value",
            ),
            groups.select(
                "dataset",
                "repository",
                source=pl.lit("group_comparisons"),
                result_of="metric",
                method="method",
                p_value="p_value_clustered",
            ),
        ]
    ).select(columns)
    own = pl.col("repository") != POOLED
    repositories = pl.col("repository").filter(own).n_unique().over("dataset")
    return tests.filter(own | (repositories > 1))


def _adjusted(tests: pl.DataFrame) -> Iterator[tuple[object, ...]]:
    pvalues = tests["p_value"].to_list()
    size = sum(p is not None for p in pvalues)
    for row, adjusted in zip(tests.iter_rows(), holm(pvalues), strict=True):
        yield (*row, adjusted, size)
