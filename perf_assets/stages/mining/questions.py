"""Questions of forums: partitions updated from a dump and the API."""

import logging
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import polars as pl

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.processes.progress import phase
from perf_assets.config.forums import Forum, TagSet
from perf_assets.schema import schema_of
from perf_assets.sources.posts import TABLES, Dump
from perf_assets.sources.rate_limit import LONGEST_WAIT
from perf_assets.sources.stackexchange.dump import read_dump
from perf_assets.sources.stackexchange.extract import COUNTS, Extract, open_extract
from perf_assets.sources.stackexchange.extracted_posts import of_extract
from perf_assets.stages.mining.storing_questions import (
    Month,
    note_end,
    store_posts,
)
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.partition_write import (
    PartitionState,
    Provenance,
    WriteOutcome,
)
from perf_assets.storage.storing import replace_table
from perf_assets.storage.warehouse import Difference

log = logging.getLogger(__name__)

QUESTIONS_AT_ONCE = 1500  # audited and stored together, which bounds the memory
REJECTS = "raw.rejected_posts"
READS = "meta.dump_loads"
COUNTED = "SELECT strftime(created_at, '%Y-%m'), count(*) FROM questions GROUP BY ALL"
TAGGED = """
SELECT count(*) FROM questions
WHERE ? OR list_has_any(list_transform(tags, lambda tag: lower(tag)), ?)
"""
NEWEST = """
SELECT max(moment) FROM (
    SELECT max(created_at) AS moment FROM questions UNION ALL
    SELECT max(last_activity_at) FROM questions UNION ALL SELECT max(created_at) FROM answers
)
"""


def mine_questions(
    writer: AuditedWriter,
    forum: Forum,
    tag_set: TagSet,
    months: Sequence[str],
    reconcile_months: int | None = None,
    longest_wait: float = LONGEST_WAIT,
) -> Iterator[WriteOutcome]:
    """Bring ``months`` of ``tag_set`` up to date, from the dump of its forum and from the API.

    The dump of Stack Exchange is read once; its months are loaded from what was taken out of it.
    The API, where the study has one, gives what came later, and what changed in months that are
    loaded. A folder of answers of an API is read as the API.

    Raises
    ------
    PerfAssetsError
        The dump or the API cannot be read, or the wait for its quota is longer than
        ``longest_wait`` seconds; what was stored stays.
    """
    dump: Dump | None = None
    if forum.posts_dump is not None:
        with open_extract(extract_of(writer, forum)) as extract:
            read_dump(forum, extract)
            dump = _note_dump(writer, forum, extract)
            if forum.api_url is None:
                _check_tags(forum, tag_set, extract)
            in_dump = [month for month in months if month <= dump.last_month]
            yield from _load_dump(writer, forum, tag_set, extract, dump, in_dump)
    if forum.api_url is not None or forum.posts_dump is None:
        # It takes requests, which takes long to import.
        from perf_assets.stages.mining.api_questions import update_questions  # noqa: PLC0415

        yield from update_questions(writer, forum, tag_set, months, reconcile_months, longest_wait)
    elif dump is not None:
        note_end(dump, tag_set, months, "add api_url to the study, or a newer dump")


def extract_of(writer: AuditedWriter, forum: Forum) -> Path:
    """Return the path of the extract of the dump of ``forum``."""
    return writer.data_dir.path / "forums" / f"{forum.name}.duckdb"


def _check_tags(forum: Forum, tag_set: TagSet, extract: Extract) -> None:
    """Raise PerfAssetsError if no extracted question has one of the tags."""
    tags = list(tag_set.tags)
    (number,) = extract.connection.execute(TAGGED, [not tags, tags]).fetchall()[0]
    if not number:
        condition = f"has a tag {' or '.join(tags)}" if tags else "is there"
        raise PerfAssetsError(
            f"{tag_set.name}: no question in {forum.dump} asked since {forum.start} {condition}: "
            "check the tags of the forum in the study, and its start"
        )


def _note_dump(writer: AuditedWriter, forum: Forum, extract: Extract) -> Dump:
    """Store what was read, and the rows that could not be."""
    states = extract.frame("FROM reading ORDER BY file")
    (newest,) = extract.connection.execute(NEWEST).fetchall()[0]
    (posts,) = states.filter(file="Posts").to_dicts()
    now = datetime.now(UTC)
    reads = (
        states.select("file", "fingerprint", *COUNTS, forum=pl.lit(forum.name), bytes="next_byte")
        .with_columns(read_at=pl.lit(now), newest_at=pl.lit(newest, pl.Datetime("us", "UTC")))
        .select(schema_of(READS).names())
    )
    stored = writer.database.frame(f"FROM {READS} WHERE forum = ?", [forum.name])
    same = reads.drop("read_at").equals(stored.select(reads.columns).drop("read_at").sort("file"))
    rejects = extract.frame("FROM rejects").with_columns(forum=pl.lit(forum.name))
    rejects = rejects.select(schema_of(REJECTS).names()).sort("file", "byte_offset")
    if not same:
        for _, file, count in rejects.group_by("forum", "file").len().iter_rows():
            log.warning(
                "%s: %d rows of %s could not be read: see %s", forum.name, count, file, REJECTS
            )
        if replaced := int(reads["replaced_characters"].sum()):
            log.warning(
                "%s: %d characters that XML does not allow were replaced", forum.name, replaced
            )
        with writer.database.transaction():
            writer.database.change(READS, Difference.between(stored, reads))
        others = writer.database.frame(f"FROM {REJECTS} WHERE forum <> ?", [forum.name])
        replace_table(writer, REJECTS, pl.concat([others, rejects]))
    return Dump(posts["fingerprint"], newest)


def _load_dump(
    writer: AuditedWriter,
    forum: Forum,
    tag_set: TagSet,
    extract: Extract,
    dump: Dump,
    months: Sequence[str],
) -> Iterator[WriteOutcome]:
    """Load those of ``months`` that were not loaded from this dump, and are not newer already."""
    loads = writer.database.loads(TABLES[0], tag_set.name).filter(status="loaded")
    stored = {load["month"]: load for load in loads.iter_rows(named=True)}
    due = [month for month in months if not _is_loaded(stored.get(month), dump)]
    provenance = Provenance(PartitionState(dump.newest_at, dump.fingerprint))
    with phase(f"loading questions of {tag_set.name}", len(due), "months") as progress:
        for part in _in_parts(due, extract):
            batch = of_extract(extract, forum, tag_set, part)
            read = [Month(month, batch.of_month(month), provenance) for month in part]
            yield from store_posts(writer, forum, tag_set, read)
            progress(progress.done + len(part))


def _in_parts(months: Sequence[str], extract: Extract) -> Iterator[list[str]]:
    """Yield months in groups with few questions each."""
    counts = dict(extract.frame(COUNTED).iter_rows())
    part: list[str] = []
    for month in months:
        if part and sum(counts.get(name, 0) for name in (*part, month)) > QUESTIONS_AT_ONCE:
            yield part
            part = []
        part.append(month)
    if part:
        yield part


def _is_loaded(load: dict[str, object] | None, dump: Dump) -> bool:
    """Return whether a partition was loaded from ``dump``, or from what is newer than that."""
    if load is None:
        return False
    updated_at = load["updated_at"]
    # What the API gave after the dump was made is newer than a dump that is new to us.
    return load["fingerprint"] == dump.fingerprint or (
        isinstance(updated_at, datetime)
        and dump.newest_at is not None
        and updated_at > dump.newest_at
    )
