"""Assets made from the tables they store and the step of the pipeline that fills them."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import dagster as dg
import polars as pl

from perf_assets.assets.keys import asset_key
from perf_assets.assets.partitions import VERIFY_TAG, by_repository, partitions_of
from perf_assets.assets.telling import Event, failure, record_partition, told_broken, told_whole
from perf_assets.errors import PerfAssetsError
from perf_assets.storage.gate import BrokenRule, Gate, Outcome
from perf_assets.storage.home import Home
from perf_assets.storage.suites import load_suite
from perf_assets.storage.warehouse import open_warehouse
from perf_assets.study import Repository, Study
from perf_assets.tables import Table, table_of

PartitionedStep = Callable[[Gate, Repository, list[str], bool], Iterable[Outcome]]
"""Brings months of a repository up to date; told whether to verify what is stored."""

WholeStep = Callable[[Gate], Outcome | None]
"""Computes tables whole; nothing becomes of a view."""


@dataclass(frozen=True)
class Stored:
    """Tables that one step stores together, and what they are made from.

    name : of the step.
    deps : the tables that it reads.
    kinds : what the UI shows beside DuckDB.
    """

    name: str
    tables: Sequence[Table]
    kinds: frozenset[str]
    deps: Sequence[str] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    lineage: dg.TableColumnLineage | None = None

    def specs(self, partitions: dg.PartitionsDefinition | None = None) -> list[dg.AssetSpec]:
        """The asset of each table, described as it is declared."""
        return [
            dg.AssetSpec(
                asset_key(table.name),
                deps=[asset_key(dep) for dep in self.deps],
                group_name=table.schema_name,
                kinds={"duckdb", *self.kinds},
                description=table.description,
                metadata={
                    "dagster/column_schema": _column_schema(table),
                    "dagster/table_name": table.name,
                    **self.metadata,
                },
                partitions_def=partitions,
            )
            for table in self.tables
        ]

    def checks(self) -> list[dg.AssetCheckSpec]:
        """One check for each rule of each table, with the note that says why it holds."""
        return [
            dg.AssetCheckSpec(rule.name, asset=asset_key(table.name), description=rule.note)
            for table in self.tables
            if not table.is_view
            for rule in load_suite(table.name).rules
        ]


def stored(name: str, *tables: str, kinds: Iterable[str], deps: Sequence[str] = ()) -> Stored:
    """The tables of these names as one step stores them."""
    return Stored(name, [table_of(table) for table in tables], frozenset(kinds), deps)


def partitioned_asset(
    what: Stored, study: Study, home: Home, step: PartitionedStep, description: str
) -> dg.AssetsDefinition:
    """The asset of a step that goes through months of repositories, all of a run in one pass.

    Where partitions failed their audit the others are recorded as materialized, and the step
    fails with a sentence that names each.
    """
    partitions = partitions_of(study)
    tables = [table.name for table in what.tables]

    @dg.multi_asset(
        name=what.name,
        description=description,
        specs=what.specs(partitions),
        check_specs=what.checks(),
        partitions_def=partitions,
        backfill_policy=dg.BackfillPolicy.single_run(),
    )
    def run(context: dg.AssetExecutionContext) -> Iterator[Event]:
        is_verifying = VERIFY_TAG in context.run_tags
        outcomes: list[Outcome] = []
        broken: dict[str, list[BrokenRule]] = {table: [] for table in tables}
        loads: list[dict[str, Any]] = []
        with open_gate(home) as gate:
            for repository, months in by_repository(study, context.partition_keys).items():
                outcomes += step(gate, repository, months, is_verifying)
                for table in tables:
                    broken[table] += gate.broken_rules(table, repository.name, months)
                    known = gate.database.loads(table, repository.name)
                    loads += known.filter(pl.col("month").is_in(months)).to_dicts()
        failures = [outcome.failure for outcome in outcomes if outcome.failure is not None]
        for load in loads:
            if load["status"] == "loaded":
                record_partition(context, load, is_failing=bool(failures))
        for table in tables:
            yield from told_broken(table, broken[table])
        if failures:
            raise failure("; ".join(failures), "audit")
        for table in tables:
            yield dg.MaterializeResult(asset_key=asset_key(table))

    return run


def whole_asset(what: Stored, home: Home, step: WholeStep) -> dg.AssetsDefinition:
    """The asset of a step that computes its tables whole."""

    @dg.multi_asset(name=what.name, specs=what.specs(), check_specs=what.checks())
    def run(context: dg.AssetExecutionContext) -> Iterator[Event]:
        with open_gate(home) as gate:
            outcome = step(gate)
        for table in what.tables:
            yield from told_whole(table.name, outcome, what.lineage)

    return run


@contextmanager
def open_gate(home: Home) -> Iterator[Gate]:
    """The gate to the warehouse; a user's mistake becomes a failed step of one sentence."""
    try:
        with open_warehouse(home.warehouse) as database:
            yield Gate(database, home)
    except PerfAssetsError as error:
        raise failure(str(error), "user") from None


def _column_schema(table: Table) -> dg.TableSchema:
    return dg.TableSchema(
        [dg.TableColumn(column.name, column.type, column.description) for column in table.columns]
    )
