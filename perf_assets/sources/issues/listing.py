"""An issue source of an API that lists issues: by their changes, and by when they were opened.

GitLab, Bugzilla and most others are read so. What is theirs are the methods that begin with an
underscore; what a refresh and a cohort are is here.
"""

import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta

from perf_assets.base.months import end_of, start_of
from perf_assets.base.sanitize import escape_text, shortened
from perf_assets.config.repositories import Repository
from perf_assets.sources.issues.batches import IssueBatch
from perf_assets.sources.issues.gaps import ENTRY, Gap
from perf_assets.sources.issues.opening import Say, StoredMonths, succeeds
from perf_assets.sources.issues.records import IssueRecord, batch_of
from perf_assets.sources.issues.source import (
    ChangePage,
    IssueSource,
    PullRequestResult,
    RemovedIssue,
    windows,
)
from perf_assets.sources.json_answers import AnswerError, unusable_answer
from perf_assets.sources.rest_client import RestClient

log = logging.getLogger(__name__)

HELD_ISSUES = 500  # read and not yet stored: what a run that is killed reads again
# What is written may be seen a little after its own time: databases commit, and copies follow.
LATE = timedelta(minutes=1)
MOST_ISSUES = 1_000_000  # of a month: no project has more in all


class ListedIssues(ABC):
    """Reads the issues of ``repository`` through ``client``."""

    def __init__(self, client: RestClient, repository: Repository) -> None:
        """Prepare the source; no request is sent."""
        self.client = client
        self.repository = repository.name
        self.title = repository.kind.title
        self.fields_version = repository.kind.fields_version
        self.cost, self.total = client.cost, client.total
        self._mentioned: set[str] = set()

    @abstractmethod
    def _archived_at(self) -> datetime | None:
        """Return since when the project is closed for new issues; ask nothing if nobody says."""

    @abstractmethod
    def _newest(self) -> datetime | None:
        """Return the newest update of an issue, None where there is none, by one request."""

    @abstractmethod
    def _changed(self, since: datetime) -> Iterator[tuple[list[IssueRecord], list[Gap], datetime]]:
        """Yield issues updated at or after ``since``, oldest update first, page by page.

        With each page come gaps, and the update up to which all were given.
        """

    @abstractmethod
    def _opened(
        self, start: datetime, end: datetime
    ) -> Iterator[tuple[list[IssueRecord], list[Gap]]]:
        """Yield the issues opened from ``start`` to before ``end``, page by page, with gaps.

        A gap of a whole issue has its month, where that is known.
        """

    @abstractmethod
    def _count(self, start: datetime, end: datetime) -> int:
        """Return the source's own number of issues opened from ``start`` to before ``end``."""

    @abstractmethod
    def _removed(self, number: int) -> RemovedIssue | None:
        """Return why an issue has left the project; None if it is there, or if nobody says."""

    def newest(self) -> ChangePage:
        """Return a page without issues: the newest update, and whether it is archived."""
        return ChangePage(no_later_than_now(self._newest()), archived_at=self._archived_at())

    def iter_changes(
        self, since: datetime, spans: Sequence[Sequence[str]] = ()
    ) -> Iterator[ChangePage]:
        """Yield issues that changed at or after ``since``, oldest change first, in parts."""
        held: dict[int, IssueRecord] = {}
        gaps: list[Gap] = []
        reached = since
        for records, lacking, until in self._changed(since - LATE):
            # An issue that changes meanwhile moves to the end of the list, and comes again.
            again = {record.number for record in records} & held.keys()
            gaps = [gap for gap in gaps if gap.number not in again] + self._placed(lacking)
            held |= {record.number: record for record in records}
            reached = max(reached, no_later_than_now(until) or since)
            if len(held) >= HELD_ISSUES:
                yield ChangePage(reached, self._batch(held.values(), gaps), is_last=False)
                held, gaps = {}, []
        totals = tuple(self._count(start_of(span[0]), end_of(span[-1])) for span in spans)
        batch = self._batch(held.values(), gaps)
        yield ChangePage(reached, batch, totals, archived_at=self._archived_at())

    def counts(self, months: Sequence[str]) -> dict[str, int]:
        """Return the source's own number of issues opened in each of ``months``."""
        return {month: self._count(start_of(month), end_of(month)) for month in months}

    def cohorts(
        self, counts: dict[str, int]
    ) -> Iterator[tuple[list[str], IssueBatch | AnswerError]]:
        """Yield whole cohorts of the months of ``counts``, in order, a window at a time.

        Where an answer about several months cannot be used, each of them is read by itself.
        """
        odd = {month: count for month, count in counts.items() if not 0 <= count <= MOST_ISSUES}
        for month, count in odd.items():
            yield [month], self.unusable(f"{month}: its number of issues is {count}")
        usual = {month: counts[month] for month in counts.keys() - odd}
        for months in windows(usual, HELD_ISSUES):
            found = self._read(months)
            if isinstance(found, IssueBatch) and found.gaps["month"].null_count() == 0:
                yield months, found
                continue
            for month in months:
                alone = self._read([month])
                if isinstance(alone, IssueBatch):
                    alone = alone.placed_in(month)
                yield [month], alone

    def find_removed(self, numbers: Sequence[int]) -> list[RemovedIssue]:
        """Return the removed issues among stored ones; one that is still there has no entry."""
        return [issue for issue in map(self._removed, numbers) if issue is not None]

    def pull_requests(self, numbers: Sequence[int]) -> Iterator[PullRequestResult]:
        """Yield nothing: no details of changes are read."""
        yield from ()

    def unusable(self, why: str, number: int | None = None) -> AnswerError:
        """Return the sentence about an answer that cannot be used."""
        subject = self.repository if number is None else f"{self.repository}#{number}"
        return unusable_answer(self.title, subject, shortened(escape_text(why), 250))

    def _read(self, months: Sequence[str]) -> IssueBatch | AnswerError:
        records: dict[int, IssueRecord] = {}
        gaps: list[Gap] = []
        try:
            for page, lacking in self._opened(start_of(months[0]), end_of(months[-1])):
                records |= {record.number: record for record in page}
                gaps += lacking
            return self._batch(records.values(), gaps)
        except AnswerError as error:
            return error

    def _placed(self, gaps: Iterable[Gap]) -> list[Gap]:
        """Return the gaps of issues whose month is known; the others are mentioned."""
        placed = []
        for gap in gaps:
            if gap.month is not None:
                placed.append(gap)
            else:
                log.warning(
                    "%s: an issue that changed could not be read (%s): what is stored of it stays",
                    *(self.repository, gap.reason),
                )
        return placed

    def _batch(self, records: Iterable[IssueRecord], gaps: Sequence[Gap]) -> IssueBatch:
        batch = batch_of(records, self.repository, gaps)
        for gap in batch.gaps.iter_rows(named=True):
            what = "an entry" if gap["lacks"] == ENTRY else gap["lacks"]
            sign = f"{what} of {gap['entity']}"
            if sign not in self._mentioned:
                self._mentioned.add(sign)
                log.warning(
                    "%s: %s cannot be stored (%s); more of this kind are counted in raw.issue_gaps",
                    *(self.repository, sign, shortened(gap["reason"], 250)),
                )
        return batch


def examine_listed(
    open_source: Callable[[Repository], AbstractContextManager[IssueSource]],
    repositories: Sequence[Repository],
    stored: Callable[[Repository], StoredMonths],
    requests_for: Callable[[Mapping[str, int]], int],
    say: Say,
) -> bool:
    """Report for each repository what a run reads; return whether it can read all of them.

    requests_for : about how many requests months with so many issues take.
    """

    def examine(repository: Repository) -> None:
        months = stored(repository)
        with open_source(repository) as source:
            source.newest()
            counts = source.counts(months.missing)
        again = f", {months.outdated} of them again" if months.outdated else ""
        say(
            f"{repository.name}: {repository.start} to {repository.end}, {len(counts)} months with "
            f"{sum(counts.values()):,} issues to load{again}, {len(months.marks)} stored to "
            f"refresh: about {requests_for(counts):,} requests, and those for what changed"
        )

    results = [succeeds(say, examine, repository) for repository in repositories]
    return all(results)


def no_later_than_now(moment: datetime | None) -> datetime | None:
    """Return ``moment``; what changes until one that is to come would not be requested again."""
    return None if moment is None else min(moment, datetime.now(UTC))
