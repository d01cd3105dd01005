"""Table III: root causes of performance bugs, by the taxonomy."""

from collections.abc import Iterator, Sequence

import polars as pl

from perf_assets.core.analyses.group_samples import POOLED
from perf_assets.core.paper.counts import verified_reason
from perf_assets.core.paper.figures import (
    Data,
    Figure,
    PaperTables,
    cause_of,
    comparison_row,
    of_cause,
)

NO_IMPACTS = "the package's taxonomy has no impacts"


def taxonomy_as_a_whole(table: PaperTables, data: Data) -> Iterator[tuple[object, ...]]:
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
    reason = verified_reason(data, table["bugs"])
    for name, (quantity, value, why_not) in found.items():
        figure = Figure(f"taxonomy.{name}", "Section IV, RQ3", POOLED, quantity, table[name])
        yield comparison_row(figure, value, gap=why_not, reason=reason)


def table_3(tables: Sequence[PaperTables], data: Data) -> Iterator[tuple[object, ...]]:
    """Bugs of each category and sub-category, their share and their impacts.

    Shares are of all bugs that the paper counts, as it prints them ("37/141").
    """
    gap = data.taxonomy_gap()
    taxonomy = data.taxonomy
    total = sum(int(table["bugs"]) for table in tables if "subcategory" not in table)
    for table in tables:
        rows, name = of_cause(taxonomy, table), cause_of(table)
        share = 100 * rows.height / total if total else None
        shares = f"{rows.height} of the {total} bugs that the paper counts; it has {table['bugs']}"
        counted = _counted_reason(rows, table["bugs"])
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
            yield comparison_row(figure, value, gap=gap, reason=reason)
        for impact in ("speed", "memory", "both"):
            quantity = f"{name}: bugs with impact on {impact.replace('both', 'speed and memory')}"
            figure = Figure(
                f"table_3.{name}.{impact}", "Table III", POOLED, quantity, table[impact]
            )
            yield comparison_row(figure, None, gap=NO_IMPACTS)


def _counted_reason(rows: pl.DataFrame, bugs: str) -> str:
    """What was counted to find the paper's number of bugs of a category."""
    issues = rows.unique(["repository", "number"])
    return (
        f"unknown; tried for {bugs}: the rows of the category ({rows.height}), and the issues that "
        f"they are about ({issues.height})"
    )
