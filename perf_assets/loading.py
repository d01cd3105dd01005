"""Loading: bring partitions of the raw tables up to what the sources say now, and no further."""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import polars as pl

from perf_assets.gate import Candidate, Gate, Outcome, Provenance
from perf_assets.sources.github import IssueBatch, IssueSource, Look
from perf_assets.sources.github.issues import EMPTY_BATCH

log = logging.getLogger(__name__)

PULL_REQUEST_KEY = ["number", "pull_request_repository", "pull_request", "relation"]
NEVER = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Cohort:
    """The issues opened in a month: GitHub's own count, and the rows read."""

    month: str
    count: int
    batch: IssueBatch


def load_issues(gate: Gate, source: IssueSource, months: Sequence[str]) -> Iterator[Outcome]:
    """Bring the cohorts of ``months`` up to date: load what is missing, refresh what is there.

    Costs one look where nothing changed. Every stored cohort has a watermark: the newest update
    GitHub knew of when it was read. A refresh lists what changed since the oldest of them, so a
    run that was killed goes on with what is left. A cohort whose last audit failed is read anew.
    """
    repository = source.repository
    loads = gate.database.loads("raw.issues", repository).filter(status="loaded")
    marks = {
        month: datetime.fromisoformat(mark)
        for month, mark in loads.select("month", "watermark").iter_rows()
        if month in months
    }
    look = source.look(min(marks.values(), default=None))
    newest = look.newest_update or NEVER
    yield from _refresh(gate, source, look, sorted(marks), newest)
    missing = [month for month in months if month not in marks]
    if missing:
        log.info("%s: loading %d months of issues", repository, len(missing))
        yield from _load_cohorts(gate, source, missing, newest)


def _refresh(
    gate: Gate, source: IssueSource, look: Look, months: list[str], newest: datetime
) -> Iterator[Outcome]:
    """Store what the look found changed in cohorts that are loaded."""
    failed = set()
    changed = {}
    for month in look.changed.issues["month"].unique().sort().to_list():
        if month in months:
            stored = _stored_batch(gate, source.repository, month)
            merged = _merged(stored, look.changed.of_month(month))
            if not _equal(stored, merged):
                changed[month] = merged
    counts = source.counts(list(changed)) if changed else {}
    for month, batch in changed.items():
        if batch.issues.height == counts[month]:
            outcome = _store_cohort(gate, source, Cohort(month, counts[month], batch), newest)
        else:
            # Something left the cohort (deleted, transferred), which no list of changes shows.
            outcome = next(_load_cohorts(gate, source, [month], newest))
        if outcome.failure is not None:
            failed.add(month)
        yield outcome
    _advance(gate, source.repository, [month for month in months if month not in failed], newest)


def _advance(gate: Gate, repository: str, months: list[str], newest: datetime) -> None:
    mark = newest.isoformat()
    with gate.database.transaction():
        gate.database.connection.execute(
            """
            UPDATE meta.partition_loads SET watermark = ?
            WHERE repository = ? AND list_contains(?, month) AND watermark <> ?
              AND "table" IN ('raw.issues', 'raw.issue_comments', 'raw.issue_events',
                              'raw.issue_pull_requests')
            """,
            [mark, repository, months, mark],
        )


def _load_cohorts(
    gate: Gate, source: IssueSource, months: Sequence[str], newest: datetime
) -> Iterator[Outcome]:
    counts = source.counts(months)
    for window, batch in source.cohorts(counts):
        log.info(
            "%s: %s to %s, %d issues", source.repository, window[0], window[-1], batch.issues.height
        )
        for month in window:
            cohort = Cohort(month, counts[month], batch.of_month(month))
            yield _store_cohort(gate, source, cohort, newest)


def _store_cohort(gate: Gate, source: IssueSource, cohort: Cohort, newest: datetime) -> Outcome:
    month, count, batch = cohort.month, cohort.count, cohort.batch
    spent = source.client.spent.take()
    numbers = {"issue_numbers": batch.issues["number"].to_list()}
    return gate.store(
        source.repository,
        month,
        [
            Candidate("raw.issues", batch.issues, source_count=count),
            Candidate("raw.issue_comments", batch.comments, numbers, batch.announced_comments),
            Candidate("raw.issue_events", batch.events, numbers),
            Candidate("raw.issue_pull_requests", batch.pull_requests, numbers),
        ],
        Provenance(newest.isoformat(), spent.requests, spent.points),
    )


def _stored_batch(gate: Gate, repository: str, month: str) -> IssueBatch:
    frames = {}
    for name, empty in vars(EMPTY_BATCH).items():
        table = {"issues": "raw.issues"}.get(name, f"raw.issue_{name}")
        stored = gate.database.partition(table, repository, month)
        frames[name] = stored.select(empty.columns).cast(empty.schema)
    return IssueBatch(**frames)


def _merged(stored: IssueBatch, changed: IssueBatch) -> IssueBatch:
    """The stored cohort with the changed issues, and all that belongs to them, put in place."""
    replaced = pl.col("number").is_in(changed.issues["number"].to_list())
    return IssueBatch(
        *(
            pl.concat([before.filter(~replaced), after])
            for before, after in zip(vars(stored).values(), vars(changed).values(), strict=True)
        )
    )


def _equal(one: IssueBatch, other: IssueBatch) -> bool:
    return all(
        left.sort(key).equals(right.sort(key))
        for left, right, key in (
            (one.issues, other.issues, "number"),
            (one.comments, other.comments, "comment_id"),
            (one.events, other.events, "event_id"),
            (one.pull_requests, other.pull_requests, PULL_REQUEST_KEY),
        )
    )
