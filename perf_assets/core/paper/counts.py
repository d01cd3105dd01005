"""Table I and Section III: how many bug reports there are, of which kind."""

from collections.abc import Iterable, Iterator, Mapping

import polars as pl

from perf_assets.core.paper.figures import Data, Figure, PaperTables, comparison_row, number_of


def table_1(tables: Iterable[PaperTables], data: Data) -> Iterator[tuple[object, ...]]:
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
                yield comparison_row(
                    figure, counts[state], gap=gap, reason=_reopened(table[kind], counts)
                )


def section_3(tables: Iterable[PaperTables], data: Data) -> Iterator[tuple[object, ...]]:
    """What was collected, in numbers."""
    for table in tables:
        repository = table["repository"]
        gap = data.gap(repository)
        bugs = data.of(repository)
        fixed = bugs.filter("is_fixed")
        verified = data.verified(fixed)
        n_fixed = fixed.filter("is_performance").height
        of_taxonomy = gap or data.taxonomy_gap()
        no_filter = "the package holds the bug reports that were left, not those filtered out"
        precision = 100 * verified.height / n_fixed if n_fixed else 0.0
        tried = verified_reason(data, table.get("verified_bugs", ""))
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
                fixes_reason(bugs),
            ),
            "verified_bugs": (
                "fixed performance bugs verified by hand",
                verified.height,
                of_taxonomy,
                tried,
            ),
            "precision": ("precision of the labelling, percent", precision, of_taxonomy, tried),
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
                is_of_others = (
                    name == "precision" and str(verified.height) != table["verified_bugs"]
                )
                behind = tried if is_of_others else None
                yield comparison_row(figure, value, gap=why_not, reason=reason, behind=behind)


def fixes_reason(bugs: pl.DataFrame) -> str:
    """What was counted to find the paper's number of bug reports with a fixing commit."""
    with_fix = bugs.filter(pl.col("fix_commits") > 0)
    return (
        f"unknown; tried: closed bug reports with a fix ({bugs.filter('is_fixed').height:,}), open "
        f"ones too ({with_fix.height:,}), and the commits of their fixes "
        f"({with_fix['fix_commits'].sum():,})"
    )


def verified_reason(data: Data, bugs: str) -> str:
    """What was counted of the taxonomy to find the paper's number of bugs."""
    taxonomy = data.taxonomy
    causes = ["repository", "number", "category", "subcategory"]
    fixed = data.verified(data.bugs.filter("is_fixed"))
    return (
        f"unknown; tried for {bugs}: the rows of the taxonomy ({taxonomy.height}), those that "
        f"differ in issue or cause ({taxonomy.unique(causes).height}), in issue or category "
        f"({taxonomy.unique(causes[:3]).height}), the issues ({data.verified_issues.height}), and "
        f"those of them that are fixed performance bugs ({fixed.height})"
    )


def _reopened(texts: Mapping[str, str], counts: Mapping[str, int]) -> str:
    """Why open and closed bug reports differ: reopened ones, when both together agree."""
    published = {state: number_of(text) for state, text in texts.items()}
    moved = published["open"] - counts["open"]
    if moved > 0 and moved == counts["closed"] - published["closed"]:
        return (
            f"{moved} bug reports were closed and are open again: the package gives their last "
            "close and no reopening, so that they count as closed"
        )
    return "the package lists another number of bug reports than the paper"
