"""Commits that a project lists as ones that blame should pass over: ``.git-blame-ignore-revs``."""

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

from perf_assets.sources.git.changed_files import read_blobs
from perf_assets.sources.git.command import GitError, lines_of, read_clone
from perf_assets.sources.git.szz.introducing import Trace, trace_by_blame
from perf_assets.sources.git.szz.removed_lines import RemovedCode

LISTED_IN = ".git-blame-ignore-revs"
"""The name that GitHub reads, at the root of the default branch."""

LARGEST_FILE = 1_000_000
"""Bytes; a file that is larger lists nothing. The longest of well-known projects has 20,000."""

_MOST_ROUNDS = 5
_NAME = re.compile(rb"[0-9a-f]{40}(?:[0-9a-f]{24})?")


def listed_commits(content: bytes) -> frozenset[str]:
    """Return the commits that a file lists, as git reads it: a full hash a line, # a comment.

    Other lines, such as abbreviated hashes, at which git stops, are skipped.

    Examples
    --------
    >>> sorted(listed_commits(b"# Black\\n" + b"ab" * 20 + b"  # 2021\\nabc123\\n")) == ["ab" * 20]
    True
    """
    lines = (line.partition(b"#")[0].strip().lower() for line in content.split(b"\n"))
    return frozenset(line.decode() for line in lines if _NAME.fullmatch(line))


def read_listed(clone: Path) -> frozenset[str]:
    """Return the commits that the tip of the default branch lists; none without a readable file."""
    output = "--batch-check=%(objectname) %(objecttype) %(objectsize)"
    try:
        (answer,) = lines_of(read_clone(clone, "cat-file", output, names=[f"HEAD:{LISTED_IN}"]))
        name, *rest = answer.split(" ")
        if rest[:1] != ["blob"] or int(rest[1]) > LARGEST_FILE:
            return frozenset()
        return listed_commits(read_blobs(clone, [name])[name])
    except GitError:  # a mirror lacks an object now and then
        return frozenset()


def trace_through(
    clone: Path, fix: tuple[str, RemovedCode], trace: Trace, listed: Collection[str]
) -> Trace:
    """Return the trace of a fix with its lines followed through the ``listed`` commits.

    A trace that reaches none of them is returned as it is; else git follows the lines again
    (``git blame --ignore-revs-file``), until no further listed commit comes in sight. Lines that
    git finds nothing alike for in the parent stay with the listed commit.
    """
    ignored: set[str] = set()
    followed = trace
    for attempt in range(_MOST_ROUNDS + 1):
        reached = {sha for _, sha, *_ in followed.introducing if sha in listed} - ignored
        if not reached:
            break
        ignored |= reached if attempt < _MOST_ROUNDS else set(listed)
        (followed,) = trace_by_blame(clone, [fix], sorted(ignored))
    if not ignored:
        return trace
    left = _lines_of(followed, ignored)
    return replace(
        followed, ignored=sorted(ignored), followed_lines=_lines_of(trace, ignored) - left
    )


def _lines_of(trace: Trace, commits: Collection[str]) -> int:
    return sum(lines for _, sha, _, _, lines in trace.introducing if sha in commits)


def is_outdated(
    ignored: Sequence[str], introducing: Collection[str], listed: Collection[str]
) -> bool:
    """Return whether a trace would differ with the commits that are ``listed`` now.

    ignored : those that its lines were followed through, and ``introducing`` those that it found.
    """
    return not set(ignored) <= set(listed) or bool(set(introducing) & set(listed) - set(ignored))
