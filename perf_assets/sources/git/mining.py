"""The stream: commits with exact sizes, in bounded memory."""

import tempfile
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING

import polars as pl

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.processes.progress import phase
from perf_assets.schema import schema_of
from perf_assets.sources.git.changes import Piece, read_changes
from perf_assets.sources.git.clone import Clone, damaged
from perf_assets.sources.git.command import GitError, error_line, is_disk_full
from perf_assets.sources.git.commits import read_commit_objects
from perf_assets.sources.git.history import list_commits
from perf_assets.sources.git.signatures import read_mailmap, with_signatures
from perf_assets.sources.git.unreadable import fetch_missing, now_readable, unreadable_commits

if TYPE_CHECKING:
    from perf_assets.sources.git.line_changes import PairCounter

# The columns of the tables, but for the repository.
COMMITS, FILES = (
    pl.Schema({name: kind for name, kind in schema_of(table).items() if name != "repository"})
    for table in ("raw.commits", "raw.commit_files")
)

SIZES = ("additions", "deletions", "changed_files")
_NO_FILES = pl.DataFrame(schema=FILES)

# Each worker waits for a git process of its own; two pieces more are read ahead.
WORKERS = 2
_PIECES_UNDER_WAY = 4

Frames = tuple[pl.DataFrame, pl.DataFrame]


def read_commits(
    clone: Clone,
    listed: pl.DataFrame | None = None,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> Iterator[Frames]:
    """Yield commits and their changed files, batch by batch.

    Sizes are those of ``git diff --numstat -M`` against the first parent (a root: against
    nothing), so merges have files too and a commit's numbers are the sums over its files; a
    binary file counts no line, a submodule one line each way. These are PyDriller's totals, which
    `pydriller_mining.read_commits` reads by PyDriller itself.

    Parameters
    ----------
    listed : the commits to read, as ``list_commits`` gives them; None for all of them.
    on_progress : called with how many commits are done, and of how many.

    Yields
    ------
    commits, files : the columns of raw.commits and raw.commit_files but for ``repository`` and
        ``loaded_at``, in the order of ``listed``, a commit's files together with the commit. A
        commit that needs a file or a tree which the clone lacks, and the remote too, says so in
        ``unreadable``; its numbers are NULL, and it has no files.

    Raises
    ------
    PerfAssetsError : commits themselves are missing, or the disk has no room for temporary files.
    """
    listed = list_commits(clone) if listed is None else listed
    done = 0
    reasons: dict[str, str] = {}
    while done < listed.height:
        try:
            for frames in _whole(clone, listed[done:], reasons):
                yield frames
                done += frames[0].height
                on_progress(done, listed.height)
        except GitError as failure:
            if is_disk_full(failure.stderr):
                raise no_room(failure.stderr) from None
            with phase(f"looking for commits that git cannot read in {clone.path.name}"):
                found = unreadable_commits(clone, listed["sha"][done:].to_list())
                fetch_missing(clone.path, clone.url, found.values())
                fetched = now_readable(clone.path, found.values())
            if not fetched and found.keys() <= reasons.keys():
                raise damaged(clone.path, failure) from None
            reasons |= {sha: why for sha, why in found.items() if why not in fetched}
        except OSError as error:
            raise no_room(str(error)) from None


def _whole(clone: Clone, listed: pl.DataFrame, reasons: Mapping[str, str]) -> Iterator[Frames]:
    """Yield the frames of the ``listed`` commits, also of those unreadable for ``reasons``."""
    if not reasons:
        yield from _in_parallel(clone, listed)
        return
    is_unreadable = pl.col("sha").is_in(reasons)
    readable, unreadable = listed.filter(~is_unreadable), listed.filter(is_unreadable)
    described = unreadable.join(describe(clone, unreadable["sha"].to_list()), on="sha")
    described = described.with_columns(
        *(pl.lit(None, pl.Int64).alias(name) for name in SIZES),
        unreadable=pl.col("sha").replace_strict(reasons, return_dtype=pl.String),
    ).select(*COMMITS)
    first = 0
    for commits, files in _in_parallel(clone, readable):
        last = commits["sha"][-1]
        after = first + int((listed["sha"][first:] == last).arg_max() or 0) + 1
        yield _in_order(listed[first:after], commits, described), files
        first = after
    if first < listed.height:
        yield _in_order(listed[first:], described.clear(), described), _NO_FILES


def _in_order(listed: pl.DataFrame, *commits: pl.DataFrame) -> pl.DataFrame:
    rows = pl.concat(commits)
    shas = listed.select("sha")
    return shas.join(rows, on="sha", maintain_order="left").select(*COMMITS)


def _in_parallel(clone: Clone, listed: pl.DataFrame) -> Iterator[Frames]:
    # It takes NumPy, which most processes do without.
    from perf_assets.sources.git.line_changes import PairCounter  # noqa: PLC0415

    counter = PairCounter(clone)
    under_way: deque[Future[Frames]] = deque()
    with ThreadPoolExecutor(WORKERS) as pool:
        for piece in read_changes(clone, listed["sha"].to_list()):
            under_way.append(pool.submit(_measure, clone, counter, listed, piece))
            if len(under_way) >= _PIECES_UNDER_WAY:
                yield under_way.popleft().result()
        while under_way:
            yield under_way.popleft().result()


def _measure(clone: Clone, counter: "PairCounter", listed: pl.DataFrame, piece: Piece) -> Frames:
    """Return the frames of one piece of history."""
    files = _count(counter, piece.files())
    commits = describe(clone, piece.shas)
    when = pl.DataFrame({"sha": piece.shas}).join(listed, on="sha", maintain_order="left")
    files = files.join(when, on="sha", maintain_order="left").drop("committed_at")
    sizes = files.group_by("sha").agg(
        pl.col("additions").sum(), pl.col("deletions").sum(), pl.len().alias("changed_files")
    )
    commits = (
        when.join(commits, on="sha", maintain_order="left")
        .join(sizes, on="sha", how="left", maintain_order="left")
        .with_columns(pl.col(SIZES).fill_null(0).cast(pl.Int64), unreadable=pl.lit(None, pl.String))
    )
    return commits.select(*COMMITS), files.select(*FILES)


def _count(counter: "PairCounter", files: pl.DataFrame) -> pl.DataFrame:
    """Return ``files`` with additions, deletions and is_binary instead of pair."""
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


def describe(clone: Clone, shas: Sequence[str]) -> pl.DataFrame:
    """Return parents, author, time and message of the commits ``shas``, in their order."""
    commits = read_commit_objects(clone.path, shas)
    return with_signatures(commits, read_mailmap(clone))


def no_room(reason: str) -> PerfAssetsError:
    """Return one sentence about a disk on which git's temporary files find no room."""
    return PerfAssetsError(
        f"git needs room for temporary files in {tempfile.gettempdir()} ({error_line(reason)}): "
        "free some, or set TMPDIR to another directory, and run again"
    )
