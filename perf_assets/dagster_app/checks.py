"""The checks of assets: one for all that declarations say, and one for each rule of a suite file.

A table's declaration gives it a dozen rules, of which none is ever looked at alone. What is broken
is named with its rule either way.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import groupby
from typing import Any

import dagster as dg

from perf_assets.base.sanitize import for_markdown
from perf_assets.dagster_app.keys import asset_key, short_name
from perf_assets.schema import table_of
from perf_assets.schema.models.asset_graph import asset_for_table, tables_of
from perf_assets.storage.audit.rules import Rule, declared_rules
from perf_assets.storage.audit.suites import load_suite
from perf_assets.storage.partition_write import BrokenRule

DECLARED = "rows_are_as_declared"
DECLARED_NOTE = (
    "Keys are unique, nothing is missing that must be there, rows are of their partition, and each "
    "column keeps its values, range and form, as docs/data_dictionary.md lists them (rows that "
    "break it are set aside; where that are many, none is stored)"
)
CONSEQUENCES = {
    "critical": "rows that break it are set aside; where that are many, or it is about all rows, "
    "none is stored. All that can be is published nevertheless",
    "warning": "does not block: what breaks it is stored and reported",
}
"""What becomes of rows that break a rule, by its severity."""
PARTITIONS_LISTED = 10  # partitions named in a check result


def check_specs(
    tables: Iterable[str], partitions: dg.PartitionsDefinition | None = None
) -> list[dg.AssetCheckSpec]:
    """Return the checks of the assets that ``tables`` belong to.

    Rows that break a critical rule are not stored, so that nothing is made of them: none of the
    checks has to stop a run. With ``partitions`` each has a verdict of its own.
    """
    specs = []
    for asset, of_asset in _by_asset(tables):
        notes = {DECLARED: DECLARED_NOTE}
        for table in of_asset:
            for rule in named_rules(table):
                note = f"{rule.note} ({CONSEQUENCES[rule.severity]})"
                notes[check_key(table, rule.name).name] = note
        specs += [
            dg.AssetCheckSpec(
                name, asset=asset_key(asset), description=note, partitions_def=partitions
            )
            for name, note in notes.items()
        ]
    return specs


def check_key(table: str, rule: str) -> dg.AssetCheckKey:
    """Return the check of a rule of ``table``.

    The UI cuts long names. A table's name precedes the rule's only if another table of the asset
    has a rule of that name.
    """
    asset, name = asset_for_table(table), short_name(table)
    is_shared = any(
        rule in {other.name for other in named_rules(text)}
        for text in tables_of(asset)
        if text != table and not table_of(text).is_view
    )
    return dg.AssetCheckKey(asset_key(asset), f"{name}__{rule}" if name and is_shared else rule)


def check_keys(tables: Iterable[str]) -> dict[dg.AssetCheckKey, list[str]]:
    """Return the checks of the assets of ``tables``, and the tables that each is about."""
    keys: dict[dg.AssetCheckKey, list[str]] = {}
    for asset, of_asset in _by_asset(tables):
        keys[dg.AssetCheckKey(asset_key(asset), DECLARED)] = of_asset
        for table in of_asset:
            keys |= {check_key(table, rule.name): [table] for rule in named_rules(table)}
    return keys


def check_results(broken: Mapping[str, Sequence[BrokenRule]]) -> Iterator[dg.AssetCheckResult]:
    """Yield a result for each check of tables, by the ``broken`` rules of each that was judged."""
    for asset, of_asset in _by_asset(broken):
        declared: list[BrokenRule] = []
        for table in of_asset:
            by_rule: dict[str, list[BrokenRule]] = {rule.name: [] for rule in named_rules(table)}
            for breach in broken[table]:
                if breach.rule in by_rule:
                    by_rule[breach.rule].append(breach)
                else:
                    which = f"{short_name(table)} {breach.rule}".lstrip()
                    declared.append(replace(breach, partition=f"{which}, {breach.partition}"))
            for rule in named_rules(table):
                yield _result(check_key(table, rule.name), by_rule[rule.name], rule.severity)
        yield _result(dg.AssetCheckKey(asset_key(asset), DECLARED), declared, "critical")


@cache
def named_rules(table: str) -> tuple[Rule, ...]:
    """Return the rules of a table that its suite file gives it."""
    declared = {rule.name for rule in declared_rules(table_of(table))}
    return tuple(rule for rule in load_suite(table).rules if rule.name not in declared)


def _by_asset(tables: Iterable[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield the assets of ``tables`` that hold rows, each with its tables."""
    stored = dict.fromkeys(table for table in tables if not table_of(table).is_view)
    for asset, of_asset in groupby(sorted(stored, key=asset_for_table), key=asset_for_table):
        yield asset, list(of_asset)


def _result(
    key: dg.AssetCheckKey, broken: Sequence[BrokenRule], severity: str
) -> dg.AssetCheckResult:
    # What is set aside is reported and stops nothing.
    is_refused = not broken or any(breach.is_refused for breach in broken)
    is_error = severity == "critical" and is_refused
    rows, shown = sum(breach.failing_rows for breach in broken), broken[:PARTITIONS_LISTED]
    metadata: dict[str, Any] = {"failing_rows": rows}
    description = None
    if broken:
        examples = [
            f"- {for_markdown(breach.partition)}: {for_markdown(example)}"
            for breach in shown
            for example in breach.examples
        ]
        metadata["examples"] = dg.MetadataValue.md("\n".join(examples))
        partitions = f"{len(broken)} partition{'s' * (len(broken) != 1)}"
        named = ", ".join(breach.partition for breach in shown)
        description = f"{rows} row{'s' * (rows != 1)} in {partitions}: {named}"
    return dg.AssetCheckResult(
        passed=not broken,
        asset_key=key.asset_key,
        check_name=key.name,
        severity=dg.AssetCheckSeverity.ERROR if is_error else dg.AssetCheckSeverity.WARN,
        description=description,
        metadata=metadata,
    )
