"""The models of questions: in which groups each counts, how long it waited, how hard it is."""

from collections.abc import Iterator

import pytest

from tests.effort import some
from tests.model_database import ModelDatabase, Tables
from tests.question_rows import (
    FORUM,
    PERFORMANCE,
    PROGRAM_CRASH,
    answer,
    comment,
    performance_question,
    question,
    question_kind,
    tag_set,
)

ASKED = "2020-01-10T00:00:00Z"


@pytest.fixture(scope="module", params=some("Asia/Tokyo", "UTC"))
def shared(request: pytest.FixtureRequest) -> ModelDatabase:
    """One database for each time zone an analyst's session may have."""
    return ModelDatabase(request.param)


@pytest.fixture
def build(shared: ModelDatabase) -> Iterator[object]:
    def fill(tables: Tables) -> ModelDatabase:
        tag_sets = [tag_set(), tag_set("pytorch", position=2)]
        shared.fill({"meta.tag_sets": tag_sets, **tables})
        return shared

    yield fill


def both(question_id, asked=ASKED, **changes):
    return question(question_id, asked, tag_sets=["tensorflow", "pytorch"], **changes)


# staging.questions and intermediate.question_groups


def test_a_question_counts_in_each_of_its_tag_sets_and_kinds_and_once_in_all(build) -> None:
    database = build(
        {
            "raw.questions": [both(1), question(2, ASKED)],
            "labels.question_kinds": [
                question_kind(1, PERFORMANCE),
                question_kind(1, PROGRAM_CRASH),
                question_kind(2, PROGRAM_CRASH, is_assigned=False),
            ],
        }
    )
    columns = "question_id, tag_set, kind"
    assert database.table("intermediate.question_groups", columns) == [
        (1, "pytorch", "all"),
        (1, "pytorch", PERFORMANCE),
        (1, "pytorch", PROGRAM_CRASH),
        (1, "tensorflow", "all"),
        (1, "tensorflow", PERFORMANCE),
        (1, "tensorflow", PROGRAM_CRASH),
        (2, "tensorflow", "all"),
    ]
    assert database.table("staging.questions", "question_id") == [(1,), (2,)]


def test_tag_sets_that_left_the_study_and_months_before_it_do_not_appear(build) -> None:
    database = build(
        {
            "meta.tag_sets": [tag_set(start_month="2020-02")],
            "raw.questions": [
                question(1, "2020-01-31T23:59:59Z"),
                question(2, "2020-02-01T00:00:00Z", tag_set="keras"),
                question(3, "2020-02-01T00:00:00Z", tag_sets=["keras", "tensorflow"]),
                question(4, "2020-02-01T00:00:00Z", forum="datascience"),
            ],
            "labels.performance_questions": [performance_question(3)],
        }
    )
    assert database.table("staging.questions", "question_id, is_performance") == [(3, True)]
    assert database.table("intermediate.question_groups", "question_id, tag_set") == [
        (3, "tensorflow")
    ]


# intermediate.question_answer_times


WAITS = "is_answered, is_accepted, hours_to_first_answer, hours_to_accepted, hours_watched"


@pytest.mark.parametrize(
    ("accepted", "answers", "expected"),
    [
        pytest.param(None, [], (False, False, None, None, 240.0), id="no answer"),
        pytest.param(
            None,
            [answer(5, 1, "2020-01-10T06:00:00Z"), answer(6, 1, "2020-01-10T01:30:00Z")],
            (True, False, 1.5, None, 240.0),
            id="the first of two",
        ),
        pytest.param(
            6,
            [
                answer(5, 1, "2020-01-10T01:00:00Z"),
                answer(6, 1, "2020-01-11T00:00:00Z", is_accepted=True),
            ],
            (True, True, 1.0, 24.0, 240.0),
            id="the second was accepted",
        ),
        pytest.param(
            5,
            [answer(5, 1, "2020-01-10T02:00:00Z", is_accepted=True, owner="7")],
            (True, True, 2.0, 2.0, 240.0),
            id="the asker's own answer counts",
        ),
        pytest.param(
            5,
            [answer(5, 1, "2020-01-09T00:00:00Z", is_accepted=True)],
            (True, True, 0.0, 0.0, 240.0),
            id="an answer of a question that was merged into this one",
        ),
        pytest.param(
            9, [], (True, True, None, None, 240.0), id="the accepted answer is not stored"
        ),
    ],
)
def test_a_question_waits_for_the_first_and_for_the_accepted_answer(
    build, accepted, answers, expected
) -> None:
    database = build(
        {
            "raw.questions": [
                question(1, ASKED, accepted_answer_id=accepted),
                question(2, ASKED, last_activity_at="2020-01-20T00:00:00Z"),
            ],
            "raw.answers": answers,
        }
    )
    found = database.rows(
        f"SELECT {WAITS} FROM intermediate.question_answer_times WHERE question_id = 1"
    )
    assert [tuple(row.values()) for row in found] == [expected]


def test_a_forum_is_watched_until_the_last_that_is_known_of_it(build) -> None:
    database = build(
        {
            "raw.questions": [
                question(1, ASKED, last_activity_at=None),
                question(1, ASKED, forum="datascience"),
            ],
            "raw.answers": [answer(5, 1, "2020-01-12T00:00:00Z")],
        }
    )
    rows = database.table("intermediate.question_answer_times", "forum, hours_watched")
    # The other forum has no studied tag set, and is none of the study's.
    assert rows == [(FORUM, 48.0)]


# intermediate.question_endorsements


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("Thanks!", ("gratitude", "thanks")),
        ("THANK YOU, very neat", ("gratitude", "thank you")),
        ("Sweet, that worked after a restart.", ("success", "that worked")),
        ("Finally it works", ("success", "it works")),
        ("That solved my problem & more", ("success", "solved")),
        ("Thanks, but it does not work", None),
        ("Thanks, it doesn't work", None),
        ("Thanks, it doesn&#39;t work", None),
        ("thanks, it doesnt help", None),
        ("That has not helped", None),
        ("Thanks, that works. Do you know why?", None),
        ("Thank you, I'll try it tomorrow", None),
        ("Thanks, I&#39;ll look", None),
        ("Thanks in advance", None),
        ("Thanks. " + "It is about another case. " * 4, None),
        ("Thanksgiving is over", None),
        ("Which version is this", None),
        ("Works!", ("success", "works")),
        ("worked", ("success", "worked")),
        ("That fixed it, thanks", ("success", "fixed")),
        ("I solved it another way.", None),
        ("I&#39;ve fixed it since, thanks", None),
        ("Solved it myself, thanks", None),
        ("I finally fixed this by using another library", None),
        ("I had resolved the paths before that", None),
        ("It is fixed in 2.1 upstream", None),
        ("It was resolved in the next release", None),
        ("this works for CPU only, GPU crashes", None),
        ("Thanks, getting another error now", None),
        ("Thank you. Same error here.", None),
        ("thx, it hangs now", None),
        ("nope, thanks", None),
        ("Solved already, thanks", None),
        ("Worked around it, thanks", None),
        ("See how the loader works", None),
    ],
)
def test_an_asker_endorses_an_answer_by_success_or_gratitude_without_reservation(
    build, body, expected
) -> None:
    database = build(
        {
            "raw.questions": [question(1, ASKED)],
            "raw.answers": [answer(5, 1, ASKED)],
            "raw.question_comments": [comment(50, 1, 5, body)],
        }
    )
    found = database.table(
        "intermediate.question_endorsements", "answer_id, comment_id, endorsement, matched_words"
    )
    assert found == ([] if expected is None else [(5, 50, *expected)])


@pytest.mark.parametrize(
    ("asker", "given", "on", "answered_by"),
    [
        pytest.param("7", "9", 5, "8", id="somebody else thanks"),
        pytest.param(None, None, 5, "8", id="two deleted accounts are not the same"),
        pytest.param("7", None, 5, "8", id="a deleted account thanks"),
        pytest.param("Jo", "Jo", 5, "8", id="names that are shown are not unique"),
        pytest.param("7", "7", 1, "8", id="the comment is on the question"),
        pytest.param("7", "7", 9, "8", id="the answer was deleted"),
        pytest.param("7", "7", 5, "7", id="the answer is the asker's own"),
    ],
)
def test_only_the_asker_endorses_and_only_an_answer_of_others_that_is_there(
    build, asker, given, on, answered_by
) -> None:
    database = build(
        {
            "raw.questions": [question(1, ASKED, owner=asker)],
            "raw.answers": [answer(5, 1, ASKED, owner=answered_by)],
            "raw.question_comments": [comment(50, 1, on, "Thanks, that worked", owner=given)],
        }
    )
    assert database.table("intermediate.question_endorsements") == []
    columns = "is_endorsed, hours_to_endorsed"
    assert database.table("intermediate.question_answer_times", columns) == [(False, None)]


def test_an_answer_of_a_deleted_account_can_be_endorsed(build) -> None:
    database = build(
        {
            "raw.questions": [question(1, ASKED)],
            "raw.answers": [answer(5, 1, "2020-01-10T03:00:00Z", owner=None)],
            "raw.question_comments": [comment(50, 1, 5, "Thanks, that worked")],
        }
    )
    columns = "is_endorsed, hours_to_endorsed"
    assert database.table("intermediate.question_answer_times", columns) == [(True, 3.0)]


def test_the_first_endorsed_answer_counts_where_none_is_accepted_and_else_the_accepted_one(
    build,
) -> None:
    thanks = [comment(50, 1, 5, "thanks"), comment(51, 1, 6, "It works for me")]
    tables = {
        "raw.answers": [
            answer(6, 1, "2020-01-10T04:00:00Z"),
            answer(5, 1, "2020-01-10T02:00:00Z"),
            answer(7, 1, "2020-01-10T01:00:00Z"),
        ],
        "raw.question_comments": thanks,
    }
    columns = "is_accepted, is_endorsed, hours_to_accepted, hours_to_endorsed"
    database = build({**tables, "raw.questions": [question(1, ASKED)]})
    waits = "intermediate.question_answer_times"
    assert database.table(waits, columns) == [(False, True, None, 2.0)]
    # It was accepted later.
    database = build({**tables, "raw.questions": [question(1, ASKED, accepted_answer_id=6)]})
    assert database.table(waits, columns) == [(True, False, 4.0, None)]


def test_of_two_answers_that_were_accepted_over_time_the_question_names_the_one_that_is(
    build,
) -> None:
    database = build(
        {
            "raw.questions": [question(1, ASKED, accepted_answer_id=6)],
            "raw.answers": [
                answer(5, 1, "2020-01-10T01:00:00Z", is_accepted=True),
                answer(6, 1, "2020-01-10T09:00:00Z", is_accepted=True),
            ],
        }
    )
    waits = "intermediate.question_answer_times"
    assert database.table(waits, "hours_to_accepted") == [(9.0,)]


# marts.question_difficulty


def test_difficulty_is_counted_by_tag_set_kind_and_month(build) -> None:
    database = build(
        {
            "raw.questions": [
                both(1, accepted_answer_id=11, views=10, score=-1),
                question(2, ASKED, accepted_answer_id=12, views=40, score=4),
                question(3, ASKED, views=30, score=0),
                question(4, "2020-02-10T00:00:00Z", views=None, score=None),
            ],
            "raw.answers": [
                answer(11, 1, "2020-01-10T02:00:00Z", is_accepted=True),
                answer(12, 2, "2020-01-10T08:00:00Z", is_accepted=True),
                answer(13, 3, "2020-01-10T05:00:00Z"),
            ],
            "labels.question_kinds": [question_kind(2, PERFORMANCE)],
        }
    )
    columns = (
        "tag_set, kind, month, questions, accepted, round(accepted_share, 3), "
        "median_hours_to_accepted, mean_hours_to_accepted, answered, answered_share, "
        "median_hours_to_first_answer, mean_hours_to_first_answer, median_views, median_score"
    )
    nothing = (0, 0.0, None, None)
    assert database.table("marts.question_difficulty", columns) == [
        ("pytorch", "all", "2020-01", 1, 1, 1.0, 2.0, 2.0, 1, 1.0, 2.0, 2.0, 10.0, -1.0),
        ("tensorflow", "all", "2020-01", 3, 2, 0.667, 5.0, 5.0, 3, 1.0, 5.0, 5.0, 30.0, 0.0),
        ("tensorflow", "all", "2020-02", 1, *nothing, *nothing, None, None),
        ("tensorflow", PERFORMANCE, "2020-01", 1, 1, 1.0, 8.0, 8.0, 1, 1.0, 8.0, 8.0, 40.0, 4.0),
    ]
