"""Data quality by month, and whether the tables fit together: on rows whose answers are known."""

from typing import Any

import pytest

from perf_assets.reports.quality import warnings
from tests.model_database import ModelDatabase
from tests.rows import Row, comment, commit, issue, label, load, loads, repository

pytestmark = pytest.mark.slow

MONTHS = [f"2020-{month:02}" for month in range(1, 10)]


@pytest.fixture(scope="module")
def database() -> ModelDatabase:
    return ModelDatabase()


def issues_of(counts: dict[str, int], **changes: Any) -> list[Row]:
    rows: list[Row] = []
    for month, count in counts.items():
        for _ in range(count):
            rows.append(issue(len(rows) + 1, f"{month}-05T00:00:00Z", **changes))
    return rows


def quality(database: ModelDatabase, issues: list[Row], **tables: list[Row]) -> list[Row]:
    database.fill(
        {
            "meta.repositories": [repository()],
            "meta.partition_loads": loads(*MONTHS),
            "raw.issues": issues,
            **tables,
        }
    )
    return database.rows("SELECT * FROM marts.volume_anomalies ORDER BY measure, month")


def of(rows: list[Row], measure: str) -> dict[str, Row]:
    return {row["month"]: row for row in rows if row["measure"] == measure}


def test_a_month_is_compared_with_the_median_of_those_before(database: ModelDatabase) -> None:
    counts = dict(zip(MONTHS, [10, 12, 14, 10, 12, 14, 12, 40, 12], strict=True))
    found = of(quality(database, issues_of(counts)), "issues")
    assert {month: row["observed"] for month, row in found.items()} == counts
    august = found["2020-08"]
    assert (august["months_before"], august["median_before"], august["mad_before"]) == (7, 12, 2)
    # Chance alone makes sqrt(12) of twelve, more than 1.4826 * 2.
    assert august["robust_z_score"] == pytest.approx(28 / 12**0.5)
    assert [month for month, row in found.items() if row["is_anomaly"]] == ["2020-08"]
    # One odd month does not move the median of those that follow.
    assert found["2020-09"]["median_before"] == 12


def test_fewer_than_six_months_are_not_judged_by(database: ModelDatabase) -> None:
    found = of(quality(database, issues_of({"2020-01": 1, "2020-06": 90, "2020-07": 90})), "issues")
    assert (found["2020-06"]["months_before"], found["2020-06"]["robust_z_score"]) == (5, None)
    assert not found["2020-06"]["is_anomaly"]
    assert found["2020-07"]["is_anomaly"]


def test_a_month_without_rows_counts_as_none_and_has_no_share(database: ModelDatabase) -> None:
    rows = quality(database, issues_of(dict.fromkeys(MONTHS[:8], 30)))
    september = of(rows, "issues")["2020-09"]
    assert (september["observed"], september["is_anomaly"]) == (0, True)
    assert of(rows, "issues_without_author")["2020-09"]["observed"] is None


def test_shares_are_of_the_rows_they_speak_of(database: ModelDatabase) -> None:
    issues = issues_of(dict.fromkeys(MONTHS, 20))
    for row in issues:
        if row["month"] == "2020-09":
            row["author"], row["comments"] = None, 7
    decisions = [
        label(row["number"], is_performance=row["number"] % 4 == 0, month=row["month"])
        for row in issues
    ]
    decisions[-1]["is_bug_report"] = decisions[-1]["is_performance"] = False
    decisions[-1]["strength"], decisions[-1]["not_a_bug_by"] = None, "label"
    commits = [
        commit(f"c{number}", f"{month}-05T00:00:00Z", 1, 1, author_name=None)
        for number, month in enumerate(MONTHS)
    ]
    rows = quality(
        database,
        issues,
        **{"labels.performance_labels": decisions, "raw.commits": commits},
    )
    last = {row["measure"]: row for row in rows if row["month"] == "2020-09"}
    assert last["issues_without_author"]["observed"] == 1
    assert last["comments_per_issue"]["observed"] == 7
    assert last["bug_reports_among_issues"]["observed"] == pytest.approx(19 / 20)
    assert last["performance_among_bug_reports"]["observed"] == pytest.approx(4 / 19)
    assert last["commits_without_author"]["observed"] == 1
    odd = {measure for measure, row in last.items() if row["is_anomaly"]}
    assert odd == {"issues_without_author", "comments_per_issue"}


def test_only_loaded_months_of_mined_data_are_measured(database: ModelDatabase) -> None:
    database.fill(
        {
            "meta.repositories": [repository()],
            "meta.partition_loads": [load("2020-01"), load("2020-02", "raw.commits")],
            "raw.issues": issues_of({"2020-01": 2}),
        }
    )
    rows = database.rows("SELECT measure, month FROM marts.volume_anomalies")
    assert {row["month"] for row in rows if "issue" in row["measure"]} == {"2020-01"}
    assert {row["month"] for row in rows if "commit" in row["measure"]} == {"2020-02"}


def test_a_run_warns_of_the_newest_odd_months_and_of_what_stands_alone(
    database: ModelDatabase,
) -> None:
    counts = dict(zip(MONTHS, [12, 12, 12, 12, 12, 12, 60, 70, 80], strict=True))
    quality(
        database,
        issues_of(counts),
        **{"raw.issue_comments": [comment(999, 1, "2020-01-06T00:00:00Z", "helper")]},
    )
    comments = warnings(database.connection)
    months = [sentence.split(": ")[0].split()[-1] for sentence in comments[:3]]
    assert months == ["2020-09", "2020-08", "2020-07"]
    assert "spreads above the median of the months before (12)" in comments[0]
    assert ": issues 80, " in comments[0]
    assert "1 comments without issue, for example #999" in " ".join(comments)


def test_a_run_warns_of_accounts_of_which_it_is_not_known_whether_they_are_bots(
    database: ModelDatabase,
) -> None:
    issues = issues_of(dict.fromkeys(MONTHS, 12))
    decisions = [label(row["number"], month=row["month"]) for row in issues]
    authors = [("stale", None), (None, None), ("helper", "User"), ("ci[bot]", "Bot")]
    comments = [
        comment(1, index, "2020-01-06T00:00:00Z", author, author_type=kind)
        for index, (author, kind) in enumerate(authors)
    ]
    quality(
        database, issues, **{"labels.performance_labels": decisions, "raw.issue_comments": comments}
    )
    assert warnings(database.connection) == [
        "owner/name: 1 comments by accounts of unknown type, for example #1"
    ]


def test_a_run_over_even_months_warns_of_nothing(database: ModelDatabase) -> None:
    issues = issues_of(dict.fromkeys(MONTHS, 12))
    decisions = [label(row["number"], month=row["month"]) for row in issues]
    quality(database, issues, **{"labels.performance_labels": decisions})
    assert warnings(database.connection) == []
