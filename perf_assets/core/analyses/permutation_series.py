"""The monthly series as sums over bug reports, and what they are with the labels permuted."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import sparse, stats

from perf_assets.core.analyses.formatting import p_text
from perf_assets.core.statistics.minimum_events import REGRESSION, too_few
from perf_assets.core.statistics.permutation import is_decided, permuted_counts
from perf_assets.core.statistics.power import ODDS_RATIO, power
from perf_assets.core.statistics.samples import Floats, finite
from perf_assets.core.statistics.trend import binomial_regression, cochran_armitage

PARTS = {
    "open": "open in any month",
    "fixed": "fixed",
    "opened": "opened",
    "newly_fixed": "newly fixed",
}
"""The series, and what the bug reports of each are, for a sentence about their number."""

SERIES = {series: (f"{series}_performance", f"{series}_total") for series in PARTS}
"""The columns of ``marts.trend_monthly`` whose ratio each series is."""

FLOWS = ("opened", "newly_fixed")
"""The series that are the month's own; the others are cumulative, as in the paper."""

SEED = 5
LEVEL = 0.05
"""At which false alarms are counted, and p-values read."""

LOOKS = (999, 1_999, 4_999)
"""Permutations after which the test stops where its reading at :data:`LEVEL` is decided."""

RISK = 0.001
"""With what probability, at most, a reading that was decided early is another one in the end."""

MONTHS_IN_A_YEAR = 12

_REPOSITORY = ("dataset", "repository")


@dataclass(frozen=True)
class CumulativeSeries:
    """What each bug report adds to each series, month by month, and which are performance bugs.

    steps : shape (reports, 4 x months), what changes by the report; the series in the order of
        :data:`SERIES`. Cumulative ones are sums over the months up to one.
    opened : the index, among all of them, of the month in which each was opened.
    numbers : the number of each report.
    """

    months: int
    steps: sparse.csr_array
    is_performance: NDArray[np.bool_]
    opened: NDArray[np.int64]
    numbers: NDArray[np.int64]

    @cached_property
    def totals(self) -> dict[str, Floats]:
        """The monthly counts of each series."""
        return self.counts(self.steps.sum(axis=0))

    @property
    def n_performance(self) -> int:
        """Return how many of the reports are performance bugs."""
        return int(self.is_performance.sum())

    def counts(self, sums: Floats) -> dict[str, Floats]:
        """Return the monthly counts of each series, from sums of ``steps`` over some reports."""
        blocks = np.split(sums, len(SERIES), axis=-1)
        return {
            series: block if series in FLOWS else np.cumsum(block, axis=-1)
            for series, block in zip(SERIES, blocks, strict=True)
        }

    def events(self, series: str) -> tuple[int, int]:
        """Return how many performance bugs, and how many others, are ever part of a series."""
        first = list(SERIES).index(series) * self.months
        steps = self.steps[:, first : first + self.months]
        is_part = np.diff(steps.indptr) > 0
        n_performance = int(np.sum(is_part & self.is_performance))
        return n_performance, int(is_part.sum()) - n_performance

    def too_few(self, series: str) -> str | None:
        """Return why the trend of a series is not tested; None where it is."""
        return too_few("test", REGRESSION, *self.events(series), PARTS[series])

    def middling_slope(self, series: str) -> float:
        """Points a year of a share that grows as fast as odds that double in three years."""
        share = self.performance_counts()[series].sum() / self.totals[series].sum()
        return 100 * float(share) * (ODDS_RATIO - 1)

    def performance_counts(self) -> dict[str, Floats]:
        """Return the monthly counts of each series of performance bugs alone."""
        return self.counts(self.steps.T @ self.is_performance.astype(np.float64))


def series_by_repository(
    history: pl.DataFrame, months: pl.DataFrame
) -> dict[tuple[str, str], CumulativeSeries]:
    """Return the bug reports of each dataset and repository, in their order, as of its last month.

    Parameters
    ----------
    history : ``marts.issue_history``.
    months : dataset, repository, month: those of the series, in order of time.

    Notes
    -----
    All repositories go through the same queries: of many small ones, queries of their own would
    take longer than what they find.
    """
    series = months.select(*_REPOSITORY, _number("month"))
    series = series.group_by(_REPOSITORY, maintain_order=True).agg("month").sort(_REPOSITORY)
    closed = pl.col("closed_at").dt.convert_time_zone("UTC").dt
    states = (
        history.select(
            *(*_REPOSITORY, "number", "is_bug_report", "is_performance", "is_fixed"),
            *(_number(name) for name in ("month", "until_month", "opened_month")),
            is_open=pl.col("state") == "open",
            closed_month=(12 * closed.year().cast(pl.Int64) + closed.month()).fill_null(-1),
        )
        .join(series.select(*_REPOSITORY, last=pl.col("month").list.last()), on=_REPOSITORY)
        .filter(pl.col("month") <= pl.col("last"))
        .sort(*_REPOSITORY, "number", "month")
    )
    now = (
        states.unique([*_REPOSITORY, "number"], keep="last", maintain_order=True)
        .filter("is_bug_report")
        .with_columns(report=pl.int_range(pl.len(), dtype=pl.Int64).over(_REPOSITORY))
    )
    of_report = now.select(*_REPOSITORY, "number", "report")
    spans = states.join(of_report, on=[*_REPOSITORY, "number"], maintain_order="left")
    reports, parts = (
        rows.partition_by(_REPOSITORY, as_dict=True, include_key=False) for rows in (now, spans)
    )
    return {
        (dataset, repository): _paths(
            reports.get((dataset, repository), now.clear()),
            parts.get((dataset, repository), spans.clear()),
            np.array(numbers),
        )
        for dataset, repository, numbers in series.iter_rows()
    }


def _number(column: str) -> pl.Expr:
    """Return a month as a number that rises by one from each to the next."""
    year, month = year_and_month(column)
    return (12 * year + month).alias(column)


def year_and_month(column: str) -> tuple[pl.Expr, pl.Expr]:
    """Return the two numbers of a month, written as YYYY-MM."""
    text = pl.col(column).str
    return text.slice(0, 4).cast(pl.Int64), text.slice(5, 2).cast(pl.Int64)


def _paths(
    reports: pl.DataFrame, spans: pl.DataFrame, months: NDArray[np.int64]
) -> CumulativeSeries:
    """Return the series of one repository, from its reports and the months of their states."""
    n_months = len(months)
    names = ("report", "month", "opened_month", "closed_month", "is_open", "is_fixed")
    report, month, opened, closed, is_open, is_fixed = (spans[name].to_numpy() for name in names)
    start = np.searchsorted(months, month)
    end = np.searchsorted(months, spans["until_month"].fill_null(months[-1] + 1).to_numpy())
    is_of_series = months[start] == month
    steps = []
    for index, (series, chosen) in enumerate(
        {
            "open": is_open,
            "fixed": is_fixed,
            "opened": (month == opened) & is_of_series,
            "newly_fixed": is_fixed & (closed == month) & is_of_series,
        }.items()
    ):
        first = index * n_months
        steps.append((report[chosen], start[chosen] + first, np.ones(chosen.sum())))
        if series not in FLOWS:
            ended = chosen & (end < n_months)
            steps.append((report[ended], end[ended] + first, np.full(ended.sum(), -1.0)))
    rows, columns, values = (np.concatenate(parts) for parts in zip(*steps, strict=True))
    shape = (reports.height, len(SERIES) * n_months)
    return CumulativeSeries(
        n_months,
        # Steps of one report in one month add up.
        sparse.coo_array((values, (rows, columns)), shape=shape).tocsr(),
        reports["is_performance"].to_numpy(),
        np.unique(reports["opened_month"].to_numpy(), return_inverse=True)[1],
        reports["number"].to_numpy(),
    )


NO_SERIES = CumulativeSeries(
    0,
    sparse.csr_array((0, 0), dtype=np.float64),
    np.zeros(0, dtype=np.bool_),
    np.zeros(0, dtype=np.int64),
    np.zeros(0, dtype=np.int64),
)
"""Of a repository without a month."""


@dataclass(frozen=True)
class NullDistribution:
    """What the tests find of permuted labels.

    slopes : of each series, see :func:`slopes_of`, by permutation.
    alarms : of each series and method, in how many permutations it finds a trend.
    """

    permutations: int
    slopes: dict[str, Floats]
    alarms: Mapping[tuple[str, str], int]

    def share(self, series: str, method: str) -> float | None:
        """Return the share of permutations in which ``method`` finds a trend of ``series``."""
        alarms = self.alarms.get((series, method))
        return None if alarms is None else alarms / self.permutations


def null_distribution(
    paths: CumulativeSeries, permutations: int, *, alarms: bool = True
) -> NullDistribution | None:
    """Return what is found of permuted labels; None where all series have too few events.

    There are at most so many ``permutations``, and fewer where the readings of the permutation
    tests of both cumulative series are decided, see :data:`LOOKS`.
    """
    if paths.months < 2 or all(paths.too_few(series) is not None for series in SERIES):
        return None
    totals = paths.totals
    slopes: dict[str, list[Floats]] = {series: [] for series in SERIES}
    n_alarms = Counter[tuple[str, str]]()
    drawn = 0
    for sums, index in permuted_counts(paths.steps, paths.n_performance, permutations, SEED, LOOKS):
        drawn += len(index)
        for series, counts in paths.counts(sums).items():
            slopes[series].append(slopes_of(counts, totals[series])[index])
            if alarms:
                for method, alarm in _alarms(series, counts, totals[series]):
                    n_alarms[series, method] += int(alarm[index].sum())
        if drawn in LOOKS and _are_decided(paths, slopes):
            break
    return NullDistribution(
        drawn, {name: np.concatenate(parts) for name, parts in slopes.items()}, n_alarms
    )


def _are_decided(paths: CumulativeSeries, slopes: Mapping[str, Sequence[Floats]]) -> bool:
    observed = paths.performance_counts()
    for series in SERIES:
        slope = float(slopes_of(observed[series], paths.totals[series]))
        if series in FLOWS or not np.isfinite(slope):
            continue
        permuted = np.concatenate(slopes[series])
        tails = tails_of(permuted, slope)
        if not is_decided(tails, len(permuted), LEVEL, RISK / len(LOOKS)):
            return False
    return True


def tails_of(permuted: Floats, slope: float) -> tuple[int, int]:
    """Return how many permuted slopes are at least as large as ``slope``, and how many at most."""
    # What only rounding sets apart is as steep.
    tolerance = 1e-9 * max(1.0, abs(slope))
    return (
        int(np.sum(permuted >= slope - tolerance)),
        int(np.sum(permuted <= slope + tolerance)),
    )


def _alarms(series: str, counts: Floats, totals: Floats) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Yield each method that takes months as independent, and in which permutations it alarms."""
    rising, falling = pairs_of(counts, totals)
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


def slopes_of(counts: Floats, totals: Floats) -> Floats:
    """Slopes of shares over the months, each weighted by its total, in percentage points a year.

    ``counts`` have the shape (..., months). NaN where fewer than two months have a total.
    """
    centred = months_about_their_mean(totals)
    spread = totals @ centred**2
    slopes: Floats = 100 * (counts @ centred) / (spread if spread > 0 else np.nan)
    return slopes


def months_about_their_mean(totals: Floats) -> Floats:
    """Return the time of each month in years, less their mean weighted by ``totals``."""
    years = np.arange(len(totals)) / MONTHS_IN_A_YEAR
    whole = totals.sum()
    centred: Floats = years - (totals @ years) / whole if whole else years
    return centred


@dataclass(frozen=True)
class PermutationTest:
    """The slope of a series, and how often permuted labels give one as steep.

    n : months with a share.
    slope : percentage points a year; None with fewer than two such months.
    p_value : None too where there are no labels to permute.
    text : the result in words.
    power : for a share whose odds double in three years.
    is_too_few : whether there are too few events for any of these.
    """

    n: int
    slope: float | None
    p_value: float | None
    permutations: int | None
    text: str
    power: float | None = None
    is_too_few: bool = False


def permutation_test(
    paths: CumulativeSeries, series: str, permutations: int, chance: NullDistribution | None = None
) -> PermutationTest:
    """Test a series for a trend by permuting the labels, which keeps what its months share.

    The statistic is the slope, for it has one value for each make-up of the series. The count of
    pairs that rise, as in the paper's test, has few: in cumulative series all of them rise with
    permuted labels too, in one case of ten, and such a test could not find much.

    ``chance`` is the null distribution, where it is computed already.

    References
    ----------
    Good, P. (2005). Permutation, Parametric and Bootstrap Tests of Hypotheses, 3rd edition.
    Springer.
    Phipson, B. and Smyth, G. K. (2010). Permutation P-values should never be zero. Statistical
    Applications in Genetics and Molecular Biology 9, 39.
    """
    totals = paths.totals[series]
    n = int(np.sum(totals > 0))
    if (reason := paths.too_few(series)) is not None:
        return PermutationTest(n, None, None, None, reason, is_too_few=True)
    chance = chance or null_distribution(paths, permutations, alarms=False)
    slope = float(slopes_of(paths.performance_counts()[series], totals))
    if chance is None or not np.isfinite(slope):
        text = "not testable: no labels to permute, or no two months with a share"
        return PermutationTest(n, finite(slope), None, None, text)
    rising, falling = tails_of(chance.slopes[series], slope)
    # Twice the smaller tail: the slopes of permuted labels need not lie evenly about 0.
    p = min(1.0, 2 * (min(rising, falling) + 1) / (chance.permutations + 1))
    as_far, way = min((rising, "up"), (falling, "down"))
    text = (
        f"the share changes by {slope:+.2f} points a year; with permuted labels as far {way} in "
        f"{100 * as_far / chance.permutations:.1f} % of {chance.permutations:,} cases; two-sided "
        f"{p_text(p)}"
    )
    found_power = power(paths.middling_slope(series), float(np.nanstd(chance.slopes[series])))
    return PermutationTest(n, slope, p, chance.permutations, text, found_power)
