"""Agreement of raters on questions, of which one may hold several problems and be of kinds."""

from typing import Any

import polars as pl
import pytest
from sklearn.metrics import cohen_kappa_score

from perf_assets.core.reviews.rater_agreement import question_agreement
from perf_assets.schema import schema_of, table_of

SCHEMA = {
    name: schema_of("staging.question_verdicts")[name]
    for name in table_of("staging.question_verdicts").column
}
NO_ENDORSEMENTS = (
    pl.DataFrame(schema=schema_of("reviews.endorsement_verdicts")),
    pl.DataFrame(schema=schema_of("intermediate.question_endorsements")).select(
        "forum", "comment_id", "endorsement"
    ),
)


def judged(rater: str, question: int, **changes: Any) -> dict[str, Any]:
    row = dict.fromkeys(SCHEMA) | {
        "forum": "so",
        "question_id": question,
        "rater": rater,
        "problem": 1,
        "verdict": "yes",
        "kinds": [],
    }
    return {**row, **changes}


def agreed(*rows: dict[str, Any]) -> dict[tuple[str, str], dict[str, Any]]:
    found = question_agreement(pl.DataFrame(rows, schema=SCHEMA), *NO_ENDORSEMENTS)
    assert found.schema == schema_of("analysis.question_agreement")
    return {(row["asked"], row["method"]): row for row in found.iter_rows(named=True)}


def test_kappa_is_over_the_questions_that_both_judged() -> None:
    ann, bob = ["yes", "no", "yes", "unsure"], ["yes", "no", "no", "unsure"]
    rows = [
        *(judged("Ann", n, verdict=word) for n, word in enumerate(ann)),
        *(judged("Bob", n, verdict=word) for n, word in enumerate(bob)),
        judged("Ann", 9),
    ]
    row = agreed(*rows)["is_performance", "cohen"]
    assert (row["forum"], row["raters"], row["n"]) == ("so", "Ann, Bob", 4)
    assert row["kappa"] == pytest.approx(cohen_kappa_score(ann, bob))


def test_problems_and_kinds_agree_when_the_same_ones_are_named() -> None:
    slow = {"symptom_1_category": "Time", "symptom_1_subcategory": "Program hang"}
    leak = {"symptom_1_category": "Memory", "symptom_1_subcategory": "Memory leak"}
    api, data = {"cause_category": "API"}, {"cause_category": "Data"}
    both = ["installation", "performance"]
    found = agreed(
        judged("Ann", 1, kinds=both, **slow, **api),
        judged("Ann", 1, problem=2, kinds=both, **leak, **data),
        judged("Ann", 2, kinds=["performance"], **slow, **api),
        judged("Bob", 1, kinds=both[::-1], **leak, **api),
        judged("Bob", 1, problem=2, kinds=both[::-1], **slow, **data),
        judged("Bob", 2, kinds=["performance"], **leak, **api),
    )
    assert {asked: row["kappa"] for (asked, _), row in found.items() if row["observed"] == 1} == {
        "is_performance": None,  # both say yes to all
        "kinds": 1.0,
        "cause_category": 1.0,
        "cause": 1.0,
    }
    for asked in ("symptom", "symptom_category"):
        assert (found[asked, "cohen"]["n"], found[asked, "cohen"]["observed"]) == (2, 0.5)
    assert ("introducing_stage", "cohen") not in found  # nobody answered it


def test_three_raters_have_a_kappa_of_all_and_forums_are_apart() -> None:
    rows = [judged(rater, n) for rater in ("Ann", "Bob", "Cid") for n in (1, 2)]
    rows[0]["verdict"] = "no"
    found = question_agreement(pl.DataFrame(rows, schema=SCHEMA), *NO_ENDORSEMENTS)
    assert found["method"].to_list() == ["cohen", "cohen", "cohen", "fleiss"]
    elsewhere = [{**row, "forum": "ai"} for row in rows if row["rater"] != "Cid"]
    both = question_agreement(pl.DataFrame([*rows, *elsewhere], schema=SCHEMA), *NO_ENDORSEMENTS)
    assert both.group_by("forum").len().sort("forum").rows() == [("ai", 1), ("so", 4)]


def test_without_verdicts_there_is_no_agreement() -> None:
    assert agreed() == {}
