"""Areas of bug reports, their series, and hot spots: given rows, expected rows."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.effort import examples
from tests.model_database import ModelDatabase
from tests.rows import (
    REPOSITORY,
    RULES,
    Row,
    bug,
    bugs,
    changed_file,
    comment,
    commit,
    detail,
    event,
    link,
    loads,
    origin,
    repository,
    sha,
)

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def database() -> Iterator[ModelDatabase]:
    yield ModelDatabase("Asia/Tokyo")


def named(number: int, area: str, source: str = "label", evidence: str | None = None) -> Row:
    return {
        "repository": REPOSITORY,
        "number": number,
        "area": area,
        "area_source": source,
        "evidence": evidence or f"module: {area}",
        "area_rule": "pattern",
        "rule_version": RULES,
        "month": "2020-01",
    }


def touched(name: str, path: str, area: str, *, is_aside: bool = False) -> Row:
    return {
        "repository": REPOSITORY,
        "sha": sha(name),
        "path": path,
        "area": area,
        "area_rule": "directory",
        "is_test_or_documentation": is_aside,
        "rule_version": RULES,
        "month": "2020-01",
    }


def fill(database: ModelDatabase, *reports: tuple[Row, Row], **tables: list[Row]) -> None:
    given_tables = {name.replace("__", "."): rows for name, rows in tables.items()}
    database.fill({"meta.repositories": [repository()], **bugs(*reports), **given_tables})


def areas(database: ModelDatabase, number: int) -> list[tuple[Any, ...]]:
    columns = "number, area, share, area_source, evidence_count, evidence, area_sources"
    rows = database.table("marts.bug_areas", columns)
    return [row[1:] for row in rows if row[0] == number]


def test_labels_decide_before_files_and_files_before_traces(database: ModelDatabase) -> None:
    fill(
        database,
        *(bug(number, "2020-01-05") for number in (1, 2, 3, 4)),
        labels__area_evidence=[
            named(1, "nn"),
            named(1, "core", "stack_trace", "core/a.py"),
            named(2, "core", "stack_trace", "core/a.py"),
            named(2, "io", "stack_trace", "io/a.py"),
            named(3, "core", "stack_trace", "core/a.py"),
            named(3, "core", "stack_trace", "core/b.py"),
            named(3, "io", "stack_trace", "io/a.py"),
        ],
        links__fix_links=[link(1, "f"), link(2, "f")],
        raw__commits=[commit("f", "2020-01-20", 3, 0)],
        links__fix_areas=[touched("f", "core/a.py", "core"), touched("f", "core/b.py", "core")],
    )
    assert areas(database, 1) == [("nn", 1.0, "label", 1, "module: nn", ["label"])]
    assert areas(database, 2) == [("core", 1.0, "fix", 2, "core/a.py", ["fix", "stack_trace"])]
    assert areas(database, 3) == [
        ("core", pytest.approx(2 / 3), "stack_trace", 2, "core/a.py", ["stack_trace"]),
        ("io", pytest.approx(1 / 3), "stack_trace", 1, "io/a.py", ["stack_trace"]),
    ]
    assert areas(database, 4) == [("unknown", 1.0, None, 0, None, [])]


def test_tests_count_only_where_a_fix_changes_nothing_else(database: ModelDatabase) -> None:
    fill(
        database,
        *(bug(number, "2020-01-05") for number in (1, 2, 3)),
        # Two commits that change a file are one piece of evidence; what does not count is none.
        links__fix_links=[
            *(link(1, name) for name in ("f", "g")),
            link(2, "t"),
            link(3, "f", is_counted=False),
        ],
        raw__commits=[commit(name, "2020-01-20", 3, 0) for name in ("f", "g", "t")],
        links__fix_areas=[
            touched("f", "core/a.py", "core"),
            touched("g", "core/a.py", "core"),
            touched("g", "io/a.py", "io"),
            touched("g", "tests/test_a.py", "tests", is_aside=True),
            touched("t", "tests/test_a.py", "tests", is_aside=True),
        ],
    )
    assert [row[:2] for row in areas(database, 1)] == [("core", 0.5), ("io", 0.5)]
    assert [row[:2] for row in areas(database, 2)] == [("tests", 1.0)]
    assert [row[:2] for row in areas(database, 3)] == [("unknown", 1.0)]


evidence = st.lists(
    st.tuples(
        st.integers(1, 4),
        st.sampled_from(["nn", "core", "io", "unknown"]),
        st.sampled_from(["label", "stack_trace"]),
        st.sampled_from("abcdefg"),
    ),
    unique_by=lambda row: (row[0], row[2], row[3]),
    max_size=12,
)


@settings(max_examples=examples(6, 100), deadline=None)
@given(evidence)
def test_the_shares_of_a_bug_report_make_one(rows: list[tuple[int, str, str, str]]) -> None:
    database = ModelDatabase()
    fill(
        database,
        *(bug(number, "2020-01-05") for number in (1, 2, 3, 4)),
        labels__area_evidence=[named(*row) for row in rows],
    )
    shares = database.rows("SELECT number, sum(share) AS whole FROM marts.bug_areas GROUP BY ALL")
    assert {row["number"]: pytest.approx(row["whole"]) for row in shares} == dict.fromkeys(
        (1, 2, 3, 4), 1
    )


def test_triage_is_the_first_label_by_somebody_else(database: ModelDatabase) -> None:
    fill(
        database,
        bug(1, "2020-01-05T00:00:00Z"),
        bug(2, "2020-01-05T00:00:00Z"),
        bug(3, "2020-01-05T00:00:00Z", author=None),
        raw__issue_events=[
            event(1, "labeled", "2020-01-05T00:00:00Z", label="bug", actor="reporter"),
            event(1, "labeled", "2020-01-05T06:00:00Z", label="nn", actor="member"),
            event(1, "labeled", "2020-01-05T03:00:00Z", label="io", actor="member"),
            event(1, "unlabeled", "2020-01-05T01:00:00Z", label="x", actor="member"),
            event(2, "labeled", "2020-01-06T00:00:00Z", label="bug", actor="reporter"),
            event(2, "labeled", "2020-01-06T00:00:01Z", label="nn", actor=None),
            event(3, "labeled", "2020-01-06T00:00:00Z", label="nn", actor="member"),
        ],
    )
    assert database.table("intermediate.first_triage", "number, hours_to_triage") == [
        (1, 3.0),
        (3, 24.0),
    ]
    assert database.table("marts.bug_metrics", "number, hours_to_triage") == [
        (1, 3.0),
        (2, None),
        (3, 24.0),
    ]


def test_the_series_of_an_area_counts_each_of_its_bugs(database: ModelDatabase) -> None:
    fill(
        database,
        bug(1, "2020-02-05T00:00:00Z", "2020-03-06T00:00:00Z", is_performance=True),
        bug(2, "2020-02-06T00:00:00Z"),
        bug(3, "2020-03-06T00:00:00Z"),
        labels__area_evidence=[named(1, "nn"), named(1, "io"), named(2, "nn")],
        raw__issue_events=[
            event(1, "closed", "2020-03-06T00:00:00Z"),
            event(2, "labeled", "2020-02-06T02:00:00Z", label="nn", actor="member"),
        ],
        raw__issue_comments=[comment(1, 1, "2020-02-05T05:00:00Z")],
        links__fix_links=[link(1, "f")],
        raw__commits=[commit("f", "2020-03-01", 3, 0)],
        meta__partition_loads=loads("2020-01", "2020-02", "2020-03"),
    )
    columns = (
        "area, month, opened_performance, opened_total, weight_opened, open_performance, "
        "open_total, newly_fixed_performance, newly_fixed_total, median_hours_to_triage, "
        "median_hours_to_first_comment, median_fix_time_days, is_complete"
    )
    assert database.table("marts.area_monthly", columns) == [
        ("io", "2020-02", 1, 1, 0.5, 1, 1, 0, 0, None, 5.0, None, True),
        ("io", "2020-03", 0, 0, 0.0, 0, 0, 1, 1, None, None, 30.0, True),
        ("nn", "2020-02", 1, 2, 1.5, 1, 2, 0, 0, 2.0, 5.0, None, True),
        ("nn", "2020-03", 0, 0, 0.0, 0, 1, 1, 1, None, None, 30.0, True),
        ("unknown", "2020-02", 0, 0, 0.0, 0, 0, 0, 0, None, None, None, True),
        ("unknown", "2020-03", 0, 1, 1.0, 0, 1, 0, 0, None, None, None, True),
    ]


def test_hot_spots_count_fixes_what_came_between_and_the_age_of_lines(
    database: ModelDatabase,
) -> None:
    fixes = {"f": "2020-01-20T00:00:00Z", "g": "2020-03-20T00:00:00Z", "o": "2020-02-10T00:00:00Z"}
    others = {"before": "2020-01-10", "between": "2020-02-20", "merge": "2020-02-21"}
    fill(
        database,
        bug(1, "2020-01-05", is_performance=True),
        bug(2, "2020-01-06", is_performance=True),
        bug(3, "2020-01-07"),
        links__fix_links=[link(1, "f"), link(2, "g"), link(3, "o")],
        raw__commits=[
            *(commit(name, when, 3, 0) for name, when in fixes.items()),
            *(commit(name, when, 3, 0, is_merge=name == "merge") for name, when in others.items()),
        ],
        raw__commit_files=[
            changed_file(name, "core/a.py", additions=5, deletions=2) for name in (*fixes, *others)
        ],
        links__fix_areas=[
            *(touched(name, "core/a.py", "core") for name in fixes),
            touched("o", "core/only_others.py", "core"),
            touched("f", "tests/test_a.py", "tests", is_aside=True),
        ],
        details__commit_metrics=[
            detail("f", changed_methods=["core/a.py::run( )", "tests/test_a.py::test( )"]),
            detail("g", changed_methods=["core/a.py::run( )"]),
            detail("o", changed_methods=["core/a.py::stop( )"]),
        ],
        details__introducing_commits=[
            origin("f", "x", "2020-01-10T00:00:00Z", 3, path="core/a.py"),
            origin("g", "y", "2020-03-18T00:00:00Z", 1, path="core/a.py"),
            origin("o", "z", "2010-01-01T00:00:00Z", 9, path="core/a.py"),
        ],
    )
    columns = (
        "code_unit, name, area, performance_fixes, fixes, commits_between, churn_between, "
        "removed_lines, mean_age_of_removed_lines_days, first_fixed_at, last_fixed_at"
    )
    first, last = map(datetime.fromisoformat, (fixes["f"], fixes["g"]))
    assert database.table("marts.hot_spots", columns) == [
        ("file", "core/a.py", "core", 2, 3, 2, 14, 4, 8.0, first, last),
        ("method", "core/a.py::run( )", "core", 2, 2, None, None, None, None, first, last),
    ]
