"""The models of verdicts: which is in force, and what caused the bugs."""

from typing import Any

import pytest

from tests.model_database import ModelDatabase
from tests.rows import REPOSITORY, issue, label, repository, verdict


@pytest.fixture(scope="module")
def models() -> ModelDatabase:
    return ModelDatabase()


def fill(models: ModelDatabase, *verdicts: dict[str, Any], **tables: Any) -> None:
    models.fill(
        {
            "meta.repositories": [repository()],
            "raw.issues": [issue(n, "2020-01-05") for n in range(1, 5)],
            "labels.performance_labels": [label(n) for n in range(1, 5)],
            "reviews.verdicts": verdicts,
            **tables,
        }
    )


def test_the_last_verdict_of_a_rater_and_most_raters_decide(models: ModelDatabase) -> None:
    caching = {"category": "Inefficient caching", "impact": "speed"}
    fill(
        models,
        verdict(1, "Ann", 1, "no"),
        verdict(2, "Bob", 1, "yes", **caching),
        verdict(3, "Ann", 1, "yes", category="Other", impact="speed"),
        verdict(4, "Eve", 1, "yes", **caching),
        verdict(5, "Ann", 2, "yes", **caching),
        verdict(6, "Bob", 2, "no"),
        verdict(7, "Ann", 3, "yes"),
        verdict(8, "Ann", 77, "yes", **caching),  # an issue that is gone
    )
    assert models.table(
        "intermediate.reviewed_bugs", "number, raters, verdict, category, impact", "number"
    ) == [
        (1, 3, "yes", "Inefficient caching", "speed"),
        (2, 2, "unsure", None, None),
        (3, 1, "yes", None, None),
    ]


def test_root_causes_count_categories_and_sub_categories_with_their_impact(
    models: ModelDatabase,
) -> None:
    memory = {"category": "Memory inefficiency", "impact": "memory"}
    leak = {**memory, "subcategory": "Unreleased memory resources"}
    fill(
        models,
        verdict(1, "Ann", 1, "yes", **memory),
        verdict(2, "Ann", 2, "yes", **leak),
        verdict(3, "Ann", 3, "yes", **leak | {"impact": "both"}),
        verdict(4, "Ann", 4, "yes", category="Other"),
    )
    columns = "cause, bugs, total, percentage, speed, memory, speed_and_memory"
    rows = models.table(f"(FROM marts.root_causes WHERE repository = '{REPOSITORY}')", columns)
    assert rows == [
        ("Memory inefficiency", 3, 4, 75.0, 0, 2, 1),
        ("Memory inefficiency (Unreleased memory resources)", 2, 4, 50.0, 0, 1, 1),
        ("Other", 1, 4, 25.0, None, None, None),
    ]


def test_the_published_taxonomy_stands_beside_with_impacts_unknown(models: ModelDatabase) -> None:
    rows = [
        {"repository": "pytorch/pytorch", "number": n, "occurrence": 1, "category": "Other"}
        | {"published_category": "Other", "file": "a.csv", "line": n}
        for n in (1, 2)
    ]
    fill(models, **{"replication.taxonomy": rows})
    assert models.table(
        "marts.root_causes", "dataset, repository, cause, bugs, percentage, speed"
    ) == [
        ("replication", "pooled", "Other", 2, 100.0, None),
        ("replication", "pytorch/pytorch", "Other", 2, 100.0, None),
    ]
