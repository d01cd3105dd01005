"""Line counts of pairs of objects: each distinct pair is compared once, thousands in one go.

Merges repeat the file changes of the commits they bring. The pairs are laid side by side as the
entries of two flat trees, and git compares those as it compares the trees of two commits.
"""

import os
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from perf_assets.sources.git.changes import diffing
from perf_assets.sources.git.clone import Clone
from perf_assets.sources.git.command import GitError, in_clone, local_environment, run

# Pairs of one generation; two are remembered, which bounds the memory for any history.
_GENERATION = 100_000

_ENTRIES = {"10": "100644 blob", "12": "120000 blob", "16": "160000 commit"}


class Counts(NamedTuple):
    """Lines added and deleted; none are counted in binary files."""

    additions: int
    deletions: int
    is_binary: bool


class PairCounter:
    """Counts the lines of pairs, and remembers what it counted last."""

    def __init__(self, clone: Clone) -> None:
        """Nothing is counted yet."""
        self._clone = clone
        self._recent: dict[str, Counts] = {}
        self._older: dict[str, Counts] = {}

    def count(self, pairs: Sequence[str]) -> list[Counts]:
        """The counts of distinct ``pairs``, in their order; GitError when an object is missing."""
        known = {pair: self._recall(pair) for pair in pairs}
        new = [pair for pair, counts in known.items() if counts is None]
        counted = dict(zip(new, _compare(self._clone, new), strict=True))
        if len(self._recent) + len(counted) > _GENERATION:
            self._older, self._recent = self._recent, {}
        self._recent |= counted
        return [known[pair] or counted[pair] for pair in pairs]

    def _recall(self, pair: str) -> Counts | None:
        return self._recent.get(pair) or self._older.get(pair)


def _compare(clone: Clone, pairs: Sequence[str]) -> list[Counts]:
    """The counts of ``pairs``, by one diff of two trees in which entry N is pair N."""
    if not pairs:
        return []
    sha_length = len(clone.tip)
    with tempfile.TemporaryDirectory(prefix="perf-assets-") as objects:
        _borrow_objects(clone, Path(objects))
        env = local_environment({"GIT_OBJECT_DIRECTORY": objects})
        old = _make_tree(clone, env, (p[:2] + p[4 : 4 + sha_length] for p in pairs))
        new = _make_tree(clone, env, (p[2:4] + p[4 + sha_length :] for p in pairs))
        output = run(diffing(clone, "--numstat", "-z", old, new), env)
    counted = [_counts(line) for line in output.decode("ascii").split("\0")[:-1]]
    if len(counted) != len(pairs):
        raise GitError(f"{len(counted)} of {len(pairs)} file changes were counted")
    return counted


def _borrow_objects(clone: Clone, objects: Path) -> None:
    """Let git find the clone's objects from a new object directory, so that it writes there."""
    (objects / "info").mkdir()
    (objects / "pack").mkdir()
    (objects / "info" / "alternates").write_bytes(os.fsencode(clone.path / "objects") + b"\n")


def _make_tree(clone: Clone, env: dict[str, str], sides: Iterable[str]) -> str:
    entries = (
        f"{_ENTRIES[side[:2]]} {side[2:]}\t{number:08d}\n"
        for number, side in enumerate(sides)
        if side[:2] != "00"
    )
    command = in_clone(clone.path, "mktree", "--missing")
    return run(command, env, "".join(entries).encode()).decode().strip()


def _counts(line: str) -> Counts:
    additions, deletions, _ = line.split("\t")
    if additions == "-":
        return Counts(0, 0, True)
    return Counts(int(additions), int(deletions), False)
