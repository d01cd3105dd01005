"""Issues as a source read them, and what no row can have: set aside here, whatever the source."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from perf_assets.base.months import month_of
from perf_assets.sources.issues.batches import PULL_REQUEST_KEY, IssueBatch, gap_frame, table_frame
from perf_assets.sources.issues.gaps import ENTRY, Gap, Kind

Row = dict[str, Any]
ONE_DAY = timedelta(days=1)


@dataclass
class IssueRecord:
    """An issue with everything that belongs to it.

    Rows have the columns of their tables of ``raw``, without repository, number and month; moments
    are texts in UTC. A column that the source has nothing for may be left out.
    """

    number: int
    issue: Row
    comments: list[Row] = field(default_factory=list)
    events: list[Row] = field(default_factory=list)
    pull_requests: list[Row] = field(default_factory=list)
    gaps: list[Gap] = field(default_factory=list)

    @property
    def month(self) -> str:
        """The month in which it was opened."""
        return month_of(_moment(self.issue["created_at"]))

    def note(self, entity: str, lacks: str, kind: Kind, reason: str, entries: int = 1) -> None:
        """Note what is lacking of it, see :class:`Gap`."""
        self.gaps.append(Gap(self.number, self.month, entity, lacks, kind, reason, entries))


def batch_of(
    records: Iterable[IssueRecord], repository: str, gaps: Sequence[Gap] = ()
) -> IssueBatch:
    """Return issues as frames, sorted by number and id, without what cannot be.

    What is dated after tomorrow has not happened, and a close before the opening is taken as one
    at the opening. ``gaps`` are what the answers lack besides.
    """
    last_day = f"{datetime.now(UTC) + ONE_DAY:%Y-%m-%d}"
    issues, comments, events, pull_requests = [], [], [], []
    lacking = list(gaps)
    months: dict[int | None, str] = {}
    for record in records:
        months[record.number] = record.month
        if _is_possible(record, last_day):
            keys = {"repository": repository, "number": record.number, "month": record.month}
            issues.append(record.issue | keys)
            comments += [row | keys for row in record.comments]
            events += [row | keys for row in record.events]
            pull_requests += [row | keys for row in record.pull_requests]
        lacking += record.gaps
    return IssueBatch(
        table_frame("raw.issues", issues, ("number",)),
        table_frame("raw.issue_comments", comments, ("number", "comment_id")),
        table_frame("raw.issue_events", events, ("number", "created_at", "event_id")),
        table_frame("raw.issue_pull_requests", pull_requests, PULL_REQUEST_KEY),
        gap_frame(repository, lacking, months),
    )


def _is_possible(record: IssueRecord, last_day: str) -> bool:
    """Return whether an issue can be stored, after what is odd of it was set aside."""
    row = record.issue
    closed_at = row["closed_at"]
    if row["state"] == "closed" and closed_at is None:
        reason = "closed_at: it is closed, and nothing says since when"
        record.note("issues", ENTRY, "unusable", reason)
        return False
    if closed_at is not None and (odd := _what_is_odd(closed_at, row, last_day)):
        reason = f"closed at {closed_at}, {odd}: taken as closed when opened"
        record.note("issues", "closed_at", "unusable", reason)
        row["closed_at"] = row["created_at"]
    if _is_to_come(row["updated_at"], last_day):
        reason = f"updated at {row['updated_at']}, which is to come: taken as of its last change"
        record.note("issues", "updated_at", "unusable", reason)
        row["updated_at"] = max(row["created_at"], row["closed_at"] or "")
    record.comments = _happened(record, "comments", record.comments, last_day)
    record.events = _happened(record, "events", record.events, last_day)
    return True


def _happened(record: IssueRecord, entity: str, rows: list[Row], last_day: str) -> list[Row]:
    """Return the rows whose time is not to come; the others are set aside."""
    kept = []
    for row in rows:
        if _is_to_come(row["created_at"], last_day):
            reason = f"its time is {row['created_at']}, which is to come"
            record.note(entity, ENTRY, "unusable", reason)
        else:
            kept.append(row)
    return kept


def _what_is_odd(closed_at: str, row: Mapping[str, Any], last_day: str) -> str | None:
    """Return the reason why an issue cannot have been closed then; None if it can."""
    if _moment(closed_at) < _moment(row["created_at"]):
        return "before it was opened"
    return "which is to come" if _is_to_come(closed_at, last_day) else None


def _is_to_come(moment: str, last_day: str) -> bool:
    return moment[: len(last_day)] > last_day


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)
