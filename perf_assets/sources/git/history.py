"""What the default branch holds, from one cheap walk: commits by UTC month, and fingerprints."""

import hashlib
import io

import polars as pl

from perf_assets.sources.git.clone import Clone, damaged
from perf_assets.sources.git.command import GitError, in_clone, local_environment, run
from perf_assets.sources.git.commits import moment

# Part of every fingerprint: raise it when commits must be counted anew.
RULE_VERSION = "1"


def commit_months(clone: Clone) -> pl.DataFrame:
    """How many commits each UTC month has, by committer time, on the default branch.

    Returns
    -------
    month : ``YYYY-MM``, ascending.
    commits : git's own count of the month's commits.
    fingerprint : changes exactly when the set of the month's commits changes.
    """
    grouped = (
        list_commits(clone).group_by("month").agg(pl.len().alias("commits"), pl.col("sha").sort())
    ).sort("month")
    fingerprints = [_fingerprint(shas) for shas in grouped["sha"]]
    return grouped.select(
        "month",
        pl.col("commits").cast(pl.Int64),
        pl.Series("fingerprint", fingerprints, dtype=pl.String),
    )


def list_commits(clone: Clone) -> pl.DataFrame:
    """Every commit reachable from the tip, older months first: sha, committed_at, month."""
    walk = in_clone(clone.path, "rev-list", "--timestamp", clone.tip)
    try:
        lines = run(walk, local_environment())
    except GitError as failure:
        raise damaged(clone.path, failure) from None
    listed = pl.read_csv(
        io.BytesIO(lines),
        has_header=False,
        separator=" ",
        quote_char=None,
        schema={"committed_at": pl.UInt64, "sha": pl.String},
    )
    return (
        listed.reverse()
        # git reads a time before 1970 into an unsigned number, where it wraps around.
        .with_columns(pl.col("committed_at").reinterpret(signed=True))
        .select("sha", moment("committed_at"))
        .with_columns(month=pl.col("committed_at").dt.strftime("%Y-%m"))
        .sort("month", maintain_order=True)
    )


def _fingerprint(shas: pl.Series) -> str:
    return hashlib.sha256("\n".join([RULE_VERSION, *shas]).encode()).hexdigest()
