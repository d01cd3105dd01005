"""Where the lines come from that many commits remove: one pass over the history for all of them.

It tells what ``git blame -w -M -C`` tells of each file, and takes the time of the history once,
not once for each file.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

from perf_assets.sources.git.ancestry import ChangedPaths, read_ancestors
from perf_assets.sources.git.copies import Comparer, Entry, Text, each_blob, find_authors
from perf_assets.sources.git.introducing import Authors, Trace, traced
from perf_assets.sources.git.removed_lines import RemovedCode, RemovedFrom
from perf_assets.sources.git.versions import Versions


class LineHistory:
    """The history of commits, laid out so that lines can be followed back through it."""

    def __init__(self, clone: Path, shas: Sequence[str]) -> None:
        """Read what the commits ``shas`` descend from; GitError when an object is missing."""
        self._clone = clone
        self._commits = read_ancestors(clone, shas)
        self._changed = ChangedPaths(clone, self._commits)
        self._versions = Versions(clone, self._commits, self._changed)
        self._comparer = Comparer(clone)

    def trace(self, fixes: Sequence[tuple[str, RemovedCode]]) -> list[Trace]:
        """Where the lines come from that each commit removes, as ``trace_by_blame`` tells it.

        GitError when an object is missing.
        """
        commits = self._commits
        asked = [(sha, file) for sha, removed in fixes for file in removed.files]
        counted: list[Authors] = [Counter() for _ in asked]
        entries = self._entries(asked)
        for entry in find_authors(self._versions, self._comparer, entries):
            author = self._versions.commit_of[entry.version]
            key = commits.shas[author], commits.times[author]
            counted[entry.text.number][key] += entry.text.wanted(entry.first, entry.count)
        following = iter(counted)
        found = []
        for _, removed in fixes:
            authors = [next(following) for _ in removed.files]
            shas = {sha for one in authors for sha, _ in one}
            merges = [sha for sha in shas if len(commits.parents[commits.number[sha]]) > 1]
            found.append(traced(removed, authors, merges))
        return found

    def _entries(self, asked: Sequence[tuple[str, RemovedFrom]]) -> list[Entry]:
        """What is to be followed: the fragments in which the removed lines lie."""
        paths = {
            file.old_path: self._changed.path_number(
                file.old_path.encode("utf-8", "surrogateescape")
            )
            for _, file in asked
        }
        self._versions.add(number for number in paths.values() if number is not None)
        by_blob: dict[str, list[int]] = defaultdict(list)
        for number, (_, file) in enumerate(asked):
            by_blob[file.blob].append(number)
        entries = []
        for blob, content in each_blob(self._clone, sorted(by_blob)):
            lines = content.split(b"\n")
            for number in by_blob[blob]:
                sha, file = asked[number]
                (parent,) = self._commits.parents[self._commits.number[sha]]
                path = paths[file.old_path]
                assert path is not None
                version = self._versions.at(parent, path)
                for fragment, wanted in self._versions.fragments_with(version, file.lines):
                    last = fragment.first + fragment.count
                    text = Text(number, lines[fragment.first : last], wanted)
                    entries.append(Entry(text, 0, fragment.count, fragment.version, fragment.place))
        return entries
