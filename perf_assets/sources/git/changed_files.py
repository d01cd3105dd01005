"""The files one commit changes, as git objects: which versions to compare, and how large."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from perf_assets.sources.git.changes import diffing
from perf_assets.sources.git.command import (
    GitError,
    in_lines,
    lines_of,
    local_environment,
    read_clone,
    run,
)
from perf_assets.sources.git.commits import each_object

# Both inspections of a commit parse whole files, some 200 KB a second: larger ones are left alone.
LARGEST_FILE = 1_000_000  # bytes
LARGEST_COMMIT = 8_000_000  # bytes, all versions of all files together


@dataclass(frozen=True)
class ChangedFile:
    """A file before and after a commit; a blob is None if that side is not a regular file.

    Paths are as git holds them, with bytes that are not UTF-8 as surrogates; sizes are bytes.
    """

    old_path: str
    path: str
    old_blob: str | None
    blob: str | None
    old_size: int
    size: int


def changed_files(clone: Path, shas: Sequence[str]) -> dict[str, list[ChangedFile]]:
    """Return the files that commits, no merges, change against their parents; renames found."""
    command = diffs_of(clone, "--raw", "-z", "--no-abbrev", "-M")
    output = run(command, local_environment(), in_lines(shas))
    tokens = iter(output.decode("utf-8", "surrogateescape").split("\0")[:-1])
    changes: dict[str, list[tuple[str, str, str | None, str | None]]] = {sha: [] for sha in shas}
    sha = ""
    for token in tokens:
        if token[0] != ":":
            sha = token
            continue
        old_mode, mode, old_blob, blob, status = token[1:].split(" ")
        old_path = next(tokens)
        path = next(tokens) if status.startswith("R") else old_path
        changes[sha].append((old_path, path, _regular(old_mode, old_blob), _regular(mode, blob)))
    blobs = {blob for rows in changes.values() for row in rows for blob in row[2:] if blob}
    sizes = _sizes(clone, blobs)
    return {
        sha: [
            ChangedFile(old_path, path, old, new, sizes.get(old or "", 0), sizes.get(new or "", 0))
            for old_path, path, old, new in rows
        ]
        for sha, rows in changes.items()
    }


def diffs_of(clone: Path, *options: str) -> list[str]:
    """Return the command that compares commits of its input with their parent, a root with nothing.

    Each comparison comes after a line with the name of its commit.
    """
    return diffing(clone, "--stdin", "--always", "--root", "-r", *options)


def shown(path: str) -> str:
    """Return ``path`` as tables hold it: bytes that are not UTF-8 as ``\\xNN``."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def read_blobs(clone: Path, blobs: Sequence[str]) -> dict[str, bytes]:
    """Return the content of ``blobs``; GitError when one is missing."""
    return dict(each_object(clone, blobs))


def read_patches(clone: Path, shas: Sequence[str], options: Sequence[str]) -> dict[str, bytes]:
    """Return the patches that git prints for the commits ``shas`` with ``options``."""
    output = b"\n" + run(diffs_of(clone, *options), local_environment(), in_lines(shas))
    ends = [0]
    starts: list[int] = []
    for sha in shas:
        # No line of a patch is the name of a commit: each begins with a sign or a word.
        starts.append(output.index(f"\n{sha}\n".encode(), ends[-1] - 1 if starts else 0) + 1)
        ends.append(starts[-1] + len(sha) + 1)
    starts.append(len(output))
    return {sha: output[ends[index + 1] : starts[index + 1]] for index, sha in enumerate(shas)}


def oversized(files: Iterable[ChangedFile]) -> str | None:
    """Return which of ``files`` is too large to be parsed, as a sentence; None if none is."""
    for file in files:
        if max(file.old_size, file.size) > LARGEST_FILE:
            return f"{shown(file.path)} is larger than {LARGEST_FILE:,} bytes"
    return None


def too_large(files: Sequence[ChangedFile]) -> str | None:
    """Return the reason why a commit with these ``files`` is not analysed; None if it is."""
    problem = oversized(files)
    if problem is None and sum(file.old_size + file.size for file in files) > LARGEST_COMMIT:
        return f"its files are larger than {LARGEST_COMMIT:,} bytes together"
    return problem


def _regular(mode: str, blob: str) -> str | None:
    return blob if mode in ("100644", "100755") else None


def _sizes(clone: Path, blobs: set[str]) -> dict[str, int]:
    if not blobs:
        return {}
    requested = sorted(blobs)
    answers = lines_of(
        read_clone(clone, "cat-file", "--batch-check=%(objectsize)", names=requested)
    )
    for answer in answers:
        if not answer.isdigit():
            raise GitError(f"object {answer}")
    return dict(zip(requested, map(int, answers), strict=True))
