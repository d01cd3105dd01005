"""Table II: performance bugs against the others, metric by metric."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import polars as pl

from perf_assets.core.analyses.group_samples import (
    METRICS,
    POOLED,
    Comparison,
    compare,
    percent_larger,
)
from perf_assets.core.paper.figures import (
    LOWEST_TRUSTED_NUMBER,
    READINGS,
    REPOSITORIES,
    Data,
    Figure,
    PaperTables,
    comparison_row,
    verdict_of,
)


def table_2(tables: Iterable[PaperTables], data: Data) -> Iterator[tuple[object, ...]]:
    """Medians, Cliff's deltas and p-values of the five metrics, over both frameworks."""
    gap = data.gap(POOLED) or data.taxonomy_gap()
    for table in tables:
        metric = table["metric"]
        found = compare(_population(data, metric), metric)
        note = _population_note(metric)
        why = _table_2_reason(data, metric)
        location = "Table II"
        text = "Section IV, RQ2"
        medians = {"performance": found.median_performance, "other": found.median_other}
        delta = _of_table_2(
            location, metric, "Cliff's delta", "cliffs_delta", table["cliffs_delta"]
        )
        behind = _behind(delta, found, why)
        for kind, value in medians.items():
            figure = _of_table_2(location, metric, f"median of {kind} bugs", kind, table[kind])
            chosen = behind if kind == "performance" and METRICS[metric] == "fixed" else None
            yield comparison_row(figure, value, gap=gap, reason=why, note=note, behind=chosen)
        yield comparison_row(delta, found.cliffs_delta, gap=gap, reason=why, note=note)
        if "reading" in table:
            reading = _of_table_2(
                location, metric, "reading of Cliff's delta", "reading", table["reading"]
            )
            rank = None if found.magnitude is None else READINGS.index(found.magnitude)
            yield comparison_row(reading, rank, gap=gap, reason=why, note=note, behind=behind)
        p_text = f"p < {table['below']}" if "below" in table else f"p = {table['p_value']}"
        p_value = _of_table_2(text, metric, "p-value (Wilcoxon rank-sum)", "p_value", p_text)
        yield comparison_row(p_value, found.p_value, gap=gap, reason=why, note=note, behind=behind)
        larger = _of_table_2(
            text,
            metric,
            "median of performance bugs above others, percent",
            "larger",
            table["larger"],
        )
        rounded = [_as_printed(value, table[kind]) for kind, value in medians.items()]
        yield comparison_row(
            larger,
            percent_larger(*rounded),
            gap=gap,
            reason=f"{why}; the paper's own medians give {_own_larger(table)}",
            note=_rounding_note(medians, rounded),
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
    trusted = data.bugs.filter(pl.col("number") >= LOWEST_TRUSTED_NUMBER)
    return pl.concat([data.verified(trusted), data.bugs.filter(~pl.col("is_performance"))])


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
            "unknown: the package gives the time of the first comment whoever wrote it, the paper "
            "leaves out the reporter's own; tried: reports on which somebody else commented, too"
        )
    if METRICS[metric] != "fixed":
        return "no reason found"
    alone = (
        f"those of {repository} alone {_comparison_text(compare(data.of(repository), metric))}"
        for repository in REPOSITORIES
    )
    return (
        f"unknown: of which bugs it is, the paper does not say; the row is of those that give the "
        f"paper's medians (verified by hand, no number below {LOWEST_TRUSTED_NUMBER}); tried, too: "
        f"all fixed ones have {_comparison_text(compare(data.bugs, metric))}, " + ", ".join(alone)
    )


def _comparison_text(found: Comparison) -> str:
    if found.cliffs_delta is None or found.p_value is None:
        return "nothing"
    return f"delta {found.cliffs_delta:.3f} and p = {found.p_value:.2g}"


def _behind(delta: Figure, found: Comparison, why: str) -> str | None:
    """That the bugs compared are not the paper's, where their effect size shows it."""
    if found.cliffs_delta is None or verdict_of(delta, found.cliffs_delta) != "differs":
        return None
    return f"Cliff's delta is {found.cliffs_delta:.3f}, not {delta.text}: {why}"


def _of_table_2(location: str, metric: str, quantity: str, part: str, text: str) -> Figure:
    return Figure(f"table_2.{metric}.{part}", location, POOLED, f"{metric}: {quantity}", text)


def _as_printed(value: float | None, text: str) -> float | None:
    """The value rounded to the digits of ``text``."""
    return None if value is None else round(value, len(text.partition(".")[2]))


def _own_larger(table: PaperTables) -> str:
    own = percent_larger(float(table["performance"]), float(table["other"]))
    return "nothing" if own is None else f"{own:.2f}"


def _rounding_note(
    medians: Mapping[str, float | None], rounded: Sequence[float | None]
) -> str | None:
    exact = percent_larger(*medians.values())
    if exact is None or list(medians.values()) == list(rounded):
        return None
    return f"of the medians as rounded in Table II; before rounding it is {exact:.2f}"
