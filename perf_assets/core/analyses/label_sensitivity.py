"""How far the results depend on weak labels, and on words that the rule does not know."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from perf_assets.core.analyses.closing import open_share_change
from perf_assets.core.analyses.effects import compare_bugs, in_clusters
from perf_assets.core.analyses.formatting import p_text
from perf_assets.core.analyses.group_samples import (
    METRICS,
    by_repository_and_pooled,
    complete_months,
    percent,
    rows_of_repositories,
)
from perf_assets.core.analyses.incidence import fixed_within, share_text, with_waits
from perf_assets.core.analyses.permutation_series import (
    FLOWS,
    MONTHS_IN_A_YEAR,
    SERIES,
    CumulativeSeries,
    null_distribution,
    permutation_test,
    series_by_repository,
)
from perf_assets.core.analyses.trends import NO_TREND, trend_change
from perf_assets.core.parallel import map_repositories
from perf_assets.core.statistics.samples import finite
from perf_assets.core.statistics.trend import binomial_regression
from perf_assets.schema import schema_of

PERMUTATIONS = 1_999
"""Fewer than of the results themselves: here it is seen whether they hold, not how well."""

WITHIN_DAYS = 365

_is_performance, _strength = pl.col("is_performance"), pl.col("strength")

RULES: Mapping[str, pl.Expr] = {
    "study": _is_performance,
    "without_weak": _is_performance & (_strength != "weak"),
    "strong_alone": _is_performance & (_strength == "strong"),
    "widened": _is_performance | (pl.col("widened_keywords").list.len() > 0),
}
"""The rules by which the results are had again, and which bug reports are performance bugs then.

A bug report that is none by a rule is one of the others.
"""


class Result(NamedTuple):
    """A result by one rule; see ``analysis.label_sensitivity`` for what the values are."""

    result_of: str
    n_performance: int
    n_other: int
    value_performance: float | None = None
    value_other: float | None = None
    effect: float | None = None
    effect_low: float | None = None
    effect_high: float | None = None
    p_value: float | None = None
    is_too_few: bool = False
    result: str = ""


def label_sensitivity(
    bug_reports: pl.DataFrame,
    bug_metrics: pl.DataFrame,
    counted_fixes: pl.DataFrame,
    trend_monthly: pl.DataFrame,
    issue_history: pl.DataFrame,
) -> pl.DataFrame:
    """Return every headline result again by each of :data:`RULES`.

    Parameters
    ----------
    bug_reports : ``staging.bug_reports``: dataset, repository, number, is_performance, strength,
        widened_keywords. Datasets without texts have no strengths, and no rows here.
    bug_metrics, counted_fixes, trend_monthly, issue_history : as for the results themselves:
        ``marts.bug_metrics``, ``intermediate.counted_fixes``, ``marts.trend_monthly`` and
        ``marts.issue_history``.

    Returns
    -------
    ``analysis.label_sensitivity``. Pooled rows are there for what is compared bug by bug. Labels
    count as they are now, also in the series.
    """
    key = ["dataset", "repository", "number"]
    graded = bug_reports.filter(_strength.is_not_null().any().over("dataset"))
    rules = graded.select(*key, **RULES)
    bugs = with_waits(in_clusters(bug_metrics, counted_fixes), trend_monthly)
    rows = []
    cached: dict[tuple[object, ...], list[Result]] = {}  # most rules agree on a small repository
    for rule in RULES:
        labels = rules.select(*key, is_performance=rule)
        chosen = bugs.drop("is_performance").join(labels, on=key, maintain_order="left")
        for dataset, repository, group in by_repository_and_pooled(chosen):
            same = (dataset, repository, *group["is_performance"])
            if same not in cached:
                cached[same] = list(_of_bugs(group))
            rows += [(dataset, repository, rule, *result) for result in cached[same]]
    months, graded_by = complete_months(trend_monthly), rows_of_repositories(rules)
    for labelled_of in (issue_history, rules):
        months = months.join(labelled_of, on=key[:2], how="semi", maintain_order="left")
    cases = [*series_by_repository(issue_history, months).items()]

    def relabelled(case: tuple[tuple[str, str], CumulativeSeries]) -> list[tuple[Any, ...]]:
        group, paths = case
        graded = graded_by[group]
        labelled = {rule: _relabelled(paths, graded.select("number", rule)) for rule in RULES}
        different = {series.is_performance.tobytes(): series for series in labelled.values()}
        results = {labels: list(_of_months(series)) for labels, series in different.items()}
        return [
            (*group, rule, *result)
            for rule, series in labelled.items()
            for result in results[series.is_performance.tobytes()]
        ]

    for of_repository in map_repositories(cases, relabelled, "testing trends by other rules"):
        rows += of_repository
    table = pl.DataFrame(rows, schema=schema_of("analysis.label_sensitivity"), orient="row")
    return table.sort("dataset", "repository", "result_of", maintain_order=True)


def _relabelled(paths: CumulativeSeries, labels: pl.DataFrame) -> CumulativeSeries:
    """Return the paths with the performance bugs that the second column of ``labels`` says."""
    labels_by_number = dict(labels.iter_rows())
    label = np.array(
        [labels_by_number.get(number, False) for number in paths.numbers.tolist()], dtype=bool
    )
    return replace(paths, is_performance=label)


def _of_bugs(bugs: pl.DataFrame) -> Iterator[Result]:
    n = int(bugs["is_performance"].sum())
    others = bugs.height - n
    share = 100 * n / bugs.height if bugs.height else None
    text = "no bug reports" if share is None else f"{share:.2f} % of bug reports"
    yield Result("share", n, others, share, result=text)
    fixes = fixed_within(bugs.filter("is_watched"), WITHIN_DAYS)
    yield Result(
        "fixed_within_365_days",
        fixes.n_performance,
        fixes.n_other,
        percent(fixes.performance.share),
        percent(fixes.other.share),
        p_value=fixes.test.pvalue,
        is_too_few=fixes.too_few_reason is not None,
        result=fixes.too_few_reason
        or f"{share_text(fixes.performance)} of performance bugs, {share_text(fixes.other)} of "
        f"others; Gray's test: {p_text(fixes.test.pvalue)}",
    )
    for metric in METRICS:
        _, found = compare_bugs(bugs, metric)
        yield Result(
            metric,
            found.n_performance,
            found.n_other,
            found.median_performance,
            found.median_other,
            found.cliffs_delta,
            p_value=found.p_value,
            is_too_few=found.is_too_few,
            result=found.too_few_reason
            or f"delta = {found.cliffs_delta:.3f} ({found.magnitude}), {p_text(found.p_value)}",
        )


def _of_months(paths: CumulativeSeries) -> Iterator[Result]:
    totals = paths.totals
    counts = paths.performance_counts()
    n, others = paths.n_performance, len(paths.is_performance) - paths.n_performance
    years = np.arange(paths.months) / MONTHS_IN_A_YEAR
    chance = null_distribution(paths, PERMUTATIONS, alarms=False)
    for series in SERIES:
        if series not in FLOWS:
            found = permutation_test(paths, series, PERMUTATIONS, chance)
            ends = zip(counts[series][-1:], totals[series][-1:], strict=True)
            shares = [100 * float(count) / float(total) for count, total in ends if total]
            yield Result(
                series,
                n,
                others,
                shares[0] if shares else None,
                p_value=found.p_value,
                is_too_few=found.is_too_few,
                result=found.text,
            )
        elif (reason := paths.too_few(series)) is not None:
            yield Result(series, *paths.events(series), is_too_few=True, result=reason)
        else:
            fit = binomial_regression(counts[series], totals[series], years)
            change = trend_change(fit)
            yield Result(
                series,
                int(counts[series].sum()),
                int((totals[series] - counts[series]).sum()),
                effect=finite(fit.odds_ratio),
                effect_low=finite(fit.low),
                effect_high=finite(fit.high),
                p_value=finite(fit.pvalue),
                result=NO_TREND if change is None else f"odds change by {change}",
            )
    open_share = open_share_change(paths)
    yield Result(
        "slope_from_closing",
        n,
        others,
        effect=open_share.get("slope_from_closing"),
        p_value=open_share.get("p_value"),
        is_too_few=open_share["is_too_few"],
        result=open_share["result"],
    )
