"""What the asset files share: table specs, rule checks, and outcomes told to Dagster."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import dagster as dg
import polars as pl

from perf_assets.errors import PerfAssetsError
from perf_assets.partitions import by_repository, key_of
from perf_assets.sql_models.laying import TableDoc
from perf_assets.storage.audit import load_suite
from perf_assets.storage.gate import Finding, Gate, Outcome
from perf_assets.storage.home import Home
from perf_assets.storage.warehouse import open_warehouse
from perf_assets.study import Repository, Study

# What an asset function tells Dagster.
Event = dg.MaterializeResult[None] | dg.AssetCheckResult

PLACES = 10  # partitions named in a check result

SINGLE_RUN = dg.BackfillPolicy.single_run()


def asset_key(table: str) -> dg.AssetKey:
    """``raw.issues`` as an asset key."""
    return dg.AssetKey(table.split("."))


def table_spec(
    table: TableDoc,
    *,
    kinds: Iterable[str],
    deps: Sequence[str] = (),
    partitions: dg.PartitionsDefinition | None = None,
) -> dg.AssetSpec:
    """The spec of the asset that is stored as ``table``, described by its documentation."""
    columns = [
        dg.TableColumn(column.name, column.type, column.description) for column in table.columns
    ]
    return dg.AssetSpec(
        asset_key(table.name),
        deps=[asset_key(dep) for dep in deps],
        group_name=table.name.split(".")[0],
        kinds={"duckdb", *kinds},
        description=table.description,
        metadata={
            "dagster/column_schema": dg.TableSchema(columns),
            "dagster/table_name": table.name,
        },
        partitions_def=partitions,
    )


def rule_checks(table: str) -> list[dg.AssetCheckSpec]:
    """One asset check for each rule of the table's suite, with the note that says why it holds."""
    return [
        dg.AssetCheckSpec(rule.name, asset=asset_key(table), description=rule.note)
        for rule in load_suite(table).rules
    ]


@contextmanager
def open_gate(home: Home) -> Iterator[Gate]:
    """The gate to the warehouse; a user's mistake becomes a failed step of one sentence."""
    try:
        with open_warehouse(home.warehouse) as database:
            yield Gate(database, home)
    except PerfAssetsError as error:
        raise dg.Failure(str(error), metadata={"kind": "user"}, allow_retries=False) from None


def bring_up_to_date(
    context: dg.AssetExecutionContext,
    home: Home,
    study: Study,
    tables: Sequence[str],
    load: Callable[[Gate, Repository, list[str]], Iterable[Outcome]],
) -> Iterator[Event]:
    """Call ``load`` for the partitions of the run and tell Dagster what became of them.

    Where partitions failed their audit the others are recorded as materialized, and the step
    fails with a sentence that names each.
    """
    outcomes: list[Outcome] = []
    findings: dict[str, list[Finding]] = {table: [] for table in tables}
    loads: list[dict[str, Any]] = []
    with open_gate(home) as gate:
        for repository, months in by_repository(study, context.partition_keys).items():
            outcomes += load(gate, repository, months)
            for table in tables:
                findings[table] += gate.findings(table, repository.name, months)
                stored = gate.database.loads(table, repository.name)
                loads += stored.filter(pl.col("month").is_in(months)).to_dicts()
    failures = [outcome for outcome in outcomes if outcome.failure is not None]
    for one in loads:
        if one["status"] == "loaded":
            _record_partition(context, one, is_failing=bool(failures))
    for table in tables:
        yield from check_results(table, findings[table])
    if failures:
        sentence = "; ".join(str(outcome.failure) for outcome in failures)
        raise dg.Failure(sentence, metadata={"kind": "audit"}, allow_retries=False)
    for table in tables:
        yield dg.MaterializeResult(asset_key=asset_key(table))


def _record_partition(
    context: dg.AssetExecutionContext, load: Mapping[str, Any], *, is_failing: bool
) -> None:
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


def report_whole(
    table: str, outcome: Outcome | None, lineage: dg.TableColumnLineage | None = None
) -> Iterator[Event]:
    """Tell Dagster what became of a table that is recomputed whole, or of a view (no outcome)."""
    columns = {} if lineage is None else {"dagster/column_lineage": lineage}
    if outcome is None:
        yield dg.MaterializeResult(asset_key=asset_key(table), metadata=columns)
        return
    report = outcome.reports[table]
    broken = [*report.failures, *report.warnings]
    yield from check_results(
        table,
        [Finding(r.rule, table, r.failing_rows, list(r.examples)) for r in broken],
    )
    if outcome.failure is not None:
        raise dg.Failure(outcome.failure, metadata={"kind": "audit"}, allow_retries=False)
    yield dg.MaterializeResult(
        asset_key=asset_key(table),
        metadata={
            **columns,
            "dagster/row_count": outcome.rows[table],
            "is_replaced": outcome.is_written,
        },
    )


def check_results(table: str, findings: Sequence[Finding]) -> Iterator[dg.AssetCheckResult]:
    """One result for each rule: where it is broken, by how many rows, with examples."""
    for rule in load_suite(table).rules:
        broken = [finding for finding in findings if finding.rule == rule.name]
        rows = sum(finding.failing_rows for finding in broken)
        places = ", ".join(finding.place for finding in broken[:PLACES])
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
                        f"- {finding.place}: {example}"
                        for finding in broken[:PLACES]
                        for example in finding.examples
                    )
                ),
            },
        )
