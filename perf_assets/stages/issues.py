"""Loading: bring partitions of the raw tables up to what the sources say now, and no further."""

import logging
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import polars as pl

from perf_assets.months import add_months, month_of
from perf_assets.sources.github import IssueBatch, IssueSource
from perf_assets.sources.github.issues import EMPTY_BATCH, Departure, windows
from perf_assets.storage.amending import Amendment, amend
from perf_assets.storage.gate import Candidate, Gate, Outcome, Provenance

log = logging.getLogger(__name__)

LATE = "opened while we read"
TABLES = {name: f"raw.issue_{name}" for name in vars(EMPTY_BATCH)} | {"issues": "raw.issues"}
PULL_REQUEST_KEY = ["number", "pull_request_repository", "pull_request", "relation"]
NEVER = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Cohort:
    """The issues opened in a month: GitHub's own count, and the rows read."""

    month: str
    count: int
    batch: IssueBatch


@dataclass(frozen=True)
class Change:
    """Issues of a stored cohort that changed: as they are stored, and as they are now.

    is_sound : whether what is stored of the cohort passed its audit without a finding.
    """

    month: str
    before: IssueBatch
    after: IssueBatch
    is_sound: bool

    @property
    def growth(self) -> int:
        """How many issues more the cohort has now."""
        return self.after.issues.height - self.before.issues.height


def load_issues(
    gate: Gate, source: IssueSource, months: Sequence[str], verify_months: int | None = None
) -> Iterator[Outcome]:
    """Bring the cohorts of ``months`` up to date: load what is missing, refresh what is there.

    Costs one look where nothing changed. Every stored cohort has a watermark: the newest update
    GitHub knew of when it was read. A refresh lists what changed since the oldest of them, so a
    run that was killed goes on with what is left. A cohort whose last audit failed is read anew,
    and with ``verify_months`` those that are due to be read whole again, see ``due_cohorts``.
    """
    repository = source.repository
    loads = gate.database.loads("raw.issues", repository).filter(status="loaded")
    outdated = _cohorts_without_events_count(gate, repository)
    marks = {
        month: datetime.fromisoformat(mark)
        for month, mark in loads.select("month", "watermark").iter_rows()
        if month in months and month not in outdated
    }
    spans = list(windows(dict.fromkeys(marks, 0)))
    newest = yield from _refresh(gate, source, min(marks.values(), default=None), spans)
    if verify_months is not None:
        yield from _verify(gate, source, sorted(marks), verify_months, newest)
    missing = [month for month in months if month not in marks]
    if missing:
        log.info("%s: loading %d months of issues", repository, len(missing))
        yield from _load_cohorts(gate, source, missing, newest)


def _refresh(
    gate: Gate, source: IssueSource, since: datetime | None, spans: list[list[str]]
) -> Generator[Outcome, None, datetime]:
    """Store what changed since ``since`` in cohorts that are loaded, and what their counts miss.

    Returns the newest update that is stored now.
    """
    repository = source.repository
    months = [month for span in spans for month in span]
    before = {
        month: rows
        for (table, month), rows in _row_counts(gate, repository).items()
        if table == "raw.issues"
    }
    held = dict(before)
    failed: set[str] = set()
    for look in source.looks(since, spans):
        newest = look.newest_update or NEVER
        changed = {
            change.month: change
            for change in _changes(gate, repository, look.changed)
            if change.month in months and change.month not in failed
        }
        for month, change in changed.items():
            held[month] = held.get(month, 0) + change.growth
        if not look.is_last:
            # Compared with GitHub's counts when all changes are known.
            failed |= yield from _store_changes(gate, source, list(changed.values()), newest)
            _advance(gate, repository, [month for month in months if month not in failed], newest)
    # What left a cohort (deleted, transferred) is in no list of changes: only the counts tell.
    # Where that of a whole span is ours, so are those of its months, but for what came meanwhile.
    suspects = {
        month
        for span, total in zip(spans, look.totals, strict=True)
        if sum(held.get(month, 0) for month in span) != total
        for month in span
    }
    grown = {month for month in months if held.get(month, 0) != before.get(month, 0)}
    asked = sorted((grown | suspects) - failed)
    counts = source.counts(asked) if asked else {}
    again = [month for month in asked if counts[month] != held.get(month, 0)]
    rest = [change for month, change in changed.items() if month not in again]
    failed |= yield from _store_changes(gate, source, rest, newest)
    for outcome in _load_cohorts(gate, source, again, newest) if again else ():
        failed |= {str(outcome.month)} if outcome.failure is not None else set()
        yield outcome
    _advance(gate, repository, [month for month in months if month not in failed], newest)
    return newest


def _changes(gate: Gate, repository: str, changed: IssueBatch) -> Iterator[Change]:
    """What changed in each stored cohort, where something did."""
    unsound = _unsound(gate, repository)
    stored = _stored_issues(gate, repository, changed.issues["number"].to_list())
    for month in changed.issues["month"].unique().sort().to_list():
        after = changed.of_month(month)
        before = stored.of_numbers(after.issues["number"].to_list())
        if not _equal(before, after):
            yield Change(month, before, after, month not in unsound)


def _unsound(gate: Gate, repository: str) -> set[str]:
    """Cohorts in which a rule is broken: only an audit of the whole cohort finds the same again."""
    rows = gate.database.frame(
        """
        SELECT month FROM meta.audit_findings WHERE repository = $1 AND list_contains($2, "table")
        UNION
        SELECT month FROM meta.partition_loads
        WHERE repository = $1 AND list_contains($2, "table") AND status <> 'loaded'
        """,
        [repository, list(TABLES.values())],
    )
    return set(rows["month"])


def _store_changes(
    gate: Gate, source: IssueSource, changes: list[Change], newest: datetime
) -> Generator[Outcome, None, set[str]]:
    """Store each, together where that is possible; the months that failed their audit."""
    if not changes:
        return set()
    repository, failed = source.repository, set()
    mark, spent = newest.isoformat(), source.client.spent.take()
    provenances = {change.month: Provenance(mark) for change in changes}
    provenances[changes[0].month] = Provenance(mark, spent.requests, spent.points)
    rows = _row_counts(gate, repository)
    amendments = [
        _amendment(change, rows, provenances[change.month])
        for change in changes
        if _is_amendable(change)
    ]
    outcomes = {one.month: one for one in amend(gate, repository, amendments)}
    for change in changes:
        month = change.month
        if month not in outcomes:
            batch = _merged(_stored_batch(gate, repository, month), change.after)
            cohort = Cohort(month, batch.issues.height, batch)
            outcomes[month] = _store_cohort(gate, repository, cohort, provenances[month])
        failed |= {month} if outcomes[month].failure is not None else set()
        yield outcomes[month]
    return failed


def _is_amendable(change: Change) -> bool:
    """Whether the changed issues can take the place of the stored ones without the others.

    Where rows leave for good, those that stay may be too few for a rule that most rows keep.
    """
    pairs = zip(vars(change.before).values(), vars(change.after).values(), strict=True)
    return change.is_sound and all(before.height <= after.height for before, after in pairs)


def _amendment(
    change: Change, rows: Mapping[tuple[str, str], int], provenance: Provenance
) -> Amendment:
    numbers = change.after.issues["number"].to_list()
    staying = {
        TABLES[name]: rows.get((TABLES[name], change.month), 0) - leaving.height
        for name, leaving in vars(change.before).items()
    }
    candidates = _candidates(change.after, len(numbers))
    return Amendment(change.month, candidates, "number", numbers, staying, provenance)


def _verify(
    gate: Gate, source: IssueSource, months: list[str], within: int, newest: datetime
) -> Iterator[Outcome]:
    """Read the cohorts that are due whole again, and say what no list of changes had told."""
    due = due_cohorts(_last_reads(gate, source.repository, months), within, datetime.now(UTC))
    if not due:
        return
    changed = []
    for outcome in _load_cohorts(gate, source, due, newest):
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


def due_cohorts(reads: Mapping[str, datetime], within: int, now: datetime) -> list[str]:
    """The months to read whole again, so that all are within ``within`` monthly runs.

    Parameters
    ----------
    reads : when each month was last read whole.
    within : calendar months in which everything is read again.

    Returns
    -------
    The part of 1/``within`` that waits longest, and whatever was not read for so many months.
    """
    oldest = sorted(reads, key=lambda month: (reads[month], month))
    share = -(-len(oldest) // within)
    too_old = add_months(month_of(now), -within)
    overdue = {month for month in oldest if month_of(reads[month]) <= too_old}
    return sorted({*oldest[:share], *overdue})


def _row_counts(gate: Gate, repository: str) -> dict[tuple[str, str], int]:
    """How many rows each table holds of each cohort."""
    counted = " UNION ALL ".join(
        f"SELECT '{table}', month, count(*) FROM {table} WHERE repository = $1 GROUP BY month"
        for table in TABLES.values()
    )
    rows = gate.database.frame(counted, [repository]).rows()
    return {(table, month): count for table, month, count in rows}


def _cohorts_without_events_count(gate: Gate, repository: str) -> set[str]:
    """Cohorts that a version loaded which did not know how many events GitHub announces."""
    rows = gate.database.frame(
        "SELECT DISTINCT month FROM raw.issues WHERE repository = ? AND events IS NULL",
        [repository],
    )
    return set(rows["month"])


def _last_reads(gate: Gate, repository: str, months: list[str]) -> dict[str, datetime]:
    rows = gate.database.frame(
        "SELECT month, loaded_at FROM meta.whole_reads WHERE repository = ?", [repository]
    )
    known = dict(rows.rows())
    return {month: known.get(month, NEVER) for month in months}


def _advance(gate: Gate, repository: str, months: list[str], newest: datetime) -> None:
    mark = newest.isoformat()
    with gate.database.transaction():
        gate.database.connection.execute(
            """
            UPDATE meta.partition_loads SET watermark = ?
            WHERE repository = ? AND list_contains(?, month) AND watermark <> ?
              AND list_contains(?, "table")
            """,
            [mark, repository, months, mark, list(TABLES.values())],
        )


def _load_cohorts(
    gate: Gate, source: IssueSource, months: Sequence[str], newest: datetime
) -> Iterator[Outcome]:
    counts = source.counts(months)
    for window, batch in source.cohorts(counts):
        log.info(
            "%s: %s to %s, %d issues", source.repository, window[0], window[-1], batch.issues.height
        )
        cohorts = {month: batch.of_month(month) for month in window}
        off = [month for month in window if cohorts[month].issues.height != counts[month]]
        # The counts of GitHub's search lag behind, and issues come and go while we read.
        again = source.counts(off) if off else {}
        for month in window:
            cohort = Cohort(month, again.get(month, counts[month]), cohorts[month])
            yield _store_whole_cohort(gate, source, cohort, newest)


def _store_whole_cohort(
    gate: Gate, source: IssueSource, cohort: Cohort, newest: datetime
) -> Outcome:
    """Store a cohort that was just read whole, with the reasons where our numbers differed."""
    repository, month = source.repository, cohort.month
    stored = _stored_batch(gate, repository, month)
    present = cohort.batch.issues["number"].to_list()
    gone = stored.issues.filter(~pl.col("number").is_in(present))["number"].to_list()
    departures = source.whereabouts(gone)
    left = {departure.number for departure in departures}
    still_there = [number for number in gone if number not in left]
    if still_there:
        # GitHub's search has lost sight of them: kept, so that the count, which lacks them, fails.
        cohort = replace(cohort, batch=_merged(cohort.batch, stored.of_numbers(still_there)))
    surplus = cohort.batch.issues.height - cohort.count
    late = _came_after(cohort.batch, newest)
    if 0 < surplus <= len(late):
        departures += [Departure(number, LATE) for number in late]
        cohort = replace(cohort, count=cohort.batch.issues.height)
    for departure in departures:
        log.info("%s: issue %d: %s", repository, departure.number, departure.reason)
    spent = source.client.spent.take()
    notes = _notes(repository, month, departures)
    provenance = Provenance(newest.isoformat(), spent.requests, spent.points, notes)
    return _store_cohort(gate, repository, cohort, provenance)


def _came_after(batch: IssueBatch, newest: datetime) -> list[int]:
    """Issues opened or transferred to here after the look, which the count may lack."""
    came = batch.events.filter(pl.col("event") == "transferred", pl.col("created_at") > newest)
    opened = batch.issues.filter(pl.col("created_at") > newest)
    return sorted({*came["number"], *opened["number"]})


def _notes(repository: str, month: str, departures: list[Departure]) -> dict[str, pl.DataFrame]:
    """That a cohort was read whole, and why our numbers differed from GitHub's."""
    partition = {"repository": repository, "month": month}
    now = datetime.now(UTC)
    notes = {"meta.whole_reads": pl.DataFrame([{**partition, "loaded_at": now}])}
    rows = [{**partition, **vars(departure), "noticed_at": now} for departure in departures]
    if rows:
        notes["meta.count_differences"] = pl.DataFrame(
            rows, schema_overrides={"moved_to": pl.String}
        )
    return notes


def _store_cohort(gate: Gate, repository: str, cohort: Cohort, provenance: Provenance) -> Outcome:
    candidates = _candidates(cohort.batch, cohort.count)
    return gate.store(repository, cohort.month, candidates, provenance)


def _candidates(batch: IssueBatch, count: int) -> list[Candidate]:
    """The rows of ``batch`` for their tables; ``count`` is GitHub's own of its issues."""
    numbers = {"issue_numbers": batch.issues["number"].to_list()}
    return [
        Candidate("raw.issues", batch.issues, source_count=count),
        Candidate("raw.issue_comments", batch.comments, numbers, batch.announced_comments),
        Candidate("raw.issue_events", batch.events, numbers, batch.announced_events),
        Candidate("raw.issue_pull_requests", batch.pull_requests, numbers),
    ]


def _stored_batch(gate: Gate, repository: str, month: str) -> IssueBatch:
    return _stored(gate, "repository = ? AND month = ?", [repository, month])


def _stored_issues(gate: Gate, repository: str, numbers: list[int]) -> IssueBatch:
    return _stored(gate, "repository = ? AND list_contains(?, number)", [repository, numbers])


def _stored(gate: Gate, condition: str, values: list[object]) -> IssueBatch:
    frames = {}
    for name, empty in vars(EMPTY_BATCH).items():
        columns = ", ".join(empty.columns)
        stored = gate.database.frame(
            f"SELECT {columns} FROM {TABLES[name]} WHERE {condition}", values
        )
        frames[name] = stored.cast(dict(empty.schema))
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
