"""Commit objects: author, times, message and parents, read from their bytes."""

import re
from collections.abc import Callable, Collection, Generator
from pathlib import Path

import polars as pl

from perf_assets.schema.types import TEXTS, TIME, Columns
from perf_assets.sources.git.command import (
    GitError,
    in_clone,
    in_lines,
    local_environment,
    streamed,
)

# Years have four digits: what a broken clock wrote outside of them moves to the nearest end.
_FIRST_SECOND, _LAST_SECOND = -62_135_596_800, 253_402_300_799

READ: Columns = {
    "sha": pl.String,
    "parents": TEXTS,
    "author_name": pl.String,
    "author_email": pl.String,
    "authored_at": pl.Int64,
    "message": pl.String,
}
_AUTHOR = re.compile(rb"^author ?([^<\n]*)(?:<([^\n]*)> (-?\d{1,18})?)?", re.MULTILINE)
_PARENT = re.compile(rb"^parent ([0-9a-f]+)$", re.MULTILINE)
_ENCODING = re.compile(rb"^encoding ([^\n]+)$", re.MULTILINE)

_Row = tuple[str, list[str], str | None, str | None, int, str | None]


def each_object(
    clone: Path, names: Collection[str], described: Callable[[int], str] | None = None
) -> Generator[tuple[str, bytes]]:
    """Yield name and content of each object, one at a time; GitError when one is missing.

    described : what the error calls the object at an index of ``names``, beside its name.
    """
    if not names:
        return
    command = in_clone(clone, "cat-file", "--batch")
    with streamed(command, local_environment(), in_lines(names)) as output:
        for index, name in enumerate(names):
            header = output.readline().split()
            if not header:  # git has failed, and says why when the block ends
                return
            if len(header) != 3:
                where = "" if described is None else f" of {described(index)}"
                raise GitError(f"object {name}{where} is missing")
            yield name, output.read(int(header[2]) + 1)[:-1]


def read_commit_objects(clone: Path, shas: Collection[str]) -> pl.DataFrame:
    """Return the commits ``shas``, in order: sha, parents, author and address, time, message.

    Text is decoded as the commit says, else as UTF-8, and never fails. The message has no white
    space around it, as PyDriller gives it, and is missing when nothing is left.
    """
    rows = [commit_row(sha, commit) for sha, commit in each_object(clone, shas)]
    read = pl.DataFrame(rows, schema=READ, orient="row")
    return read.with_columns(moment("authored_at"), is_merge=pl.col("parents").list.len() > 1)


def moment(seconds: str) -> pl.Expr:
    """Return the column ``seconds`` since 1970 as a UTC time within the years 1 to 9999."""
    return (pl.col(seconds).clip(_FIRST_SECOND, _LAST_SECOND) * 1_000_000).cast(TIME)


def names_encoding(commit: bytes) -> bool:
    """Return whether a commit object says how its text is encoded."""
    return _ENCODING.search(commit.partition(b"\n\n")[0]) is not None


def commit_row(sha: str, commit: bytes) -> _Row:
    """Return the fields of the commit object: sha, parents, author, address, seconds, message."""
    header, _, message = commit.partition(b"\n\n")
    encoding = _ENCODING.search(header)
    codec = encoding[1].decode("latin-1").strip() if encoding else "utf-8"
    author = _AUTHOR.search(header)
    parents = [parent.decode() for parent in _PARENT.findall(header)]
    return (
        sha,
        parents,
        _text(author[1], codec) if author else None,
        _text(author[2], codec) if author and author[2] else None,
        int(author[3] or 0) if author else 0,
        _text(message, codec),
    )


def _text(raw: bytes, codec: str) -> str | None:
    try:
        text = raw.decode(codec, "replace").encode("utf-8", "replace").decode()
    except (LookupError, ValueError):  # an encoding that Python does not know
        text = raw.decode("utf-8", "replace")
    return text.strip() or None
