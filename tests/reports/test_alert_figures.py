"""The figure of alerts: months and levels as they are stored, and nothing of too few reports."""

from typing import Any

import polars as pl
import pytest

from perf_assets.reports.figures import Shown, shown
from tests.alert_rows import MONTHS, alert
from tests.model_database import ModelDatabase, insert
from tests.rows import REPOSITORY, Row, at, bug_metrics, trend_month

pytestmark = pytest.mark.slow

MOST_OF_A_REPOSITORY = 6


def figure(*alerts: Row, months: list[Row] | None = None, bugs: tuple[Row, ...] = ()) -> Shown:
    database = ModelDatabase()
    given = months or [
        trend_month(
            month, opened_performance=2, opened_total=10, open_performance=number, open_total=20
        )
        for number, month in enumerate(MONTHS)
    ]
    connection = database.connection
    insert(connection, "marts.trend_monthly", given)
    insert(connection, "marts.bug_metrics", bugs)
    insert(connection, "marts.alerts", alerts)
    found = shown(connection, "marts.alerts")
    assert found is not None
    return found


def points(found: Shown, color: str, panel: int = 0) -> dict[str, Any]:
    values = found.panels[panel]["data"]["values"]
    return {one["month"]: one for one in values if one["color"] == color}


def test_a_share_is_drawn_with_its_counts_intervals_and_levels() -> None:
    found = figure(alert("opened_share"))
    by_month, levels = points(found, "by month"), points(found, "level")
    assert {one["value"] for one in by_month.values()} == {20.0}
    assert by_month["2020-03"]["counts"] == "2 of 10"
    assert by_month["2020-03"]["low"] == pytest.approx(5.67, abs=0.01)
    assert [levels[month]["value"] for month in ("2020-05", "2020-06")] == [10, 30]
    assert list(levels) == MONTHS
    (sentence,) = found.sentences
    assert sentence == (
        f"{REPOSITORY}: opened_share changed; behind it: #7 #8 and 20 more; state: new"
    )


def test_months_of_too_few_reports_are_not_drawn() -> None:
    few = trend_month("2020-01", opened_performance=1, opened_total=4)
    late = trend_month("2020-10", opened_performance=1, opened_total=9, is_complete=False)
    enough = trend_month("2020-02", opened_performance=1, opened_total=5)
    found = figure(alert("opened_share"), months=[few, enough, late])
    assert list(points(found, "by month")) == ["2020-02"]


def test_times_are_medians_of_six_at_least_by_the_month_they_are_of() -> None:
    bugs = [
        bug_metrics(
            number,
            month="2020-02" if number < 7 else "2020-03",
            is_performance=True,
            opened_at=at(1),
            closed_at=at(3),  # 3 February
            hours_to_first_comment=None if number == 1 else float(number),
            hours_to_first_comment_with_bots=None if number == 1 else float(number),
            fix_time_days=float(number),
            reopenings=0,
        )
        for number in range(1, 12)
    ]
    levels = {"level_before": 5.0, "level_after": 50.0}
    answers = figure(alert("hours_to_first_comment", **levels), bugs=tuple(bugs))
    assert {month: one["value"] for month, one in points(answers, "by month").items()} == {
        "2020-02": 4.5  # without an answer is later than any
    }
    assert points(answers, "level")["2020-07"]["value"] == 50
    fixes = figure(alert("fix_time_days", **levels), bugs=tuple(bugs))
    assert {month: one["value"] for month, one in points(fixes, "by month").items()} == {
        "2020-02": 6.0
    }


def test_a_backlog_is_drawn_as_it_stood_and_an_area_by_its_levels_alone() -> None:
    backlog = figure(alert("backlog_growth", level_before=1.0, level_after=9.0))
    assert [one["value"] for one in points(backlog, "by month").values()] == list(range(10))
    assert points(backlog, "level") == {}
    area = figure(alert("opened_share", area="cuda"))
    assert points(area, "by month") == {} and len(points(area, "level")) == 10
    assert area.panels[0]["title"] == f"{REPOSITORY} cuda: 2020-06"


def test_those_that_are_done_with_and_the_oldest_of_many_are_not_shown() -> None:
    done = [
        alert("backlog_growth", f"2020-0{month}", state=state, state_by="Ann")
        for month, state in ((3, "resolved"), (4, "wont_fix"))
    ]
    many = [alert("opened_share", f"2020-{month:02d}") for month in range(2, 10)]
    kept = alert("fix_time_days", "2020-10", state="known", state_by="Ann", also_changed=["more"])
    found = figure(*done, *many, kept)
    months = found.rows["month"].to_list()
    assert months == [f"2020-{month:02d}" for month in range(10, 10 - MOST_OF_A_REPOSITORY, -1)]
    assert "; also: more;" in found.sentences[0] and found.sentences[0].endswith("state: known")
    assert found.rows.filter(pl.col("state") == "known").height == 1
