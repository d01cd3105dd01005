"""The headline tests that the summary prints, as one family: p-values adjusted for all of them."""

import polars as pl

from perf_assets.core.analyses.group_samples import POOLED, groups_of
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
    trend_tests, open_share_changes, closing_rates, fix_incidence, group_comparisons : the tables of
        that name. Of each series the test by which it is read
        (:data:`~perf_assets.core.analyses.trends.HEADLINES`); of fixing the curves of fixes; of
        comparisons the p-value that allows for shared commits.

    Returns
    -------
    ``analysis.adjusted_tests``; a family is all tests of a dataset. Of a single repository pooled
    rows say the same again, and are none. Not of it are the paper's tests, for which the
    permutation test stands, tests of equal differences between repositories, and results by other
    labels, links or ways to count bots, which show whether a result hangs on these.
    """
    read_by = pl.col("series").replace_strict(HEADLINES, return_dtype=pl.String)
    trends = trend_tests.filter(pl.col("method") == read_by)
    curves = fix_incidence.filter(event="fixed")
    curves = curves.unique(["dataset", "repository"], maintain_order=True)
    rates = closing_rates.filter(kind="performance_against_other")
    regression = pl.lit("poisson_regression")
    tests = pl.concat(
        rows.select(
            "dataset",
            "repository",
            source=pl.lit(source),
            result_of=result_of,
            method=method,
            p_value=p_value,
        )
        for source, rows, result_of, method, p_value in (
            ("trend_tests", trends, "series", "method", "p_value"),
            (
                "open_share_changes",
                open_share_changes,
                pl.lit("slope_from_closing"),
                pl.lit("normal_within_months"),
                "p_value",
            ),
            ("closing_rates", rates, pl.lit("rate_ratio"), regression, "rate_ratio_p_value"),
            ("closing_rates", rates, pl.lit("rate_ratio_per_year"), regression, "p_value"),
            ("fix_incidence", curves, "event", pl.lit("gray"), "p_value"),
            ("group_comparisons", group_comparisons, "metric", "method", "p_value_clustered"),
        )
    )
    is_repository = pl.col("repository") != POOLED
    repositories = pl.col("repository").filter(is_repository).n_unique().over("dataset")
    adjusted = []
    for _, family in groups_of(tests.filter(is_repository | (repositories > 1)), "dataset"):
        pvalues = family["p_value"].to_list()
        size = sum(p is not None for p in pvalues)
        for row, adjusted_p in zip(family.iter_rows(), holm(pvalues), strict=True):
            adjusted.append((*row, adjusted_p, size))
    return pl.DataFrame(adjusted, schema=schema_of("analysis.adjusted_tests"), orient="row")
