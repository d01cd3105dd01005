"""Loading releases: the tags of a clone that are called after versions, by month."""

import logging
from collections.abc import Iterator, Sequence

import polars as pl

from perf_assets.base.code_version import code_version
from perf_assets.config.repositories import Repository
from perf_assets.schema import schema_of
from perf_assets.sources.git.tags import read_releases, tags_on_default_branch
from perf_assets.storage import fingerprints
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.partition_write import (
    PartitionState,
    PartitionWrite,
    Provenance,
    StagedTable,
    WriteOutcome,
)

log = logging.getLogger(__name__)

TABLE = "raw.releases"


def mine_releases(
    writer: AuditedWriter, repository: Repository, months: Sequence[str]
) -> Iterator[WriteOutcome]:
    """Bring the releases of ``months`` up to date from the clone, which mining commits updated.

    A month changes when a tag of it is added, moved or deleted, or when its commit comes to or
    leaves the default branch.
    """
    clone = writer.data_dir.clone(repository.name)
    tags = read_releases(clone, repository.name)
    on_branch = tags_on_default_branch(clone) if tags.rows.height else set()
    rows = tags.rows.with_columns(
        repository=pl.lit(repository.name),
        is_on_default_branch=pl.col("tag").is_in(on_branch),
        month=pl.col("released_at").dt.strftime("%Y-%m"),
    ).select(schema_of(TABLE).names())
    loads = writer.database.loads(TABLE, repository.name).filter(status="loaded")
    stored = dict(loads.select("month", "fingerprint").iter_rows())
    changed = []
    for month in sorted(months):
        of_month = rows.filter(month=month)
        fingerprint = fingerprints.basis_of(code_version(__name__), of_month.rows())
        if stored.get(month) != fingerprint:
            state = Provenance(PartitionState(fingerprint=fingerprint))
            staged = [StagedTable(TABLE, of_month, source_count=of_month.height)]
            changed.append(PartitionWrite(staged, repository.name, month, state))
    if changed and tags.set_aside:
        log.warning(
            "%s: %s tags are called after versions and point to no commit; they are left out",
            repository.name,
            f"{tags.set_aside:,}",
        )
    if changed:
        yield from writer.store(changed)
