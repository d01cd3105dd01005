"""Loading issues: bring stored cohorts up to date, and store those that are missing.

Of every issue the way is the same: ``IssueSource`` reads a page, a function of ``cohorts`` makes
the rows of its cohort, and ``AuditedWriter`` audits and stores them.
"""

import logging
from collections.abc import Generator, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import UTC, datetime

import polars as pl

from perf_assets.base.processes.progress import phase
from perf_assets.config.repositories import Repository
from perf_assets.schema import table_of
from perf_assets.sources.issues.batches import EMPTY_BATCH, TABLES
from perf_assets.sources.issues.source import ChangePage, IssueSource, RequestCost, windows
from perf_assets.sources.json_answers import AnswerError
from perf_assets.sources.rate_limit import LONGEST_WAIT
from perf_assets.stages.mining.cohorts import (
    Cohort,
    changed_cohorts,
    issue_counts,
    missing_issues,
    partition_write,
    reloaded_cohort,
    stored_batch,
)
from perf_assets.stages.mining.incremental_state import (
    NEVER,
    advance,
    due_cohorts,
    last_reads,
    noting_failures,
    stale_cohorts,
)
from perf_assets.stages.preloading import preload
from perf_assets.stages.recorded_source import recorded_source
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.partition_write import WriteOutcome

log = logging.getLogger(__name__)

ARCHIVALS = "meta.archivals"
COHORTS_AT_ONCE = 12  # read whole, audited and stored together, which bounds the memory


@dataclass(frozen=True)
class ChangeSet:
    """The state of a refresh of the stored cohorts.

    spans : their months, those that follow each other together.
    last : the last page of changes, not stored yet, with GitHub's number of issues in each span.
    counts_before : how many issues of each month were stored before.
    failed : months whose changes failed their audit.
    """

    spans: Sequence[Sequence[str]]
    last: ChangePage
    counts_before: Mapping[str, int]
    failed: set[str]


def mine_issues(
    writer: AuditedWriter,
    repository: Repository,
    months: Sequence[str],
    reconcile_months: int | None = None,
    longest_wait: float = LONGEST_WAIT,
) -> Iterator[WriteOutcome]:
    """Open the source of ``repository`` and load from it, see :func:`load_issues`.

    The requests to the source are recorded, however it ends.
    """
    with recorded_source(writer, repository, longest_wait) as source:
        yield from load_issues(writer, source, months, reconcile_months)


def check_repository(
    writer: AuditedWriter, repository: Repository, longest_wait: float = LONGEST_WAIT
) -> None:
    """Ask the source of ``repository`` by one request, which is recorded, whether it has it.

    Raises
    ------
    PerfAssetsError
        It does not have it, or cannot be read.
    """
    with recorded_source(writer, repository, longest_wait) as source:
        source.newest()


def load_issues(
    writer: AuditedWriter,
    source: IssueSource,
    months: Sequence[str],
    reconcile_months: int | None = None,
) -> Iterator[WriteOutcome]:
    """Bring the cohorts of ``months`` up to date: refresh the stored ones, load the others.

    It costs one request if nothing changed. Each stored cohort has the newest update that GitHub
    reported when it was read. A refresh lists changes since the oldest of them, so a killed run
    continues with the rest. A cohort is read whole again if its last audit failed, if an older
    version stored it without all fields, or if ``reconcile_months`` makes it due, see
    ``due_cohorts``.
    """
    repository = source.repository
    loads = writer.database.loads("raw.issues", repository).filter(status="loaded")
    outdated = stale_cohorts(writer.database.connection, repository, source.fields_version)
    marks = {
        month: mark
        for month, mark in loads.select("month", "updated_at").iter_rows()
        if month in months and month not in outdated
    }
    changes = yield from store_changed_pages(writer, source, marks)
    failed, newest = changes.failed, changes.last.newest_update or NEVER
    wrong = find_cohorts_with_wrong_count(writer, source, changes)
    right = marks.keys() - failed - set(wrong)
    yield from noting_failures(_store_changes(writer, source, changes.last, right), failed)
    yield from noting_failures(reload_cohorts(writer, source, wrong, newest), failed)
    advance(writer, repository, sorted(marks.keys() - failed), newest, TABLES)
    _note_archival(writer, repository, changes.last.archived_at)
    if reconcile_months is not None:
        reads = last_reads(writer, repository, sorted(marks))
        due = due_cohorts(reads, reconcile_months, datetime.now(UTC))
        yield from _verify_cohorts(writer, source, due, len(marks), newest)
    missing = [month for month in months if month not in marks]
    if missing:
        preload()
        again = f", {len(outdated.keys() & missing)} of them again" if outdated else ""
        log.info("%s: loading %d months of issues%s", repository, len(missing), again)
        yield from reload_cohorts(writer, source, missing, newest)


def store_changed_pages(
    writer: AuditedWriter, source: IssueSource, marks: Mapping[str, datetime]
) -> Generator[WriteOutcome, None, ChangeSet]:
    """Store what changed in the stored cohorts since the oldest of ``marks``, page by page.

    The last page is returned instead: its changes are stored where GitHub's counts are right.
    """
    repository = source.repository
    spans = list(windows(dict.fromkeys(marks, 0), 0))
    before = issue_counts(writer, repository)
    failed: set[str] = set()
    pages = source.iter_changes(min(marks.values()), spans) if marks else [source.newest()]
    with phase(f"refreshing issues of {repository}", unit="changed issues") as progress:
        for page in pages:
            progress(progress.done + page.batch.issues.height)
            if not page.is_last:
                stored = _store_changes(writer, source, page, marks.keys() - failed)
                yield from noting_failures(stored, failed)
                newest = page.newest_update or NEVER
                advance(writer, repository, sorted(marks.keys() - failed), newest, TABLES)
    return ChangeSet(spans, page, before, failed)


def find_cohorts_with_wrong_count(
    writer: AuditedWriter, source: IssueSource, changes: ChangeSet
) -> list[str]:
    """Return the months whose number of issues at GitHub differs from the stored one.

    Issues that left a cohort (deleted, transferred) are in no list of changes: only the counts
    show them. If the count of a span is right, so are those of its months, except grown ones.
    """
    stored = issue_counts(writer, source.repository, changes.last.batch)
    before = changes.counts_before
    suspected: set[str] = set()
    for span, total in zip(changes.spans, changes.last.totals, strict=True):
        is_right = sum(stored.get(month, 0) for month in span) == total
        grown = {month for month in span if stored.get(month, 0) != before.get(month, 0)}
        suspected |= grown if is_right else set(span)
    to_count = sorted(suspected - changes.failed)
    counts = source.counts(to_count) if to_count else {}
    return [month for month in to_count if counts[month] != stored.get(month, 0)]


def reload_cohorts(
    writer: AuditedWriter, source: IssueSource, months: Sequence[str], newest: datetime
) -> Iterator[WriteOutcome]:
    """Read the cohorts of ``months`` whole and store them, with the reasons for what differs.

    newest : the newest update that GitHub knew of before.
    """
    if not months:
        return
    repository = source.repository
    counts = source.counts(months)
    with phase(f"loading issues of {repository}", sum(counts.values()), "issues") as progress:
        for group, batch in source.cohorts(counts):
            if isinstance(batch, AnswerError):
                for month in group:
                    nothing = Cohort(repository, month, 0, EMPTY_BATCH, newest)
                    write = partition_write(nothing, RequestCost())
                    yield writer.refuse(write, f"{month}: {batch}")
            else:
                read = {month: batch.of_month(month) for month in group}
                off = [month for month in group if read[month].known_issues != counts[month]]
                # The counts of GitHub's search lag behind, and issues come and go while we read.
                recounted = counts | (source.counts(off) if off else {})
                stored = stored_batch(writer, repository, group)
                removed = source.find_removed(missing_issues(batch, stored))
                cohorts = [
                    reloaded_cohort(
                        Cohort(repository, month, recounted[month], read[month], newest),
                        stored.of_month(month),
                        removed,
                    )
                    for month in group
                ]
                yield from _store(writer, source, cohorts)
            progress(progress.done + sum(counts[month] for month in group))


def _store_changes(
    writer: AuditedWriter, source: IssueSource, page: ChangePage, months: Set[str]
) -> Iterator[WriteOutcome]:
    """Store the cohorts of ``months`` with their issues that changed."""
    repository, newest = source.repository, page.newest_update or NEVER
    changed = sorted(page.batch.months & months)
    for start in range(0, len(changed), COHORTS_AT_ONCE):
        group = changed[start : start + COHORTS_AT_ONCE]
        stored = stored_batch(writer, repository, group)
        cohorts = list(changed_cohorts(repository, group, page.batch, stored, newest))
        yield from _store(writer, source, cohorts)


def _store(
    writer: AuditedWriter, source: IssueSource, cohorts: Sequence[Cohort]
) -> list[WriteOutcome]:
    """Store the cohorts together; the cost of reading them is charged to the first."""
    if not cohorts:
        return []
    costs = [source.cost.take(), *(RequestCost() for _ in cohorts[1:])]
    return writer.store(list(map(partition_write, cohorts, costs)))


def _verify_cohorts(
    writer: AuditedWriter, source: IssueSource, due: Sequence[str], stored: int, newest: datetime
) -> Iterator[WriteOutcome]:
    """Reload the cohorts that are due, and log changes that no list of changes had."""
    changed = []
    for outcome in reload_cohorts(writer, source, due, newest):
        if outcome.is_written:
            changed.append(str(outcome.month))
        yield outcome
    if due:
        log.info(
            "%s: verified %d of %d months by reading them again; %s",
            *(source.repository, len(due), stored),
            f"changed: {', '.join(changed)}" if changed else "nothing had changed",
        )


def _note_archival(writer: AuditedWriter, repository: str, archived_at: datetime | None) -> None:
    rows = writer.database.where(ARCHIVALS, {"repository": repository})
    stored = rows["archived_at"].to_list()
    if stored != [archived_at] and (stored or archived_at is not None):
        row = {"repository": repository, "archived_at": archived_at, "noted_at": datetime.now(UTC)}
        writer.note({ARCHIVALS: pl.DataFrame([row], schema=table_of(ARCHIVALS).frame_schema)})
