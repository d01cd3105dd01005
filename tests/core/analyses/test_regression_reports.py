"""Which issues tell of a measured regression, and which areas a benchmark measures."""

from datetime import UTC, datetime, timedelta
from typing import Any

import polars as pl
import pytest

from perf_assets.core.analyses.benchmark_areas import benchmark_areas
from perf_assets.core.analyses.regression_reports import regression_reports
from perf_assets.schema import schema_of
from tests.rows import REPOSITORY

FIRST = datetime(2024, 2, 1, tzinfo=UTC)
SHAS = [f"{number:02d}c0ffee{number:032d}" for number in range(40)]
FILLNA, SORT = "frame_methods.Fillna.time_fillna", "frame_methods.SortValues.time_sort_values"
SUITE = [FILLNA, SORT, "JaX / cpu / Primal of load", "series_methods.Fillna.time_fillna"]
LOAD = "JaX / cpu / Primal of load"


def frame(table: str, *rows: dict[str, Any]) -> pl.DataFrame:
    """Rows of a table of which single columns matter."""
    schema = schema_of(table)
    given = [{name: row.get(name) for name in schema.names()} for row in rows]
    return pl.DataFrame(given, schema=schema)


def regression(number: int, first: int, last: int, back: int | None = None) -> dict[str, Any]:
    """A regression with the commits ``first`` to ``last``; at the commit ``back`` it was over."""
    return {
        "repository": REPOSITORY,
        "regression_id": f"r{number}",
        "first_position": first,
        "last_position": last,
        "committed_at": FIRST + timedelta(last),
        "recovered_at": None if back is None else FIRST + timedelta(back),
    }


def found(
    text: str,
    day: float = 30,
    regressions: tuple[dict[str, Any], ...] = (regression(1, 3, 5), regression(2, 20, 20)),
    *,
    is_performance: bool = True,
    **tables: pl.DataFrame,
) -> list[tuple[str, list[str], bool]]:
    """What is known of an issue of that ``text``, written so many days after the first commit."""
    opened_at = FIRST + timedelta(day)
    own = {"repository": REPOSITORY, "number": 7, "dataset": "live"}
    benchmarks = [("r1", FILLNA), ("r2", SORT), ("r2", FILLNA), ("r2", LOAD)]
    given = {
        "benchmark_changes": frame(
            "marts.benchmark_changes",
            *(own | {"regression_id": name, "benchmark": each} for name, each in benchmarks),
        ),
        "benchmark_series": pl.DataFrame({"repository": REPOSITORY, "benchmark": SUITE}),
        "commit_positions": pl.DataFrame(
            {
                "repository": REPOSITORY,
                "sha": SHAS,
                "message": [f"ENH: change {place} (#{500 + place})" for place in range(40)],
                "commit_position": range(40),
            }
        ),
        "texts": pl.DataFrame([own | {"written_at": opened_at, "written_text": text}]),
        "bug_metrics": frame(
            "marts.bug_metrics", own | {"opened_at": opened_at, "is_performance": is_performance}
        ),
        "bug_areas": frame("marts.bug_areas"),
        "benchmark_areas": frame("marts.benchmark_areas"),
        "bug_introductions": pl.DataFrame(
            schema={"dataset": pl.String, "repository": pl.String, "number": pl.Int64}
            | {"introducing_sha": pl.String, "is_candidate": pl.Boolean}
        ),
    } | tables
    rows = regression_reports(frame("marts.regression_recoveries", *regressions), **given)
    assert rows.schema == schema_of("marts.regression_reports")
    return rows.select("regression_id", "evidence_kinds", "is_reported").rows()


@pytest.mark.parametrize(
    ("text", "evidence"),
    [
        (f"Slower since yesterday: `{FILLNA}` (Python) with inplace=True", ["benchmark"]),
        (f"[x](https://example.org/asv/#{FILLNA}?p-inplace=True)", ["benchmark"]),
        ("See `SortValues.time_sort_values`.", ["benchmark"]),
        (f"The suite shows {LOAD} at 1.4x", ["benchmark"]),
        (f"Potential regression induced by commit {SHAS[20][:7]}", ["commit"]),
        ("PR #520 may have made it slower", ["pull_request"]),
        (f"https://github.com/{REPOSITORY}/pull/520 made it slower", ["pull_request"]),
        (
            f"PR #520: {SORT}, see https://github.com/{REPOSITORY}/compare/{SHAS[19]}...{SHAS[20]}",
            ["benchmark", "commit", "pull_request"],
        ),
    ],
)
def test_an_issue_tells_of_the_regression_that_it_names(text: str, evidence: list[str]) -> None:
    assert found(text) == [("r2", evidence, True)]


@pytest.mark.parametrize(
    "text",
    [
        "It is slow",
        "the method fillna and time_fill are slow",
        f"{FILLNA}_inplace and my.{FILLNA}",
        "Fillna.time_fillna, of which there are two",
        f"fine at {SHAS[30][:9]} and {SHAS[20][:6]}",
        f"https://github.com/{REPOSITORY}/compare/{SHAS[20]}...{SHAS[30]}",
        "https://github.com/other/project/pull/520 and other/project#520, PEP #530",
    ],
)
def test_what_names_no_regression(text: str) -> None:
    assert found(text) == []


def test_a_commit_counts_in_reports_about_performance_alone_and_a_benchmark_in_all() -> None:
    assert found(f"crash since {SHAS[20]}", is_performance=False) == []
    assert found(f"see {SORT}", is_performance=False) == [("r2", ["benchmark"], True)]


def test_nobody_reports_what_is_not_there_yet_or_over() -> None:
    assert found(f"{SORT} {SHAS[20]}", day=19) == []
    assert found(FILLNA, day=10) == [("r1", ["benchmark"], True)]
    over = (regression(1, 3, 5, back=8),)
    assert found(FILLNA, day=10, regressions=over) == []
    assert found(FILLNA, day=7, regressions=over) == [("r1", ["benchmark"], True)]
    assert found(FILLNA, day=900) == []


def test_a_fix_that_takes_away_lines_of_one_of_few_candidates_tells_of_it() -> None:
    own = {"dataset": "live", "repository": REPOSITORY, "number": 7, "is_candidate": True}
    origins = pl.DataFrame([own | {"introducing_sha": SHAS[4]}])
    expected = [("r1", ["introducing_commit"], True)]
    assert found("slow", bug_introductions=origins) == expected
    many = (regression(1, 3, 15),)
    assert found("slow", regressions=many, bug_introductions=origins) == []
    not_it = origins.with_columns(is_candidate=False)
    assert found("slow", bug_introductions=not_it) == []


def test_the_same_area_soon_after_is_a_guess() -> None:
    areas = {
        "bug_areas": frame(
            "marts.bug_areas", {"repository": REPOSITORY, "number": 7, "area": "missing data"}
        ),
        "benchmark_areas": frame(
            "marts.benchmark_areas",
            {"repository": REPOSITORY, "benchmark": SORT, "area": "missing data"},
        ),
    }
    assert found("slow", **areas) == [("r2", ["area"], False)]
    assert found("slow", day=120, **areas) == []
    assert found(f"slow since {SHAS[20]}", **areas) == [("r2", ["commit", "area"], True)]


def test_no_regressions_have_no_reports() -> None:
    assert found(f"{SORT} {SHAS[20]}", regressions=()) == []


def test_an_area_is_that_of_benchmarks_with_its_words() -> None:
    names = ("bench_linalg.Eindot.time_dot", "io.CSVReader.time_read", "strings.Methods.time_join")
    areas = ("numpy/linalg", "io csv", "string", "numpy/core", "unknown", "x")
    rows = benchmark_areas(
        pl.DataFrame({"repository": REPOSITORY, "benchmark": names}),
        pl.DataFrame({"repository": REPOSITORY, "area": areas}),
    )
    assert rows.select("benchmark", "area").rows() == [
        (names[0], "numpy/linalg"),
        (names[1], "io csv"),
        (names[2], "string"),
    ]
