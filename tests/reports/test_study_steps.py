"""Steps of the paper over one's own data: funnel, trend as it tests it, Tables I to III."""

from typing import Any

import pytest

from perf_assets.reports.figures import Shown, figures, shown
from perf_assets.reports.sql_files import sql_of
from tests.model_database import ModelDatabase, insert
from tests.rows import (
    NOTHING_YET,
    REPOSITORY,
    bug,
    bug_metrics,
    bugs,
    comparison,
    flow_test,
    published_bug,
    repository,
    root_cause,
    trend_month,
)

pytestmark = pytest.mark.slow

OTHER = "other/name"


@pytest.fixture
def database() -> ModelDatabase:
    return ModelDatabase()


def of(database: ModelDatabase, table: str) -> Shown:
    found = shown(database.connection, table)
    assert found is not None
    return found


def open_month(month: str, **changes: Any) -> dict[str, Any]:
    """A month of which nothing but open bug reports is given."""
    row = trend_month(month, **{**NOTHING_YET, **changes})
    total = row["open_total"]
    return row | {"open_percentage": 100 * row["open_performance"] / total if total else None}


def breakdown(name: str, *, is_performance: bool, counts: tuple[int, int, int]) -> dict[str, Any]:
    states = dict(zip(("open", "closed", "fixed"), counts, strict=True))
    return {"dataset": "live", "repository": name, "is_performance": is_performance, **states}


def test_table_1_has_a_total_for_each_repository_and_for_all_together(
    database: ModelDatabase,
) -> None:
    rows = [
        breakdown(name, is_performance=kind, counts=counts)
        for name, kind, counts in (
            (REPOSITORY, True, (1, 2, 1)),
            (REPOSITORY, False, (10, 20, 5)),
            (OTHER, True, (3, 4, 2)),
            (OTHER, False, (30, 40, 9)),
        )
    ]
    insert(database.connection, "marts.dataset_breakdown", rows[:2])
    alone = database.connection.sql(sql_of("table_1")).fetchall()
    assert alone == [
        ("live", REPOSITORY, "performance", 1, 2, 1),
        ("live", REPOSITORY, "other", 10, 20, 5),
        ("live", REPOSITORY, "total", 11, 22, 6),
    ]
    insert(database.connection, "marts.dataset_breakdown", rows[2:])
    assert database.connection.sql(sql_of("table_1")).fetchall()[-3:] == [
        ("live", "pooled", "performance", 4, 6, 3),
        ("live", "pooled", "other", 40, 60, 14),
        ("live", "pooled", "total", 44, 66, 17),
    ]


def test_the_funnel_goes_from_issues_to_fixed_bugs_and_shares_of_few_are_counts(
    database: ModelDatabase,
) -> None:
    reports = [bug(n, "2020-01-05", is_performance=n == 1) for n in range(1, 7)]
    reports[1][1].update(is_bug_report=False, not_a_bug_by="label")
    database.fill({"meta.repositories": [repository()], **bugs(*reports)})
    found = of(database, "marts.dataset_breakdown")
    assert found.rows.select("step", "n", "performance_bugs").rows() == [
        ("issues", 6, 1),
        ("bug reports", 5, 1),
        ("closed bug reports", 0, 0),
        ("fixed bug reports", 0, 0),
    ]
    ((who, sentence),) = found.verdicts
    assert who == REPOSITORY
    assert sentence == (
        "6 issues (performance bugs: 1, 16.7 % [3.0, 56.3]); 5 bug reports (performance bugs: 1, "
        "20.0 % [3.6, 62.4]); 0 closed bug reports (performance bugs: 0); 0 fixed bug reports "
        "(performance bugs: 0)"
    )
    (panel,) = found.panels
    assert "issues 6, of which 1 performance bugs" in panel["description"]


def test_the_funnel_of_published_data_begins_with_bug_reports_as_these_are_all_they_hold(
    database: ModelDatabase,
) -> None:
    given: dict[str, Any] = {"participants": 1, "commentator_names": [], "labels": []}
    given |= {"file": "bugs.csv", "line": 2, "commentator_comments": []}
    rows = [published_bug(n, is_performance=n == 1, **given) for n in (1, 2)]
    insert(database.connection, "replication.bugs", rows)
    counted = breakdown("pytorch/pytorch", is_performance=True, counts=(0, 2, 1))
    insert(database.connection, "marts.dataset_breakdown", [counted | {"dataset": "replication"}])
    assert database.rows("from staging.issues")
    found = of(database, "marts.dataset_breakdown")
    assert found.rows["step"].to_list()[0] == "bug reports"
    assert "issues" not in found.verdicts[0][1]


def test_the_share_gained_stands_with_the_papers_test(database: ModelDatabase) -> None:
    months = [
        open_month("2019-12", open_performance=0, open_total=0),
        open_month("2020-01", open_performance=1, open_total=20),
        open_month("2020-02", open_performance=3, open_total=20),
        open_month("2020-03", open_performance=9, open_total=9, is_complete=False),
    ]
    insert(database.connection, "marts.trend_monthly", months)
    pairs = {"method": "cox_stuart", "n_pairs": 6, "n_positive": 6, "p_value": 0.0156}
    test = flow_test("open", alternative="increasing", false_alarm_share=0.25, **pairs)
    insert(database.connection, "analysis.trend_tests", [test])
    found = shown(database.connection, "analysis.gained")
    assert found is not None
    assert found.verdicts == [
        (
            REPOSITORY,
            "share of performance bugs among open bug reports: 5.00 % [0.9, 23.6] (1 of 20) in "
            "2020-01, 15.00 % [5.2, 36.0] (3 of 20) in 2020-02, +10.00 points; Cox-Stuart, "
            "one-sided: 6 of 6 pairs of months rise, p = 0.016; with permuted labels, which have "
            "no trend, the test also shows a rise in 25.0 % of cases",
        )
    ]


def test_too_few_months_and_reports_give_counts_and_no_share(database: ModelDatabase) -> None:
    for month, n in (("2020-01", 4), ("2020-02", 20)):
        row = open_month(month, open_performance=1, open_total=n)
        insert(database.connection, "marts.trend_monthly", [row])
    few = {"n_pairs": 1, "n_positive": 1, "p_value": None, "is_too_few": True}
    few |= dict.fromkeys(("odds_ratio_per_year", "odds_ratio_low", "odds_ratio_high"))
    test = flow_test("open", method="cox_stuart", result="too few pairs to test: 1", **few)
    insert(database.connection, "analysis.trend_tests", [test])
    found = shown(database.connection, "analysis.gained")
    assert found is not None
    assert found.verdicts[0][1] == (
        "share of performance bugs among open bug reports: 1 of 4 in 2020-01, 1 of 20 in 2020-02 "
        "(too few for a share); too few pairs to test: 1"
    )


def test_table_2_says_how_much_longer_and_compares_in_both_ways(database: ModelDatabase) -> None:
    medians = {"median_performance": 20.34, "median_other": 10.46, "percent_larger": 94.46}
    plain = {"rank_sum_p_value": 0.0004, "rank_sum_cliffs_delta": 0.248}
    rows = [
        comparison("fix_time_days", repository=name, **medians, **plain, **more)
        for name, more in (
            (REPOSITORY, {}),
            (OTHER, {}),
            ("pooled", {"method": "van_elteren", "p_value_clustered": 0.03, "cliffs_delta": 0.2}),
        )
    ]
    insert(database.connection, "analysis.group_comparisons", rows)
    sentences = dict(of(database, "analysis.group_comparisons").verdicts)
    plain_text = (
        "days until fixed: median 20.34 for 6 performance bugs, 10.46 for 9 others (94 % longer); "
        "rank-sum test p < 0.001, delta = 0.248"
    )
    assert sentences[REPOSITORY] == plain_text
    assert sentences["pooled"] == (
        f"{plain_text}; compared within repositories (van Elteren) p = 0.030, delta = 0.200"
    )


@pytest.mark.parametrize(("number", "panels"), [(5, 0), (6, 1)])
def test_a_distribution_is_drawn_of_enough_values_in_both_groups(
    database: ModelDatabase, number: int, panels: int
) -> None:
    insert(database.connection, "analysis.group_comparisons", [comparison("comments")])
    lacking = {"is_fixed": False, "state": "open", "fix_time_days": None, "fix_size": None}
    lacking |= {"fix_commits": 0, "closed_at": None, "fix_files": None, "fix_test_share": None}
    lacking |= {"hours_to_first_comment": None, "commentators": 1, "month": "2020-01"}
    lacking |= {"opened_at": "2020-01-05T00:00:00Z", "has_author_types": True, "reopenings": 0}
    rows = [
        bug_metrics(n, is_performance=n <= number, comments=n, comments_with_bots=n, **lacking)
        for n in range(1, 21)
    ]
    insert(database.connection, "marts.bug_metrics", rows)
    drawn = of(database, "analysis.group_comparisons").panels
    titles = [panel["title"] for panel in drawn]
    assert titles == ["comments", "commentators"][: 2 * panels]
    if drawn:
        curve, rules = drawn[0]["layer"]
        assert curve["encoding"]["x"]["scale"]["type"] == "symlog"
        assert {one["color"]: one["value"] for one in rules["data"]["values"]} == {
            "performance bugs": 3.5,
            "other bugs": 13.5,
        }


def test_root_causes_stand_by_impact_the_most_frequent_first(database: ModelDatabase) -> None:
    impacts = {"speed": 1, "memory": 3, "speed_and_memory": 1}
    memory = {"category": "Memory", "bugs": 6, "all_bugs": 8, "percent": 75.0, **impacts}
    rows = [
        root_cause("Other") | {"category": "Other", "bugs": 2, "all_bugs": 8, "percent": 25.0},
        root_cause("Memory (Leak)") | memory | {"subcategory": "Leak"},
        root_cause("Memory") | memory,
    ]
    insert(database.connection, "marts.root_causes", rows)
    found = of(database, "marts.root_causes")
    assert found.rows.select("category", "subcategory").rows() == [
        ("Memory", None),
        ("Memory", "Leak"),
        ("Other", None),
    ]
    ((_, sentence),) = found.verdicts
    assert sentence == (
        "8 performance bugs have a root cause that raters agree on; most often Memory (6, 75 % "
        "[41, 93]), Other (2, 25 % [7, 59])"
    )
    (panel,) = found.panels
    bars = {(one["cause"], one["color"]): one["bugs"] for one in panel["data"]["values"]}
    assert bars["Memory", "memory"] == 3 and bars["Memory", "impact not given"] == 1
    assert bars["Other", "impact not given"] == 2


def test_a_handful_of_root_causes_has_no_shares(database: ModelDatabase) -> None:
    few = {"category": "Other", "bugs": 4, "all_bugs": 4, "percent": 100.0}
    insert(database.connection, "marts.root_causes", [root_cause("Other") | few])
    found = of(database, "marts.root_causes")
    assert "too few for shares" in found.verdicts[0][1] and "%" not in found.verdicts[0][1]
    assert figures()["marts.root_causes"].declared.title.startswith("Root causes")
