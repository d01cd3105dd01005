"""Where the lines come from that many commits remove: one pass over the history for all of them.

It finds what ``git blame -w -M -C`` finds for each file, and takes the time of the history once,
not once for each file.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

from perf_assets.sources.git.blame import Attempt, Entry, Text, pass_back
from perf_assets.sources.git.command import GitError
from perf_assets.sources.git.commits import each_object
from perf_assets.sources.git.szz.ancestry import ChangedPaths, read_ancestors
from perf_assets.sources.git.szz.introducing import Authors, Trace, traced
from perf_assets.sources.git.szz.moved_lines import find_authors
from perf_assets.sources.git.szz.removed_lines import RemovedCode, RemovedFrom
from perf_assets.sources.git.szz.versions import Versions
from perf_assets.sources.git.unreadable import missing_objects


class LineHistory:
    """The history of commits, laid out so that lines can be followed back through it."""

    def __init__(self, clone: Path, shas: Sequence[str]) -> None:
        """Read what the commits ``shas`` descend from; GitError when an object is missing."""
        self._clone = clone
        self._commits = read_ancestors(clone, shas)
        self._changed = ChangedPaths(clone, self._commits)
        self.versions = Versions(clone, self._commits, self._changed)
        self.steps: list[int] = []

    def trace(self, fixes: Sequence[tuple[str, RemovedCode]]) -> list[Trace]:
        """Return the origins of the lines that commits remove, as ``trace_by_blame`` finds them.

        A fix whose lines lead to a file that the clone lacks, or that takes too much work, comes
        with the problem. GitError when git fails otherwise.
        """
        try:
            return self._trace(fixes)
        except GitError:
            missing = frozenset(missing_objects(self._clone, self._changed.blobs()))
        self._begin(missing)
        try:
            return self._trace(fixes)
        except GitError:
            self._begin(missing)  # what was added is not whole
            raise

    def _begin(self, missing: frozenset[str]) -> None:
        self.versions = Versions(self._clone, self._commits, self._changed, missing)

    def _trace(self, fixes: Sequence[tuple[str, RemovedCode]]) -> list[Trace]:
        commits = self._commits
        attempts = [Attempt() for _ in fixes]
        removals = [
            (sha, file, attempt)
            for (sha, removed), attempt in zip(fixes, attempts, strict=True)
            for file in removed.files
        ]
        counted: list[Authors] = [Counter() for _ in removals]
        for entry in find_authors(self.versions, self._blocks(removals)):
            author = self.versions.commit_of[entry.version]
            key = commits.shas[author], commits.times[author]
            counted[entry.text.number][key] += len(entry.text.traced(entry.first, entry.length))
        self.steps += [attempt.steps for attempt in attempts]
        following = iter(counted)
        traces = []
        for (_, removed), attempt in zip(fixes, attempts, strict=True):
            authors = [next(following) for _ in removed.files]
            if attempt.problem is not None:
                traces.append(Trace(problem=attempt.problem))
                continue
            shas = {sha for file_authors in authors for sha, _ in file_authors}
            merges = [sha for sha in shas if len(commits.parents[commits.number[sha]]) > 1]
            traces.append(traced(removed, authors, merges))
        return traces

    def _blocks(self, removals: Sequence[tuple[str, RemovedFrom, Attempt]]) -> list[Entry]:
        """Return the blocks of lines with removed ones, at the versions that brought them."""
        paths = {
            file.old_path: self._changed.path_number(
                file.old_path.encode("utf-8", "surrogateescape")
            )
            for _, file, _ in removals
        }
        self.versions.add(number for number in paths.values() if number is not None)
        files = []
        for number, (sha, file, attempt) in enumerate(removals):
            (parent,) = self._commits.parents[self._commits.number[sha]]
            path = paths[file.old_path]
            assert path is not None
            traced = [line - 1 for line in file.lines]
            version = self.versions.at(parent, path)
            files.append(Entry(Text(number, traced, attempt), 0, file.line_count, version, 0))
        by_blob: dict[str, list[Entry]] = defaultdict(list)
        for block in pass_back(self.versions, files):
            by_blob[removals[block.text.number][1].blob].append(block)
        blocks = []
        for blob, content in each_object(self._clone, sorted(by_blob)):
            lines = content.split(b"\n")
            blocks += [_with_text(block, lines) for block in by_blob[blob]]
        return blocks


def _with_text(block: Entry, lines: Sequence[bytes]) -> Entry:
    """Return the block with its own lines, of those of the whole file."""
    text, first = block.text, block.first
    traced = [index - first for index in text.traced(first, block.length)]
    block_text = Text(text.number, traced, text.attempt, lines[first : first + block.length])
    return block._replace(text=block_text, first=0)
