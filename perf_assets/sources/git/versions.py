"""The versions that files went through, and from which version each line of one came."""

from bisect import bisect_right
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from perf_assets.sources.git.ancestry import ABSENT, SUBMODULE, Change, ChangedPaths, Commits
from perf_assets.sources.git.line_changes import Hunks, compare_blobs
from perf_assets.sources.git.renames import rename_sources

Lines = npt.NDArray[np.int64]
"""A number for each line of a version: the version that brought it, its place there, and whether
a fragment begins with it. A fragment is what came in one piece and was never parted since."""

_PLACE, _STARTS = 33, 1
_CHECKPOINT = 128  # versions from one kept array to the next
_KEPT_BYTES = 48 << 20


@dataclass(frozen=True)
class Fragment:
    """Lines of a version that came together: where they stand, and where they came from."""

    first: int
    count: int
    version: int
    place: int


@dataclass
class _File:
    """The versions of one path: on each chain of commits, those that change it, and to what."""

    commits: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    versions: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))


@dataclass
class Versions:
    """Versions of files, each told by its number, and what each has of the versions before it.

    A version is what a commit made of a path, where that is another file than all its parents
    have. ``bases`` are, for each parent, the version that git takes for its predecessor: the file
    of the same path, or that from which it was renamed; -1 where there is none. ``base_paths`` are
    the paths that those have in the parent.
    """

    clone: Path
    commits: Commits
    changed: ChangedPaths
    commit_of: list[int] = field(default_factory=list)
    path_of: list[int] = field(default_factory=list)
    blob_of: list[str] = field(default_factory=list)
    bases: list[tuple[int, ...]] = field(default_factory=list)
    base_paths: list[tuple[int, ...]] = field(default_factory=list)
    _files: dict[int, _File] = field(default_factory=dict)
    _hunks: dict[tuple[int, int], Hunks] = field(default_factory=dict)
    _depth: list[int] = field(default_factory=list)
    _checkpoints: dict[int, Lines] = field(default_factory=dict)
    _recent: "OrderedDict[int, Lines]" = field(default_factory=OrderedDict)
    _recent_bytes: int = 0

    def at(self, commit: int, path: int) -> int:
        """The version of a path that a commit has; -1 where it has none."""
        file = self._files.get(path)
        chain, below = self.commits.chains
        while file is not None and commit >= 0:
            touching = file.commits.get(chain[commit])
            place = bisect_right(touching, commit) if touching else 0
            if place:
                return file.versions[chain[commit]][place - 1]
            commit = below[chain[commit]]
        return -1

    def add(self, paths: Iterable[int]) -> None:
        """Find the versions of ``paths``, and of the paths from which they were renamed."""
        touches: list[tuple[int, int, dict[int, Change]]] = []
        sources: dict[tuple[int, int, int], int] = {}
        new = {path for path in paths if path not in self._files}
        while new:
            of_new = list(self.changed.touches(sorted(new)))
            touches += of_new
            for path in new:
                self._files[path] = _File()
            appearing = _appearing(self.commits, of_new)
            found = rename_sources(self.clone, self.commits, self.changed, appearing)
            sources |= found
            new = {path for path in found.values() if path not in self._files}
        first = len(self.blob_of)
        for commit, path, changes in sorted(touches, key=lambda touch: touch[:2]):
            self._touch(commit, path, changes, sources)
        self._compare(first)

    def _touch(
        self,
        commit: int,
        path: int,
        changes: dict[int, Change],
        sources: dict[tuple[int, int, int], int],
    ) -> None:
        file, chain = self._files[path], self.commits.chains[0][commit]
        file.commits[chain].append(commit)
        file.versions[chain].append(self._made(commit, path, changes, sources))

    def _made(
        self,
        commit: int,
        path: int,
        changes: dict[int, Change],
        sources: dict[tuple[int, int, int], int],
    ) -> int:
        """The version that a commit makes of a path; -1 where it removes the file."""
        parents = self.commits.parents[commit]
        blob, kind = next((change.blob, change.kind) for change in changes.values())
        if kind in (ABSENT, SUBMODULE):
            return -1
        for place, parent in enumerate(parents):
            if place not in changes:
                return self.at(parent, path)
        bases, base_paths = [-1] * len(parents), [-1] * len(parents)
        blobs: dict[int, str] = {}
        for place, parent in enumerate(parents):
            if changes[place].old_kind == kind and changes[place].old_blob not in blobs.values():
                bases[place], base_paths[place] = self.at(parent, path), path
                blobs[place] = changes[place].old_blob
        for place, parent in enumerate(parents):
            source = sources.get((commit, place, path))
            if source is None or changes[place].old_kind == kind:
                continue
            base = self.at(parent, source)
            if base < 0:
                continue
            if self.blob_of[base] == blob:
                return base
            if self.blob_of[base] not in [blobs[p] for p in blobs if p < place]:
                bases[place], base_paths[place] = base, source
                blobs[place] = self.blob_of[base]
        self.commit_of.append(commit)
        self.path_of.append(path)
        self.blob_of.append(blob)
        self.bases.append(tuple(bases))
        self.base_paths.append(tuple(base_paths))
        depths = [self._depth[base] for base in bases if base >= 0]
        self._depth.append(1 + max(depths, default=-1))
        return len(self.blob_of) - 1

    def _compare(self, first: int) -> None:
        """Compare each version from the number ``first`` on with its bases, or with nothing."""
        pairs = [
            (base, version)
            for version in range(first, len(self.blob_of))
            for base in ([base for base in self.bases[version] if base >= 0] or [-1])
        ]
        pairs.sort(key=lambda pair: (self.path_of[pair[1]], pair[1]))
        blobs = [
            (self.blob_of[base] if base >= 0 else None, self.blob_of[version])
            for base, version in pairs
        ]
        for pair, hunks in zip(pairs, compare_blobs(self.clone, blobs), strict=True):
            self._hunks[pair] = hunks

    def fragments(self, version: int, first: int, count: int) -> list[Fragment]:
        """The fragments that ``count`` lines of a version from ``first`` (from 0) on lie in.

        Those at the ends are cut to what lies within.
        """
        lines = self._lines(version)[first : first + count]
        starts = np.flatnonzero(lines & _STARTS)
        if not starts.size or starts[0]:
            starts = np.concatenate([[0], starts])
        ends = [*starts[1:].tolist(), len(lines)]
        values = lines[starts].tolist()
        return [
            _fragment(first + start, end - start, value)
            for start, end, value in zip(starts.tolist(), ends, values, strict=True)
        ]

    def fragments_with(
        self, version: int, numbers: Sequence[int]
    ) -> Iterator[tuple[Fragment, list[int]]]:
        """The whole fragments in which lines lie, by their ``numbers`` from 1.

        Each with the places of these lines in it, from 0.
        """
        lines = self._lines(version)
        starts = np.flatnonzero(lines & _STARTS)
        wanted = np.array(sorted(numbers)) - 1
        held = np.searchsorted(starts, wanted, side="right") - 1
        ends = np.append(starts[1:], len(lines))
        for place in np.unique(held).tolist():
            first, value = int(starts[place]), int(lines[starts[place]])
            found = _fragment(first, int(ends[place]) - first, value)
            yield found, (wanted[held == place] - first).tolist()

    def _lines(self, version: int) -> Lines:
        known = self._known(version)
        if known is not None:
            return known
        # Not by recursion: a file may have had ten thousand versions.
        waiting, met = [version], set[int]()
        built: dict[int, Lines] = {}
        needs: Counter[int] = Counter()
        while waiting:
            top = waiting[-1]
            if top in built:
                waiting.pop()
                continue
            bases = [base for base in self.bases[top] if base >= 0]
            if top not in met:
                met.add(top)
                needs.update(bases)
                if lacking := self._lacking(bases, built):
                    waiting += lacking
                    continue
            waiting.pop()
            met.remove(top)  # dropped below, it may be needed by one that is not met yet
            built[top] = self._built(top, bases, built)
            if self._depth[top] % _CHECKPOINT == 0:
                self._checkpoints[top] = built[top]
            for base in bases:
                needs[base] -= 1
                if not needs[base]:
                    del built[base]
        self._keep(version, built[version])
        return built[version]

    def _lacking(self, versions: Sequence[int], built: dict[int, Lines]) -> list[int]:
        """Those of ``versions`` to be built first; what is known joins what is ``built``."""
        lacking = []
        for version in versions:
            if version not in built:
                lines = self._known(version)
                if lines is None:
                    lacking.append(version)
                else:
                    built[version] = lines
        return lacking

    def _known(self, version: int) -> Lines | None:
        lines = self._recent.get(version)
        if lines is not None:
            self._recent.move_to_end(version)
            return lines
        return self._checkpoints.get(version)

    def _keep(self, version: int, lines: Lines) -> None:
        self._recent[version] = lines
        self._recent_bytes += lines.nbytes
        while self._recent_bytes > _KEPT_BYTES and len(self._recent) > 1:
            _, dropped = self._recent.popitem(last=False)
            self._recent_bytes -= dropped.nbytes

    def _built(self, version: int, bases: Sequence[int], known: dict[int, Lines]) -> Lines:
        """The lines of a version, from those of its bases and from what changed since."""
        if not bases:
            return _carried(version, np.empty(0, np.int64), self._hunks[-1, version])
        lines = _carried(version, known[bases[0]], self._hunks[bases[0], version])
        for base in bases[1:]:
            # What the first parent does not have the next may have.
            other = _carried(version, known[base], self._hunks[base, version])
            is_own = lines >> _PLACE == version
            lines = np.where(is_own, other | (lines & _STARTS), lines)
        return lines


def _fragment(first: int, count: int, value: int) -> Fragment:
    return Fragment(first, count, value >> _PLACE, (value >> 1) & 0xFFFFFFFF)


def _carried(version: int, base: Lines, hunks: Hunks) -> Lines:
    """The lines of ``version``: those of its base but for the ``hunks``, and its own."""
    pieces: list[Lines] = []
    starts: list[int] = []
    old = new = 0
    for old_first, old_count, new_first, new_count in hunks.tolist():
        if new_first > new:
            pieces.append(base[old:old_first])
        starts.append(new_first)
        if new_count:
            own = (np.arange(new_first, new_first + new_count) << 1) | (version << _PLACE)
            pieces.append(own)
            starts.append(new_first + new_count)
        old, new = old_first + old_count, new_first + new_count
    pieces.append(base[old:])
    lines = np.concatenate(pieces)
    lines[[start for start in starts if start < len(lines)]] |= _STARTS
    return lines


def _appearing(
    commits: Commits, touches: Iterable[tuple[int, int, dict[int, Change]]]
) -> list[tuple[int, int, Change]]:
    """Commit, place of its parent and change, where a file is there that the parent lacks.

    Not where another parent has it as it is.
    """
    return [
        (commit, place, change)
        for commit, _, changes in touches
        if len(changes) == len(commits.parents[commit])
        for place, change in changes.items()
        if change.old_kind == ABSENT and change.kind not in (ABSENT, SUBMODULE)
    ]
