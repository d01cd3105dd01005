"""The lists of GitLab's API, page by page; no address of an answer is followed.

Reference: https://docs.gitlab.com/api/rest/#pagination
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from perf_assets.base.sanitize import shortened
from perf_assets.sources.gitlab.shapes import moment_or_none
from perf_assets.sources.json_answers import AnswerError
from perf_assets.sources.json_client import Parameters
from perf_assets.sources.rest_client import RestClient

PER_PAGE = 100  # the most that the API gives
MOST_PAGES = 1_000  # of a list: more than any issue has, and than may be asked for by number
MOST_DIGITS = 9
MOST_BARREN = 10  # pages that follow each other and bring nothing new: all of theirs may be hidden
EXACT_TO = 1_000  # microseconds: answers have milliseconds, the database has more


@dataclass(frozen=True)
class Page:
    """The entries of a page, whether there is a next one, and how many there are in all."""

    entries: list[Any]
    has_next: bool
    total: int | None


class GitLabClient(RestClient):
    """Reads lists; an answer that is not one is asked for again, as are other faults."""

    def page(self, path: str, parameters: Parameters) -> Page:
        """Return one page of a list.

        Raises
        ------
        MissingError, RefusedError, PerfAssetsError
            As ``get`` raises them.
        """
        return self._tried(lambda: self._page(path, parameters))

    def entries(self, path: str, parameters: Parameters | None = None) -> list[Any]:
        """Return a whole list of something with ids, each entry once.

        Raises
        ------
        AnswerError
            Its pages do not end.
        """
        found: dict[object, Any] = {}
        number = barren = 0
        while number < MOST_PAGES and barren < MOST_BARREN:
            number += 1
            asked = {**(parameters or {}), "per_page": PER_PAGE, "page": number}
            page = self.page(path, asked)
            before = len(found)
            found |= {_key(entry, place): entry for place, entry in enumerate(page.entries, before)}
            if not page.has_next:
                return list(found.values())
            barren = 0 if len(found) > before else barren + 1
        raise self._unusable(path, "its pages do not end")

    def by_time(
        self, path: str, field: str, after: datetime, parameters: Parameters | None = None
    ) -> Iterator[tuple[list[Any], datetime]]:
        """Yield issues by ``field`` (created or updated) from ``after`` on, page by page.

        Each page is asked for by the time at which the last one ended, not by its number: an issue
        that changes meanwhile moves to the end, and would move others over the end of a page. With
        each page comes the time up to which all were given.

        Raises
        ------
        AnswerError
            The issues are not in their order, or their pages do not end.
        """
        reached, number, barren = _whole(after), 1, 0
        seen: set[object] = set()
        while number <= MOST_PAGES:
            asked: Mapping[str, Any] = {
                **{"scope": "all", "confidential": "false", "order_by": f"{field}_at"},
                **{"sort": "asc", "per_page": PER_PAGE, "page": number},
                **{f"{field}_after": in_utc(reached), **(parameters or {})},
            }
            page = self.page(path, asked)
            known = [(_key(entry, place), entry) for place, entry in enumerate(page.entries)]
            times = [moment_or_none(entry, f"{field}_at") for _, entry in known]
            moments = [datetime.fromisoformat(time) for time in times if time is not None]
            if moments != sorted(moments) or (moments and moments[0] < reached):
                raise self._unusable(path, f"it is not in the order of {field}_at")
            keys = [(key, time) for (key, _), time in zip(known, times, strict=True)]
            new = [entry for key, (_, entry) in zip(keys, known, strict=True) if key not in seen]
            last = _whole(moments[-1]) if moments else reached
            yield new, last
            if not page.has_next:
                return
            seen.update(keys)
            number = 1 if last > reached else number + 1
            barren = 0 if new else barren + 1
            if barren == MOST_BARREN:
                break
            reached = last
        raise self._unusable(path, "its pages do not end")

    def _unusable(self, path: str, why: str) -> AnswerError:
        return AnswerError(
            f"{self._begin}: {path}: {why}; run again later, what was stored is kept"
        )

    def _page(self, path: str, parameters: Parameters) -> Page:
        answer = self._answer(path, parameters)
        if not isinstance(answer.data, list):
            raise ValueError(f"a list is needed, and this is {shortened(answer.data, 80)}")
        following = answer.headers.get("X-Next-Page")
        is_full = len(answer.data) >= int(str(parameters.get("per_page", PER_PAGE)))
        total = answer.headers.get("X-Total", "")
        is_number = total.isascii() and total.isdecimal() and len(total) <= MOST_DIGITS
        return Page(
            answer.data,
            is_full if following is None else following.strip() != "",
            int(total) if is_number else None,
        )


def in_utc(moment: datetime) -> str:
    """Return a moment as the API reads it."""
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%f}Z"


def _whole(moment: datetime) -> datetime:
    """Return a moment as exact as answers are."""
    return moment.replace(microsecond=moment.microsecond // EXACT_TO * EXACT_TO)


def _key(entry: object, place: int) -> object:
    """Return what tells an entry from others: its id, or where it has none, its place."""
    key = entry.get("id", entry.get("iid")) if isinstance(entry, dict) else None
    return key if isinstance(key, int) else f"place {place}"
