"""Passes lines back through the versions of a file to those that brought them, as git blame does.

Each version hands the lines that it shares with a version before it on to that one, and keeps the
rest. Lines are split between versions, never copied, and go from newer versions to older ones: a
version is visited at most once in a pass, however many ways lead to it through merges.
"""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import accumulate
from typing import NamedTuple

from perf_assets.sources.git.command import LACKS
from perf_assets.sources.git.szz.versions import Versions

MOST_STEPS = 200_000
"""Versions visited and files compared for one fix; the longest of 6,000 real ones took 39,000."""

TOO_MUCH_WORK = f"tracing its lines takes more than {MOST_STEPS:,} steps through the history"

WHITE_SPACE = b" \t\r\n"
_OTHERS = bytes(byte for byte in range(256) if not (byte < 128 and chr(byte).isalnum()))


@dataclass
class Attempt:
    """Tracing the lines of one fix: the steps it took, and why it was given up.

    A step is a version visited by a block of lines, or a file compared with one. Steps depend on
    the history alone: a fix is traced, or not, on every machine alike.
    """

    steps: int = 0
    problem: str | None = None

    def spend(self, steps: int = 1) -> None:
        """Count ``steps``; too many end the attempt."""
        self.steps += steps
        if self.steps > MOST_STEPS:
            self.give_up(TOO_MUCH_WORK)

    def give_up(self, problem: str) -> None:
        """End the attempt; the first problem is kept."""
        self.problem = self.problem or problem


class Text:
    """Lines of a file, and which of them are traced.

    number : identifies a text.
    traced : indices of the traced lines, from 0.
    attempt : that of the fix that removes them.
    lines : the lines; without them a text can be passed back, and not be compared.
    """

    def __init__(
        self, number: int, traced: Iterable[int], attempt: Attempt, lines: Sequence[bytes] = ()
    ) -> None:
        """Prepare the lines for comparisons."""
        self.number = number
        self.attempt = attempt
        self.lines = [line + b"\n" for line in lines]
        self.bare = [line.translate(None, WHITE_SPACE) for line in lines]
        self._score = [0, *accumulate(len(line.translate(None, _OTHERS)) for line in self.bare)]
        self._traced = sorted(traced)

    def score(self, first: int, count: int) -> int:
        """Return a measure of how non-trivial lines are: their letters and digits plus one."""
        return 1 + self._score[first + count] - self._score[first]

    def traced(self, first: int, count: int) -> list[int]:
        """Return the traced lines among these."""
        traced = self._traced
        return traced[bisect_left(traced, first) : bisect_left(traced, first + count)]

    def has_traced(self, first: int, count: int) -> bool:
        """Return whether any of these lines is traced."""
        index = bisect_left(self._traced, first)
        return index < len(self._traced) and self._traced[index] < first + count


class Entry(NamedTuple):
    """``length`` lines of a text, from ``first`` on, that a version has from ``start`` on."""

    text: Text
    first: int
    length: int
    version: int
    start: int

    def part(self, start: int, end: int) -> "Entry":
        """Return the lines from index ``start`` to before ``end`` of these."""
        return Entry(self.text, self.first + start, end - start, self.version, self.start + start)

    @property
    def has_traced(self) -> bool:
        """Return whether any of its lines is traced."""
        return self.text.has_traced(self.first, self.length)

    @property
    def content(self) -> bytes:
        """The lines themselves."""
        return b"".join(self.text.lines[self.first : self.first + self.length])

    @property
    def bare(self) -> list[bytes]:
        """The lines without white space."""
        return self.text.bare[self.first : self.first + self.length]

    @property
    def score(self) -> int:
        """The score of its lines."""
        return self.text.score(self.first, self.length)

    def best_score(self, present: Collection[bytes]) -> int:
        """Return the highest score of adjacent lines of which all are ``present`` when bare."""
        best = start = 0
        for index, line in enumerate((*self.bare, None)):
            if line is None or line not in present:
                if index > start:
                    best = max(best, self.text.score(self.first + start, index - start))
                start = index + 1
        return best


def pass_back(versions: Versions, entries: Iterable[Entry]) -> list[Entry]:
    """Return the traced lines of ``entries``, in entries at the versions that brought them.

    Entries are split where lines part, and are not joined again. Those of an attempt that was
    given up are left out.
    """
    pending: dict[int, list[Entry]] = defaultdict(list)
    for entry in entries:
        pending[entry.version].append(entry)
    newest_first = sorted(-version for version in pending)
    brought: list[Entry] = []
    while newest_first:
        version = -heappop(newest_first)
        versions.visits += 1
        visiting = pending.pop(version)
        for entry in visiting:
            entry.text.attempt.spend()
            if version in versions.unreadable:
                entry.text.attempt.give_up(f"{LACKS}{versions.unreadable[version]}")
        rest = [entry for entry in visiting if entry.text.attempt.problem is None]
        for base in versions.bases[version]:
            if base >= 0 and rest:
                shared, rest = _divide(rest, base, versions.hunks(base, version))
                if shared:
                    if base not in pending:
                        heappush(newest_first, -base)
                    pending[base] += shared
        brought += rest
    return brought


def _divide(
    entries: Sequence[Entry], base: int, hunks: Sequence[Sequence[int]]
) -> tuple[list[Entry], list[Entry]]:
    """Return the parts of ``entries`` that the ``base`` shares, at its lines, and the others."""
    shared: list[Entry] = []
    rest: list[Entry] = []
    ends = [new_first + new_count for _, _, new_first, new_count in hunks]
    for entry in entries:
        start, end = entry.start, entry.start + entry.length
        index = bisect_right(ends, start)
        if index == len(hunks) or end <= hunks[index][2]:
            shared.append(entry._replace(version=base, start=start + _shift(hunks, index)))
            continue
        at = start
        while at < end:
            is_past = index == len(hunks)
            first, last = (end, end) if is_past else (hunks[index][2], ends[index])
            if at < first:
                part = entry.part(at - start, min(first, end) - start)
                if part.has_traced:
                    moved = part.start + _shift(hunks, index)
                    shared.append(part._replace(version=base, start=moved))
                at = first
            if at < end and not is_past:
                part = entry.part(at - start, min(last, end) - start)
                if part.length and part.has_traced:
                    rest.append(part)
                at = last
            index += 1
    return shared, rest


def _shift(hunks: Sequence[Sequence[int]], index: int) -> int:
    """Return the offset from a line before the hunk at ``index`` to that line in the base."""
    if not index:
        return 0
    old_first, old_count, new_first, new_count = hunks[index - 1]
    return old_first + old_count - new_first - new_count
