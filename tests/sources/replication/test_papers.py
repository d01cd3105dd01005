"""The printed values of the papers as they were copied."""

from typing import Any

import polars as pl
import pytest

from perf_assets.base.config_files import validate
from perf_assets.base.errors import PerfAssetsError
from perf_assets.core.paper.printed import BUGS, PrintedTable, filled
from perf_assets.sources.replication.papers import papers


def rows(table: str) -> list[dict[str, Any]]:
    return papers()[BUGS].tables[table].frame.rows(named=True)


def test_the_figures_of_the_paper_agree_with_each_other() -> None:
    """Totals are sums, shares are of 141 bugs, impacts add up: no slip of copying."""
    table_1 = papers()[BUGS].tables["table_1"].frame
    counts = table_1.group_by("repository", maintain_order=True).agg(
        pl.col("kind", "open", "closed", "fixed")
    )
    *parts, pooled = counts.rows(named=True)
    for state in ("open", "closed", "fixed"):
        sums = [sum(numbers) for numbers in zip(*(part[state] for part in parts), strict=True)]
        assert sums == pooled[state]
    (taxonomy,) = rows("taxonomy")
    categories = [row for row in rows("table_3") if row["subcategory"] is None]
    subcategories = [row for row in rows("table_3") if row["subcategory"] is not None]
    assert sum(row["bugs"] for row in categories) == taxonomy["bugs"]
    assert len(categories) == taxonomy["categories"]
    assert len(subcategories) == taxonomy["subcategories"]
    for row in rows("table_3"):
        assert f"{100 * row['bugs'] / taxonomy['bugs']:.2f}" == row["share_text"]
        assert row["speed"] + row["memory"] + row["both"] == row["bugs"]
    for row in categories:
        parts = [part for part in subcategories if part["category"] == row["category"]]
        assert not parts or sum(part["bugs"] for part in parts) == row["bugs"]


@pytest.mark.parametrize("study", papers())
def test_every_cell_is_compared_or_read_by_a_query(study: str) -> None:
    for name, table in papers()[study].tables.items():
        texts = [table.quantity, *(str(column) for column in table.columns.values())]
        queries = " ".join(other.query for other in papers()[study].tables.values())
        for cell in {cell for row in table.rows or () for cell in row}:
            is_read = cell in queries or any(f"{{{cell}" in text for text in texts)
            assert cell in table.columns or cell in table.keys or is_read, (name, cell)


def test_the_rows_of_a_table_are_read_as_printed() -> None:
    table = validate(
        PrintedTable,
        {"columns": {}, "rows": 'kind | bugs | share | of\na | 1,000 | 0.50 | x\n" |  | 7 | 3\n'},
        "paper.yml",
    )
    first, second = table.frame.rows(named=True)
    assert first | {"line": 0, "kind": "a", "bugs": 1000, "share": 0.5, "of": "x"} == first
    assert second | {"line": 1, "kind": "a", "bugs": None, "share": 7.0, "of": "3"} == second
    assert (first["bugs_text"], first["share_text"]) == ("1,000", "0.50")
    with pytest.raises(PerfAssetsError, match="row 1 has 1 cells instead of 2"):
        validate(PrintedTable, {"columns": {}, "rows": "a | b\n1"}, "paper.yml")


def test_a_text_is_the_first_of_which_all_values_are_there() -> None:
    variants = ("{bugs:,} of {kind:words}", "{kind:if}no {kind}", "nothing")
    assert filled(variants, {"bugs": 1000, "kind": "memory_leak"}) == "1,000 of memory leak"
    assert filled(variants, {"bugs": None, "kind": "leak"}) == "no leak"
    assert filled(variants, {"bugs": None, "kind": None}) == "nothing"
    assert filled(variants[:2], {"bugs": 1, "kind": None}) is None
