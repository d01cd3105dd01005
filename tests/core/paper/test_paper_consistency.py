"""The paper against itself: what it gives twice agrees or does not, and which of it is said."""

import copy
from datetime import UTC, datetime
from typing import Any

import polars as pl
import pytest
from perf_assets.core.paper.examples import example_issues
from perf_assets.core.paper.figures import Data
from perf_assets.core.paper.paper_consistency import paper_consistency
from perf_assets.sources.replication.paper_figures import paper_figures

from perf_assets.reports.replication.words import reproduced_text
from perf_assets.schema import schema_of

PYTORCH, TENSORFLOW = "pytorch/pytorch", "tensorflow/tensorflow"
NAMES = schema_of("analysis.paper_comparison").names()
ENDS = {
    # The last rows of the series that the package publishes.
    (PYTORCH, "open"): ("2021-04", 405, 4324),
    (PYTORCH, "fixed"): ("2021-04", 113, 2788),
    (TENSORFLOW, "open"): ("2021-02", 302, 2175),
    (TENSORFLOW, "fixed"): ("2021-02", 47, 1395),
}


def package() -> Data:
    bugs = pl.DataFrame(
        [
            (PYTORCH, datetime(2021, 3, 16, tzinfo=UTC)),
            (TENSORFLOW, datetime(2021, 1, 27, tzinfo=UTC)),
        ],
        schema={"repository": pl.String, "opened_at": pl.Datetime("us", "UTC")},
        orient="row",
    )
    trend = pl.DataFrame(
        [(*key, *end) for key, end in ENDS.items()],
        schema=["repository", "series", "month", "published_performance", "published_total"],
        orient="row",
    )
    taxonomy = pl.DataFrame(
        [
            (PYTORCH, 82, "Other", None),
            (TENSORFLOW, 14800, "Memory inefficiency", "Unreleased memory resources"),
            (TENSORFLOW, 14800, "Memory inefficiency", "Unreleased memory resources"),
            (PYTORCH, 158, "Other", None),
        ],
        schema={
            "repository": pl.String,
            "number": pl.Int64,
            "category": pl.String,
            "subcategory": pl.String,
        },
        orient="row",
    )
    return Data(bugs, trend, taxonomy)


def found(tables: Any) -> dict[str, dict[str, Any]]:
    rows = [dict(zip(NAMES, row, strict=True)) for row in paper_consistency(tables, package())]
    assert {row["location"] for row in rows} == {"The paper against itself"}
    return {row["figure"].removeprefix("against_itself."): row for row in rows}


@pytest.fixture
def printed() -> Any:
    """The figures of the paper, free to be changed."""
    return copy.deepcopy(paper_figures())


def test_the_paper_contradicts_itself_in_four_places(printed: Any) -> None:
    rows = found(printed)
    differing = {name: row for name, row in rows.items() if row["verdict"] == "differs"}
    assert {name: reproduced_text(row) for name, row in differing.items()} == {
        f"{TENSORFLOW}.open.performance": "302",
        f"{PYTORCH}.until": "2021-04",
        "hours_to_first_comment.larger": "21.49",
        "small_above": "0.147",
    }
    reasons = {name: row["reason"] for name, row in differing.items()}
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
def test_a_slip_in_table_3_is_counted_and_named(
    printed: Any, column: str, check: str, value: int
) -> None:
    row = next(t for t in printed["table_3"] if t.get("subcategory") == "Wrong device placement")
    row[column] = "9.99" if column == "share" else "5"
    slip = found(printed)[f"table_3.{check}"]
    assert (slip["reproduced"], slip["verdict"]) == (value, "differs")
    named = "Inefficient hardware optimization (memory)" if check == "sums" else row["subcategory"]
    assert slip["reason"] == f"not so: {named}"


def test_totals_and_precision_follow_from_table_1(printed: Any) -> None:
    printed["table_1"][0]["other"]["closed"] = "11,358"
    printed["section_3"][-1]["precision"] = "88.2"
    rows = found(printed)
    assert rows[f"{PYTORCH}.bug_reports"]["verdict"] == "differs"
    assert rows["pooled.bug_reports"]["verdict"] == "exact"
    assert rows["precision"]["reproduced"] == pytest.approx(100 * 141 / 160)
    assert rows["precision"]["verdict"] == "differs"


def test_what_is_not_printed_is_not_compared() -> None:
    assert list(paper_consistency({}, package())) == []


def test_examples_of_the_text_have_their_root_cause_in_the_taxonomy(printed: Any) -> None:
    assert len(printed["examples"]) == 26
    names = {(t["category"], t.get("subcategory")) for t in printed["table_3"]}
    assert {(t["category"], t.get("subcategory")) for t in printed["examples"]} <= names
    tables = [t for t in printed["examples"] if t["number"] in (82, 14800, 158, 3470)]
    rows = {
        row["figure"]: row
        for row in (dict(zip(NAMES, row, strict=True)) for row in example_issues(tables, package()))
    }
    reproduced = {name: (row["reproduced"], row["reason"]) for name, row in rows.items()}
    assert reproduced == {
        f"examples.{TENSORFLOW}.14800": (1.0, "2 rows of the taxonomy"),
        f"examples.{TENSORFLOW}.3470": (0.0, "it is not in the taxonomy"),
        f"examples.{PYTORCH}.158": (0.0, "the taxonomy has it as Other"),
        f"examples.{PYTORCH}.82": (1.0, None),
    }
