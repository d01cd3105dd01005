"""Copies of commits on branches of releases: cherry-picks and backports of the main line's commits.

A copy is known by the words of ``git cherry-pick -x``; by author, time and subject, which a
cherry-pick keeps; by a subject with the same number of a pull request, also in the list of subjects
of a squashed merge; or by words such as ``Backport PR #12``, also in the name of a branch that
GitHub's message of a merge shows.
"""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping

import polars as pl

from perf_assets.core.linking.revert_words import (
    OWN_NUMBERS,
    QUOTING,
    picked_from,
    subject_key,
    subject_of,
)

_MERGE = re.compile(r"^Merge pull request #(?P<number>\d{1,9}) from ")
_NUMBER = re.compile(r"\d{1,9}")
_BACKPORT = re.compile(
    r"\b(?:back-?port(?:ed|ing|s)?|bp|cherry[- ]?pick(?:ed|ing|s)?)(?: of)?"
    r"(?: (?:pr|prs|pull request))?[ :/_-]{0,2}(?:v?\d{1,4}\.[\dx.]{1,9}[ _-])?"
    r"(?:gh-?|pr-?)?#?(?P<number>\d{2,9})(?![\w.])",
    re.IGNORECASE,
)
_COLUMNS = ("sha", "author_name", "authored_at", "message")
_LONGEST = 400
"""Characters of a message in which a backport names what it brings."""


def copies_of(
    wanted: Mapping[str, str], commits: pl.DataFrame, others: pl.DataFrame
) -> dict[str, set[str]]:
    """Return which of the commits beside the main line are copies of the ``wanted`` ones.

    Parameters
    ----------
    wanted : the commit of the main line that brought each wanted commit, which may be itself. A
        copy of it has the wanted commit too.
    commits : those of ``wanted``, both; columns sha, author_name, authored_at, message.
    others : the commits on branches of releases; the same columns.
    """
    index = _Index(wanted, commits)
    copies: dict[str, set[str]] = defaultdict(set)
    for sha, author, at, message in others.select(_COLUMNS).iter_rows():
        for original in index.copied(author, at, message or ""):
            if original != sha:
                copies[original].add(sha)
    return dict(copies)


class _Index:
    """The wanted commits by all that a copy may have of them."""

    def __init__(self, wanted: Mapping[str, str], commits: pl.DataFrame) -> None:
        self.by_mark: dict[tuple[object, ...], set[str]] = defaultdict(set)
        self.by_number: dict[int, set[str]] = defaultdict(set)
        brought: dict[str, set[str]] = defaultdict(set)
        for sha, landing in wanted.items():
            brought[sha].add(sha)
            brought[landing].add(sha)
        self.brought = brought
        self.hashes = sorted(brought)
        for sha, author, at, message in commits.select(_COLUMNS).iter_rows():
            for mark in _marks(author, at, message or ""):
                self.by_mark[mark] |= brought[sha]
            for number in _own_numbers(message or ""):
                self.by_number[number] |= brought[sha]

    def copied(self, author: str | None, at: object, message: str) -> set[str]:
        """Return the wanted commits of which a commit is a copy."""
        quoting = QUOTING.match(subject_of(message))
        if quoting and quoting["back"]:
            return set()
        found: set[str] = set()
        for named in picked_from(message):
            place = bisect_left(self.hashes, named.name)
            if place < len(self.hashes) and self.hashes[place].startswith(named.name):
                found |= self.brought[self.hashes[place]]
        for mark in (*_marks(author, at, message), *_squashed(message)):
            found |= self.by_mark.get(mark, set())
        for match in _BACKPORT.finditer(message[:_LONGEST]):
            found |= self.by_number.get(int(match["number"]), set())
        return found


def _marks(author: str | None, at: object, message: str) -> Iterator[tuple[object, ...]]:
    """Yield what a commit and its copies share: author, time and subject; number and subject."""
    key = subject_key(subject_of(message))
    if key:
        yield author, at, key
    for number in _own_numbers(message):
        yield number, key


def _squashed(message: str) -> Iterator[tuple[object, ...]]:
    """Yield number and subject of the commits that a squashed merge lists."""
    for line in message.splitlines()[1:]:
        if line.startswith("* "):
            for number in _own_numbers(line):
                yield number, subject_key(line[2:])


def _own_numbers(message: str) -> Iterator[int]:
    """Yield the numbers of the pull requests by which a commit landed, as its subject has them."""
    if merge := _MERGE.match(message):
        yield int(merge["number"])
    elif ended := OWN_NUMBERS.search(message.partition("\n")[0].strip()):
        yield from map(int, _NUMBER.findall(ended[0]))
