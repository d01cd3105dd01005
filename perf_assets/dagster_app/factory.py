"""Assets made from the tables they store and the step of the pipeline that fills them."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
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
from perf_assets.dagster_app.executor import PATIENCE, POOL
from perf_assets.dagster_app.keys import Place
from perf_assets.dagster_app.partitions import by_subject, partitions_of
from perf_assets.dagster_app.runtime_metadata import Figures, runtime_metadata, sizes_of
from perf_assets.schema.models.asset_graph import asset_for_table, tables_of
from perf_assets.stages.steps import Step, StepOptions
from perf_assets.stages.transform.about import note_study
from perf_assets.stages.transform.derivation import Derived
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.lock import writing
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
    """Tables that one step, of this name, stores together.

    kinds : what the UI shows beside DuckDB.
    """

    name: str
    tables: Sequence[str]
    kinds: frozenset[str]

    @property
    def assets(self) -> list[str]:
        """The assets that the tables are reported with."""
        return list(dict.fromkeys(map(asset_for_table, self.tables)))


def stored_by(step: Step[S]) -> Stored:
    """Return the tables that a step stores."""
    return Stored(step.name, step.tables, frozenset(step.kinds))


def partitioned_asset(
    step: Step[S], study: Study, subjects: Sequence[S], place: Place, longest_wait: float
) -> dg.AssetsDefinition:
    """Return the asset of a step over months of ``subjects``, all of a run in one pass.

    Where partitions failed their audit the others are recorded as materialized, and the run fails
    with a sentence that names each: in a refresh when all of its steps are done.
    """
    what, partitions = stored_by(step), partitions_of(subjects)

    @dg.multi_asset(
        name=place.named(what.name),
        description=step.description,
        specs=specs_together([what], partitions),
        check_specs=check_specs(what.tables),
        partitions_def=partitions,
        backfill_policy=dg.BackfillPolicy.single_run(),
        can_subset=True,
        pool=place.named(POOL),
    )
    def run(context: dg.AssetExecutionContext) -> Iterator[Event]:
        reporter = EventReporter(context)
        options = StepOptions(
            is_reconciling=reporter.options.is_reconciling,
            is_forced=reporter.options.is_forced,
            longest_wait=longest_wait,
        )
        outcomes: list[WriteOutcome] = []
        broken: dict[str, list[BrokenRule]] = {table: [] for table in what.tables}
        loads: list[dict[str, Any]] = []
        with open_writer(place.data_dir) as writer:
            if study.lake is None:  # a worker's data directory has one repository alone
                note_study(writer, study)
            for subject, months in by_subject(subjects, context.partition_keys):
                outcomes += step.run(writer, study, subject, months, options)
                for table in what.tables:
                    broken[table] += writer.broken_rules(table, subject.name, months)
                    stored = writer.database.loads(table, subject.name)
                    loads += stored.filter(pl.col("month").is_in(months)).to_dicts()
        failures = [outcome.failure for outcome in outcomes if outcome.failure is not None]
        news = reporter.report_partitions(loads, outcomes, is_failing=bool(failures))
        audited = {table for outcome in outcomes for table in outcome.reports}
        audited |= reporter.never_checked(what.tables)
        reported = {asset_for_table(table) for table in audited} | news
        yield from reporter.report_checks(broken, None if options.is_forced else reported)
        if failures and not reporter.options.is_refresh:
            # What the step yielded now would count as all that the run names.
            raise refusal(failures)
        for asset in what.assets:
            yield from reporter.done(asset)
        reporter.conclude(what.assets[0], failures)

    return run


@dataclass
class _Progress:
    """How far a step is with an asset.

    left : its tables that are not up to date yet.
    broken : the broken rules of each table that was audited.
    seconds : what its tables took.
    is_new, is_refused : whether a table was computed, and whether one is not available.
    """

    left: set[str]
    broken: dict[str, list[BrokenRule]] = field(default_factory=dict)
    seconds: float = 0.0
    is_new: bool = False
    is_refused: bool = False


def whole_asset(
    name: str,
    whats: Sequence[Stored],
    place: Place,
    step: WholeStep,
    evidence: Evidence = lambda _, result: result,
) -> dg.AssetsDefinition:
    """Return the asset of a step called ``name`` that computes tables whole, one after the other.

    Where one fails its audit the others go on, and the run fails when all of its steps are done,
    with a sentence that names each.
    ``evidence`` may say more in the result of a check.
    """
    tables = {table for what in whats for table in what.tables}

    @dg.multi_asset(
        name=place.named(name),
        specs=specs_together(whats),
        check_specs=check_specs(table for what in whats for table in what.tables),
        backfill_policy=dg.BackfillPolicy.single_run(),  # so that dg launch takes a range of months
        can_subset=True,
        pool=place.named(POOL),
    )
    def run(context: dg.AssetExecutionContext) -> Iterator[Event]:
        reporter = EventReporter(context)
        failures: list[str] = []
        with open_writer(place.data_dir) as writer:
            figures = Figures(writer.database.connection, tables)
            progress = {
                asset: _Progress(tables & set(tables_of(asset)))
                for asset in map(asset_for_table, tables)
            }
            complete: list[str] = []
            begun = monotonic()
            for derived in step(writer, reporter):
                asset = asset_for_table(derived.table)
                state = progress[asset]
                elapsed = monotonic() - begun
                state.seconds += elapsed if derived.seconds is None else derived.seconds
                begun = monotonic()
                state.left.discard(derived.table)
                figures.note(derived.table, is_new=derived.is_new)
                if derived.outcome is not None:
                    state.broken[derived.table] = broken_rules(derived.table, derived.outcome)
                    failures += filter(None, [derived.outcome.failure])
                state.is_refused |= not derived.is_available
                if not state.left:
                    results = reporter.report_checks(state.broken)
                    yield from map(partial(evidence, writer), results)
                if derived.is_new and not state.is_refused:
                    state.is_new = True
                    # A run that is killed now would not know of it any more.
                    reporter.report_early(asset, state.seconds, partial(sizes_of, writer, asset))
                if not state.left:
                    complete.append(asset)
            for state in progress.values():
                if state.left:
                    yield from reporter.report_checks(state.broken)
            # What is shown of one may be read from others that come later.
            news = [
                asset
                for asset in complete
                if progress[asset].is_new and not progress[asset].is_refused
            ]
            shown = runtime_metadata(writer, news, figures)
            for asset in complete:
                if progress[asset].is_refused:
                    yield from reporter.done(asset, NOT_AVAILABLE)
                elif progress[asset].is_new:
                    _, metadata = next(shown)
                    seconds = {"seconds": round(progress[asset].seconds, 2)}
                    yield from reporter.report_materialization(asset, {**metadata, **seconds})
                else:
                    yield from reporter.done(asset)
        reporter.conclude(whats[0].assets[0], failures)

    return run


def specs_together(
    whats: Sequence[Stored], partitions: dg.PartitionsDefinition | None = None
) -> list[dg.AssetSpec]:
    """Return the assets of some steps, described, each once."""
    kinds: dict[str, frozenset[str]] = {}
    for what in whats:
        for asset in what.assets:
            kinds[asset] = kinds.get(asset, frozenset()) | what.kinds
    return [asset_specs(asset, of_asset, partitions) for asset, of_asset in kinds.items()]


@contextmanager
def open_writer(data_dir: DataDirectory) -> Iterator[AuditedWriter]:
    """Provide the writer of the warehouse, see ``turn_to_write``."""
    with turn_to_write(data_dir), open_warehouse(data_dir.warehouse) as database:
        yield AuditedWriter(database, data_dir)


@contextmanager
def turn_to_write(data_dir: DataDirectory) -> Iterator[None]:
    """Be the process that writes to ``data_dir``; errors fail the step as by ``friendly_errors``.

    In a deployment with an executor of its own, steps of a run are processes: each waits for its
    turn.
    """
    with friendly_errors(data_dir), writing(data_dir.path, PATIENCE):
        yield


def friendly_errors(data_dir: DataDirectory) -> AbstractContextManager[None]:
    """Fail the step with one sentence for a user's mistake or a fault of the machine."""

    def failed(error: Exception) -> dg.Failure | None:
        sentence = explain_error(error, data_dir.path)
        kind = "passing" if isinstance(error, TransientError) else "user"
        return None if sentence is None else failure(sentence, kind)

    return explained(failed, PerfAssetsError, OSError, MemoryError)
