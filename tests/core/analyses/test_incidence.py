"""How soon bugs are fixed: who is watched for how long, and what each end is."""

import polars as pl
import pytest

from perf_assets.core.analyses.incidence import DAYS, EVENTS, fix_curves, fix_incidence
from perf_assets.schema import schema_of
from tests.bug_histories import Bug, bug_metrics, generated, trend_monthly


def incidence(bugs, months=3, **kwargs):
    return fix_incidence(bug_metrics(bugs, **kwargs), trend_monthly(bugs, months))


def row_of(table, **wanted):
    return table.filter(**wanted).row(0, named=True)


def test_each_event_has_a_row_for_each_time_and_one_test():
    table = incidence(generated(1), 48)
    assert table.schema == schema_of("analysis.fix_incidence")
    own = table.filter(repository="a/a")
    assert own.select("event", "days").rows() == [(e, d) for e in EVENTS for d in DAYS]
    assert own.group_by("event").agg(pl.col("p_value").n_unique())["p_value"].to_list() == [1] * 3
    assert own["heterogeneity_p_value"].null_count() == own.height


def test_fixed_and_closed_without_a_fix_add_up_to_closed():
    table = incidence(generated(2), 48).filter(repository="a/a")
    for days in DAYS:
        shares = dict(table.filter(days=days).select("event", "percent_other").iter_rows())
        assert shares["fixed"] + shares["closed_without_fix"] == pytest.approx(shares["closed"])


@pytest.mark.usefixtures("without_minimum")
def test_a_bug_that_was_closed_without_a_fix_is_not_fixed_later():
    # Opened on the 6th and closed on the 11th: of four, one fixed and three closed otherwise.
    bugs = [Bug(0, 0, is_performance=True, is_fixed=True), *[Bug(0, 0, is_performance=True)] * 3]
    bugs += [Bug(0, 0, is_fixed=True)]
    row = row_of(incidence(bugs), event="fixed", days=30)
    assert (row["n_performance"], row["events_performance"]) == (4, 1)
    assert row["percent_performance"] == pytest.approx(25)
    assert "25.0 %" in row["result"]


def test_bugs_are_watched_until_the_end_of_the_last_complete_month():
    bugs = [
        Bug(0, 0, is_performance=True, is_fixed=True),
        Bug(0, 1, is_performance=True, is_fixed=True),  # after the watch
        Bug(1, 1, is_performance=True, is_fixed=True),  # opened after it
    ]

    def counted(months):
        row = row_of(incidence(bugs, months), event="fixed", days=90)
        return row["n_performance"], row["events_performance"]

    assert counted(1) == (2, 1)
    assert counted(2) == (3, 3)


@pytest.mark.usefixtures("without_minimum")
def test_a_time_that_nobody_was_watched_for_has_no_share():
    bugs = [Bug(0, 0, True, True), Bug(0, None, True), Bug(0, 0, is_fixed=True)]
    table = incidence(bugs, 1).filter(repository="a/a", event="fixed")
    # From 6 January to the end of the month 26 days.
    assert table["percent_performance"].to_list() == [None, None, None]
    assert "unknown" in table["result"][0]
    assert incidence(bugs, 2).filter(event="fixed", days=30)["percent_performance"][0] == 50


def test_each_repository_is_watched_until_its_own_end_and_compared_within():
    ours, theirs = generated(3, months=24), generated(4, months=36, slower=2)
    metrics = pl.concat([bug_metrics(ours), bug_metrics(theirs, "b/b")])
    trend = pl.concat([trend_monthly(ours, 24), trend_monthly(theirs, 36, repository="b/b")])
    table = fix_incidence(metrics, trend)
    alone = fix_incidence(bug_metrics(ours), trend_monthly(ours, 24)).filter(repository="a/a")
    assert table.filter(repository="a/a").equals(alone)
    pooled = row_of(table, repository="pooled", event="closed")
    assert 0 <= pooled["heterogeneity_p_value"] <= 1


def test_times_in_another_zone_give_the_same():
    bugs = generated(5, months=12)
    there = bug_metrics(bugs).with_columns(
        pl.col("opened_at", "closed_at").dt.convert_time_zone("Asia/Tokyo")
    )
    assert fix_incidence(there, trend_monthly(bugs, 12)).equals(incidence(bugs, 12))


def test_the_curves_go_through_the_shares():
    bugs = generated(6)
    metrics, trend = bug_metrics(bugs), trend_monthly(bugs, 48)
    curves, shares = fix_curves(metrics, trend), fix_incidence(metrics, trend)
    assert curves.schema == schema_of("analysis.fix_curves")
    for event in ("fixed", "closed_without_fix"):
        for days in DAYS:
            row = row_of(shares, event=event, days=days)
            for kind, name in ((True, "performance"), (False, "other")):
                point = row_of(curves, event=event, days=days, is_performance=kind)
                assert (point["percent"], point["percent_low"], point["percent_high"]) == (
                    row[f"percent_{name}"],
                    row[f"percent_{name}_low"],
                    row[f"percent_{name}_high"],
                )


@pytest.mark.parametrize("function", [fix_incidence, fix_curves])
def test_without_complete_months_nobody_is_watched(function):
    bugs = [Bug(0, 1, is_performance=True, is_fixed=True)]
    trend = trend_monthly(bugs, 2).with_columns(is_complete=pl.lit(value=False))
    table = function(bug_metrics(bugs), trend)
    assert table.is_empty()
    assert function(bug_metrics([]), trend_monthly([], 0)).schema == table.schema
