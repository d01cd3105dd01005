"""What the branches hold, from cheap walks: commits by UTC month, and fingerprints."""

import hashlib
import io
from collections.abc import Iterable
from pathlib import Path

import polars as pl

from perf_assets.sources.git.clone import Clone, reading
from perf_assets.sources.git.command import GitError, lines_of, read_clone
from perf_assets.sources.git.commits import moment


def months_of(listed: pl.DataFrame) -> pl.DataFrame:
    """Return the number of ``listed`` commits of each UTC month, by committer time.

    Returns
    -------
    month : ``YYYY-MM``, ascending.
    commits : git's own count of the month's commits.
    fingerprint : changes exactly when the set of the month's commits, or their branch, changes.
    """
    named = pl.concat_str([name for name in ("sha", "branch") if name in listed.columns])
    grouped = (
        listed.group_by("month").agg(pl.len().alias("commits"), named.sort().alias("named"))
    ).sort("month")
    fingerprints = [
        hashlib.sha256("\n".join(names).encode()).hexdigest() for names in grouped["named"]
    ]
    return grouped.select(
        "month",
        pl.col("commits").cast(pl.Int64),
        pl.Series("fingerprint", fingerprints, dtype=pl.String),
    )


def list_commits(clone: Clone) -> pl.DataFrame:
    """Return every commit reachable from the tip, older months first: sha, committed_at, month."""
    return walk(clone.path, clone.tip).sort("month", maintain_order=True)


def list_dropped(clone: Clone, old_tip: str) -> pl.DataFrame | None:
    """Return the commits reachable from ``old_tip``, not from the tip; None if it is gone."""
    if not has_commit(clone.path, old_tip):
        return None
    dropped = walk(clone.path, old_tip, f"^{clone.tip}")
    return dropped.sort("month", maintain_order=True)


def has_commit(clone: Path, sha: str) -> bool:
    """Return whether the clone has the commit: what a force push dropped may be gone."""
    try:
        read_clone(clone, "cat-file", "-e", f"{sha}^{{commit}}")
    except GitError:
        return False
    return True


def list_branch_commits(clone: Clone) -> pl.DataFrame:
    """Return every commit on another branch than the default one and not reachable from its tip.

    Returns
    -------
    The columns of ``list_commits``, and ``branch``: the first branch, by name, that contains it.
    One walk finds them, however many branches there are.
    """
    lines = _walk(clone.path, "--topo-order", "--parents", "--branches", f"^{clone.tip}")
    walked = [line.split(" ") for line in lines_of(lines)]
    branches = _first_branches(_heads(clone), ((sha, parents) for _, sha, *parents in walked))
    times = [int(time) for time, *_ in walked]
    walked_commits = pl.DataFrame(
        {"sha": list(branches), "committed_at": times, "branch": list(branches.values())},
        schema={"sha": pl.String, "committed_at": pl.UInt64, "branch": pl.String},
    )
    dated = _dated(walked_commits).select("sha", "committed_at", "month", "branch")
    return dated.sort("month", maintain_order=True)


def walk(clone: Path, *arguments: str) -> pl.DataFrame:
    """Return the commits that git lists, in the reverse order: sha, committed_at, month."""
    listed = pl.read_csv(
        io.BytesIO(_walk(clone, *arguments)),
        has_header=False,
        separator=" ",
        quote_char=None,
        schema={"committed_at": pl.UInt64, "sha": pl.String},
        raise_if_empty=False,
    )
    return _dated(listed).select("sha", "committed_at", "month")


def _walk(clone: Path, *arguments: str) -> bytes:
    """Return committer time and sha of the commits that git finds, one per line."""
    with reading(clone):
        return read_clone(clone, "rev-list", "--timestamp", *arguments)


def _heads(clone: Clone) -> dict[str, str]:
    """Return the first branch, by name, at each tip."""
    options = ("--sort=-refname", "--format=%(objectname) %(refname:lstrip=2)", "refs/heads/")
    with reading(clone.path):
        lines = lines_of(read_clone(clone.path, "for-each-ref", *options))
    return {sha: branch for sha, _, branch in (line.partition(" ") for line in lines)}


def _first_branches(
    heads: dict[str, str], children_first: Iterable[tuple[str, list[str]]]
) -> dict[str, str]:
    """Return the first branch, by name, that contains each commit."""
    branches = dict(heads)
    found = {}
    for sha, parents in children_first:
        branch = found[sha] = branches.pop(sha)
        for parent in parents:
            branches[parent] = min(branches.get(parent, branch), branch)
    return found


def _dated(listed: pl.DataFrame) -> pl.DataFrame:
    return (
        listed.reverse()
        # git reads a time before 1970 into an unsigned number, where it wraps around.
        .with_columns(pl.col("committed_at").reinterpret(signed=True))
        .with_columns(moment("committed_at"))
        .with_columns(month=pl.col("committed_at").dt.strftime("%Y-%m"))
    )
