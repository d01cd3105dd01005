"""The checks of assets: one for all that declarations say, and one for each rule of a suite file.

A table's declaration gives it a dozen rules, of which none is ever looked at alone. What is broken
is named with its rule either way.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import groupby

import dagster as dg

from perf_assets.base.sanitize import for_markdown
from perf_assets.dagster_app.keys import asset_key, check_key, short_name
from perf_assets.schema import table_of
from perf_assets.schema.models.asset_graph import asset_for_table
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
        specs.append(
            dg.AssetCheckSpec(
                DECLARED,
                asset=asset_key(asset),
                description=DECLARED_NOTE,
                partitions_def=partitions,
            )
        )
        specs += [
            dg.AssetCheckSpec(
                check_key(table, rule.name).name,
                asset=asset_key(asset),
                description=f"{rule.note} ({CONSEQUENCES[rule.severity]})",
                partitions_def=partitions,
            )
            for table in of_asset
            for rule in named_rules(table)
        ]
    return specs


def check_keys(tables: Iterable[str]) -> dict[dg.AssetCheckKey, list[str]]:
    """Return the checks of the assets of ``tables``, and the tables that each is about."""
    keys: dict[dg.AssetCheckKey, list[str]] = {}
    for asset, of_asset in _by_asset(tables):
        keys[dg.AssetCheckKey(asset_key(asset), DECLARED)] = of_asset
        for table in of_asset:
            keys |= {check_key(table, rule.name): [table] for rule in named_rules(table)}
    return keys


def check_results(broken: Mapping[str, Sequence[BrokenRule]]) -> Iterator[dg.AssetCheckResult]:
    """Yield a result for each check of some tables: where rules are broken, by how many rows,
    examples.

    Parameters
    ----------
    broken
        The broken rules of each table that was judged.
    """
    for asset, of_asset in _by_asset(broken):
        declared: list[BrokenRule] = []
        for table in of_asset:
            named = {rule.name: rule for rule in named_rules(table)}
            for one in broken[table]:
                if one.rule not in named:
                    which = f"{short_name(table)} {one.rule}".lstrip()
                    declared.append(replace(one, partition=f"{which}, {one.partition}"))
            for rule in named.values():
                found = [one for one in broken[table] if one.rule == rule.name]
                yield _result(check_key(table, rule.name), found, rule.severity)
        yield _result(dg.AssetCheckKey(asset_key(asset), DECLARED), declared, "critical")


@cache
def named_rules(table: str) -> tuple[Rule, ...]:
    """Return the rules of a table that its suite file gives it."""
    declared = {rule.name for rule in declared_rules(table_of(table))}
    return tuple(rule for rule in load_suite(table).rules if rule.name not in declared)


def _by_asset(tables: Iterable[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield the assets of ``tables`` that hold rows, each with its tables."""
    stored = dict.fromkeys(table for table in tables if not table_of(table).is_view)
    for asset, found in groupby(sorted(stored, key=asset_for_table), key=asset_for_table):
        yield asset, list(found)


def _result(
    key: dg.AssetCheckKey, broken: Sequence[BrokenRule], severity: str
) -> dg.AssetCheckResult:
    # What is set aside is told and stops nothing.
    is_error = severity == "critical" and (not broken or any(one.is_refused for one in broken))
    rows = sum(one.failing_rows for one in broken)
    partitions = ", ".join(one.partition for one in broken[:PARTITIONS_LISTED])
    return dg.AssetCheckResult(
        passed=not broken,
        asset_key=key.asset_key,
        check_name=key.name,
        severity=dg.AssetCheckSeverity.ERROR if is_error else dg.AssetCheckSeverity.WARN,
        description=_sentence(rows, len(broken), partitions) if broken else None,
        metadata={"failing_rows": rows} | ({"examples": _examples(broken)} if broken else {}),
    )


def _sentence(rows: int, number: int, partitions: str) -> str:
    counted = f"{rows} row{'s' * (rows != 1)} in {number} partition{'s' * (number != 1)}"
    return f"{counted}: {partitions}"


def _examples(broken: Sequence[BrokenRule]) -> dg.MarkdownMetadataValue:
    return dg.MetadataValue.md(
        "\n".join(
            f"- {for_markdown(one.partition)}: {for_markdown(example)}"
            for one in broken[:PARTITIONS_LISTED]
            for example in one.examples
        )
    )
