"""Performance problems of users: their distributions and crossings, in both ways of counting."""

from collections.abc import Iterator
from typing import Any

import pytest

from perf_assets.sources.replication.problems import read_problems
from tests.model_database import ModelDatabase
from tests.paths import PROBLEMS
from tests.question_rows import question, question_verdict, tag_set
from tests.rows import published_problem as problem

LEAK = {"symptom_2_category": "Memory", "symptom_2_subcategory": "Memory leak"}
HANG = {"symptom_2_category": "Time", "symptom_2_subcategory": "Program hang"}
UNKNOWN = {"symptom_1_category": "Unknown", "symptom_1_subcategory": None}
DATA = {"cause_category": "Data", "cause_subcategory": "Improper data input"}


@pytest.fixture(scope="module")
def database() -> Iterator[ModelDatabase]:
    yield ModelDatabase()


@pytest.fixture
def made(database: ModelDatabase) -> ModelDatabase:
    problems = [
        problem("1_1"),
        problem("1_2", **LEAK),
        problem("2", **HANG),
        problem("3", **UNKNOWN, **DATA, introducing_stage="Unknown"),
    ]
    database.fill({"replication.problems": problems})
    return database


def counts(database: ModelDatabase, aspect: str, counted: str) -> dict[str, tuple[int, int]]:
    rows = database.rows("SELECT * FROM marts.problem_distribution")
    return {
        row["code"]: (row["problems"], row["posts"])
        for row in rows
        if (row["aspect"], row["counted"]) == (aspect, counted)
    }


def test_symptoms_are_counted_in_two_ways(made: ModelDatabase) -> None:
    assert counts(made, "symptom", "first_symptom") == {
        "Time": (3, 2),
        "Time (Slow execution time)": (3, 2),
        "Unknown": (1, 1),
    }
    assert counts(made, "symptom", "any_symptom") == {
        "Time": (3, 2),  # one of them has two symptoms of it
        "Time (Slow execution time)": (3, 2),
        "Time (Program hang)": (1, 1),
        "Memory": (1, 1),
        "Memory (Memory leak)": (1, 1),
        "Unknown": (1, 1),
    }


def test_causes_and_stages_are_counted_once_a_problem(made: ModelDatabase) -> None:
    assert counts(made, "root_cause", "every_problem") == {
        "API": (3, 2),
        "API (Not using batch API)": (3, 2),
        "Data": (1, 1),
        "Data (Improper data input)": (1, 1),
    }
    stages = counts(made, "introducing_stage", "every_problem")
    assert stages == {"Data preparation": (3, 2), "Unknown": (1, 1)}
    assert counts(made, "exposing_stage", "every_problem") == {"Training": (4, 3)}


def test_problems_that_people_described_stand_beside_the_published_ones(
    database: ModelDatabase,
) -> None:
    slow = {"symptom_1_category": "Time", "symptom_1_subcategory": "Slow execution time"}
    api = {"cause_category": "API", "introducing_stage": "Training"}
    verdicts = [
        question_verdict(1, "Ann", 1, **slow, **api),
        question_verdict(2, "Bob", 1, **slow, **api | {"cause_category": "Model"}),
        question_verdict(3, "Cid", 1, **api),
        # A second problem that one of them found, and questions that most take for others.
        question_verdict(4, "Cid", 1, problem=2, cause_category="Data"),
        question_verdict(5, "Ann", 2, **slow),
        question_verdict(6, "Bob", 2, verdict="no"),
        question_verdict(7, "Ann", 3),
    ]
    database.fill(
        {
            "meta.tag_sets": [tag_set()],
            "raw.questions": [question(number, "2020-01-10") for number in (1, 2, 3)],
            "reviews.question_verdicts": verdicts,
            "replication.problems": [problem("1_1")],
        }
    )
    columns = "dataset, problem_id, symptom_1_subcategory, cause_category, introducing_stage"
    live = [row for row in database.table("staging.problems", columns) if row[0] == "live"]
    assert sorted(live) == [
        ("live", "1_1", "Slow execution time", "API", "Training"),
        ("live", "1_2", None, "Data", None),
    ]
    rows = database.rows("SELECT dataset, total_problems FROM marts.problem_distribution")
    totals = {(row["dataset"], row["total_problems"]) for row in rows}
    assert ("live", 2) in totals and ("replication", 1) in totals


def test_shares_are_of_all_problems(made: ModelDatabase) -> None:
    query = """
        SELECT DISTINCT total_problems, total_posts FROM marts.problem_distribution
    """
    assert made.rows(query) == [{"total_problems": 4, "total_posts": 3}]
    row = made.rows("SELECT percent FROM marts.problem_distribution WHERE code = 'Memory'")
    assert row == [{"percent": 25.0}]


def test_symptoms_are_crossed_with_causes_by_both_levels(made: ModelDatabase) -> None:
    columns = "counted, code_level, symptom, cause, problems, posts, total_problems"
    rows = set(made.table("marts.symptoms_by_cause", columns))
    assert {row for row in rows if row[1] == "category"} == {
        ("first_symptom", "category", "Time", "API", 3, 2, 4),
        ("first_symptom", "category", "Unknown", "Data", 1, 1, 4),
        ("any_symptom", "category", "Time", "API", 3, 2, 4),
        ("any_symptom", "category", "Memory", "API", 1, 1, 4),
        ("any_symptom", "category", "Unknown", "Data", 1, 1, 4),
    }
    hang = ("Time (Program hang)", "API (Not using batch API)", 1, 1, 4)
    assert ("any_symptom", "subcategory", *hang) in rows
    assert ("first_symptom", "subcategory", *hang) not in rows


def test_causes_are_crossed_with_both_stages(made: ModelDatabase) -> None:
    columns = "cause, introducing_stage, exposing_stage, problems, posts, total_problems"
    rows = made.table("marts.causes_by_stage", f"code_level, {columns}")
    assert [row[1:] for row in rows if row[0] == "category"] == [
        ("API", "Data preparation", "Training", 3, 2, 4),
        ("Data", "Unknown", "Training", 1, 1, 4),
    ]


def test_the_published_problems_have_the_known_distributions(database: ModelDatabase) -> None:
    if not PROBLEMS.is_file():
        pytest.skip(f"the published problems are not at {PROBLEMS}")
    rows, _ = read_problems(PROBLEMS)
    database.fill({"replication.problems": rows.to_dicts()})

    def categories(aspect: str, counted: str) -> dict[str, Any]:
        found = counts(database, aspect, counted)
        return {code: problems for code, (problems, _) in found.items() if "(" not in code}

    first = {"Time": 117, "Memory": 52, "Unknown": 45, "Processor": 10}
    assert categories("symptom", "first_symptom") == first
    either = {"Time": 126, "Memory": 56, "Unknown": 45, "Processor": 16}
    assert categories("symptom", "any_symptom") == either
    causes = {"API": 115, "Model": 50, "Library": 24, "Data": 21, "Hardware": 14}
    assert categories("root_cause", "every_problem") == causes
    for table, where in (
        ("symptoms_by_cause", "counted = 'first_symptom' AND code_level = 'category'"),
        ("symptoms_by_cause", "counted = 'first_symptom' AND code_level = 'subcategory'"),
        ("causes_by_stage", "code_level = 'category'"),
        ("causes_by_stage", "code_level = 'subcategory'"),
    ):
        total = database.rows(f"SELECT sum(problems) AS n FROM marts.{table} WHERE {where}")
        assert total == [{"n": 224}]
