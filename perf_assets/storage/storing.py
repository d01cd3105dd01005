"""Ways into the audited writer: whole tables, more verdicts, and partitions some at a time."""

from collections.abc import Iterable, Iterator, Mapping

import polars as pl

from perf_assets.base.errors import PerfAssetsError
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.partition_write import PartitionWrite, StagedTable, WriteOutcome
from perf_assets.storage.verdicts import keep_verdicts
from perf_assets.storage.warehouse import Difference


def store_tables(writer: AuditedWriter, tables: Mapping[str, pl.DataFrame]) -> WriteOutcome:
    """Audit the rows of whole ``tables``, and replace all of them or none."""
    staged = [StagedTable(table, rows) for table, rows in tables.items()]
    (outcome,) = writer.store([PartitionWrite(staged)])
    return outcome


def replace_table(writer: AuditedWriter, table: str, rows: pl.DataFrame) -> None:
    """Audit ``rows`` and make them those of ``table``.

    Raises
    ------
    PerfAssetsError
        They break a rule; what was stored stays.
    """
    outcome = store_tables(writer, {table: rows})
    if outcome.failure is not None:
        raise PerfAssetsError(outcome.failure)


def update_table(writer: AuditedWriter, table: str, rows: pl.DataFrame) -> None:
    """Make ``rows`` those of ``table``; stored rows were audited when they were stored."""
    if Difference.between(writer.database.frame(f"FROM {table}"), rows).is_any:
        store_tables(writer, {table: rows})


def append_verdicts(writer: AuditedWriter, table: str, verdicts: pl.DataFrame) -> None:
    """Add ``verdicts`` to those of ``table``, with the numbers that follow.

    Raises
    ------
    PerfAssetsError
        They break a rule; nothing of them is stored.
    """
    stored = writer.database.frame(f"select * from {table}")
    last = int(stored.select(pl.col("verdict_id").max().fill_null(0)).item())
    numbered = verdicts.with_row_index("verdict_id", offset=last + 1).select(stored.columns)
    replace_table(writer, table, pl.concat([stored, numbered.cast(dict(stored.schema))]))  # type: ignore[arg-type]
    keep_verdicts(writer.database, writer.data_dir)


def store_in_parts(
    writer: AuditedWriter, partitions: Iterable[tuple[PartitionWrite, int]], at_once: int
) -> Iterator[WriteOutcome]:
    """Store ``partitions`` together as soon as they took ``at_once`` units of work.

    A run that is killed does not repeat what is stored. Each partition comes with its units.
    """
    waiting: list[PartitionWrite] = []
    held = 0
    for partition, units in partitions:
        waiting.append(partition)
        held += units
        if held >= at_once:
            yield from writer.store(waiting)
            waiting, held = [], 0
    yield from writer.store(waiting)
