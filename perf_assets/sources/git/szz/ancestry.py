"""The commits that led to others, and in which of them each path changed, from two cheap walks."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import IO, NamedTuple

import numpy as np
import numpy.typing as npt

from perf_assets.sources.git.changes import diffing
from perf_assets.sources.git.command import (
    in_lines,
    lines_of,
    local_environment,
    read_clone,
    split_at_nul,
    streamed,
)

# Read from git into arrays at once.
_AT_ONCE = 200_000

ABSENT, SUBMODULE = b"00", b"16"
"""The kind of one side of a change, the first digits of git's mode: nothing, submodule."""


class Change(NamedTuple):
    """A path on both sides of a comparison; kinds are the first two digits of git's modes."""

    path: bytes
    old_kind: bytes
    kind: bytes
    old_blob: str
    blob: str


@dataclass(frozen=True)
class Commits:
    """Commits with all their ancestors; each has its number, and parents come first."""

    shas: list[str]
    times: list[int]
    parents: list[tuple[int, ...]]

    @cached_property
    def number(self) -> dict[str, int]:
        """The number of each commit."""
        return {sha: number for number, sha in enumerate(self.shas)}

    @cached_property
    def chains(self) -> tuple[list[int], list[int]]:
        """The chain of first parents that each commit is on, and the commit below each chain."""
        chain = [-1] * len(self.shas)
        below: list[int] = []
        for top in range(len(self.shas) - 1, -1, -1):
            if chain[top] >= 0:
                continue
            commit = top
            while commit >= 0 and chain[commit] < 0:
                chain[commit] = len(below)
                commit = self.parents[commit][0] if self.parents[commit] else -1
            below.append(commit)
        return chain, below


def read_ancestors(clone: Path, shas: Iterable[str]) -> Commits:
    """Return the commits ``shas`` and all that they descend from; GitError when one is missing."""
    options = ("rev-list", "--topo-order", "--reverse", "--parents", "--timestamp", "--stdin")
    lines = lines_of(read_clone(clone, *options, names=shas))
    number: dict[str, int] = {}
    commits = Commits([], [], [])
    for line in lines:
        time, sha, *parents = line.split(" ")
        number[sha] = len(commits.shas)
        commits.shas.append(sha)
        # git prints times before 1970 as unsigned numbers of 64 bits.
        commits.times.append(int(time) - (1 << 64 if int(time) >= 1 << 63 else 0))
        commits.parents.append(tuple(number[parent] for parent in parents))
    return commits


@dataclass
class ChangedPaths:
    """Every path that each commit changes against each of its parents, renames not looked for."""

    clone: Path
    commits: Commits
    _numbers: dict[bytes, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Compare all commits, which takes most of the time."""
        lines = [
            (commit, parent)
            for commit, parents in enumerate(self.commits.parents)
            for parent in (parents or (-1,))
        ]
        self._first_line = np.cumsum(
            [0, *(max(1, len(parents)) for parents in self.commits.parents)]
        )
        shas = self.commits.shas
        self._length = len(shas[0]) if shas else 40
        pairs = [
            f"{shas[commit]} {shas[parent]}" if parent >= 0 else shas[commit]
            for commit, parent in lines
        ]
        self._line_commits = np.array([commit for commit, _ in lines], dtype=np.int32)
        command = diffing(
            self.clone,
            *("--stdin", "--always", "--root", "-r", "--no-renames"),
            *("--raw", "-z", "--no-abbrev"),
        )
        with streamed(command, local_environment(), in_lines(pairs)) as output:
            self._read(output)

    def _read(self, output: IO[bytes]) -> None:
        parts: list[tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.void]]] = []
        owners: list[int] = []
        paths: list[int] = []
        metas: list[bytes] = []
        numbers = self._numbers
        line = -1
        tokens = split_at_nul(output)
        for token in tokens:
            if token[:1] != b":":
                line += 1
                continue
            metas.append(token)
            owners.append(line)
            paths.append(numbers.setdefault(next(tokens), len(numbers)))
            if len(metas) >= _AT_ONCE:
                parts.append(self._packed(owners, paths, metas))
                owners, paths, metas = [], [], []
        parts.append(self._packed(owners, paths, metas))
        self._paths = list(numbers)
        self._owners, self._of_path, self._sides = map(np.concatenate, zip(*parts, strict=True))
        self._by_path = np.argsort(self._of_path, kind="stable").astype(np.int32)
        self._path_starts = np.searchsorted(
            self._of_path[self._by_path], np.arange(len(numbers) + 1)
        )
        self._line_starts = np.searchsorted(self._owners, np.arange(len(self._line_commits) + 1))

    def _packed(
        self, owners: list[int], paths: list[int], metas: list[bytes]
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.void]]:
        """Yield lines, paths and both sides of changes: kinds as text, object names as bytes."""
        length = self._length
        raw = np.frombuffer(b"".join(metas), dtype="S1").reshape(len(metas), 17 + 2 * length + 1)
        sides = np.empty(len(metas), dtype=[("kinds", "S4"), ("blobs", f"V{length}")])
        sides["kinds"] = np.ascontiguousarray(raw[:, [1, 2, 8, 9]]).view("S4").ravel()
        hexadecimal = np.ascontiguousarray(
            np.concatenate([raw[:, 15 : 15 + length], raw[:, 16 + length : 16 + 2 * length]], 1)
        )
        names = bytes.fromhex(hexadecimal.tobytes().decode())
        sides["blobs"] = np.frombuffer(names, dtype=f"V{length}")
        return np.array(owners, np.int32), np.array(paths, np.int32), sides

    def path_number(self, path: bytes) -> int | None:
        """Return the number of a path that some commit changes."""
        return self._numbers.get(path)

    def path(self, number: int) -> bytes:
        """Return the path of this number."""
        return self._paths[number]

    def touches(self, paths: Sequence[int]) -> Iterator[tuple[int, int, dict[int, Change]]]:
        """Commit, path and its change against each parent that has another: by commits, in order.

        A side that differs only in its mode is not a change.
        """
        indices = np.concatenate(
            [self._by_path[self._path_starts[p] : self._path_starts[p + 1]] for p in paths]
        )
        owners, of_path = self._owners[indices], self._of_path[indices]
        lines = self._line_commits[owners]
        order = np.lexsort((owners, of_path, lines))
        found: dict[int, Change] = {}
        last = (-1, -1)
        for index, owner, path, commit in zip(
            indices[order].tolist(),
            owners[order].tolist(),
            of_path[order].tolist(),
            lines[order].tolist(),
            strict=True,
        ):
            if (commit, path) != last:
                if found:
                    yield (*last, found)
                found, last = {}, (commit, path)
            change = self._change(index)
            if change.blob != change.old_blob or change.kind != change.old_kind:
                found[owner - int(self._first_line[commit])] = change
        if found:
            yield (*last, found)

    def against(self, commit: int, parent: int) -> list[tuple[int, Change]]:
        """Return all changes of a commit against its parent at this index, in git's order of paths.

        Each with the number of its path.
        """
        line = int(self._first_line[commit]) + parent
        first, last = self._line_starts[line : line + 2].tolist()
        return [(int(self._of_path[index]), self._change(index)) for index in range(first, last)]

    def blobs(self) -> set[str]:
        """Return the names of all versions of files on either side; no submodules."""
        length, names = self._length, set[str]()
        for kinds, both in zip(self._sides["kinds"].tolist(), self._sides["blobs"], strict=True):
            text = both.tobytes().hex()
            sides = (kinds[:2], text[:length]), (kinds[2:], text[length:])
            names.update(name for kind, name in sides if kind not in (ABSENT, SUBMODULE, b""))
        return names

    def _change(self, index: int) -> Change:
        kinds, blobs = self._sides[index]
        names = blobs.tobytes().hex()
        length = self._length
        kinds = kinds.ljust(4, b"\0")
        return Change(
            self._paths[int(self._of_path[index])],
            kinds[:2],
            kinds[2:],
            names[:length],
            names[length:],
        )
