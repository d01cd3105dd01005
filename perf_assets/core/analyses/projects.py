"""Projects, and areas of a project, held against each other, beside and without their mix."""

from collections.abc import Iterator
from itertools import combinations
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
import polars as pl

from perf_assets.core.analyses.formatting import p_text
from perf_assets.core.analyses.group_samples import CONFIDENCE, POOLED, groups_of
from perf_assets.core.statistics.minimum_events import COMPARISON
from perf_assets.core.statistics.pooling import random_effects
from perf_assets.core.statistics.samples import Floats, holm, magnitude
from perf_assets.core.statistics.strata import StratifiedComparison, Stratum, alone, compare_strata
from perf_assets.schema import schema_of

REPOSITORIES, AREA = "repositories", "area_and_rest"
MOST = 10
"""Repositories that are compared with each other, and areas of each: the largest."""

REST = "rest"
UNKNOWN = "unknown"
METRICS = {
    "is_performance": "all",
    "fix_time_days": "fixed",
    "fix_size": "fixed",
    "hours_to_first_comment": "all",
    "hours_to_first_member_comment": "all",
    "comments": "all",
}
"""What is compared, and over which bug reports; of the first the difference of shares."""

OF_AREAS = ("is_performance", "fix_time_days", "hours_to_first_comment")
"""What is compared of areas, of which there are many."""

ASSOCIATIONS = {
    "OWNER": "member",
    "MEMBER": "member",
    "COLLABORATOR": "member",
    "CONTRIBUTOR": "contributor",
    UNKNOWN: UNKNOWN,  # no association at all, which is not the same as NONE
}
WIDTH_IN_ERRORS = 2 * NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
"""How many standard errors an interval is wide."""

MIX = (
    pl.col("opened_at").dt.year().alias("year"),
    pl.col("author_association")
    .fill_null(UNKNOWN)
    .replace_strict(ASSOCIATIONS, default="other")
    .alias("association"),
)
"""What bug reports of a stratum have in common."""

SIZES = 3
"""Groups of fix sizes of equal number, for the fix time."""


class _Pair(NamedTuple):
    """Two groups of bug reports, and what they are."""

    compared: str
    repository: str
    first: str
    second: str
    bugs: pl.DataFrame


def project_comparisons(bug_metrics: pl.DataFrame, bug_areas: pl.DataFrame) -> pl.DataFrame:
    """Compare repositories with each other, and areas with the rest of their repository.

    Parameters
    ----------
    bug_metrics : ``marts.bug_metrics``: dataset, repository, number, opened_at, is_performance,
        is_fixed, author_association, and the columns of :data:`METRICS`.
    bug_areas : ``marts.bug_areas``: dataset, repository, number, area. A bug report may be in
        several.

    Returns
    -------
    ``analysis.project_comparisons``: a row for each pair and metric. ``cliffs_delta`` is above 0
    where the first has the larger values; of the share of performance bugs it is the difference of
    the shares. Beside it stands the same within strata: bug reports of the same year, by reporters
    of the same association and, of fix times, fixes of about the same size; what is not in a
    stratum with both is left out. P-values are adjusted (Holm) for all rows of a dataset.
    """
    rows = [
        row
        for (dataset,), bugs in groups_of(bug_metrics, "dataset")
        for row in _adjusted(
            [
                _row(dataset, pair, metric)
                for pair in _pairs(bugs.with_columns(MIX), bug_areas.filter(dataset=dataset))
                for metric in (METRICS if pair.compared == REPOSITORIES else OF_AREAS)
            ]
        )
    ]
    return pl.DataFrame(rows, schema=schema_of("analysis.project_comparisons"))


def pooled_effects(effect_sizes: pl.DataFrame) -> pl.DataFrame:
    """Put the repositories' effects together, each as one study: random effects.

    Parameters
    ----------
    effect_sizes : ``analysis.effect_sizes``: dataset, repository, metric, cliffs_delta and its
        limits.

    Returns
    -------
    ``analysis.pooled_effects``: a row for each dataset and metric of two repositories or more whose
    effect has an interval. The variance of each is that of its interval.
    """
    width = pl.col("cliffs_delta_high") - pl.col("cliffs_delta_low")
    known = effect_sizes.filter(pl.col("repository") != POOLED, width > 0).with_columns(
        variance=(width / WIDTH_IN_ERRORS) ** 2
    )
    rows = []
    for (dataset, metric), effects in groups_of(known, "dataset", "metric"):
        n = effects.height
        if n < 2:
            continue
        found = random_effects(effects["cliffs_delta"].to_list(), effects["variance"].to_list())
        low, high, lowest, highest = (
            None if limit is None else min(1.0, max(-1.0, limit))
            for limit in (found.low, found.high, found.prediction_low, found.prediction_high)
        )
        delta = found.estimate
        rows.append(
            (
                *(dataset, metric, n, delta, low, high, found.pvalue),
                *(found.tau, found.i_squared, found.heterogeneity_pvalue, lowest, highest),
                f"mean of {n} repositories: delta = {delta:.3f} [{low:.3f}, {high:.3f}] "
                f"({magnitude(delta)}), and {100 * found.i_squared:.0f} % of the variation between "
                "them is beyond chance",
            )
        )
    return pl.DataFrame(rows, schema=schema_of("analysis.pooled_effects"), orient="row")


def _pairs(bugs: pl.DataFrame, areas: pl.DataFrame) -> Iterator[_Pair]:
    """Repositories with each other, then each area with the rest of its repository."""
    counts = bugs.group_by("repository").len().sort("len", "repository", descending=[True, False])
    names = counts["repository"].head(MOST).to_list()
    bugs_of = {name: bugs.filter(repository=name) for name in names}
    for first, second in combinations(sorted(names), 2):
        both = pl.concat(
            bugs_of[name].with_columns(side=pl.lit(side))
            for side, name in ((1, first), (2, second))
        )
        yield _Pair(REPOSITORIES, f"{first} and {second}", first, second, both)
    for name in sorted(names):
        of_areas = areas.filter(pl.col("repository") == name, pl.col("area") != UNKNOWN)
        sizes = of_areas.group_by("area").len().sort("len", "area", descending=[True, False])
        located = bugs_of[name].join(of_areas, on="number", how="semi")
        for area in sorted(sizes["area"].head(MOST)):
            numbers = of_areas.filter(area=area)["number"].implode()
            side = pl.when(pl.col("number").is_in(numbers)).then(1).otherwise(2).alias("side")
            yield _Pair(AREA, name, area, REST, located.with_columns(side))


def _row(dataset: str, pair: _Pair, metric: str) -> dict[str, object]:
    values = _values(pair.bugs, metric)
    sides = values.partition_by("side", as_dict=True)
    first, second = (sides.get((side,), values.clear())["value"].to_numpy() for side in (1, 2))
    crude = compare_strata([alone(first, second)], CONFIDENCE, COMPARISON)
    strata = list(_strata(values))
    within = compare_strata(strata, CONFIDENCE, COMPARISON)
    is_too_few = crude.delta is None
    return {
        "dataset": dataset,
        "compared": pair.compared,
        "repository": pair.repository,
        "first": pair.first,
        "second": pair.second,
        "metric": metric,
        "n_first": len(first),
        "n_second": len(second),
        "level_first": None if is_too_few else _level(metric, first),
        "level_second": None if is_too_few else _level(metric, second),
        **_effect("", crude),
        "strata": len(strata),
        "n_matched_first": sum(len(stratum.x) for stratum in strata),
        "n_matched_second": sum(len(stratum.y) for stratum in strata),
        **_effect("adjusted_", within),
        "heterogeneity_p_value": within.heterogeneity_pvalue,
        "is_too_few": is_too_few,
    }


def _effect(prefix: str, found: StratifiedComparison) -> dict[str, object]:
    return {
        f"{prefix}cliffs_delta": found.delta,
        f"{prefix}cliffs_delta_low": found.low,
        f"{prefix}cliffs_delta_high": found.high,
        f"{prefix}p_value": found.pvalue_clustered,
    }


def _values(bugs: pl.DataFrame, metric: str) -> pl.DataFrame:
    """Return the values of ``metric`` over its population, with their side and stratum."""
    population = bugs.filter("is_fixed") if METRICS[metric] == "fixed" else bugs
    mix = [pl.col("year"), pl.col("association")]
    if metric == "fix_time_days":
        size = pl.col("fix_size").rank("average") / pl.col("fix_size").count()
        mix.append((size * SIZES).ceil().fill_null(0).alias("size"))
    value = pl.col(metric).cast(pl.Float64).fill_nan(None).alias("value")
    return population.select("side", value, *mix).drop_nulls("value")


def _strata(values: pl.DataFrame) -> Iterator[Stratum]:
    """Yield the strata that have values of both sides."""
    mix = [name for name in values.columns if name not in ("side", "value")]
    for _, rows in sorted(values.partition_by(mix, as_dict=True).items(), key=str):
        sides, numbers = rows["side"].to_numpy(), rows["value"].to_numpy()
        first, second = numbers[sides == 1], numbers[sides == 2]
        if len(first) and len(second):
            yield alone(first, second)


def _level(metric: str, values: Floats) -> float:
    """Return the median; of shares the share."""
    return float(np.mean(values) if metric == "is_performance" else np.median(values))


def _adjusted(rows: list[dict[str, object]]) -> list[dict[str, object]]:
    """Return the rows with p-values adjusted for all of them, and the result in words."""
    pvalues = [row["adjusted_p_value"] for row in rows]
    for row, adjusted in zip(rows, holm(pvalues), strict=True):  # type: ignore[arg-type]
        row["adjusted_p_value_holm"] = adjusted
        row["result"] = _text(row)
    return rows


def _text(row: dict[str, object]) -> str:
    if row["is_too_few"]:
        return f"too few to compare: {row['n_first']:,} and {row['n_second']:,}"
    crude, adjusted = row["cliffs_delta"], row["adjusted_cliffs_delta"]
    if adjusted is None:
        return f"delta = {crude:.3f}; too few alike in year and association to adjust for them"
    limits = ""
    if row["adjusted_cliffs_delta_low"] is not None:
        low, high = row["adjusted_cliffs_delta_low"], row["adjusted_cliffs_delta_high"]
        limits = f" [{low:.3f}, {high:.3f}]"
    p = p_text(row["adjusted_p_value_holm"])  # type: ignore[arg-type]
    size = magnitude(adjusted)  # type: ignore[arg-type]
    return (
        f"delta = {adjusted:.3f}{limits} ({size}) among those alike, {crude:.3f} among all, "
        f"adjusted {p}"
    )
