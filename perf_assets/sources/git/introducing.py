"""SZZ: the commits that last touched the lines which a fix removes.

The idea is that of Śliwerski, Zimmermann and Zeller (When do changes induce fixes?, MSR 2005):
what a fix removes was wrong, and who wrote it introduced the bug. Blank lines, comments and
changes of white space are left out after Kim, Zimmermann, Pan and Whitehead (Automatic
identification of bug-introducing changes, ASE 2006); lines that were only moved, and merges,
after da Costa et al. (A framework for evaluating the results of the SZZ approach, TSE 2017). Its
known weakness stays: a fix often touches more than the bug, and what a fix adds was never there.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from perf_assets.core.languages import code_lines, is_source
from perf_assets.sources.git.changed_files import (
    LARGEST_FILE,
    ChangedFile,
    diff_of,
    read_blobs,
    shown,
)
from perf_assets.sources.git.command import in_clone, local_environment, run

# A fix that removes more rewrites the code: its lines are not the bug's.
MOST_LINES = 1_000

_REMOVED, _MOVED = "\x1b[31m-", "\x1b[34m-"  # red, blue
_COLORS = ("-c", "color.diff.old=red", "-c", "color.diff.oldMoved=blue")
_PATCH = (
    *("-p", "-U0", "-w", "-M", "--full-index", "--no-ext-diff", "--no-textconv"),
    *("--color=always", "--color-moved=blocks", "--color-moved-ws=ignore-all-space"),
)
_SEQUENCE = re.compile(r"\x1b\[[\d;]*m")
_INDEX = re.compile(r"index ([0-9a-f]+)\.\.([0-9a-f]+)")
_HUNK = re.compile(r"@@ -(\d+)")
_BLAMED = re.compile(rb"([0-9a-f]{40,64}) \d+ (\d+)")


@dataclass
class Trace:
    """Where the removed lines of one fix come from.

    removed_lines : lines of source code that the fix removes, and does not only move.
    introducing : path (as in raw.commit_files), sha, committer time in seconds since 1970,
        whether it is a merge, lines.
    problem : why the fix was not traced; None when it was.
    """

    removed_lines: int = 0
    introducing: list[tuple[str, str, int, bool, int]] = field(default_factory=list)
    problem: str | None = None


def trace(clone: Path, sha: str, files: Sequence[ChangedFile]) -> Trace:
    """Trace the lines that the commit ``sha``, no merge, removes from its source ``files``.

    Tests, texts and data are left out. A fix is traced in full or not at all: with a file of more
    than 1,000,000 bytes, or more than 1,000 such lines, it is not.
    """
    sources = [file for file in files if file.old_blob and is_source(shown(file.old_path))]
    for file in sources:
        if max(file.old_size, file.size) > LARGEST_FILE:
            return Trace(problem=f"{shown(file.path)} is larger than {LARGEST_FILE:,} bytes")
    removed = _removed_code(clone, sha, sources)
    count = sum(map(len, removed.values()))
    if count > MOST_LINES:
        return Trace(problem=f"it removes more than {MOST_LINES:,} lines of code")
    blamed = [
        (shown(file.path), commit, when, lines)
        for file in sources
        if removed[file]
        for (commit, when), lines in sorted(
            _blame(clone, sha, file.old_path, removed[file]).items()
        )
    ]
    merges = _merges(clone, {commit for _, commit, _, _ in blamed})
    rows = [(path, commit, when, commit in merges, lines) for path, commit, when, lines in blamed]
    return Trace(count, rows)


def _removed_code(
    clone: Path, sha: str, sources: Sequence[ChangedFile]
) -> dict[ChangedFile, list[int]]:
    """The numbers of the lines of code that the commit takes from each file."""
    removed = _removed_lines(clone, sha) if sources else {}
    contents = read_blobs(
        clone, [file.old_blob for file in sources if file.old_blob and _pair(file) in removed]
    )
    code = {}
    for file in sources:
        lines = removed.get(_pair(file), [])
        text = contents.get(file.old_blob or "", b"").decode("utf-8", "replace")
        code[file] = (
            sorted(code_lines(shown(file.old_path), text).intersection(lines)) if lines else []
        )
    return code


def _pair(file: ChangedFile) -> tuple[str | None, str | None]:
    return file.old_blob, file.blob


def _removed_lines(clone: Path, sha: str) -> dict[tuple[str | None, str | None], list[int]]:
    """Line numbers that the commit removes, by the two versions of the file.

    Lines that differ in white space alone, and blocks that appear elsewhere in the commit, are
    left out. That a block was moved git tells by its color alone.
    """
    command = diff_of(clone, sha, *_PATCH)
    output = run([*command[:1], *_COLORS, *command[1:]], local_environment())
    removed: dict[tuple[str | None, str | None], list[int]] = {}
    lines: list[int] = []
    number = 0
    for line in output.decode("utf-8", "replace").split("\n"):
        if line.startswith((_REMOVED, _MOVED)):
            if line.startswith(_REMOVED):
                lines.append(number)
            number += 1
            continue
        plain = _SEQUENCE.sub("", line)
        if hunk := _HUNK.match(plain):
            number = int(hunk[1])
        elif index := _INDEX.match(plain):
            old, new = (None if set(name) == {"0"} else name for name in index.groups())
            lines = removed.setdefault((old, new), [])
    return removed


def _blame(clone: Path, sha: str, path: str, lines: Sequence[int]) -> Counter[tuple[str, int]]:
    """How many of the ``lines`` of the file before the commit each commit wrote, with its time.

    The whole file is asked for: git recognises moved code by its length, and of the lines alone
    it would see no more than what the fix takes from the block.
    """
    command = in_clone(clone, "blame", "--porcelain", "-w", "-M", "-C", f"{sha}^", "--", path)
    output = run(command, local_environment())
    wanted = frozenset(lines)
    times: dict[str, int] = {}
    found: Counter[tuple[str, int]] = Counter()
    commit, number = "", 0
    for line in output.split(b"\n"):
        if line.startswith(b"\t"):
            if number in wanted:
                found[commit, times[commit]] += 1
        elif line.startswith(b"committer-time "):
            times[commit] = int(line[15:])
        elif header := _BLAMED.match(line):
            commit, number = header[1].decode(), int(header[2])
    return found


def _merges(clone: Path, shas: set[str]) -> set[str]:
    if not shas:
        return set()
    command = in_clone(clone, "rev-list", "--no-walk", "--merges", "--stdin")
    given = "".join(f"{sha}\n" for sha in sorted(shas)).encode()
    return set(run(command, local_environment(), given).decode().split())
