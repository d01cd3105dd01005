"""Loading releases: the tags of a clone that are called after versions, by month."""

import logging
from collections.abc import Sequence

import polars as pl

from perf_assets.base.code_version import code_version
from perf_assets.schema import schema_of
from perf_assets.sources.git.clone import Clone
from perf_assets.sources.git.tags import read_releases
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


def load_releases(
    writer: AuditedWriter,
    clone: Clone,
    repository: str,
    months: Sequence[str],
    on_branch: pl.Series,
) -> list[WriteOutcome]:
    """Bring the releases of ``months`` up to date, in the months that changed.

    A month changes when a tag of it is added, moved or deleted, or when its commit comes to or
    leaves the default branch, whose commits are ``on_branch``.
    """
    tags = read_releases(clone.path, repository)
    rows = tags.rows.with_columns(
        repository=pl.lit(repository),
        is_on_default_branch=pl.col("sha").is_in(on_branch.implode()),
        month=pl.col("released_at").dt.strftime("%Y-%m"),
    ).select(schema_of(TABLE).names())
    loads = writer.database.loads(TABLE, repository).filter(status="loaded")
    stored = dict(loads.select("month", "fingerprint").iter_rows())
    changed = []
    for month in sorted(months):
        of_month = rows.filter(month=month)
        fingerprint = fingerprints.basis_of(code_version(__name__), of_month.rows())
        if stored.get(month) != fingerprint:
            state = Provenance(PartitionState(fingerprint=fingerprint))
            staged = [StagedTable(TABLE, of_month, source_count=of_month.height)]
            changed.append(PartitionWrite(staged, repository, month, state))
    if changed and tags.set_aside:
        log.warning(
            "%s: %s tags are called after versions and point to no commit; they are left out",
            repository,
            f"{tags.set_aside:,}",
        )
    return writer.store(changed) if changed else []
