"""The stream: commits with exact sizes, in bounded memory."""

import tempfile
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

import polars as pl

from perf_assets.errors import PerfAssetsError
from perf_assets.sources.git.changes import Piece, diff_tree, read_changes
from perf_assets.sources.git.clone import Clone, damaged
from perf_assets.sources.git.command import (
    GitError,
    error_line,
    is_disk_full,
    local_environment,
    streamed,
)
from perf_assets.sources.git.commits import parse_commits, print_objects
from perf_assets.sources.git.history import list_commits
from perf_assets.sources.git.pairs import PairCounter

COMMIT_COLUMNS = (
    "sha",
    "parents",
    "author_name",
    "authored_at",
    "committed_at",
    "message",
    "is_merge",
    "additions",
    "deletions",
    "changed_files",
    "month",
)
FILE_COLUMNS = (
    "sha",
    "path",
    "old_path",
    "change_type",
    "additions",
    "deletions",
    "is_binary",
    "month",
)

# Each worker waits for a git process of its own; two pieces more are read ahead.
WORKERS = 2
_PIECES_UNDER_WAY = 4

Frames = tuple[pl.DataFrame, pl.DataFrame]


def read_commits(
    clone: Clone,
    listed: pl.DataFrame | None = None,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> Iterator[Frames]:
    """Commits and their changed files, batch by batch.

    Sizes are those of ``git diff --numstat -M`` against the first parent (a root: against
    nothing), so merges have files too and a commit's numbers are the sums over its files; a
    binary file counts no line, a submodule one line each way. These are PyDriller's totals.

    Parameters
    ----------
    listed : the commits to read, as ``list_commits`` gives them; None for all of them.
    on_progress : told how many commits are done, and of how many.

    Yields
    ------
    commits, files : the columns of raw.commits and raw.commit_files but for ``repository`` and
        ``loaded_at``, in the order of ``listed``, a commit's files together with the commit.

    Raises
    ------
    PerfAssetsError : an object of the clone is missing; names the commit.
    """
    listed = list_commits(clone) if listed is None else listed
    done = 0
    for frames in _in_parallel(clone, listed):
        yield frames
        done += frames[0].height
        on_progress(done, listed.height)


def _in_parallel(clone: Clone, listed: pl.DataFrame) -> Iterator[Frames]:
    counter = PairCounter(clone)
    under_way: deque[Future[Frames]] = deque()
    with ThreadPoolExecutor(WORKERS) as pool:
        for piece in _pieces(clone, listed["sha"].to_list()):
            under_way.append(pool.submit(_measure, clone, counter, listed, piece))
            if len(under_way) >= _PIECES_UNDER_WAY:
                yield under_way.popleft().result()
        while under_way:
            yield under_way.popleft().result()


def _pieces(clone: Clone, shas: list[str]) -> Iterator[Piece]:
    try:
        yield from read_changes(clone, shas)
    except GitError as failure:
        raise _unreadable(clone, shas, failure) from None
    except OSError as error:
        raise _no_room(str(error)) from None


def _measure(clone: Clone, counter: PairCounter, listed: pl.DataFrame, piece: Piece) -> Frames:
    """The frames of one piece of history."""
    try:
        files = _count(counter, piece.files())
        commits = _describe(clone, piece.shas)
    except GitError as failure:
        raise _unreadable(clone, piece.shas, failure) from None
    except OSError as error:
        raise _no_room(str(error)) from None
    when = pl.DataFrame({"sha": piece.shas}).join(listed, on="sha", maintain_order="left")
    files = files.join(when, on="sha", maintain_order="left").drop("committed_at")
    sizes = files.group_by("sha").agg(
        pl.col("additions").sum(), pl.col("deletions").sum(), pl.len().alias("changed_files")
    )
    commits = (
        when.join(commits, on="sha", maintain_order="left")
        .join(sizes, on="sha", how="left", maintain_order="left")
        .with_columns(pl.col("additions", "deletions", "changed_files").fill_null(0).cast(pl.Int64))
    )
    return commits.select(*COMMIT_COLUMNS), files.select(*FILE_COLUMNS)


def _count(counter: PairCounter, files: pl.DataFrame) -> pl.DataFrame:
    """``files`` with additions, deletions and is_binary instead of pair."""
    # Versions of one file lie close together in the clone: in the order of paths they are
    # unpacked once.
    pairs = files.sort("path", maintain_order=True)["pair"].unique(maintain_order=True)
    counts = counter.count(pairs.to_list())
    measured = pl.DataFrame(
        counts,
        schema={"additions": pl.Int64, "deletions": pl.Int64, "is_binary": pl.Boolean},
        orient="row",
    ).with_columns(pair=pairs)
    lines = pl.col("additions", "deletions")
    return files.join(measured, on="pair", maintain_order="left").with_columns(
        pl.when("is_same").then(0).otherwise(lines).name.keep()
    )


def _describe(clone: Clone, shas: Sequence[str]) -> pl.DataFrame:
    return parse_commits(print_objects(clone.path, shas))


def _unreadable(clone: Clone, shas: Sequence[str], failure: GitError) -> PerfAssetsError:
    """One sentence about why ``shas`` could not be read; names the commit that is to blame."""
    if is_disk_full(failure.stderr):
        return _no_room(failure.stderr)
    if _comparison_error(clone, shas) is None:
        return damaged(clone.path, failure)
    while len(shas) > 1:
        first = shas[: len(shas) // 2]
        shas = shas[len(first) :] if _comparison_error(clone, first) is None else first
    said = error_line((_comparison_error(clone, shas) or failure).stderr)
    return PerfAssetsError(
        f"commit {shas[0]} cannot be read from the git clone at {clone.path} (git says {said!r}): "
        "delete that directory and run again, and it is cloned anew, or clone from a repository "
        "that is complete"
    )


def _comparison_error(clone: Clone, shas: Sequence[str]) -> GitError | None:
    """What git says when it cannot count the lines of one of ``shas``."""
    try:
        given = "".join(f"{sha}\n" for sha in shas).encode()
        with streamed(diff_tree(clone, "--numstat"), local_environment(), given) as output:
            while output.read(1 << 20):
                pass
    except GitError as failure:
        return failure
    return None


def _no_room(reason: str) -> PerfAssetsError:
    return PerfAssetsError(
        f"git needs room for temporary files in {tempfile.gettempdir()} ({error_line(reason)}): "
        "free some, or set TMPDIR to another place, and run again"
    )
