"""Cohorts of issues as they are stored: read, compared and merged."""

from collections.abc import Iterator, Sequence

import polars as pl

from perf_assets.sources.github import IssueBatch
from perf_assets.sources.github.batches import EMPTY_BATCH, TABLES
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.warehouse import Difference

TABLE_OF = dict(zip(vars(EMPTY_BATCH), TABLES, strict=True))


def with_last_good(read: IssueBatch, stored: IssueBatch) -> IssueBatch:
    """Return what was read, and what is stored of issues that cannot be read any more."""
    set_aside = read.numbers_set_aside
    kept = stored.of_numbers([n for n in set_aside if n in set(stored.issues["number"])])
    return read if kept.issues.is_empty() else merged(read, kept)


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
