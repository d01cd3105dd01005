"""Figures of performance problems: distributions, and crossings as heat maps."""

import pytest

from perf_assets.reports.figures import shown
from tests.model_database import ModelDatabase, insert
from tests.question_rows import (
    FORUM,
    performance_question,
    question,
    question_verdict,
    tag_set,
)
from tests.rows import REPOSITORY, load, loads, published_problem, repository

pytestmark = pytest.mark.slow

MEMORY = {"symptom_1_category": "Memory", "symptom_1_subcategory": "Memory leak"}
MODEL = {"cause_category": "Model", "cause_subcategory": "Improper model parameter"}


@pytest.fixture
def database() -> ModelDatabase:
    return ModelDatabase()


def test_published_problems_are_drawn_alone_and_crossed(database: ModelDatabase) -> None:
    problems = [published_problem(str(number)) for number in range(1, 5)]
    problems += [published_problem(str(n), **MEMORY, **MODEL) for n in (5, 6)]
    database.fill({"replication.problems": problems})
    distribution = shown(database.connection, "marts.problem_distribution")
    assert distribution is not None
    assert [panel["title"] for panel in distribution.panels] == [
        f"{FORUM} (as published): {aspect}"
        for aspect in ("symptom", "root cause", "introducing stage", "exposing stage")
    ]
    first = distribution.verdicts[0]
    assert first == (
        f"{FORUM} (as published)",
        "6 problems by symptom: Time 4 (67 % [30, 90]), Memory 2 (33 % [10, 70])",
    )
    symptoms = shown(database.connection, "marts.symptoms_by_cause")
    assert symptoms is not None
    (panel,) = symptoms.panels
    cells = {(one["down"], one["across"]): one["problems"] for one in panel["data"]["values"]}
    assert cells == {
        ("API (Not using batch API)", "Time (Slow execution time)"): 4,
        ("Model (Improper model parameter)", "Memory (Memory leak)"): 2,
    }
    stages = shown(database.connection, "marts.causes_by_stage")
    assert stages is not None
    introducing, exposing = stages.panels
    assert introducing["title"].endswith("introducing stage")
    assert {one["across"] for one in exposing["data"]["values"]} == {"Training"}


def test_a_handful_of_problems_is_counted_and_not_drawn(database: ModelDatabase) -> None:
    database.fill({"replication.problems": [published_problem(str(n)) for n in range(1, 5)]})
    for table in ("marts.problem_distribution", "marts.symptoms_by_cause", "marts.causes_by_stage"):
        found = shown(database.connection, table)
        assert found is not None and found.panels == []
    found = shown(database.connection, "marts.problem_distribution")
    assert found is not None
    assert "Time 4" in found.verdicts[0][1] and "%" not in found.verdicts[0][1]


@pytest.mark.parametrize(
    ("verdicts", "words"),
    [
        ([], "none of them checked by people"),
        (
            [question_verdict(1, "Ann", 1), question_verdict(2, "Ann", 2, verdict="no")],
            "people checked 2 of them and confirmed 1",
        ),
    ],
)
def test_what_stems_find_are_candidates_until_people_checked_them(
    database: ModelDatabase, verdicts: list[dict[str, object]], words: str
) -> None:
    database.fill(
        {
            "meta.repositories": [repository(trend_start="2020-01")],
            "meta.tag_sets": [tag_set(repository=REPOSITORY)],
            "meta.partition_loads": [
                *loads("2020-01"),
                load("2020-01", "raw.questions", repository=f"{FORUM}:tensorflow"),
            ],
            "raw.questions": [question(n, "2020-01-10T00:00:00Z") for n in (1, 2, 3)],
            "labels.performance_questions": [
                performance_question(n, is_performance=n < 3) for n in (1, 2, 3)
            ],
            "reviews.question_verdicts": verdicts,
        }
    )
    found = shown(database.connection, "marts.questions_vs_bugs_monthly")
    assert found is not None
    assert found.verdicts[0][1].startswith(
        f"2020-01 to 2020-01: questions with performance stems: 2 of 3 (66.7 %), {words}; "
    )


def test_what_helped_with_reproduced_problems_is_said_and_drawn(database: ModelDatabase) -> None:
    assert shown(database.connection, "replication.benchmark") is None
    tried = {"profiler_status": "not_solved", "xla_status": "partly_solved"}
    problems = [
        published_problem("1", **tried, documentation_status="applied"),
        published_problem("2", **tried, documentation_status="not_solved"),
        published_problem("3"),
    ]
    problems[1]["xla_status"] = "not_applied"
    insert(database.connection, "replication.problems", problems)
    found = shown(database.connection, "replication.benchmark")
    assert found is not None
    assert found.verdicts == [
        (
            "of the reproduced problems",
            "profiler solved in part 0 of 2 problems to which it was applied (not applied to 0); "
            "XLA solved in part 1 of 1 problems to which it was applied (not applied to 1); "
            "documentation helped with 1 of 2 problems to which it was applied (not applied to 0)",
        )
    ]
    (panel,) = found.panels
    bars = {(one["approach"], one["color"]): one["problems"] for one in panel["data"]["values"]}
    assert bars["profiler", "not solved"] == 2
    assert bars["documentation", "solved in part, or helped"] == 1
