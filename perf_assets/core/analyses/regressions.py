"""Regressions: changes of many benchmarks that one of the same commits can have brought."""

import hashlib
from collections.abc import Iterator, Sequence
from math import log
from typing import Any

import polars as pl

from perf_assets.core.analyses.benchmark_changes import SERIES
from perf_assets.schema import schema_of

TABLE = "marts.regressions"


def regressions(benchmark_changes: pl.DataFrame, commit_positions: pl.DataFrame) -> pl.DataFrame:
    """Group changes of level whose commits overlap, of one repository and direction.

    Changes are taken in the order in which their commits end; each joins the group before it if a
    commit is left that can have brought all of them. So every change is in one group, and no other
    grouping by common commits has fewer groups.

    Parameters
    ----------
    benchmark_changes : ``marts.benchmark_changes``.
    commit_positions : ``intermediate.commit_positions``: repository, sha, committed_at,
        commit_position.

    Returns
    -------
    ``marts.regressions``.
    """
    if benchmark_changes.is_empty():
        return pl.DataFrame(schema=schema_of(TABLE))
    shas = dict(
        commit_positions.sort("repository", "commit_position")
        .group_by("repository", maintain_order=True)
        .agg(pl.struct("sha", "committed_at"))
        .iter_rows()
    )
    ordered = benchmark_changes.sort(
        *("repository", "is_regression", "last_position", "first_position"),
        *SERIES[1:],
    )
    rows = [
        _row(members, shas[members[0]["repository"]])
        for _, changes in ordered.group_by("repository", "is_regression", maintain_order=True)
        for members in _groups(changes.to_dicts())
    ]
    return pl.DataFrame(rows, schema=schema_of(TABLE))


def _groups(changes: Sequence[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Yield the changes that have a commit in common; they are ordered by their last commit."""
    group: list[dict[str, Any]] = []
    for change in changes:
        if group and change["first_position"] > group[0]["last_position"]:
            yield group
            group = []
        group.append(change)
    if group:
        yield group


def _row(members: Sequence[dict[str, Any]], axis: Sequence[dict[str, Any]]) -> dict[str, Any]:
    first = max(member["first_position"] for member in members)
    last = min(member["last_position"] for member in members)
    ratios = pl.Series([member["ratio"] for member in members])
    strongest = max(members, key=lambda member: (abs(log(member["ratio"])), member["benchmark"]))
    repository, is_regression = members[0]["repository"], members[0]["is_regression"]
    name = f"{repository} {is_regression} {axis[first]['sha']} {axis[last]['sha']}"
    return {
        "repository": repository,
        "regression_id": f"r{hashlib.sha256(name.encode()).hexdigest()[:16]}",
        "is_regression": is_regression,
        "first_sha": axis[first]["sha"],
        "last_sha": axis[last]["sha"],
        "committed_at": axis[last]["committed_at"],
        "month": axis[last]["committed_at"].strftime("%Y-%m"),
        "first_position": first,
        "last_position": last,
        "candidate_commits": last - first + 1,
        "changed_benchmarks": len({member["benchmark"] for member in members}),
        "changed_series": len(members),
        "machines": len({member["machine"] for member in members}),
        "median_ratio": ratios.median(),
        "largest_ratio": strongest["ratio"],
        "largest_benchmark": strongest["benchmark"],
        "largest_parameters": strongest["benchmark_parameters"],
        "largest_machine": strongest["machine"],
    }
