"""Questions and bugs of a framework over the same months: which months count, and what is told."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perf_assets.base.months import add_months
from perf_assets.core.questions.question_bug_correlation import question_bug_correlation
from perf_assets.schema import schema_of

SCHEMA = {
    name: kind
    for name, kind in schema_of("marts.questions_vs_bugs_monthly").items()
    if name
    in ("repository", "forum", "month", "is_complete", "performance_questions", "performance_bugs")
}


def months(questions: list[int | None], bugs: list[int], start: str = "2016-01") -> pl.DataFrame:
    rows = [
        ("a/b", "so", add_months(start, index), True, asked, opened)
        for index, (asked, opened) in enumerate(zip(questions, bugs, strict=True))
    ]
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def led(lead: int, n: int = 72) -> pl.DataFrame:
    """Bugs that follow the questions after ``lead`` months."""
    shocks = np.random.default_rng(0).normal(size=n + lead)
    questions = np.round(np.exp(4 + 0.5 * shocks[lead:])).astype(int)
    bugs = np.round(np.exp(3 + 0.5 * shocks[:n])).astype(int)
    return months(questions.tolist(), bugs.tolist())


def test_a_planted_lead_of_the_questions_is_found() -> None:
    found = question_bug_correlation(led(4))
    assert found["lag"].to_list() == list(range(-12, 13))
    (row,) = found.filter("is_outside_band").iter_rows(named=True)
    assert row["lag"] == 4
    assert row["statistic"] > 0.8
    assert row["n"] == 68
    assert row["low"] == pytest.approx(row["statistic"] - row["band"])
    assert row["high"] == 1.0
    assert row["result"].startswith(
        "performance questions 4 months before performance bugs: rank correlation +"
    )
    assert ", outside the band of ±" in row["result"]
    inside = found.row(12, named=True)
    assert inside["result"].startswith("performance questions in the same month: rank")
    assert found.row(11, named=True)["result"].startswith(
        "performance questions 1 month after performance bugs: "
    )
    assert (row["first_month"], row["last_month"]) == ("2016-01", "2021-12")


def test_the_order_of_rows_changes_nothing() -> None:
    rows = led(2)
    assert question_bug_correlation(rows.reverse()).equals(question_bug_correlation(rows))


def test_too_few_months_give_no_correlation_and_say_so() -> None:
    found = question_bug_correlation(led(0, 35))
    assert found["statistic"].null_count() == found["is_outside_band"].null_count() == 25
    assert set(found["result"]) == {
        "not tested: 35 complete months in a row; at least 36 are needed"
    }
    assert question_bug_correlation(led(0, 36))["statistic"].null_count() == 0


def test_a_side_that_does_not_vary_gives_no_correlation_and_says_so() -> None:
    found = question_bug_correlation(months(list(range(40)), [3] * 40))
    assert set(found["result"]) == {"not tested: one of the two does not vary"}


def test_only_months_in_a_row_that_are_complete_and_decided_count() -> None:
    questions = [*range(10), None, *range(40), *range(20)]
    rows = months(questions, [number % 7 for number in range(71)])
    rows = rows.with_columns(is_complete=pl.col("month") != add_months("2016-01", 51))
    found = question_bug_correlation(rows).row(12, named=True)
    assert (found["first_month"], found["last_month"]) == (
        add_months("2016-01", 11),
        add_months("2016-01", 50),
    )
    assert found["n"] == 40


def test_each_framework_and_forum_is_looked_at_by_itself() -> None:
    one = led(4)
    other = led(1).with_columns(repository=pl.lit("c/d"))
    found = question_bug_correlation(pl.concat([other, one]))
    assert found.filter(repository="a/b").equals(question_bug_correlation(one))
    assert found["repository"].unique(maintain_order=True).to_list() == ["a/b", "c/d"]


def test_without_months_there_are_no_rows() -> None:
    assert question_bug_correlation(months([], [])).is_empty()
    undecided = question_bug_correlation(months([None] * 40, [1] * 40))
    assert undecided["first_month"].null_count() == undecided.height == 25


@given(st.integers(1, 40), st.integers(0, 30))
def test_counts_times_a_factor_hardly_matter_and_rows_are_always_reported(
    n: int, seed: int
) -> None:
    random = np.random.default_rng(seed)
    found = question_bug_correlation(
        months(random.poisson(3, n).tolist(), random.poisson(2, n).tolist())
    )
    assert found.height == 25
    assert found["result"].str.len_chars().min() > 10
