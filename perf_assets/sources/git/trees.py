"""Trees of the default branch as they stood at the end of months, read without a checkout."""

from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from perf_assets.base.months import quarter_of
from perf_assets.sources.git.changes import diffing
from perf_assets.sources.git.clone import reading
from perf_assets.sources.git.command import (
    GitError,
    local_environment,
    read_clone,
    run,
)
from perf_assets.sources.git.commits import each_object
from perf_assets.sources.git.history import walk

SUFFIXES = (".py", ".ipynb")
MOST_BYTES = 5_000_000  # of a file that is read; the largest that people write have a tenth of it

_LINK, _SUBMODULE = "120", "160"
_MISSING_SIZE = "BAD"  # in a listing of git, where the clone lacks the file
_LFS = b"version https://git-lfs.github.com/spec/"
_LFS_MOST_BYTES = 1024  # a pointer is shorter: so says its specification


@dataclass(frozen=True)
class Tree:
    """What the default branch held at the end of ``month``, the last one of ``quarter`` so far.

    sha, committed_at : of the last commit of the quarter; of an earlier one where it has none.
    """

    month: str
    quarter: str
    sha: str
    committed_at: datetime


@dataclass(frozen=True)
class File:
    """A Python file or notebook of a tree, or what stands instead of one.

    blob : names the content.
    unread : why it is not read (submodule, symlink, large, missing); None where it can be.
    """

    path: str
    blob: str
    unread: str | None = None


def quarter_ends(clone: Path, months: Sequence[str]) -> list[Tree]:
    """Return the tree at the end of each quarter that ``months`` touch, oldest first.

    The line of first parents is what the default branch held after each push and merge; the last
    commit of a quarter is the last on that line whose committer's time lies in the quarter, not
    after the last of ``months``. So a commit with a wrong clock puts no other quarter in the wrong.
    A quarter without a commit has the tree of the one before; one before the first commit has none.

    Raises
    ------
    PerfAssetsError
        The clone cannot be read.
    """
    ends = {quarter_of(month): month for month in sorted(months)}
    last: dict[str, tuple[str, datetime]] = {}
    for sha, committed_at, month in walk(clone, "--first-parent", "HEAD").iter_rows():
        if month <= max(months, default=""):
            last[quarter_of(month)] = sha, committed_at
    trees = []
    for quarter, end in ends.items():
        earlier = [earlier_quarter for earlier_quarter in last if earlier_quarter <= quarter]
        if earlier:
            trees.append(Tree(end, quarter, *last[max(earlier)]))
    return trees


def list_files(
    clone: Path, sha: str, suffixes: tuple[str, ...] = SUFFIXES, largest: int = MOST_BYTES
) -> list[File]:
    """Return the files in the tree of a commit that end with ``suffixes``, and its submodules.

    They are in the order of their paths; by default those that hold Python. A file of more than
    ``largest`` bytes is not read.

    Bytes of a path that are not UTF-8 become ``\\xNN``; where two paths are the same then, or a
    broken tree holds one twice, the second gets `` (2)``.

    Raises
    ------
    PerfAssetsError
        The clone lacks the commit or a part of its tree.
    """
    with reading(clone):
        listing = read_clone(clone, "ls-tree", "-r", "-z", "--long", "--full-tree", sha)
    files: dict[str, File] = {}
    for entry in listing.split(b"\0")[:-1]:
        head, _, name = entry.partition(b"\t")
        mode, _, blob, size = head.decode("ascii").split()
        path = name.decode("utf-8", "backslashreplace")
        is_wanted = path.endswith(suffixes)
        if mode[:3] == _SUBMODULE or is_wanted:
            path = _unique_name(path, files)
            files[path] = File(path, blob, _unread(mode, size, largest))
    return [files[path] for path in sorted(files)]


def read_files(clone: Path, files: Sequence[File]) -> Generator[tuple[File, bytes]]:
    """Yield the content of each of ``files`` in their order, one in memory at a time.

    Raises
    ------
    PerfAssetsError
        The clone lacks one.
    """
    blobs = [file.blob for file in files]
    objects = each_object(clone, blobs, lambda index: files[index].path)
    with reading(clone), closing(objects):
        for file, (_, content) in zip(files, objects, strict=True):
            yield file, content


def is_lfs_pointer(content: bytes) -> bool:
    """Return whether ``content`` stands for a file that Git LFS keeps elsewhere."""
    return len(content) <= _LFS_MOST_BYTES and content.startswith(_LFS)


def renamed_files(clone: Path, old: str, new: str) -> dict[str, str]:
    """Return the path in the commit ``old`` of each Python file that has another one in ``new``.

    As ``git diff -M`` finds renames: what is gone and what is new, at least half alike.

    Raises
    ------
    PerfAssetsError
        The clone lacks one of the commits.
    """
    patterns = [f"*{suffix}" for suffix in SUFFIXES]
    with reading(clone):
        try:
            output = _renames(clone, "-M", old, new, *patterns)
        except GitError:  # without a file that is missing, those that are the same are found
            output = _renames(clone, "-M100%", old, new, *patterns)
    tokens = iter(output.decode("utf-8", "backslashreplace").split("\0")[:-1])
    return {
        new_path: old_path for _, old_path, new_path in zip(tokens, tokens, tokens, strict=True)
    }


def _renames(clone: Path, alike: str, old: str, new: str, *patterns: str) -> bytes:
    command = diffing(clone, "-r", alike, "--raw", "-z", "--diff-filter=R", old, new, "--")
    return run([*command, *patterns], local_environment())


def _unread(mode: str, size: str, largest: int) -> str | None:
    if mode[:3] == _SUBMODULE:
        return "submodule"
    if mode[:3] == _LINK:
        return "symlink"
    if size == _MISSING_SIZE:
        return "missing"
    return "large" if int(size) > largest else None


def _unique_name(path: str, files: dict[str, File]) -> str:
    number, name = 1, path
    while name in files:
        number += 1
        name = f"{path} ({number})"
    return name
