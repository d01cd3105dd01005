"""The issues of a project on GitLab: which requests read them.

An issue costs three requests beside the list: its notes, its state events and its label events; one
more where it has merge requests. An issue to which nothing happened costs none.

Reference: https://docs.gitlab.com/api/issues/
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import quote

from pydantic import ValidationError

from perf_assets.base.months import month_of
from perf_assets.base.repository_names import split_name
from perf_assets.config.repositories import Repository
from perf_assets.sources.gitlab.client import GitLabClient, in_utc
from perf_assets.sources.gitlab.rows import Answers, closing_ids, key_of, record_of
from perf_assets.sources.gitlab.shapes import (
    ISSUE,
    Issue,
    is_confidential,
    moment_or_none,
    number_or_none,
    what_is_off,
)
from perf_assets.sources.gitlab.system_notes import Place, moved_to
from perf_assets.sources.issues.gaps import ENTRY, Gap
from perf_assets.sources.issues.listing import ListedIssues
from perf_assets.sources.issues.records import IssueRecord
from perf_assets.sources.issues.source import RemovedIssue
from perf_assets.sources.rest_client import MissingError

LAST_INSTANT = timedelta(microseconds=1)  # bounds are included
OLDEST_FIRST = {"order_by": "created_at", "sort": "asc"}

Found = tuple[list[IssueRecord], list[Gap]]


class GitLabIssues(ListedIssues):
    """Reads the issues of ``repository`` through ``client``."""

    client: GitLabClient

    def __init__(self, client: GitLabClient, repository: Repository) -> None:
        """Prepare the source; no request is sent."""
        super().__init__(client, repository)
        _, path = split_name(repository.name)
        self._project = f"projects/{quote(path, safe='')}"

    def _archived_at(self) -> datetime | None:
        """Return None: GitLab says that a project is archived, and not since when."""
        return None

    def _newest(self) -> datetime | None:
        newest = {"order_by": "updated_at", "sort": "desc"}
        page = self.client.page(self._issues, _public(per_page=1, **newest))
        moments = [moment_or_none(entry, "updated_at") for entry in page.entries]
        return max((datetime.fromisoformat(text) for text in moments if text), default=None)

    def _changed(self, since: datetime) -> Iterator[tuple[list[IssueRecord], list[Gap], datetime]]:
        for entries, until in self.client.by_time(self._issues, "updated", since):
            yield *self._read_all(entries), until

    def _opened(self, start: datetime, end: datetime) -> Iterator[Found]:
        bounds = {"created_before": in_utc(end - LAST_INSTANT)}
        for entries, _ in self.client.by_time(self._issues, "created", start, bounds):
            yield self._read_all(entry for entry in entries if not _is_outside(entry, start, end))

    def _count(self, start: datetime, end: datetime) -> int:
        """Return the total of the list; where that is not given, for its size, the statistics'."""
        bounds = {
            "created_after": in_utc(start),
            "created_before": in_utc(end - LAST_INSTANT),
        }
        page = self.client.page(self._issues, _public(per_page=1, **bounds))
        if page.total is not None:
            return page.total
        if not page.has_next:
            return len(page.entries)
        answer = self.client.get(f"{self._project}/issues_statistics", _public(**bounds)).data
        count = answer
        for key in ("statistics", "counts", "all"):
            count = count.get(key) if isinstance(count, dict) else None
        if not isinstance(count, int) or isinstance(count, bool):
            raise self.unusable("issues_statistics: a number of issues is needed here")
        return count

    def _removed(self, number: int) -> RemovedIssue | None:
        try:
            entry = self.client.get(f"{self._issues}/{number}").data
        except MissingError:
            return RemovedIssue(number, "deleted")
        if is_confidential(entry):  # it is in no list any more, as one that was deleted
            return RemovedIssue(number, "deleted")
        if not isinstance(entry, dict) or entry.get("moved_to_id") is None:
            return None
        newest = {"sort": "desc", "activity_filter": "only_activity"}
        notes = self.client.page(f"{self._issues}/{number}/notes", newest).entries
        texts = [note.get("body") for note in notes if isinstance(note, dict)]
        places = (moved_to(text, self._place) for text in texts if isinstance(text, str))
        return RemovedIssue(number, "transferred", next(filter(None, places), None))

    @property
    def _issues(self) -> str:
        return f"{self._project}/issues"

    @property
    def _place(self) -> Place:
        return Place(self.repository)

    def _read_all(self, entries: Any) -> Found:  # noqa: ANN401
        """Return issues with what belongs to them; what cannot be read of the list are gaps."""
        records, gaps = [], []
        for entry in entries:
            if is_confidential(entry):
                continue
            try:
                issue = ISSUE.validate_python(entry)
            except ValidationError as error:
                gaps.append(_gap(entry, what_is_off(error)))
                continue
            record = self._record(entry, issue)
            if record is not None:
                records.append(record)
        return records, gaps

    def _record(self, entry: object, issue: Issue) -> IssueRecord | None:
        """Return an issue with what belongs to it; None where it was deleted meanwhile."""
        try:
            answers = self._answers(issue)
        except MissingError:
            if self._removed(issue["iid"]) is None:
                raise
            return None
        return record_of(entry, issue, answers, self.repository)

    def _answers(self, issue: Issue) -> Answers:
        place = f"{self._issues}/{issue['iid']}"
        requests = issue.get("merge_requests_count")
        closing: Sequence[Any] = ()
        if requests is None or requests > 0:
            closing = self.client.entries(f"{place}/closed_by")
        if _is_untouched(issue):
            return Answers(closing=closing)
        states = self.client.entries(f"{place}/resource_state_events")
        related: Sequence[Any] = ()
        if closing_ids(states) - set(map(key_of, closing)):
            related = self.client.entries(f"{place}/related_merge_requests")
        return Answers(
            notes=self.client.entries(f"{place}/notes", OLDEST_FIRST),
            states=states,
            labels=self.client.entries(f"{place}/resource_label_events"),
            closing=closing,
            related=related,
        )


def _public(**parameters: str | int) -> dict[str, str | int]:
    return {"scope": "all", "confidential": "false", **parameters}


def _is_untouched(issue: Issue) -> bool:
    """Return whether nothing happened to an issue since it was opened, without labels."""
    is_new = issue["updated_at"] == issue["created_at"] and issue["state"] == "opened"
    return is_new and not issue["labels"] and issue["user_notes_count"] == 0


def _is_outside(entry: object, start: datetime, end: datetime) -> bool:
    text = moment_or_none(entry, "created_at")
    return text is not None and not start <= datetime.fromisoformat(text) < end


def _gap(entry: object, reason: str) -> Gap:
    opened = moment_or_none(entry, "created_at")
    month = month_of(datetime.fromisoformat(opened).astimezone(UTC)) if opened else None
    return Gap(number_or_none(entry), month, "issues", ENTRY, "unusable", reason)
