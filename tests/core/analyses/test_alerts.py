"""Alerts: planted changes of each series, one alert for each cause, and states that stay."""

from bisect import bisect_right
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import polars as pl
import pytest

from perf_assets.base.months import add_months, end_of, start_of
from perf_assets.core.analyses import alert_series
from perf_assets.core.analyses.alert_series import is_large, raised_changes
from perf_assets.core.analyses.alert_states import is_same
from perf_assets.core.analyses.alerts import (
    MOST_A_MONTH,
    MOST_ISSUES,
    alert_id,
    alerts,
    grouped,
)
from perf_assets.schema import schema_of
from tests.rows import REPOSITORY

FIRST, MONTHS, CHANGE = "2018-01", 48, 30
NO_STATES = pl.DataFrame(schema=schema_of("reviews.alert_states"))
FLAT = {"share": 0.2, "hours": 10.0, "days": 20.0}
NO_INSTRUMENTS = pl.DataFrame(schema=schema_of("marts.instrument_changes"))
NO_AREAS = (
    *(pl.DataFrame(schema=schema_of(table)) for table in ("marts.area_monthly", "marts.bug_areas")),
    NO_INSTRUMENTS,
)


class History:
    """Bug reports of a repository by chance, all with levels of their own before and after CHANGE.

    open_share : of the performance bugs opened so many stay open.
    """

    def __init__(
        self,
        before: dict[str, float] = FLAT,
        after: dict[str, float] | None = None,
        size: float = 20,
        seed: int = 1,
        months: int = MONTHS,
    ) -> None:
        draw = np.random.default_rng(seed)
        self.months = [add_months(FIRST, index) for index in range(months)]
        self.opened, self.total, self.bugs = np.zeros(months, int), np.zeros(months, int), []
        number = 0
        for index, month in enumerate(self.months):
            level = before if after is None or index < CHANGE else {**before, **after}
            self.total[index] = draw.poisson(level.get("size", size))
            self.opened[index] = draw.binomial(self.total[index], level["share"])
            for _ in range(self.opened[index]):
                number += 1
                opened_at = start_of(month) + timedelta(days=float(draw.uniform(0, 28)))
                days = float(level["days"] * np.exp(draw.normal(0, 1)))
                closed_at = opened_at + timedelta(days=days)
                is_open = draw.uniform() < level.get("stays_open", 0.0)
                is_known = not is_open and closed_at < end_of(self.months[-1])
                self.bugs.append(
                    {
                        "dataset": "live",
                        "repository": REPOSITORY,
                        "number": number,
                        "month": month,
                        "is_performance": True,
                        "closed_at": closed_at if is_known else None,
                        "fix_time_days": days if is_known else None,
                        "hours_to_first_comment": float(level["hours"] * np.exp(draw.normal(0, 1))),
                    }
                )

    def counts(self, **changes: Any) -> pl.DataFrame:
        at = sorted(bug["closed_at"] for bug in self.bugs if bug["closed_at"] is not None)
        still = [
            int(self.opened[: index + 1].sum()) - bisect_right(at, end_of(month))
            for index, month in enumerate(self.months)
        ]
        frame = pl.DataFrame(
            {
                "month": self.months,
                "opened_performance": self.opened,
                "opened_total": self.total,
                "open_performance": still,
            }
        )
        given = {"dataset": "live", "repository": REPOSITORY, "is_complete": True, **changes}
        return frame.with_columns(**{name: pl.lit(value) for name, value in given.items()})

    def reports(self) -> pl.DataFrame:
        schema = {
            name: kind
            for name, kind in schema_of("marts.bug_metrics").items()
            if not self.bugs or name in self.bugs[0]
        }
        return pl.DataFrame(self.bugs, schema=schema)


def raised(history: History, states: pl.DataFrame = NO_STATES, **changes: Any) -> list[dict]:
    return alerts(history.counts(**changes), history.reports(), states, *NO_AREAS).to_dicts()


def said(alert: str, state: str, number: int = 1, **changes: Any) -> pl.DataFrame:
    row = {
        "verdict_id": number,
        "rater": "Ann",
        "alert_id": alert,
        "repository": REPOSITORY,
        "state": state,
        "note": None,
        "imported_at": datetime(2026, 1, number, tzinfo=UTC),
        "file": "perf-assets alerts set",
        "file_sha256": "0" * 64,
        "line": 1,
    }
    return pl.DataFrame([{**row, **changes}], schema=schema_of("reviews.alert_states"))


@pytest.mark.parametrize(
    ("series", "after"),
    [
        ("opened_share", {"share": 0.5}),
        ("hours_to_first_comment", {"hours": 90.0}),
        ("fix_time_days", {"days": 150.0}),
    ],
)
def test_a_planted_change_is_the_alert_with_its_months_levels_and_issues(
    series: str, after: dict[str, float]
) -> None:
    history = History(after=after, size=30)
    (found,) = raised(history)
    named = " ".join(found["also_changed"])
    assert found["series"] == series or _NOUN[series] in named
    assert is_near(found["month"], history.months[CHANGE], 3)
    assert found["direction"] == "up" and found["state"] == "new" and found["area"] is None
    assert found["months_before"] + found["months_after"] <= MONTHS
    assert 0 < len(found["issues"]) <= MOST_ISSUES <= found["performance_bugs"]
    by_number = {bug["number"]: bug for bug in history.bugs}
    months = [by_number[number]["month"] for number in found["issues"]]
    if found["series"] != "fix_time_days":
        assert all(found["month"] <= month <= found["last_month"] for month in months)


_NOUN = {
    "opened_share": "share of performance bugs",
    "hours_to_first_comment": "hours to the first comment",
    "fix_time_days": "days until",
}


def is_near(month: str, other: str, most: int) -> bool:
    return add_months(other, -most) <= month <= add_months(other, most)


def test_a_backlog_that_grows_is_an_alert_and_one_that_stands_high_is_not() -> None:
    growing = History(after={"stays_open": 0.7}, size=40)
    found = [one for one in raised(growing) if one["series"] == "backlog_growth"]
    (one,) = found
    assert is_near(one["month"], growing.months[CHANGE], 3)
    assert one["level_after"] - one["level_before"] == pytest.approx(one["effect"])
    assert one["level_after"] == pytest.approx(0.7 * 8, rel=0.3)
    # As a level the same backlog would change all the time: it is the sum of what came and went.
    steady = History(before={**FLAT, "stays_open": 0.5}, size=40)
    assert steady.counts()["open_performance"][-1] > 100
    assert not [one for one in raised(steady) if one["series"] == "backlog_growth"]


def test_two_series_that_change_together_are_one_alert() -> None:
    history = History(after={"share": 0.6, "hours": 200.0}, size=30)
    (found,) = raised(history)
    assert len(found["also_changed"]) >= 1
    assert len(found["group_ids"]) == 1 + len(found["also_changed"])
    assert found["alert_id"] in found["group_ids"]


def test_changes_that_are_too_small_are_not_raised_however_certain() -> None:
    history = History(before={**FLAT, "share": 0.10}, after={"share": 0.14}, size=400)
    assert [one for one in raised(history) if one["series"] == "opened_share"] == []


@pytest.mark.parametrize(
    ("series", "before", "after", "is_enough"),
    [
        ("opened_share", 0.20, 0.26, True),
        ("opened_share", 0.20, 0.245, False),
        ("opened_share", 0.06, 0.03, True),
        ("opened_share", 0.03, 0.049, False),
        ("opened_share", 0.0, 0.03, True),
        ("backlog_growth", -0.5, 0.4, False),
        ("backlog_growth", 0.5, -0.5, True),
        ("fix_time_days", 10.0, 15.0, True),
        ("fix_time_days", 15.0, 10.1, False),
    ],
)
def test_what_is_large_depends_on_the_series(
    series: str, before: float, after: float, is_enough: bool
) -> None:
    assert is_large(series, before, after) == is_enough


def test_months_that_are_not_complete_raise_nothing() -> None:
    history = History(after={"share": 0.7}, size=30, months=CHANGE + 3)
    assert [one["month"] for one in raised(history)] == [history.months[CHANGE]]
    incomplete = history.counts().with_columns(is_complete=pl.col("month") < history.months[-1])
    assert alerts(incomplete, history.reports(), NO_STATES, *NO_AREAS).is_empty()


def test_answers_that_are_still_to_come_are_not_a_change() -> None:
    # Reports of the newest month have no answer yet but for the quick ones.
    history = History(before={**FLAT, "hours": 200.0}, size=30)
    for bug in history.bugs:
        if bug["month"] == history.months[-1] and bug["hours_to_first_comment"] > 48:
            bug["hours_to_first_comment"] = None
    assert raised(history) == []


def test_where_half_wait_for_more_than_thirty_days_the_factor_is_a_bound() -> None:
    (found,) = raised(History(before={**FLAT, "hours": 30.0}, after={"hours": 5000.0}, size=40))
    assert "to no answer within 30 days, at least 2" in found["result"]
    (found,) = raised(History(before={**FLAT, "hours": 5000.0}, after={"hours": 30.0}, size=40))
    assert (
        " from no answer within 30 days to " in found["result"] and "at most 0.0" in found["result"]
    )


def test_published_series_have_no_flow_and_no_alerts() -> None:
    history = History(after={"share": 0.7})
    assert raised(history, dataset="replication") == []


def test_a_thousand_repositories_of_ten_issues_cost_next_to_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(alert_series, "change_points", lambda _: pytest.fail("computed"))
    rows = {
        "repository": [f"owner/r{index}" for index in range(1000) for _ in range(30)],
        "month": [add_months(FIRST, month) for _ in range(1000) for month in range(30)],
        "opened_performance": [int(month < 9) for _ in range(1000) for month in range(30)],
    }
    counts = pl.DataFrame(rows).with_columns(
        opened_total=1, open_performance=1, area=pl.lit(None, dtype=pl.String)
    )
    reports = (
        History().reports().with_columns(area=pl.lit(None, dtype=pl.String), closed_month="month")
    )
    assert list(raised_changes(counts, reports)) == []


def test_an_alert_names_the_labelling_that_changed_with_it() -> None:
    history = History(after={"share": 0.5})
    (plain,) = raised(history)
    months = (plain["month"], add_months(plain["month"], 1), add_months(plain["month"], 2))
    instruments = pl.DataFrame(
        [
            {"repository": repository, "month": month, "result": f"a bot began to label ({month})"}
            for repository in (REPOSITORY, "other/name")
            for month in months
        ],
    )
    (found,) = alerts(
        history.counts(), history.reports(), NO_STATES, *NO_AREAS[:2], instruments
    ).to_dicts()
    assert found == plain | {
        "also_changed": [f"a bot began to label ({month}) in {month}" for month in months[:2]]
    }


def test_no_rows_give_no_alerts() -> None:
    counts, reports = (
        pl.DataFrame(schema=schema_of(name))
        for name in ("marts.trend_monthly", "marts.bug_metrics")
    )
    found = alerts(counts, reports, NO_STATES, *NO_AREAS)
    assert found.is_empty() and found.schema == schema_of("marts.alerts")


# Areas


def by_area(history: History, areas: dict[int, str]) -> tuple[pl.DataFrame, ...]:
    """Counts of the areas by month, and which reports are of them, by the number of a report."""
    of_areas = history.reports().select(
        "dataset",
        "repository",
        "number",
        "month",
        area=pl.col("number").replace_strict(areas, default=None, return_dtype=pl.String),
    )
    of_areas = of_areas.drop_nulls("area")
    total = history.counts().select("month", "opened_total")
    counted = (
        of_areas.group_by("dataset", "repository", "area", "month")
        .agg(pl.len().cast(pl.Int64).alias("opened_performance"))
        .join(total, on="month")
        .with_columns(open_performance=pl.lit(0, dtype=pl.Int64), is_complete=True)
    )
    return counted, of_areas, NO_INSTRUMENTS


def raised_with_areas(history: History, areas: dict[int, str]) -> list[dict]:
    found = alerts(history.counts(), history.reports(), NO_STATES, *by_area(history, areas))
    return found.to_dicts()


def test_an_area_that_moves_the_repository_is_one_alert_that_names_both() -> None:
    history = History(before={**FLAT, "share": 0.1}, after={"share": 0.45}, size=30)
    # All that is more comes from one area; half of what was there before did.
    areas = {bug["number"]: "cuda" for bug in history.bugs if bug["number"] % 10 < 9}
    found = raised_with_areas(history, areas)
    of_share = [one for one in found if one["series"] == "opened_share"]
    (one,) = of_share
    named = " ".join(one["also_changed"])
    assert len(one["group_ids"]) >= 2 and ("in cuda" in named) == (one["area"] is None)


def test_an_area_with_a_change_of_its_own_stands_alone() -> None:
    history = History(before={**FLAT, "share": 0.4}, size=40, seed=3)
    # A small area begins at the change; the repository does not move.
    start = history.months[CHANGE]
    late = [bug["number"] for bug in history.bugs if bug["month"] >= start]
    early = [bug["number"] for bug in history.bugs if bug["month"] < start]
    areas = dict.fromkeys([*late[::4], *early[::40]], "lite")
    found = raised_with_areas(history, areas)
    assert {one["area"] for one in found} == {"lite"}
    assert "in lite, " in found[0]["result"]
    unknown = raised_with_areas(history, dict.fromkeys(areas, "unknown"))
    assert unknown == []


def test_of_one_month_at_most_a_handful_is_raised_and_the_rest_is_named() -> None:
    history = History(before={**FLAT, "share": 0.3}, after={"share": 0.9}, size=120)
    counts, of_areas, _ = by_area(
        history, {bug["number"]: f"area {bug['number'] % 8}" for bug in history.bugs}
    )
    reports = history.reports().join(of_areas.select("number", "area"), on="number")
    reports = reports.with_columns(closed_month="month")
    changes = [one for one in raised_changes(counts, reports) if one.area is not None]
    groups = grouped(changes)
    assert len({one.area for one in changes}) == 8
    months = [group[0].month for group in groups]
    assert max(months.count(month) for month in months) <= MOST_A_MONTH
    assert sorted(alert_id(one) for group in groups for one in group) == sorted(
        alert_id(one) for one in changes
    )
    assert grouped(changes[::-1]) == groups


# States


def test_a_state_stays_though_the_estimated_month_moves() -> None:
    history = History(after={"share": 0.5}, size=30)
    (before,) = raised(history)
    prefix, _, month = before["alert_id"].partition("-")
    for moved, state in ((0, "known"), (2, "known"), (-2, "known"), (3, "new"), (-3, "new")):
        other = f"{prefix}-{add_months(month, moved)}"
        (found,) = raised(history, said(other, "known", note="the new label"))
        assert found["state"] == state
        assert found["state_note"] == ("the new label" if state == "known" else None)
        assert found["alert_id"] == before["alert_id"]


def test_the_last_state_is_in_force_and_also_of_another_change_of_the_cause() -> None:
    history = History(after={"share": 0.6, "hours": 200.0}, size=30)
    (before,) = raised(history)
    other = next(one for one in before["group_ids"] if one != before["alert_id"])
    states = pl.concat([said(before["alert_id"], "known", 1), said(other, "resolved", 2)])
    (found,) = raised(history, states)
    assert (found["state"], found["state_by"]) == ("resolved", "Ann")
    assert found["state_set_at"] == datetime(2026, 1, 2, tzinfo=UTC)


def test_identifiers_are_of_one_alert_within_two_months_of_the_same_series() -> None:
    assert is_same("a1-2020-12", "a1-2021-02") and not is_same("a1-2020-12", "a1-2021-03")
    assert not is_same("a1-2020-12", "a2-2020-12")
