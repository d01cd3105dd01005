"""Reading pull requests: those of performance work and bug reports, each until it is closed."""

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from perf_assets.base.processes.progress import phase
from perf_assets.config.repositories import Repository
from perf_assets.config.study import Study
from perf_assets.core.linking.pull_requests import own_names
from perf_assets.core.linking.wanted_pull_requests import (
    most_pull_requests,
    wanted_pull_requests,
)
from perf_assets.schema import schema_of
from perf_assets.sources.issues.batches import table_frame
from perf_assets.sources.issues.source import IssueSource, PullRequestResult
from perf_assets.stages.enrichment.work import loaded_months
from perf_assets.storage import fingerprints
from perf_assets.storage.audit.parameters import Parameters
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.partition_write import (
    PartitionState,
    PartitionWrite,
    Provenance,
    StagedTable,
    WriteOutcome,
)
from perf_assets.storage.storing import store_in_parts

log = logging.getLogger(__name__)

TABLE = "details.pull_requests"
TABLES = (TABLE,)
READ_AT_ONCE = 1_000  # and not yet stored: what a run that is killed reads again
LARGEST = 2**31 - 1  # of GraphQL's Int

CANDIDATES = f"""
    with landed as (
        select pull_request, min(month) as month, bool_or(work <> 'none') as is_performance
        from labels.performance_commits
        where repository = $1 and landed_by is null and pull_request is not null
        group by pull_request
    ),
    fixing as (
        select
            links.pull_request, min(links.month) as month,
            bool_or(labels.is_performance) as is_performance,
            bool_or(labels.is_bug_report) as is_bug_report
        from links.fix_links as links
        inner join labels.performance_labels as labels using (repository, number)
        where repository = $1 and links.pull_request is not null
        group by links.pull_request
    ),
    related as (
        select
            pulls.pull_request, min(pulls.month) as month,
            bool_or(labels.is_performance) as is_performance,
            bool_or(labels.is_bug_report) as is_bug_report
        from raw.issue_pull_requests as pulls
        inner join labels.performance_labels as labels using (repository, number)
        where repository = $1 and list_contains($2, lower(pulls.pull_request_repository))
        group by pulls.pull_request
    )
    select
        pull_request,
        coalesce(landed.month, fixing.month, related.month) as month,
        case
            when landed.is_performance or fixing.is_performance or related.is_performance then 1
            when fixing.is_bug_report or related.is_bug_report then 2
            else 3
        end as priority
    from landed
    full join fixing using (pull_request)
    full join related using (pull_request)
    where pull_request between 1 and {LARGEST}
    order by month, pull_request
"""
"""The pull requests of a repository, by its names in small letters.

The month is that of the commit by which it landed, else that of its oldest issue. A number beyond
GraphQL's is none of GitHub's.
"""
ISSUES = "select count(*) as issues from raw.issues where repository = ?"


@dataclass
class _Month:
    """The pull requests of a month: the wanted ones, rows that stay, and those to read."""

    name: str
    version: str
    wanted: Sequence[int]
    kept: pl.DataFrame
    missing: Sequence[int]

    @property
    def state(self) -> PartitionState:
        """The numbers that were requested, by which a later run knows that none is missing.

        Those that GitHub does not have are among them: they are requested again with others alone.
        """
        return _state(self.version, self.wanted)

    def write(
        self, repository: str, results: Iterable[PullRequestResult], requests: int, points: int
    ) -> PartitionWrite:
        """Return the month with what was read."""
        place: dict[str, Any] = {"repository": repository, "month": self.name}
        read = table_frame(
            TABLE, [place | one.row for one in results if one.row is not None], ("pull_request",)
        )
        rows = pl.concat([self.kept, read]).sort("pull_request")
        parameters: Parameters = {"pull_requests": list(self.wanted)}
        staged = StagedTable(
            TABLE, rows, parameters, len(self.wanted), len(self.wanted) - rows.height
        )
        provenance = Provenance(self.state, requests, points)
        return PartitionWrite([staged], repository, self.name, provenance)


@dataclass
class _Reader:
    """Reads what is missing, in order, and counts what could not be read."""

    source: IssueSource
    results: Iterator[PullRequestResult]
    lacking: list[PullRequestResult] = field(default_factory=list)

    def next(self) -> PullRequestResult:
        """Return the next result."""
        result = next(self.results)
        if result.row is None:
            self.lacking.append(result)
        return result


def load_pull_requests(
    writer: AuditedWriter, study: Study, repository: Repository, longest_wait: float
) -> Iterator[WriteOutcome]:
    """Bring the pull requests of ``repository`` up to date, whatever months are loaded.

    One that is closed is read once; one that was open is read again. The table has exactly the
    wanted ones that GitHub has, see :func:`wanted_pull_requests`. No source is opened if none is to
    be read. A run that was killed continues with the month it had reached.
    """
    names = sorted(own_names((repository.name, *repository.aliases)))
    candidates = writer.database.frame(CANDIDATES, [repository.name, names])
    if repository.kind.reviewed_version is None:
        candidates = candidates.clear()
    (issues,) = writer.database.frame(ISSUES, [repository.name])["issues"]
    is_all = study.reads_all_pull_requests(repository)
    most = None if is_all else most_pull_requests(issues)
    wanted, left_out = wanted_pull_requests(candidates, most)
    stored = writer.database.where(TABLE, {"repository": repository.name})
    changed = list(_changed(writer, repository, wanted, stored))
    if not changed:
        return
    if left_out:
        log.info(
            "%s: %s pull requests of bug reports are not read, as the bound is %s; "
            "pull_requests = true in the study reads all",
            *(repository.name, f"{left_out:,}", f"{most:,}"),
        )
    yield from _make_room(writer, repository, wanted, stored)
    missing = [number for month in changed for number in month.missing]
    with ExitStack() as stack:
        reader = _open(stack, writer, repository, missing, longest_wait) if missing else None
        partitions = (_partition(repository.name, month, reader) for month in changed)
        yield from store_in_parts(writer, partitions, READ_AT_ONCE)
    if reader is not None and reader.lacking:
        first, count = reader.lacking[0], len(reader.lacking)
        log.warning(
            "%s: %s of %s pull requests cannot be read and have no row in %s, #%d for one (%s)",
            *(repository.name, f"{count:,}", f"{len(missing):,}", TABLE, first.number),
            first.reason,
        )


def _open(
    stack: ExitStack,
    writer: AuditedWriter,
    repository: Repository,
    missing: Sequence[int],
    longest_wait: float,
) -> _Reader:
    from perf_assets.stages.recorded_source import recorded_source  # noqa: PLC0415

    source = stack.enter_context(recorded_source(writer, repository, longest_wait))
    title = f"reading pull requests of {repository.name}"
    progress = stack.enter_context(phase(title, len(missing), "pull requests"))

    def results() -> Iterator[PullRequestResult]:
        for result in source.pull_requests(missing):
            yield result
            progress(progress.done + 1)

    return _Reader(source, results())


def _changed(
    writer: AuditedWriter, repository: Repository, wanted: pl.DataFrame, stored: pl.DataFrame
) -> Iterator[_Month]:
    """Yield the months whose stored pull requests are not the wanted ones, or are open."""
    version = str(repository.kind.reviewed_version)
    loads = writer.database.loads(TABLE, repository.name)
    current = loads.filter(status="loaded", rule_version=version)
    states = dict(current.select("month", "fingerprint").iter_rows())
    # Rows of a month that another version read, or whose audit failed, are read again.
    final = stored.filter(pl.col("closed_at").is_not_null() & pl.col("month").is_in(list(states)))
    open_months = set(stored.filter(pl.col("closed_at").is_null())["month"])
    by_month: Mapping[str, list[int]] = {
        month: sorted(numbers)
        for month, numbers in wanted.group_by("month").agg("pull_request").iter_rows()
    }
    loaded = {
        *loaded_months(writer, "links.fix_links", repository.name),
        *by_month,
        *loads["month"],
    }
    for name in sorted(loaded):
        numbers = by_month.get(name, [])
        if states.get(name) == _state(version, numbers).fingerprint and name not in open_months:
            continue
        kept = final.filter(pl.col("pull_request").is_in(numbers)).with_columns(month=pl.lit(name))
        missing = sorted(set(numbers) - set(kept["pull_request"]))
        yield _Month(name, version, numbers, kept.select(schema_of(TABLE).names()), missing)


def _make_room(
    writer: AuditedWriter, repository: Repository, wanted: pl.DataFrame, stored: pl.DataFrame
) -> list[WriteOutcome]:
    """Take rows out of the months that they have left: a key is in one month at a time.

    A month that is stored so is not current, and is stored again with what it has now.
    """
    places = wanted.select("pull_request", now="month")
    moved = stored.join(places, on="pull_request").filter(pl.col("month") != pl.col("now"))
    partitions = []
    for name in sorted(set(moved["month"])):
        rows = stored.filter(pl.col("month") == name)
        rows = rows.join(moved, on="pull_request", how="anti").select(schema_of(TABLE).names())
        numbers = rows["pull_request"].to_list()
        staged = StagedTable(TABLE, rows, {"pull_requests": numbers}, len(numbers))
        provenance = Provenance(PartitionState(rule_version=str(repository.kind.reviewed_version)))
        partitions.append(PartitionWrite([staged], repository.name, name, provenance))
    return writer.store(partitions) if partitions else []


def _partition(
    repository: str, month: _Month, reader: _Reader | None
) -> tuple[PartitionWrite, int]:
    """Return the month as it is stored, and how many of its pull requests were read."""
    if reader is None:
        return month.write(repository, (), 0, 0), 0
    results = [reader.next() for _ in month.missing]
    cost = reader.source.cost.take()
    return month.write(repository, results, cost.requests, cost.points), len(results)


def _state(version: str, numbers: Sequence[int]) -> PartitionState:
    return PartitionState(fingerprint=fingerprints.basis_of(list(numbers)), rule_version=version)
