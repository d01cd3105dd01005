"""What the branches hold, from cheap walks: commits by UTC month, and fingerprints."""

import hashlib
import io
from collections.abc import Iterable

import polars as pl

from perf_assets.sources.git.clone import Clone, damaged
from perf_assets.sources.git.command import GitError, in_clone, lines_of, local_environment, run
from perf_assets.sources.git.commits import moment


def commit_months(clone: Clone) -> pl.DataFrame:
    """Return the number of commits of each UTC month on the default branch; see ``months_of``."""
    return months_of(list_commits(clone))


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
    fingerprints = [_fingerprint(names) for names in grouped["named"]]
    return grouped.select(
        "month",
        pl.col("commits").cast(pl.Int64),
        pl.Series("fingerprint", fingerprints, dtype=pl.String),
    )


def list_commits(clone: Clone) -> pl.DataFrame:
    """Return every commit reachable from the tip, older months first: sha, committed_at, month."""
    return _listed(_walk(clone, clone.tip))


def list_dropped(clone: Clone, old_tip: str) -> pl.DataFrame | None:
    """Return the commits reachable from ``old_tip`` and no longer from the tip; None if it is
    gone.
    """
    try:
        run(in_clone(clone.path, "cat-file", "-e", f"{old_tip}^{{commit}}"), local_environment())
    except GitError:
        return None
    return _listed(_walk(clone, old_tip, f"^{clone.tip}"))


def list_branch_commits(clone: Clone) -> pl.DataFrame:
    """Return every commit on another branch than the default one and not reachable from its tip.

    Returns
    -------
    The columns of ``list_commits``, and ``branch``: the first branch, by name, that contains it.
    One walk finds them, however many branches there are.
    """
    lines = _walk(clone, "--topo-order", "--parents", "--branches", f"^{clone.tip}")
    walked = [line.split(" ") for line in lines_of(lines)]
    branches = _first_branches(_heads(clone), ((sha, parents) for _, sha, *parents in walked))
    times = [int(time) for time, *_ in walked]
    return _dated(
        pl.DataFrame(
            {"committed_at": times, "sha": list(branches), "branch": list(branches.values())},
            schema={"committed_at": pl.UInt64, "sha": pl.String, "branch": pl.String},
        )
    )


def _listed(walked: bytes) -> pl.DataFrame:
    listed = pl.read_csv(
        io.BytesIO(walked),
        has_header=False,
        separator=" ",
        quote_char=None,
        schema={"committed_at": pl.UInt64, "sha": pl.String},
        raise_if_empty=False,
    )
    return _dated(listed)


def _walk(clone: Clone, *arguments: str) -> bytes:
    """Return committer time and sha of the commits that git finds, one per line."""
    try:
        return run(in_clone(clone.path, "rev-list", "--timestamp", *arguments), local_environment())
    except GitError as failure:
        raise damaged(clone.path, failure) from None


def _heads(clone: Clone) -> dict[str, str]:
    """Return the first branch, by name, at each tip."""
    options = ("--sort=-refname", "--format=%(objectname) %(refname:lstrip=2)", "refs/heads/")
    try:
        output = run(in_clone(clone.path, "for-each-ref", *options), local_environment())
    except GitError as failure:
        raise damaged(clone.path, failure) from None
    lines = lines_of(output)
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
        .select("sha", "committed_at", "month", pl.selectors.by_name("branch", require_all=False))
        .sort("month", maintain_order=True)
    )


def _fingerprint(names: pl.Series) -> str:
    return hashlib.sha256(chr(10).join(names).encode()).hexdigest()
