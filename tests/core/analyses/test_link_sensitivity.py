"""Fix time and fix size without doubtful links."""

import json
from datetime import UTC, datetime, timedelta

import polars as pl
import pytest

from perf_assets.core.analyses.group_samples import compare
from perf_assets.core.analyses.link_sensitivity import DOUBTFUL_LINKS, link_sensitivity
from perf_assets.schema import schema_of
from tests.bug_histories import LINKS_SCHEMA

START = datetime(2020, 1, 1, tzinfo=UTC)


def day(number):
    return None if number is None else START + timedelta(days=number)


def link(number, sha, *doubts, closed=10, size=5, is_performance=True):
    moments = (day(0), day(closed))
    return ("live", "a/a", number, sha, is_performance, *moments, size, 0, doubts)


def links(*rows):
    return pl.DataFrame(rows, schema=LINKS_SCHEMA, orient="row")


def row_of(table, **wanted):
    return table.filter(**wanted).row(0, named=True)


@pytest.mark.usefixtures("without_minimum")
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


@pytest.mark.usefixtures("without_minimum")
def test_a_fix_keeps_the_links_that_are_not_doubtful():
    rows = [
        link(200, "a", size=5),
        link(200, "late", "commit_90_days_after_close", size=1000),
        link(300, "c", size=7, is_performance=False),
    ]
    table = link_sensitivity(links(*rows)).filter(repository="a/a", metric="fix_size")
    medians = table["median_performance"].to_list()
    assert medians == [1005, 1005, 1005, 5, 1005, 1005, 1005, 1005, 5]


@pytest.mark.parametrize("metric", ["fix_time_days", "fix_size"])
def test_a_bug_that_loses_its_only_link_or_is_open_is_not_fixed(metric):
    rows = [
        link(50, "a", "issue_number_below_100"),
        link(400, "b", closed=None),
        link(300, "c", is_performance=False),
    ]
    table = link_sensitivity(links(*rows)).filter(repository="a/a", metric=metric)
    assert table["n_performance"].to_list() == [1, 0, 1, 1, 1, 1, 1, 1, 0]
    assert table["cliffs_delta"][1] is None
    assert "0 performance bugs and 1 other with a fix of their own" in table["result"][1]


def test_no_links_give_an_empty_table_with_the_right_columns():
    table = link_sensitivity(links())
    assert (table.height, table.schema) == (0, schema_of("analysis.link_sensitivity"))
