"""The SQL models, one by one: given rows, expected rows; and the series against a plain count."""

from datetime import UTC, datetime

import pytest

from tests.model_database import Build, ModelDatabase
from tests.rows import (
    Row,
    bug,
    bugs,
    comment,
    commit,
    event,
    issue,
    label,
    link,
    load,
    loads,
    repository,
    sha,
)

pytestmark = pytest.mark.slow


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


# staging.bug_reports


def test_bug_reports_are_the_issues_decided_to_be_bugs_of_studied_repositories_and_months(
    build: Build,
) -> None:
    elsewhere = {"repository": "left/study"}
    database = build(
        {
            "raw.issues": [
                issue(1, "2019-12-31T23:59:59Z"),
                issue(2, "2020-01-01T00:00:00Z"),
                issue(3, "2020-01-02T00:00:00Z"),
                issue(4, "2020-01-03T00:00:00Z"),
                issue(5, "2020-01-04T00:00:00Z", **elsewhere),
            ],
            "labels.performance_labels": [
                label(1),
                label(2, is_performance=True, matched_keywords=["slow"], matched_in=["title"]),
                label(3, is_bug_report=False),
                label(5, **elsewhere),
            ],
        }
    )
    columns = "dataset, number, month, is_performance, matched_keywords, matched_in"
    assert database.table("staging.bug_reports", columns) == [
        ("live", 2, "2020-01", True, ["slow"], ["title"])
    ]


# intermediate.state_changes


def changes_of(database: ModelDatabase) -> list[tuple[str, str]]:
    rows = database.rows("SELECT * FROM intermediate.state_changes ORDER BY number, change")
    assert [row["change"] for row in rows] == list(range(1, len(rows) + 1))
    return [
        ("opened" if row["is_open"] else "closed", row["changed_at"].astimezone(UTC).isoformat())
        for row in rows
    ]


OPENED, FIRST, SECOND, THIRD = (f"2020-01-0{day}T12:00:00+00:00" for day in range(1, 5))


@pytest.mark.parametrize(
    ("closed", "events", "expected"),
    [
        pytest.param(None, [], [], id="never closed"),
        pytest.param(FIRST, [], [("closed", FIRST)], id="closed without any event"),
        pytest.param(
            THIRD,
            [("closed", FIRST), ("reopened", SECOND)],
            [("closed", FIRST), ("opened", SECOND), ("closed", THIRD)],
            id="last close without event",
        ),
        pytest.param(
            SECOND,
            [("closed", FIRST), ("closed", SECOND)],
            [("closed", FIRST)],
            id="closed twice in a row",
        ),
        pytest.param(
            None,
            [("reopened", FIRST)],
            [],
            id="reopened without a close",
        ),
        pytest.param(
            FIRST,
            [("reopened", FIRST), ("closed", FIRST)],
            [("closed", FIRST)],
            id="closed and reopened in the last second, closed in the end",
        ),
        pytest.param(
            None,
            [("closed", FIRST), ("closed", SECOND), ("reopened", SECOND)],
            [("closed", FIRST), ("opened", SECOND)],
            id="closed and reopened in the last second, open in the end",
        ),
        pytest.param(
            None,
            [("closed", FIRST), ("reopened", SECOND), ("closed", SECOND), ("reopened", THIRD)],
            [("closed", FIRST), ("opened", THIRD)],
            id="closed and reopened in a second between, closed before",
        ),
        pytest.param(
            THIRD,
            [("closed", SECOND), ("reopened", SECOND), ("closed", THIRD)],
            [("closed", THIRD)],
            id="closed and reopened in a second between, open before",
        ),
        pytest.param(OPENED, [], [("closed", OPENED)], id="closed in the second of its opening"),
        pytest.param(
            None,
            [("closed", "2019-12-31T00:00:00+00:00"), ("reopened", FIRST)],
            [("closed", OPENED), ("opened", FIRST)],
            id="closed before it was opened",
        ),
    ],
)
def test_state_changes_alternate_and_end_in_the_state_of_the_issue(
    build: Build,
    closed: str | None,
    events: list[tuple[str, str]],
    expected: list[tuple[str, str]],
) -> None:
    database = build(
        {
            **bugs(bug(1, OPENED, closed)),
            "raw.issue_events": [event(1, kind, moment) for kind, moment in events],
        }
    )
    assert changes_of(database) == [("opened", OPENED), *expected]


def test_labels_and_renamings_change_no_state(build: Build) -> None:
    database = build(
        {
            **bugs(bug(1, OPENED)),
            "raw.issue_events": [event(1, "labeled", FIRST), event(1, "renamed", SECOND)],
        }
    )
    assert changes_of(database) == [("opened", OPENED)]


def test_the_month_of_a_change_is_the_one_in_utc(build: Build) -> None:
    database = build(bugs(bug(1, "2020-01-31T23:59:59Z", "2020-02-01T00:00:00Z")))
    assert database.table("intermediate.state_changes", "month, is_open") == [
        ("2020-01", True),
        ("2020-02", False),
    ]


# intermediate.counted_fixes


def test_a_commit_counts_once_however_many_approaches_found_it(build: Build) -> None:
    database = build(
        {
            **bugs(bug(1, OPENED), bug(2, OPENED)),
            "raw.issues": [issue(number, OPENED) for number in (1, 2, 3)],
            "raw.commits": [commit("a", FIRST, 10, 5), commit("b", SECOND, 1, 0)],
            "links.fix_links": [
                link(1, "a", "url"),
                link(1, "a", "id"),
                link(1, "a", "closed_by_commit", is_counted=False),
                link(1, "b", "closed_by_commit", is_counted=False),
                link(2, "a"),
                link(3, "b"),
            ],
        }
    )
    columns = "number, sha, additions, deletions, size, approaches"
    assert database.table("intermediate.counted_fixes", columns) == [
        (1, sha("a"), 10, 5, 15, ["id", "url"]),
        (2, sha("a"), 10, 5, 15, ["id"]),
    ]


# staging.discussions


@pytest.mark.parametrize(
    ("author", "comments", "expected"),
    [
        pytest.param("ada", [], (0, 0, None), id="silence"),
        pytest.param("ada", [("ada", FIRST)], (1, 1, None), id="the author alone"),
        pytest.param(
            "ada",
            [("ada", FIRST), ("bob", SECOND), ("bob", THIRD)],
            (3, 2, 48.0),
            id="first somebody else counts",
        ),
        pytest.param("ada", [(None, FIRST)], (1, 1, 24.0), id="a deleted account is somebody"),
        pytest.param(None, [(None, FIRST)], (1, 1, None), id="all deleted accounts are one"),
        pytest.param(None, [(None, FIRST), ("bob", SECOND)], (2, 2, 48.0), id="deleted author"),
        pytest.param("ada", [("bob", "2020-01-01T12:00:36Z")], (1, 1, 0.01), id="seconds"),
    ],
)
def test_discussions_count_persons_and_wait_for_somebody_else(
    build: Build,
    author: str | None,
    comments: list[tuple[str | None, str]],
    expected: tuple[int, int, float | None],
) -> None:
    database = build(
        {
            **bugs(bug(1, OPENED, author=author)),
            "raw.issue_comments": [
                comment(1, index, moment, who) for index, (who, moment) in enumerate(comments)
            ],
        }
    )
    columns = "comments, commentators, hours_to_first_comment"
    assert database.table("staging.discussions", columns) == [expected]
    # Among persons alone both ways of counting are one.
    with_bots = ", ".join(f"{column}_with_bots" for column in columns.split(", "))
    assert database.table("staging.discussions", with_bots) == [expected]


@pytest.mark.parametrize(
    ("comments", "of_persons", "with_bots"),
    [
        pytest.param([("ci[bot]", FIRST)], (0, 0, None), (1, 1, 24.0), id="a bot alone"),
        pytest.param(
            [("ci[bot]", FIRST), ("bob", SECOND), ("ci[bot]", THIRD)],
            (1, 1, 48.0),
            (3, 2, 24.0),
            id="a bot before a person",
        ),
        pytest.param(
            [("ada[bot]", FIRST), ("ada", SECOND), ("bob", THIRD)],
            (2, 2, 72.0),
            (3, 3, 24.0),
            id="a bot of the author's name",
        ),
        pytest.param([(None, FIRST)], (1, 1, 24.0), (1, 1, 24.0), id="a deleted account"),
    ],
)
def test_bots_are_counted_beside_persons(
    build: Build,
    comments: list[tuple[str | None, str]],
    of_persons: tuple[int, int, float | None],
    with_bots: tuple[int, int, float | None],
) -> None:
    comment_rows = [comment(1, index, moment, who) for index, (who, moment) in enumerate(comments)]
    database = build({**bugs(bug(1, OPENED, author="ada")), "raw.issue_comments": comment_rows})
    columns = "comments, commentators, hours_to_first_comment"
    assert database.table("staging.discussions", columns) == [of_persons]
    bots = ", ".join(f"{column}_with_bots" for column in columns.split(", "))
    assert database.table("staging.discussions", f"{bots}, has_author_types") == [
        (*with_bots, True)
    ]


def test_an_account_of_unknown_type_counts_as_a_person_and_is_reported(build: Build) -> None:
    comment_rows = [
        comment(1, 1, FIRST, "stale", author_type=None),
        comment(1, 2, SECOND, "ci[bot]"),
    ]
    database = build({**bugs(bug(1, OPENED), bug(2, OPENED)), "raw.issue_comments": comment_rows})
    columns = "number, comments, comments_with_bots, has_author_types"
    assert database.table("staging.discussions", columns) == [
        (1, 1, 2, False),
        (2, 0, 0, True),
    ]


# intermediate.months


def test_months_run_without_gap_to_the_last_loaded_one_and_are_complete_up_to_the_first_gap(
    build: Build,
) -> None:
    database = build(
        {
            "meta.partition_loads": [
                *loads("2020-01", "2020-02", "2020-03"),
                load("2020-04"),
                *loads("2020-06"),
                load("2020-07", status="failed", is_stored=False),
                load("2020-08", "raw.commits"),
            ]
        }
    )
    assert database.table("intermediate.months", "month, is_complete") == [
        ("2020-02", True),
        ("2020-03", True),
        ("2020-04", False),
        ("2020-05", False),
        ("2020-06", False),
    ]


def test_a_refresh_that_failed_takes_no_month_away(build: Build) -> None:
    rows = [*loads("2020-01", "2020-02"), load("2020-03", "raw.commits")]
    database = build({"meta.partition_loads": [*rows, load("2020-03", status="failed")]})
    assert database.table("intermediate.months", "month, is_complete") == [
        ("2020-02", True),
        ("2020-03", True),
    ]


def test_a_month_missing_before_the_series_makes_all_of_it_incomplete(build: Build) -> None:
    database = build({"meta.partition_loads": loads("2020-02", "2020-03")})
    assert database.table("intermediate.months", "month, is_complete") == [
        ("2020-02", False),
        ("2020-03", False),
    ]


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param([], id="nothing loaded"),
        pytest.param(loads("2020-01"), id="loaded up to the month before"),
        pytest.param(loads("2020-02", status="failed", is_stored=False), id="nothing stored"),
        pytest.param(loads("2020-02", repository="left/study"), id="of another repository"),
    ],
)
def test_a_series_that_has_not_begun_has_no_months(build: Build, rows: list[Row]) -> None:
    database = build({"meta.partition_loads": rows})
    assert database.table("intermediate.months") == []
    assert database.table("marts.trend_monthly") == []


# marts.bug_metrics


def test_bug_metrics_measure_a_fixed_bug(build: Build) -> None:
    database = build(
        {
            **bugs(bug(1, OPENED, THIRD, is_performance=True, labels=["speed"])),
            "raw.issue_events": [
                event(1, "closed", FIRST),
                event(1, "reopened", SECOND),
                event(1, "closed", THIRD),
            ],
            "raw.issue_comments": [comment(1, 1, FIRST), comment(1, 2, SECOND, "reporter")],
            "raw.commits": [commit("a", FIRST, 10, 5), commit("b", SECOND, 1, 0)],
            "links.fix_links": [link(1, "a", "url"), link(1, "a", "id"), link(1, "b")],
        }
    )
    assert database.rows("SELECT * FROM marts.bug_metrics") == [
        {
            "dataset": "live",
            "repository": "owner/name",
            "number": 1,
            "title": "Issue 1",
            "html_url": "https://github.com/owner/name/issues/1",
            "author": "reporter",
            "labels": ["speed"],
            "month": "2020-01",
            "state": "closed",
            "is_performance": True,
            "is_fixed": True,
            "opened_at": at(OPENED),
            "closed_at": at(THIRD),
            "fix_time_days": 3.0,
            "fix_size": 16,
            "fix_commits": 2,
            "fix_files": 0,
            "fix_methods": None,
            "fix_languages": None,
            "fix_test_share": None,
            "fix_not_analysed": "not_looked_at",
            "hours_to_first_comment": 24.0,
            "hours_to_first_member_comment": None,
            "hours_unanswered": 24.0,
            "hours_to_triage": None,
            "author_association": None,
            "comments": 2,
            "commentators": 2,
            "hours_to_first_comment_with_bots": 24.0,
            "comments_with_bots": 2,
            "commentators_with_bots": 2,
            "has_author_types": True,
            "reopenings": 1,
            "outcome": "fixed",
            "outcome_by": "commit",
            "outcome_evidence": None,
            "repeats": None,
            "is_rejected": False,
        }
    ]


@pytest.mark.parametrize(
    ("closed", "links", "expected"),
    [
        pytest.param(None, [], ("open", False, None, None, 0), id="open"),
        pytest.param(SECOND, [], ("closed", False, None, None, 0), id="closed without a commit"),
        pytest.param(
            SECOND,
            [link(1, "a", is_counted=False)],
            ("closed", False, None, None, 0),
            id="closed, commit not counted",
        ),
        pytest.param(None, [link(1, "a")], ("open", False, None, 15, 1), id="open with a commit"),
        pytest.param(SECOND, [link(1, "a")], ("closed", True, 2.0, 15, 1), id="fixed"),
        pytest.param(
            SECOND, [link(1, "empty")], ("closed", True, 2.0, 0, 1), id="fixed by an empty commit"
        ),
        pytest.param(OPENED, [link(1, "a")], ("closed", True, 0.0, 15, 1), id="fixed at once"),
    ],
)
def test_a_bug_is_fixed_when_it_is_closed_and_a_commit_counts(
    build: Build,
    closed: str | None,
    links: list[Row],
    expected: tuple[str, bool, float | None, int | None, int],
) -> None:
    database = build(
        {
            **bugs(bug(1, OPENED, closed)),
            "raw.commits": [commit("a", FIRST, 10, 5), commit("empty", FIRST, 0, 0)],
            "links.fix_links": links,
        }
    )
    columns = "state, is_fixed, fix_time_days, fix_size, fix_commits"
    assert database.table("marts.bug_metrics", columns) == [expected]


# marts.trend_monthly


def test_trend_counts_what_is_open_and_fixed_at_the_end_of_each_month(build: Build) -> None:
    database = build(
        {
            "meta.partition_loads": loads("2020-01", "2020-02", "2020-03", "2020-04"),
            **bugs(
                # There before the series begins, closed in it without a known fix.
                bug(1, "2020-01-10T00:00:00Z", "2020-03-01T00:00:00Z"),
                # Opened in the last second of a month, fixed, reopened and fixed again.
                bug(2, "2020-02-29T23:59:59Z", "2020-04-30T23:59:59Z", is_performance=True),
                # Opened after the last loaded month.
                bug(3, "2020-05-01T00:00:00Z"),
                # Fixed before the series begins.
                bug(4, "2020-01-01T00:00:00Z", "2020-01-31T23:59:59Z"),
            ),
            "raw.issue_events": [
                event(2, "closed", "2020-03-05T00:00:00Z"),
                event(2, "reopened", "2020-04-01T00:00:00Z"),
            ],
            "raw.commits": [commit("a", FIRST, 1, 1)],
            "links.fix_links": [link(2, "a"), link(4, "a")],
        }
    )
    columns = (
        "month, open_performance, open_total, open_percentage, "
        "fixed_performance, fixed_total, fixed_percentage, "
        "opened_performance, opened_total, newly_fixed_performance, newly_fixed_total"
    )
    assert database.table("marts.trend_monthly", columns) == [
        ("2020-02", 1, 2, 50.0, 0, 1, 0.0, 1, 1, 0, 0),
        ("2020-03", 0, 0, None, 1, 2, 50.0, 0, 0, 1, 1),
        ("2020-04", 0, 0, None, 1, 2, 50.0, 0, 0, 1, 1),
    ]


def test_months_without_any_issue_carry_the_counts_on(build: Build) -> None:
    database = build(
        {
            "meta.partition_loads": loads("2020-01", "2020-02", "2020-03"),
            **bugs(bug(1, "2020-01-10T00:00:00Z", is_performance=True), bug(2, OPENED)),
        }
    )
    columns = "month, is_complete, open_performance, open_total, open_percentage, opened_total"
    assert database.table("marts.trend_monthly", columns) == [
        ("2020-02", True, 1, 2, 50.0, 0),
        ("2020-03", True, 1, 2, 50.0, 0),
    ]


def test_a_repository_without_a_bug_has_a_series_of_zeros(build: Build) -> None:
    database = build({"meta.partition_loads": loads("2020-01", "2020-02")})
    assert database.table("marts.trend_monthly") == [
        ("live", "owner/name", "2020-02", True, 0, 0, None, 0, 0, None, 0, 0, 0, 0)
    ]


# marts.dataset_breakdown


def test_breakdown_counts_fixed_bugs_among_the_closed_and_shows_empty_groups(build: Build) -> None:
    database = build(
        {
            "meta.repositories": [repository(), repository("owner/quiet")],
            **bugs(bug(1, OPENED), bug(2, OPENED, FIRST), bug(3, OPENED, FIRST)),
            "raw.commits": [commit("a", FIRST, 1, 1)],
            "links.fix_links": [link(3, "a")],
        }
    )
    columns = "repository, is_performance, open, closed, fixed"
    assert database.table("marts.dataset_breakdown", columns) == [
        ("owner/name", False, 1, 2, 1),
        ("owner/name", True, 0, 0, 0),
        ("owner/quiet", False, 0, 0, 0),
        ("owner/quiet", True, 0, 0, 0),
    ]
