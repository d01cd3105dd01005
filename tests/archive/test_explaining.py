"""What changed since an archive was made: stages by the versions of their code."""

from dataclasses import replace

from perf_assets import __version__
from perf_assets.archive.checking import Check
from perf_assets.archive.findings import STORES, explanations, tables_of_stage
from perf_assets.archive.manifest import FORMAT, Manifest
from perf_assets.archive.software import code_versions
from perf_assets.schema import declared

MADE = Manifest(
    format=FORMAT,
    perf_assets="0.0.9",
    python="3.11",
    warehouse_format=1,
    study="mine",
    packaged=False,
    local_sources=(),
    published_at="2026-01-01 00:00:00 UTC",
    texts="all",
    is_pseudonymised=False,
    secrets_removed=False,
    rules=code_versions(),
    rows={},
)


def test_every_stage_stores_declared_tables() -> None:
    assert code_versions().keys() == {*STORES, "models", "statistics"}
    assert {table for tables in STORES.values() for table in tables} <= declared().keys()


def test_tables_that_read_what_a_stage_stores_follow_from_it() -> None:
    assert {"marts.bug_metrics", "analysis.trend_tests"} <= tables_of_stage("labels")
    assert "labels.performance_labels" not in tables_of_stage("links")


def test_names_the_tables_that_changed_code_may_explain() -> None:
    rules = {**MADE.rules, "commits": "other"}
    check = Check(replace(MADE, rules=rules), tables=["marts.bug_fixers", "labels.label_kinds"])
    assert list(explanations(check)) == [
        f"It was made by perf-assets 0.0.9, this is {__version__}; the changelog says what changed "
        "between the two.",
        f"commits: version other then, {code_versions()['commits']} now",
        "    may explain marts.bug_fixers",
        "Code and libraries that compute labels.label_kinds are those that made the archive: the "
        "archive was changed after they were computed.",
    ]


def test_where_neither_rules_nor_code_changed_somebody_changed_the_archive() -> None:
    said = list(explanations(Check(MADE, tables=["labels.label_kinds"])))
    assert len(said) == 1
    assert "was changed after" in said[0]
    assert list(explanations(Check(MADE))) == []
