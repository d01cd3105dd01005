"""Loading: bring partitions of the raw tables up to what the sources say now, and no further."""

import logging
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import polars as pl

from perf_assets.base.processes.progress import phase
from perf_assets.base.sanitize import in_words
from perf_assets.config.repositories import Repository
from perf_assets.schema import table_of
from perf_assets.sources.github import IssueBatch, IssueSource
from perf_assets.sources.github.batches import EMPTY_BATCH, TABLES
from perf_assets.sources.github.issues import Departure, Look
from perf_assets.sources.github.prefetch import windows
from perf_assets.sources.github.responses import AnswerError
from perf_assets.sources.issue_source_factory import open_issue_source
from perf_assets.sources.rate_limit import LONGEST_WAIT
from perf_assets.stages.mining.cohorts import (
    TABLE_OF,
    differences,
    merged,
    stored_batch,
    with_gaps,
    with_last_good,
)
from perf_assets.stages.mining.incremental_state import NEVER, advance, due_cohorts, last_reads
from perf_assets.stages.mining.stale_cohorts import stale_cohorts
from perf_assets.stages.preloading import preload
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

ARCHIVALS = "meta.archivals"
LATE = "opened_while_we_read"
COHORTS_AT_ONCE = 12  # read whole, judged and stored together: what bounds the memory


@dataclass(frozen=True)
class Cohort:
    """The issues opened in a month: GitHub's own count, the rows read, and what is noted of it."""

    month: str
    count: int
    batch: IssueBatch
    notes: Mapping[str, pl.DataFrame] = field(default_factory=dict)


@dataclass(frozen=True)
class ChangedIssues:
    """Issues of a stored cohort that changed, as they are now, and how many of them are new."""

    month: str
    batch: IssueBatch
    growth: int


def mine_issues(
    writer: AuditedWriter,
    repository: Repository,
    months: Sequence[str],
    reconcile_months: int | None = None,
    longest_wait: float = LONGEST_WAIT,
) -> Iterator[WriteOutcome]:
    """Open the source of ``repository`` and load from it, see :func:`load_issues`.

    The requests to the source are noted, however it ends.
    """
    started = datetime.now(UTC)
    with open_issue_source(repository, longest_wait) as source:
        try:
            yield from load_issues(writer, source, months, reconcile_months)
        finally:
            requests = source.client.total
            row = {"repository": repository.name, "started_at": started, **vars(requests)}
            writer.note({"meta.source_requests": pl.DataFrame([row])})


def load_issues(
    writer: AuditedWriter,
    source: IssueSource,
    months: Sequence[str],
    reconcile_months: int | None = None,
) -> Iterator[WriteOutcome]:
    """Bring the cohorts of ``months`` up to date: load what is missing, refresh what is there.

    Costs one look where nothing changed. With each stored cohort stands the newest update that
    GitHub knew of when it was read. A refresh lists what changed since the oldest of them, so a
    run that was killed goes on with what is left. A cohort whose last audit failed is read anew,
    so is one that an older version stored without all fields, and with ``reconcile_months`` those
    that are due to be read whole again, see ``due_cohorts``.
    """
    repository = source.repository
    loads = writer.database.loads("raw.issues", repository).filter(status="loaded")
    outdated = stale_cohorts(writer.database.connection, repository)
    marks = {
        month: mark
        for month, mark in loads.select("month", "updated_at").iter_rows()
        if month in months and month not in outdated
    }
    spans = list(windows(dict.fromkeys(marks, 0)))
    newest = yield from _refresh(writer, source, min(marks.values(), default=None), spans)
    if reconcile_months is not None:
        yield from _reconcile(writer, source, sorted(marks), reconcile_months, newest)
    missing = [month for month in months if month not in marks]
    if missing:
        preload()
        again = f", {len(outdated.keys() & missing)} of them again" if outdated else ""
        log.info("%s: loading %d months of issues%s", repository, len(missing), again)
        yield from _load_cohorts(writer, source, missing, newest)


def _refresh(
    writer: AuditedWriter, source: IssueSource, since: datetime | None, spans: list[list[str]]
) -> Generator[WriteOutcome, None, datetime]:
    """Store what changed since ``since`` in cohorts that are loaded, and what their counts miss.

    Returns the newest update that is stored now.
    """
    repository = source.repository
    months = [month for span in spans for month in span]
    before = _issue_counts(writer, repository)
    held = dict(before)
    failed: set[str] = set()
    for look in _looks_in_sight(source, since, spans):
        newest = look.newest_update or NEVER
        changed = {
            change.month: change
            for change in _changes(writer, repository, look.changed)
            if change.month in months and change.month not in failed
        }
        for month, change in changed.items():
            held[month] = held.get(month, 0) + change.growth
        if not look.is_last:
            # Compared with GitHub's counts when all changes are read.
            failed |= yield from _store_changes(writer, source, list(changed.values()), newest)
            advance(
                writer,
                repository,
                [month for month in months if month not in failed],
                newest,
                TABLES,
            )
    # What left a cohort (deleted, transferred) is in no list of changes: only the counts show it.
    # Where that of a whole span is ours, so are those of its months, but for what came meanwhile.
    suspects = {
        month
        for span, total in zip(spans, look.totals, strict=True)
        if sum(held.get(month, 0) for month in span) != total
        for month in span
    }
    grown = {month for month in months if held.get(month, 0) != before.get(month, 0)}
    suspected = sorted((grown | suspects) - failed)
    counts = source.counts(suspected) if suspected else {}
    again = [month for month in suspected if counts[month] != held.get(month, 0)]
    rest = [change for month, change in changed.items() if month not in again]
    failed |= yield from _store_changes(writer, source, rest, newest)
    for outcome in _load_cohorts(writer, source, again, newest) if again else ():
        failed |= {str(outcome.month)} if outcome.failure is not None else set()
        yield outcome
    well = [month for month in months if month not in failed]
    advance(writer, repository, well, newest, TABLES)
    _note_archival(writer, repository, look.archived_at)
    return newest


def _note_archival(writer: AuditedWriter, repository: str, archived_at: datetime | None) -> None:
    rows = writer.database.where(ARCHIVALS, {"repository": repository})
    stored = rows["archived_at"].to_list()
    if stored != [archived_at] and (stored or archived_at is not None):
        row = {"repository": repository, "archived_at": archived_at, "noted_at": datetime.now(UTC)}
        writer.note({ARCHIVALS: pl.DataFrame([row], schema=table_of(ARCHIVALS).frame_schema)})


def _looks_in_sight(
    source: IssueSource, since: datetime | None, spans: list[list[str]]
) -> Iterator[Look]:
    with phase(f"refreshing issues of {source.repository}", unit="changed issues") as progress:
        for look in source.looks(since, spans):
            progress(progress.done + look.changed.issues.height)
            yield look


def _changes(
    writer: AuditedWriter, repository: str, changed: IssueBatch
) -> Iterator[ChangedIssues]:
    """What changed in each stored cohort, where something did."""
    numbers = [*changed.issues["number"], *changed.gaps["number"].drop_nulls()]
    stored = stored_batch(writer, repository, "number", numbers)
    changed = with_last_good(changed, stored)
    months = {*changed.issues["month"], *changed.gaps["month"]}
    for month in sorted(months):
        now = changed.of_month(month)
        before = stored.of_numbers([*now.issues["number"], *now.gaps["number"].drop_nulls()])
        if any(difference.is_any for difference in differences(before, now)):
            yield ChangedIssues(month, now, now.known_issues - before.known_issues)


def _store_changes(
    writer: AuditedWriter, source: IssueSource, changes: Sequence[ChangedIssues], newest: datetime
) -> Generator[WriteOutcome, None, set[str]]:
    """Store the cohorts with what changed in them; the months that failed their audit."""
    failed: set[str] = set()
    for some in _in_parts(changes, COHORTS_AT_ONCE):
        stored = stored_batch(writer, source.repository, "month", [change.month for change in some])
        cohorts = []
        for change in some:
            batch = merged(stored.of_month(change.month), change.batch)
            cohorts.append(Cohort(change.month, batch.known_issues, batch))
        for outcome in _store_cohorts(writer, source, cohorts, newest):
            failed |= {str(outcome.month)} if outcome.failure is not None else set()
            yield outcome
    return failed


def _in_parts(changes: Sequence[ChangedIssues], size: int) -> Iterator[Sequence[ChangedIssues]]:
    for start in range(0, len(changes), size):
        yield changes[start : start + size]


def _reconcile(
    writer: AuditedWriter, source: IssueSource, months: list[str], within: int, newest: datetime
) -> Iterator[WriteOutcome]:
    """Read the cohorts that are due whole again, and report what no list of changes had."""
    due = due_cohorts(last_reads(writer, source.repository, months), within, datetime.now(UTC))
    if not due:
        return
    changed = []
    for outcome in _load_cohorts(writer, source, due, newest):
        if outcome.is_written:
            changed.append(str(outcome.month))
        yield outcome
    log.info(
        "%s: verified %d of %d months by reading them again; %s",
        source.repository,
        len(due),
        len(months),
        f"changed: {', '.join(changed)}" if changed else "nothing had changed",
    )


def _issue_counts(writer: AuditedWriter, repository: str) -> dict[str, int]:
    """How many issues each cohort holds, those that are set aside among them."""
    counted = writer.database.frame(
        """
        SELECT month, sum(issues)::BIGINT FROM (
            SELECT month, count(*) AS issues FROM raw.issues WHERE repository = $1 GROUP BY month
            UNION ALL
            SELECT month, entries FROM raw.issue_gaps
            WHERE repository = $1 AND entity = 'issues' AND lacks = 'entry'
        ) GROUP BY month
        """,
        [repository],
    )
    return dict(counted.iter_rows())


def _load_cohorts(
    writer: AuditedWriter, source: IssueSource, months: Sequence[str], newest: datetime
) -> Iterator[WriteOutcome]:
    repository = source.repository
    counts = source.counts(months)
    for window, batch in _cohorts_in_sight(source, counts):
        if isinstance(batch, AnswerError):
            for month in window:
                offer = PartitionWrite(
                    _candidates(Cohort(month, 0, EMPTY_BATCH)), repository, month
                )
                yield writer.refuse(offer, f"{month}: {batch}")
            continue
        cohorts = {month: batch.of_month(month) for month in window}
        off = [month for month in window if cohorts[month].known_issues != counts[month]]
        # The counts of GitHub's search lag behind, and issues come and go while we read.
        again = source.counts(off) if off else {}
        stored = stored_batch(writer, repository, "month", window)
        read = [
            _explained(
                source,
                Cohort(month, again.get(month, counts[month]), cohorts[month]),
                stored.of_month(month),
                newest,
            )
            for month in window
        ]
        yield from _store_cohorts(writer, source, read, newest)


def _cohorts_in_sight(
    source: IssueSource, counts: dict[str, int]
) -> Iterator[tuple[list[str], IssueBatch | AnswerError]]:
    title = f"loading issues of {source.repository}"
    with phase(title, sum(counts.values()), "issues") as progress:
        for window, batch in source.cohorts(counts):
            yield window, batch
            progress(progress.done + sum(counts[month] for month in window))


def _explained(source: IssueSource, cohort: Cohort, stored: IssueBatch, newest: datetime) -> Cohort:
    """A cohort that was just read whole, with the reasons where our numbers differed."""
    repository, month = source.repository, cohort.month
    cohort = replace(cohort, batch=with_last_good(cohort.batch, stored))
    present = [*cohort.batch.issues["number"], *cohort.batch.numbers_set_aside]
    gone = stored.issues.filter(~pl.col("number").is_in(present))["number"].to_list()
    departures = source.whereabouts(gone)
    left = {departure.number for departure in departures}
    still_there = [number for number in gone if number not in left]
    if still_there:
        # GitHub's search has lost sight of them: kept, so that the count, which lacks them, fails.
        cohort = replace(cohort, batch=merged(cohort.batch, stored.of_numbers(still_there)))
    surplus = cohort.batch.known_issues - cohort.count
    late = _came_after(cohort.batch, newest)
    if 0 < surplus <= len(late):
        departures += [Departure(number, LATE) for number in late]
        cohort = replace(cohort, count=cohort.batch.known_issues)
    for departure in departures:
        log.info("%s: issue %d: %s", repository, departure.number, in_words(departure.reason))
    return replace(cohort, notes=_notes(repository, month, departures))


def _came_after(batch: IssueBatch, newest: datetime) -> list[int]:
    """Issues opened or transferred to here after the look, which the count may lack."""
    came = batch.events.filter(pl.col("event") == "transferred", pl.col("created_at") > newest)
    opened = batch.issues.filter(pl.col("created_at") > newest)
    return sorted({*came["number"], *opened["number"]})


def _notes(repository: str, month: str, departures: list[Departure]) -> dict[str, pl.DataFrame]:
    """That a cohort was read whole, and why our numbers differed from GitHub's."""
    partition = {"repository": repository, "month": month}
    now = datetime.now(UTC)
    notes = {"meta.full_refreshes": pl.DataFrame([{**partition, "loaded_at": now}])}
    rows = [{**partition, **vars(departure), "noticed_at": now} for departure in departures]
    if rows:
        notes["meta.reconciliation_differences"] = pl.DataFrame(
            rows, schema_overrides={"moved_to": pl.String}
        )
    return notes


def _store_cohorts(
    writer: AuditedWriter, source: IssueSource, cohorts: Sequence[Cohort], newest: datetime
) -> list[WriteOutcome]:
    """Store the cohorts together; what reading them cost is charged to the first."""
    spent = source.client.spent.take()
    costs = [(spent.requests, spent.points), *((0, 0) for _ in cohorts)]
    return writer.store(
        [
            PartitionWrite(
                _candidates(cohort),
                source.repository,
                cohort.month,
                Provenance(PartitionState(updated_at=newest), *cost),
                cohort.notes,
                with_gaps,
            )
            for cohort, cost in zip(cohorts, costs, strict=False)
        ]
    )


def _candidates(cohort: Cohort) -> list[StagedTable]:
    batch = cohort.batch
    numbers: Parameters = {"issue_numbers": batch.issues["number"].to_list()}
    counts = {
        "issues": cohort.count,
        "comments": batch.announced_comments,
        "events": batch.announced_events,
    }
    return [
        StagedTable(
            TABLE_OF[part],
            rows,
            {} if part in ("issues", "gaps") else numbers,
            counts.get(part),
            batch.set_aside(part),
        )
        for part, rows in vars(batch).items()
    ]
