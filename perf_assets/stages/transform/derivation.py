"""Deriving everything: the models and the statistics, of which only those whose inputs changed."""

import logging
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cache, partial
from time import monotonic

import duckdb
import polars as pl

from perf_assets.base.errors import PerfAssetsError
from perf_assets.engines.remote import RemoteTables
from perf_assets.schema import schema_of, table_of
from perf_assets.schema.models.asset_graph import tables_in_order
from perf_assets.schema.models.ddl import create_table, tables_in_shape
from perf_assets.schema.models.dependencies import analyses, behind_views, made_from
from perf_assets.schema.models.files import Model, models_by_name
from perf_assets.stages.transform.analyses import (
    ENGINE_VERSION,
    build_analysis,
    version_of_analysis,
)
from perf_assets.stages.transform.models import build_model, lay_views
from perf_assets.stages.transform.workspace import Workspace
from perf_assets.storage import fingerprints
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.partition_write import WriteOutcome
from perf_assets.storage.verdicts import keep_verdicts
from perf_assets.storage.warehouse import Difference

MISHAPS = (PerfAssetsError, OSError, MemoryError, duckdb.OperationalError, duckdb.InternalError)
"""What stops a run whatever the rows are."""
UNDER_WAY = 3
"""Tables that are audited while the next one is computed, whose rows are held in memory."""

AUDITS = "meta.derived_audits"
"""Which derived tables lack rows or are not available, and why."""

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Derived:
    """A table that is up to date.

    is_new : whether it was computed now or, of a view, laid.
    outcome : what became of its rows, where they were computed.
    is_left : whether it is left as it was, as something that it is made from is not available.
    seconds : what it took to compute and store it; None where nothing else was done meanwhile.
    """

    table: str
    is_new: bool = False
    outcome: WriteOutcome | None = None
    is_left: bool = False
    seconds: float | None = None

    @property
    def is_available(self) -> bool:
        """Return whether its rows agree with its inputs."""
        return not self.is_left and (self.outcome is None or self.outcome.failure is None)


def derived_tables() -> tuple[str, ...]:
    """Return the models and the tables of statistics, each after those it is made from.

    Those that are reported together stand together.
    """
    computed = {*models_by_name(), *analyses()}
    return tuple(table for table in tables_in_order() if table in computed)


def derive(
    writer: AuditedWriter,
    requested: Collection[str] | None = None,
    forced: Collection[str] = (),
    remote: RemoteTables | None = None,
) -> Iterator[Derived]:
    """Compute those of the ``requested`` (default: all) models and statistics that are out of date.

    DuckDB computes models in the warehouse; the engine of ``remote`` computes its tables. Results
    are audited and stored in the warehouse.

    A table is up to date when it was made from what its inputs hold now, by the same texts, rules
    and code, and its rows are still there; those ``forced`` are computed nevertheless. A table that
    fails its audit, or cannot be computed from these rows, is not available, and neither is what is
    made from it: they are left as they were, and ``meta.derived_audits`` has the reason. All others
    are computed.

    A table is recorded as up to date when the caller requests the next one: a caller that is
    killed in between reports it again.
    """
    keep_verdicts(writer.database, writer.data_dir)
    with closing(Workspace(writer.database)) as workspace:
        there = RemoteTables(workspace, {}) if remote is None else remote
        yield from _derived(writer, requested, forced, there)


def _derived(
    writer: AuditedWriter,
    requested: Collection[str] | None,
    forced: Collection[str],
    there: RemoteTables,
) -> Iterator[Derived]:
    # Each table comes after its inputs: what is read of them is what they hold to the end.
    content = cache(partial(_content, writer, there))
    names = [name for name in derived_tables() if requested is None or name in requested]
    standing = _standing(writer)
    laid = lay_views(writer, stale) if (stale := _stale_views(names, standing)) else set()
    for name in names:  # all at first: an asset is told of before the last of its tables is made
        if name not in standing and not table_of(name).is_view:
            create_table(writer.database.connection, table_of(name))
    work = _Work(writer, names)
    for name in names:
        model = models_by_name().get(name)
        if model is not None and model.table.is_view:
            work.add(Derived(name, name in laid or name in forced, seconds=0))
            continue
        yield from work.finished_with(_inputs(name))
        if lacking := work.failed & set(_inputs(name)):
            log.warning(_note_left(writer, name, lacking))
            work.failed.add(name)
            work.add(Derived(name, is_left=True, seconds=0))
            continue
        basis = _basis(name, content)
        if name not in forced and fingerprints.is_current(writer.database, [name], basis):
            work.add(Derived(name, seconds=0))
            continue
        begun = monotonic()
        try:
            if model is None:
                finish = build_analysis(writer, name, there.engine, there.fingerprints)
            else:
                finish = build_model(writer, model, there.engine)
        except MISHAPS:  # which others meet too
            yield from work.finished()
            raise
        except Exception as error:
            log.exception("%s cannot be computed", name)
            what = " ".join(f"{type(error).__name__}: {error}".split())
            failure = f"{name} cannot be computed ({what})"
            finish = partial(WriteOutcome, None, None, {}, failure=failure)
        taken = monotonic() - begun
        yield from work.finished(UNDER_WAY - 1)
        work.add(_Begun(name, basis, finish, taken))
    yield from work.finished()


@dataclass(frozen=True)
class _Begun:
    """A table that was computed, in so long; ``finish`` waits for its audit and stores it."""

    table: str
    basis: str
    finish: Callable[[], WriteOutcome]
    seconds: float


class _Work:
    """The tables whose audits go on while the next ones are computed; and those not available.

    They are stored in the order in which they were computed, and what is up to date waits its turn.
    """

    def __init__(self, writer: AuditedWriter, names: Collection[str]) -> None:
        self.failed = _unavailable(writer) - set(names)
        self._queue: deque[_Begun | Derived] = deque()
        self._writer = writer

    def add(self, entry: _Begun | Derived) -> None:
        """Let the audit of a table go on, or what is up to date wait for those before it."""
        self._queue.append(entry)

    def finished(self, at_most: int = 0) -> Iterator[Derived]:
        """Yield the queue's tables until at most ``at_most`` are being audited."""
        while self._queue and (
            isinstance(self._queue[0], Derived) or len(self._under_way()) > at_most
        ):
            yield from self._next()

    def finished_with(self, tables: Collection[str]) -> Iterator[Derived]:
        """Yield the same, until none of ``tables`` is under way."""
        while not self._under_way().isdisjoint(tables):
            yield from self._next()

    def _under_way(self) -> set[str]:
        return {entry.table for entry in self._queue if isinstance(entry, _Begun)}

    def _next(self) -> Iterator[Derived]:
        entry = self._queue.popleft()
        if isinstance(entry, Derived):
            yield entry
            return
        began = monotonic()
        outcome = entry.finish()
        _note_outcome(self._writer, entry.table, outcome)
        seconds = entry.seconds + monotonic() - began
        yield Derived(entry.table, is_new=True, outcome=outcome, seconds=seconds)
        if outcome.failure is None:
            fingerprints.note(self._writer.database, [entry.table], entry.basis)
        else:
            self.failed.add(entry.table)


def _standing(writer: AuditedWriter) -> set[str]:
    """Return the tables and views that are there as their models have them."""
    tables = [table_of(name) for name in derived_tables()]
    texts = {name: model.sql for name, model in models_by_name().items() if model.table.is_view}
    stored = [table for table in tables if not table.is_view]
    return tables_in_shape(writer.database.connection, stored) | fingerprints.laid(
        writer.database, texts
    )


def _stale_views(names: Sequence[str], standing: Collection[str]) -> list[Model]:
    """Return the views among ``names`` to create again: changed ones and their readers."""
    stale: dict[str, Model] = {}
    for name in names:
        model = models_by_name().get(name)
        if model is None or not model.table.is_view:
            continue
        if name not in standing or stale.keys() & set(made_from()[name]):
            stale[name] = model
    return list(stale.values())


def _content(writer: AuditedWriter, remote: RemoteTables, table: str) -> str:
    """Return the fingerprint of the rows of ``table``, wherever it lies."""
    if table in remote.fingerprints:
        return remote.fingerprints[table]
    return fingerprints.content(writer.database, table)


def _basis(name: str, content: Callable[[str], str]) -> str:
    """Return the fingerprint of all that decides what ``name`` holds."""
    held = [(table, content(table)) for table in _inputs(name)]
    code = version_of_analysis(name) if name in analyses() else ENGINE_VERSION
    return fingerprints.basis_of(code, fingerprints.rules_of(table_of(name)), _texts(name), held)


@cache
def _inputs(name: str) -> tuple[str, ...]:
    """Return the stored tables that ``name`` is made from, itself or through views."""
    tables = behind_views(made_from()[name])
    return tuple(sorted(table for table in tables if not table_of(table).is_view))


@cache
def _texts(name: str) -> tuple[str, ...]:
    """Return the texts of the models by which ``name`` is made from stored tables."""
    model = models_by_name().get(name)
    sql = () if model is None else (model.sql,)
    views = (
        table
        for table in made_from()[name]
        if table in models_by_name() and table_of(table).is_view
    )
    return (*sql, *(text for view in views for text in _texts(view)))


def _unavailable(writer: AuditedWriter) -> set[str]:
    """Return the tables that are not available, as the last run left them."""
    rows = writer.database.where(AUDITS, {"outcome": "not_available"})
    return set(rows["table"])


def _note_outcome(writer: AuditedWriter, table: str, outcome: WriteOutcome) -> None:
    """Write down what came of ``table``, where not all of its rows are stored as computed."""
    report = outcome.reports.get(table)
    if outcome.failure is None and not outcome.set_aside:
        _note(writer, table)
        return
    reason = outcome.failure or ("" if report is None else report.sentence())
    _note(
        writer,
        table,
        outcome="rows_set_aside" if outcome.failure is None else "not_available",
        rows_set_aside=outcome.set_aside.get(table, 0),
        row_count=0 if report is None else report.rows,
        reason=reason,
    )


def _note_left(writer: AuditedWriter, table: str, inputs: Collection[str]) -> str:
    """Record that ``table`` is unchanged as ``inputs`` are not available; return the reason."""
    reason = f"{table} is made from {', '.join(sorted(inputs))}, and left as it was"
    _note(writer, table, outcome="not_available", rows_set_aside=0, row_count=0, reason=reason)
    return reason


def _note(writer: AuditedWriter, table: str, **found: object) -> None:
    rows = pl.DataFrame(
        [{"table": table, **found}] if found else [], schema=schema_of(AUDITS), orient="row"
    )
    database = writer.database
    difference = Difference.between(database.where(AUDITS, {"table": table}), rows)
    if difference.is_any:
        with database.transaction():
            database.change(AUDITS, difference)
