"""Issues of one repository: what changed, how many there are, and whole cohorts of them."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import pairwise
from typing import Any, TypeVar

from perf_assets.errors import PerfAssetsError
from perf_assets.months import end_of, months_between, start_of
from perf_assets.sanitize import escape_text, shortened
from perf_assets.sources.github import queries, response_types, responses
from perf_assets.sources.github.batches import EMPTY_BATCH, IssueBatch, joined, to_frames
from perf_assets.sources.github.client import GitHubClient, Spent
from perf_assets.sources.github.paging import OpenPage, Paging
from perf_assets.sources.github.prefetch import Job, in_order
from perf_assets.sources.github.response_types import Issue

Shape = TypeVar("Shape")

PAGE = 100
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
SEARCH_LIMIT = 1000  # https://docs.github.com/rest/search: a search returns no more
COUNTS_PER_REQUEST = 40
RESTS_PER_REQUEST = 40
HELD_ISSUES = 1000  # read and not yet stored: what a run that is killed reads again
# GitHub advises against many requests at once, and limits them:
# https://docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api
REQUESTS_AT_ONCE_PER_ACCOUNT = 2
REQUESTS_AT_ONCE = 4


@dataclass(frozen=True)
class Look:
    """Issues changed since we last looked, and the newest update up to which these are all.

    ``totals`` are GitHub's own numbers of issues opened in the requested spans of months.
    ``is_last``: no more have changed. ``archived_at``: since when the repository is archived.
    """

    newest_update: datetime | None
    changed: IssueBatch
    totals: tuple[int, ...] = ()
    is_last: bool = True
    archived_at: datetime | None = None


@dataclass(frozen=True)
class Part:
    """Issues that were read, what that cost, and why they are none where they cannot be used."""

    batch: IssueBatch
    spent: Spent
    trouble: responses.AnswerError | None = None


@dataclass(frozen=True)
class Departure:
    """An issue that is no longer where it was: why, and where it is now if GitHub says so."""

    number: int
    reason: str
    moved_to: str | None = None


class IssueSource:
    """Reads the issues of ``repository`` through ``client``."""

    def __init__(self, client: GitHubClient, repository: str) -> None:
        """No request is sent yet."""
        self.client = client
        self.repository = repository
        self._owner, self._name = repository.split("/")

    def look(self, since: datetime | None) -> Look:
        """Everything that changed at or after ``since`` (``None``: only whether it is there)."""
        looks = list(self.looks(since))
        return replace(looks[-1], changed=joined([look.changed for look in looks]))

    def looks(self, since: datetime | None, spans: Sequence[Sequence[str]] = ()) -> Iterator[Look]:
        """What changed at or after ``since``, oldest change first, ``HELD_ISSUES`` at a time.

        ``spans`` are lists of months that follow each other; their issues are counted by the way.
        """
        if since is None:
            there = self._request(response_types.ChangePageQuery, queries.LOOK, self._names())[
                "repository"
            ]
            self._check_name(there["nameWithOwner"])
            archived_at = _archived_at(there)
            yield Look(_newest(there["issues"]), EMPTY_BATCH, archived_at=archived_at)
            return
        nodes: dict[str, Issue] = {}
        newest: datetime | None = None
        totals: tuple[int, ...] = ()
        variables = {**self._names(), "since": since.strftime("%Y-%m-%dT%H:%M:%SZ")}
        counted = {
            f"q{index}": self._created(start_of(span[0]), end_of(span[-1]))
            for index, span in enumerate(spans)
        }
        after: str | None = None
        paging = Paging(self.repository)
        while True:
            sent = {**variables, **counted, "after": after}
            size = FEW_CHANGES if after is None else PAGE
            data = self.client.query(queries.changed_document(len(counted)), sent, first=size)
            found = self._checked(response_types.Changed, data)["repository"]
            self._check_name(found["nameWithOwner"])
            # The first answer decides: what changes while we read is found by the next look.
            newest = newest or _newest(found["newest"])
            totals = totals or tuple(self._counts(data, len(counted)))
            counted = {}
            nodes |= {node["id"]: node for node in found["issues"]["nodes"]}
            after = paging.next(found["issues"])
            if after is None:
                batch = self._batch(list(nodes.values()))
                yield Look(newest, batch, totals, archived_at=_archived_at(found))
                return
            if len(nodes) >= HELD_ISSUES:
                # An issue that changes meanwhile moves to the end of the list, and comes again.
                batch = self._batch(list(nodes.values()))
                reached = max(node["updatedAt"] for node in found["issues"]["nodes"])
                yield Look(_no_later_than_now(reached), batch, is_last=False)
                nodes = {}

    def counts(self, months: Sequence[str]) -> dict[str, int]:
        """GitHub's own number of issues opened in each of ``months``."""
        counts: dict[str, int] = {}
        for start in range(0, len(months), COUNTS_PER_REQUEST):
            part = months[start : start + COUNTS_PER_REQUEST]
            document = queries.counts_document(len(part))
            variables = {
                f"q{index}": self._created(start_of(month), end_of(month))
                for index, month in enumerate(part)
            }
            found = self._counts(self.client.query(document, variables), len(part))
            counts |= dict(zip(part, found, strict=True))
        return counts

    def whereabouts(self, numbers: Sequence[int]) -> list[Departure]:
        """What became of issues that were here; one that still is has no entry."""
        departures = []
        for start in range(0, len(numbers), COUNTS_PER_REQUEST):
            part = numbers[start : start + COUNTS_PER_REQUEST]
            numbered = {f"n{index}": number for index, number in enumerate(part)}
            document = queries.whereabouts_document(len(part))
            data = self.client.query(document, {**self._names(), **numbered}, may_lack=True)
            found = data.get("repository")
            here = self._parts(response_types.Locations, found, "i", len(part))
            discussions = self._parts(response_types.Discussions, found, "d", len(part))
            for index, number in enumerate(part):
                departure = self._departure(number, here[f"i{index}"], discussions[f"d{index}"])
                departures += [] if departure is None else [departure]
        return departures

    def _departure(
        self,
        number: int,
        found: response_types.Here | None,
        discussion: response_types.Discussion | None,
    ) -> Departure | None:
        if found is None and discussion is None:
            return Departure(number, "deleted")
        if found is None:
            return Departure(number, "converted_to_a_discussion")
        name = found["repository"]["nameWithOwner"]
        if name.casefold() == self.repository.casefold() and found["number"] == number:
            return None
        return Departure(number, "transferred", f"{name}#{found['number']}")

    def cohorts(self, counts: dict[str, int]) -> Iterator[tuple[list[str], IssueBatch]]:
        """Whole cohorts of the months of ``counts``, in order, a window of months at a time.

        Windows are read ahead by a few threads, and large ones in parts. At most ``HELD_ISSUES``
        are read before they are stored, but for a month that alone has more. What a window cost
        is charged when it is given back.

        Raises
        ------
        AnswerError
            After all months that can be had: GitHub's answers for another cannot be used.
        """
        workers, size = _division(len(self.client.accounts.all))
        groups = list(windows(counts, size))
        jobs = [self._job(months, sum(map(counts.__getitem__, months)), size) for months in groups]
        trouble: responses.AnswerError | None = None
        with closing(in_order(jobs, workers, HELD_ISSUES)) as results:
            for months, parts in zip(groups, results, strict=True):
                for part in parts:
                    self.client.spent.add(part.spent)
                if not any(part.trouble for part in parts):
                    yield months, joined([part.batch for part in parts])
                    continue
                # Months whose answers can be used need not wait for those whose cannot.
                for month in months:
                    part = self._read(start_of(month), end_of(month))
                    self.client.spent.add(part.spent)
                    if part.trouble is None:
                        yield [month], part.batch
                    trouble = trouble or part.trouble
        if trouble is not None:
            raise trouble

    def changed_count(self, since: datetime) -> int:
        """How many issues were updated at or after ``since``."""
        sent = {**self._names(), "since": since.strftime("%Y-%m-%dT%H:%M:%SZ")}
        found = self._request(response_types.ChangedCount, queries.CHANGED_COUNT, sent)[
            "repository"
        ]
        self._check_name(found["nameWithOwner"])
        return found["issues"]["totalCount"]

    def _job(self, months: list[str], count: int, size: int) -> Job["Part"]:
        """A window, cut into spans of time that have about ``size`` issues each."""
        start, end = start_of(months[0]), end_of(months[-1])
        pieces = -(-count // size)
        cuts = [
            start + timedelta(seconds=int((end - start).total_seconds() * index / pieces))
            for index in range(pieces)
        ]
        return Job(count, [partial(self._read, *span) for span in pairwise([*cuts, end])])

    def _read(self, start: datetime, end: datetime) -> "Part":
        """The issues opened from ``start`` to before ``end``, and what they cost."""
        spent = Spent()
        with self.client.charging(spent):
            try:
                nodes = {node["id"]: node for node in self._search(start, end)}
                return Part(self._batch(list(nodes.values())), spent)
            except responses.AnswerError as error:
                return Part(EMPTY_BATCH, spent, error)

    def _names(self) -> dict[str, Any]:
        return {"owner": self._owner, "name": self._name}

    def _created(self, start: datetime, end: datetime) -> str:
        last = end - timedelta(seconds=1)
        window = f"{start:%Y-%m-%dT%H:%M:%SZ}..{last:%Y-%m-%dT%H:%M:%SZ}"
        return f"repo:{self.repository} is:issue created:{window} sort:created-asc"

    def _request(self, shape: type[Shape], document: str, variables: dict[str, Any]) -> Shape:
        return self._checked(shape, self.client.query(document, variables))

    def _checked(self, shape: type[Shape], data: object, **numbers: int) -> Shape:
        return responses.checked(shape, data, self.repository, numbers, self.client.accounts.hide)

    def _parts(
        self, shape: type[Shape], data: object, letter: str, size: int, **numbers: int
    ) -> Shape:
        """The parts of an answer that were requested under a letter and their index."""
        held = data if isinstance(data, dict) else {}
        keys = [f"{letter}{index}" for index in range(size)]
        for key in keys:
            if key not in held:  # which is not to be taken for null
                subject = f"{self.repository}#{numbers[key]}" if key in numbers else self.repository
                raise responses.unusable(subject, f"{key}: this key is missing")
        return self._checked(shape, {key: held[key] for key in keys}, **numbers)

    def _counts(self, data: dict[str, Any], size: int) -> list[int]:
        found = self._parts(response_types.Counts, data, "c", size)
        return [found[f"c{index}"]["issueCount"] for index in range(size)]

    def _quoted(self, text: str) -> str:
        return shortened(self.client.accounts.hide(escape_text(text)), 150)

    def _check_name(self, name: str) -> None:
        if name.casefold() != self.repository.casefold():
            raise PerfAssetsError(
                f"repository {self.repository} is called {self._quoted(name)} now: "
                "write the new name in the study file, and this one among its aliases"
            )

    def _search(self, start: datetime, end: datetime) -> Iterator[Issue]:
        """Issues opened from ``start`` to before ``end``; the window is halved where it is full."""
        query = self._created(start, end)
        after: str | None = None
        paging = Paging(self.repository)
        while True:
            sent = {"query": query, "after": after}
            data = self.client.query(queries.SEARCH, sent, first=PAGE)
            found = self._checked(response_types.Search, data)["search"]
            if found["issueCount"] > SEARCH_LIMIT:
                middle = start + timedelta(seconds=int((end - start).total_seconds()) // 2)
                if middle == start:
                    raise PerfAssetsError(
                        f"{self.repository}: more than {SEARCH_LIMIT} issues opened in the second "
                        f"{start:%Y-%m-%dT%H:%M:%SZ}, more than GitHub's search can list"
                    )
                yield from self._search(start, middle)
                yield from self._search(middle, end)
                return
            yield from (node for node in found["nodes"] if node)
            after = paging.next(found)
            if after is None:
                return

    def _batch(self, nodes: list[Issue]) -> IssueBatch:
        self._complete(nodes)
        return to_frames(nodes, self.repository)

    def _complete(self, nodes: list[Issue]) -> None:
        """Page every nested connection to its end, several at a request."""
        open_pages = [
            OpenPage(node, connection, paging, cursor)
            for node in nodes
            for connection in queries.CONNECTIONS
            if (paging := Paging(f"{self.repository}#{node['number']}"))
            and (cursor := paging.next(_page(node, connection))) is not None
        ]
        while open_pages:
            now, open_pages = open_pages[:RESTS_PER_REQUEST], open_pages[RESTS_PER_REQUEST:]
            document = queries.rest_document([one.connection for one in now])
            variables: dict[str, Any] = {}
            for index, one in enumerate(now):
                variables |= {f"id{index}": one.issue["id"], f"after{index}": one.cursor}
            data = self.client.query(document, variables, first=PAGE)
            numbers = {f"n{index}": one.issue["number"] for index, one in enumerate(now)}
            found = self._parts(response_types.Rests, data, "n", len(now), **numbers)
            for index, one in enumerate(now):
                page = _page(found[f"n{index}"], one.connection)
                cursor = one.paging.next(page)
                one.add(page)
                if cursor is not None:
                    open_pages.append(replace(one, cursor=cursor))


def pages(counts: dict[str, int], accounts: int) -> int:
    """How many pages of issues ``IssueSource.cohorts`` reads, threads longer than a page aside."""
    _, size = _division(accounts)
    total = 0
    for months in windows(counts, size):
        count = sum(map(counts.__getitem__, months))
        pieces = -(-count // size)
        total += pieces and pieces * -(-count // (pieces * PAGE))
    return total


def _division(accounts: int) -> tuple[int, int]:
    """How many threads read with so many accounts, and how many issues each at a time."""
    workers = min(REQUESTS_AT_ONCE, REQUESTS_AT_ONCE_PER_ACCOUNT * accounts)
    return workers, HELD_ISSUES // workers


def windows(counts: dict[str, int], size: int = SEARCH_LIMIT) -> Iterator[list[str]]:
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


def _archived_at(
    found: response_types.ChangePage | response_types.ChangedIssues,
) -> datetime | None:
    moment = found.get("archivedAt")
    return None if moment is None else datetime.fromisoformat(moment)


def _newest(found: response_types.Newest) -> datetime | None:
    return _no_later_than_now(found["nodes"][0]["updatedAt"]) if found["nodes"] else None


def _no_later_than_now(text: str) -> datetime:
    # What changes until a moment that is still to come would not be requested again.
    return min(datetime.fromisoformat(text), datetime.now(UTC))


def _page(issue: Mapping[str, Any], connection: str) -> Mapping[str, Any] | None:
    # GitHub may leave a connection out that has nothing to show.
    page: Mapping[str, Any] | None = issue.get(connection)
    return page
