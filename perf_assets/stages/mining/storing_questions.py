"""Months of questions as they are stored: partitions of a tag set, from a dump or the API."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import polars as pl

from perf_assets.config.forums import Forum, TagSet
from perf_assets.schema import schema_of, table_of
from perf_assets.sources.posts import TABLES, Dump, PostBatch
from perf_assets.storage.audit.parameters import Parameters
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.partition_write import (
    PartitionState,
    PartitionWrite,
    Provenance,
    StagedTable,
    WriteOutcome,
)

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Month:
    """A month of a tag set as it is to be stored, all rows of ``batch`` are of it.

    counts : how many rows of each table the source says there are; as many as came, if not given.
    is_read_whole : whether all of it was read from the API, rather than for what changed.
    """

    month: str
    batch: PostBatch
    provenance: Provenance
    counts: Mapping[str, int] = field(default_factory=dict)
    is_read_whole: bool = False


def _partition(tag_set: TagSet, month: Month) -> PartitionWrite:
    batch = month.batch
    numbers = batch.questions["question_id"].to_list()
    posts = [*numbers, *batch.answers["answer_id"].to_list()]
    parameters: Parameters = {"question_ids": numbers, "post_ids": posts}
    candidates = [
        StagedTable(table, rows, parameters, month.counts.get(table, rows.height))
        for table, rows in batch.frames.items()
    ]
    notes: dict[str, pl.DataFrame] = {}
    if month.is_read_whole:
        read = {"repository": tag_set.name, "month": month.month, "loaded_at": datetime.now(UTC)}
        notes["meta.full_refreshes"] = pl.DataFrame([read])
    return PartitionWrite(candidates, tag_set.name, month.month, month.provenance, notes)


def store_posts(
    writer: AuditedWriter, forum: Forum, tag_set: TagSet, months: Sequence[Month]
) -> list[WriteOutcome]:
    """Store months of ``tag_set``; their questions are deleted from other partitions."""
    numbers = [n for month in months for n in month.batch.questions["question_id"].to_list()]
    left = _left_partitions(writer, forum, tag_set, numbers, {month.month for month in months})
    return writer.store([*(_partition(tag_set, month) for month in months), *left])


def note_end(dump: Dump, tag_set: TagSet, months: Sequence[str], remedy: str) -> None:
    """Report those of ``months`` that are after the end of the dump, as they are left out."""
    late = [month for month in months if month > dump.last_month]
    if late:
        last = dump.last_month or "no month of the study"
        log.info(
            "%s: the dump ends in %s; %d later months are left out: %s",
            *(tag_set.name, last, len(late), remedy),
        )


def stored_posts(writer: AuditedWriter, tag_set: TagSet, months: Sequence[str]) -> PostBatch:
    """Return the stored posts of ``months``."""
    return PostBatch(
        *(
            writer.database.partitions(table, tag_set.name, months)
            .select(schema_of(table).names())
            .sort(table_of(table).key)
            for table in TABLES
        )
    )


def _left_partitions(
    writer: AuditedWriter,
    forum: Forum,
    tag_set: TagSet,
    numbers: Sequence[int],
    stored_now: set[str],
) -> Iterator[PartitionWrite]:
    """Yield the partitions that lose some of the questions of these ``numbers`` to others."""
    partitions = writer.database.frame(
        """
        SELECT DISTINCT tag_set, month FROM raw.questions
        WHERE forum = ? AND list_contains(?, question_id) ORDER BY ALL
        """,
        [forum.name, list(numbers)],
    )
    for label, month in partitions.iter_rows():
        if label == tag_set.label and month in stored_now:
            continue
        name = f"{forum.name}:{label}"
        former = TagSet(name=name, start=month, forum=forum.name, label=label, tags=())
        other = next((tag_set for tag_set in forum.tag_sets if tag_set.label == label), former)
        rest = stored_posts(writer, other, [month]).without(numbers)
        mark = stored_states(writer, other).get(month, PartitionState())
        yield _partition(other, Month(month, rest, Provenance(mark)))


def stored_states(writer: AuditedWriter, tag_set: TagSet) -> dict[str, PartitionState]:
    """Return the state of each stored month of ``tag_set``."""
    loads = writer.database.loads(TABLES[0], tag_set.name)
    rows = loads.select("month", "updated_at", "fingerprint").iter_rows()
    return {month: PartitionState(*state) for month, *state in rows}
