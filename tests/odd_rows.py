"""One odd record of each kind that real trackers and histories have, planted into a small corpus.

Each belongs to an issue of its own, or is a commit of its own: whatever becomes of it, what is
stored and computed of all others must be as without it.
"""

import gzip
import json
import os
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Record = dict[str, Any]

FIRST_NUMBER = 7_000
OPENED, LATER, CLOSED = "2020-02-03T10:00:00Z", "2020-02-04T10:00:00Z", "2020-03-05T10:00:00Z"
BEFORE, LONG_BEFORE, FUTURE = "2020-02-01T10:00:00Z", "2009-01-01T00:00:00Z", "2199-01-01T00:00:00Z"
PARTS = ("issues", "comments", "events", "pulls")


@dataclass
class Tracker:
    """A corpus in ``directory`` to add records to; nothing is written before the end."""

    directory: Path
    records: dict[str, list[Record]] = field(default_factory=dict)
    next_id: int = 900_000_000

    def __post_init__(self) -> None:
        """Read what is there."""
        for part in PARTS:
            with gzip.open(self.directory / f"{part}.jsonl.gz", "rt", encoding="utf-8") as lines:
                self.records[part] = [json.loads(line) for line in lines]

    def write(self) -> None:
        """Write all of it."""
        for part, records in self.records.items():
            with gzip.open(self.directory / f"{part}.jsonl.gz", "wt", encoding="utf-8") as file:
                file.writelines(json.dumps(record) + "\n" for record in records)

    def issue(self, number: int, **changes: Any) -> Record:
        """Add an open issue, with other values than usual; None leaves a key out."""
        record = {
            "number": number,
            "title": f"odd record {number} fails to load",
            "body": f"what number {number} says",
            "user": person(f"reporter{number}"),
            "author_association": "NONE",
            "labels": [],
            "state": "open",
            "created_at": OPENED,
            "updated_at": LATER,
            "closed_at": None,
            **changes,
        }
        self.records["issues"].append(record)
        return record

    def comment(self, number: int, **changes: Any) -> Record:
        """Add a comment of an issue."""
        record = {
            "id": self._id(),
            "issue_number": number,
            "created_at": LATER,
            "user": person(f"commenter{number}"),
            "author_association": "NONE",
            "body": f"seen on {number} too",
            **changes,
        }
        self.records["comments"].append(record)
        return record

    def event(self, number: int, kind: str, **changes: Any) -> Record:
        """Add an event of an issue."""
        record = {
            "id": self._id(),
            "issue_number": number,
            "event": kind,
            "created_at": LATER,
            "actor": person(f"actor{number}"),
            **changes,
        }
        self.records["events"].append(record)
        return record

    def _id(self) -> int:
        self.next_id += 1
        return self.next_id


def person(login: str) -> Record:
    """An account as REST has it."""
    return {"login": login, "type": "User"}


def label(name: str) -> Record:
    """A label as REST has it."""
    return {"name": name}


def without(record: Record, *keys: str) -> None:
    """Take ``keys`` out of a record."""
    for key in keys:
        del record[key]


Plant = Callable[[Tracker, int], object]
KINDS: dict[str, Plant] = {}


def kind(plant: Plant) -> Plant:
    """Name a kind after the function that plants it."""
    KINDS[plant.__name__] = plant
    return plant


def _closed(tracker: Tracker, number: int, closed_at: str, **changes: Any) -> None:
    tracker.issue(number, state="closed", closed_at=closed_at, **changes)
    tracker.event(number, "closed", created_at=closed_at)


# ---- times


@kind
def comment_before_its_issue(tracker: Tracker, number: int) -> None:
    tracker.issue(number)
    tracker.comment(number, created_at=BEFORE)


@kind
def comment_of_a_member_years_before_its_issue(tracker: Tracker, number: int) -> None:
    tracker.issue(number)
    tracker.comment(number, created_at=LONG_BEFORE, author_association="MEMBER")


@kind
def comment_in_the_future(tracker: Tracker, number: int) -> None:
    tracker.issue(number)
    tracker.comment(number, created_at=FUTURE)


@kind
def comment_at_the_moment_of_its_issue(tracker: Tracker, number: int) -> None:
    tracker.issue(number)
    tracker.comment(number, created_at=OPENED)


@kind
def closed_before_it_was_opened(tracker: Tracker, number: int) -> None:
    _closed(tracker, number, BEFORE)


@kind
def closed_at_the_moment_of_its_opening(tracker: Tracker, number: int) -> None:
    _closed(tracker, number, OPENED)


@kind
def closed_in_the_future(tracker: Tracker, number: int) -> None:
    _closed(tracker, number, FUTURE)


@kind
def updated_before_it_was_opened(tracker: Tracker, number: int) -> None:
    tracker.issue(number, updated_at=BEFORE)


@kind
def updated_in_the_future(tracker: Tracker, number: int) -> None:
    tracker.issue(number, updated_at=FUTURE)


@kind
def opened_before_the_repository(tracker: Tracker, number: int) -> None:
    tracker.issue(number, created_at=LONG_BEFORE)


@kind
def opened_at_the_epoch(tracker: Tracker, number: int) -> None:
    tracker.issue(number, created_at="1970-01-01T00:00:00Z")


@kind
def opened_in_the_future(tracker: Tracker, number: int) -> None:
    tracker.issue(number, created_at=FUTURE, updated_at=FUTURE)


@kind
def times_of_another_zone(tracker: Tracker, number: int) -> None:
    tracker.issue(number, created_at="2020-02-29T23:30:00-05:00", updated_at="2020-03-01T05:00:00Z")


@kind
def times_with_fractions(tracker: Tracker, number: int) -> None:
    tracker.issue(number, created_at="2020-02-03T10:00:00.123456Z")


@kind
def times_that_are_none(tracker: Tracker, number: int) -> None:
    tracker.issue(number, created_at="0000-00-00T00:00:00Z")


# ---- history


@kind
def closed_event_before_the_opening(tracker: Tracker, number: int) -> None:
    tracker.issue(number, state="closed", closed_at=CLOSED)
    tracker.event(number, "closed", created_at=BEFORE)


@kind
def labeled_before_the_opening(tracker: Tracker, number: int) -> None:
    tracker.issue(number, labels=[label("bug")])
    tracker.event(number, "labeled", created_at=BEFORE, label=label("bug"))


@kind
def event_in_the_future(tracker: Tracker, number: int) -> None:
    tracker.issue(number)
    tracker.event(number, "labeled", created_at=FUTURE, label=label("bug"))


@kind
def reopened_and_never_closed(tracker: Tracker, number: int) -> None:
    tracker.issue(number)
    tracker.event(number, "reopened")


@kind
def closed_twice(tracker: Tracker, number: int) -> None:
    _closed(tracker, number, CLOSED)
    tracker.event(number, "closed")


@kind
def closed_without_an_event(tracker: Tracker, number: int) -> None:
    tracker.issue(number, state="closed", closed_at=CLOSED)
    tracker.event(number, "labeled", label=label("bug"))


@kind
def closed_and_nothing_says_when(tracker: Tracker, number: int) -> None:
    tracker.issue(number, state="closed")


@kind
def open_with_a_time_of_closing(tracker: Tracker, number: int) -> None:
    tracker.issue(number, closed_at=CLOSED)


@kind
def label_renamed_in_the_repository(tracker: Tracker, number: int) -> None:
    tracker.issue(number, labels=[label("area: speed")])
    tracker.event(number, "labeled", label=label("performance"))


@kind
def label_deleted_in_the_repository(tracker: Tracker, number: int) -> None:
    tracker.issue(number)
    tracker.event(number, "labeled", label=label("needs triage"))


@kind
def label_without_an_event(tracker: Tracker, number: int) -> None:
    tracker.issue(number, labels=[label("performance")])


@kind
def label_taken_off_and_never_put_on(tracker: Tracker, number: int) -> None:
    tracker.issue(number)
    tracker.event(number, "unlabeled", label=label("performance"))


@kind
def label_put_on_twice(tracker: Tracker, number: int) -> None:
    tracker.issue(number, labels=[label("odd one"), label("odd one")])
    tracker.event(number, "labeled", label=label("odd one"))
    tracker.event(number, "labeled", label=label("odd one"))


@kind
def issue_that_moved_here(tracker: Tracker, number: int) -> None:
    tracker.issue(number)
    tracker.event(number, "transferred", created_at=BEFORE)


@kind
def renamed_without_the_titles(tracker: Tracker, number: int) -> None:
    tracker.issue(number)
    tracker.event(number, "renamed")


@kind
def labeled_without_the_label(tracker: Tracker, number: int) -> None:
    tracker.issue(number)
    tracker.event(number, "labeled")


@kind
def event_of_an_unknown_kind(tracker: Tracker, number: int) -> None:
    tracker.issue(number)
    tracker.event(number, "teleported")


@kind
def closed_by_a_commit_that_is_none(tracker: Tracker, number: int) -> None:
    tracker.issue(number, state="closed", closed_at=CLOSED)
    tracker.event(number, "closed", created_at=CLOSED, commit_id="0" * 40)


@kind
def locked_as_spam(tracker: Tracker, number: int) -> None:
    tracker.issue(number, active_lock_reason="spam", locked=True)


# ---- identity


@kind
def comment_that_stands_twice(tracker: Tracker, number: int) -> None:
    tracker.issue(number)
    tracker.records["comments"].append(tracker.comment(number))


@kind
def comment_id_of_another_issue(tracker: Tracker, number: int) -> None:
    tracker.issue(number)
    tracker.issue(number + 1, created_at="2020-03-03T10:00:00Z", updated_at="2020-03-04T10:00:00Z")
    known = tracker.comment(number)
    tracker.comment(number + 1, id=known["id"], created_at="2020-03-04T10:00:00Z")


@kind
def event_that_stands_twice(tracker: Tracker, number: int) -> None:
    tracker.issue(number, labels=[label("bug")])
    tracker.records["events"].append(tracker.event(number, "labeled", label=label("bug")))


@kind
def event_id_of_another_issue(tracker: Tracker, number: int) -> None:
    tracker.issue(number, labels=[label("bug")])
    tracker.issue(number + 1, labels=[label("bug")])
    known = tracker.event(number, "labeled", label=label("bug"))
    tracker.event(number + 1, "labeled", label=label("bug"), id=known["id"])


@kind
def issue_that_stands_twice(tracker: Tracker, number: int) -> None:
    tracker.issue(number)
    tracker.issue(number, title="the same number once more")


@kind
def number_beyond_32_bits(tracker: Tracker, number: int) -> None:
    tracker.issue(2**31 + number)


@kind
def comment_of_no_issue(tracker: Tracker, number: int) -> None:
    tracker.comment(number)


@kind
def event_of_no_issue(tracker: Tracker, number: int) -> None:
    tracker.event(number, "closed")


@kind
def comment_without_an_id(tracker: Tracker, number: int) -> None:
    tracker.issue(number)
    without(tracker.comment(number), "id")


# ---- accounts


@kind
def author_who_vanished(tracker: Tracker, number: int) -> None:
    tracker.issue(number, user=None)
    tracker.comment(number, user=None)
    tracker.event(number, "labeled", actor=None, label=label("bug"))


@kind
def author_of_an_unknown_type(tracker: Tracker, number: int) -> None:
    tracker.issue(number, user={"login": f"mannequin{number}", "type": "Mannequin"})
    tracker.comment(number, user={"login": f"alien{number}", "type": "Alien"})


@kind
def author_without_a_type(tracker: Tracker, number: int) -> None:
    tracker.issue(number, user={"login": f"untyped{number}"})


@kind
def author_with_an_odd_name(tracker: Tracker, number: int) -> None:
    tracker.issue(number, user=person("a b<c>\u202e" + "x" * 300))
    tracker.comment(number, user=person(""))


@kind
def association_that_is_unknown(tracker: Tracker, number: int) -> None:
    tracker.issue(number, author_association="OVERLORD")
    tracker.comment(number, author_association="OVERLORD")


@kind
def issue_that_says_nothing_of_its_author(tracker: Tracker, number: int) -> None:
    without(tracker.issue(number), "user", "author_association")


# ---- values


@kind
def count_of_comments_that_is_wrong(tracker: Tracker, number: int) -> None:
    tracker.issue(number, comments=99)
    tracker.comment(number)


@kind
def counts_that_are_negative(tracker: Tracker, number: int) -> None:
    tracker.issue(number, comments=-1, reactions={"+1": -3, "total_count": -3})


@kind
def reason_of_closing_that_is_unknown(tracker: Tracker, number: int) -> None:
    _closed(tracker, number, CLOSED, state_reason="abducted")


@kind
def state_that_is_unknown(tracker: Tracker, number: int) -> None:
    tracker.issue(number, state="limbo")


@kind
def empty_texts(tracker: Tracker, number: int) -> None:
    tracker.issue(number, title="", body="")
    tracker.comment(number, body="")


@kind
def missing_texts(tracker: Tracker, number: int) -> None:
    tracker.issue(number, body=None)
    tracker.comment(number, body=None)


@kind
def control_characters(tracker: Tracker, number: int) -> None:
    text = f"odd{number} \x00\x0b\x1b[31m \u2028\u2029\x85 \ud800 \ufffe"
    tracker.issue(number, title=text, body=text, labels=[label(text)], milestone={"title": text})
    tracker.comment(number, body=text)


@kind
def very_long_texts(tracker: Tracker, number: int) -> None:
    tracker.issue(number, title="x" * 5_000, body="<!--\n" * 13_000, labels=[label("y" * 400)])
    tracker.comment(number, body="`" * 65_000)


@kind
def labels_that_are_odd(tracker: Tracker, number: int) -> None:
    names = ("a, b", "", "🐛", " ", "A, B", "'\"; --")
    tracker.issue(number, labels=[label(name) for name in names])


@kind
def labels_that_are_missing(tracker: Tracker, number: int) -> None:
    tracker.issue(number, labels=None)


@kind
def record_that_is_almost_empty(tracker: Tracker, number: int) -> None:
    tracker.records["issues"].append({"number": number})


# ---- commits


@dataclass
class History:
    """A clone whose default branch gets one commit of ``kind`` more."""

    repository: Path

    def commit(self, raw: bytes) -> str:
        """Put the text of a commit on top of the default branch, with no parent and tree yet."""
        tree, tip = (self.git("rev-parse", name).strip() for name in ("HEAD^{tree}", "HEAD"))
        text = b"tree " + tree + b"\nparent " + tip + b"\n" + raw
        options = ("hash-object", "-t", "commit", "-w", "--literally", "--stdin")
        sha = self.git(*options, stdin=text).strip()
        self.git("update-ref", "HEAD", sha.decode())
        return sha.decode()

    def git(self, *arguments: str, stdin: bytes = b"") -> bytes:
        """What git prints."""
        command = ["git", "-C", str(self.repository), *arguments]
        environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull}
        run = subprocess.run(command, input=stdin, capture_output=True, check=True, env=environment)
        return run.stdout


def raw_commit(
    author: str = "Odd One <odd@example.org> 1583000000 +0000",
    committer: str = "Odd One <odd@example.org> 1583000000 +0000",
    message: bytes = b"An odd commit\n",
) -> bytes:
    """The text of a commit after its tree and parents."""
    return f"author {author}\ncommitter {committer}\n".encode() + b"\n" + message


COMMITS: Mapping[str, bytes] = {
    "written_in_the_future": raw_commit(author="O <o@example.org> 7258118400 +0000"),
    "written_at_the_epoch": raw_commit(author="O <o@example.org> 0 +0000"),
    "written_after_it_was_committed": raw_commit(author="O <o@example.org> 1583900000 +0000"),
    "written_before_1970": raw_commit(author="O <o@example.org> -86400 +0000"),
    "of_an_impossible_zone": raw_commit(author="O <o@example.org> 1583000000 +9999"),
    "of_nobody": raw_commit(author=" <> 1583000000 +0000"),
    "of_a_broken_address": raw_commit(author="O <<o@@example.org> 1583000000 +0000"),
    "without_a_message": raw_commit(message=b""),
    "of_other_bytes": raw_commit(message=b"\xff\xfe caf\xe9 \x1b[31m #7001\n"),
    "committed_in_the_future": raw_commit(committer="O <o@example.org> 7258118400 +0000"),
    "committed_at_the_epoch": raw_commit(committer="O <o@example.org> 0 +0000"),
    "that_fixes_what_is_not_there": raw_commit(message=b"Fix the crash\n\nFixes #6999\n"),
    "of_very_many_lines": raw_commit(message=b"long\n" + b"\n" * 16_000 + b"end\n"),
}
"""Commits that git itself would not make today, by what is odd about them."""


def plant(directory: Path, kinds: list[str], commits: list[str]) -> tuple[set[int], set[str]]:
    """Add odd records and commits of these kinds to the corpus in ``directory``.

    Returns
    -------
    The numbers of the issues, and the hashes of the commits, that may differ by it.
    """
    tracker = Tracker(directory)
    numbers: set[int] = set()
    for name in kinds:
        number = FIRST_NUMBER + 10 * list(KINDS).index(name)
        KINDS[name](tracker, number)
        numbers |= {number, number + 1}
    tracker.write()
    history = History(directory / "repository.git")
    return numbers, {history.commit(COMMITS[name]) for name in commits}
