"""CODEOWNERS as it was at commits: read from a clone, each version once."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from perf_assets.core.areas.code_owners import LARGEST_FILE, LOCATIONS, CodeOwners
from perf_assets.sources.git.changed_files import read_blobs
from perf_assets.sources.git.command import GitError, lines_of, read_clone

Owned = Callable[[str, str], tuple[str, str] | None]
"""The area of a path at a commit by its owners, and the pattern it follows from; None without."""


def code_owners_at(clone: Path, shas: Sequence[str]) -> Owned:
    """Return the code owners of files at the commits ``shas``; empty without a CODEOWNERS file.

    Raises
    ------
    GitError
        Git cannot read the clone. A commit or file that the clone lacks has no owners.
    """
    if not shas:
        return lambda sha, path: None
    wanted = [f"{sha}:{location}" for sha in shas for location in LOCATIONS]
    output = "--batch-check=%(objectname) %(objecttype) %(objectsize)"
    answers = iter(lines_of(read_clone(clone, "cat-file", output, names=wanted)))
    blobs = {sha: _first([next(answers) for _ in LOCATIONS]) for sha in shas}
    contents = _contents(clone, sorted({blob for blob in blobs.values() if blob is not None}))
    owners = {blob: CodeOwners(content) for blob, content in contents.items()}

    def owned(sha: str, path: str) -> tuple[str, str] | None:
        version = owners.get(blobs.get(sha) or "")
        return None if version is None else version.area(path)

    return owned


def _contents(clone: Path, blobs: Sequence[str]) -> dict[str, bytes]:
    """Return the versions that git can read: a mirror lacks an object now and then."""
    try:
        return read_blobs(clone, blobs)
    except GitError:
        found: dict[str, bytes] = {}
        for blob in blobs:
            with suppress(GitError):
                found |= read_blobs(clone, [blob])
        return found


def _first(answers: Sequence[str]) -> str | None:
    """Return the first blob that is there; None where it is too large to be read."""
    for answer in answers:
        name, *rest = answer.split(" ")
        if len(rest) == 2 and rest[0] == "blob":
            return name if int(rest[1]) <= LARGEST_FILE else None
    return None
