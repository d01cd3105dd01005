"""The reviewer's tables: what each row stands for, and that it can be read alone."""

import json
from datetime import UTC, datetime, timedelta

import polars as pl
import pytest

from perf_assets.core.analyses.comparisons import METRICS, compare
from perf_assets.core.analyses.fix_time import (
    DOUBTFUL_LINKS,
    fix_time_survival,
    link_sensitivity,
)
from perf_assets.core.analyses.robustness import (
    SHARES,
    effect_sizes,
    p_text,
    trend_robustness,
)
from perf_assets.core.statistics.samples import cliffs_delta_interval, holm, mann_whitney_u
from perf_assets.core.statistics.trend import mann_kendall
from perf_assets.tables import schema_of

COUNTS = [column for pair in SHARES.values() for column in pair]
TREND_SCHEMA = {
    "dataset": pl.String,
    "repository": pl.String,
    "month": pl.String,
    "is_complete": pl.Boolean,
    **dict.fromkeys(COUNTS, pl.Int64),
}
METRICS_SCHEMA = {
    "dataset": pl.String,
    "repository": pl.String,
    "is_performance": pl.Boolean,
    "is_fixed": pl.Boolean,
    "opened_at": pl.Datetime("us", "UTC"),
    "closed_at": pl.Datetime("us", "UTC"),
    **dict.fromkeys(METRICS, pl.Float64),
}
LINKS_SCHEMA = {
    "dataset": pl.String,
    "repository": pl.String,
    "number": pl.Int64,
    "sha": pl.String,
    "is_performance": pl.Boolean,
    "opened_at": pl.Datetime("us", "UTC"),
    "closed_at": pl.Datetime("us", "UTC"),
    "additions": pl.Int64,
    "deletions": pl.Int64,
    "doubts": pl.List(pl.String),
}
START = datetime(2020, 1, 1, tzinfo=UTC)


def day(number):
    return None if number is None else START + timedelta(days=number)


def months(performance, total, *, first=1, repository="a/a"):
    """Complete months of 2020 and on in which all four series have the same counts."""
    rows = []
    for offset, pair in enumerate(zip(performance, total, strict=True)):
        year, month = divmod(first - 1 + offset, 12)
        name = f"{2020 + year}-{month + 1:02d}"
        rows.append(("live", repository, name, True, *pair * len(SHARES)))
    return pl.DataFrame(rows, schema=TREND_SCHEMA, orient="row")


def bug(is_performance, opened, closed, *, is_fixed, values=(1.0,) * 5, repository="a/a"):
    moments = (day(opened), day(closed))
    return ("live", repository, is_performance, is_fixed, *moments, *values)


def metrics(*rows):
    return pl.DataFrame(rows, schema=METRICS_SCHEMA, orient="row")


def link(number, sha, *doubts, closed=10, size=5, is_performance=True):
    moments = (day(0), day(closed))
    return ("live", "a/a", number, sha, is_performance, *moments, size, 0, doubts)


def links(*rows):
    return pl.DataFrame(rows, schema=LINKS_SCHEMA, orient="row")


def row_of(table, **wanted):
    return table.filter(**wanted).row(0, named=True)


# Trends


def test_each_series_is_tested_by_three_methods_whose_rows_stand_alone():
    table = trend_robustness(months(range(1, 25), [100] * 24))
    assert table.schema == schema_of("analysis.trend_robustness")
    own = table.filter(repository="a/a")
    assert own.select("series", "method").unique().height == own.height == 3 * len(SHARES)
    for row in table.rows(named=True):
        assert json.loads(row["parameters"])["alternative"] == "increasing"
        assert row["n"] == 24
        assert row["result"]


def test_a_trend_test_names_its_method_and_tells_all_that_it_rests_on():
    # Of 24 months 12 pairs, of which all rise but two: one ties and one falls.
    table = trend_robustness(months([*[5] * 12, *[9] * 10, 5, 1], [100] * 24))
    rows = table.filter(repository="a/a", series="opened").rows(named=True)
    told = {row["method"]: json.loads(row["parameters"]) for row in rows}
    assert told == {
        "cox_stuart": {"alternative": "increasing", "n_pairs": 11, "n_ties": 1},
        "mann_kendall": {"alternative": "increasing", "correction": "none", "lags": None},
        "mann_kendall_hamed_rao": {
            "alternative": "increasing",
            "correction": "hamed_rao",
            "lags": "all significant at 0.05",
        },
    }
    assert rows[0]["result"] == "10 of 11 pairs of months rise, p = 0.006"


@pytest.mark.parametrize(
    ("p", "text"),
    [(None, "not testable"), (0.0009, "p < 0.001"), (0.001, "p = 0.001"), (0.5, "p = 0.500")],
)
def test_a_p_value_is_said_to_three_digits_and_never_as_nothing(p, text):
    assert p_text(p) == text


def test_mann_kendall_rows_hold_the_test_of_the_months_own_share():
    performance = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9]
    total = [30, 29, 28, 27, 31, 35, 30, 30, 26, 27, 30, 30, 31, 29, 28]
    shares = [100 * part / whole for part, whole in zip(performance, total, strict=True)]
    row = row_of(
        trend_robustness(months(performance, total)),
        series="opened",
        method="mann_kendall_hamed_rao",
    )
    expected = mann_kendall(shares, "increasing", "hamed_rao")
    assert (row["statistic"], row["p_value"]) == (expected.statistic, expected.pvalue)
    assert row["sens_slope"] == pytest.approx(expected.slope)


def test_a_share_of_nothing_is_missing():
    table = trend_robustness(months([0, 1, 2, 3], [0, 10, 10, 10]))
    assert row_of(table, series="opened", method="mann_kendall")["n"] == 3


def test_pooled_trend_adds_the_months_that_every_repository_has():
    long = months([1] * 20, [10] * 20)
    late = months(range(10), [10] * 10, first=11, repository="b/b")
    table = trend_robustness(pl.concat([late, long]))
    pooled = row_of(table, repository="pooled", series="opened", method="mann_kendall")
    # From month 11 on the share is (1 + k) / 20, which rises by 5 points a month.
    assert (pooled["n"], pooled["sens_slope"]) == (10, pytest.approx(5.0))


def test_a_missing_count_of_one_repository_is_missing_in_the_pooled_series():
    known = months([1] * 6, [10] * 6)
    unknown = months([None] * 6, [None] * 6, repository="b/b")
    table = trend_robustness(pl.concat([known, unknown]))
    assert row_of(table, repository="pooled", series="opened", method="mann_kendall")["n"] == 0


def test_too_few_months_give_null_figures_and_say_so():
    table = trend_robustness(months([1], [10]))
    assert set(table["p_value"]) == {None}
    assert "too few" in row_of(table, series="open", method="mann_kendall")["result"]


# Effect sizes


def test_effect_sizes_complete_the_comparisons_with_intervals_and_holm():
    rows = [
        bug(
            number % 4 == 0,
            0,
            5,
            is_fixed=True,
            values=[(number * step) % 11 for step in (1, 3, 4, 5, 7)],
        )
        for number in range(60)
    ]
    table = effect_sizes(metrics(*rows))
    assert table.schema == schema_of("analysis.effect_sizes")
    own = table.filter(repository="a/a")
    assert own["metric"].to_list() == list(METRICS)
    pvalues = []
    for column, row in enumerate(own.rows(named=True), start=6):
        x = [bug[column] for bug in rows if bug[2]]
        y = [bug[column] for bug in rows if not bug[2]]
        expected = cliffs_delta_interval(x, y)
        found = (row["cliffs_delta"], row["cliffs_delta_low"], row["cliffs_delta_high"])
        assert found == (expected.statistic, expected.low, expected.high)
        pvalues.append(mann_whitney_u(x, y).pvalue)
    assert own["p_value"].to_list() == pvalues
    assert own["p_value_holm"].to_list() == holm(pvalues)


def test_metrics_that_could_not_be_tested_leave_the_family():
    values = (1.0, 2.0, 3.0, 4.0, None)
    rows = [bug(part, 0, 5, is_fixed=True, values=values) for part in (True, False, True)]
    table = effect_sizes(metrics(*rows))
    row = row_of(table, metric="hours_to_first_comment")
    assert (row["p_value"], row["p_value_holm"], row["cliffs_delta"]) == (None, None, None)
    assert "hours_to_first_comment" not in json.loads(row["parameters"])["family"]
    assert len(json.loads(row["parameters"])["family"]) == 4


# Open bugs


def survival(rows, n_months=3):
    return fix_time_survival(metrics(*rows), months([1] * n_months, [2] * n_months))


def test_open_bugs_are_watched_until_the_end_of_the_last_complete_month():
    # Watched for the 31 days of January: half of the performance bugs are fixed within 20 days.
    rows = [
        bug(True, 0, 10, is_fixed=True),
        bug(True, 0, 20, is_fixed=True),
        bug(True, 0, None, is_fixed=False),
        bug(True, 0, 40, is_fixed=True),
        bug(False, 0, 5, is_fixed=True),
        bug(False, 40, 41, is_fixed=True),
    ]
    table = survival(rows, n_months=1)
    assert table.schema == schema_of("analysis.fix_time_survival")
    row = table.row(0, named=True)
    assert (row["n"], row["n_performance"], row["events_performance"]) == (5, 4, 2)
    assert (row["n_other"], row["events_other"]) == (1, 1)
    assert (row["median_performance"], row["median_other"]) == (20, 5)
    assert row["statistic"] < 0


def test_an_open_bug_counts_for_the_days_it_was_watched_and_no_longer():
    # Opened 11 days before the end: when half of the other two were fixed, it had left already.
    rows = [
        bug(True, 20, None, is_fixed=False),
        bug(True, 0, 15, is_fixed=True),
        bug(True, 0, 25, is_fixed=True),
    ]
    assert survival(rows, n_months=1)["median_performance"][0] == 15
    # A month later it was still open on the 25th day of the third.
    assert survival(rows, n_months=2)["median_performance"][0] == 25


def test_the_end_of_the_watch_is_that_of_the_last_month_and_belongs_to_the_next():
    rows = [
        bug(True, 0, 31, is_fixed=True),  # closed in the first moment of February
        bug(True, 31, 33, is_fixed=True),  # opened in it
        bug(True, 0, 40, is_fixed=True),
    ]

    def watched(n_months):
        row = survival(rows, n_months).row(0, named=True)
        return row["n_performance"], row["events_performance"]

    assert watched(1) == (2, 0)
    assert watched(2) == (3, 3)


def test_each_repository_is_watched_until_its_own_end():
    rows = [bug(True, 0, 40, is_fixed=True, repository=name) for name in ("a/a", "b/b")]
    trend = pl.concat([months([1], [2]), months([1] * 2, [2] * 2, repository="b/b")])
    table = fix_time_survival(metrics(*rows), trend).unique("repository", maintain_order=True)
    assert dict(table.select("repository", "events_performance").iter_rows()) == {
        "a/a": 0,
        "b/b": 1,
        "pooled": 1,
    }


def test_bugs_closed_without_a_fix_are_left_out_or_censored_or_end_the_wait():
    rows = [
        bug(True, 0, 4, is_fixed=False),
        bug(True, 0, 6, is_fixed=True),
        bug(False, 0, 2, is_fixed=True),
    ]
    table = survival(rows).filter(repository="a/a")
    found = [
        (json.loads(row["parameters"]), row["n_performance"], row["events_performance"])
        for row in table.rows(named=True)
    ]
    assert [(p["event"], p.get("closed_without_fix"), n, events) for p, n, events in found] == [
        ("fixed", "left_out", 1, 1),
        ("fixed", "censored", 2, 1),
        ("closed", None, 2, 2),
    ]
    assert table["median_performance"].to_list() == [6, 6, 4]


def test_times_in_another_zone_give_the_same_survival():
    rows = [bug(part, index, index + 7, is_fixed=True) for index, part in enumerate([True, False])]
    there = metrics(*rows).with_columns(
        pl.col("opened_at", "closed_at").dt.convert_time_zone("Asia/Tokyo")
    )
    trend = months([1], [2])
    assert fix_time_survival(there, trend).equals(fix_time_survival(metrics(*rows), trend))


def test_a_repository_without_complete_months_has_no_watched_bugs():
    trend = months([1], [2]).with_columns(is_complete=pl.lit(value=False))
    table = fix_time_survival(metrics(bug(True, 0, 3, is_fixed=True)), trend)
    assert set(table["n"]) == {0}
    assert set(table["median_performance"]) == set(table["p_value"]) == {None}


# Doubtful links


def test_without_any_rule_the_comparison_is_that_of_all_links():
    rows = [
        link(200, "a", closed=10, size=5),
        link(200, "b", closed=10, size=6),
        link(300, "c", closed=4, size=7, is_performance=False),
        link(301, "d", closed=6, size=9, is_performance=False),
    ]
    table = link_sensitivity(links(*rows, rows[0]))
    assert table.schema == schema_of("analysis.link_sensitivity")
    row = row_of(table, metric="fix_size", repository="a/a")
    expected = compare(
        pl.DataFrame({"is_performance": [True, False, False], "fix_size": [11, 7, 9]}).with_columns(
            is_fixed=pl.lit(value=True)
        ),
        "fix_size",
    )
    assert tuple(row[name] for name in expected._fields) == tuple(expected)
    assert (row["links"], row["links_left_out"], json.loads(row["parameters"])) == (
        4,
        0,
        {"left_out": []},
    )
    assert row_of(table, metric="fix_time_days")["median_other"] == 5


@pytest.mark.parametrize(
    ("doubts", "expected"),
    [
        *(([doubt], {doubt, "any"}) for doubt in DOUBTFUL_LINKS),
        (DOUBTFUL_LINKS[:2], {*DOUBTFUL_LINKS[:2], "any"}),
        (["is_a_revert"], set()),
        ([], set()),
    ],
)
def test_a_link_is_left_out_by_each_of_its_doubts_and_once_by_any(doubts, expected):
    rows = [link(200, "x", *doubts), link(500, "y", is_performance=False)]
    table = link_sensitivity(links(*rows)).filter(repository="a/a", metric="fix_size")
    left_out = [json.loads(parameters)["left_out"] for parameters in table["parameters"]]
    assert left_out == [[], *([doubt] for doubt in DOUBTFUL_LINKS), [*DOUBTFUL_LINKS]]
    names = ["none", *DOUBTFUL_LINKS, "any"]
    assert dict(zip(names, table["links_left_out"], strict=True)) == {
        name: int(name in expected) for name in names
    }


def test_a_fix_keeps_the_links_that_are_not_doubtful():
    rows = [
        link(200, "a", size=5),
        link(200, "late", "commit_90_days_after_close", size=1000),
        link(300, "c", size=7, is_performance=False),
    ]
    table = link_sensitivity(links(*rows)).filter(repository="a/a", metric="fix_size")
    medians = table["median_performance"].to_list()
    assert medians == [1005, 1005, 1005, 5, 1005, 1005, 1005, 5]


@pytest.mark.parametrize("metric", ["fix_time_days", "fix_size"])
def test_a_bug_that_loses_its_only_link_or_is_open_is_not_fixed(metric):
    rows = [
        link(50, "a", "issue_number_below_100"),
        link(400, "b", closed=None),
        link(300, "c", is_performance=False),
    ]
    table = link_sensitivity(links(*rows)).filter(repository="a/a", metric=metric)
    assert table["n_performance"].to_list() == [1, 0, 1, 1, 1, 1, 1, 0]
    assert table["cliffs_delta"][1] is None
    assert "no fixed bugs" in table["result"][1]


@pytest.mark.parametrize(
    ("table", "schema"),
    [
        (
            trend_robustness(pl.DataFrame(schema=TREND_SCHEMA)),
            schema_of("analysis.trend_robustness"),
        ),
        (effect_sizes(metrics()), schema_of("analysis.effect_sizes")),
        (
            fix_time_survival(metrics(), pl.DataFrame(schema=TREND_SCHEMA)),
            schema_of("analysis.fix_time_survival"),
        ),
        (link_sensitivity(links()), schema_of("analysis.link_sensitivity")),
    ],
)
def test_empty_marts_give_empty_tables_with_the_right_columns(table, schema):
    assert (table.height, table.schema) == (0, schema)
