"""The paper against itself: what it gives twice agrees or does not, and which of it is said."""

from datetime import UTC, datetime
from typing import Any

import polars as pl
import pytest

from perf_assets.core.paper.printed import AGAINST_ITSELF, BUGS, Paper
from perf_assets.reports.replication.words import reproduced_text
from perf_assets.schema import schema_of
from perf_assets.sources.replication.papers import papers
from tests.core.paper.printed_tables import by_figure, paper_with

PYTORCH, TENSORFLOW = "pytorch/pytorch", "tensorflow/tensorflow"
EXAMPLES = ("82", "14800", "158", "3470")
ENDS = {
    # The last rows of the series that the package publishes.
    (PYTORCH, "open"): ("2021-04", 405, 4324),
    (PYTORCH, "fixed"): ("2021-04", 113, 2788),
    (TENSORFLOW, "open"): ("2021-02", 302, 2175),
    (TENSORFLOW, "fixed"): ("2021-02", 47, 1395),
}


def package() -> dict[str, pl.DataFrame]:
    bugs = [
        {"repository": PYTORCH, "number": 1, "opened_at": datetime(2021, 3, 16, tzinfo=UTC)},
        {"repository": TENSORFLOW, "number": 1, "opened_at": datetime(2021, 1, 27, tzinfo=UTC)},
    ]
    ends = [
        {
            "repository": repository,
            "series": series,
            "month": month,
            "published_performance": performance,
            "published_total": total,
            "reproduced_performance": performance,
            "reproduced_total": total,
        }
        for (repository, series), (month, performance, total) in ENDS.items()
    ]
    taxonomy = [
        (PYTORCH, 82, "Other", None),
        (TENSORFLOW, 14800, "Memory inefficiency", "Unreleased memory resources"),
        (TENSORFLOW, 14800, "Memory inefficiency", "Unreleased memory resources"),
        (PYTORCH, 158, "Other", None),
    ]
    names = ("repository", "number", "category", "subcategory")
    rows = {
        "marts.bug_metrics": [{"dataset": "replication", **bug} for bug in bugs],
        "marts.paper_trend": ends,
        "replication.taxonomy": [dict(zip(names, row, strict=True)) for row in taxonomy],
    }
    return {name: pl.DataFrame(rows[name], schema_of(name)) for name in rows}


def found(paper: Paper) -> dict[str, dict[str, Any]]:
    return {
        name.removeprefix("against_itself."): row
        for name, row in by_figure(paper, package()).items()
        if row["location"] == AGAINST_ITSELF
    }


def changed(table: str, row: int, **cells: str) -> Paper:
    """The paper with other cells in a row of one of its tables."""
    rows = [dict(cells) for cells in papers()[BUGS].tables[table].rows or ()]
    rows[row] |= cells
    return paper_with(BUGS, **{table: rows})


def test_the_paper_contradicts_itself_in_five_places() -> None:
    rows = found(papers()[BUGS])
    differing = {name: row for name, row in rows.items() if row["verdict"] == "differs"}
    assert {name: reproduced_text(row) for name, row in differing.items()} == {
        "pooled.fixed_bugs": "4,183",
        f"{TENSORFLOW}.open.performance": "302",
        f"{PYTORCH}.until": "2021-04",
        "hours_to_first_comment.larger": "21.49",
        "small_above": "0.147",
    }
    reasons = {name: row["reason"] for name, row in differing.items()}
    assert reasons["pooled.fixed_bugs"] == (
        "the sum of 1,555 closed performance bugs, fixed or not, and 4,023 fixed other bugs of "
        "Table I"
    )
    assert (
        "301 of 2,175, the series of Figure 1 302 of 2,175"
        in (reasons[f"{TENSORFLOW}.open.performance"])
    )
    assert reasons[f"{PYTORCH}.until"].endswith("bug report of the package is of 2021-03-16")
    assert reasons["hours_to_first_comment.larger"].endswith(
        "12.7 in the place of 12.1 would give it"
    )
    assert "0.248, 0.191, 0.168 small" in reasons["small_above"]
    assert {row["verdict"] for row in rows.values()} == {"exact", "within_rounding", "differs"}


@pytest.mark.parametrize(
    ("column", "check", "value"),
    [("speed", "impacts", 30), ("share", "shares", 30), ("memory", "sums", 23)],
)
def test_a_slip_in_table_3_is_counted_and_named(column: str, check: str, value: int) -> None:
    table = papers()[BUGS].tables["table_3"].frame
    row = table["subcategory"].to_list().index("Wrong device placement")
    printed = changed("table_3", row, **{column: "9.99" if column == "share" else "5"})
    slip = found(printed)[f"table_3.{check}"]
    assert (slip["reproduced"], slip["verdict"]) == (value, "differs")
    name = "Wrong device placement"
    named = "Inefficient hardware optimization (memory)" if check == "sums" else name
    assert slip["reason"] == f"not so: {named}"


def test_totals_and_precision_follow_from_table_1() -> None:
    rows = found(changed("table_1", 1, closed="11,358"))
    assert rows[f"{PYTORCH}.bug_reports"]["verdict"] == "differs"
    assert rows["pooled.bug_reports"]["verdict"] == "exact"
    rows = found(changed("section_3", -1, precision="88.20"))
    assert rows["precision"]["reproduced"] == pytest.approx(100 * 141 / 160)
    assert rows["precision"]["published_text"] == "88.20"
    assert rows["precision"]["verdict"] == "differs"


def test_examples_of_the_text_have_their_root_cause_in_the_taxonomy() -> None:
    tables = papers()[BUGS].tables
    examples = tables["examples"].frame
    names = tables["table_3"].frame.select(pl.coalesce("subcategory", "category")).to_series()
    assert examples.height == 26 and names.is_unique().all()
    assert set(examples["cause"]) <= set(names)
    rows = by_figure(papers()[BUGS], package())
    reproduced = {
        name: (row["reproduced"], row["reason"])
        for name, row in rows.items()
        if name.startswith("examples.") and name.rpartition(".")[2] in EXAMPLES
    }
    assert reproduced == {
        f"examples.{TENSORFLOW}.14800": (1.0, "2 rows of the taxonomy"),
        f"examples.{TENSORFLOW}.3470": (0.0, "it is not in the taxonomy"),
        f"examples.{PYTORCH}.158": (0.0, "the taxonomy has it as Other"),
        f"examples.{PYTORCH}.82": (1.0, None),
    }
