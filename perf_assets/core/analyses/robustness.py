"""Statistics a reviewer would ask for, beside the paper's: trends of each month's own share with
autocorrelation taken into account, and effect sizes with intervals and adjusted p-values.

Every row names its method and parameters (JSON text) and says its result in words, so that it can
be read alone. What concerns the time to a fix is in :mod:`perf_assets.core.analyses.fix_time`.
"""

import json
from collections.abc import Iterator

import polars as pl

from perf_assets.core.analyses.comparisons import (
    METRICS,
    POOLED,
    TREND_ALTERNATIVE,
    by_repository,
    by_repository_and_pooled,
    complete_months,
    metric_samples,
)
from perf_assets.core.statistics.samples import (
    cliffs_delta_interval,
    cox_stuart,
    holm,
    magnitude,
    mann_whitney_u,
)
from perf_assets.core.statistics.trend import Correction, mann_kendall
from perf_assets.tables import schema_of

CONFIDENCE = 0.95
"""Of every interval in the analysis tables."""

SHARES = {
    "open": ("open_performance", "open_total"),
    "fixed": ("fixed_performance", "fixed_total"),
    "opened": ("opened_performance", "opened_total"),
    "newly_fixed": ("newly_fixed_performance", "newly_fixed_total"),
}
"""The series, and the columns of ``marts.trend_monthly`` whose ratio each is.

The paper's two are cumulative: a month's value holds most of the month's before. The other two
are the month's own flow.
"""


def trend_robustness(trend_monthly: pl.DataFrame) -> pl.DataFrame:
    """Test four series of performance shares for an increase, with autocorrelation in mind.

    Parameters
    ----------
    trend_monthly
        ``marts.trend_monthly``: dataset, repository, month, is_complete and the columns of
        :data:`SHARES`. Only complete months count; a share of nothing is missing. The pooled
        series adds the counts of the months that every repository of the dataset has, so that its
        make-up stays the same.

    Returns
    -------
    ``analysis.trend_robustness``: for each dataset, repository
    (and pooled) and series three rows: ``cox_stuart`` (statistic: pairs that rise),
    ``mann_kendall`` and ``mann_kendall_hamed_rao`` (statistic: z), all one-sided. ``n`` is the
    number of months with a share, ``sens_slope`` in percentage points a month. Figures that could
    not be had are NULL.
    """
    rows = [
        (dataset, repository, series, *test)
        for dataset, repository, months in _complete_series(trend_monthly)
        for series, (performance, total) in SHARES.items()
        for test in _tests_of_share(_share(months, performance, total))
    ]
    return pl.DataFrame(rows, schema=schema_of("analysis.trend_robustness"), orient="row")


def effect_sizes(bug_metrics: pl.DataFrame) -> pl.DataFrame:
    """Cliff's delta with its interval, and p-values adjusted for the number of metrics (Holm).

    Parameters
    ----------
    bug_metrics
        As for :func:`~perf_assets.core.analyses.comparisons.group_comparisons`, whose rows these
        complete.

    Returns
    -------
    ``analysis.effect_sizes``: one row for each dataset, repository
    (and pooled) and metric. The family of the adjustment is the metrics of the row's dataset and
    repository that could be tested.
    """
    rows = [
        (dataset, repository, *row)
        for dataset, repository, bugs in by_repository_and_pooled(bug_metrics)
        for row in _effects(bugs)
    ]
    return pl.DataFrame(rows, schema=schema_of("analysis.effect_sizes"), orient="row")


def p_text(p: float | None) -> str:
    """A p-value for a sentence: ``p = 0.024``, ``p < 0.001`` or ``not testable``."""
    if p is None:
        return "not testable"
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def as_json(**parameters: object) -> str:
    """Parameters of a method as JSON text."""
    return json.dumps(parameters, ensure_ascii=False)


def _complete_series(trend_monthly: pl.DataFrame) -> Iterator[tuple[str, str, pl.DataFrame]]:
    """Each dataset and repository with its complete months in order, then all of them together."""
    for dataset in trend_monthly.get_column("dataset").unique().sort():
        of_dataset = trend_monthly.filter(pl.col("dataset") == dataset)
        repositories = list(by_repository(of_dataset))
        for _, repository, months in repositories:
            yield dataset, repository, complete_months(months)
        yield dataset, POOLED, _pooled_months(complete_months(of_dataset), len(repositories))


def _pooled_months(months: pl.DataFrame, n_repositories: int) -> pl.DataFrame:
    """The sums of the months that all repositories have; NULL where one of them has no count."""
    counts = [column for pair in SHARES.values() for column in pair]
    return (
        months.group_by("month")
        .agg(
            pl.len().alias("repositories"),
            *(pl.when(pl.col(name).null_count() == 0).then(pl.col(name).sum()) for name in counts),
        )
        .filter(pl.col("repositories") == n_repositories)
        .sort("month")
    )


def _share(months: pl.DataFrame, performance: str, total: str) -> pl.Series:
    share = pl.when(pl.col(total) > 0).then(100.0 * pl.col(performance) / pl.col(total))
    return months.select(share=share).get_column("share")


def _tests_of_share(share: pl.Series) -> Iterator[tuple[object, ...]]:
    pairs = cox_stuart(share, alternative=TREND_ALTERNATIVE)
    yield (
        "cox_stuart",
        as_json(alternative=TREND_ALTERNATIVE, n_pairs=pairs.n_pairs, n_ties=pairs.n_ties),
        pairs.n,
        pairs.statistic,
        pairs.pvalue,
        None,
        f"{pairs.n_positive} of {pairs.n_pairs} pairs of months rise, {p_text(pairs.pvalue)}",
    )
    yield "mann_kendall", *_mann_kendall_row(share, "none")
    yield "mann_kendall_hamed_rao", *_mann_kendall_row(share, "hamed_rao")


def _mann_kendall_row(share: pl.Series, correction: Correction) -> tuple[object, ...]:
    test = mann_kendall(share, alternative=TREND_ALTERNATIVE, correction=correction)
    lags = "all significant at 0.05" if correction == "hamed_rao" else None
    parameters = as_json(alternative=TREND_ALTERNATIVE, correction=correction, lags=lags)
    if test.slope is None:
        result = "too few different months for a test"
    elif test.statistic is None:
        result = f"{test.slope:+.3f} points a month; the correction leaves no variance to test by"
    else:
        result = (
            f"{test.slope:+.3f} points a month, z = {test.statistic:.2f}, {p_text(test.pvalue)}"
        )
    return parameters, test.n, test.statistic, test.pvalue, test.slope, result


def _effects(bugs: pl.DataFrame) -> Iterator[tuple[object, ...]]:
    samples = {metric: metric_samples(bugs, metric) for metric in METRICS}
    pvalues = [mann_whitney_u(*sample).pvalue for sample in samples.values()]
    tested = [metric for metric, p in zip(samples, pvalues, strict=True) if p is not None]
    parameters = as_json(
        confidence=CONFIDENCE,
        variance="consistent (Cliff 1996)",
        test="mann_whitney_u",
        adjustment="holm",
        family=tested,
    )
    for (metric, sample), p, adjusted in zip(samples.items(), pvalues, holm(pvalues), strict=True):
        effect = cliffs_delta_interval(*sample, confidence=CONFIDENCE)
        yield (
            metric,
            "cliffs_delta",
            parameters,
            effect.n_x + effect.n_y,
            effect.n_x,
            effect.n_y,
            effect.statistic,
            effect.low,
            effect.high,
            p,
            adjusted,
            _effect_text(effect.statistic, effect.low, effect.high, adjusted),
        )


def _effect_text(
    delta: float | None, low: float | None, high: float | None, adjusted: float | None
) -> str:
    if delta is None:
        return "no bug reports in one of the groups"
    interval = "" if low is None or high is None else f" [{low:.3f}, {high:.3f}]"
    return f"{magnitude(delta)}: delta = {delta:.3f}{interval}, Holm-adjusted {p_text(adjusted)}"
