"""How hard questions are: shares, and times in which those that still wait count."""

from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from perf_assets.core.questions.difficulty import question_difficulty
from perf_assets.schema import schema_of

pytestmark = pytest.mark.usefixtures("without_minimum")

GROUPS = schema_of("intermediate.question_groups")
WAITS = schema_of("intermediate.question_answer_times")


def wait(question_id: int, hours: float | None = None, **changes: Any) -> dict[str, Any]:
    """A question that was accepted after ``hours``, or still waits after 100."""
    row = {
        "forum": "so",
        "question_id": question_id,
        "month": "2020-01",
        "is_answered": hours is not None,
        "is_accepted": hours is not None,
        "is_endorsed": False,
        "hours_to_first_answer": hours,
        "hours_to_accepted": hours,
        "hours_watched": 100.0,
        "views": 10 * question_id,
        "score": question_id - 2,
    }
    return {**row, **changes}


def group(question_id: int, tag_set: str = "tensorflow", kind: str = "all") -> dict[str, Any]:
    row = {"forum": "so", "question_id": question_id, "month": "2020-01"}
    return {**row, "tag_set": tag_set, "kind": kind}


def found(groups: list[dict[str, Any]], waits: list[dict[str, Any]]) -> pl.DataFrame:
    return question_difficulty(pl.DataFrame(groups, GROUPS), pl.DataFrame(waits, WAITS))


def test_shares_times_views_and_scores_of_a_group() -> None:
    waits = [wait(1, 2.0), wait(2, 6.0, month="2020-03"), wait(3), wait(4)]
    row = found([group(number) for number in (1, 2, 3, 4)], waits).row(0, named=True)
    assert (row["questions"], row["accepted"], row["accepted_share"]) == (4, 2, 0.5)
    limits = row["accepted_share_low"], row["accepted_share_high"]
    assert limits == pytest.approx(proportion_confint(2, 4, method="wilson"))
    assert (row["median_hours_to_accepted"], row["mean_hours_to_accepted"]) == (4.0, 4.0)
    assert row["km_median_hours_to_accepted"] == 6.0
    shares = [row[f"km_accepted_within_{time}"] for time in ("1_hour", "1_day", "30_days")]
    assert shares == [0.0, 0.5, None]
    assert (row["median_views"], row["mean_score"]) == (25.0, 0.5)
    assert (row["first_month"], row["last_month"]) == ("2020-01", "2020-03")
    assert row["result"] == (
        "50.0 % of 4 questions have an accepted answer [15.0, 85.0]; the median accepted answer "
        "came after 4.0 hours; half of the questions have one within 6.0 hours"
    )


def test_where_fewer_than_half_have_an_answer_there_is_no_median_of_all() -> None:
    row = found([group(1), group(2), group(3)], [wait(1, 2.0), wait(2), wait(3)])
    (found_row,) = row.filter(tag_set="tensorflow").iter_rows(named=True)
    assert found_row["median_hours_to_accepted"] == 2.0
    assert found_row["km_median_hours_to_accepted"] is None
    assert found_row["result"].endswith(
        "fewer than half of the questions had one by the end of the data"
    )


def test_an_answer_at_an_unknown_time_is_in_the_share_and_not_in_the_times() -> None:
    waits = [wait(1, 2.0), wait(2, 4.0, hours_to_accepted=None)]
    row = found([group(1), group(2)], waits).row(0, named=True)
    assert (row["accepted"], row["n_accepted_or_waiting"]) == (2, 1)
    assert row["km_median_hours_to_accepted"] == 2.0
    assert row["n_answered_or_waiting"] == 2


def test_a_question_of_two_tag_sets_is_pooled_once() -> None:
    groups = [group(1), group(1, "pytorch"), group(2, "pytorch"), group(1, kind="performance")]
    rows = found(groups, [wait(1, 2.0), wait(2)])
    counted = rows.select("tag_set", "kind", "questions").rows()
    assert counted == [
        ("pytorch", "all", 2),
        ("pytorch", "other", 1),
        ("tensorflow", "all", 1),
        ("tensorflow", "performance", 1),
        ("pooled", "all", 2),
        ("pooled", "other", 1),
        ("pooled", "performance", 1),
    ]


def test_kinds_have_a_share_of_their_tag_set_and_are_ranked_and_all_and_other_are_not() -> None:
    kinds = {1: "performance", 2: "performance", 3: "comprehension", 4: "installation"}
    groups = [group(number) for number in range(1, 7)]
    groups += [group(number, kind=kind) for number, kind in kinds.items()]
    waits = [wait(1, 9.0), wait(2), wait(3, 1.0), wait(4, 2.0), wait(5, 3.0), wait(6)]
    rows = found(groups, waits).filter(tag_set="tensorflow")
    columns = ("kind", "questions", "question_rank", "accepted_rank", "wait_rank", "unaccepted")
    assert rows.select(columns).rows() == [
        ("all", 6, None, None, None, 2),
        ("comprehension", 1, 2, 1, 3, 0),
        ("installation", 1, 2, 1, 2, 0),
        # All that are not about performance, of a kind or of none.
        ("other", 4, None, None, None, 1),
        ("performance", 2, 1, 3, 1, 1),
    ]
    row = rows.row(by_predicate=pl.col("kind") == "performance", named=True)
    assert row["question_share"] == pytest.approx(2 / 6)
    limits = row["question_share_low"], row["question_share_high"]
    assert limits == pytest.approx(proportion_confint(2, 6, method="wilson"))


def test_waits_and_views_have_quartiles_and_views_a_maximum() -> None:
    waits = [wait(number, float(number)) for number in range(1, 6)]
    row = found([group(number) for number in range(1, 6)], waits).row(0, named=True)
    quartiles = [row[f"{side}_quartile_hours_to_accepted"] for side in ("lower", "upper")]
    assert quartiles == [2.0, 4.0]
    assert (row["median_views"], row["upper_quartile_views"], row["maximum_views"]) == (30, 40, 50)


def test_an_endorsed_answer_resolves_a_question_and_is_not_an_accepted_one() -> None:
    endorsed = {"is_answered": True, "is_endorsed": True, "hours_to_endorsed": 8.0}
    waits = [wait(1, 2.0), wait(2, **endorsed), wait(3), wait(4)]
    row = found([group(number) for number in (1, 2, 3, 4)], waits).row(0, named=True)
    assert (row["accepted"], row["endorsed"], row["resolved"]) == (1, 1, 2)
    assert (row["accepted_share"], row["resolved_share"]) == (0.25, 0.5)
    limits = row["resolved_share_low"], row["resolved_share_high"]
    assert limits == pytest.approx(proportion_confint(2, 4, method="wilson"))
    assert (row["median_hours_to_accepted"], row["median_hours_to_resolved"]) == (2.0, 5.0)
    assert row["km_median_hours_to_accepted"] is None
    assert row["km_median_hours_to_resolved"] == 8.0
    assert row["result"].startswith(
        "25.0 % of 4 questions have an accepted answer [4.6, 69.9], 50.0 % [15.0, 85.0] with "
        "answers that the asker endorses in a comment; the median accepted answer"
    )


def test_what_no_source_gives_is_null() -> None:
    row = found([group(1)], [wait(1, views=None, score=None)]).row(0, named=True)
    assert [row[name] for name in ("median_views", "mean_views", "median_score")] == [None] * 3
    assert row["median_hours_to_accepted"] is row["km_median_hours_to_first_answer"] is None


def test_without_questions_there_are_no_rows() -> None:
    assert found([], []).is_empty()


hours = st.none() | st.floats(0.1, 99.0)


@pytest.mark.slow
@given(st.lists(hours, min_size=1, max_size=12), st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_nothing(waited, random) -> None:
    waits = [wait(number, value) for number, value in enumerate(waited, 1)]
    groups = [group(number) for number in range(1, len(waited) + 1)]
    expected = found(groups, waits)
    random.shuffle(waits)
    random.shuffle(groups)
    assert found(groups, waits).equals(expected)
    # Of those that have an answer the median is sooner than that of all.
    row = expected.row(0, named=True)
    if row["km_median_hours_to_accepted"] is not None:
        ordered = sorted(value for value in waited if value is not None)
        assert row["km_median_hours_to_accepted"] >= ordered[(len(ordered) - 1) // 2]
