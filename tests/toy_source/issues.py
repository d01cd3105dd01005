"""Issues of the toy tracker: a list of all that match, each with its comments."""

from collections.abc import Iterator
from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, Field, ValidationError

from perf_assets.config.hosts import KINDS
from perf_assets.sources.issues.gaps import ENTRY, Gap
from perf_assets.sources.issues.listing import ListedIssues
from perf_assets.sources.issues.records import IssueRecord
from perf_assets.sources.issues.source import RemovedIssue
from perf_assets.sources.rest_client import MissingError

Number = Annotated[int, Field(gt=0, lt=2**31)]


class ToyComment(BaseModel):
    """A comment, as the tracker answers."""

    id: Number
    who: str
    at: datetime
    text: str


class ToyIssue(BaseModel):
    """An issue, as the tracker answers."""

    id: Number
    title: str
    text: str
    who: str
    opened: datetime
    updated: datetime
    closed: datetime | None
    comments: list[ToyComment]


class ToyIssues(ListedIssues):
    """Reads the issues of a project of the toy tracker."""

    def _archived_at(self) -> datetime | None:
        return None

    def _newest(self) -> datetime | None:
        records, _ = self._listed({"newest": 1})
        return datetime.fromisoformat(records[0].issue["updated_at"]) if records else None

    def _changed(self, since: datetime) -> Iterator[tuple[list[IssueRecord], list[Gap], datetime]]:
        records, gaps = self._listed({"updated_since": _text(since)})
        updates = [datetime.fromisoformat(record.issue["updated_at"]) for record in records]
        yield records, gaps, max(updates, default=since)

    def _opened(
        self, start: datetime, end: datetime
    ) -> Iterator[tuple[list[IssueRecord], list[Gap]]]:
        yield self._listed({"opened_from": _text(start), "opened_before": _text(end)})

    def _count(self, start: datetime, end: datetime) -> int:
        span = {"opened_from": _text(start), "opened_before": _text(end)}
        found = self.client.get("count", span).data
        if not isinstance(found, int):
            raise self.unusable("count: a number is needed here")
        return found

    def _removed(self, number: int) -> RemovedIssue | None:
        try:
            self.client.get(f"issues/{number}")
        except MissingError:
            return RemovedIssue(number, "deleted")
        return None

    def _listed(self, which: dict[str, Any]) -> tuple[list[IssueRecord], list[Gap]]:
        """Return the issues of a list; one that is not as documented costs itself."""
        found = self.client.get("issues", which).data
        if not isinstance(found, list):
            raise self.unusable("issues: a list is needed here")
        records, gaps = [], []
        for entry in found:
            try:
                records.append(_record(ToyIssue.model_validate(entry)))
            except ValidationError as error:
                reason = error.errors(include_url=False, include_input=False)[0]["msg"]
                gaps.append(Gap(None, None, "issues", ENTRY, "unusable", reason))
        return records, gaps


def _record(issue: ToyIssue) -> IssueRecord:
    """Return the rows of an issue; what the tracker does not have stays NULL."""
    row = {
        "title": issue.title,
        "body": issue.text or None,
        "author": issue.who,
        "state": "open" if issue.closed is None else "closed",
        "labels": [],
        "created_at": _text(issue.opened),
        "updated_at": _text(issue.updated),
        "closed_at": None if issue.closed is None else _text(issue.closed),
        "comments": len(issue.comments),
        "events": 0,
        "fields_version": KINDS["toy"].fields_version,
        "html_url": f"https://toy.example.org/{issue.id}",
    }
    comments = [
        {"comment_id": one.id, "author": one.who, "created_at": _text(one.at), "body": one.text}
        for one in issue.comments
    ]
    return IssueRecord(issue.id, row, comments)


def _text(moment: datetime) -> str:
    return f"{moment:%Y-%m-%dT%H:%M:%SZ}"
