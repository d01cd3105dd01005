"""The figures of the study of performance problems, from a few made problems."""

from datetime import UTC, datetime
from typing import Any

import polars as pl
import pytest

from perf_assets.core.paper.printed import PROBLEMS
from tests.core.paper.printed_tables import by_figure, paper_with

PAPER = paper_with(
    PROBLEMS,
    problems=[
        {
            "problems": "3",
            "posts": "2",
            "first_day": "2018-01-02",
            "last_day": "2018-01-04",
            "two_symptoms": "1",
        }
    ],
    distributions=[
        {"aspect": "symptom", "counted": "any_symptom", "code": code, "problems": count}
        for code, count in (("Time", "2"), ("Memory", "2"), ("Processor", "0"))
    ],
    crossings=[
        {"of": "cause_category", "code": "API", "by": "exposing_stage", "other": stage} | count
        for stage, count in (("Training", {"problems": "2"}), ("Evaluation", {"problems": "1"}))
    ],
    benchmark=[{"problems": "2"}],
    approaches=[
        {"approach": approach, "words": approach, "status": status, "problems": count}
        for approach, status, count in (
            ("profiler_status", "not_solved", "1"),
            ("profiler_status", "not_applied", "1"),
            ("xla_status", "partly_solved", "1"),
            ("documentation_status", "applied", "2"),
        )
    ],
    codebook=[{"symptoms": "2", "root_causes": "1", "stages": "2"}],
)


def problem(question: int, day: int, second: str | None = None) -> dict[str, object]:
    moment = datetime(2018, 1, day, 23, 59, tzinfo=UTC)
    leak = None if second is None else "Memory leak"
    return {
        "question_id": question,
        "created_at": moment,
        "symptom_1_category": "Time",
        "symptom_1_subcategory": "Program hang",
        "symptom_2_category": second,
        "symptom_2_subcategory": leak,
        "cause_category": "API",
        "cause_subcategory": "Not using batch API",
        "introducing_stage": "Training",
        "exposing_stage": "Training",
        "profiler_status": ("not_applied" if second else "not_solved") if day == 2 else None,
        "xla_status": "partly_solved" if day == 2 else None,
        "documentation_status": "applied" if day == 2 else None,
    }


LISTED = pl.DataFrame([problem(1, 2), problem(1, 2, "Memory"), problem(2, 3)])
DISTRIBUTION = pl.DataFrame(
    [
        ("replication", "symptom", "any_symptom", "Time", 2),
        ("replication", "symptom", "any_symptom", "Memory", 1),
        ("live", "symptom", "any_symptom", "Processor", 9),
        ("replication", "symptom", "first_symptom", "Memory", 9),
        ("replication", "root_cause", "any_symptom", "Time", 9),
    ],
    schema=["dataset", "aspect", "counted", "code", "problems"],
    orient="row",
)


def compared(problems: pl.DataFrame) -> dict[str, dict[str, Any]]:
    tables = {"replication.problems": problems, "marts.problem_distribution": DISTRIBUTION}
    return by_figure(PAPER, tables)


@pytest.fixture(scope="module")
def rows() -> dict[str, dict[str, Any]]:
    return compared(LISTED)


@pytest.mark.parametrize(
    ("figure", "reproduced", "verdict"),
    [
        ("problems.problems", 3, "exact"),
        ("problems.posts", 2, "exact"),
        ("problems.two_symptoms", 1, "exact"),
        ("problems.first_day", 17533, "exact"),
        ("problems.last_day", 17534, "differs"),
        ("problems.symptom.any_symptom.Time", 2, "exact"),
        ("problems.symptom.any_symptom.Memory", 1, "differs"),
        ("problems.symptom.any_symptom.Processor", 0, "exact"),
        ("problems.cause_category.API.exposing_stage.Training", 3, "differs"),
        ("problems.cause_category.API.exposing_stage.Evaluation", 0, "differs"),
        ("problems.benchmark", 2, "exact"),
        ("problems.benchmark.profiler_status.not_solved", 1, "exact"),
        ("problems.benchmark.xla_status.partly_solved", 2, "differs"),
        ("problems.benchmark.documentation_status.applied", 2, "exact"),
        ("problems.codebook.symptoms", 2, "exact"),
        ("problems.codebook.root_causes", 1, "exact"),
        ("problems.codebook.stages", 1, "differs"),
    ],
)
def test_each_figure_has_its_verdict(
    rows: dict[str, dict[str, Any]], figure: str, reproduced: float, verdict: str
) -> None:
    assert (rows[figure]["reproduced"], rows[figure]["verdict"]) == (reproduced, verdict)


def test_every_row_says_of_what_it_is(rows: dict[str, dict[str, Any]]) -> None:
    of_forum = [row for row in rows.values() if "checker" not in str(row["figure"])]
    assert {row["repository"] for row in of_forum} == {"stackoverflow"}
    assert len(of_forum) == 18


def test_what_is_stated_of_the_published_checker_stands_with_why_it_cannot_be_derived(
    rows: dict[str, dict[str, Any]],
) -> None:
    stated = {
        name.removeprefix("problems.checker."): row
        for name, row in rows.items()
        if name.startswith("problems.checker.")
    }
    assert {name: row["published"] for name, row in stated.items()} == {
        "found": 488,
        "projects": 130,
        "confirmed": 105,
        "fixed": 27,
        "list_of_fixes.all": 33,
        "list_of_fixes.loop-invariant-op": 9,
        "list_of_fixes.sequential-map": 24,
    }
    assert {row["verdict"] for row in stated.values()} == {"not_derivable"}
    assert all(row["reproduced"] is None and row["reason"] for row in stated.values())
    assert {row["repository"] for row in stated.values()} == {"projects on GitHub"}


def test_without_the_benchmark_it_is_said_that_it_is_not_loaded() -> None:
    none = [name for name in LISTED.columns if name.endswith("_status")]
    found = compared(LISTED.with_columns(pl.lit(None, pl.String).alias(name) for name in none))
    benchmark = [row for name, row in found.items() if name.startswith("problems.benchmark")]
    assert {row["verdict"] for row in benchmark} == {"not_derivable"}
    assert all("benchmark.csv" in row["reason"] for row in benchmark)
