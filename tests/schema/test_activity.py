"""Until when a repository is active: where its series and its data quality end."""

import pytest

from perf_assets.base.months import add_months, months_between
from tests.effort import some
from tests.model_database import ModelDatabase, Tables
from tests.rows import REPOSITORY, Row, bug, bugs, label, loads, repository

FIRST, LAST_ACTIVE = "2020-01", "2020-05"


@pytest.fixture(scope="module", params=some("America/St_Johns", "UTC"))
def database(request: pytest.FixtureRequest) -> ModelDatabase:
    return ModelDatabase(request.param)


def loaded(newest: str, *pairs: tuple[Row, Row]) -> Tables:
    """All months from the first to the newest, and those bug reports."""
    return {
        "meta.repositories": [repository(start=FIRST, trend_start=FIRST)],
        "meta.partition_loads": loads(*months_between(FIRST, newest)),
        **bugs(*pairs),
    }


def activity(database: ModelDatabase) -> Row:
    (row,) = database.rows("from marts.activity")
    assert (row.pop("dataset"), row.pop("repository")) == ("live", REPOSITORY)
    return row


def months(database: ModelDatabase, table: str) -> list[str]:
    rows = database.rows(f"select distinct month from {table} where dataset = 'live' order by 1")
    return [row["month"] for row in rows]


OPENED = [bug(1, "2020-01-07"), bug(2, "2020-05-31T23:59:59Z")]
CLOSED = [bug(1, "2020-01-07", "2020-05-31T23:59:59Z"), bug(2, "2020-02-09", "2020-03-01")]


@pytest.mark.slow
@pytest.mark.parametrize("reports", [OPENED, CLOSED])
@pytest.mark.parametrize("idle", [0, 11, 12, 13, 40])
def test_a_year_after_the_last_open_or_close_a_repository_is_at_rest_since_then(
    database: ModelDatabase, reports: list[tuple[Row, Row]], idle: int
) -> None:
    newest = add_months(LAST_ACTIVE, idle)
    database.fill(loaded(newest, *reports))
    is_at_rest = idle >= 12
    last = LAST_ACTIVE if is_at_rest else newest
    assert activity(database) == {
        "last_month": newest,
        "last_active_month": LAST_ACTIVE,
        "is_at_rest": is_at_rest,
        "last_series_month": last,
        "archived_month": None,
    }
    for table in ("intermediate.months", "marts.trend_monthly", "marts.volume_anomalies"):
        assert months(database, table) == months_between(FIRST, last), table


def test_a_repository_that_never_had_an_issue_is_not_at_rest(database: ModelDatabase) -> None:
    newest = add_months(FIRST, 30)
    database.fill(loaded(newest))
    found = activity(database)
    assert (found["last_active_month"], found["is_at_rest"]) == (None, False)
    assert found["last_series_month"] == newest
    assert months(database, "marts.trend_monthly") == months_between(FIRST, newest)


def test_issues_that_are_not_bug_reports_keep_a_repository_active(database: ModelDatabase) -> None:
    newest = "2021-05"
    issue, _ = bug(2, "2020-06-01")
    tables = loaded(newest, bug(1, "2020-01-07"), (issue, label(2, is_bug_report=False)))
    database.fill(tables)
    assert activity(database)["last_active_month"] == "2020-06"
    assert not activity(database)["is_at_rest"]


def test_what_happens_after_the_newest_loaded_month_is_not_activity_of_a_later_one(
    database: ModelDatabase,
) -> None:
    # An update of an old issue is read when it comes, and may be newer than the loaded months.
    database.fill(loaded("2020-05", bug(1, "2020-01-07", "2021-09-01")))
    found = activity(database)
    assert (found["last_active_month"], found["last_series_month"]) == ("2020-05", "2020-05")


def test_each_repository_has_an_end_of_its_own(database: ModelDatabase) -> None:
    newest, other = "2021-06", "busy/one"
    quiet, busy = bug(1, "2020-03-01"), bug(2, "2021-06-02", repository=other)
    busy[1]["repository"] = other
    tables = loaded(newest, quiet, busy)
    database.fill(
        tables
        | {
            "meta.repositories": [
                *tables["meta.repositories"],
                repository(other, start=FIRST, trend_start=FIRST),
            ],
            "meta.partition_loads": [
                *tables["meta.partition_loads"],
                *loads(*months_between(FIRST, newest), repository=other),
            ],
        }
    )
    query = "select repository, max(month) as last from marts.trend_monthly group by all"
    found = {row["repository"]: row["last"] for row in database.rows(query)}
    assert found == {REPOSITORY: "2020-03", other: newest}
