"""Table III: root causes of performance bugs, by the taxonomy."""

from collections.abc import Iterator, Sequence

import polars as pl

from perf_assets.core.analyses.comparisons import (
    POOLED,
)
from perf_assets.core.paper.figures import (
    Data,
    Figure,
    PaperTables,
    comparison_row,
)


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
    reason = taxonomy_reason(taxonomy, table["bugs"])
    for name, (quantity, value, why_not) in found.items():
        figure = Figure(f"taxonomy.{name}", "Section IV, RQ3", POOLED, quantity, table[name])
        yield comparison_row(figure, value, gap=why_not, reason=reason)


def table_3(tables: Sequence[PaperTables], data: Data) -> Iterator[tuple[object, ...]]:
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
        counted = "which rows the paper does not count is not said; " + taxonomy_reason(
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
            yield comparison_row(figure, value, gap=gap, reason=reason)
        for impact in ("speed", "memory", "both"):
            quantity = f"{name}: bugs with impact on {impact.replace('both', 'speed and memory')}"
            figure = Figure(
                f"table_3.{name}.{impact}", "Table III", POOLED, quantity, table[impact]
            )
            yield comparison_row(figure, None, gap="the package's taxonomy has no impacts")


def taxonomy_reason(taxonomy: pl.DataFrame, bugs: str) -> str:
    """Why a count of the taxonomy differs from the paper's."""
    issues = taxonomy.select("repository", "number").n_unique()
    return (
        f"all in all the taxonomy has {taxonomy.height} rows about {issues} issues where the paper "
        f"counts {bugs} bugs"
    )
