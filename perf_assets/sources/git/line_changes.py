"""How the lines of pairs of git objects differ: each pair once, thousands in one go.

The pairs are laid side by side as the entries of two flat trees, and git compares those as it
compares the trees of two commits: entry N of each tree is of pair N.
"""

import os
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from perf_assets.sources.git.changes import diffing
from perf_assets.sources.git.clone import Clone
from perf_assets.sources.git.command import GitError, in_clone, local_environment, run, streamed

Hunks = npt.NDArray[np.int32]
"""A row for each range where lines differ: first line (from 0) and number, on either side."""

# Pairs of one generation; two are remembered, which bounds the memory for any history.
_GENERATION = 100_000
_PAIRS_AT_ONCE = 20_000
_KINDS = {"10": "100644 blob", "12": "120000 blob", "16": "160000 commit"}
_PATCH = ("-p", "-U0", "-w", "--text", "--no-renames", "--no-ext-diff")
_HEADER = re.compile(
    rb"^(?:diff --git a/(\d{8}) .*|@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@.*)\n", re.MULTILINE
)
_NONE = np.empty((0, 4), np.int32)


class Counts(NamedTuple):
    """Lines added and deleted; none are counted in binary files."""

    additions: int
    deletions: int
    is_binary: bool

    @classmethod
    def of(cls, additions: str, deletions: str) -> "Counts":
        """Return the counts as ``git diff --numstat`` prints them: ``-`` for a binary file."""
        if additions == "-":
            return cls(0, 0, is_binary=True)
        return cls(int(additions), int(deletions), is_binary=False)


class PairCounter:
    """Counts the lines of pairs, and remembers what it counted last: merges repeat changes."""

    def __init__(self, clone: Clone) -> None:
        """Prepare a counter without counts."""
        self._clone = clone
        self._recent: dict[str, Counts] = {}
        self._older: dict[str, Counts] = {}

    def count(self, pairs: Sequence[str]) -> list[Counts]:
        """Return the counts of distinct ``pairs``, in order; GitError when an object is missing."""
        recalled = {pair: self._recent.get(pair) or self._older.get(pair) for pair in pairs}
        new = [pair for pair, counts in recalled.items() if counts is None]
        counted = dict(zip(new, _count(self._clone, new), strict=True))
        if len(self._recent) + len(counted) > _GENERATION:
            self._older, self._recent = self._recent, {}
        self._recent |= counted
        return [recalled[pair] or counted[pair] for pair in pairs]


def compare_blobs(
    clone: Path, pairs: Sequence[tuple[str, str]], objects: Path | None = None
) -> Iterator[Hunks]:
    """Yield the hunks of each pair of blobs, old and new.

    Lines that differ in white space alone are the same. ``objects`` is a directory of git objects
    that the clone does not have.
    """
    for first in range(0, len(pairs), _PAIRS_AT_ONCE):
        yield from _compare(clone, pairs[first : first + _PAIRS_AT_ONCE], objects)


def borrow_objects(clone: Path, objects: Path) -> None:
    """Let git find the clone's objects from a new object directory, so that it writes there."""
    (objects / "info").mkdir()
    (objects / "pack").mkdir()
    (objects / "info" / "alternates").write_bytes(os.fsencode(clone / "objects") + b"\n")


def _count(clone: Clone, pairs: Sequence[str]) -> list[Counts]:
    if not pairs:
        return []
    length = len(clone.tip)
    with tempfile.TemporaryDirectory(prefix="perf-assets-") as objects:
        borrow_objects(clone.path, Path(objects))
        env = local_environment({"GIT_OBJECT_DIRECTORY": objects})
        old = _make_tree(clone.path, env, (_side(p[:2], p[4 : 4 + length]) for p in pairs))
        new = _make_tree(clone.path, env, (_side(p[2:4], p[4 + length :]) for p in pairs))
        output = run(diffing(clone.path, "--numstat", "-z", old, new), env)
    lines = output.decode("ascii").split("\0")[:-1]
    if len(lines) != len(pairs):
        raise GitError(f"{len(lines)} of {len(pairs)} file changes were counted")
    return [Counts.of(*line.split("\t")[:2]) for line in lines]


def _side(kind: str, name: str) -> str | None:
    return f"{_KINDS[kind]} {name}" if kind in _KINDS else None


def _compare(clone: Path, pairs: Sequence[tuple[str, str]], objects: Path | None) -> list[Hunks]:
    found = [_NONE] * len(pairs)
    with tempfile.TemporaryDirectory(prefix="perf-assets-") as temporary:
        directory = objects or Path(temporary)
        if objects is None:
            borrow_objects(clone, directory)
        env = local_environment({"GIT_OBJECT_DIRECTORY": str(directory)})
        old = _make_tree(clone, env, (f"100644 blob {old}" for old, _ in pairs))
        new = _make_tree(clone, env, (f"100644 blob {new}" for _, new in pairs))
        command = diffing(clone, *_PATCH, old, new)
        with streamed(command, env, b"") as output:
            rest = b""
            number = -1
            rows: list[int] = []
            while chunk := output.read(1 << 22):
                text = rest + chunk
                end = text.rfind(b"\n") + 1
                for pair, a, an, b, bn in _HEADER.findall(text, 0, end):
                    if pair:
                        if rows:
                            found[number] = _hunks(rows)
                        number, rows = int(pair), []
                    else:
                        rows += (int(a), int(an or 1), int(b), int(bn or 1))
                rest = text[end:]
            if rows:
                found[number] = _hunks(rows)
    return found


def _hunks(rows: list[int]) -> Hunks:
    hunks = np.array(rows, np.int32).reshape(-1, 4)
    # git counts from 1, and names the line before where a side has none.
    hunks[:, 0] -= hunks[:, 1] > 0
    hunks[:, 2] -= hunks[:, 3] > 0
    return hunks


def _make_tree(clone: Path, env: Mapping[str, str], sides: Iterable[str | None]) -> str:
    """Return the name of a tree whose entry N is side N (mode, type and name), or missing."""
    entries = (f"{side}\t{number:08d}\n" for number, side in enumerate(sides) if side)
    command = in_clone(clone, "mktree", "--missing")
    return run(command, env, "".join(entries).encode()).decode().strip()
