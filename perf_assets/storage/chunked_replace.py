"""Tables that are computed whole, and may be larger than memory: replaced a share at a time."""

import logging
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice

import duckdb
import polars as pl

from perf_assets.base.processes.progress import phase
from perf_assets.schema import table_of
from perf_assets.storage.audit.auditing import AuditReport, audit, joined
from perf_assets.storage.audit.parameters import Parameters
from perf_assets.storage.audit.records import quarantine, release
from perf_assets.storage.audit.rules import UNIQUE
from perf_assets.storage.audit.suites import load_suite
from perf_assets.storage.audited_writer import SET_ASIDE, AuditedWriter, refusal
from perf_assets.storage.partition_write import PartitionWrite, StagedTable, WriteOutcome
from perf_assets.storage.setting_aside import split
from perf_assets.storage.warehouse import Database, Difference

log = logging.getLogger(__name__)

PART = "repository"
_PARAMETERS: Parameters = {"repository": None, "month": None}


def share_key(table: str) -> str | None:
    """Return the column by whose values the rows of ``table`` can be audited apart, if there is
    one.

    There is none where a rule speaks of all rows together.
    """
    rules = load_suite(table).rules
    is_by_rows = all(
        rule.is_about_rows and (rule.type != UNIQUE or PART in rule.columns) for rule in rules
    )
    return PART if PART in table_of(table).key and is_by_rows else None


class _RefusedError(Exception):
    """Some rows broke a critical rule: nothing is replaced."""


@dataclass
class _Judged:
    """What was found in the shares so far; ``refused`` is the first that cannot be stored."""

    reports: list[AuditReport] = field(default_factory=list)
    aside: list[pl.DataFrame] = field(default_factory=list)
    refused: pl.DataFrame | None = None
    is_written: bool = False

    @property
    def rows(self) -> int:
        """Return how many rows were judged."""
        return sum(report.rows for report in self.reports)

    def take(self, table: str, share: pl.DataFrame) -> pl.DataFrame | None:
        """Audit a share; its rows that may be stored, or None where nothing may."""
        report = audit(table, share, _PARAMETERS)
        self.reports.append(report)
        if not report.ok and self.refused is None:
            self.refused = share
        if self.refused is not None:
            return None
        if not report.set_aside:
            return share
        stay, aside = split({table: share}, {table: report.costs or {}})
        self.aside.append(aside[table])
        return stay[table]


def begin_replacing(
    writer: AuditedWriter, table: str, rows: pl.DataFrame
) -> Callable[[], WriteOutcome]:
    """Begin the audit of all ``rows`` of ``table``; what is returned waits for it, and stores them.

    As :meth:`AuditedWriter.begin`.
    """
    finish = writer.begin([PartitionWrite([StagedTable(table, rows)])])
    return lambda: finish()[0]


def replace_by_chunks(
    writer: AuditedWriter, table: str, shares: Iterable[pl.DataFrame], by: str | None
) -> Callable[[], WriteOutcome]:
    """Audit all rows of ``table``, and replace what is stored of it: all of it, or nothing.

    Parameters
    ----------
    shares : the rows, one frame or more, in the order of the column ``by``, of which no value is in
        two of them; of these, three are held in memory. Without ``by`` there is one.

    Returns
    -------
    What came of it, when it is called: of a single share the audit has only begun until then. As
    :meth:`AuditedWriter.store`; of several shares the first that breaks a critical rule is kept in
    quarantine, with the report on all of them.
    """
    remaining = iter(shares)
    beginning = list(islice(remaining, 2))
    if len(beginning) == 1:
        return begin_replacing(writer, table, beginning[0])
    outcome = _replaced(writer, table, _each(beginning, remaining), by)
    return lambda: outcome


def _each(beginning: list[pl.DataFrame], rest: Iterator[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    while beginning:
        yield beginning.pop(0)  # nobody holds it any longer than the others
    yield from rest


def _replaced(
    writer: AuditedWriter, table: str, shares: Iterable[pl.DataFrame], by: str | None
) -> WriteOutcome:
    judged, failure = _Judged(), None
    title = f"computing and storing {table}"
    try:
        with writer.database.transaction(), phase(title, unit="rows") as done:
            for share, after, until in _bounded(shares, by):
                if (stays := judged.take(table, share)) is not None:
                    stored = _stored(writer.database, table, by, after, until)
                    difference = Difference.between(stored, stays)
                    writer.database.change(table, difference)
                    judged.is_written |= difference.is_any
                done(judged.rows)
            if judged.refused is not None:
                raise _RefusedError
            directory = writer.data_dir.quarantine / table
            if judged.aside:
                quarantine(joined(judged.reports), pl.concat(judged.aside), directory, SET_ASIDE)
            else:
                release(directory)
    except _RefusedError:
        pass
    except duckdb.ConstraintException as error:
        failure = refusal(table, error)
    report = joined(judged.reports)
    if judged.refused is not None:
        directory = quarantine(report, judged.refused, writer.data_dir.quarantine / table)
        failure = f"{report.sentence()}; kept in {directory.parent}"
    aside = sum(rows.height for rows in judged.aside)
    if failure is not None:
        log.error(failure)
    elif aside:
        log.warning(report.sentence())
    return WriteOutcome(
        None,
        None,
        {table: report.rows - aside},
        {table: report},
        judged.is_written and failure is None,
        failure,
        {table: aside} if aside else {},
    )


def _bounded(
    shares: Iterable[pl.DataFrame], by: str | None
) -> Iterator[tuple[pl.DataFrame, str | None, str | None]]:
    """Yield each share with the values of ``by`` that it stands for: those after one, until
    another.

    Together they are all values that there could be; None is without a bound.
    """
    after: str | None = None
    held: pl.DataFrame | None = None
    for share in shares:
        if held is not None:
            until = held[by or ""].max()
            yield held, after, str(until)
            after = str(until)
        held = share
    if held is not None:
        yield held, after, None


def _stored(
    database: Database, table: str, by: str | None, after: str | None, until: str | None
) -> pl.DataFrame:
    bounds = {f'"{by}" > ?': after, f'"{by}" <= ?': until}
    given = {text: value for text, value in bounds.items() if value is not None}
    return database.frame(
        f"FROM {table} WHERE {' AND '.join(given) or 'true'}", list(given.values())
    )
