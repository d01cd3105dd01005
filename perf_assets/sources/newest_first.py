"""Questions of an API whose lists begin with the newest, and can be entered nowhere else."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import polars as pl

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.months import start_of
from perf_assets.config.forums import Forum, TagSet
from perf_assets.sources.posts import ANSWER, API_QUESTION, COMMENT, Dump, Read, as_stored

CREATED, ACTIVITY = "created", "activity"
MOST_BARREN = 10  # pages that follow each other and repeat what was there
AT_ONCE = 50  # questions that changed are handed on together


class Listed(Protocol):
    """A question in a list."""

    @property
    def number(self) -> int:
        """Return the forum's number of it."""

    @property
    def created_at(self) -> datetime:
        """Return when it was asked."""

    @property
    def active_at(self) -> datetime:
        """Return when something happened in it last."""

    @property
    def is_pinned(self) -> bool:
        """Return whether it is before all others, however old it is."""


class Described(NamedTuple):
    """A question with its answers and comments, each by the columns of its table."""

    question: dict[str, Any]
    answers: list[dict[str, Any]]
    comments: list[dict[str, Any]]


Item = TypeVar("Item", bound=Listed)


class NewestFirst(ABC, Generic[Item]):
    """The questions of one tag set: what the sources of such APIs have in common."""

    def __init__(self, forum: Forum, tag_set: TagSet) -> None:
        """Prepare the source; no request is sent."""
        self.forum, self.tag_set = forum, tag_set
        self._created: dict[int, Item] = {}
        self._created_since: datetime | None = None

    @property
    def dump(self) -> Dump | None:
        """Return the state of the dump that it reads; None of an API."""
        return None

    @abstractmethod
    def lists(self) -> Iterator[str]:
        """Yield the lists that have the questions of the tag set."""

    @abstractmethod
    def pages(self, name: str, order: str) -> Iterator[list[Item]]:
        """Yield the pages of a list, sorted by ``order``; none of a list that is not there."""

    @abstractmethod
    def tags_of(self, item: Item) -> list[str]:
        """Return the tags of a listed question, and its categories as a study writes them."""

    @abstractmethod
    def describe(self, item: Item) -> Described | None:
        """Return a question as it is now; None if it is gone."""

    def newest_activity(self) -> datetime | None:
        """Return the time of the last activity in any of its questions; None without questions."""
        moments = [item.active_at for page in self._first_pages() for item in page or ()]
        return max(moments, default=None)

    def month(self, month: str) -> Read:
        """Return all questions of ``month``, as they are now.

        The lists are read once, back to the oldest month that is needed.
        """
        start = start_of(month)
        if self._created_since is None or start < self._created_since:
            self._created = self._listed(CREATED, start, lambda item: item.created_at)
            self._created_since = start
        mine = [
            item
            for item in self._created.values()
            if f"{item.created_at:%Y-%m}" == month and self._is_mine(self.tags_of(item))
        ]
        return self._read(sorted(mine, key=lambda item: item.number), month)

    def changed(self, since: datetime) -> Iterator[Read]:
        """Yield the questions in which something happened since, some at a time, oldest first."""
        listed = self._listed(ACTIVITY, since, lambda item: item.active_at)
        has = self.tag_set.has
        found = [item for item in listed.values() if has(set(self.tags_of(item)))]
        found.sort(key=lambda item: (item.active_at, item.number))
        for start in range(0, len(found), AT_ONCE):
            yield self._read(found[start : start + AT_ONCE])

    def _first_pages(self) -> Iterator[list[Item] | None]:
        """Yield the questions of the newest activity in each list; None for one that is not."""
        for name in self.lists():
            yield next(self.pages(name, ACTIVITY), None)

    def _listed(
        self, order: str, since: datetime, moment: Callable[[Item], datetime]
    ) -> dict[int, Item]:
        """Return the questions whose ``moment`` is not before ``since``, of lists sorted by it."""
        found: dict[int, Item] = {}
        for name in self.lists():
            seen: set[int] = set()
            barren = 0
            for page in self.pages(name, order):
                numbers = {item.number for item in page}
                barren = barren + 1 if numbers and numbers <= seen else 0
                if barren == MOST_BARREN:
                    raise PerfAssetsError(
                        f"{self.tag_set.name}: the pages of a list of the forum do not end; run "
                        "again later, what was stored is kept"
                    )
                seen |= numbers
                found |= {item.number: item for item in page if moment(item) >= since}
                if any(moment(item) < since for item in page if not item.is_pinned):
                    break
        return found

    def _is_mine(self, tags: Sequence[str]) -> bool:
        return self.forum.set_of(set(tags)) == self.tag_set

    def _read(self, listed: Sequence[Item], month: str | None = None) -> Read:
        """Return these questions with their answers and comments, as they are stored.

        With ``month`` those of another month, or of an earlier tag set by now, are left out.
        """
        found = [
            described
            for item in listed
            if (described := self.describe(item)) is not None
            and self._belongs(described.question, month)
        ]
        answers = [answer for one in found for answer in one.answers]
        comments = [comment for one in found for comment in one.comments]
        batch = as_stored(
            self.forum,
            self.tag_set,
            pl.DataFrame([one.question for one in found], schema=API_QUESTION),
            # A post may be moved to another question while they are read.
            pl.DataFrame(answers, schema=ANSWER).unique("answer_id", keep="last"),
            pl.DataFrame(comments, schema={**COMMENT, "question_id": pl.Int64}).unique(
                "comment_id", keep="last"
            ),
            "api" if self.dump is None else "dump",
        )
        return Read(batch, batch.questions.height, batch.answers.height)

    def _belongs(self, question: dict[str, Any], month: str | None) -> bool:
        return month is None or (question["month"] == month and self._is_mine(question["tags"]))
