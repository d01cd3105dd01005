"""Every rule of every suite: good rows keep it, and a row made for it breaks it."""

import gzip
import json
from collections.abc import Sequence
from contextlib import nullcontext
from copy import deepcopy
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from perf_assets.base.months import month_of
from perf_assets.base.paths import expectations_dir
from perf_assets.schema import declared, schema_of, table_of
from perf_assets.storage.audit import batch_validation, great_expectations
from perf_assets.storage.audit.auditing import AuditReport, audit, audit_together
from perf_assets.storage.audit.great_expectations import Finding
from perf_assets.storage.audit.parameters import Parameters
from perf_assets.storage.audit.rules import Rule
from perf_assets.storage.audit.suites import load_suite
from tests.effort import some
from tests.paths import CHAINER
from tests.rows import Row, at
from tests.storage.breaches import AGAIN, ALONE, BREAKING, COUNT, declared_breach
from tests.storage.good_rows import GOOD, PARAMETERS, completed

pytestmark = pytest.mark.slow

FILES = sorted(path.name.removesuffix(".json") for path in expectations_dir().glob("*.json"))
TABLES = sorted(GOOD)


def frame(table: str, rows: list[Row]) -> pl.DataFrame:
    schema = {name: kind for name, kind in schema_of(table).items() if name in rows[0]}
    return pl.DataFrame(rows, schema=schema)


def offered(table: str, rows: list[Row], **changes: Any) -> tuple[pl.DataFrame, Parameters]:
    return frame(table, rows), {**PARAMETERS, "source_count": len(rows), **changes}


def run(table: str, rows: list[Row], **changes: Any) -> AuditReport:
    return audit(table, *offered(table, rows, **changes))


def broken(table: str, breaking: Any) -> AuditReport:
    """The audit of the good rows of ``table`` of which the first is spoilt."""
    (report,) = audit_together(table, [spoilt(table, breaking)])
    return report


NONE = ""  # in the place of the rule that is broken: the rows are good


@cache
def breaches(table: str) -> dict[str, AuditReport]:
    """For each rule of ``table`` the audit of good rows of which one breaks it, all in one go.

    And that of the good rows: what is judged together gets the verdict it would get alone, as
    test_audit.py shows.
    """
    row = completed(table, GOOD[table][0])
    made = {
        rule.name: BREAKING.get(table, {}).get(rule.name)
        or declared_breach(table_of(table), rule.name, row)
        for rule in load_suite(table).rules
    }
    known = {NONE: {}} | {rule: breach for rule, breach in made.items() if breach is not None}
    reports = audit_together(table, [spoilt(table, breach) for breach in known.values()])
    return dict(zip(known, reports, strict=True))


def spoilt(table: str, breaking: Any) -> tuple[pl.DataFrame, Parameters]:
    """The good rows of ``table``, the first of them spoilt, and the parameters of their audit."""
    rows = [completed(table, row) for row in deepcopy(GOOD[table])]
    if breaking is COUNT:
        return offered(table, rows, source_count=len(rows) + 2)
    if breaking is AGAIN:
        return offered(table, [*rows, rows[0]])
    if breaking is ALONE:
        return offered(table, rows[:1])
    return offered(table, [{**rows[0], **breaking}, *rows[1:]])


RULES = [(table, rule.name) for table in TABLES for rule in load_suite(table).rules]


def test_every_table_that_passes_the_gate_has_good_rows() -> None:
    stored = {name for name, table in declared().items() if not table.is_view}
    assert {name for name in stored if not name.startswith("meta.")} == set(TABLES)
    assert set(FILES) <= set(TABLES)


@pytest.mark.parametrize("table", TABLES)
def test_good_rows_keep_every_rule_of_their_table(table: str) -> None:
    report = breaches(table)[NONE]
    assert [result.sentence() for result in report.results.values() if not result.success] == []
    assert report.results.keys() == {rule.name for rule in load_suite(table).rules}
    assert report.ok


@pytest.mark.parametrize(("table", "rule"), RULES)
def test_a_row_made_to_break_a_rule_breaks_it(table: str, rule: str) -> None:
    reports = breaches(table)
    assert rule in reports, f"{table} has a new rule {rule}: give an example that breaks it"
    result = reports[rule].results[rule]
    assert not result.success
    assert result.problem is None
    assert result.failing_rows >= 1
    assert result.examples
    assert result.severity == {rule.name: rule for rule in load_suite(table).rules}[rule].severity


@pytest.mark.parametrize("table", some("raw.issues", *TABLES))
def test_what_validation_is_spared_changes_no_finding(
    table: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Great Expectations as it is finds the same: verdicts, failing rows and reasons."""
    found = breaches(table)
    great_expectations.prepare()
    from great_expectations.execution_engine import (  # noqa: PLC0415
        pandas_execution_engine,
    )

    monkeypatch.setattr(pandas_execution_engine, "HASH_THRESHOLD", 1e9)
    monkeypatch.setattr(great_expectations, "_configurations_kept", nullcontext)
    monkeypatch.setattr(batch_validation, "validate", _validated_here)
    assert breaches.__wrapped__(table) == found


def _validated_here(source: Path, rules: Sequence[Rule], frame: pl.DataFrame) -> dict[str, Finding]:
    columns = great_expectations.columns_of(frame, rules)
    return great_expectations.validate(source, rules, columns)


@pytest.mark.parametrize("table", TABLES)
def test_rules_speak_of_columns_that_the_table_has(table: str) -> None:
    for rule in load_suite(table).rules:
        named = {name for name in (*rule.columns, *rule.condition_columns) if name[0] != "$"}
        assert named <= set(table_of(table).column)


@pytest.mark.parametrize("table", TABLES)
def test_a_note_says_why_in_one_sentence_of_its_own(table: str) -> None:
    for rule in load_suite(table).rules:
        assert rule.note.endswith(".")


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
        parameters = {"repository": "chainer/chainer", "month": month, "issue_numbers": numbers}
        theirs = [entry for entry in comments if entry["issue_number"] in numbers]
        stored = [real_comment(entry, month) for entry in theirs]
        announced = sum(issue["comments"] for issue in cohort)
        assert run("raw.issues", cohort, **parameters).failures == []
        report = run("raw.issue_comments", stored, **parameters, source_count=announced)
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
    labels = [label["name"] for label in entry["labels"]]
    own = {"repository": "chainer/chainer", "month": month, "labels": labels}
    return {**unknown("raw.issues"), **row, **times, **own}


def real_comment(entry: Row, month: str) -> Row:
    return {
        **unknown("raw.issue_comments"),
        "repository": "chainer/chainer",
        "month": month,
        "comment_id": entry["id"],
        "number": entry["issue_number"],
        "created_at": datetime.fromisoformat(entry["created_at"]),
    }


def unknown(table: str) -> Row:
    """A row of ``table`` of which nothing is known: what the data set lost, or never had."""
    return dict.fromkeys(schema_of(table))
