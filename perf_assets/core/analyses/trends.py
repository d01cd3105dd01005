"""Whether performance bugs become a larger part: of the open and fixed ones, and of each month's.

The two cumulative series of the paper hold most of a month's value in the next, so that any test
that takes months as independent finds trends where there are none. Of these a permutation test is
made; estimates with intervals are of the month's own flow.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from perf_assets.core.analyses.formatting import factor_text, p_text
from perf_assets.core.analyses.group_samples import (
    POOLED,
    TREND_ALTERNATIVE,
    complete_months,
    groups_of,
    rows_of_repositories,
)
from perf_assets.core.analyses.permutation_series import (
    FLOWS,
    MONTHS_IN_A_YEAR,
    NO_SERIES,
    PARTS,
    SERIES,
    CumulativeSeries,
    NullDistribution,
    null_distribution,
    permutation_test,
    series_by_repository,
    year_and_month,
)
from perf_assets.core.parallel import map_repositories
from perf_assets.core.statistics.minimum_events import PAIRS, REGRESSION, too_few
from perf_assets.core.statistics.power import ODDS_RATIO, ratio_power
from perf_assets.core.statistics.samples import cox_stuart, finite
from perf_assets.core.statistics.trend import BinomialTrend, binomial_regression, cochran_armitage
from perf_assets.schema import schema_of

HEADLINES = {
    "open": "permutation",
    "fixed": "permutation",
    "opened": "binomial_regression",
    "newly_fixed": "binomial_regression",
}
"""The test by which each series is read; the others stand beside it."""

PERMUTATIONS = 9_999

FLOW_METHODS = ("binomial_regression", "cochran_armitage")

NO_TREND = "not testable: too few months or performance bugs for an estimate"

_COUNTED = {
    "opened": "reports opened in a month",
    "newly_fixed": "bugs newly fixed in a month",
}


def trend_tests(trend_monthly: pl.DataFrame, issue_history: pl.DataFrame) -> pl.DataFrame:
    """Test the monthly shares of performance bugs for a trend.

    Parameters
    ----------
    trend_monthly : ``marts.trend_monthly``: dataset, repository, month, is_complete and the columns
        of :data:`SERIES`. Only complete months count; a month without a share (no open bug at all,
        say) keeps its position in the series.
    issue_history : ``marts.issue_history``, from which the same series are counted with labels
        permuted.

    Returns
    -------
    ``analysis.trend_tests``. For each dataset, repository and series a row ``cox_stuart``, the
    paper's test, one-sided; for the cumulative series one ``permutation``, the slope of the
    share, with a p-value from :data:`PERMUTATIONS` permutations of the labels
    among the bug reports, each of which keeps its times; for the flows one
    ``binomial_regression`` and one ``cochran_armitage``, both two-sided. ``false_alarm_share`` is
    in how many of the same permutations a test finds a trend at 0.05. Several repositories also
    have rows of both flows :data:`POOLED`: each keeps its own level, and what differs between
    their trends stands in ``heterogeneity_p_value``.

    Notes
    -----
    All but ``cox_stuart``, which is of the printed series, take the label that a report has at the
    end of the series for its label all the time: that labels are given late must not look like a
    trend.
    """
    rows: list[dict[str, Any]] = []
    year, month = year_and_month("month")  # of one calendar for all repositories
    complete = complete_months(trend_monthly).with_columns(
        years=year + (month - 1) / MONTHS_IN_A_YEAR
    )
    paths, months = series_by_repository(issue_history, complete), rows_of_repositories(complete)
    for (dataset,), of_dataset in groups_of(trend_monthly, "dataset"):
        names = of_dataset["repository"].unique().sort()
        cases = [
            (months.get((dataset, name), complete.clear()), paths.get((dataset, name), NO_SERIES))
            for name in names
        ]
        tested = map_repositories(cases, _tested, "testing trends")
        for repository, (_, found) in zip(names, tested, strict=True):
            rows += [{**row, "dataset": dataset, "repository": repository} for row in found]
        if len(tested) > 1:
            flows = pl.concat([of_repository for of_repository, _ in tested])
            strata = flows["repository"].rank("dense").to_numpy()
            rows += [
                {**row, "dataset": dataset, "repository": POOLED}
                for series in FLOWS
                for row in _flow_rows(series, flows, strata, None)
            ]
    return pl.DataFrame(rows, schema=schema_of("analysis.trend_tests"))


def _tested(
    case: tuple[pl.DataFrame, CumulativeSeries],
) -> tuple[pl.DataFrame, list[dict[str, Any]]]:
    """Return the flows of a repository, and its rows, from its complete months and its paths."""
    months, paths = case
    flows = _flows(months, paths)
    chance = null_distribution(paths, PERMUTATIONS)
    rows: list[dict[str, Any]] = []
    for series in SERIES:
        if series in FLOWS:
            rows += _flow_rows(series, flows, np.zeros(months.height), chance)
        else:
            rows.append(_permutation_row(series, paths, chance))
        rows.append(_paper_row(series, months, paths, chance))
    return flows, rows


def _flows(months: pl.DataFrame, paths: CumulativeSeries) -> pl.DataFrame:
    """Return the complete months with the counts of the flows by the present labels."""
    totals, counts = paths.totals, paths.performance_counts()
    flows = [
        pl.Series(name, counted[series].astype(np.int64))
        for series in FLOWS
        for name, counted in zip(SERIES[series], (counts, totals), strict=True)
    ]
    return pl.DataFrame([months["repository"], months["years"], *flows])


# The rows; columns that one leaves out are NULL


def _paper_row(
    series: str, months: pl.DataFrame, paths: CumulativeSeries, chance: NullDistribution | None
) -> dict[str, Any]:
    performance, total = (months[name].to_numpy() for name in SERIES[series])
    share = np.full(len(total), np.nan)  # months with nothing of which to take one keep it
    np.divide(100.0 * performance, total, out=share, where=total > 0)
    test = cox_stuart(share, alternative=TREND_ALTERNATIVE)
    alarms = None if chance is None else chance.share(series, "cox_stuart")
    text = "the paper's test: no pair of months differs"
    if test.n_pairs:
        text = f"the paper's test: {test.n_positive} of {test.n_pairs} pairs of months rise"
    # Of published series nothing but the counts is known.
    n_performance, n_other = paths.events(series)
    n_performance = max(n_performance, int(performance.max(initial=0)))
    n_other = max(n_other, int((total - performance).max(initial=0)))
    reason = too_few("test", REGRESSION, n_performance, n_other, PARTS[series])
    if reason is None and test.n_pairs < PAIRS:
        reason = f"too few to test: at least {PAIRS} pairs that differ are needed"
    if reason is not None:
        text += f"; {reason}"
    else:
        text += f", {p_text(test.pvalue)}"
        if alarms is not None:
            text += f"; with permuted labels the test shows a rise in {100 * alarms:.1f} % of cases"
            text += " (5 % are expected)"
    return {
        "series": series,
        "method": "cox_stuart",
        "n": test.n,
        "n_pairs": test.n_pairs,
        "n_positive": test.n_positive,
        "statistic": None if reason else test.statistic,
        "p_value": None if reason else test.pvalue,
        "alternative": test.alternative,
        "permutations": None if chance is None else chance.permutations,
        "false_alarm_share": alarms,
        "is_too_few": reason is not None,
        "result": text,
    }


def _permutation_row(
    series: str, paths: CumulativeSeries, chance: NullDistribution | None
) -> dict[str, Any]:
    test = permutation_test(paths, series, PERMUTATIONS, chance)
    return {
        "series": series,
        "method": "permutation",
        "n": test.n,
        "statistic": test.slope,
        "p_value": test.p_value,
        "alternative": "two_sided",
        "permutations": test.permutations,
        "power": test.power,
        "is_too_few": test.is_too_few,
        "result": test.text,
    }


def _flow_rows(
    series: str, months: pl.DataFrame, strata: NDArray[Any], chance: NullDistribution | None
) -> Iterator[dict[str, Any]]:
    successes, totals = (months[name].to_numpy() for name in SERIES[series])
    years = months["years"].to_numpy()
    n_performance = int(successes.sum())
    n_other = int(totals.sum() - successes.sum())
    reason = too_few("test", REGRESSION, n_performance, n_other, PARTS[series])
    shared = {
        "series": series,
        "n": int(np.sum(totals > 0)),
        "alternative": "two_sided",
        "is_too_few": reason is not None,
    }
    if reason is not None:
        yield from ({**shared, "method": method, "result": reason} for method in FLOW_METHODS)
        return
    fit = binomial_regression(successes, totals, years, strata)
    z, pvalue = cochran_armitage(successes, totals, years, strata)
    figures: dict[str, dict[str, Any]] = {
        "binomial_regression": {
            "statistic": finite(fit.statistic),
            "p_value": finite(fit.pvalue),
            "odds_ratio_per_year": finite(fit.odds_ratio),
            "odds_ratio_low": finite(fit.low),
            "odds_ratio_high": finite(fit.high),
            "dispersion": finite(fit.dispersion),
            "heterogeneity_p_value": finite(fit.heterogeneity_pvalue),
            "result": _trend_text(series, fit),
        },
        "cochran_armitage": {
            "statistic": finite(z),
            "p_value": finite(pvalue),
            "result": f"z = {float(z):.2f}, {p_text(finite(pvalue))}"
            if np.isfinite(z)
            else "not testable",
        },
    }
    shared |= {
        "permutations": None if chance is None else chance.permutations,
        "power": ratio_power(ODDS_RATIO, finite(fit.low), finite(fit.high)),
    }
    for method in FLOW_METHODS:
        alarms = None if chance is None else chance.share(series, method)
        yield {**shared, **figures[method], "method": method, "false_alarm_share": alarms}


def _trend_text(series: str, fit: BinomialTrend) -> str:
    change = trend_change(fit)
    if change is None:
        return NO_TREND
    text = f"among {_COUNTED[series]} the odds of a performance bug change by {change}"
    between = finite(fit.heterogeneity_pvalue)
    return text if between is None else f"{text}; test of equal repositories: {p_text(between)}"


def trend_change(fit: BinomialTrend) -> str | None:
    """By what factor the odds change, in words; None where nothing was fitted."""
    ratio, low, high = (finite(value) for value in (fit.odds_ratio, fit.low, fit.high))
    if ratio is None or low is None or high is None:
        return None
    return factor_text(ratio, low, high, finite(fit.pvalue))
