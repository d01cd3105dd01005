"""Which derived tables are whole, which lack rows, and which are not available, and why."""

from collections.abc import Collection

import polars as pl

from perf_assets.schema import schema_of
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.partition_write import WriteOutcome
from perf_assets.storage.warehouse import Difference

AUDITS = "meta.derived_audits"


def unavailable(writer: AuditedWriter) -> set[str]:
    """Return the tables that are not available, as the last run left them."""
    rows = writer.database.where(AUDITS, {"outcome": "not_available"})
    return set(rows["table"])


def note_outcome(writer: AuditedWriter, table: str, outcome: WriteOutcome) -> None:
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


def note_left(writer: AuditedWriter, table: str, inputs: Collection[str]) -> str:
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
