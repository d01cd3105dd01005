"""Changed files of commits from git's raw diff: against the first parent, with renames."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import IO, TYPE_CHECKING

import polars as pl

from perf_assets.sources.git.command import (
    in_clone,
    in_lines,
    local_environment,
    read_clone,
    split_at_nul,
    streamed,
)

if TYPE_CHECKING:  # what inspects commits needs none
    from perf_assets.sources.git.clone import Clone

# A piece of history is handed on when it has this many changed files or commits.
PIECE_FILES = 15_000
PIECE_COMMITS = 2_000

# git keeps every commit it has seen: a new process now and then keeps it small.
_COMMITS_PER_PROCESS = 20_000

EMPTY_TREES = {
    40: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    64: "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
}

_CHANGE_TYPES = {"A": "added", "D": "deleted", "M": "modified", "R": "renamed", "T": "type_changed"}

# A broken tree holds a name twice, and two names may differ only in bytes that are not UTF-8.
_occurrence = pl.int_range(pl.len()).over("sha", "path")
unique_names = (
    pl.when(_occurrence > 0)
    .then(pl.format("{} ({})", "path", _occurrence + 1))
    .otherwise("path")
    .alias("path")
)


@dataclass
class Piece:
    """Consecutive commits with their raw changes; ``owners`` counts the commits from zero."""

    shas: list[str] = field(default_factory=list)
    owners: list[int] = field(default_factory=list)
    changes: list[str] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    old_paths: list[str | None] = field(default_factory=list)

    def is_full(self) -> bool:
        """Return whether it is time to begin another."""
        return len(self.paths) >= PIECE_FILES or len(self.shas) >= PIECE_COMMITS

    def files(self) -> pl.DataFrame:
        """Return one row per changed file: sha, path, old_path, change_type, pair, is_same.

        ``pair`` is what to compare: two digits for the kind of the old and the new side each
        (``10`` file, ``12`` symbolic link, ``16`` submodule, ``00`` absent), then both object
        names. Where both are the same (``is_same``) no line changed, and only whether it is
        binary is left to look up: its pair is that of a new file.
        """
        length = len(self.shas[0])
        raw = pl.col("raw").str
        old, new = raw.slice(15, length), raw.slice(16 + length, length)
        absent = pl.concat_str(pl.lit("00"), raw.slice(8, 2), pl.lit("0" * length), new)
        compared = pl.concat_str(raw.slice(1, 2), raw.slice(8, 2), old, new)
        change_type = raw.slice(17 + 2 * length, 1)
        return (
            pl.DataFrame(
                {
                    "sha": pl.Series(self.shas, dtype=pl.String).gather(self.owners),
                    "path": self.paths,
                    "old_path": self.old_paths,
                    "raw": self.changes,
                },
                schema_overrides={"path": pl.String, "old_path": pl.String, "raw": pl.String},
            )
            .select(
                "sha",
                "path",
                "old_path",
                change_type.replace_strict(_CHANGE_TYPES, return_dtype=pl.String).alias(
                    "change_type"
                ),
                pl.when(old == new).then(absent).otherwise(compared).alias("pair"),
                (old == new).alias("is_same"),
            )
            .with_columns(unique_names)
        )


def read_changes(
    clone: "Clone", shas: Sequence[str], patterns: Sequence[str] = ()
) -> Iterator[Piece]:
    """Yield the changes of the commits ``shas``, in their order.

    ``patterns`` are git's path patterns; other paths are left out then. Raises GitError when an
    object is missing.
    """
    for first in range(0, len(shas), _COMMITS_PER_PROCESS):
        batch = shas[first : first + _COMMITS_PER_PROCESS]
        command = diff_tree(clone, "--raw", "-z", "--no-abbrev", "--", *patterns)
        with streamed(command, local_environment(), in_lines(batch)) as output:
            yield from _pieces(output, len(clone.tip))


def diff_tree(clone: "Clone", *format_options: str) -> list[str]:
    """Return the command that compares each commit of its input with its first parent.

    A root is compared with the empty tree; renames are found as ``git diff`` and ``git show``
    find them by default.
    """
    options = ("--stdin", "--always", "--root", "--diff-merges=first-parent", "-r", "-M")
    return diffing(clone.path, *options, *format_options)


def diffing(clone: Path, *options: str) -> list[str]:
    """Return the command ``git diff-tree`` without attributes (``-diff``, ``binary``).

    In a bare repository some versions of git take them from the newest commit, so the same
    commit could count differently tomorrow.
    """
    no_attributes = f"attr.tree={EMPTY_TREES[_name_length(clone)]}"
    return in_clone(clone, "-c", no_attributes, "diff-tree", *options)


@cache
def _name_length(clone: Path) -> int:
    """Return the length of object names in hexadecimal digits."""
    name = read_clone(clone, "rev-parse", "--show-object-format").strip()
    return {b"sha1": 40, b"sha256": 64}[name]


def _pieces(output: IO[bytes], sha_length: int) -> Iterator[Piece]:
    tokens = (token.decode("utf-8", "backslashreplace") for token in split_at_nul(output))
    status_at = 17 + 2 * sha_length
    piece = Piece()
    for token in tokens:
        if token[0] != ":":
            if piece.is_full():
                yield piece
                piece = Piece()
            piece.shas.append(token)
            continue
        old_path = next(tokens) if token[status_at] == "R" else None
        piece.owners.append(len(piece.shas) - 1)
        piece.changes.append(token)
        piece.paths.append(next(tokens))
        piece.old_paths.append(old_path)
    if piece.shas:
        yield piece
