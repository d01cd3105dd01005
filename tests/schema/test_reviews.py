"""The models of verdicts: which is in force, and what caused the bugs."""

from typing import Any

import pytest

from tests.model_database import ModelDatabase
from tests.rows import (
    PYTORCH,
    REPOSITORY,
    issue,
    label,
    listed_bug,
    listed_cause,
    repository,
    verdict,
)


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
        "intermediate.reviewed_bugs", "number, rater_count, verdict, category, impact", "number"
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
    columns = "cause, bugs, all_bugs, percent, speed, memory, speed_and_memory"
    rows = models.table(f"(FROM marts.root_causes WHERE repository = '{REPOSITORY}')", columns)
    assert rows == [
        ("Memory inefficiency", 3, 4, 75.0, 0, 2, 1),
        ("Memory inefficiency (Unreleased memory resources)", 2, 4, 50.0, 0, 1, 1),
        ("Other", 1, 4, 25.0, None, None, None),
    ]


def test_consensus_speaks_beside_the_raters(models: ModelDatabase) -> None:
    fill(
        models,
        verdict(1, "Ann", 1, "yes"),
        verdict(2, "Bob", 1, "no"),
        verdict(3, "Ann", 2, "yes"),
    )
    assert models.table("intermediate.reviewed_labels", "number, rater, verdict") == [
        (1, "Ann", "yes"),
        (1, "Bob", "no"),
        (1, "consensus", "unsure"),
        (2, "Ann", "yes"),
        (2, "consensus", "yes"),
    ]


def test_strata_count_the_bug_reports_of_each_dataset(models: ModelDatabase) -> None:
    decisions = [label(1, is_performance=True), label(2), label(3), label(4, is_bug_report=False)]
    published = [listed_bug(7, "2020-01-05T00:00:00+00:00")]
    fill(models, **{"labels.performance_labels": decisions, "replication.bugs": published})
    assert models.table("intermediate.review_sampling_strata") == [
        ("live", REPOSITORY, False, 2),
        ("live", REPOSITORY, True, 1),
        ("replication", PYTORCH, False, 1),
    ]


def test_a_bug_has_the_cause_that_was_agreed_on_or_those_that_were_published(
    models: ModelDatabase,
) -> None:
    causes = [listed_cause(7), listed_cause(7, occurrence=2, category="Caching")]
    fill(
        models,
        verdict(1, "Ann", 1, "yes", category="Other", impact="speed"),
        verdict(2, "Ann", 2, "no"),
        **{"replication.taxonomy": causes},
    )
    columns = "dataset, number, occurrence, category, impact"
    assert models.table("intermediate.bug_causes", columns) == [
        ("live", 1, 1, "Other", "speed"),
        ("replication", 7, 1, "Other", None),
        ("replication", 7, 2, "Caching", None),
    ]


def test_the_published_taxonomy_stands_beside_with_impacts_unknown(models: ModelDatabase) -> None:
    fill(models, **{"replication.taxonomy": [listed_cause(1), listed_cause(2)]})
    assert models.table(
        "marts.root_causes", "dataset, repository, cause, bugs, percent, speed"
    ) == [
        ("replication", "pooled", "Other", 2, 100.0, None),
        ("replication", "pytorch/pytorch", "Other", 2, 100.0, None),
    ]


def test_what_raters_agreed_on_counts_as_the_answer_of_all(models: ModelDatabase) -> None:
    fill(
        models,
        verdict(1, "Ann", 1, "no"),
        verdict(2, "Bob", 1, "no"),
        verdict(3, "agreed", 1, "yes", category="Other", impact="speed"),
        verdict(4, "Ann", 2, "no"),
    )
    assert models.table(
        "intermediate.reviewed_bugs", "number, rater_count, verdict, category", "number"
    ) == [(1, 2, "yes", "Other"), (2, 1, "no", None)]


KINDS = [f"{kind}_probability" for kind in ("speed", "memory", "hang", "quality")]


def test_probabilities_are_corrected_for_the_share_that_raters_found(models: ModelDatabase) -> None:
    def probability(number: int, value: float) -> dict[str, Any]:
        return {
            "repository": REPOSITORY,
            "number": number,
            "probability": value,
            "is_performance": value >= 0.4,
            **dict.fromkeys(KINDS, 0.0),
            "deciding_words": [],
            "trained_share": 0.1,
            "model_version": "00000000",
            "month": "2020-01",
        }

    table = {
        "labels.performance_labels": [label(n, is_performance=n == 1) for n in range(1, 5)],
        "labels.performance_probabilities": [
            probability(n, value) for n, value in enumerate((0.5, 0.4, 0.1, 0.0), 1)
        ],
    }
    columns = (
        "bug_reports, labelled, classified, labelled_and_classified, "
        "round(expected_performance_bugs, 4), round(corrected_performance_bugs, 4), "
        "judged_bug_reports"
    )
    name = "marts.performance_probability_monthly"
    fill(models, verdict(1, "Ann", 1, "yes"), **table)  # nobody judged the others
    assert models.table(name, columns, "month") == [(4, 1, 2, 1, 1.0, None, None)]
    # Of the one labelled the one judged is right, of the other three one of two judged: a share of
    # (1 + 1.5) / 4. An even chance by one in ten becomes odds of 9 times 5 to 3, and so on.
    fill(
        models,
        verdict(1, "Ann", 1, "yes"),
        verdict(2, "Ann", 2, "yes"),
        verdict(3, "Ann", 3, "no"),
        **table,
    )
    odds = [9 * 5 / 3 * p / (1 - p) for p in (0.5, 0.4, 0.1, 0.0)]
    corrected = round(sum(one / (1 + one) for one in odds), 4)
    assert models.table(name, columns, "month") == [(4, 1, 2, 1, 1.0, corrected, 3)]
