"""Changes of level in series of benchmark results, on the axis of the default branch's commits.

The levels of a series are those of asv's own step detection: the piecewise constant function that
is nearest to the values by the sum of absolute differences, with a penalty for each step that asv
chooses by an information criterion (``asv.step_detect``). A step of asv counts if it lasts, is
large enough, and its levels can be told apart. ``tests/benchmarks/benchmark_steps.py`` measures how
often chance alone gives such a step, and how large a step must be to be found.
"""

from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from scipy.stats import binom

from perf_assets.base.processes.progress import phase
from perf_assets.core.analyses.regressions import with_regressions
from perf_assets.core.statistics.samples import Floats
from perf_assets.schema import schema_of

TABLE = "marts.benchmark_changes"

SERIES = (
    *("repository", "benchmark", "benchmark_parameters"),
    *("machine", "environment", "unit", "benchmark_version"),
)
"""What is the same in all results of a series; results of other code are those of another one."""

LEAST_RESULTS = 3
"""On each side of a change: with fewer a disturbed measurement would be one."""

LEAST_RATIO = 1.05
"""Of the higher level to the lower one."""

CONFIDENCE = 0.95
"""Of the interval of each level, the median of its results."""

LEAST_OF_SERIES = 2 * LEAST_RESULTS


class Step(NamedTuple):
    """A change of level between the results ``before`` and ``at``, as positions in the series.

    value_before, value_after : the levels, medians of the results.
    ratio_low, ratio_high : limits of their ratio, from those of each level.
    """

    before: int
    at: int
    value_before: float
    value_after: float
    ratio_low: float
    ratio_high: float
    results_before: int
    results_after: int


_STEP = {"series_number": pl.Int64} | {
    name: pl.Float64 if kind is float else pl.Int64 for name, kind in Step.__annotations__.items()
}


def benchmark_changes(
    points: pl.DataFrame, series: pl.DataFrame, commit_positions: pl.DataFrame
) -> pl.DataFrame:
    """Return the changes of level of all series.

    Series with a value of 0 or below, which has no ratio, have none.

    Parameters
    ----------
    points : ``intermediate.benchmark_points``: series_number, commit_position, measured_value.
    series : ``intermediate.benchmark_series``.
    commit_positions : ``intermediate.commit_positions``: repository, sha, committed_at,
        commit_position.

    Returns
    -------
    ``marts.benchmark_changes``.
    """
    rows: list[dict[str, Any]] = []
    by_number = points.sort("series_number", "commit_position").group_by(
        "series_number", maintain_order=True
    )
    with phase("looking for changes of benchmarks", series.height, "series") as progress:
        for (number,), results in by_number:
            positions = results["commit_position"]
            for step in steps(results["measured_value"].to_numpy()):
                places = {"before": positions[step.before], "at": positions[step.at]}
                rows.append({"series_number": number, **step._asdict(), **places})
            progress(progress.done + 1)
    found = pl.DataFrame(rows, schema=_STEP)
    axis = commit_positions.select("repository", "sha", "committed_at", "commit_position")
    before = axis.select("repository", "commit_position", last_sha_before="sha")
    ratio = pl.col("value_after") / pl.col("value_before")
    changes = (
        found.join(series, on="series_number")
        .join(axis, left_on=["repository", "at"], right_on=["repository", "commit_position"])
        .join(before, left_on=["repository", "before"], right_on=["repository", "commit_position"])
        .with_columns(
            pl.col("committed_at").dt.strftime("%Y-%m").alias("month"),
            (pl.col("before") + 1).alias("first_position"),
            pl.col("at").alias("last_position"),
            ratio.alias("ratio"),
            ((ratio < 1) == pl.col("is_higher_better")).alias("is_regression"),
        )
        .sort(*SERIES, "last_position")
    )
    schema = schema_of(TABLE)
    return with_regressions(changes).select(schema.names()).cast(schema)


def steps(values: Floats) -> Iterator[Step]:
    """Yield the changes of level in a series of ``values``, in order."""
    if len(values) < LEAST_OF_SERIES or not values.min() > 0:
        return
    from asv import step_detect  # noqa: PLC0415  (a quarter of a second, where there are series)

    levels = [
        (start, end)
        for start, end, *_ in step_detect.detect_steps(values.tolist())
        if end - start >= LEAST_RESULTS
    ]
    for (start, end), (after, last) in pairwise(levels):
        one, other = np.sort(values[start:end]), np.sort(values[after:last])
        before_low, before, before_high = _level(one)
        after_low, level, after_high = _level(other)
        is_large = max(before, level) >= LEAST_RATIO * min(before, level)
        if is_large and (after_low > before_high or after_high < before_low):
            low, high = after_low / before_high, after_high / before_low
            yield Step(end - 1, after, before, level, low, high, end - start, last - after)


def _level(ordered: Floats) -> tuple[float, float, float]:
    """Return the median of ``ordered`` values between the limits of its interval.

    By order statistics, which need no distribution (Conover, Practical Nonparametric Statistics,
    1999, section 3.2); of few values these are the smallest and the largest.
    """
    place = _limit(len(ordered))
    return float(ordered[place]), float(np.median(ordered)), float(ordered[-1 - place])


@cache
def _limit(number: int) -> int:
    return max(int(binom.ppf((1 - CONFIDENCE) / 2, number, 0.5)) - 1, 0)
