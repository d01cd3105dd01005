"""Cohorts of issues: what is stored of them, what GitHub's answers change, and what is written."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import polars as pl

from perf_assets.base.sanitize import in_words
from perf_assets.sources.issues.batches import (
    EMPTY_BATCH,
    TABLES,
    IssueBatch,
    counted_together,
    gap_frame,
)
from perf_assets.sources.issues.gaps import ENTRY, Gap
from perf_assets.sources.issues.source import RemovedIssue, RequestCost
from perf_assets.storage.audit.parameters import Parameters
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.partition_write import (
    PartitionState,
    PartitionWrite,
    Provenance,
    StagedTable,
)
from perf_assets.storage.setting_aside import RULES
from perf_assets.storage.warehouse import Difference

log = logging.getLogger(__name__)

GAPS = "raw.issue_gaps"
TABLE_OF = dict(zip(vars(EMPTY_BATCH), TABLES, strict=True))
LATE = "opened_while_we_read"


@dataclass(frozen=True)
class Cohort:
    """The issues opened in a month, as they are to be stored.

    count : how many GitHub says there are.
    known_until : the update up to which the rows show everything.
    notes : rows for tables of meta that are stored with the issues.
    """

    repository: str
    month: str
    count: int
    batch: IssueBatch
    known_until: datetime
    notes: Mapping[str, pl.DataFrame] = field(default_factory=dict)


def changed_cohorts(
    repository: str,
    months: Sequence[str],
    changed: IssueBatch,
    stored: IssueBatch,
    known_until: datetime,
) -> Iterator[Cohort]:
    """Yield the cohorts of ``months`` where ``changed`` differs from ``stored``."""
    for month in months:
        before, now = stored.of_month(month), changed.of_month(month)
        now = _with_last_good(now, before)
        replaced = before.of_numbers(_numbers(now))
        pairs = zip(vars(replaced).values(), vars(now).values(), strict=True)
        if any(Difference.between(*pair).is_any for pair in pairs):
            batch = _merged(before, now)
            yield Cohort(repository, month, batch.known_issues, batch, known_until)


def missing_issues(read: IssueBatch, stored: IssueBatch) -> list[int]:
    """Return the numbers of stored issues that are not in their month any more."""
    left = stored.issues.join(read.issues, on=("month", "number"), how="anti")
    return left.filter(~pl.col("number").is_in(read.numbers_set_aside))["number"].to_list()


def reloaded_cohort(cohort: Cohort, stored: IssueBatch, removed: Sequence[RemovedIssue]) -> Cohort:
    """Return a cohort that was read whole, with the reasons why it differs from ``stored``.

    removed : the issues that GitHub says are no longer in the repository.
    """
    missing = missing_issues(cohort.batch, stored)
    removed = [issue for issue in removed if issue.number in missing]
    still_there = set(missing) - {issue.number for issue in removed}
    batch, count = _with_last_good(cohort.batch, stored), cohort.count
    if still_there:
        # GitHub's search has lost sight of them: kept, so that the count, which lacks them, fails.
        batch = _merged(batch, stored.of_numbers(sorted(still_there)))
    reasons = [vars(issue) for issue in removed]
    late = _came_after(batch, cohort.known_until)
    if 0 < batch.known_issues - count <= len(late):
        reasons += [{"number": number, "reason": LATE, "moved_to": None} for number in late]
        count = batch.known_issues
    repository, month = cohort.repository, cohort.month
    for entry in reasons:
        log.info("%s: issue %d: %s", repository, entry["number"], in_words(entry["reason"]))
    partition = {"repository": repository, "month": month}
    now = datetime.now(UTC)
    notes = {"meta.full_refreshes": pl.DataFrame([{**partition, "loaded_at": now}])}
    if reasons:
        notes["meta.reconciliation_differences"] = pl.DataFrame(
            [{**partition, **entry, "noticed_at": now} for entry in reasons],
            schema_overrides={"moved_to": pl.String},
        )
    return replace(cohort, count=count, batch=batch, notes=notes)


def partition_write(cohort: Cohort, cost: RequestCost) -> PartitionWrite:
    """Return the rows of a cohort for each table, with what their audits compare them to."""
    mark = PartitionState(updated_at=cohort.known_until)
    provenance = Provenance(mark, cost.requests, cost.points)
    batch = cohort.batch
    numbers: Parameters = {"issue_numbers": batch.issues["number"].to_list()}
    counts = {
        "issues": cohort.count,
        "comments": batch.announced_comments,
        "events": batch.announced_events,
    }
    candidates = [
        StagedTable(
            TABLE_OF[part],
            rows,
            {} if part in ("issues", "gaps") else numbers,
            counts.get(part),
            batch.set_aside(part),
        )
        for part, rows in vars(batch).items()
    ]
    return PartitionWrite(
        candidates, cohort.repository, cohort.month, provenance, cohort.notes, _with_gaps
    )


def stored_batch(writer: AuditedWriter, repository: str, months: Sequence[str]) -> IssueBatch:
    """Return the stored issues of ``months``."""
    frames = {}
    for name, empty in vars(EMPTY_BATCH).items():
        columns = ", ".join(empty.columns)
        stored = writer.database.frame(
            f"SELECT {columns} FROM {TABLE_OF[name]} "
            "WHERE repository = ? AND list_contains(?, month) ORDER BY ALL",
            [repository, list(months)],
        )
        frames[name] = stored.cast(dict(empty.schema))
    return IssueBatch(**frames)


def issue_counts(
    writer: AuditedWriter, repository: str, changed: IssueBatch = EMPTY_BATCH
) -> dict[str, int]:
    """Return the number of issues of each cohort once ``changed`` is stored.

    Issues that are set aside are counted too.
    """
    counted = writer.database.frame(
        """
        SELECT month, sum(issues)::BIGINT FROM (
            SELECT month, count(*) AS issues FROM raw.issues
            WHERE repository = $1 AND NOT list_contains($2, number) GROUP BY month
            UNION ALL
            SELECT month, entries FROM raw.issue_gaps
            WHERE repository = $1 AND entity = 'issues' AND lacks = 'entry'
                AND NOT coalesce(list_contains($2, number), false)
        ) GROUP BY month
        """,
        [repository, _numbers(changed)],
    )
    counts = dict(counted.iter_rows())
    for month in changed.months:
        counts[month] = counts.get(month, 0) + changed.of_month(month).known_issues
    return counts


def _with_last_good(read: IssueBatch, stored: IssueBatch) -> IssueBatch:
    """Return the batch that was read, with the stored rows of issues that are unreadable now."""
    is_set_aside = pl.col("number").is_in(read.numbers_set_aside)
    kept = stored.of_numbers(stored.issues.filter(is_set_aside)["number"].to_list())
    return read if kept.issues.is_empty() else _merged(read, kept)


def _merged(stored: IssueBatch, changed: IssueBatch) -> IssueBatch:
    """Return the stored issues with the changed ones, and all that belongs to them, replaced."""
    replaced = pl.col("number").is_in(_numbers(changed)).fill_null(value=False)
    return IssueBatch(
        *(
            pl.concat([before.filter(~replaced), after])
            for before, after in zip(vars(stored).values(), vars(changed).values(), strict=True)
        )
    )


def _numbers(batch: IssueBatch) -> list[int]:
    return [*batch.issues["number"], *batch.gaps["number"].drop_nulls()]


def _came_after(batch: IssueBatch, newest: datetime) -> list[int]:
    """Return the issues opened in or transferred to the repository after ``newest``.

    GitHub's count may lack them.
    """
    came = batch.events.filter(pl.col("event") == "transferred", pl.col("created_at") > newest)
    opened = batch.issues.filter(pl.col("created_at") > newest)
    return sorted({*came["number"], *opened["number"]})


def _with_gaps(offer: PartitionWrite, aside: Mapping[str, pl.DataFrame]) -> PartitionWrite:
    """Return the cohort with a gap for what its audit set ``aside``, as of what cannot be read.

    Later refreshes know by it that GitHub has more than is stored.
    """
    month = str(offer.month)
    gaps = [
        Gap(row["number"], month, entity, ENTRY, "unusable", ", ".join(row[RULES]))
        for entity, table in TABLE_OF.items()
        for row in (aside[table].iter_rows(named=True) if table in aside else ())
        if table != GAPS
    ]
    rows = {candidate.table: candidate.rows for candidate in offer.candidates}
    more = gap_frame(str(offer.repository), gaps, {gap.number: month for gap in gaps})
    return offer.of_rows(rows | {GAPS: counted_together(pl.concat([rows[GAPS], more]))})
