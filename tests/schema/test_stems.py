"""What the stems find, counted: among questions by entry, among bug reports beside the keywords."""

from typing import Any

import pytest

from tests.model_database import ModelDatabase
from tests.question_rows import performance_question as decided
from tests.question_rows import question
from tests.rows import REPOSITORY, bug, bugs, label, loads, repository


@pytest.fixture(scope="module")
def database() -> ModelDatabase:
    return ModelDatabase()


def stems(number: int, meant: list[str], published: list[str]) -> dict[str, Any]:
    return {
        "repository": REPOSITORY,
        "number": number,
        "matched_stems": meant,
        "matched_stems_as_published": published,
        "rule_version": "00000000",
        "month": "2020-01",
    }


def test_bug_reports_are_counted_by_what_each_rule_finds(database: ModelDatabase) -> None:
    found = {"matched_keywords": ["slow"], "matched_in": ["title"], "is_performance": True}
    made = bugs(*(bug(number, "2020-01-05") for number in range(1, 7)))
    made["labels.performance_labels"] = [
        label(1, **found),
        label(2, **found),
        label(3),
        label(4),
        label(5),
        label(6, is_bug_report=False, non_bug_labels=["feature"]),
    ]
    given = [stems(1, ["hang"], []), stems(3, ["oom"], ["oom"]), stems(6, ["oom"], ["oom"])]
    database.fill(
        {
            **made,
            "meta.repositories": [repository()],
            "meta.partition_loads": loads("2020-01"),
            "labels.keyword_stems": given,
        }
    )
    columns = "stem_set, month, both_rules, keywords_only, stems_only, neither_rule"
    assert database.table("intermediate.rule_matches", columns) == [
        ("as_meant", "2020-01", 1, 1, 1, 2),
        ("as_published", "2020-01", 0, 2, 1, 2),
    ]


def test_questions_are_counted_in_each_of_their_tag_sets(database: ModelDatabase) -> None:
    database.fill(
        {
            "raw.questions": [
                question(1, "2020-01-05", tag_sets=["tensorflow", "keras"]),
                question(2, "2020-01-05"),
                question(3, "2020-01-05"),
                question(4, "2020-01-05"),  # nobody decided on it yet
            ],
            "labels.performance_questions": [
                decided(1, matched_stems=["oom", "hang"], matched_stems_as_published=["oom"]),
                decided(
                    2,
                    matched_stems=["hang"],
                    matched_stems_as_published=[],
                    is_performance_as_published=False,
                ),
                decided(3, is_performance=False),
            ],
        }
    )
    columns = "tag_set, stem_set, stem, questions, only_by_it, all_questions"
    assert database.table("intermediate.question_stems", columns) == [
        ("keras", "as_meant", "any", 1, 1, 1),
        ("keras", "as_meant", "hang", 1, 0, 1),
        ("keras", "as_meant", "oom", 1, 0, 1),
        ("keras", "as_published", "any", 1, 1, 1),
        ("keras", "as_published", "oom", 1, 1, 1),
        ("tensorflow", "as_meant", "any", 2, 2, 3),
        ("tensorflow", "as_meant", "hang", 2, 1, 3),
        ("tensorflow", "as_meant", "oom", 1, 0, 3),
        ("tensorflow", "as_published", "any", 1, 1, 3),
        ("tensorflow", "as_published", "oom", 1, 1, 3),
    ]
