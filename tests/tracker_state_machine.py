"""A tracker that lives: issues come, change and go as they do on GitHub, served on loopback."""

import random
from datetime import UTC, datetime, timedelta
from typing import Any

from perf_assets.base.corpus import Corpus, Record
from perf_assets.base.months import start_of

NAME, ELSEWHERE = "o/n", "o/other"
LABELS = ("performance", "feature", "triaged")
WRITES = (
    "open",
    "edit",
    "label",
    "unlabel",
    "comment",
    "delete_comment",
    "close",
    "reopen",
    "transfer_in",
)
LEAVES = ("transfer", "delete", "convert")


class Life:
    """The issues of ``o/n``; every method is something that may happen, at the time of ``now``.

    A method that finds no issue it could happen to does nothing. What happens to an issue shows
    in its ``updated_at``; an issue that leaves shows in nothing at all.
    """

    def __init__(self, seed: int = 0, start: str = "2020-01") -> None:
        self.chance = random.Random(seed)
        self.now: datetime = start_of(start)
        self.issues: dict[int, Record] = {}
        self.comments: dict[int, list[Record]] = {}
        self.events: dict[int, list[Record]] = {}
        self.archived_at: str | None = None
        self.departed: dict[int, str | None] = {}
        self.last = 0

    def corpus(self) -> Corpus:
        """The tracker as it is now, independent of what happens later."""
        return Corpus(
            NAME,
            {number: dict(issue) for number, issue in sorted(self.issues.items())},
            {number: list(rows) for number, rows in self.comments.items() if rows},
            {number: list(rows) for number, rows in self.events.items() if rows},
            {},
            dict(self.departed),
            self.archived_at,
        )

    def happen(self, what: str) -> None:
        """Let ``what`` happen, some time after what happened before."""
        self.now += timedelta(seconds=self.chance.choice((0, 1, 3600, 400_000)))
        getattr(self, what)()

    # What writes to an issue

    def open(self) -> None:
        self._new(self.now)

    def transfer_in(self) -> None:
        earlier = start_of("2020-01") + (self.now - start_of("2020-01")) * self.chance.random()
        number = self._new(earlier.replace(microsecond=0))
        self._event(number, "transferred", from_repository=ELSEWHERE)

    def edit(self) -> None:
        if issue := self._any():
            issue["title"] = f"Edited {self._next()}"
            self._touch(issue)

    def label(self) -> None:
        if issue := self._any():
            name = self.chance.choice(LABELS)
            if name not in (label["name"] for label in issue["labels"]):
                issue["labels"] = [*issue["labels"], {"name": name}]
                self._event(issue["number"], "labeled", label={"name": name})

    def unlabel(self) -> None:
        if issue := self._any(lambda issue: bool(issue["labels"])):
            *left, gone = issue["labels"]
            issue["labels"] = left
            self._event(issue["number"], "unlabeled", label=gone)

    def comment(self) -> None:
        if issue := self._any():
            self.comment_on(issue["number"], {"login": "a"})

    def comment_on(self, number: int, user: Record | None) -> None:
        moment = _text(self.now)
        row = {"id": self._next(), "issue_number": number, "user": user}
        row |= {"body": "Any news?", "created_at": moment, "updated_at": moment}
        self.comments.setdefault(number, []).append(row)
        self._touch(self.issues[number])

    def delete_comment(self) -> None:
        if issue := self._any(lambda issue: bool(self.comments.get(issue["number"]))):
            self.comments[issue["number"]].pop(0)
            self._touch(issue)

    def close(self) -> None:
        if issue := self._any(lambda issue: issue["state"] == "open"):
            issue |= {"state": "closed", "closed_at": _text(self.now)}
            self._event(issue["number"], "closed")

    def reopen(self) -> None:
        if issue := self._any(lambda issue: issue["state"] == "closed"):
            issue |= {"state": "open", "closed_at": None}
            self._event(issue["number"], "reopened")

    def edit_one_of(self, month: str) -> None:
        """A day later, so that no update is as new."""
        self.now += timedelta(days=1)
        issue = next(one for one in self.issues.values() if one["created_at"].startswith(month))
        issue["title"] = f"Edited {self._next()}"
        self._touch(issue)

    # What takes an issue away

    def transfer(self) -> None:
        if issue := self._any():
            self._leave(issue["number"])
            self.departed[issue["number"]] = f"{ELSEWHERE}#{issue['number']}"

    def delete(self) -> None:
        if issue := self._any():
            self._leave(issue["number"])

    def convert(self) -> None:
        if issue := self._any():
            self._leave(issue["number"])
            self.departed[issue["number"]] = None

    def _leave(self, number: int) -> None:
        for records in (self.issues, self.comments, self.events):
            records.pop(number, None)  # type: ignore[attr-defined]

    def _new(self, created: datetime) -> int:
        number = self._next()
        self.issues[number] = {
            "number": number,
            "title": f"Issue {number}",
            "body": None,
            "user": {"login": "a"},
            "state": "open",
            "created_at": _text(created),
            "closed_at": None,
            "updated_at": _text(self.now),
            "labels": [],
            "html_url": f"https://github.com/{NAME}/issues/{number}",
        }
        return number

    def _any(self, condition: Any = lambda issue: True) -> Record | None:
        fitting = [issue for issue in self.issues.values() if condition(issue)]
        return self.chance.choice(fitting) if fitting else None

    def _event(self, number: int, kind: str, **more: Any) -> None:
        row = {"id": self._next(), "issue_number": number, "event": kind, "actor": {"login": "a"}}
        self.events.setdefault(number, []).append(row | {"created_at": _text(self.now)} | more)
        self._touch(self.issues[number])

    def _touch(self, issue: Record) -> None:
        issue["updated_at"] = _text(self.now)

    def _next(self) -> int:
        self.last += 1
        return self.last


def _text(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
