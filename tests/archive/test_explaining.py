"""What changed since an archive was made: rules by their versions, as the changelog has them."""

from dataclasses import replace

from perf_assets.archive.checking import Check
from perf_assets.archive.explaining import DECIDES, explanations, rule_changes, tables_of_rule
from perf_assets.archive.manifest import FORMAT, Manifest
from perf_assets.archive.software import rule_versions
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
    rules=rule_versions(),
    rows={},
)


def test_the_changelog_has_every_version_of_every_rule() -> None:
    changes = rule_changes()
    now = {rule: int(version) for rule, version in rule_versions().items() if rule in DECIDES}
    assert now.keys() == DECIDES.keys()
    assert set(changes) == {(rule, v) for rule, last in now.items() for v in range(1, last + 1)}
    assert {table for tables in DECIDES.values() for table in tables} <= declared().keys()


def test_what_follows_from_a_rule_are_the_tables_that_read_what_it_decides() -> None:
    assert {"marts.bug_metrics", "analysis.trend_tests"} <= tables_of_rule("labels")
    assert "labels.performance_labels" not in tables_of_rule("environments")


def test_a_rule_that_changed_explains_what_follows_from_it() -> None:
    rules = {**MADE.rules, "commits": "1", "code": "other"}
    check = Check(replace(MADE, rules=rules), tables=["marts.bug_fixers", "labels.label_kinds"])
    said = list(explanations(check))
    assert said[0] == "commits: version 1 then, 3 now"
    assert any("3: addresses of authors" in line for line in said)
    assert not any("1: the first" in line for line in said)
    assert any(line.startswith("    may explain marts.bug_fixers") for line in said)
    assert "perf-assets 0.0.9 then" in said[-2]
    assert said[-1] == "    may explain labels.label_kinds"


def test_where_neither_rules_nor_code_changed_somebody_changed_the_archive() -> None:
    said = list(explanations(Check(MADE, tables=["labels.label_kinds"])))
    assert len(said) == 1
    assert "was changed after it was computed" in said[0]
    assert list(explanations(Check(MADE))) == []
