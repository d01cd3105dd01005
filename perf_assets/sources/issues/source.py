"""What a source of issues gives, whichever host they are on."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from perf_assets.base.months import months_between
from perf_assets.sources.issues.batches import EMPTY_BATCH, IssueBatch
from perf_assets.sources.json_answers import AnswerError


@dataclass
class RequestCost:
    """The cost of reads: requests, and rate-limit points where the source counts them."""

    requests: int = 0
    points: int = 0

    def take(self) -> "RequestCost":
        """Return the cost since the last call."""
        cost = RequestCost(self.requests, self.points)
        self.requests = self.points = 0
        return cost

    def add(self, other: "RequestCost") -> None:
        """Charge ``other`` too."""
        self.requests += other.requests
        self.points += other.points


@dataclass(frozen=True)
class ChangePage:
    """Issues that changed, and the newest update up to which these and those before are all.

    totals : the source's own numbers of issues opened in the requested spans of months.
    is_last : whether no more issues have changed.
    archived_at : since when the repository is archived.
    """

    newest_update: datetime | None
    batch: IssueBatch = EMPTY_BATCH
    totals: tuple[int, ...] = ()
    is_last: bool = True
    archived_at: datetime | None = None


@dataclass(frozen=True)
class RemovedIssue:
    """An issue that has left the repository: why, and where it is now if the source says so."""

    number: int
    reason: str
    moved_to: str | None = None


@dataclass(frozen=True)
class PullRequestResult:
    """What the source says of a pull request; without a row, the reason.

    row : columns of ``details.pull_requests``, without those of the study; moments are texts.
    """

    number: int
    row: dict[str, Any] | None = None
    reason: str = ""


class IssueSource(Protocol):
    """The issues of one repository, read from the host that has them.

    repository : its name in the study.
    fields_version : of the set of fields that is read; a run reads older cohorts again.
    cost, total : of the requests since :meth:`RequestCost.take`, and of all.
    """

    repository: str
    fields_version: int
    cost: RequestCost
    total: RequestCost

    def newest(self) -> ChangePage:
        """Return a page without issues: the newest update, and whether it is archived."""

    def iter_changes(
        self, since: datetime, spans: Sequence[Sequence[str]] = ()
    ) -> Iterator[ChangePage]:
        """Yield issues that changed at or after ``since``, oldest change first, in parts.

        ``spans`` are lists of months that follow each other; the last page has the numbers of
        their issues.
        """

    def counts(self, months: Sequence[str]) -> dict[str, int]:
        """Return the source's own number of issues opened in each of ``months``."""

    def cohorts(
        self, counts: dict[str, int]
    ) -> Iterator[tuple[list[str], IssueBatch | AnswerError]]:
        """Yield whole cohorts of the months of ``counts``, in order, some months at a time.

        A month whose answers cannot be used comes with the reason instead.
        """

    def find_removed(self, numbers: Sequence[int]) -> list[RemovedIssue]:
        """Return the removed issues among stored ones; one that is still there has no entry."""

    def pull_requests(self, numbers: Sequence[int]) -> Iterator[PullRequestResult]:
        """Yield a result for each of ``numbers``; asked only of hosts that review them."""


def windows(counts: dict[str, int], size: int) -> Iterator[list[str]]:
    """Group months that follow each other while they have at most ``size`` issues together."""
    group: list[str] = []
    total = 0
    for month in sorted(counts):
        follows = not group or months_between(group[-1], month)[1:] == [month]
        if group and (not follows or total + counts[month] > size):
            yield group
            group, total = [], 0
        group.append(month)
        total += counts[month]
    if group:
        yield group
