"""Performance bugs compared with others, metric by metric: tests, effect sizes, intervals.

Fixes that share a commit are one cluster, as they have one size and often one close. All
repositories together are compared within each of them: what differs between repositories is no
difference between kinds of bugs.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import polars as pl

from perf_assets.core.analyses.formatting import as_json, p_text
from perf_assets.core.analyses.group_samples import (
    CONFIDENCE,
    METRICS,
    Comparison,
    are_true,
    by_repository_and_pooled,
    compare_samples,
    kinds_of,
    median_of,
    percent_larger,
    strata_of,
)
from perf_assets.core.statistics.minimum_events import APART, COMPARISON, too_few
from perf_assets.core.statistics.power import DELTA, power
from perf_assets.core.statistics.samples import Floats, magnitude
from perf_assets.core.statistics.strata import (
    StratifiedComparison,
    Stratum,
    compare_strata,
    linked_clusters,
)
from perf_assets.schema import schema_of


def group_comparisons(bug_metrics: pl.DataFrame, counted_fixes: pl.DataFrame) -> pl.DataFrame:
    """Compare performance bugs with other bugs, metric by metric.

    Parameters
    ----------
    bug_metrics : ``marts.bug_metrics``: dataset, repository, number, is_performance, is_fixed and
        the columns of :data:`~perf_assets.core.analyses.group_samples.METRICS`, which says over
        which bug reports each is compared.
    counted_fixes : ``intermediate.counted_fixes``: dataset, repository, number, sha. Bugs that are
        joined by a commit, or by a chain of them, are one cluster in the metrics of fixes.

    Returns
    -------
    ``analysis.group_comparisons``: one row for each dataset, repository and metric; the
    repositories of a dataset in order, then
    :data:`~perf_assets.core.analyses.group_samples.POOLED`. ``cliffs_delta`` is positive when
    performance bugs have the larger values. Below the minimum of events (see
    :data:`~perf_assets.core.statistics.minimum_events.COMPARISON`) figures are NULL. Beside the
    comparison within repositories stands the paper's (section IV, RQ2): the rank-sum test of all
    values together.
    """
    rows = [
        (
            *(dataset, repository, entry.metric),
            *(found.method, found.n_x, found.n_y, entry.clusters),
            *medians,
            percent_larger(*medians),
            *(found.statistic, found.pvalue, found.pvalue_clustered),
            *(found.delta, magnitude(found.delta), found.heterogeneity_pvalue),
            *entry.rank_sum,
            *(entry.power, entry.too_few_reason is not None, entry.too_few_reason),
        )
        for dataset, repository, entry, found in _compared(bug_metrics, counted_fixes)
        for medians in [entry.medians]
    ]
    return pl.DataFrame(rows, schema=schema_of("analysis.group_comparisons"), orient="row")


def effect_sizes(
    bug_metrics: pl.DataFrame, counted_fixes: pl.DataFrame, adjusted_tests: pl.DataFrame
) -> pl.DataFrame:
    """Cliff's delta with its interval, and p-values adjusted for all tests of the summary.

    Parameters
    ----------
    bug_metrics, counted_fixes : as for :func:`group_comparisons`, whose rows these complete.
    adjusted_tests : ``analysis.adjusted_tests``, where the adjusted p-values stand.

    Returns
    -------
    ``analysis.effect_sizes``: one row for each dataset, repository (and pooled) and metric.
    """
    comparisons = adjusted_tests.filter(source="group_comparisons")
    columns = ("dataset", "repository", "result_of", "p_value_holm")
    adjusted = {tuple(key): p for *key, p in comparisons.select(columns).iter_rows()}
    parameters = as_json(
        confidence=CONFIDENCE,
        variance="consistent (Cliff 1996), times the design effect of shared commits",
        adjustment="holm",
        family="analysis.adjusted_tests",
    )
    rows = [
        (
            *(dataset, repository, entry.metric, "cliffs_delta", parameters),
            *(found.n_x + found.n_y, found.n_x, found.n_y),
            *(found.delta, found.low, found.high, found.pvalue_clustered, p, entry.power),
            entry.too_few_reason is not None,
            entry.too_few_reason or _text(found, p),
        )
        for dataset, repository, entry, found in _compared(bug_metrics, counted_fixes)
        for p in [adjusted.get((dataset, repository, entry.metric))]
    ]
    return pl.DataFrame(rows, schema=schema_of("analysis.effect_sizes"), orient="row")


def compare_bugs(bugs: pl.DataFrame, metric: str) -> tuple[str, Comparison]:
    """Return the method, and the comparison of ``metric`` over its population among ``bugs``.

    Of several repositories each is a stratum. ``bugs`` are as of :func:`in_clusters`; the p-value
    allows for shared commits.
    """
    entry = _metric(bugs, metric)
    found, reason = entry.found, entry.too_few_reason
    return found.method, Comparison(
        found.n_x,
        found.n_y,
        *entry.medians,
        found.statistic,
        found.pvalue_clustered,
        found.delta,
        magnitude(found.delta),
        reason is not None,
        reason,
    )


def comparison_text(found: Comparison) -> str:
    """Return a comparison in words."""
    if found.too_few_reason is not None:
        return found.too_few_reason
    return (
        f"median {found.median_performance:.2f} of performance bugs, {found.median_other:.2f} of "
        f"others, delta = {found.cliffs_delta:.3f} ({found.magnitude}), {p_text(found.p_value)}"
    )


def in_clusters(bugs: pl.DataFrame, fixes: pl.DataFrame) -> pl.DataFrame:
    """Return the bugs with a column ``cluster``, the same for those that are joined by commits.

    Both have dataset, repository and number; ``fixes`` have sha too, one row for each of a bug.
    """
    key = ["dataset", "repository", "number"]
    numbered = bugs.with_columns(cluster=pl.int_range(pl.len(), dtype=pl.Int64))
    pairs = fixes.join(numbered.select(*key, "cluster"), on=key)
    commits = pairs.select(pl.concat_str("dataset", "repository", "sha", separator=" "))
    joined = linked_clusters(pairs["cluster"].to_list(), commits.to_series().to_list())
    # Clusters of commits are numbered after the bugs, which are clusters of their own else.
    of_bug = pairs.select("cluster", joined=pl.Series(joined) + bugs.height).unique("cluster")
    together = numbered.join(of_bug, on="cluster", how="left", maintain_order="left")
    return together.with_columns(cluster=pl.coalesce("joined", "cluster")).drop("joined")


class _Compared(NamedTuple):
    """A metric of performance and other bugs, compared within strata."""

    metric: str
    strata: list[Stratum]
    found: StratifiedComparison

    @property
    def samples(self) -> tuple[Floats, Floats]:
        """The values of performance bugs and of others, of whichever repository."""
        nothing = np.zeros(0)
        return (
            np.concatenate([nothing, *(stratum.x for stratum in self.strata)]),
            np.concatenate([nothing, *(stratum.y for stratum in self.strata)]),
        )

    @property
    def medians(self) -> tuple[float | None, float | None]:
        """The medians of both; None with too few values."""
        performance, other = self.samples
        return median_of(performance, COMPARISON), median_of(other, COMPARISON)

    @property
    def clusters(self) -> int | None:
        """The number of clusters; None for metrics in which commits do not matter."""
        return self.found.clusters if METRICS[self.metric] == "fixed" else None

    @property
    def rank_sum(self) -> tuple[float | None, float | None]:
        """p-value and Cliff's delta of all values together, whichever repository they are of."""
        if self.too_few_reason is not None:
            return None, None
        if len(self.strata) == 1:
            return self.found.pvalue, self.found.delta
        plain = compare_samples(*self.samples)
        return plain.p_value, plain.cliffs_delta

    @property
    def too_few_reason(self) -> str | None:
        """Return why the metric is not compared: a group has too few bug reports or commits."""
        if self.found.is_apart:
            return APART
        noun = "with a fix of their own" if METRICS[self.metric] == "fixed" else "with a value"
        return too_few("compare", COMPARISON, self.found.events_x, self.found.events_y, noun)

    @property
    def power(self) -> float | None:
        """The power for a middling difference (Noether 1987); None where nothing is compared."""
        error = self.found.null_error
        return None if error is None else power(DELTA, error)


def _compared(
    bug_metrics: pl.DataFrame, counted_fixes: pl.DataFrame
) -> Iterator[tuple[str, str, _Compared, StratifiedComparison]]:
    bugs = in_clusters(bug_metrics, counted_fixes)
    for dataset, repository, chosen in by_repository_and_pooled(bugs):
        for metric in METRICS:
            entry = _metric(chosen, metric)
            yield dataset, repository, entry, entry.found


def _metric(bugs: pl.DataFrame, metric: str) -> _Compared:
    of_fixes = ("is_fixed", "cluster") if METRICS[metric] == "fixed" else ()
    parts = strata_of(bugs, ("is_performance", metric, *of_fixes))
    strata = [_stratum(part, metric) for part in parts]
    return _Compared(metric, strata, compare_strata(strata, CONFIDENCE, COMPARISON))


def _stratum(bugs: pl.DataFrame, metric: str) -> Stratum:
    value = bugs[metric].cast(pl.Float64).to_numpy()
    is_known, cluster = ~np.isnan(value), np.arange(len(value))
    if METRICS[metric] == "fixed":
        is_known &= are_true(bugs["is_fixed"])
        cluster = bugs["cluster"].to_numpy()  # a discussion belongs to its bug alone
    kinds = [is_known & kind for kind in kinds_of(bugs)]
    return Stratum(
        *(value[kind] for kind in kinds), *(cluster[kind].astype(np.int64) for kind in kinds)
    )


def _text(found: StratifiedComparison, adjusted: float | None) -> str:
    assert found.delta is not None
    has_limits = found.low is not None and found.high is not None
    interval = f" [{found.low:.3f}, {found.high:.3f}]" if has_limits else ""
    text = f"{magnitude(found.delta)}: delta = {found.delta:.3f}{interval}"
    text += f", {p_text(found.pvalue_clustered)}"
    if adjusted is not None:
        text += f", adjusted for all headline tests (Holm) {p_text(adjusted)}"
    if found.heterogeneity_pvalue is not None:
        text += f"; test of equal repositories: {p_text(found.heterogeneity_pvalue)}"
    return text
