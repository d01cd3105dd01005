"""Every table of the paper against a few made bug reports: what is reproduced, and what is said."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from perf_assets.core.paper.performance_bugs import (
    agreeing_months,
    months_differ,
    table_2_bugs,
    without,
)
from perf_assets.core.paper.printed import BUGS as STUDY
from perf_assets.core.paper.printed import Paper
from perf_assets.reports.replication.words import reproduced_text
from perf_assets.schema import schema_of
from tests.core.paper.printed_tables import Rows, by_figure, comparison, paper_with

PYTORCH, TENSORFLOW = "pytorch/pytorch", "tensorflow/tensorflow"
Frames = dict[str, pl.DataFrame]


def bug(repository: str, number: int, **changes: Any) -> dict[str, Any]:
    row = {
        "dataset": "replication",
        "repository": repository,
        "number": number,
        "is_performance": False,
        "is_fixed": False,
        "state": "open",
        "opened_at": datetime(2020, 3, 1, tzinfo=UTC),
        "fix_commits": 0,
        "fix_time_days": None,
        "fix_size": None,
        "hours_to_first_comment": 1.0,
        "comments": 2,
        "commentators": 1,
    }
    return {**row, **changes}


def fixed(repository: str, number: int, days: float, size: int, **changes: Any) -> dict[str, Any]:
    row = {"is_fixed": True, "state": "closed", "fix_time_days": days, "fix_size": size}
    return bug(repository, number, **{**row, "fix_commits": 1, **changes})


BUGS = [
    fixed(PYTORCH, 200, 30.0, 50, is_performance=True, comments=9),
    fixed(PYTORCH, 50, 1.0, 1, is_performance=True, comments=9),
    fixed(PYTORCH, 201, 10.0, 20),
    fixed(PYTORCH, 202, 20.0, 40),
    bug(PYTORCH, 203, is_performance=True),
    bug(PYTORCH, 204, state="closed"),
    fixed(TENSORFLOW, 300, 50.0, 70, is_performance=True, comments=9),
    fixed(TENSORFLOW, 301, 12.0, 30),
]
TAXONOMY = [
    (PYTORCH, 200, "Caching", None),
    (PYTORCH, 50, "Memory", "Leak"),
    (TENSORFLOW, 300, "Memory", "Leak"),
    (TENSORFLOW, 300, "Memory", None),
]
MONTHS = [(1, 4, 1, 4), (2, 4, 2, 4), (3, 4, 2, 4), (4, 4, 4, 4)]


def data(
    *,
    bugs: list[dict[str, Any]] = BUGS,
    taxonomy: list[Any] = TAXONOMY,
    months: list[tuple[int, int, int, int]] = MONTHS,
) -> Frames:
    kinds = {"fix_time_days": pl.Float64, "fix_size": pl.Int64, "number": pl.Int64}
    trend = pl.DataFrame(
        [
            (
                PYTORCH,
                "open",
                f"2020-0{place}",
                n,
                total,
                again,
                of,
                100 * n / total,
                100 * again / of,
            )
            for place, (n, total, again, of) in enumerate(months, 1)
        ],
        schema=[
            "repository",
            "series",
            "month",
            "published_performance",
            "published_total",
            "reproduced_performance",
            "reproduced_total",
            "published_percent",
            "reproduced_percent",
        ],
        orient="row",
    )
    rows = pl.DataFrame(
        taxonomy,
        schema={
            "repository": pl.String,
            "number": pl.Int64,
            "category": pl.String,
            "subcategory": pl.String,
        },
        orient="row",
    )
    frame = pl.DataFrame(bugs, schema_overrides=kinds, infer_schema_length=None)
    return {
        "marts.bug_metrics": frame,
        "marts.paper_trend": trend,
        "replication.taxonomy": rows,
    }


def compared(frames: Frames, **printed: Rows) -> dict[str, dict[str, Any]]:
    """The rows of the tables that are printed here, by figure."""
    rows = by_figure(paper_with(STUDY, **printed), frames)
    return {name: row for name, row in rows.items() if name.partition(".")[0] in printed}


def verdict_of(row: dict[str, Any]) -> tuple[float | None, str]:
    return row["reproduced"], row["verdict"]


def test_table_1_counts_by_kind_and_state() -> None:
    table = [
        {"kind": "performance", "open": "2", "closed": "1", "fixed": "2"},
        {"kind": "other", "open": "0", "closed": "5", "fixed": "2"},
    ]
    rows = compared(data(), table_1=[{"repository": PYTORCH, **row} for row in table])
    assert verdict_of(rows[f"table_1.{PYTORCH}.performance.open"]) == (1.0, "differs")
    assert verdict_of(rows[f"table_1.{PYTORCH}.performance.fixed"]) == (2.0, "exact")
    assert verdict_of(rows[f"table_1.{PYTORCH}.other.closed"]) == (3.0, "differs")
    # One open bug report less, one closed one more: it was closed once and is open again.
    reopened = rows[f"table_1.{PYTORCH}.performance.open"]
    assert reopened["reason"].startswith("1 bug reports were closed and are open again")
    assert reopened["difference"] == -1
    assert "another number" in rows[f"table_1.{PYTORCH}.other.closed"]["reason"]
    assert {row["location"] for row in rows.values()} == {"Table I"}
    assert rows[f"table_1.{PYTORCH}.other.open"]["quantity"] == "open other bugs"


def test_a_figure_of_both_frameworks_needs_the_data_of_both() -> None:
    alone = data(bugs=BUGS[:6])
    table = {"repository": "pooled", "kind": "other", "open": "1", "closed": "1"}
    row = compared(alone, table_1=[table])["table_1.pooled.other.open"]
    assert verdict_of(row) == (None, "not_derivable")
    assert row["reason"] == f"the loaded data have no bug reports of {TENSORFLOW}"
    assert without(alone["replication.taxonomy"]) is None
    parts = data(taxonomy=TAXONOMY[:2])
    assert without(parts["replication.taxonomy"]) == TENSORFLOW
    row = compared(parts, taxonomy=[{"bugs": "2"}])["taxonomy.bugs"]
    assert row["reason"] == f"the loaded data have no taxonomy of {TENSORFLOW}"


def test_section_3_counts_what_was_collected() -> None:
    table = {
        "repository": "pooled",
        "issues": "9",
        "bug_reports": "8",
        "performance_bugs": "4",
        "other_bugs": "4",
        "fixed_bugs": "6",
        "verified_bugs": "2",
        "precision": "100",
    }
    rows = compared(data(), section_3=[table])
    values = {name.rpartition(".")[2]: verdict_of(row) for name, row in rows.items()}
    assert values == {
        "issues": (None, "not_derivable"),
        "bug_reports": (8.0, "exact"),
        "performance_bugs": (4.0, "exact"),
        "other_bugs": (4.0, "exact"),
        "fixed_bugs": (6.0, "exact"),
        "verified_bugs": (3.0, "differs"),
        "precision": (100.0, "coincides"),
    }
    assert rows["section_3.pooled.verified_bugs"]["reason"] == (
        "unknown; tried for 2: the rows of the taxonomy (4), those that differ in issue or cause "
        "(4), in issue or category (3), the issues (3), and those of them that are fixed "
        "performance bugs (3)"
    )
    assert "not those filtered out" in rows["section_3.pooled.issues"]["reason"]
    more = compared(data(), section_3=[{**table, "fixed_bugs": "9"}])
    assert more["section_3.pooled.fixed_bugs"]["reason"] == (
        "unknown; tried: closed bug reports with a fix (6), open ones too (6), and the commits of "
        "their fixes (6)"
    )
    few = compared(data(), section_3=[{"repository": PYTORCH, "issues": "9"}])
    assert list(few) == [f"section_3.{PYTORCH}.issues"]


def test_trend_tests_are_of_the_published_and_of_the_counted_series() -> None:
    table = {"repository": PYTORCH, "series": "open", "p_value": "0.25", "claim": "p < 0.3"}
    rows = compared(data(), cox_stuart=[table])
    name = f"cox_stuart.{PYTORCH}.open"
    assert verdict_of(rows[f"{name}.published"]) == (0.25, "exact")
    assert rows[f"{name}.published"]["reason"] == "2 of 2 pairs of months rise"
    assert rows[f"{name}.published.claim"]["published_text"] == "p < 0.3"
    # The same value from other counts is not a reproduction of them.
    assert verdict_of(rows[f"{name}.reproduced.claim"]) == (0.25, "coincides")
    assert rows[f"{name}.reproduced"]["reason"] == (
        "2 of 2 pairs of months rise; 1 of 4 months have other counts"
    )
    table = {**table, "p_value": "0.5"}
    wrong = compared(data(), cox_stuart=[table])
    assert verdict_of(wrong[f"{name}.reproduced"]) == (0.25, "differs")


def test_figure_1_is_compared_with_the_published_series_and_with_the_counted_one() -> None:
    table = {"repository": PYTORCH, "series": "open", "first": "25", "last": "99", "change": "75"}
    ends = {"first_month": "2020-01", "last_month": "2020-05"}
    rows = compared(data(), figure_1=[{**table, **ends}])
    name = f"figure_1.{PYTORCH}"
    for source in ("published", "reproduced"):
        assert verdict_of(rows[f"{name}.open.first.{source}"]) == (25.0, "exact")
        assert verdict_of(rows[f"{name}.open.last.{source}"]) == (100.0, "differs")
        assert verdict_of(rows[f"{name}.open.change.{source}"]) == (75.0, "exact")
    assert verdict_of(rows[f"{name}.open.months"]) == (3.0, "differs")
    assert verdict_of(rows[f"{name}.first_month"])[1] == "exact"
    assert verdict_of(rows[f"{name}.last_month"])[1] == "differs"
    assert reproduced_text(rows[f"{name}.last_month"]) == "2020-04"
    assert agreeing_months(data()["marts.paper_trend"]).get_column("month").to_list() == [
        "2020-01",
        "2020-02",
        "2020-04",
    ]


def test_a_point_of_figure_1_from_other_counts_coincides_and_says_them() -> None:
    # 4 of 8 in the last month where 4 of 8 are published, but 2 of 8 in the first for 1 of 4.
    made = data(months=[(1, 4, 2, 8), (3, 4, 1, 5), (4, 8, 4, 8)])
    table = {"repository": PYTORCH, "series": "open", "first": "25", "last": "50", "change": "25"}
    rows = compared(made, figure_1=[table])
    name = f"figure_1.{PYTORCH}.open"
    assert verdict_of(rows[f"{name}.first.published"]) == (25.0, "exact")
    assert verdict_of(rows[f"{name}.first.reproduced"]) == (25.0, "coincides")
    assert rows[f"{name}.first.reproduced"]["reason"] == (
        "the counts are others: 2 of 8 for 1 of 4 in 2020-01"
    )
    assert verdict_of(rows[f"{name}.last.reproduced"]) == (50.0, "exact")
    assert verdict_of(rows[f"{name}.change.reproduced"]) == (25.0, "coincides")
    reason = rows[f"{name}.months"]["reason"]
    assert reason.startswith("of 3 months 2 have more, which fits that one closed for a while")
    assert reason.endswith("differ by at most 55.00 points")


def test_the_months_with_fewer_and_with_more_bug_reports_are_counted_apart() -> None:
    fewer, more, same = (1, 5, 1, 4), (1, 4, 1, 6), (1, 4, 1, 4)
    reason = months_differ(data(months=[fewer, same, more, fewer])["marts.paper_trend"])
    assert reason.startswith("of 4 months 2 have fewer bug reports than published, which fits")
    assert " and 1 have more, which fits" in reason
    assert months_differ(data(months=[same])["marts.paper_trend"]) == (
        "the percentages of a month differ by at most 0.00 points"
    )


@pytest.fixture
def fix_time() -> dict[str, dict[str, Any]]:
    table = {
        "metric": "fix_time_days",
        "performance": "40.0",
        "other": "12.0",
        "cliffs_delta": "1.0",
        "reading": "large",
        "p_value": "p < 0.2",
        "larger": "233.33",
    }
    return compared(data(), table_2=[table])


def test_table_2_compares_verified_fixes_of_trusted_numbers(
    fix_time: dict[str, dict[str, Any]],
) -> None:
    # 30 and 50 days against 10, 12 and 20: number 50 is below 100.
    values = {name.rpartition(".")[2]: verdict_of(row) for name, row in fix_time.items()}
    assert values["performance"] == (40.0, "exact")
    assert values["other"] == (12.0, "exact")
    assert values["cliffs_delta"] == (1.0, "exact")
    assert values["p_value"][1] == "exact"
    assert values["larger"][1] == "within_rounding"
    assert values["reading"][1] == "exact"
    assert values["larger"][0] == pytest.approx(100 * (40 / 12 - 1))
    note = "performance bugs: those verified by hand whose issue number is not below 100"
    assert fix_time["table_2.fix_time_days.performance"]["reason"].startswith(note)


def test_table_2_says_why_a_figure_differs() -> None:
    table = {
        "metric": "fix_size",
        "performance": "1",
        "other": "2",
        "cliffs_delta": "-0.1",
        "p_value": "p = 0.5",
        "larger": "-50",
    }
    rows = compared(data(), table_2=[table])
    delta = rows["table_2.fix_size.cliffs_delta"]
    assert delta["verdict"] == "differs"
    assert "all fixed ones have delta" in delta["reason"]
    assert "give -50.00" in rows["table_2.fix_size.larger"]["reason"]
    assert rows["table_2.fix_size.p_value"]["published_text"] == "p = 0.5"


def test_a_median_of_table_2_coincides_where_its_effect_size_is_of_other_bugs() -> None:
    table = {
        "metric": "fix_time_days",
        "performance": "40.0",
        "other": "12.0",
        "cliffs_delta": "0.9",
        "reading": "large",
        "p_value": "p < 0.2",
        "larger": "233.33",
    }
    rows = compared(data(), table_2=[table])
    verdicts = {name.rpartition(".")[2]: row["verdict"] for name, row in rows.items()}
    assert verdicts == {
        "performance": "coincides",
        "other": "exact",
        "cliffs_delta": "differs",
        "reading": "coincides",
        "p_value": "coincides",
        "larger": "within_rounding",
    }
    reason = rows["table_2.fix_time_days.performance"]["reason"]
    assert reason.startswith("Cliff's delta is 1.000, not 0.9: unknown: of which bugs it is")


def test_how_much_larger_a_median_is_follows_from_the_rounded_medians() -> None:
    bugs = [
        fixed(PYTORCH, 200, 20.340405, 50, is_performance=True),
        fixed(PYTORCH, 201, 10.46478, 20),
        *BUGS[6:7],
    ]
    table = {
        "metric": "fix_time_days",
        "performance": "20.34",
        "other": "10.46",
        "cliffs_delta": "1.0",
        "p_value": "p < 0.2",
        "larger": "94.46",
    }
    only = [(PYTORCH, 200, "Caching", None), (TENSORFLOW, 3, "Caching", None)]
    row = compared(data(bugs=bugs, taxonomy=only), table_2=[table])["table_2.fix_time_days.larger"]
    assert verdict_of(row) == (pytest.approx(94.455067), "within_rounding")
    assert row["reason"] == "of the medians as rounded in Table II; before rounding it is 94.37"


def test_comments_are_compared_over_all_bug_reports() -> None:
    table = {
        "metric": "comments",
        "performance": "9",
        "other": "2",
        "cliffs_delta": "0.75",
        "p_value": "p < 0.2",
        "larger": "350",
    }
    rows = compared(data(), table_2=[table])
    assert {name.rpartition(".")[2]: verdict_of(row) for name, row in rows.items()} | {
        "p_value": None
    } == {
        "performance": (9.0, "exact"),
        "other": (2.0, "exact"),
        "cliffs_delta": (0.75, "exact"),
        "p_value": None,
        "larger": (350.0, "exact"),
    }


def test_only_compared_fixes_count_as_fixed_in_the_charts_of_table_2() -> None:
    made = data()
    bugs = made["marts.bug_metrics"]
    marked = table_2_bugs(bugs, made["replication.taxonomy"])
    assert marked.filter("is_fixed")["number"].to_list() == [200, 201, 202, 300, 301]
    assert table_2_bugs(bugs, data(taxonomy=[])["replication.taxonomy"]).equals(bugs)


def test_table_3_counts_categories_sub_categories_and_shares() -> None:
    impacts = {"speed": "1", "memory": "1", "both": "1"}
    tables = [
        {"category": "Memory", "bugs": "3", "share": "75.00", **impacts},
        {"category": "Memory", "subcategory": "Leak", "bugs": "1", "share": "50", **impacts},
        {"category": "Caching", "bugs": "1", "share": "25", **impacts},
    ]
    rows = compared(data(), table_3=tables)
    # Shares are of the four bugs of the paper's categories.
    assert verdict_of(rows["table_3.Memory.bugs"]) == (3.0, "exact")
    assert verdict_of(rows["table_3.Memory.share"]) == (75.0, "exact")
    assert verdict_of(rows["table_3.Memory: Leak.bugs"]) == (2.0, "differs")
    assert verdict_of(rows["table_3.Memory: Leak.share"]) == (50.0, "exact")
    assert verdict_of(rows["table_3.Caching.share"]) == (25.0, "exact")
    fewer = compared(data(), table_3=tables[:1])["table_3.Memory.share"]
    assert verdict_of(fewer) == (100.0, "differs")
    assert rows["table_3.Memory: Leak.bugs"]["reason"] == (
        "unknown; tried for 1: the rows of the category (2), and the issues that they are about (2)"
    )
    assert rows["table_3.Memory.both"]["verdict"] == "not_derivable"
    assert "speed and memory" in rows["table_3.Memory.both"]["quantity"]


def test_the_taxonomy_as_a_whole() -> None:
    table = {"bugs": "3", "categories": "2", "subcategories": "1", "kappa": "0.92"}
    rows = compared(data(), taxonomy=[table])
    assert verdict_of(rows["taxonomy.bugs"]) == (4.0, "differs")
    assert verdict_of(rows["taxonomy.categories"]) == (2.0, "exact")
    assert verdict_of(rows["taxonomy.subcategories"]) == (1.0, "exact")
    assert verdict_of(rows["taxonomy.kappa"]) == (None, "not_derivable")
    assert rows["taxonomy.bugs"]["reason"].startswith("unknown; tried for 3: the rows of the")


def test_without_replication_data_there_is_nothing_to_compare() -> None:
    made = data()
    live = made["marts.bug_metrics"].with_columns(dataset=pl.lit("live"))
    found = comparison(paper_with(STUDY), made | {"marts.bug_metrics": live})
    assert found.is_empty() and found.schema == schema_of("analysis.paper_comparison")


def small_paper() -> Paper:
    """The paper with few rows, and without the bound above which it calls an effect small."""
    impacts = {"speed": "1", "memory": "1", "both": "1"}
    paper = paper_with(
        STUDY,
        table_1=[
            {"repository": PYTORCH, "kind": "performance", "open": "1", "closed": "2"},
            {"repository": PYTORCH, "kind": "other", "open": "0", "closed": "3"},
        ],
        section_3=[
            {
                "repository": "pooled",
                "issues": "9",
                "bug_reports": "8",
                "performance_bugs": "4",
                "other_bugs": "4",
                "fixed_bugs": "6",
                "verified_bugs": "2",
                "precision": "100",
            }
        ],
        cox_stuart=[
            {"repository": PYTORCH, "series": "open", "p_value": "0.25", "claim": "p < 0.3"}
        ],
        figure_1=[
            {"repository": PYTORCH, "series": "open", "first": "25", "last": "99", "change": "75"}
        ],
        table_2=[
            {
                "metric": "comments",
                "performance": "9",
                "other": "2",
                "cliffs_delta": "0.75",
                "p_value": "p < 0.2",
                "larger": "350",
            }
        ],
        taxonomy=[{"bugs": "3", "categories": "2", "subcategories": "1", "kappa": "0.92"}],
        table_3=[
            {"category": "Memory", "bugs": "3", "share": "75", **impacts},
            {"category": "Memory", "subcategory": "Leak", "bugs": "1", "share": "50", **impacts},
        ],
        examples=[
            {"repository": PYTORCH, "number": "50", "cause": "Leak"},
            {"repository": TENSORFLOW, "number": "300", "cause": "Memory"},
            {"repository": PYTORCH, "number": "200", "cause": "Memory"},
            {"repository": PYTORCH, "number": "9", "cause": "Memory"},
        ],
    )
    tables = {name: table for name, table in paper.tables.items() if name != "small_above"}
    return paper.model_copy(update={"tables": tables})


def test_the_whole_comparison_is_in_the_order_and_the_words_of_the_paper() -> None:
    made = data()
    bugs = made["marts.bug_metrics"]
    mined = bugs.with_columns(dataset=pl.lit("live"))  # which the paper is not about
    found = comparison(small_paper(), made | {"marts.bug_metrics": bugs.vstack(mined)})
    # What no data are published of stands after what there are.
    studies = found["study"].unique(maintain_order=True).to_list()
    assert studies == ["performance_bugs", "challenges"]
    found = found.filter(study="performance_bugs")
    verdict_of = found.select(
        "figure", "location", "repository", "quantity", "published_text", "verdict", "reason"
    )
    lines = [" | ".join(map(str, row)) for row in verdict_of.rows()]
    wanted = Path(__file__).with_name("whole_comparison.txt").read_text(encoding="utf-8")
    assert lines == wanted.splitlines()
    assert found.schema == schema_of("analysis.paper_comparison")
    assert set(found["dataset"]) == {"replication"}
