"""Staging: mined and published rows of an entity in one relation, renamed and cast alike."""

from datetime import UTC, datetime

import pytest

from tests.effort import some
from tests.model_database import ModelDatabase
from tests.rows import (
    PYTORCH,
    REPOSITORY,
    bug,
    bugs,
    comment,
    commit,
    event,
    issue,
    label,
    link,
    listed_bug,
    listed_commit,
    listed_fix,
    listed_month,
    load,
    loads,
    repository,
    sha,
)

OPENED = "2020-02-01T12:00:00+00:00"


@pytest.fixture(scope="module", params=some("Asia/Tokyo", "UTC"))
def database(request: pytest.FixtureRequest) -> ModelDatabase:
    return ModelDatabase(request.param)


def test_issues_carry_what_labels_and_texts_make_of_them(database: ModelDatabase) -> None:
    database.fill(
        {
            "meta.repositories": [repository()],
            "raw.issues": [issue(number, OPENED) for number in range(1, 6)],
            "labels.performance_labels": [
                label(1, is_performance=True, matched_labels=["performance"]),
                label(2, is_performance=True, matched_keywords=["slow"]),
                label(
                    3, is_bug_report=False, non_bug_labels=["feature"], matched_keywords=["slow"]
                ),
                label(4, is_bug_report=False, not_a_bug_by="spam"),
                label(5),
            ],
        }
    )
    columns = (
        "number, is_bug_report, is_performance, is_bug_report_without_labels, "
        "is_performance_without_labels"
    )
    assert database.table("staging.issues", columns) == [
        (1, True, True, True, False),
        (2, True, True, True, True),
        (3, False, False, True, True),
        (4, False, False, False, False),
        (5, True, False, True, False),
    ]
    assert database.table("staging.bug_reports", "number") == [(1,), (2,), (5,)]


def test_published_bug_reports_stand_beside_the_mined_ones(database: ModelDatabase) -> None:
    database.fill(
        {
            "meta.repositories": [repository()],
            **bugs(bug(1, OPENED, "2020-02-03T12:00:00+00:00")),
            "replication.bugs": [
                listed_bug(7, OPENED, 1440.5, is_performance=True, labels=["module:cuda"]),
                listed_bug(8, OPENED),
            ],
        }
    )
    columns = "dataset, number, state, closed_at, is_performance, labels, html_url"
    pytorch = f"https://github.com/{PYTORCH}/issues"
    closed_at = datetime(2020, 2, 2, 12, 0, 30, tzinfo=UTC)
    assert database.table("staging.bug_reports", columns, "dataset, number") == [
        (
            "live",
            1,
            "closed",
            datetime(2020, 2, 3, 12, tzinfo=UTC),
            False,
            [],
            f"https://github.com/{REPOSITORY}/issues/1",
        ),
        ("replication", 7, "closed", closed_at, True, ["module:cuda"], f"{pytorch}/7"),
        ("replication", 8, "open", None, False, [], f"{pytorch}/8"),
    ]


def test_issue_events_are_those_of_state_and_labels(database: ModelDatabase) -> None:
    kinds = ("closed", "reopened", "renamed", "transferred")
    events = [event(1, kind, OPENED) for kind in kinds]
    labels = [event(1, kind, OPENED, label="x") for kind in ("labeled", "unlabeled")]
    database.fill({"raw.issue_events": events + labels})
    assert database.table("staging.issue_events", "dataset, event, label") == [
        ("live", "closed", None),
        ("live", "labeled", "x"),
        ("live", "reopened", None),
        ("live", "unlabeled", "x"),
    ]


def test_a_first_comment_by_the_author_alone_answers_nobody(database: ModelDatabase) -> None:
    comments = {"comments": 2, "commentators": 1, "minutes_to_first_comment": 90.0}
    database.fill(
        {
            "meta.repositories": [repository()],
            **bugs(bug(1, OPENED)),
            "raw.issue_comments": [comment(1, 1, "2020-02-01T13:30:00+00:00")],
            "replication.bugs": [
                listed_bug(7, OPENED, commentator_names=["reporter"], **comments),
                listed_bug(8, OPENED, commentator_names=["helper"], **comments),
            ],
        }
    )
    columns = "number, comments, commentators, hours_to_first_comment"
    assert database.table("staging.discussions", columns) == [
        (1, 1, 1, 1.5),
        (7, 2, 1, None),
        (8, 2, 1, 1.5),
    ]


def test_a_commit_is_linked_once_to_each_issue_with_the_approaches_that_count(
    database: ModelDatabase,
) -> None:
    branch = {"branch": "v1", "month": "2020-02"}
    database.fill(
        {
            "raw.commits": [commit("a", OPENED, 3, 1), commit("m", OPENED, 3, 1, is_merge=True)],
            # It was merged since, and the branch was not read again yet.
            "raw.branch_commits": [
                commit("a", OPENED, 3, 1) | branch,
                commit("b", OPENED, 2, 0) | branch,
            ],
            "links.fix_links": [
                link(1, "a", "url"),
                link(1, "a", "id"),
                link(1, "a", "pull_request", is_counted=False),
                link(1, "m", "id", is_repeated=True),
                link(2, "a", "pull_request", is_counted=False),
                link(2, "b", "id", is_counted=False) | {"branch": "v1"},
                link(2, "gone"),
            ],
            "replication.fix_commits": [
                listed_commit(7, "p", OPENED),
                listed_commit(7, "p", OPENED, 2, approach="id"),
            ],
        }
    )
    columns = "dataset, number, sha, is_counted, is_repeated, approaches, additions, is_merge"
    assert database.table("staging.linked_commits", columns, "dataset, number, sha") == [
        ("live", 1, sha("a"), True, False, ["id", "url"], 3, False),
        ("live", 1, sha("m"), True, True, ["id"], 3, True),
        ("live", 2, sha("a"), False, False, [], 3, False),
        ("live", 2, sha("b"), False, False, [], 2, False),
        ("replication", 7, sha("p"), True, False, ["id", "url"], 3, None),
    ]


def test_an_issue_is_fixed_from_its_first_counted_commit_on_or_from_its_opening(
    database: ModelDatabase,
) -> None:
    database.fill(
        {
            "raw.commits": [
                commit("early", "2020-01-31T23:59:59Z", 1, 0),
                commit("first", "2020-02-29T23:59:59Z", 1, 0),
                commit("second", "2020-03-01T00:00:00Z", 1, 0),
            ],
            "links.fix_links": [
                link(1, "early", is_counted=False),
                link(1, "first"),
                link(1, "second"),
                link(2, "early", is_counted=False),
            ],
            "replication.fixes": [listed_fix(7, 2, 9)],
        }
    )
    assert database.table("staging.fixed_issues") == [
        ("live", REPOSITORY, 1, "2020-02", None, None),
        ("replication", PYTORCH, 7, "0000-00", 2, 9),
    ]


def test_of_a_published_fix_the_published_total_counts(database: ModelDatabase) -> None:
    database.fill(
        {
            "replication.bugs": [listed_bug(7, OPENED), listed_bug(8, OPENED)],
            "replication.fixes": [listed_fix(7, 3, 99), listed_fix(8, 2, 5)],
            "replication.fix_commits": [listed_commit(7, "p", OPENED)],
        }
    )
    assert database.table("intermediate.fixes", "number, fix_commits, fix_size") == [
        (7, 1, 99),
        (8, 2, 5),
    ]


def test_months_are_loaded_by_table_and_published_ones_end_where_the_next_begins(
    database: ModelDatabase,
) -> None:
    database.fill(
        {
            "meta.partition_loads": [
                *loads("2020-01"),
                load("2020-02"),
                load("2020-03", "raw.commits"),
                load("2020-04", status="failed", is_stored=False),
                load("2020-05", "labels.performance_labels"),
            ],
            "replication.paper_series": [
                listed_month("2020-01"),
                listed_month("2020-01", series="fixed"),
            ],
        }
    )
    assert database.table("staging.loaded_months") == [
        ("live", REPOSITORY, "2020-01", True, True),
        ("live", REPOSITORY, "2020-02", True, False),
        ("live", REPOSITORY, "2020-03", False, True),
        ("replication", PYTORCH, "2019-12", True, True),
    ]


def test_published_months_run_from_the_series_on_and_are_complete(database: ModelDatabase) -> None:
    database.fill(
        {
            "replication.bugs": [listed_bug(7, "2019-11-05T00:00:00+00:00")],
            "replication.paper_series": [listed_month("2020-01"), listed_month("2020-04")],
        }
    )
    assert database.table("intermediate.months", "dataset, month, is_complete") == [
        ("replication", month, True) for month in ("2019-12", "2020-01", "2020-02", "2020-03")
    ]
