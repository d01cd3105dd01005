"""The lines of code that commits take away, as git reports them: not those that only moved."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from perf_assets.core.languages import code_lines, is_source
from perf_assets.sources.git.changed_files import ChangedFile, diffs_of, oversized, shown
from perf_assets.sources.git.command import in_lines, local_environment, streamed

# A fix that removes more rewrites the code: its lines are not the bug's.
MOST_LINES = 1_000

_REMOVED, _MOVED = b"\x1b[31m-", b"\x1b[34m-"  # red, blue
_COLORS = ("-c", "color.diff.old=red", "-c", "color.diff.oldMoved=blue")
_PATCH = (
    *("-p", "-U0", "-w", "-M", "--full-index", "--no-ext-diff", "--no-textconv"),
    *("--color=always", "--color-moved=blocks", "--color-moved-ws=ignore-all-space"),
)
_SEQUENCE = re.compile(rb"\x1b\[[\d;]*m")
_COMMIT = re.compile(rb"[0-9a-f]{40,64}")
_INDEX = re.compile(rb"index ([0-9a-f]+)\.\.([0-9a-f]+)")
_HUNK = re.compile(rb"@@ -(\d+)")

Pair = tuple[str | None, str | None]
"""Both versions of a changed file."""


@dataclass
class RemovedFrom:
    """Lines taken from a file.

    old_path : the file before the commit, bytes that are not UTF-8 as surrogates.
    path : the file as in raw.commit_files.
    blob : its content before the commit.
    lines : their numbers there, from 1.
    line_count : how many lines the file had.
    """

    old_path: str
    path: str
    blob: str
    lines: list[int]
    line_count: int


@dataclass
class RemovedCode:
    """The lines of source code that a commit removes, or why they are not given (``problem``)."""

    files: list[RemovedFrom] = field(default_factory=list)
    problem: str | None = None

    @property
    def count(self) -> int:
        """Number of lines."""
        return sum(len(file.lines) for file in self.files)


def sources_of(files: Sequence[ChangedFile]) -> list[ChangedFile]:
    """Return the changed ``files`` that were source code: no tests, texts or data."""
    return [file for file in files if file.old_blob and is_source(shown(file.old_path))]


def read_removed(clone: Path, shas: Iterable[str]) -> dict[str, dict[Pair, list[int]]]:
    """Return the line numbers that each commit, no merge, removes, by file version.

    Lines that differ in white space alone, and blocks that appear elsewhere in the commit, are
    left out. git marks a moved block by its color alone.
    """
    found: dict[str, dict[Pair, list[int]]] = {sha: {} for sha in shas}
    command = diffs_of(clone, *_PATCH)
    command[1:1] = _COLORS
    removed: dict[Pair, list[int]] = {}
    lines: list[int] = []
    number = 0
    with streamed(command, local_environment(), in_lines(found)) as output:
        for line in output:
            if line.startswith((_REMOVED, _MOVED)):
                if line.startswith(_REMOVED):
                    lines.append(number)
                number += 1
                continue
            plain = _SEQUENCE.sub(b"", line)
            if hunk := _HUNK.match(plain):
                number = int(hunk[1])
            elif index := _INDEX.match(plain):
                old, new = (None if set(name) == {48} else name.decode() for name in index.groups())
                lines = removed.setdefault((old, new), [])
            elif _COMMIT.fullmatch(line.rstrip(b"\n")):
                removed = found[line.decode().strip()]
    return found


def removed_code(
    files: Sequence[ChangedFile],
    removed: Mapping[Pair, Sequence[int]],
    contents: Mapping[str, bytes],
) -> RemovedCode:
    """Return of the ``removed`` lines of a commit those of code, in its source ``files``.

    A fix is reported in full or not at all: not with a file of more than 1,000,000 bytes, or more
    than 1,000 such lines. ``contents`` are those of the blobs before the commit.
    """
    sources = sources_of(files)
    if problem := oversized(sources):
        return RemovedCode(problem=problem)
    found = []
    for file in sources:
        lines = removed.get((file.old_blob, file.blob), ())
        if not lines or file.old_blob is None:
            continue
        content = contents[file.old_blob]
        text = content.decode("utf-8", "replace")
        code = sorted(code_lines(shown(file.old_path), text, max(lines)).intersection(lines))
        if code:
            count = content.count(b"\n") + (not content.endswith(b"\n"))
            found.append(RemovedFrom(file.old_path, shown(file.path), file.old_blob, code, count))
    removed_lines = RemovedCode(found)
    if removed_lines.count > MOST_LINES:
        return RemovedCode(problem=f"it removes more than {MOST_LINES:,} lines of code")
    return removed_lines
