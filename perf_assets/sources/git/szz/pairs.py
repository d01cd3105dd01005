"""Line counts of pairs of objects: each distinct pair is compared once, thousands in one go.

Merges repeat the file changes of the commits they bring. The pairs are laid side by side as the
entries of two flat trees, and git compares those as it compares the trees of two commits.
"""

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from perf_assets.sources.git.changes import diffing
from perf_assets.sources.git.clone import Clone
from perf_assets.sources.git.command import GitError, local_environment, run
from perf_assets.sources.git.szz.flat_trees import borrow_objects, make_tree

# Pairs of one generation; two are remembered, which bounds the memory for any history.
_GENERATION = 100_000

_KINDS = {"10": "100644 blob", "12": "120000 blob", "16": "160000 commit"}


class Counts(NamedTuple):
    """Lines added and deleted; none are counted in binary files."""

    additions: int
    deletions: int
    is_binary: bool


class PairCounter:
    """Counts the lines of pairs, and remembers what it counted last."""

    def __init__(self, clone: Clone) -> None:
        """Prepare a counter without counts."""
        self._clone = clone
        self._recent: dict[str, Counts] = {}
        self._older: dict[str, Counts] = {}

    def count(self, pairs: Sequence[str]) -> list[Counts]:
        """Return the counts of distinct ``pairs``, in their order; GitError when an object is
        missing.
        """
        recalled = {pair: self._recall(pair) for pair in pairs}
        new = [pair for pair, counts in recalled.items() if counts is None]
        counted = dict(zip(new, _compare(self._clone, new), strict=True))
        if len(self._recent) + len(counted) > _GENERATION:
            self._older, self._recent = self._recent, {}
        self._recent |= counted
        return [recalled[pair] or counted[pair] for pair in pairs]

    def _recall(self, pair: str) -> Counts | None:
        return self._recent.get(pair) or self._older.get(pair)


def _compare(clone: Clone, pairs: Sequence[str]) -> list[Counts]:
    """Return the counts of ``pairs``, by one diff of two trees in which entry N is pair N."""
    if not pairs:
        return []
    length = len(clone.tip)
    with tempfile.TemporaryDirectory(prefix="perf-assets-") as objects:
        borrow_objects(clone.path, Path(objects))
        env = local_environment({"GIT_OBJECT_DIRECTORY": objects})
        old = make_tree(clone.path, env, (_side(p[:2], p[4 : 4 + length]) for p in pairs))
        new = make_tree(clone.path, env, (_side(p[2:4], p[4 + length :]) for p in pairs))
        output = run(diffing(clone.path, "--numstat", "-z", old, new), env)
    counted = [_counts(line) for line in output.decode("ascii").split("\0")[:-1]]
    if len(counted) != len(pairs):
        raise GitError(f"{len(counted)} of {len(pairs)} file changes were counted")
    return counted


def _side(kind: str, name: str) -> str | None:
    return f"{_KINDS[kind]} {name}" if kind in _KINDS else None


def _counts(line: str) -> Counts:
    additions, deletions, _ = line.split("\t")
    if additions == "-":
        return Counts(0, 0, True)
    return Counts(int(additions), int(deletions), False)
