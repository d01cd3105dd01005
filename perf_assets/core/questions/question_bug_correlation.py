"""Users and developers of a framework over the same months: do their troubles go together?"""

from collections.abc import Iterator

import polars as pl

from perf_assets.base.months import add_months
from perf_assets.core.analyses.formatting import as_json
from perf_assets.core.analyses.group_samples import CONFIDENCE, groups_of
from perf_assets.core.statistics.lags import (
    REPLICATES,
    SEED,
    LagResult,
    lagged_correlations,
    without_trend,
)
from perf_assets.core.statistics.minimum_events import REGRESSION
from perf_assets.schema import schema_of

LAGS = range(-12, 13)
FEWEST_MONTHS = 36
"""A year at the largest lag leaves two years of pairs."""

HALF_WIDTH, BLOCK = 24, 12
"""Moves over more than about two years are taken out; a year stays together when a series is
resampled. Chosen by simulated pairs of series, 48 and 100 months, that have nothing in common: of
those without autocorrelation the band loses 6 of 100, and 6 to 9 where neighbouring months have 0.4
in common."""

PARAMETERS = as_json(
    detrending="log(1 + n) less a local line, tricube weights",
    half_width=HALF_WIDTH,
    band="circular block bootstrap, largest over the lags",
    block=BLOCK,
    replicates=REPLICATES,
    seed=SEED,
)


def question_bug_correlation(months: pl.DataFrame) -> pl.DataFrame:
    """Rank correlations of performance questions with performance bugs, at lags of a year each way.

    Parameters
    ----------
    months : ``marts.questions_vs_bugs_monthly``: repository, forum, month, is_complete,
        performance_questions, performance_bugs. Of each framework and forum the longest run of
        months counts that are complete and decided, the later one of equals.

    Returns
    -------
    ``analysis.question_bug_correlation``: a row for each repository, forum and lag. A positive lag
    pairs questions with later bugs. With fewer than 36 months, or where one side does not vary,
    figures are NULL and ``result`` says why.
    """
    rows = [
        row
        for (repository, forum), group in groups_of(months, "repository", "forum")
        for row in _rows(repository, forum, _longest_run(group))
    ]
    return pl.DataFrame(rows, schema=schema_of("analysis.question_bug_correlation"), orient="row")


def _longest_run(months: pl.DataFrame) -> pl.DataFrame:
    """Return the longest run of months one after the other, of those that count."""
    usable = months.filter("is_complete", pl.col("performance_questions").is_not_null())
    usable = usable.sort("month")
    runs: list[list[str]] = []
    for month in usable["month"]:
        if runs and add_months(runs[-1][-1], 1) == month:
            runs[-1].append(month)
        else:
            runs.append([month])
    longest = max(runs, key=lambda run: (len(run), run[0]), default=[])
    return usable.filter(pl.col("month").is_in(longest))


def _rows(repository: str, forum: str, months: pl.DataFrame) -> Iterator[tuple[object, ...]]:
    n = months.height
    events = min(int(months[name].sum()) for name in ("performance_questions", "performance_bugs"))
    why = "one of the two does not vary"
    if n < FEWEST_MONTHS:
        why = f"{n} complete months in a row; at least {FEWEST_MONTHS} are needed"
    elif events < REGRESSION:
        why = f"{events} in all; at least {REGRESSION} questions and bugs are needed"
    if n < FEWEST_MONTHS or events < REGRESSION:
        results = [LagResult(lag, max(0, n - abs(lag)), None, None) for lag in LAGS]
    else:
        questions, bugs = (
            without_trend(months[name].to_list(), HALF_WIDTH)
            for name in ("performance_questions", "performance_bugs")
        )
        results = lagged_correlations(questions, bugs, LAGS, BLOCK, CONFIDENCE)
    for result in results:
        correlation, band = result.statistic, result.band
        low = high = is_outside = None
        text = f"not tested: {why}"
        if correlation is not None and band is not None:
            low, high = max(-1.0, correlation - band), min(1.0, correlation + band)
            is_outside = abs(correlation) > band
            text = (
                f"performance questions {_side(result.lag)}: rank correlation {correlation:+.2f}, "
                f"{'outside' if is_outside else 'within'} the band of ±{band:.2f} over all lags"
            )
        yield (
            *(repository, forum, result.lag),
            *(months["month"].min(), months["month"].max(), result.n),
            *("spearman", PARAMETERS, correlation, low, high, band, CONFIDENCE, is_outside),
            text,
        )


def _side(lag: int) -> str:
    """Return in words how far questions are from bugs."""
    if lag == 0:
        return "in the same month"
    months = f"{abs(lag)} month{'s' * (abs(lag) > 1)}"
    return f"{months} {'before' if lag > 0 else 'after'} performance bugs"
