"""Assets made from the tables they store and the step of the pipeline that fills them."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from time import monotonic
from typing import Any, TypeVar

import dagster as dg
import polars as pl

from perf_assets.base.errors import PerfAssetsError, TransientError
from perf_assets.base.errors.messages import explain_error, explained
from perf_assets.config.data_directory import DataDirectory
from perf_assets.config.partitions import Subject
from perf_assets.config.study import Study
from perf_assets.dagster_app.asset_specs import asset_specs
from perf_assets.dagster_app.checks import check_specs
from perf_assets.dagster_app.event_reporting import (
    Event,
    EventReporter,
    broken_rules,
    failure,
    refusal,
)
from perf_assets.dagster_app.executor import POOL
from perf_assets.dagster_app.partitions import by_subject, partitions_of
from perf_assets.dagster_app.runtime_metadata import Figures, runtime_metadata, sizes_of
from perf_assets.schema import Table, table_of
from perf_assets.schema.models.asset_graph import asset_for_table, tables_of
from perf_assets.stages.steps import Step, StepOptions
from perf_assets.stages.transform.derivation import Derived
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.partition_write import BrokenRule, WriteOutcome
from perf_assets.storage.warehouse import open_warehouse

S = TypeVar("S", bound=Subject)

NOT_AVAILABLE = {"not available": "left as it was: meta.derived_audits has the reason"}

WholeStep = Callable[[AuditedWriter, EventReporter], Iterable[Derived]]
"""Brings tables up to date that are computed whole, each after those it is made from.

It has written down that one is when the next one is requested.
"""

Evidence = Callable[[AuditedWriter, dg.AssetCheckResult], dg.AssetCheckResult]
"""The result of a check with what a person needs to judge it."""


@dataclass(frozen=True)
class Stored:
    """Tables that one step stores together.

    name : of the step.
    kinds : what the UI shows beside DuckDB.
    """

    name: str
    tables: Sequence[Table]
    kinds: frozenset[str]

    @property
    def assets(self) -> list[str]:
        """The assets that the tables are reported with."""
        return list(dict.fromkeys(asset_for_table(table.name) for table in self.tables))

    def specs(self, partitions: dg.PartitionsDefinition | None = None) -> list[dg.AssetSpec]:
        """Return the assets, described."""
        return [asset_specs(asset, self.kinds, partitions) for asset in self.assets]


def stored(name: str, *tables: str, kinds: Iterable[str]) -> Stored:
    """Return the tables of these names as one step stores them."""
    return Stored(name, [table_of(table) for table in tables], frozenset(kinds))


def stored_by(step: Step[S]) -> Stored:
    """Return the tables that a step stores."""
    return stored(step.name, *step.tables, kinds=step.kinds)


def partitioned_asset(
    step: Step[S], study: Study, subjects: Sequence[S], data_dir: DataDirectory, longest_wait: float
) -> dg.AssetsDefinition:
    """Return the asset of a step that goes through months of ``subjects``, all of a run in one
    pass.

    Where partitions failed their audit the others are recorded as materialized, and the run fails
    with a sentence that names each: in a refresh when all of its steps are done.
    """
    what, partitions = stored_by(step), partitions_of(subjects)
    tables = [table.name for table in what.tables]

    @dg.multi_asset(
        name=what.name,
        description=step.description,
        specs=what.specs(partitions),
        check_specs=check_specs(tables),
        partitions_def=partitions,
        backfill_policy=dg.BackfillPolicy.single_run(),
        can_subset=True,
        pool=POOL,
    )
    def run(context: dg.AssetExecutionContext) -> Iterator[Event]:
        reporter = EventReporter(context)
        options = StepOptions(
            is_reconciling=reporter.options.is_reconciling,
            is_forced=reporter.options.is_forced,
            longest_wait=longest_wait,
        )
        outcomes: list[WriteOutcome] = []
        broken: dict[str, list[BrokenRule]] = {table: [] for table in tables}
        loads: list[dict[str, Any]] = []
        with open_writer(data_dir) as writer:
            for subject, months in by_subject(subjects, context.partition_keys):
                outcomes += step.run(writer, study, subject, months, options)
                for table in tables:
                    broken[table] += writer.broken_rules(table, subject.name, months)
                    stored = writer.database.loads(table, subject.name)
                    loads += stored.filter(pl.col("month").is_in(months)).to_dicts()
        failures = [outcome.failure for outcome in outcomes if outcome.failure is not None]
        news = reporter.report_partitions(loads, outcomes, is_failing=bool(failures))
        audited = {table for outcome in outcomes for table in outcome.reports}
        audited |= reporter.never_checked(tables)
        if not options.is_forced:
            reported = {asset_for_table(table) for table in audited} | news
            broken = {
                table: found
                for table, found in broken.items()
                if asset_for_table(table) in reported
            }
        yield from reporter.report_checks(broken)
        if failures and not reporter.options.is_refresh:
            # What the step yielded now would count as all that the run names.
            raise refusal(failures)
        for asset in what.assets:
            yield from reporter.done(asset)
        reporter.conclude(what.assets[0], failures)

    return run


def whole_asset(
    name: str,
    whats: Sequence[Stored],
    data_dir: DataDirectory,
    step: WholeStep,
    evidence: Evidence = lambda _, result: result,
) -> dg.AssetsDefinition:
    """Return the asset of a step called ``name`` that computes tables whole, one after the other.

    Where one fails its audit the others go on, and the run fails when all of its steps are done,
    with a sentence that names each.
    ``evidence`` may say more in the result of a check.
    """

    @dg.multi_asset(
        name=name,
        specs=specs_together(whats),
        check_specs=check_specs(table.name for what in whats for table in what.tables),
        can_subset=True,
        pool=POOL,
    )
    def run(context: dg.AssetExecutionContext) -> Iterator[Event]:
        reporter = EventReporter(context)
        failures: list[str] = []
        with open_writer(data_dir) as writer:
            tables = {table.name for what in whats for table in what.tables}
            figures = Figures(writer.database.connection, tables)
            left = {asset: tables & set(tables_of(asset)) for asset in map(asset_for_table, tables)}
            broken: dict[str, dict[str, list[BrokenRule]]] = defaultdict(dict)
            changed: set[str] = set()
            refused: set[str] = set()
            complete: list[str] = []
            seconds: dict[str, float] = defaultdict(float)
            begun = monotonic()
            for derived in step(writer, reporter):
                asset = asset_for_table(derived.table)
                seconds[asset] += (
                    monotonic() - begun if derived.seconds is None else derived.seconds
                )
                begun = monotonic()
                left[asset].discard(derived.table)
                figures.note(derived.table, is_new=derived.is_new)
                if derived.outcome is not None:
                    broken[asset][derived.table] = broken_rules(derived.table, derived.outcome)
                    failures += filter(None, [derived.outcome.failure])
                if not derived.is_available:
                    refused.add(asset)
                if not left[asset]:
                    results = reporter.report_checks(broken.pop(asset, {}))
                    yield from map(partial(evidence, writer), results)
                if derived.is_new and asset not in refused:
                    changed.add(asset)
                    # A run that is killed now would not know of it any more.
                    reporter.report_early(asset, seconds[asset], partial(sizes_of, writer, asset))
                if not left[asset]:
                    complete.append(asset)
            for rest in broken.values():
                yield from reporter.report_checks(rest)
            # What is shown of one may be read from others that come later.
            told = changed - refused
            shown = runtime_metadata(writer, [text for text in complete if text in told], figures)
            for asset in complete:
                if asset in refused:
                    yield from reporter.done(asset, NOT_AVAILABLE)
                elif asset in told:
                    _, metadata = next(shown)
                    taken = {"seconds": round(seconds[asset], 2)}
                    yield from reporter.report_materialization(asset, {**metadata, **taken})
                else:
                    yield from reporter.done(asset)
        reporter.conclude(whats[0].assets[0], failures)

    return run


def specs_together(
    whats: Sequence[Stored], partitions: dg.PartitionsDefinition | None = None
) -> list[dg.AssetSpec]:
    """Return the assets of several, described: those that have tables of more than one of them
    once.
    """
    kinds: dict[str, frozenset[str]] = {}
    for what in whats:
        for asset in what.assets:
            kinds[asset] = kinds.get(asset, frozenset()) | what.kinds
    return [asset_specs(asset, found, partitions) for asset, found in kinds.items()]


@contextmanager
def open_writer(data_dir: DataDirectory) -> Iterator[AuditedWriter]:
    """Provide the writer of the warehouse; a user's mistake becomes a failed step of one
    sentence.
    """
    with friendly_errors(data_dir), open_warehouse(data_dir.warehouse) as database:
        yield AuditedWriter(database, data_dir)


def friendly_errors(data_dir: DataDirectory) -> AbstractContextManager[None]:
    """Fail the step with one sentence for a user's mistake or a fault of the machine."""

    def failed(error: Exception) -> dg.Failure | None:
        sentence = explain_error(error, data_dir.path)
        kind = "passing" if isinstance(error, TransientError) else "user"
        return None if sentence is None else failure(sentence, kind)

    return explained(failed, PerfAssetsError, OSError, MemoryError)
