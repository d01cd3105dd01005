"""Cohorts of issues as they are stored: read, compared and merged."""

from collections.abc import Iterator, Mapping, Sequence

import polars as pl

from perf_assets.sources.github import IssueBatch
from perf_assets.sources.github.batches import EMPTY_BATCH, TABLES, counted_together, gap_frame
from perf_assets.sources.github.gaps import ENTRY, Gap
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.partition_write import PartitionWrite
from perf_assets.storage.setting_aside import RULES
from perf_assets.storage.warehouse import Difference

GAPS = "raw.issue_gaps"
TABLE_OF = dict(zip(vars(EMPTY_BATCH), TABLES, strict=True))


def with_last_good(read: IssueBatch, stored: IssueBatch) -> IssueBatch:
    """Return what was read, and what is stored of issues that cannot be read any more."""
    set_aside = read.numbers_set_aside
    kept = stored.of_numbers([n for n in set_aside if n in set(stored.issues["number"])])
    return read if kept.issues.is_empty() else merged(read, kept)


def with_gaps(offer: PartitionWrite, aside: Mapping[str, pl.DataFrame]) -> PartitionWrite:
    """Return the cohort with a gap for what its audit set ``aside``, as of what cannot be read.

    Later refreshes know by it that GitHub has more than is stored.
    """
    month = str(offer.month)
    gaps = [
        Gap(row["number"], month, entity, ENTRY, "unusable", ", ".join(row[RULES]))
        for entity, table in TABLE_OF.items()
        for row in (aside[table].iter_rows(named=True) if table in aside else ())
        if table != GAPS
    ]
    rows = {one.table: one.rows for one in offer.candidates}
    told = gap_frame(str(offer.repository), gaps, {gap.number: month for gap in gaps})
    return offer.of_rows(rows | {GAPS: counted_together(pl.concat([rows[GAPS], told]))})


def differences(before: IssueBatch, now: IssueBatch) -> Iterator[Difference]:
    """Yield what differs between two batches, table by table."""
    for stored, current in zip(vars(before).values(), vars(now).values(), strict=True):
        yield Difference.between(stored, current)


def stored_batch(
    writer: AuditedWriter, repository: str, column: str, values: Sequence[object]
) -> IssueBatch:
    """What is stored of the issues whose ``column`` (number or month) is one of ``values``."""
    frames = {}
    for name, empty in vars(EMPTY_BATCH).items():
        columns = ", ".join(empty.columns)
        stored = writer.database.frame(
            f"SELECT {columns} FROM {TABLE_OF[name]} "
            f"WHERE repository = ? AND list_contains(?, {column}) ORDER BY ALL",
            [repository, list(values)],
        )
        frames[name] = stored.cast(dict(empty.schema))
    return IssueBatch(**frames)


def merged(stored: IssueBatch, changed: IssueBatch) -> IssueBatch:
    """The stored cohort with the changed issues, and all that belongs to them, replaced."""
    numbers = [*changed.issues["number"], *changed.gaps["number"].drop_nulls()]
    replaced = pl.col("number").is_in(numbers).fill_null(value=False)
    return IssueBatch(
        *(
            pl.concat([before.filter(~replaced), after])
            for before, after in zip(vars(stored).values(), vars(changed).values(), strict=True)
        )
    )
