"""Every rule of every suite: good rows keep it, and a row made for it breaks it."""

import gzip
import json
from collections.abc import Mapping
from copy import deepcopy
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest
import yaml

from perf_assets.months import month_of
from perf_assets.paths import PACKAGE, expectations_dir, models_dir
from perf_assets.storage.audit import AuditReport, audit
from perf_assets.storage.suites import load_suite
from tests.places import CHAINER
from tests.rows import Row, at
from tests.storage.breaches import AGAIN, ALONE, BREAKING, COUNT
from tests.storage.good_rows import GOOD, PARAMETERS, TYPES

TABLES = sorted(path.name.removesuffix(".json") for path in expectations_dir().glob("*.json"))


def frame(rows: list[Row]) -> pl.DataFrame:
    overrides = {name: kind for name, kind in TYPES.items() if name in rows[0]}
    return pl.DataFrame(rows, schema_overrides=overrides)


def run(table: str, rows: list[Row], **changes: Any) -> AuditReport:
    return audit(table, frame(rows), {**PARAMETERS, "source_count": len(rows), **changes})


def broken(table: str, breaking: Any) -> AuditReport:
    """The audit of the good rows of ``table`` of which the first is spoilt."""
    rows = deepcopy(GOOD[table])
    if breaking is COUNT:
        return run(table, rows, source_count=len(rows) + 2)
    if breaking is AGAIN:
        return run(table, [*rows, rows[0]])
    if breaking is ALONE:
        return run(table, rows[:1])
    return run(table, [{**rows[0], **breaking}, *rows[1:]])


@cache
def table_columns() -> Mapping[str, set[str]]:
    """The columns of each stored table: of the DDL, and of the models' documentation."""
    columns: dict[str, set[str]] = {}
    with duckdb.connect() as connection:
        connection.execute((PACKAGE / "schema.sql").read_text())
        for table, column in connection.execute(
            "SELECT schema_name || '.' || table_name, column_name FROM duckdb_columns()"
        ).fetchall():
            columns.setdefault(table, set()).add(column)
    for path in models_dir().rglob("*.yml"):
        for table in yaml.safe_load(path.read_text())["tables"]:
            columns[table["name"]] = {column["name"] for column in table["columns"]}
    return columns


RULES = [(table, rule.name) for table in TABLES for rule in load_suite(table).rules]


@pytest.mark.parametrize("table", TABLES)
def test_good_rows_keep_every_rule_of_their_table(table: str) -> None:
    report = run(table, GOOD[table])
    assert [result.sentence() for result in report.results.values() if not result.success] == []
    assert report.results.keys() == {rule.name for rule in load_suite(table).rules}
    assert report.ok


@pytest.mark.parametrize(("table", "rule"), RULES)
def test_a_row_made_to_break_a_rule_breaks_it(table: str, rule: str) -> None:
    assert rule in BREAKING[table], f"{table} has a new rule {rule}: give an example that breaks it"
    report = broken(table, BREAKING[table][rule])
    result = report.results[rule]
    assert not result.success
    assert result.problem is None
    assert result.failing_rows >= 1
    assert result.examples
    assert result.severity == {rule.name: rule for rule in load_suite(table).rules}[rule].severity


@pytest.mark.parametrize("table", TABLES)
def test_no_example_speaks_of_a_rule_that_is_gone(table: str) -> None:
    assert BREAKING[table].keys() == {rule.name for rule in load_suite(table).rules}


@pytest.mark.parametrize("table", TABLES)
def test_rules_and_keys_speak_of_columns_that_the_table_has(table: str) -> None:
    suite = load_suite(table)
    named = {name for rule in suite.rules for name in (*rule.columns, *rule.condition_columns)}
    assert named | set(suite.key) <= table_columns()[table]


@pytest.mark.parametrize("table", TABLES)
def test_a_note_says_why_in_a_sentence_of_its_own(table: str) -> None:
    for rule in load_suite(table).rules:
        assert rule.note.endswith(".")
        assert len(rule.note.split()) >= 4


@pytest.mark.parametrize(
    ("table", "oddity"),
    [
        ("raw.issues", {"title": "  ", "updated_at": at(1, year=2019), "state_reason": "new"}),
        ("raw.issues", {"closed_at": at(1), "updated_at": at(1)}),
        ("raw.issue_comments", {"created_at": at(1, year=2009), "author": None}),
        ("raw.issue_events", {"created_at": at(1, year=2009), "closer_repository": None}),
        ("raw.issue_events", {"event": "labeled", "label": None, "commit_sha": None}),
        ("raw.commits", {"authored_at": at(1, month=1, year=1970)}),
        ("raw.commits", {"authored_at": at(1, month=1, year=1)}),
        ("raw.commits", {"authored_at": at(31, month=12, year=9999)}),
        ("raw.commits", {"additions": 40_000_000}),
        ("raw.commits", {"committed_at": at(29, hour=23)}),
        ("raw.commit_files", {"path": " ", "additions": 0, "deletions": 0}),
        ("raw.commit_files", {"path": "a,\t\udcff.py".encode("utf-8", "replace").decode()}),
        ("marts.bug_metrics", {"hours_to_first_comment": -8.0}),
        ("marts.bug_metrics", {"fix_time_days": 0.0, "fix_size": 0}),
        ("marts.trend_monthly", {"is_complete": False}),
    ],
)
def test_what_real_data_does_breaks_no_critical_rule(table: str, oddity: Row) -> None:
    assert [result.breach() for result in broken(table, oddity).failures] == []


def test_real_issues_and_comments_break_no_critical_rule() -> None:
    if not CHAINER.is_dir():
        pytest.skip(f"the real corpus is not at {CHAINER}")
    issues = [real_issue(entry) for entry in lines(CHAINER / "issues.jsonl.gz")]
    comments = lines(CHAINER / "comments.jsonl.gz")
    for month in sorted({issue["month"] for issue in issues})[::9]:
        cohort = [issue for issue in issues if issue["month"] == month]
        numbers = [issue["number"] for issue in cohort]
        told = {"repository": "chainer/chainer", "month": month, "issue_numbers": numbers}
        theirs = [entry for entry in comments if entry["issue_number"] in numbers]
        stored = [real_comment(entry, month) for entry in theirs]
        announced = sum(issue["comments"] for issue in cohort)
        assert run("raw.issues", cohort, **told).failures == []
        report = run("raw.issue_comments", stored, **told, source_count=announced)
        # The data set lost the authors of the comments.
        assert [result.rule for result in report.warnings] == ["most_authors_are_known"]
        assert report.ok


def lines(path: Path) -> list[Row]:
    with gzip.open(path, "rt", encoding="utf-8") as text:
        return [json.loads(line) for line in text]


def real_issue(entry: Row) -> Row:
    times = {name: datetime.fromisoformat(entry[name]) for name in entry if name.endswith("_at")}
    row = {name: entry[name] for name in ("number", "title", "state", "comments", "html_url")}
    month = month_of(times["created_at"])
    return {**row, **times, "repository": "chainer/chainer", "month": month, "state_reason": None}


def real_comment(entry: Row, month: str) -> Row:
    return {
        "repository": "chainer/chainer",
        "month": month,
        "comment_id": entry["id"],
        "number": entry["issue_number"],
        "author": None,
        "created_at": datetime.fromisoformat(entry["created_at"]),
    }
