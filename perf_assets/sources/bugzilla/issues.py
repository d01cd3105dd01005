"""The bugs of a product or a component of Bugzilla."""

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from perf_assets.base.months import end_of, start_of
from perf_assets.config.repositories import Repository
from perf_assets.sources.bugzilla.client import BugzillaClient, Filter, conditions
from perf_assets.sources.bugzilla.lists import lists_of
from perf_assets.sources.bugzilla.rows import record_of
from perf_assets.sources.bugzilla.shapes import (
    BUG,
    BUG_FIELDS,
    COMMENT_FIELDS,
    LISTED_FIELDS,
    PLACE,
    PLACE_FIELDS,
    FlawError,
    Place,
    checked,
    count_in,
    entries,
    fitting,
    gap_of,
    is_restricted,
    listed_in,
)
from perf_assets.sources.bugzilla.spot import spot_of
from perf_assets.sources.bugzilla.walk import Entry, Field, moment_of, walk, written
from perf_assets.sources.issues.gaps import Gap
from perf_assets.sources.issues.listing import ListedIssues
from perf_assets.sources.issues.records import IssueRecord
from perf_assets.sources.issues.source import RemovedIssue
from perf_assets.sources.json_client import Parameters
from perf_assets.sources.rest_client import MissingError

Answer = TypeVar("Answer")

PAGE = 100  # bugs with their comments, of which some have hundreds
LONG_PAGE = 5000  # bugs without comments; a server gives up to 10,000, if nobody has changed that
NUMBERS_AT_ONCE = 200  # in an address
# Conditions are in the time zone of the server, which no answer says.
ANY_ZONE = timedelta(days=2)
PUBLIC: Filter = ("bug_group", "isempty", "")
# Mozilla's fork answers with comments and history; others leave out what they do not know.
FIELDS = (*BUG_FIELDS, *(f"comments.{name}" for name in COMMENT_FIELDS), "history")


class BugzillaIssues(ListedIssues):
    """Reads the bugs of ``repository``, which is named host/product or host/product/component."""

    client: BugzillaClient

    def __init__(self, client: BugzillaClient, repository: Repository) -> None:
        """Prepare the source; no request is sent."""
        super().__init__(client, repository)
        self.spot = spot_of(repository.name, client.url)
        self._server_counts = True

    def _archived_at(self) -> datetime | None:
        """Return None: Bugzilla says whether a product is closed, and not since when."""
        return None

    def _newest(self) -> datetime | None:
        parameters: Parameters = {"order": "changeddate DESC,bug_id DESC", "limit": 1}
        found = self._search(parameters, [], LISTED_FIELDS, listed_in)
        return max((moment_of(bug, "last_change_time") for bug in found), default=None)

    def _changed(self, since: datetime) -> Iterator[tuple[list[IssueRecord], list[Gap], datetime]]:
        field: Field = "last_change_time"
        for page in self._walk(field, since, FIELDS, PAGE):
            moments = [moment_of(entry, field) for entry, _ in page if entry is not None]
            yield *self._read_page(page), max(moments, default=since)

    def _opened(
        self, start: datetime, end: datetime
    ) -> Iterator[tuple[list[IssueRecord], list[Gap]]]:
        for page in self._opened_between(start, end, FIELDS, PAGE):
            yield self._read_page(page)

    def _count(self, start: datetime, end: datetime) -> int:
        return self._counts([(start, end)])[0]

    def counts(self, months: Sequence[str]) -> dict[str, int]:
        """Return the source's own number of bugs opened in each of ``months``."""
        spans = [(start_of(month), end_of(month)) for month in months]
        return dict(zip(months, self._counts(spans), strict=True))

    def find_removed(self, numbers: Sequence[int]) -> list[RemovedIssue]:
        """Return the removed bugs among stored ones: moved, deleted, or no longer public."""
        removed = []
        for first in range(0, len(numbers), NUMBERS_AT_ONCE):
            part = numbers[first : first + NUMBERS_AT_ONCE]
            parameters: Parameters = {"id": ",".join(map(str, part)), "limit": len(part)}
            places = self._places("bug", parameters)
            for number in part:
                # A search that fails may be an empty list: a bug that it lacks is requested alone.
                is_listed = number in places
                removed.append(
                    self._why_removed(places[number]) if is_listed else self._removed(number)
                )
        return [issue for issue in removed if issue is not None]

    def _removed(self, number: int) -> RemovedIssue | None:
        try:
            places = self._places(f"bug/{number}", {})
        except MissingError:
            return RemovedIssue(number, "deleted")
        return self._why_removed(places[number]) if number in places else None

    def _why_removed(self, place: Place) -> RemovedIssue | None:
        if is_restricted(place):
            return RemovedIssue(place["id"], "deleted")
        where = place["product"], place["component"]
        if self.spot.has(*where):
            return None
        moved_to = f"{self.spot.name_of(*where)}#{place['id']}"
        return RemovedIssue(place["id"], "transferred", moved_to)

    def _places(self, path: str, parameters: Parameters) -> dict[int, Place]:
        def read(content: object) -> dict[int, Place]:
            found = (fitting(PLACE, bug) for bug in entries(content, "bugs"))
            return {place["id"]: place for place in found if place is not None}

        fields = {"include_fields": ",".join(PLACE_FIELDS)}
        return self.client.ask(path, {**parameters, **fields}, read)

    def _search(
        self,
        parameters: Parameters,
        filters: list[Filter],
        fields: Sequence[str],
        read: Callable[[object], Answer],
    ) -> Answer:
        """Return what ``read`` makes of the answer to a search for our public bugs."""
        # Without a key, nothing is listed that is not public.
        public = [PUBLIC] if self.client.has_token else []
        asked = {**self.spot.parameters, **parameters, **conditions([*filters, *public])}
        return self.client.ask("bug", {**asked, "include_fields": ",".join(fields)}, read)

    def _walk(
        self,
        field: Field,
        since: datetime,
        fields: Sequence[str],
        size: int,
        filters: Sequence[Filter] = (),
        until: datetime | None = None,
    ) -> Iterator[list[Entry]]:
        """Yield pages of our public bugs, see :func:`walk`."""

        def ask(
            parameters: Parameters,
            more: list[Filter],
            read: Callable[[object], list[Entry]],
        ) -> list[Entry]:
            return self._search(parameters, [*filters, *more], fields, read)

        for page in walk(ask, field, since, size, until):
            yield [pair for pair in page if not is_restricted(pair[1])]

    def _opened_between(
        self, start: datetime, end: datetime, fields: Sequence[str], size: int
    ) -> Iterator[list[Entry]]:
        """Yield pages of the bugs that were opened from ``start`` to before ``end``."""
        field: Field = "creation_time"
        latest: Filter = ("creation_ts", "lessthan", f"{end.astimezone(UTC) + ANY_ZONE:%Y-%m-%d}")
        for page in self._walk(field, start, fields, size, [latest], end):
            yield [
                (entry, bug)
                for entry, bug in page
                if entry is None or moment_of(entry, field) < end
            ]

    def _counts(self, spans: Sequence[tuple[datetime, datetime]]) -> list[int]:
        """Return the numbers of bugs opened in spans: those opened since, without the later ones.

        A bug that is opened between two requests may be one too few, which a second count corrects.
        Where the server does not count, its bugs are listed.
        """
        since: dict[datetime, int] = {}
        for moment in sorted({moment for span in spans for moment in span}):
            if self._server_counts:
                since[moment] = self._opened_since(moment)
        if self._server_counts:
            return [since[start] - since[end] for start, end in spans]
        fields = (*LISTED_FIELDS, "groups")
        return [sum(map(len, self._opened_between(*span, fields, LONG_PAGE))) for span in spans]

    def _opened_since(self, moment: datetime) -> int:
        """Return the number of bugs opened since; 0 from a server that does not count."""
        if moment > datetime.now(UTC):
            return 0
        since = written(moment)
        parameters: Parameters = {"creation_time": since, "count_only": 1, "limit": 1}
        count = self._search(parameters, [], ("id",), count_in)
        self._server_counts = count is not None
        return count or 0

    def _read_page(self, page: Sequence[Entry]) -> tuple[list[IssueRecord], list[Gap]]:
        """Return the bugs of a page with what belongs to them, and those set aside."""
        gaps, bugs, answered = [], [], {}
        for _, answer in page:
            try:
                bug = checked(BUG, answer)
            except FlawError as flaw:
                gaps.append(gap_of(answer, "unusable", str(flaw)))
                continue
            if self.spot.has(bug["product"], bug["component"]):
                bugs.append(bug)
                answered[bug["id"]] = answer
        gone: set[int] = set()
        comments = lists_of(self.client, "comments", answered, gone)
        history = lists_of(self.client, "history", answered, gone)
        records = []
        for bug in bugs:
            number = bug["id"]
            if number in comments and number in history:
                records.append(record_of(bug, comments[number], history[number], self.spot))
            elif number not in gone:
                reason = "the answers lack its comments or its history"
                gaps.append(gap_of(answered[number], "missing", reason))
        return records, gaps
