"""What became of rows, told to Dagster: materializations, a result for each rule, failures."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import dagster as dg

from perf_assets import stopping
from perf_assets.assets.keys import asset_key
from perf_assets.assets.partitions import key_of
from perf_assets.storage.gate import BrokenRule, Outcome
from perf_assets.storage.suites import load_suite

# What an asset function tells Dagster.
Event = dg.MaterializeResult[None] | dg.AssetCheckResult

PLACES = 10  # partitions named in a check result


def failure(sentence: str, kind: str) -> dg.Failure:
    """A failed step of one sentence: of the ``kind`` audit (rows were refused) or user."""
    stopping.go_on(after_failure=True)  # a run that was stopped did not fail
    return dg.Failure(sentence, metadata={"kind": kind}, allow_retries=False)


def record_partition(
    context: dg.AssetExecutionContext, load: Mapping[str, Any], *, is_failing: bool
) -> None:
    """Tell Dagster that a partition is stored, with its row of meta.partition_loads."""
    key, table = key_of(load["repository"], load["month"]), asset_key(load["table"])
    metadata: dict[str, Any] = {
        "dagster/partition_row_count": load["row_count"],
        "requests": load["requests"],
        "points": load["points"],
        "loaded_at": dg.MetadataValue.timestamp(load["loaded_at"]),
    }
    if load["source_count"] is not None:
        metadata["source_count"] = load["source_count"]
    if is_failing:
        # The step will fail: what is stored nevertheless would not show as materialized.
        context.log_event(dg.AssetMaterialization(table, partition=key, metadata=metadata))
    else:
        context.add_asset_metadata(metadata, table, partition_key=key)


def told_whole(
    table: str, outcome: Outcome | None, lineage: dg.TableColumnLineage | None = None
) -> Iterator[Event]:
    """Tell Dagster what became of a table that is recomputed whole, or of a view (no outcome)."""
    columns = {} if lineage is None else {"dagster/column_lineage": lineage}
    if outcome is None:
        yield dg.MaterializeResult(asset_key=asset_key(table), metadata=columns)
        return
    report = outcome.reports[table]
    broken = [*report.failures, *report.warnings]
    yield from told_broken(
        table,
        [BrokenRule(r.rule, table, r.failing_rows, list(r.examples)) for r in broken],
    )
    if outcome.failure is not None:
        raise failure(outcome.failure, "audit")
    yield dg.MaterializeResult(
        asset_key=asset_key(table),
        metadata={
            **columns,
            "dagster/row_count": outcome.rows[table],
            "is_replaced": outcome.is_written,
        },
    )


def told_broken(table: str, broken_rules: Sequence[BrokenRule]) -> Iterator[dg.AssetCheckResult]:
    """One result for each rule: where it is broken, by how many rows, with examples."""
    for rule in load_suite(table).rules:
        broken = [one for one in broken_rules if one.rule == rule.name]
        rows = sum(one.failing_rows for one in broken)
        places = ", ".join(one.place for one in broken[:PLACES])
        yield dg.AssetCheckResult(
            passed=not broken,
            asset_key=asset_key(table),
            check_name=rule.name,
            severity=(
                dg.AssetCheckSeverity.ERROR
                if rule.severity == "critical"
                else dg.AssetCheckSeverity.WARN
            ),
            description=f"{rows} rows in {len(broken)} partitions: {places}" if broken else None,
            metadata={
                "failing_rows": rows,
                "examples": dg.MetadataValue.md(
                    "\n".join(
                        f"- {one.place}: {example}"
                        for one in broken[:PLACES]
                        for example in one.examples
                    )
                ),
            },
        )
