"""The versions that files went through, and where each differs from those before it."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from perf_assets.sources.git.line_changes import Hunks, compare_blobs
from perf_assets.sources.git.szz.ancestry import ABSENT, SUBMODULE, Change, ChangedPaths, Commits
from perf_assets.sources.git.szz.renames import rename_sources


@dataclass
class _File:
    """The versions of one path: on each chain of commits, those that change it, and to what."""

    commits: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    versions: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))


@dataclass
class Versions:
    """Versions of files, each with its number, and what each has of the versions before it.

    A version is what a commit made of a path, where that is another file than all its parents
    have. ``bases`` are, for each parent, the version that git takes for its predecessor: the file
    of the same path, or that from which it was renamed; -1 where there is none. ``base_paths`` are
    the paths that those have in the parent. ``missing`` are files that the clone lacks,
    ``unreadable`` the versions that cannot be compared for the lack of one, with its name.
    """

    clone: Path
    commits: Commits
    changed: ChangedPaths
    missing: frozenset[str] = frozenset()
    unreadable: dict[int, str] = field(default_factory=dict)
    commit_of: list[int] = field(default_factory=list)
    path_of: list[int] = field(default_factory=list)
    blob_of: list[str] = field(default_factory=list)
    bases: list[tuple[int, ...]] = field(default_factory=list)
    base_paths: list[tuple[int, ...]] = field(default_factory=list)
    _files: dict[int, _File] = field(default_factory=dict)
    _hunks: dict[tuple[int, int], Hunks] = field(default_factory=dict)
    visits: int = 0

    def at(self, commit: int, path: int) -> int:
        """Return the version of a path that a commit has; -1 where it has none."""
        file = self._files.get(path)
        chain, below = self.commits.chains
        while file is not None and commit >= 0:
            touching = file.commits.get(chain[commit])
            index = bisect_right(touching, commit) if touching else 0
            if index:
                return file.versions[chain[commit]][index - 1]
            commit = below[chain[commit]]
        return -1

    def add(self, paths: Iterable[int]) -> None:
        """Find the versions of ``paths``, and of the paths from which they were renamed."""
        touches: list[tuple[int, int, dict[int, Change]]] = []
        sources: dict[tuple[int, int, int], int] = {}
        missing_blobs: dict[tuple[int, int], str] = {}
        new = {path for path in paths if path not in self._files}
        while new:
            of_new = list(self.changed.touches(sorted(new)))
            touches += of_new
            for path in new:
                self._files[path] = _File()
            appearing = _appearing(self.commits, of_new)
            found, unknown = rename_sources(
                self.clone, self.commits, self.changed, appearing, self.missing
            )
            sources |= found
            missing_blobs |= {(commit, path): blob for (commit, _, path), blob in unknown.items()}
            new = {path for path in found.values() if path not in self._files}
        first = len(self.blob_of)
        for commit, path, changes in sorted(touches, key=lambda touch: touch[:2]):
            before = len(self.blob_of)
            file, chain = self._files[path], self.commits.chains[0][commit]
            file.commits[chain].append(commit)
            file.versions[chain].append(self._made(commit, path, changes, sources))
            if (commit, path) in missing_blobs and len(self.blob_of) > before:
                self.unreadable[before] = missing_blobs[commit, path]
        self._compare(first)

    def _made(
        self,
        commit: int,
        path: int,
        changes: dict[int, Change],
        sources: dict[tuple[int, int, int], int],
    ) -> int:
        """Return the version that a commit makes of a path; -1 where it removes the file."""
        parents = self.commits.parents[commit]
        blob, kind = next((change.blob, change.kind) for change in changes.values())
        if kind in (ABSENT, SUBMODULE):
            return -1
        for index, parent in enumerate(parents):
            if index not in changes:
                return self.at(parent, path)
        bases, base_paths = [-1] * len(parents), [-1] * len(parents)
        blobs: dict[int, str] = {}
        for index, parent in enumerate(parents):
            if changes[index].old_kind == kind and changes[index].old_blob not in blobs.values():
                bases[index], base_paths[index] = self.at(parent, path), path
                blobs[index] = changes[index].old_blob
        for index, parent in enumerate(parents):
            source = sources.get((commit, index, path))
            if source is None or changes[index].old_kind == kind:
                continue
            base = self.at(parent, source)
            if base < 0:
                continue
            if self.blob_of[base] == blob:
                return base
            if self.blob_of[base] not in [blobs[p] for p in blobs if p < index]:
                bases[index], base_paths[index] = base, source
                blobs[index] = self.blob_of[base]
        self.commit_of.append(commit)
        self.path_of.append(path)
        self.blob_of.append(blob)
        self.bases.append(tuple(bases))
        self.base_paths.append(tuple(base_paths))
        return len(self.blob_of) - 1

    def _compare(self, first: int) -> None:
        """Compare each version from the number ``first`` on with its bases."""
        pairs = [
            (base, version)
            for version in range(first, len(self.blob_of))
            for base in self.bases[version]
            if base >= 0 and self._is_readable(base, version)
        ]
        pairs.sort(key=lambda pair: (self.path_of[pair[1]], pair[1]))
        blobs = [(self.blob_of[base], self.blob_of[version]) for base, version in pairs]
        for pair, hunks in zip(pairs, compare_blobs(self.clone, blobs), strict=True):
            self._hunks[pair] = hunks

    def _is_readable(self, base: int, version: int) -> bool:
        for blob in (self.blob_of[base], self.blob_of[version]):
            if blob in self.missing:
                self.unreadable[version] = blob
                return False
        return True

    def hunks(self, base: int, version: int) -> list[list[int]]:
        """Return the places where a version differs from one of its bases, see ``Hunks``."""
        hunks: list[list[int]] = self._hunks[base, version].tolist()
        return hunks


def _appearing(
    commits: Commits, touches: Iterable[tuple[int, int, dict[int, Change]]]
) -> list[tuple[int, int, Change]]:
    """Commit, index of its parent and change, where a file is there that the parent lacks.

    Not where another parent has it as it is.
    """
    return [
        (commit, index, change)
        for commit, _, changes in touches
        if len(changes) == len(commits.parents[commit])
        for index, change in changes.items()
        if change.old_kind == ABSENT and change.kind not in (ABSENT, SUBMODULE)
    ]
