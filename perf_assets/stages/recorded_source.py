"""The source of a repository's issues, whose requests are recorded."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import polars as pl

from perf_assets.config.repositories import Repository
from perf_assets.sources.issues.opening import open_issue_source
from perf_assets.sources.issues.source import IssueSource
from perf_assets.storage.audited_writer import AuditedWriter


@contextmanager
def recorded_source(
    writer: AuditedWriter, repository: Repository, longest_wait: float
) -> Iterator[IssueSource]:
    """Open the source of ``repository``, and record the requests to it, however it ends."""
    started = datetime.now(UTC)
    with open_issue_source(repository, longest_wait) as source:
        try:
            yield source
        finally:
            requests = source.total
            row = {"repository": repository.name, "started_at": started, **vars(requests)}
            writer.note({"meta.source_requests": pl.DataFrame([row])})
