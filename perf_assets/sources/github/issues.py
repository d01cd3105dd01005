"""Issues of one repository: what changed, how many there are, and whole cohorts of them."""

import logging
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import pairwise
from typing import Any

import polars as pl

from perf_assets.base.months import end_of, start_of
from perf_assets.base.repository_names import is_repository_name
from perf_assets.config.hosts import KINDS
from perf_assets.sources.github import queries, response_types, responses
from perf_assets.sources.github.answers import AnswerReader
from perf_assets.sources.github.client import GitHubClient
from perf_assets.sources.github.gaps import LEFT_OUT
from perf_assets.sources.github.issue_types import Issue
from perf_assets.sources.github.long_lists import PAGE, Paging, complete_lists
from perf_assets.sources.github.prefetch import SEARCH_LIMIT, Job, in_order
from perf_assets.sources.github.pull_requests import read_pull_requests
from perf_assets.sources.github.rows import to_frames
from perf_assets.sources.issues.batches import EMPTY_BATCH, IssueBatch, joined
from perf_assets.sources.issues.gaps import ENTRY, Gap
from perf_assets.sources.issues.source import (
    ChangePage,
    PullRequestResult,
    RemovedIssue,
    RequestCost,
    windows,
)
from perf_assets.sources.json_answers import AnswerError

log = logging.getLogger(__name__)

FEW_CHANGES = 25  # most refreshes find no more, and GitHub charges the size of a page
# A page requests its issues, and for each of them: its connections, the commits of its pull
# requests, and who reacted to it and to its comments. GitHub divides by 100:
# https://docs.github.com/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api
_REQUESTS_PER_ISSUE = (
    len(queries.CONNECTIONS)
    + queries.FIRST["closedByPullRequestsReferences"]
    + queries.FIRST["comments"]
    + 1
)
PAGE_POINTS, FEW_CHANGES_POINTS = (
    round((1 + size * _REQUESTS_PER_ISSUE) / 100) for size in (PAGE, FEW_CHANGES)
)
COUNTS_PER_REQUEST = 40
MOST_ISSUES = 1_000_000  # of a month: no repository has more in all
HELD_ISSUES = 1000  # read and not yet stored: what a run that is killed reads again
# GitHub advises against many requests at once, and limits them:
# https://docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api
REQUESTS_AT_ONCE_PER_ACCOUNT = 2
REQUESTS_AT_ONCE = 4


@dataclass(frozen=True)
class ReadResult:
    """Issues that were read, what that cost, and why there are none if they cannot be used."""

    batch: IssueBatch
    cost: RequestCost
    error: AnswerError | None = None


class GitHubIssues:
    """Reads the issues of ``repository`` through ``client``."""

    fields_version = KINDS["github"].fields_version

    def __init__(self, client: GitHubClient, repository: str) -> None:
        """Prepare the source; no request is sent."""
        self.client = client
        self.repository = repository
        self.cost, self.total = client.cost, client.total
        self._reader = AnswerReader(client, repository)
        self.now_called = repository

    @property
    def rename_notice(self) -> str | None:
        """Return the change to make in the study file if GitHub has renamed the repository."""
        if self.now_called == self.repository:
            return None
        return (
            f"repository {self.repository} is called {self._reader.quoted(self.now_called)} now: "
            "it is read under the new name; write that in the study file, and the former one "
            "among its aliases"
        )

    def newest(self) -> ChangePage:
        """Return a page without issues: the newest update, and whether it is archived."""
        found, lacking, _ = self._changed(datetime.now(UTC), None, (), 1)
        self._reader.placed(lacking)  # which logs what could not be read
        return ChangePage(_newest(found["newest"]), archived_at=_archived_at(found))

    def iter_changes(
        self, since: datetime, spans: Sequence[Sequence[str]] = ()
    ) -> Iterator[ChangePage]:
        """Yield issues that changed at or after ``since``, oldest change first, in parts.

        At most about ``HELD_ISSUES`` come together. ``spans`` are lists of months that follow each
        other; their issues are counted by the way.
        """
        nodes: dict[str, Issue] = {}
        gaps: list[Gap] = []
        newest: datetime | None = None
        totals: tuple[int, ...] = ()
        after: str | None = None
        paging = Paging()
        while True:
            # Later pages count nothing: the first answer decides, and what changes while we read
            # is found by the next refresh.
            asked = (spans, FEW_CHANGES) if after is None else ((), PAGE)
            found, lacking, counted = self._changed(since, after, *asked)
            newest, totals = newest or _newest(found["newest"]), totals or counted
            page = {node["id"]: node for node in found["issues"]["nodes"] or () if node}
            # An issue that changes meanwhile moves to the end of the list, and comes again.
            again = {page[key]["number"] for key in page.keys() & nodes.keys()}
            gaps = [gap for gap in gaps if gap.number not in again] + self._reader.placed(lacking)
            nodes |= page
            after = paging.next(found["issues"])
            reached = max(
                (_no_later_than_now(n["updatedAt"]) for n in page.values()), default=since
            )
            if after is None:
                # What follows a page that leads nowhere is read by the next refresh.
                newest = reached if paging.is_broken else newest
                batch = self._batch(nodes.values(), gaps)
                yield ChangePage(newest, batch, totals, archived_at=_archived_at(found))
                return
            if len(nodes) >= HELD_ISSUES:
                yield ChangePage(reached, self._batch(nodes.values(), gaps), is_last=False)
                nodes, gaps = {}, []

    def _changed(
        self, since: datetime, after: str | None, spans: Sequence[Sequence[str]], size: int
    ) -> tuple[response_types.ChangedIssues, list[Gap], tuple[int, ...]]:
        """Return a page of the list of changes, what it lacks, and the counts of ``spans``."""
        document = queries.changed_document(len(spans))
        while True:
            searches = self._searches((span[0], span[-1]) for span in spans)
            sent = {**self._names(), "since": _second(since), "after": after, **searches}
            data, lacking = self._reader.page(response_types.Changed, document, sent, size)
            found = data["repository"]
            if not self._is_renamed(found["nameWithOwner"]):
                return found, lacking, tuple(self._reader.counts(data, len(spans)))
            # The searches were for the former name.

    def counts(self, months: Sequence[str]) -> dict[str, int]:
        """Return GitHub's own number of issues opened in each of ``months``."""
        counts: dict[str, int] = {}
        for start in range(0, len(months), COUNTS_PER_REQUEST):
            part = months[start : start + COUNTS_PER_REQUEST]
            searches = self._searches((month, month) for month in part)
            reply = self.client.query(queries.counts_document(len(part)), searches)
            counts |= zip(part, self._reader.counts(reply.data, len(part)), strict=True)
        return counts

    def find_removed(self, numbers: Sequence[int]) -> list[RemovedIssue]:
        """Return the removed issues among stored ones; an issue that still exists has no entry."""
        removed = []
        for start in range(0, len(numbers), COUNTS_PER_REQUEST):
            part = numbers[start : start + COUNTS_PER_REQUEST]
            numbered = {f"n{index}": number for index, number in enumerate(part)}
            document = queries.removed_document(len(part))
            reply = self.client.query(document, {**self._names(), **numbered})
            found = reply.data.get("repository")
            here = self._reader.parts(response_types.Locations, found, "i", len(part))
            discussions = self._reader.parts(response_types.Discussions, found, "d", len(part))
            # What the token may not see is not known to have left.
            hidden = {
                withheld.path[-1] for withheld in reply.withheld if withheld.kind != "NOT_FOUND"
            }
            for index, number in enumerate(part):
                if hidden.isdisjoint({f"i{index}", f"d{index}"}):
                    is_discussion = discussions[f"d{index}"] is not None
                    removed.append(self._removed(number, here[f"i{index}"], is_discussion))
        return [issue for issue in removed if issue is not None]

    def _removed(
        self, number: int, found: response_types.Here | None, is_discussion: bool
    ) -> RemovedIssue | None:
        if found is None:
            reason = "converted_to_a_discussion" if is_discussion else "deleted"
            return RemovedIssue(number, reason)
        name = found["repository"]["nameWithOwner"] if "repository" in found else ""
        place = found.get("number", 0)
        is_here = name.casefold() == self.now_called.casefold() and place == number
        # What GitHub says may be of no known form: the issue is not known to have left, then.
        if is_here or not is_repository_name(name) or place < 1:
            return None
        return RemovedIssue(number, "transferred", f"{name}#{place}")

    def cohorts(
        self, counts: dict[str, int]
    ) -> Iterator[tuple[list[str], IssueBatch | AnswerError]]:
        """Yield whole cohorts of the months of ``counts``, in order, a window of months at a time.

        Windows are read ahead by a few threads, and large ones in parts. At most ``HELD_ISSUES``
        are read before they are stored, but for a month that alone has more. What a window cost
        is charged when it is given back. A month whose answers cannot be used comes with the
        reason instead.
        """
        workers, size = _division(len(self.client.accounts.all))
        odd = {month: count for month, count in counts.items() if not 0 <= count <= MOST_ISSUES}
        for month, count in odd.items():
            reason = f"{month}: its issueCount is {count}"
            yield [month], responses.unusable(self.repository, reason)
        groups = list(windows({month: counts[month] for month in counts.keys() - odd}, size))
        jobs = [self._job(months, sum(map(counts.__getitem__, months)), size) for months in groups]
        with closing(in_order(jobs, workers, HELD_ISSUES)) as results:
            for months, parts in zip(groups, results, strict=True):
                for part in parts:
                    self.cost.add(part.cost)
                batch = joined([part.batch for part in parts])
                is_placed = batch.gaps["month"].null_count() == 0
                if is_placed and not any(part.error for part in parts):
                    yield months, batch
                    continue
                # Months whose answers can be used need not wait for those whose cannot, and of an
                # issue that GitHub leaves out only the search for its month says in which it is.
                for month in months:
                    part = self._read(start_of(month), end_of(month))
                    self.cost.add(part.cost)
                    yield [month], part.error or part.batch.placed_in(month)

    def pull_requests(self, numbers: Sequence[int]) -> Iterator[PullRequestResult]:
        """Yield a result for each pull request, many of them from a request."""
        return read_pull_requests(self.client, self.repository, numbers)

    def changed_count(self, since: datetime) -> int:
        """Return the number of issues updated at or after ``since``."""
        sent = {**self._names(), "since": _second(since)}
        data = self.client.query(queries.CHANGED_COUNT, sent).data
        found = self._reader.checked(response_types.ChangedCount, data)["repository"]
        self._is_renamed(found["nameWithOwner"])
        return max(0, found["issues"]["totalCount"])

    def probe(self) -> IssueBatch:
        """Return the issue that was opened last, read with all fields that a run requests."""
        query = f"repo:{self.now_called} is:issue sort:created-desc"
        data, gaps = self._reader.page(response_types.Search, queries.SEARCH, {"query": query}, 1)
        nodes = [node for node in data["search"]["nodes"] or () if node]
        return to_frames(nodes, self.repository, gaps, self.now_called)

    def _job(self, months: list[str], count: int, size: int) -> Job[ReadResult]:
        """Return a window, cut into spans of time that have about ``size`` issues each."""
        start, end = start_of(months[0]), end_of(months[-1])
        pieces = -(-count // size)
        cuts = [
            start + timedelta(seconds=int((end - start).total_seconds() * index / pieces))
            for index in range(pieces)
        ]
        return Job(count, [partial(self._read, *span) for span in pairwise([*cuts, end])])

    def _read(self, start: datetime, end: datetime) -> ReadResult:
        """Return the issues opened from ``start`` to before ``end``, and what they cost."""
        cost = RequestCost()
        with self.client.charging(cost):
            try:
                gaps: list[Gap] = []
                nodes = {node["id"]: node for node in self._search(start, end, gaps)}
                return ReadResult(self._batch(nodes.values(), gaps), cost)
            except AnswerError as error:
                return ReadResult(EMPTY_BATCH, cost, error)

    def _names(self) -> dict[str, Any]:
        owner, _, name = self.now_called.partition("/")
        return {"owner": owner, "name": name}

    def _created(self, start: datetime, end: datetime) -> str:
        window = f"{_second(start)}..{_second(end - timedelta(seconds=1))}"
        return f"repo:{self.now_called} is:issue created:{window} sort:created-asc"

    def _searches(self, spans: Iterable[tuple[str, str]]) -> dict[str, str]:
        """Return a search for the issues opened in each span, from its first month to its last."""
        return {
            f"q{index}": self._created(start_of(first), end_of(last))
            for index, (first, last) in enumerate(spans)
        }

    def _is_renamed(self, name: str) -> bool:
        """Take over the name that the repository has now; return whether it is news."""
        if name.casefold() == self.now_called.casefold() or not is_repository_name(name):
            return False
        self.now_called = name
        log.warning(self.rename_notice)
        return True

    def _search(self, start: datetime, end: datetime, gaps: list[Gap]) -> Iterator[Issue]:
        """Yield issues opened from ``start`` to before ``end``; a full window is halved.

        ``gaps`` gets what the answers lack.

        Raises
        ------
        AnswerError
            The list ends too early, or has too many issues of one second.
        """
        query = self._created(start, end)
        after: str | None = None
        paging = Paging()
        count, is_cut = 0, False
        while True:
            sent = {"query": query, "after": after}
            data, lacking = self._reader.page(response_types.Search, queries.SEARCH, sent, PAGE)
            found = data["search"]
            if found["issueCount"] > SEARCH_LIMIT:
                middle = start + timedelta(seconds=int((end - start).total_seconds()) // 2)
                if middle == start:
                    reason = (
                        f"more than {SEARCH_LIMIT} issues opened in the second "
                        f"{start:%Y-%m-%dT%H:%M:%SZ}, more than GitHub's search can list"
                    )
                    raise responses.unusable(self.repository, reason)
                yield from self._search(start, middle, gaps)
                yield from self._search(middle, end, gaps)
                return
            nodes = [node for node in found["nodes"] or () if node]
            is_cut |= any(gap.is_issue and gap.entries is None for gap in lacking)
            gaps += [gap for gap in lacking if not gap.is_issue or gap.entries is not None]
            count += len(nodes) + sum(gap.entries or 0 for gap in lacking if gap.is_issue)
            yield from nodes
            after = paging.next(found)
            if after is not None:
                continue
            if paging.is_broken:
                raise responses.unusable(
                    self.repository,
                    "search.pageInfo: the cursor of the next page is missing or repeated",
                )
            if is_cut and found["issueCount"] > count:
                rest = found["issueCount"] - count
                gaps.append(Gap(None, None, "issues", ENTRY, "missing", LEFT_OUT, rest))
            return

    def _batch(self, found: Iterable[Issue], gaps: list[Gap]) -> IssueBatch:
        numbered = {node["number"]: node for node in found}
        nodes = list(numbered.values())
        complete_lists(self._reader, nodes, gaps)
        batch = to_frames(nodes, self.repository, gaps, self.now_called)
        reasons = [self._reader.quoted(reason) for reason in batch.gaps["reason"]]
        gap_rows = batch.gaps.with_columns(pl.Series("reason", reasons, pl.String))
        self._reader.mention(gap_rows)
        return replace(batch, gaps=gap_rows)


def pages(counts: dict[str, int], accounts: int) -> int:
    """Return the number of pages that ``GitHubIssues.cohorts`` reads, without those of threads."""
    _, size = _division(accounts)
    total = 0
    for months in windows(counts, size):
        count = sum(map(counts.__getitem__, months))
        pieces = -(-count // size)
        total += pieces and pieces * -(-count // (pieces * PAGE))
    return total


def _division(accounts: int) -> tuple[int, int]:
    """Return the number of threads for so many accounts, and the issues per page of each."""
    workers = min(REQUESTS_AT_ONCE, REQUESTS_AT_ONCE_PER_ACCOUNT * accounts)
    return workers, HELD_ISSUES // workers


def _archived_at(found: response_types.ChangedIssues) -> datetime | None:
    moment = found.get("archivedAt")
    return None if moment is None else datetime.fromisoformat(moment)


def _newest(found: response_types.Newest) -> datetime | None:
    moments = [node["updatedAt"] for node in found["nodes"] or () if node]
    return _no_later_than_now(moments[0]) if moments else None


def _second(moment: datetime) -> str:
    return f"{moment:%Y-%m-%dT%H:%M:%SZ}"


def _no_later_than_now(text: str) -> datetime:
    # What changes until a moment that is still to come would not be requested again.
    return min(datetime.fromisoformat(text), datetime.now(UTC))
