"""Assets made from the tables they store and the step of the pipeline that fills them."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeVar

import dagster as dg
import polars as pl

from perf_assets.assets.asking import Asked
from perf_assets.assets.keys import asset_key
from perf_assets.assets.partitions import by_subject, partitions_of
from perf_assets.assets.telling import Event, Teller, failure
from perf_assets.errors import PerfAssetsError
from perf_assets.mishaps import mishap
from perf_assets.partitions import Subject
from perf_assets.stages.deriving.derivation import Derived
from perf_assets.storage.gate import BrokenRule, Gate, Outcome
from perf_assets.storage.home import Home
from perf_assets.storage.suites import load_suite
from perf_assets.storage.warehouse import open_warehouse
from perf_assets.tables import Table, table_of

S = TypeVar("S", bound=Subject)
PartitionedStep: TypeAlias = Callable[[Gate, S, list[str], Asked], Iterable[Outcome]]
"""Brings months of a repository, or of a tag set, up to date, as the run was asked for."""

WholeStep = Callable[[Gate, Teller], Iterable[Derived]]
"""Brings tables up to date that are computed whole, each after those it is made from.

It has written down that one is when the next one is asked for.
"""


@dataclass(frozen=True)
class Stored:
    """Tables that one step stores together, and what they are made from.

    name : of the step.
    deps : the tables that it reads.
    kinds : what the UI shows beside DuckDB.
    lineage : follows their columns to those they are made from.
    shown : what the UI shows of their rows when they were made anew.
    """

    name: str
    tables: Sequence[Table]
    kinds: frozenset[str]
    deps: Sequence[str] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    lineage: Callable[[], dg.TableColumnLineage] | None = None
    shown: Callable[[Gate], Mapping[str, Any]] | None = None

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
    what: Stored,
    subjects: Sequence[S],
    home: Home,
    step: PartitionedStep[S],
    description: str,
) -> dg.AssetsDefinition:
    """The asset of a step that goes through months of ``subjects``, all of a run in one pass.

    Where partitions failed their audit the others are recorded as materialized, and the step
    fails with a sentence that names each.
    """
    partitions = partitions_of(subjects)
    tables = [table.name for table in what.tables]

    @dg.multi_asset(
        name=what.name,
        description=description,
        specs=what.specs(partitions),
        check_specs=what.checks(),
        partitions_def=partitions,
        backfill_policy=dg.BackfillPolicy.single_run(),
        can_subset=True,
    )
    def run(context: dg.AssetExecutionContext) -> Iterator[Event]:
        teller = Teller(context)
        outcomes: list[Outcome] = []
        broken: dict[str, list[BrokenRule]] = {table: [] for table in tables}
        loads: list[dict[str, Any]] = []
        with open_gate(home) as gate:
            for subject, months in by_subject(subjects, context.partition_keys).items():
                outcomes += step(gate, subject, months, teller.asked)
                for table in tables:
                    broken[table] += gate.broken_rules(table, subject.name, months)
                    known = gate.database.loads(table, subject.name)
                    loads += known.filter(pl.col("month").is_in(months)).to_dicts()
        failures = [outcome.failure for outcome in outcomes if outcome.failure is not None]
        news = teller.told_partitions(loads, outcomes, is_failing=bool(failures))
        if teller.asked.is_forced:
            news = set(tables)
        audited = {table for outcome in outcomes for table in outcome.reports}
        for table in news | audited | teller.never_checked(tables):
            yield from teller.told_rules(table, broken[table])
        if failures:
            raise failure("; ".join(failures), "audit")
        for table in tables:
            yield from teller.done(table)

    return run


def whole_asset(
    name: str, whats: Sequence[Stored], home: Home, step: WholeStep
) -> dg.AssetsDefinition:
    """The asset of a step called ``name`` that computes tables whole, one after the other.

    Where one fails its audit the others go on, and the step fails with a sentence that names each.
    """
    stored_as = {table.name: what for what in whats for table in what.tables}

    @dg.multi_asset(
        name=name,
        specs=[spec for what in whats for spec in what.specs()],
        check_specs=[check for what in whats for check in what.checks()],
        can_subset=True,
    )
    def run(context: dg.AssetExecutionContext) -> Iterator[Event]:
        teller = Teller(context)
        failures: list[str] = []
        with open_gate(home) as gate:
            for one in step(gate, teller):
                if not one.is_new:
                    yield from teller.done(one.table)
                    continue
                what = stored_as[one.table]
                shown = {} if what.shown is None else what.shown(gate)
                try:
                    yield from teller.told_whole(
                        one.table, one.outcome, what.lineage and what.lineage(), shown
                    )
                except dg.Failure as failed:
                    failures.append(str(failed.description))
        if failures:
            raise failure("; ".join(failures), "audit")

    return run


@contextmanager
def open_gate(home: Home) -> Iterator[Gate]:
    """The gate to the warehouse; a user's mistake becomes a failed step of one sentence."""
    try:
        with open_warehouse(home.warehouse) as database:
            yield Gate(database, home)
    except PerfAssetsError as error:
        raise failure(str(error), "user") from None
    except (OSError, MemoryError) as error:
        sentence = mishap(error, home.path)
        raise (error if sentence is None else failure(sentence, "user")) from None


def _column_schema(table: Table) -> dg.TableSchema:
    return dg.TableSchema(
        [dg.TableColumn(column.name, column.type, column.description) for column in table.columns]
    )
