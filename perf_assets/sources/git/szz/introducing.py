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
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from perf_assets.sources.git.command import read_clone
from perf_assets.sources.git.szz.removed_lines import RemovedCode, RemovedFrom

BLAME_SECONDS = 120.0
"""For one file; git takes a second or two for the longest histories."""

_WORKERS = 2
_BLAMED = re.compile(rb"([0-9a-f]{40,64}) \d+ (\d+)")

Authors = Counter[tuple[str, int]]
"""How many lines each commit wrote, with its committer time in seconds since 1970."""


@dataclass
class Trace:
    """Where the removed lines of one fix come from.

    removed_lines : lines of source code that the fix removes, and does not only move.
    introducing : path (as in raw.commit_files), sha, committer time in seconds since 1970,
        whether it is a merge, lines.
    problem : why the fix was not traced; None when it was.
    ignored : commits that the project lists to be passed over, through which lines were followed.
    followed_lines : the removed lines that such a commit last touched and an older one wrote.
    """

    removed_lines: int = 0
    introducing: list[tuple[str, str, int, bool, int]] = field(default_factory=list)
    problem: str | None = None
    ignored: list[str] = field(default_factory=list)
    followed_lines: int = 0


def traced(removed: RemovedCode, authors: Sequence[Authors], merges: Iterable[str]) -> Trace:
    """Return the trace of a fix, from the ``authors`` of the lines it removes from each file."""
    if removed.problem is not None:
        return Trace(problem=removed.problem)
    merge_commits = set(merges)
    rows = [
        (file.path, commit, when, commit in merge_commits, lines)
        for file, counted in zip(removed.files, authors, strict=True)
        for (commit, when), lines in sorted(counted.items())
    ]
    return Trace(removed.count, rows)


def trace_by_blame(
    clone: Path, fixes: Sequence[tuple[str, RemovedCode]], ignored: Sequence[str] = ()
) -> list[Trace]:
    """Ask git where the lines come from that each commit removes, file by file.

    What the ``ignored`` commits changed is followed to the lines in their parents that are most
    alike, as ``git blame --ignore-rev`` does.

    It goes through the whole history for each file: of many fixes ``LineHistory`` finds the same
    in less time.
    """
    with ThreadPoolExecutor(_WORKERS) as pool:
        authors = [
            list(pool.map(lambda file, sha=sha: _blame(clone, sha, file, ignored), removed.files))
            for sha, removed in fixes
        ]
    merges = _merges(
        clone,
        {sha for fix_authors in authors for file_authors in fix_authors for sha, _ in file_authors},
    )
    return [
        traced(removed, counted, merges)
        for (_, removed), counted in zip(fixes, authors, strict=True)
    ]


def _blame(clone: Path, sha: str, file: RemovedFrom, ignored: Sequence[str]) -> Authors:
    """Return the authors of the lines that the commit takes from a file.

    The whole file is traced: git recognises moved code by its length, and of the lines alone
    it would see no more than what the fix takes from the block.
    """
    # By a file, as git skips names in it that the clone lacks.
    passed_over = ("--ignore-revs-file=/dev/stdin",) if ignored else ()
    moved = ("-w", "-M", "-C", *passed_over)
    options = ("blame", "--porcelain", *moved, f"{sha}^", "--", file.old_path)
    output = read_clone(clone, *options, names=ignored, seconds=BLAME_SECONDS)
    traced = frozenset(file.lines)
    times: dict[str, int] = {}
    found: Authors = Counter()
    commit, number = "", 0
    for line in output.split(b"\n"):
        if line.startswith(b"\t"):
            if number in traced:
                found[commit, times[commit]] += 1
        elif line.startswith(b"committer-time "):
            times[commit] = int(line[15:])
        elif header := _BLAMED.match(line):
            commit, number = header[1].decode(), int(header[2])
    return found


def _merges(clone: Path, shas: set[str]) -> set[str]:
    if not shas:
        return set()
    options = ("rev-list", "--no-walk", "--merges", "--stdin")
    return set(read_clone(clone, *options, names=sorted(shas)).decode().split())
