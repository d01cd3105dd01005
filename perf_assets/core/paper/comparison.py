"""The paper's figures against the same computed from its published data, with a verdict on each.

The published values come as they are printed: their digits say how far a reproduced value may be
off. Each function makes the rows of one table, figure or section of the paper.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, TypeAlias

import polars as pl

from perf_assets.core.analyses.comparisons import (
    METRICS,
    POOLED,
    TREND_ALTERNATIVE,
    Comparison,
    compare,
)
from perf_assets.core.statistics.samples import cox_stuart, magnitude

Published: TypeAlias = Mapping[str, Any]
"""The content of the file of published values; its tables are those of the paper."""

DATASET = "replication"
REPOSITORIES = ("pytorch/pytorch", "tensorflow/tensorflow")
"""The two frameworks: what the paper gives for both needs the data of both."""

LOWEST_TRUSTED_NUMBER = 100
"""Table II leaves out issues of lower numbers: template text mentions them."""

ROUNDING = 1e-9
"""A float next to a decimal boundary may miss it by that much."""

PAPER_COMPARISON_SCHEMA = pl.Schema(
    {
        "dataset": pl.String,
        "figure": pl.String,
        "place": pl.String,
        "repository": pl.String,
        "quantity": pl.String,
        "published_text": pl.String,
        "published": pl.Float64,
        "reproduced": pl.Float64,
        "difference": pl.Float64,
        "verdict": pl.String,
        "reason": pl.String,
    }
)


@dataclass(frozen=True)
class Figure:
    """A figure of the paper: where it is, whose, of what, and the value as printed."""

    name: str
    place: str
    repository: str
    quantity: str
    text: str

    @property
    def value(self) -> Decimal:
        """The printed value as a number; of a claim (``p < 0.005``) the bound."""
        return Decimal(self.text.removeprefix("p < ").removeprefix("p = ").replace(",", ""))

    @property
    def is_claim(self) -> bool:
        """Whether the paper gives a bound instead of a value."""
        return self.text.startswith("p < ")


@dataclass(frozen=True)
class Data:
    """What the published data give, dataset ``replication`` alone.

    ``bugs`` is ``marts.bug_metrics``, ``trend`` is ``marts.paper_trend``, ``taxonomy`` is
    ``replication.taxonomy``.
    """

    bugs: pl.DataFrame
    trend: pl.DataFrame
    taxonomy: pl.DataFrame

    @property
    def verified_issues(self) -> pl.DataFrame:
        """The issues of the taxonomy, each once."""
        return self.taxonomy.select("repository", "number").unique()

    def of(self, repository: str) -> pl.DataFrame:
        """The bug reports of one repository, or of all of them."""
        if repository == POOLED:
            return self.bugs
        return self.bugs.filter(pl.col("repository") == repository)

    def gap(self, repository: str) -> str | None:
        """Why a figure of ``repository`` cannot be had from these data, if it cannot."""
        return self._gap(repository, self.bugs, "bug reports")

    def taxonomy_gap(self) -> str | None:
        """Why a figure of the taxonomy cannot be had, if it cannot."""
        return self._gap(POOLED, self.taxonomy, "taxonomy")

    def _gap(self, repository: str, rows: pl.DataFrame, what: str) -> str | None:
        wanted = REPOSITORIES if repository == POOLED else (repository,)
        loaded = set(rows.get_column("repository"))
        missing = [name for name in wanted if name not in loaded]
        return f"the loaded data have no {what} of {' and '.join(missing)}" if missing else None


def paper_comparison(
    published: Published, bug_metrics: pl.DataFrame, trend: pl.DataFrame, taxonomy: pl.DataFrame
) -> pl.DataFrame:
    """Every figure of the paper that is known, as published and as reproduced.

    Parameters
    ----------
    published
        The tables of the file of published values, see ``perf_assets/replication``.
    bug_metrics
        ``marts.bug_metrics``; only the dataset ``replication`` is read.
    trend
        ``marts.paper_trend``: published and reproduced counts of each month of Figure 1.
    taxonomy
        ``replication.taxonomy``.

    Returns
    -------
    ``analysis.paper_comparison``, :data:`PAPER_COMPARISON_SCHEMA`, in the order of the paper; no
    row without replication data. ``verdict`` is ``exact`` (the same number, or a claim that
    holds), ``within rounding`` (the same when rounded to the printed digits), ``differs`` or
    ``not derivable``; ``reason`` says why, or what the value is of.
    """
    bugs = bug_metrics.filter(pl.col("dataset") == DATASET)
    if bugs.is_empty():
        return PAPER_COMPARISON_SCHEMA.to_frame()
    data = Data(bugs, trend, taxonomy)
    rows = [
        *table_1(published["table_1"], data),
        *section_3(published["section_3"], data),
        *cox_stuart_tests(published["cox_stuart"], data),
        *figure_1(published["figure_1"], data),
        *table_2(published["table_2"], data),
        *taxonomy_as_a_whole(published["taxonomy"], data),
        *table_3(published["table_3"], data),
    ]
    return pl.DataFrame(rows, schema=PAPER_COMPARISON_SCHEMA, orient="row")


def verdict_of(figure: Figure, reproduced: float) -> str:
    """``exact``, ``within rounding`` or ``differs``: see :func:`paper_comparison`.

    Examples
    --------
    >>> verdict_of(Figure("p", "RQ1", "pytorch/pytorch", "p-value", "0.004678"), 0.0046776533)
    'within rounding'
    """
    if figure.is_claim:
        return "exact" if reproduced < float(figure.value) else "differs"
    exponent = figure.value.as_tuple().exponent
    assert isinstance(exponent, int)
    difference = abs(Decimal(reproduced) - figure.value)
    if difference == 0:
        return "exact"
    half_a_digit = Decimal(10) ** exponent / 2
    is_rounding = difference <= half_a_digit * (1 + Decimal(ROUNDING))
    return "within rounding" if is_rounding else "differs"


def table_1(tables: Iterable[Published], data: Data) -> Iterator[tuple[object, ...]]:
    """Open, closed and fixed bug reports of each framework and kind."""
    for table in tables:
        repository = table["repository"]
        gap = data.gap(repository)
        for kind in ("performance", "other"):
            bugs = data.of(repository).filter(pl.col("is_performance") == (kind == "performance"))
            counts = {
                "open": bugs.filter(pl.col("state") == "open").height,
                "closed": bugs.filter(pl.col("state") == "closed").height,
                "fixed": bugs.filter("is_fixed").height,
            }
            for state, text in table[kind].items():
                figure = Figure(
                    f"table_1.{repository}.{kind}.{state}",
                    "Table I",
                    repository,
                    f"{state} {kind} bugs",
                    text,
                )
                yield _row(figure, counts[state], gap=gap, reason=_reopened(table[kind], counts))


def section_3(tables: Iterable[Published], data: Data) -> Iterator[tuple[object, ...]]:
    """What was collected, in numbers."""
    for table in tables:
        repository = table["repository"]
        gap = data.gap(repository)
        bugs = data.of(repository)
        fixed = bugs.filter(pl.col("is_fixed"))
        verified = fixed.filter("is_performance").join(
            data.verified_issues, on=["repository", "number"], how="semi"
        )
        n_fixed = fixed.filter("is_performance").height
        of_taxonomy = gap or data.taxonomy_gap()
        rows = (
            f"the taxonomy has {data.taxonomy.height} rows about {data.verified_issues.height} "
            f"issues, of which {verified.height} are among the {n_fixed} fixed performance bugs: "
            "the paper counts bugs, several in one issue"
        )
        no_filter = "the package holds the bug reports that were left, not those filtered out"
        closed_only = "the package lists the fixes of closed bug reports alone"
        precision = 100 * verified.height / n_fixed if n_fixed else 0.0
        found: dict[str, tuple[str, float, str | None, str | None]] = {
            "issues": ("issues before filtering by label", 0, no_filter, None),
            "bug_reports": ("bug reports", bugs.height, gap, None),
            "performance_bugs": (
                "performance bugs",
                bugs.filter("is_performance").height,
                gap,
                None,
            ),
            "other_bugs": (
                "other bug reports",
                bugs.filter(~pl.col("is_performance")).height,
                gap,
                None,
            ),
            "fixed_bugs": (
                "bug reports with a fixing commit",
                fixed.height,
                gap,
                closed_only,
            ),
            "verified_bugs": (
                "fixed performance bugs verified by hand",
                verified.height,
                of_taxonomy,
                rows,
            ),
            "precision": ("precision of the labelling, percent", precision, of_taxonomy, rows),
        }
        for name, (quantity, value, why_not, reason) in found.items():
            if name in table:
                figure = Figure(
                    f"section_3.{repository}.{name}",
                    "Section III",
                    repository,
                    quantity,
                    table[name],
                )
                yield _row(figure, value, gap=why_not, reason=reason)


def cox_stuart_tests(tables: Iterable[Published], data: Data) -> Iterator[tuple[object, ...]]:
    """The trend tests, on the published series and on those counted from the bug reports."""
    for table in tables:
        repository, series = table["repository"], table["series"]
        months = _months(data, repository, series)
        for source in ("published", "reproduced"):
            test = cox_stuart(months.get_column(f"{source}_percentage"), TREND_ALTERNATIVE)
            of = "the published series" if source == "published" else "the bug reports"
            note = f"{test.n_positive} of {test.n_pairs} pairs of months rise"
            name = f"cox_stuart.{repository}.{series}.{source}"
            what = f"Cox-Stuart p-value of the {series} series, from {of}"
            readme, paper = "Package README", "Section IV, RQ1"
            for suffix, place, text in (
                ("", readme, table["p_value"]),
                (".claim", paper, f"p < {table['below']}"),
            ):
                figure = Figure(f"{name}{suffix}", place, repository, what, text)
                gap = data.gap(repository)
                yield _row(figure, test.pvalue, gap=gap, reason=note, note=note)


def figure_1(tables: Iterable[Published], data: Data) -> Iterator[tuple[object, ...]]:
    """First and last points of the series, what lies between, and each series as a whole."""
    for table in tables:
        repository, series = table["repository"], table["series"]
        gap = data.gap(repository)
        months = _months(data, repository, series)
        shares = months.get_column("reproduced_percentage").to_list() or [None]
        first, last = shares[0], shares[-1]
        points = {
            "first": ("percentage in the first month", first),
            "last": ("percentage in the last month", last),
            "change": (
                "change of the percentage, in points",
                None if first is None or last is None else last - first,
            ),
        }
        reason = _trend_reason(months)
        for name, (quantity, value) in points.items():
            if name in table:
                figure = Figure(
                    f"figure_1.{repository}.{series}.{name}",
                    "Figure 1 and section IV, RQ1",
                    repository,
                    f"{series} bugs: {quantity}",
                    table[name],
                )
                yield _row(figure, value, gap=gap, reason=reason)
        whole = Figure(
            f"figure_1.{repository}.{series}.months",
            "Figure 1, as the package's series",
            repository,
            f"{series} bugs: months with both counts as published",
            str(months.height),
        )
        yield _row(whole, agreeing_months(months).height, gap=gap, reason=reason)


def table_2(tables: Iterable[Published], data: Data) -> Iterator[tuple[object, ...]]:
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
            yield _row(figure, value, gap=gap, reason=why, note=note)
        delta = _of_table_2(place, metric, "Cliff's delta", "cliffs_delta", table["cliffs_delta"])
        reason = f"{why}; the reading ({magnitude(float(delta.value))}) is {_same(found, delta)}"
        yield _row(delta, found.cliffs_delta, gap=gap, reason=reason, note=note)
        p_text = f"p < {table['below']}" if "below" in table else f"p = {table['p_value']}"
        p_value = _of_table_2(text, metric, "p-value (Wilcoxon rank-sum)", "p_value", p_text)
        yield _row(p_value, found.p_value, gap=gap, reason=why, note=note)
        larger = _of_table_2(
            text,
            metric,
            "median of performance bugs above others, percent",
            "larger",
            table["larger"],
        )
        yield _row(larger, _larger(*medians.values()), gap=gap, reason=_larger_reason(table))


def taxonomy_as_a_whole(table: Published, data: Data) -> Iterator[tuple[object, ...]]:
    """How many bugs and categories the taxonomy has, and how well its raters agreed."""
    gap = data.taxonomy_gap()
    taxonomy = data.taxonomy
    subcategories = taxonomy.drop_nulls("subcategory").select("category", "subcategory").unique()
    kappa = "the package has the agreed categories, not those that each rater gave"
    found: dict[str, tuple[str, float, str | None]] = {
        "bugs": ("bugs in the taxonomy", taxonomy.height, gap),
        "categories": ("categories", taxonomy.get_column("category").n_unique(), gap),
        "subcategories": ("sub-categories", subcategories.height, gap),
        "kappa": ("Cohen's kappa of the two raters", 0, kappa),
    }
    reason = _taxonomy_reason(taxonomy, table["bugs"])
    for name, (quantity, value, why_not) in found.items():
        figure = Figure(f"taxonomy.{name}", "Section IV, RQ3", POOLED, quantity, table[name])
        yield _row(figure, value, gap=why_not, reason=reason)


def table_3(tables: Sequence[Published], data: Data) -> Iterator[tuple[object, ...]]:
    """Bugs of each category and sub-category, their share and their impacts."""
    gap = data.taxonomy_gap()
    taxonomy = data.taxonomy
    total = sum(int(table["bugs"]) for table in tables if "subcategory" not in table)
    for table in tables:
        category, subcategory = table["category"], table.get("subcategory")
        rows = taxonomy.filter(pl.col("category") == category)
        if subcategory is not None:
            rows = rows.filter(pl.col("subcategory") == subcategory)
        name = category if subcategory is None else f"{category}: {subcategory}"
        share = 100 * rows.height / taxonomy.height if taxonomy.height else None
        shares = (
            f"the taxonomy has {taxonomy.height} rows, the paper {total} bugs; of {total} it would "
            f"be {100 * rows.height / total:.2f}"
        )
        counted = "which rows the paper does not count is not said; " + _taxonomy_reason(
            taxonomy, str(total)
        )
        for column, quantity, value, reason in (
            ("bugs", "bugs", rows.height, counted),
            ("share", "share of all bugs, percent", share, shares),
        ):
            figure = Figure(
                f"table_3.{name}.{column}",
                "Table III",
                POOLED,
                f"{name}: {quantity}",
                table[column],
            )
            yield _row(figure, value, gap=gap, reason=reason)
        for impact in ("speed", "memory", "both"):
            quantity = f"{name}: bugs with impact on {impact.replace('both', 'speed and memory')}"
            figure = Figure(
                f"table_3.{name}.{impact}", "Table III", POOLED, quantity, table[impact]
            )
            yield _row(figure, None, gap="the package's taxonomy has no impacts")


def _row(
    figure: Figure,
    reproduced: float | None,
    *,
    gap: str | None,
    reason: str | None = None,
    note: str | None = None,
) -> tuple[object, ...]:
    """A row of the comparison: ``reason`` where it differs, ``note`` where it does not."""
    if gap is None and reproduced is None:
        gap = "the loaded data have no such value"
    verdict, told = "not derivable", gap
    value = difference = None
    if gap is None and reproduced is not None:
        value = float(reproduced)
        verdict = verdict_of(figure, value)
        difference = None if figure.is_claim else value - float(figure.value)
        told = (reason or "no reason found") if verdict == "differs" else note
    return (
        DATASET,
        figure.name,
        figure.place,
        figure.repository,
        figure.quantity,
        figure.text,
        float(figure.value),
        value,
        difference,
        verdict,
        told,
    )


def _reopened(texts: Mapping[str, str], counts: Mapping[str, int]) -> str:
    """Why open and closed bug reports differ: reopened ones, when both together agree."""
    wanted = {state: int(text.replace(",", "")) for state, text in texts.items()}
    moved = wanted["open"] - counts["open"]
    if moved > 0 and moved == counts["closed"] - wanted["closed"]:
        return (
            f"{moved} bug reports were closed and are open again: the package gives their last "
            "close and no reopening, so that they count as closed"
        )
    return "the package lists another number of bug reports than the paper"


def _months(data: Data, repository: str, series: str) -> pl.DataFrame:
    return data.trend.filter(repository=repository, series=series).sort("month")


def agreeing_months(months: pl.DataFrame) -> pl.DataFrame:
    """The months of ``marts.paper_trend`` in which both counts are as published."""
    return months.filter(
        (pl.col("published_performance") == pl.col("reproduced_performance"))
        & (pl.col("published_total") == pl.col("reproduced_total"))
    )


def _trend_reason(months: pl.DataFrame) -> str:
    gap = (months.get_column("published_percentage") - months["reproduced_percentage"]).abs().max()
    largest = f"{gap:.2f}" if isinstance(gap, float) else "unknown"
    return (
        "bug reports that were open again at the time count as closed, the package tells of no "
        f"reopening; the percentages of a month differ by at most {largest} points"
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


def _larger_reason(table: Published) -> str:
    own = _larger(float(table["performance"]), float(table["other"]))
    return (
        f"the paper's own medians, {table['performance']} and {table['other']}, give {own:.2f}; "
        "here it is of the medians before rounding"
    )


def _taxonomy_reason(taxonomy: pl.DataFrame, bugs: str) -> str:
    issues = taxonomy.select("repository", "number").n_unique()
    return (
        f"all in all the taxonomy has {taxonomy.height} rows about {issues} issues where the paper "
        f"counts {bugs} bugs"
    )
