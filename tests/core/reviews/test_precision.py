"""Precision of the static checks by verdicts of people, against values from other hands."""

from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest
from sklearn.metrics import cohen_kappa_score

from perf_assets.core.reviews.precision import (
    endorsement_precision,
    finding_agreement,
    finding_precision,
)
from perf_assets.core.reviews.rater_agreement import question_agreement
from perf_assets.schema import schema_of, table_of

SCHEMA = {
    name: schema_of("staging.finding_verdicts")[name]
    for name in table_of("staging.finding_verdicts").column
}
WORDS = ("right", "wrong", "unsure")


def judged(rater: str, finding: int, verdict: str = "right", **changes: Any) -> dict[str, Any]:
    row = {
        "repository": "owner/name",
        "finding_id": f"f{finding:016d}",
        "rater": rater,
        "verdict": verdict,
        "rule": "sequential-map",
    }
    return dict.fromkeys(SCHEMA) | row | changes


def precision(*rows: dict[str, Any]) -> dict[tuple[str, str, str], dict[str, Any]]:
    found = finding_precision(pl.DataFrame(rows, schema=SCHEMA))
    assert found.schema == schema_of("analysis.finding_precision")
    return {(row["repository"], row["rule"], row["rater"]): row for row in found.to_dicts()}


def counts(row: dict[str, Any]) -> tuple[int, ...]:
    return row["judged"], row["right_ones"], row["wrong_ones"], row["unsure_ones"]


def test_precision_has_the_limits_of_wilson() -> None:
    verdicts = ["right"] * 9 + ["wrong"] * 2 + ["unsure"]
    found = precision(*(judged("Ann", n, word) for n, word in enumerate(verdicts)))
    row = found["owner/name", "sequential-map", "Ann"]
    limits = binomtest(9, 11).proportion_ci(0.95, "wilson")
    assert counts(row) == (11, 9, 2, 1)
    assert row["estimate_percent"] == pytest.approx(100 * 9 / 11)
    assert (row["low_percent"], row["high_percent"]) == pytest.approx(
        (100 * limits.low, 100 * limits.high)
    )


def test_each_rule_and_repository_has_its_own_and_all_together_theirs() -> None:
    found = precision(
        judged("Ann", 1),
        judged("Ann", 2, "wrong", rule="map-before-batch"),
        judged("Ann", 1, "wrong", repository="owner/other"),
    )
    counted = {place[:2]: counts(row)[:2] for place, row in found.items() if place[2] == "Ann"}
    assert counted == {
        ("owner/name", "all"): (2, 1),
        ("owner/name", "sequential-map"): (1, 1),
        ("owner/name", "map-before-batch"): (1, 0),
        ("owner/other", "all"): (1, 0),
        ("owner/other", "sequential-map"): (1, 0),
        ("pooled", "all"): (3, 1),
        ("pooled", "sequential-map"): (2, 1),
        ("pooled", "map-before-batch"): (1, 0),
    }


@pytest.mark.parametrize(
    ("verdicts", "agreed"),
    [
        (["right"], "right"),
        (["right", "wrong"], "unsure"),
        (["right", "wrong", "wrong"], "wrong"),
        (["unsure", "unsure", "right"], "unsure"),
        (["right", "wrong", "unsure"], "unsure"),
    ],
)
def test_the_consensus_is_what_most_raters_say(verdicts: list[str], agreed: str) -> None:
    found = precision(*(judged(f"Rater {n}", 1, word) for n, word in enumerate(verdicts)))
    row = found["owner/name", "all", "consensus"]
    expected = {"right": (1, 1, 0, 0), "wrong": (1, 0, 1, 0), "unsure": (0, 0, 0, 1)}
    assert counts(row) == expected[agreed]
    assert (row["estimate_percent"] is None) == (agreed == "unsure")


def test_what_raters_agreed_on_counts_instead() -> None:
    rows = [judged(rater, 1, "wrong") for rater in ("Ann", "Bob", "Eve")]
    found = precision(*rows, judged("agreed", 1, "right"), judged("Ann", 2, "wrong"))
    consensus = found["owner/name", "all", "consensus"]
    assert counts(consensus) == (2, 1, 1, 0)


def test_without_verdicts_there_is_nothing() -> None:
    assert precision() == {}
    assert finding_agreement(pl.DataFrame(schema=SCHEMA)).is_empty()


@given(
    rows=st.dictionaries(
        st.tuples(st.sampled_from(["Ann", "Bob"]), st.integers(0, 9)), st.sampled_from(WORDS)
    )
)
def test_every_verdict_is_counted_once(rows: dict[tuple[str, int], str]) -> None:
    found = precision(*(judged(rater, finding, word) for (rater, finding), word in rows.items()))
    for rater in ("Ann", "Bob"):
        given_by = [word for (who, _), word in rows.items() if who == rater]
        row = found.get(("pooled", "all", rater))
        if row is None:
            assert given_by == []
        else:
            assert (row["right_ones"], row["wrong_ones"], row["unsure_ones"]) == tuple(
                given_by.count(word) for word in WORDS
            )


def test_kappa_is_over_the_findings_that_both_judged() -> None:
    ann, bob = ["right", "wrong", "right", "unsure"], ["right", "wrong", "wrong", "unsure"]
    found = finding_agreement(
        pl.DataFrame(
            [
                *(judged("Ann", n, word) for n, word in enumerate(ann)),
                *(judged("Bob", n, word) for n, word in enumerate(bob)),
                judged("Ann", 9),
            ],
            schema=SCHEMA,
        )
    )
    assert found.schema == schema_of("analysis.finding_agreement")
    row = found.row(by_predicate=pl.col("repository") == "owner/name", named=True)
    assert (row["raters"], row["method"], row["n"]) == ("Ann, Bob", "cohen", 4)
    assert row["kappa"] == pytest.approx(cohen_kappa_score(ann, bob))


def test_endorsements_are_measured_by_kind_and_the_last_verdict_counts() -> None:
    kinds = {1: "success", 2: "success", 3: "gratitude"}
    endorsements = pl.DataFrame(
        [("stackoverflow", number, kind) for number, kind in kinds.items()],
        schema=["forum", "comment_id", "endorsement"],
        orient="row",
    )
    given = [("Ann", 1, "wrong"), ("Ann", 1, "right"), ("Ann", 2, "wrong"), ("Bob", 1, "unsure")]
    given += [("Ann", 3, "right"), ("Ann", 9, "wrong")]  # the rule takes comment 9 no more
    verdicts = pl.DataFrame(
        [
            {"verdict_id": number, "rater": rater, "forum": "stackoverflow"}
            | {"comment_id": comment, "verdict": verdict}
            for number, (rater, comment, verdict) in enumerate(given, start=1)
        ]
    )
    found = endorsement_precision(verdicts, endorsements)
    assert found.schema == schema_of("analysis.endorsement_precision")
    columns = ("endorsement", "rater", "right_comments", "wrong_comments", "unsure_comments")
    assert found.select(columns).rows() == [
        ("all", "Ann", 2, 1, 0),
        ("all", "Bob", 0, 0, 1),
        ("all", "consensus", 1, 1, 1),
        ("gratitude", "Ann", 1, 0, 0),
        ("gratitude", "consensus", 1, 0, 0),
        ("success", "Ann", 1, 1, 0),
        ("success", "Bob", 0, 0, 1),
        ("success", "consensus", 0, 1, 1),
    ]
    limits = binomtest(2, 3).proportion_ci(0.95, "wilson")
    assert found.row(0, named=True)["low_percent"] == pytest.approx(100 * limits.low)
    no_questions = pl.DataFrame(schema=schema_of("staging.question_verdicts"))
    agreement = question_agreement(no_questions, verdicts, endorsements)
    assert agreement.select("asked", "raters", "n").rows() == [("endorsement", "Ann, Bob", 1)]
