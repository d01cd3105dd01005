"""What follows from verdicts: precision, recall, kappas and what to discuss."""

import math
from typing import Any

import polars as pl
import pytest
from statsmodels.stats.proportion import proportion_confint

from perf_assets.core.reviews.labelling_quality import labelling_quality
from perf_assets.core.reviews.rater_agreement import rater_agreement, rater_disagreements
from tests.review_sheets import LINKS
from tests.rows import REPOSITORY


def judged(*rows: tuple[int, str, str, bool], **changes: Any) -> pl.DataFrame:
    """Verdicts as (number, rater, verdict, is_performance)."""
    return pl.DataFrame(
        [
            {
                "dataset": "live",
                "repository": REPOSITORY,
                "number": number,
                "rater": rater,
                "verdict": word,
                "category": "Other" if word == "yes" else None,
                "subcategory": None,
                "impact": "speed" if word == "yes" else None,
                "note": None,
                "is_performance": is_performance,
                "matched_labels": ["slow"] if is_performance and number % 2 else [],
                "matched_keywords": ["slow"] if is_performance else [],
                "title": "It is slow",
                "html_url": LINKS.get((REPOSITORY, number), ""),
                **changes,
            }
            for number, rater, word, is_performance in rows
        ],
        schema_overrides={
            **dict.fromkeys(("category", "subcategory", "impact", "note"), pl.String),
            "matched_labels": pl.List(pl.String),
            "matched_keywords": pl.List(pl.String),
        },
    )


def strata(labelled: int, others: int) -> pl.DataFrame:
    return pl.DataFrame(
        [
            {"dataset": "live", "repository": REPOSITORY, "is_performance": is_performance}
            | {"bug_reports": n}
            for is_performance, n in ((True, labelled), (False, others))
        ]
    )


def graded(*rows: tuple[int, str | None, list[str]]) -> pl.DataFrame:
    """Bug reports as (number, strength, places of keywords)."""
    return pl.DataFrame(
        [
            ("live", REPOSITORY, number, strength, places, ["slow"] if number % 2 else [])
            for number, strength, places in rows
        ],
        schema={
            "dataset": pl.String,
            "repository": pl.String,
            "number": pl.Int64,
            "strength": pl.String,
            "matched_in": pl.List(pl.String),
            "matched_labels": pl.List(pl.String),
        },
        orient="row",
    )


def test_precision_is_that_of_the_study_where_141_of_160_are_right() -> None:
    rows = [(n, "Ann", "yes" if n < 141 else "no", True) for n in range(160)]
    verdicts = judged(*rows, (160, "Ann", "unsure", True))
    quality = labelling_quality(verdicts, strata(500, 900), graded())
    [row] = quality.filter(repository=REPOSITORY, rule="all").to_dicts()
    low, high = proportion_confint(141, 160, method="wilson")
    assert (row["n"], row["successes"], row["n_unsure"]) == (160, 141, 1)
    assert f"{row['estimate_percent']:.2f}" in {
        "88.12",
        "88.13",
    }  # 88.125, which the paper rounds up
    assert (row["low_percent"], row["high_percent"]) == pytest.approx((100 * low, 100 * high))
    by_rule = quality.filter(repository=REPOSITORY, measure="precision").rows_by_key(
        "rule", named=True
    )
    assert by_rule["keyword: slow"][0]["n"] == 160
    assert by_rule["label: slow"][0]["n"] == 80
    assert quality.filter(measure="recall").is_empty()


def test_recall_weighs_what_the_labels_missed_by_how_many_were_not_looked_at() -> None:
    # 100 labelled, 8 of 10 right: 80 found. 900 others, 1 of 30 missed: 30. Recall 80 / 110.
    rows = [(n, "Ann", "yes" if n < 8 else "no", True) for n in range(10)]
    rows += [(n, "Ann", "yes" if n == 10 else "no", False) for n in range(10, 40)]
    quality = labelling_quality(judged(*rows), strata(100, 900), graded())
    [row] = quality.filter(repository=REPOSITORY, measure="recall").to_dicts()
    assert row["estimate_percent"] == pytest.approx(100 * 80 / 110)
    # On the scale of the logarithm of found by missed, with the limits of both.
    right, missed = (
        [math.log(value) for value in (share, *proportion_confint(k, n, method="wilson"))]
        for share, k, n in ((0.8, 8, 10), (1 / 30, 1, 30))
    )
    middle = math.log(80 / 30)
    low = middle - math.hypot(right[0] - right[1], missed[2] - missed[0])
    high = middle + math.hypot(right[2] - right[0], missed[0] - missed[1])
    limits = [100 / (1 + math.exp(-value)) for value in (low, high)]
    assert (row["low_percent"], row["high_percent"]) == pytest.approx(limits)


def test_a_pooled_recall_is_of_each_repository_with_its_own_strata() -> None:
    # 90 of 100 found in a large repository, 1 of 10 in a small one, judged equally often.
    rows = [(n, "Ann", "yes" if n < 10 else "no", True) for n in range(20)]
    rows += [(n, "Ann", "yes" if n < 22 else "no", False) for n in range(20, 40)]
    small = judged(*rows, repository="other/name")
    sizes = pl.concat(
        [strata(2000, 1000), strata(20, 100).with_columns(repository=pl.lit("other/name"))]
    )
    sizes = pl.concat([sizes, strata(900, 90).with_columns(repository=pl.lit("never/judged"))])
    quality = labelling_quality(pl.concat([judged(*rows), small]), sizes, graded())
    [row] = quality.filter(repository="pooled", measure="recall").to_dicts()
    assert row["estimate_percent"] == pytest.approx(100 * 1010 / (1010 + 110))
    [share] = quality.filter(repository="pooled", measure="corrected_share").to_dicts()
    assert share["estimate_percent"] == pytest.approx(100 * 1120 / 3120)


def test_a_single_right_label_is_enough_for_a_recall() -> None:
    rows = [(1, "Ann", "yes", True), (2, "Ann", "no", False)]
    quality = labelling_quality(judged(*rows), strata(1, 1), graded())
    assert set(quality.filter(measure="recall")["estimate_percent"]) == {100.0}


def test_precision_is_reported_by_strength_and_by_place() -> None:
    rows = [(n, "Ann", "yes" if n < 6 else "no", True) for n in range(0, 24, 2)]
    rows += [(n, "Ann", "yes", True) for n in (1, 3)]
    known = graded(
        *((n, "strong", ["title", "body"]) for n in (0, 2, 4)),
        *((n, "weak", ["body"]) for n in range(6, 24, 2)),
        *((n, "strong", ["body"]) for n in (1, 3)),
    )
    quality = labelling_quality(judged(*rows), strata(14, 0), known).filter(repository=REPOSITORY)
    found = {row["rule"]: (row["n"], row["estimate_percent"]) for row in quality.to_dicts()}
    assert found["strength: strong"] == (5, 100)
    assert found["strength: weak"] == (9, 0)
    assert found["place: title"] == (3, 100)
    assert found["place: body alone"] == (9, 0)
    assert found["place: project label"] == (2, 100)
    assert "strength: moderate" not in found


def test_the_corrected_share_is_the_labelled_one_times_precision_by_recall() -> None:
    # 100 of 1,000 labelled, 8 of 10 right; 1 of 30 others missed: 80 + 30 of 1,000.
    rows = [(n, "Ann", "yes" if n < 8 else "no", True) for n in range(10)]
    rows += [(n, "Ann", "yes" if n == 10 else "no", False) for n in range(10, 40)]
    quality = labelling_quality(judged(*rows), strata(100, 900), graded())
    own = {
        row["measure"]: row for row in quality.filter(repository=REPOSITORY, rule="all").to_dicts()
    }
    share = own["corrected_share"]
    assert share["estimate_percent"] == pytest.approx(11)
    assert share["estimate_percent"] == pytest.approx(
        10 * own["precision"]["estimate_percent"] / own["recall"]["estimate_percent"]
    )
    assert (share["n"], share["successes"]) == (40, 9)
    lows, highs = zip(
        proportion_confint(8, 10, method="wilson"),
        proportion_confint(1, 30, method="wilson"),
        strict=True,
    )
    below = ((0.1 * (0.8 - lows[0])) ** 2 + (0.9 * (1 / 30 - lows[1])) ** 2) ** 0.5
    above = ((0.1 * (highs[0] - 0.8)) ** 2 + (0.9 * (highs[1] - 1 / 30)) ** 2) ** 0.5
    assert (share["low_percent"], share["high_percent"]) == pytest.approx(
        (11 - 100 * below, 11 + 100 * above)
    )


def test_without_verdicts_on_others_the_share_is_not_corrected() -> None:
    rows = [(n, "Ann", "yes", True) for n in range(5)]
    quality = labelling_quality(judged(*rows), strata(100, 900), graded())
    assert set(quality["measure"]) == {"precision"}


# The table of Cohen (1960) as in statsmodels' and R irr's documentation is in test_agreement; here
# the kappas are taken over the right bug reports: both 45 of 50 alike, by chance 0.5.
def test_agreement_is_over_what_both_judged() -> None:
    words = ["yes"] * 20 + ["no"] * 20 + ["yes"] * 5 + ["no"] * 5
    others = ["yes"] * 20 + ["no"] * 20 + ["no"] * 5 + ["yes"] * 5
    verdicts = judged(
        *((n, "Ann", word, True) for n, word in enumerate(words)),
        *((n, "Bob", word, True) for n, word in enumerate(others)),
        (99, "Ann", "yes", True),
        (98, "Bob", "yes", True),
    )
    agreement = rater_agreement(verdicts).filter(repository=REPOSITORY)
    [row] = agreement.filter(question="is_performance").to_dicts()
    assert (row["raters"], row["method"], row["n"]) == ("Ann, Bob", "cohen", 50)
    assert (row["observed"], row["kappa"]) == pytest.approx((0.8, 0.6))
    assert agreement.filter(question="category")["n"].to_list() == [20]
    disagreements = rater_disagreements(verdicts)
    assert disagreements["question"].unique().to_list() == ["is_performance"]
    assert disagreements["number"].to_list() == list(range(40, 50))
    assert disagreements.row(0, named=True)["answer_2"] == "no"


def test_three_raters_have_three_pairs_and_one_kappa_of_all() -> None:
    verdicts = judged(
        *((n, rater, "yes" if n % 2 else "no", True) for n in range(8) for rater in "ABC")
    )
    agreement = rater_agreement(verdicts).filter(repository=REPOSITORY, question="is_performance")
    assert agreement["raters"].to_list() == ["A, B", "A, C", "B, C", "A, B, C"]
    assert agreement["method"].to_list() == ["cohen"] * 3 + ["fleiss"]
    assert agreement["kappa"].to_list() == [1.0] * 4


@pytest.mark.parametrize(
    ("answers", "estimable"),
    [
        ({"A": "yyyy", "B": "yyny"}, set()),
        ({"A": "yyyy", "B": "nnnn"}, set()),
        ({"A": "yyyy", "B": "yyyy"}, set()),
        ({"A": "y", "B": "n"}, set()),
        ({"A": "ynyy", "B": "yyny"}, {"A, B"}),
        ({"A": "yyyy", "B": "nnnn", "C": "ynyn"}, set()),
        ({"A": "yyyy", "B": "ynny", "C": "ynyn"}, {"B, C", "A, B, C"}),
    ],
)
def test_kappa_needs_two_raters_who_gave_several_answers(
    answers: dict[str, str], estimable: set[str]
) -> None:
    words = {"y": "yes", "n": "no"}
    verdicts = judged(
        *(
            (n, rater, words[letter], True)
            for rater, letters in answers.items()
            for n, letter in enumerate(letters)
        )
    )
    found = rater_agreement(verdicts).filter(repository=REPOSITORY, question="is_performance")
    assert found["observed"].null_count() == 0 and found.height >= 1
    for row in found.to_dicts():
        values = [row[name] for name in ("kappa", "low", "high")]
        if row["raters"] in estimable:
            assert None not in values and row["reading"] != "not estimable"
        else:
            assert values == [None] * 3 and row["reading"] == "not estimable"


def test_kappa_has_no_interval_where_no_answer_differs() -> None:
    answers = [(1, "yes"), (2, "no"), (3, "yes"), (4, "no")]
    rows = [(number, rater, word, True) for number, word in answers for rater in ("Ann", "Ben")]
    found = rater_agreement(judged(*rows)).row(0, named=True)
    assert (found["kappa"], found["low"], found["high"]) == (1, None, None)
    one_differs = [*rows[:-1], (4, "Ben", "yes", True)]
    found = rater_agreement(judged(*one_differs)).row(0, named=True)
    assert found["low"] < found["kappa"] < found["high"]


def test_causes_that_differ_in_the_sub_category_alone_are_to_discuss() -> None:
    category = "Memory inefficiency"
    ann = judged(
        (1, "Ann", "yes", True), category=category, subcategory="Unreleased memory resources"
    )
    bob = judged((1, "Bob", "yes", True), category=category)
    [row] = rater_disagreements(pl.concat([ann, bob])).to_dicts()
    assert (row["question"], row["answer_1"], row["answer_2"]) == (
        "cause",
        "Memory inefficiency (Unreleased memory resources)",
        "Memory inefficiency",
    )
