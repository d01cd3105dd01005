"""Whether performance bugs become a larger part: of the open and fixed ones, and of each month's.

The two cumulative series of the paper hold most of a month's value in the next, so that any test
that takes months as independent finds trends where there are none. Of these a permutation test is
made; estimates with intervals are of the month's own flow.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import sparse, stats

from perf_assets.core.analyses.comparisons import (
    POOLED,
    TREND_ALTERNATIVE,
    by_repository,
    complete_months,
)
from perf_assets.core.analyses.wording import p_text
from perf_assets.core.statistics.permutation import permuted_counts
from perf_assets.core.statistics.samples import Floats, cox_stuart
from perf_assets.core.statistics.trend import BinomialTrend, binomial_regression, cochran_armitage
from perf_assets.tables import schema_of

SERIES = {
    "open": ("open_performance", "open_total"),
    "fixed": ("fixed_performance", "fixed_total"),
    "opened": ("opened_performance", "opened_total"),
    "newly_fixed": ("newly_fixed_performance", "newly_fixed_total"),
}
"""The series, and the columns of ``marts.trend_monthly`` whose ratio each is."""

FLOWS = ("opened", "newly_fixed")
"""The series that are the month's own; the others are cumulative, as in the paper."""

HEADLINES = {
    "open": "permutation",
    "fixed": "permutation",
    "opened": "binomial_regression",
    "newly_fixed": "binomial_regression",
}
"""The test by which each series is read; the others stand beside it."""

PERMUTATIONS = 9_999
SEED = 5
LEVEL = 0.05
"""At which false alarms are counted."""

MONTHS_IN_A_YEAR = 12

_SCHEMA = "analysis.trend_tests"
_COUNTED = {
    "opened": "reports opened in a month",
    "newly_fixed": "bugs newly fixed in a month",
}


def trend_tests(trend_monthly: pl.DataFrame, issue_history: pl.DataFrame) -> pl.DataFrame:
    """Test the monthly shares of performance bugs for a trend.

    Parameters
    ----------
    trend_monthly
        ``marts.trend_monthly``: dataset, repository, month, is_complete and the columns of
        :data:`SERIES`. Only complete months count; a month without a share (no open bug at all,
        say) keeps its place in the series.
    issue_history
        ``marts.issue_history``, from which the same series are counted with labels permuted.

    Returns
    -------
    ``analysis.trend_tests``. For each dataset, repository and series a row ``cox_stuart``, the
    paper's test, one-sided; for the cumulative series one ``permutation``, the same statistic with
    a p-value from :data:`PERMUTATIONS` permutations of the labels among the bug reports, each of
    which keeps its times; for the flows one ``binomial_regression`` and one ``cochran_armitage``,
    both two-sided. ``false_alarm_share`` is in how many of the same permutations a test finds a
    trend at 0.05. Several repositories also have rows of both flows :data:`POOLED`: each keeps its
    own level, and what differs between their trends stands in ``heterogeneity_p_value``.

    Notes
    -----
    Permutations take the label that a report has at the end of the series for its label all the
    time: that labels are given late must not look like a trend.
    """
    rows: list[Mapping[str, Any]] = []
    histories = {
        (dataset, repository): rows for dataset, repository, rows in by_repository(issue_history)
    }
    for (dataset,), of_dataset in sorted(
        trend_monthly.partition_by("dataset", as_dict=True).items()
    ):
        complete = []
        for _, repository, all_months in by_repository(of_dataset):
            months = complete_months(all_months)
            complete.append(months)
            history = histories.get((dataset, repository), issue_history.clear())
            found = _repository_rows(months, history)
            rows += [{**row, "dataset": dataset, "repository": repository} for row in found]
        if len(complete) > 1:
            found = _pooled_rows(pl.concat(complete))
            rows += [{**row, "dataset": dataset, "repository": POOLED} for row in found]
    return pl.DataFrame(rows, schema=schema_of(_SCHEMA))


def _repository_rows(months: pl.DataFrame, history: pl.DataFrame) -> Iterator[dict[str, Any]]:
    paths = paths_of(history, months.get_column("month").to_list())
    chance = _by_chance(paths, PERMUTATIONS)
    for series in SERIES:
        if series not in FLOWS:
            yield _permutation_row(series, paths, chance)
        else:
            yield from _flow_rows(series, months, np.zeros(months.height), chance)
        yield _paper_row(series, months, chance)


def _pooled_rows(months: pl.DataFrame) -> Iterator[dict[str, Any]]:
    strata = months.get_column("repository").rank("dense").to_numpy()
    for series in FLOWS:
        yield from _flow_rows(series, months, strata, None)


# The series with permuted labels


@dataclass(frozen=True)
class Paths:
    """What each bug report adds to each series, month by month, and which are performance bugs.

    steps : shape (reports, 4 x months), what changes by the report; the series in the order of
        :data:`SERIES`. Cumulative ones are sums over the months up to one.
    opened : the place, among all of them, of the month in which each was opened.
    numbers : the number of each report.
    """

    months: int
    steps: sparse.csr_array
    is_performance: NDArray[np.bool_]
    opened: NDArray[np.int64]
    numbers: NDArray[np.int64]

    @property
    def n_performance(self) -> int:
        """How many of the reports are performance bugs."""
        return int(self.is_performance.sum())

    def counts(self, sums: Floats) -> dict[str, Floats]:
        """The monthly counts of each series, from sums of ``steps`` over some reports."""
        blocks = np.split(sums, len(SERIES), axis=-1)
        return {
            series: block if series in FLOWS else np.cumsum(block, axis=-1)
            for series, block in zip(SERIES, blocks, strict=True)
        }

    def performance_counts(self) -> dict[str, Floats]:
        """The monthly counts of each series of performance bugs alone."""
        return self.counts(self.steps.T @ self.is_performance.astype(np.float64))


def paths_of(history: pl.DataFrame, months: list[str]) -> Paths:
    """The bug reports of one repository's ``marts.issue_history``, as of the last of ``months``."""
    n_months = len(months)
    last = months[-1] if months else ""
    known = history.filter(pl.col("month") <= last).sort("number", "month")
    now = known.unique("number", keep="last", maintain_order=True).filter("is_bug_report")
    now = now.with_columns(report=pl.int_range(pl.len(), dtype=pl.Int64))
    spans = known.join(now.select("number", "report"), on="number").with_columns(
        start=_place("month", months),
        end=_place("until_month", months).fill_null(n_months),
        closed=pl.col("closed_at").dt.convert_time_zone("UTC").dt.strftime("%Y-%m"),
    )
    is_fixed = pl.col("is_fixed")
    is_of_series = pl.col("month").is_in(months)
    parts = []
    for place, (series, chosen) in enumerate(
        {
            "open": pl.col("state") == "open",
            "fixed": is_fixed,
            "opened": (pl.col("month") == pl.col("opened_month")) & is_of_series,
            "newly_fixed": is_fixed & (pl.col("closed") == pl.col("month")) & is_of_series,
        }.items()
    ):
        rows = spans.filter(chosen)
        parts.append(_steps(rows, "start", 1, place, n_months))
        if series not in FLOWS:
            parts.append(_steps(rows, "end", -1, place, n_months))
    steps = pl.concat(parts)
    shape = (now.height, len(SERIES) * n_months)
    places = (steps["report"].to_numpy(), steps["column"].to_numpy())
    # Steps of one report in one month add up.
    matrix = sparse.coo_array((steps["step"].to_numpy(), places), shape=shape).tocsr()
    opened = now["opened_month"].rank("dense").cast(pl.Int64) - 1
    return Paths(
        n_months,
        matrix,
        now["is_performance"].to_numpy(),
        opened.to_numpy(),
        now["number"].to_numpy(),
    )


def _place(column: str, months: list[str]) -> pl.Expr:
    """Place of a month in the series: 0 for all before it, their number for all after it."""
    places = pl.Series(months, dtype=pl.String).search_sorted
    return pl.col(column).map_batches(
        lambda values: places(values.fill_null("9999-99")).cast(pl.Int64), return_dtype=pl.Int64
    )


def _steps(rows: pl.DataFrame, at: str, step: int, place: int, n_months: int) -> pl.DataFrame:
    return rows.filter(pl.col(at) < n_months).select(
        "report",
        column=pl.col(at) + place * n_months,
        step=pl.lit(float(step)),
    )


@dataclass(frozen=True)
class _Chance:
    """What the tests find of permuted labels.

    rises : of each series, how many pairs rise less those that fall, by permutation.
    alarms : of each series and method, in how many permutations it finds a trend.
    """

    permutations: int
    rises: dict[str, Floats]
    alarms: dict[tuple[str, str], int]

    def share(self, series: str, method: str) -> float | None:
        """The share of permutations in which ``method`` finds a trend of ``series``."""
        found = self.alarms.get((series, method))
        return None if found is None else found / self.permutations


def _by_chance(paths: Paths, permutations: int, *, alarms: bool = True) -> _Chance | None:
    """What is found of permuted labels; None where all reports, or none, are performance bugs."""
    if not 0 < paths.n_performance < len(paths.is_performance) or paths.months < 2:
        return None
    totals = paths.counts(paths.steps.sum(axis=0))
    rises: dict[str, list[Floats]] = {series: [] for series in SERIES}
    found: dict[tuple[str, str], int] = {}
    for sums in permuted_counts(paths.steps, paths.n_performance, permutations, SEED):
        for series, counts in paths.counts(sums).items():
            rising, falling = pairs_of(counts, totals[series])
            rises[series].append(rising - falling)
            if not alarms:
                continue
            for method, alarm in _alarms(series, counts, totals[series], rising, falling):
                found[series, method] = found.get((series, method), 0) + int(alarm.sum())
    return _Chance(
        permutations, {name: np.concatenate(parts) for name, parts in rises.items()}, found
    )


def _alarms(
    series: str, counts: Floats, totals: Floats, rising: Floats, falling: Floats
) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Of each method that takes months as independent, of which permutations it finds a trend."""
    yield "cox_stuart", stats.binom.sf(rising - 1, rising + falling, 0.5) <= LEVEL
    if series in FLOWS:
        years = np.arange(len(totals)) / MONTHS_IN_A_YEAR
        yield "binomial_regression", binomial_regression(counts, totals, years).pvalue <= LEVEL
        yield "cochran_armitage", cochran_armitage(counts, totals, years)[1] <= LEVEL


def pairs_of(counts: Floats, totals: Floats) -> tuple[Floats, Floats]:
    """Pairs of months whose share rises, and those whose share falls, as the paper pairs them."""
    half = counts.shape[-1] // 2
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(totals > 0, counts / totals, np.nan)
        change = share[..., counts.shape[-1] - half :] - share[..., :half]
    return (change > 0).sum(-1).astype(np.float64), (change < 0).sum(-1).astype(np.float64)


# The rows


def _row(series: str, method: str, n: int, **figures: object) -> dict[str, Any]:
    return {
        **dict.fromkeys(schema_of(_SCHEMA).names()),
        "series": series,
        "method": method,
        "n": n,
        **figures,
    }


def _share(months: pl.DataFrame, series: str) -> pl.Series:
    """The percentages of a series; NULL where there is nothing of which to take a share."""
    performance, total = SERIES[series]
    share = pl.when(pl.col(total) > 0).then(100.0 * pl.col(performance) / pl.col(total))
    return months.select(share=share).get_column("share")


def _paper_row(series: str, months: pl.DataFrame, chance: _Chance | None) -> dict[str, Any]:
    test = cox_stuart(_share(months, series), alternative=TREND_ALTERNATIVE)
    alarms = None if chance is None else chance.share(series, "cox_stuart")
    told = f"the paper's test: {test.n_positive} of {test.n_pairs} pairs of months rise, "
    told += p_text(test.pvalue)
    if alarms is not None:
        told += f"; with permuted labels it finds a rise in {100 * alarms:.1f} % of cases, not in 5"
    return _row(
        series,
        "cox_stuart",
        test.n,
        n_pairs=test.n_pairs,
        n_positive=test.n_positive,
        statistic=test.statistic,
        p_value=test.pvalue,
        alternative=test.alternative,
        permutations=None if chance is None else chance.permutations,
        false_alarm_share=alarms,
        result=told,
    )


@dataclass(frozen=True)
class PermutationTest:
    """The paper's count of pairs that rise, and how often permuted labels give as many.

    ``p_value`` is None where there are no labels to permute or no two months that differ; ``told``
    says all of it.
    """

    n: int
    n_pairs: int
    n_positive: int
    p_value: float | None
    permutations: int | None
    told: str


def permutation_test(
    paths: Paths, series: str, permutations: int, chance: _Chance | None = None
) -> PermutationTest:
    """Test a series for a rise by permuting the labels, which keeps what its months share.

    ``chance`` is what is known of permuted labels already.

    References
    ----------
    Good, P. (2005). Permutation, Parametric and Bootstrap Tests of Hypotheses, 3rd edition.
    Springer.
    Phipson, B. and Smyth, G. K. (2010). Permutation P-values should never be zero. Statistical
    Applications in Genetics and Molecular Biology 9, 39.
    """
    chance = chance or _by_chance(paths, permutations, alarms=False)
    totals = paths.counts(paths.steps.sum(axis=0))[series]
    rising, falling = (int(found) for found in pairs_of(paths.performance_counts()[series], totals))
    n = int(np.sum(totals > 0))
    if chance is None or not rising + falling:
        told = "not testable: no labels to permute, or no two months that differ"
        return PermutationTest(n, rising + falling, rising, None, None, told)
    as_extreme = int(np.sum(chance.rises[series] >= rising - falling))
    p = (as_extreme + 1) / (chance.permutations + 1)
    told = (
        f"{rising} of {rising + falling} pairs of months rise, with permuted labels as many in "
        f"{100 * as_extreme / chance.permutations:.1f} % of {chance.permutations:,} cases, "
        f"{p_text(p)}"
    )
    return PermutationTest(n, rising + falling, rising, p, chance.permutations, told)


def _permutation_row(series: str, paths: Paths, chance: _Chance | None) -> dict[str, Any]:
    test = permutation_test(paths, series, PERMUTATIONS, chance)
    return _row(
        series,
        "permutation",
        test.n,
        n_pairs=test.n_pairs,
        n_positive=test.n_positive,
        statistic=float(test.n_positive) if test.n_pairs else None,
        p_value=test.p_value,
        alternative=TREND_ALTERNATIVE,
        permutations=test.permutations,
        result=test.told,
    )


def _flow_rows(
    series: str, months: pl.DataFrame, strata: NDArray[Any], chance: _Chance | None
) -> Iterator[dict[str, Any]]:
    known = months.with_columns(stratum=pl.Series(strata)).drop_nulls(list(SERIES[series]))
    successes, totals = (known[name].to_numpy() for name in SERIES[series])
    # One calendar for all repositories, so that a year is a year.
    first = known["month"].min()
    years = known.select(_months_after(str(first)) / MONTHS_IN_A_YEAR).to_series().to_numpy()
    groups = known["stratum"].to_numpy()
    n = int(np.sum(totals > 0))
    permutations = None if chance is None else chance.permutations
    fit = binomial_regression(successes, totals, years, groups)
    told = _trend_text(series, fit)
    yield _row(
        series,
        "binomial_regression",
        n,
        statistic=_known(fit.statistic),
        p_value=_known(fit.pvalue),
        alternative="two-sided",
        odds_ratio_per_year=_known(fit.odds_ratio),
        odds_ratio_low=_known(fit.low),
        odds_ratio_high=_known(fit.high),
        dispersion=_known(fit.dispersion),
        heterogeneity_p_value=_known(fit.heterogeneity_pvalue),
        permutations=permutations,
        false_alarm_share=None if chance is None else chance.share(series, "binomial_regression"),
        result=told,
    )
    z, pvalue = cochran_armitage(successes, totals, years, groups)
    yield _row(
        series,
        "cochran_armitage",
        n,
        statistic=_known(z),
        p_value=_known(pvalue),
        alternative="two-sided",
        permutations=permutations,
        false_alarm_share=None if chance is None else chance.share(series, "cochran_armitage"),
        result=f"z = {float(z):.2f}, {p_text(_known(pvalue))}"
        if np.isfinite(z)
        else "not testable",
    )


def _months_after(first: str) -> pl.Expr:
    year, month = (pl.col("month").str.slice(*part).cast(pl.Int64) for part in ((0, 4), (5, 2)))
    start = int(first[:4] or 0) * 12 + int(first[5:7] or 0) if first != "None" else 0
    return year * 12 + month - start


def _trend_text(series: str, fit: BinomialTrend) -> str:
    ratio, low, high, p = (
        _known(value) for value in (fit.odds_ratio, fit.low, fit.high, fit.pvalue)
    )
    if ratio is None:
        return "not testable: too few months, or no performance bug among them"
    told = (
        f"among {_COUNTED[series]} the odds of a performance bug change by a factor of "
        f"{ratio:.2f} a year [{low:.2f}, {high:.2f}], {p_text(p)}"
    )
    between = _known(fit.heterogeneity_pvalue)
    return told if between is None else f"{told}; equal in all repositories: {p_text(between)}"


def _known(value: Floats | float) -> float | None:
    number = float(value)
    return number if np.isfinite(number) else None
