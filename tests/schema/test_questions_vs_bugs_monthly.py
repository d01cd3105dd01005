"""Both sides of a framework in one mart: questions and bugs of the same months."""

from collections.abc import Iterator

import pytest

from tests.model_database import ModelDatabase, Tables
from tests.question_rows import (
    FORUM,
    answer,
    performance_question,
    question,
    question_verdict,
    tag_set,
)
from tests.rows import REPOSITORY, bug, bugs, load, loads, repository

MONTHS = ("2020-01", "2020-02", "2020-03")


def forum_loads(label: str, *months: str, **changes):
    return [
        load(month, "raw.questions", repository=f"{FORUM}:{label}", **changes) for month in months
    ]


@pytest.fixture(scope="module")
def shared() -> ModelDatabase:
    return ModelDatabase()


@pytest.fixture
def build(shared: ModelDatabase) -> Iterator[object]:
    def fill(tables: Tables, *more_loads) -> ModelDatabase:
        given = {
            "meta.repositories": [repository(trend_start="2020-01")],
            "meta.tag_sets": [tag_set(repository=REPOSITORY)],
            "meta.partition_loads": [
                *loads(*MONTHS),
                *(more_loads or forum_loads("tensorflow", *MONTHS)),
            ],
            **tables,
        }
        shared.fill(given)
        return shared

    yield fill


def test_questions_bugs_answers_and_fixes_stand_side_by_side(build) -> None:
    database = build(
        {
            **bugs(
                bug(1, "2020-01-05T00:00:00Z", is_performance=True),
                bug(2, "2020-01-06T00:00:00Z"),
                bug(3, "2020-01-07T00:00:00Z"),
            ),
            "raw.questions": [
                question(1, "2020-01-10T00:00:00Z", accepted_answer_id=11),
                question(2, "2020-01-11T00:00:00Z"),
                question(3, "2020-01-12T00:00:00Z", accepted_answer_id=13),
                question(4, "2020-03-12T00:00:00Z"),
            ],
            "raw.answers": [
                answer(11, 1, "2020-02-10T00:00:00Z", is_accepted=True),
                answer(12, 2, "2020-01-12T00:00:00Z"),
                answer(13, 3, "2020-01-12T01:00:00Z", is_accepted=True),
            ],
            "labels.performance_questions": [
                performance_question(1),
                performance_question(2),
                performance_question(3, is_performance=False),
            ],
            "reviews.question_verdicts": [
                question_verdict(1, "Ann", 1),
                question_verdict(2, "Ann", 2),
                question_verdict(3, "Bob", 2, verdict="no"),
                # A question without a stem is not a candidate, whatever people say of it.
                question_verdict(4, "Ann", 3),
            ],
        }
    )
    columns = (
        "month, is_complete, questions, performance_questions, checked_performance_questions, "
        "confirmed_performance_questions, answered_performance_questions, "
        "accepted_performance_questions, round(performance_question_share, 3), bug_reports, "
        "performance_bugs, fixed_performance_bugs, round(performance_bug_share, 3)"
    )
    assert database.table("marts.questions_vs_bugs_monthly", columns) == [
        ("2020-01", True, 3, 2, 1, 1, 2, 1, 0.667, 3, 1, 0, 0.333),
        # Nothing happened: zeros, and no share of nothing.
        ("2020-02", True, 0, 0, 0, 0, 0, 0, None, 0, 0, 0, None),
        # Whether the question is about performance was not decided yet.
        ("2020-03", True, 1, None, None, None, None, None, None, 0, 0, 0, None),
    ]


def test_a_question_of_two_tag_sets_of_a_framework_counts_once(build) -> None:
    sets = [tag_set(repository=REPOSITORY), tag_set("keras", position=2, repository=REPOSITORY)]
    asked = question(1, "2020-01-10T00:00:00Z", tag_sets=["tensorflow", "keras"])
    database = build(
        {
            "meta.tag_sets": [*sets, tag_set("pytorch", position=3, repository=None)],
            "raw.questions": [asked, question(2, "2020-01-10T00:00:00Z", tag_set="pytorch")],
            "labels.performance_questions": [performance_question(1)],
        },
        *(row for name in ("tensorflow", "keras", "pytorch") for row in forum_loads(name, *MONTHS)),
    )
    rows = database.table("marts.questions_vs_bugs_monthly", "repository, forum, month, questions")
    assert rows[0] == (REPOSITORY, FORUM, "2020-01", 1)
    assert len(rows) == 3


def test_months_are_those_loaded_for_all_tag_sets_of_the_forum(build) -> None:
    database = build(
        {"meta.tag_sets": [tag_set(repository=REPOSITORY), tag_set("keras", position=2)]},
        *forum_loads("tensorflow", *MONTHS),
        *forum_loads("keras", "2020-01"),
        *forum_loads("keras", "2020-02", is_stored=False, status="failed"),
        *forum_loads("keras", "2020-03", is_stored=True, status="failed"),
    )
    assert database.table("staging.forum_months") == [(FORUM, "2020-01"), (FORUM, "2020-03")]
    assert database.table("marts.questions_vs_bugs_monthly", "month") == [
        ("2020-01",),
        ("2020-03",),
    ]


def test_a_tag_set_about_no_repository_has_one_side_only(build) -> None:
    database = build({"meta.tag_sets": [tag_set()]})
    assert database.table("marts.questions_vs_bugs_monthly") == []
