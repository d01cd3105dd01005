"""Table II: performance bugs against the others, metric by metric."""

from collections.abc import Iterable, Iterator

import polars as pl

from perf_assets.core.analyses.comparisons import (
    METRICS,
    POOLED,
    Comparison,
    compare,
)
from perf_assets.core.paper.figures import (
    LOWEST_TRUSTED_NUMBER,
    REPOSITORIES,
    Data,
    Figure,
    PaperTables,
    comparison_row,
)
from perf_assets.core.statistics.samples import magnitude


def table_2(tables: Iterable[PaperTables], data: Data) -> Iterator[tuple[object, ...]]:
    """Medians, Cliff's deltas and p-values of the five metrics, over both frameworks."""
    gap = data.gap(POOLED) or data.taxonomy_gap()
    for table in tables:
        metric = table["metric"]
        found = compare(_population(data, metric), metric)
        note = _population_note(metric)
        why = _table_2_reason(data, metric)
        place = "Table II"
        text = "Section IV, RQ2"
        medians = {"performance": found.median_performance, "other": found.median_other}
        for kind, value in medians.items():
            figure = _of_table_2(place, metric, f"median of {kind} bugs", kind, table[kind])
            yield comparison_row(figure, value, gap=gap, reason=why, note=note)
        delta = _of_table_2(place, metric, "Cliff's delta", "cliffs_delta", table["cliffs_delta"])
        reason = f"{why}; the reading ({magnitude(float(delta.value))}) is {_same(found, delta)}"
        yield comparison_row(delta, found.cliffs_delta, gap=gap, reason=reason, note=note)
        p_text = f"p < {table['below']}" if "below" in table else f"p = {table['p_value']}"
        p_value = _of_table_2(text, metric, "p-value (Wilcoxon rank-sum)", "p_value", p_text)
        yield comparison_row(p_value, found.p_value, gap=gap, reason=why, note=note)
        larger = _of_table_2(
            text,
            metric,
            "median of performance bugs above others, percent",
            "larger",
            table["larger"],
        )
        yield comparison_row(
            larger, _larger(*medians.values()), gap=gap, reason=_larger_reason(table)
        )


def table_2_bugs(data: Data) -> pl.DataFrame:
    """All bug reports, of which only those count as fixed whose fixes Table II compares.

    Without a taxonomy of both frameworks these are all fixed ones.
    """
    if data.taxonomy_gap() is not None:
        return data.bugs
    chosen = _population(data, "fix_time_days").select("repository", "number")
    chosen = chosen.with_columns(is_chosen=pl.lit(value=True))
    marked = data.bugs.join(chosen, on=["repository", "number"], how="left")
    is_fixed = pl.col("is_fixed") & pl.col("is_chosen").fill_null(value=False)
    return marked.with_columns(is_fixed=is_fixed)


def _population(data: Data, metric: str) -> pl.DataFrame:
    """The bug reports that Table II compares: the verified fixes, or all bug reports."""
    if METRICS[metric] != "fixed":
        return data.bugs
    trusted = data.verified_issues.filter(pl.col("number") >= LOWEST_TRUSTED_NUMBER)
    verified = data.bugs.filter("is_performance").join(
        trusted, on=["repository", "number"], how="semi"
    )
    return pl.concat([verified, data.bugs.filter(~pl.col("is_performance"))])


def _population_note(metric: str) -> str | None:
    if METRICS[metric] != "fixed":
        return None
    return (
        "performance bugs: those verified by hand whose issue number is not below "
        f"{LOWEST_TRUSTED_NUMBER}; others: all fixed ones"
    )


def _table_2_reason(data: Data, metric: str) -> str:
    if metric == "hours_to_first_comment":
        return (
            "the package gives the time of the first comment whoever wrote it, the paper leaves "
            "out the reporter's own; reports on which nobody else commented are left out here"
        )
    if METRICS[metric] != "fixed":
        return "no reason found"
    alone = (
        f"those of {repository} alone {_told(compare(data.of(repository), metric))}"
        for repository in REPOSITORIES
    )
    return (
        f"of which bugs it is, the paper does not say, and none tried give it; the row is of those "
        f"that give the paper's medians (verified by hand, no number below "
        f"{LOWEST_TRUSTED_NUMBER}); all fixed ones have {_told(compare(data.bugs, metric))}, "
        + ", ".join(alone)
    )


def _told(found: Comparison) -> str:
    if found.cliffs_delta is None or found.p_value is None:
        return "nothing"
    return f"delta {found.cliffs_delta:.3f} and p = {found.p_value:.2g}"


def _same(found: Comparison, delta: Figure) -> str:
    return "the same" if found.magnitude == magnitude(float(delta.value)) else "another"


def _of_table_2(place: str, metric: str, quantity: str, part: str, text: str) -> Figure:
    return Figure(f"table_2.{metric}.{part}", place, POOLED, f"{metric}: {quantity}", text)


def _larger(performance: float | None, other: float | None) -> float | None:
    if performance is None or not other:
        return None
    return 100 * (performance / other - 1)


def _larger_reason(table: PaperTables) -> str:
    own = _larger(float(table["performance"]), float(table["other"]))
    return (
        f"the paper's own medians, {table['performance']} and {table['other']}, give {own:.2f}; "
        "here it is of the medians before rounding"
    )
