"""The figures of the study of performance problems, from a few made problems."""

from datetime import UTC, datetime

import polars as pl
import pytest

from perf_assets.core.paper.problems import problem_figures
from perf_assets.tables import schema_of

NAMES = schema_of("analysis.paper_comparison").names()
TABLE = {
    "problems": "3",
    "posts": "2",
    "first_day": "2018-01-02",
    "last_day": "2018-01-04",
    "two_symptoms": "1",
    "distributions": [
        {
            "aspect": "symptom",
            "counted": "any_symptom",
            "counts": {"Time": "2", "Memory": "2", "Processor": "0"},
        }
    ],
    "checker": {
        "found": "488",
        "projects": "130",
        "confirmed": "105",
        "fixed": "27",
        "list_of_fixes": {"all": "33", "loop-invariant-op": "9", "sequential-map": "24"},
    },
}


def problem(question: int, day: int, second: str | None = None) -> dict[str, object]:
    moment = datetime(2018, 1, day, 23, 59, tzinfo=UTC)
    return {"question_id": question, "created_at": moment, "symptom_2_category": second}


PROBLEMS = pl.DataFrame([problem(1, 2), problem(1, 2, "Memory"), problem(2, 3)])
DISTRIBUTION = pl.DataFrame(
    [
        ("symptom", "any_symptom", "Time", 2),
        ("symptom", "any_symptom", "Memory", 1),
        ("symptom", "first_symptom", "Memory", 9),
        ("root_cause", "any_symptom", "Time", 9),
    ],
    schema=["aspect", "counted", "code", "problems"],
    orient="row",
)


@pytest.fixture(scope="module")
def rows() -> dict[str, dict[str, object]]:
    found = problem_figures(TABLE, PROBLEMS, DISTRIBUTION)
    named = (dict(zip(NAMES, row, strict=True)) for row in found)
    return {str(row["figure"]): row for row in named}


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
    ],
)
def test_each_figure_has_its_verdict(
    rows: dict[str, dict[str, object]], figure: str, reproduced: float, verdict: str
) -> None:
    assert (rows[figure]["reproduced"], rows[figure]["verdict"]) == (reproduced, verdict)


def test_every_row_says_of_which_study_it_is(rows: dict[str, dict[str, object]]) -> None:
    assert {row["study"] for row in rows.values()} == {"performance_problems"}
    of_forum = [row for row in rows.values() if "checker" not in str(row["figure"])]
    assert {row["repository"] for row in of_forum} == {"stackoverflow"}
    assert len(of_forum) == 8


def test_what_is_stated_of_the_published_checker_stands_with_why_it_cannot_be_derived(
    rows: dict[str, dict[str, object]],
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
