"""What a fleet of repositories costs, by simulation: requests, tokens, bytes, commits, time.

    python -m tests.benchmarks.fleet_cost [--repositories 100 10000] [--seed 0]

No repository is mined: sizes are drawn, and costs follow from them by the assumptions below, which
were measured where they say so. Change one here, and see what hangs on it.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np


@dataclass(frozen=True)
class Assumptions:
    """Each with where it is from: measured (docs/scale.md, docs/performance.md), rule, or guess."""

    median_issues: float = 150  # guess: issues of a repository, log-normal
    spread: float = 2.0  # guess: sigma of its logarithm; the mean is then 7.4 medians
    commits_per_issue: float = 2.0  # guess
    clone_bytes_per_commit: float = 20e3  # guess: history without files of other branches
    points_fixed: float = 8.0  # measured: GraphQL points of a repository, whatever its size
    points_per_issue: float = 0.074  # measured: 5,000 issues with four comments each
    requests_fixed: float = 3.0  # measured
    requests_per_issue: float = 0.011  # measured
    bytes_per_issue: float = 6e3  # measured: answers, uncompressed
    points_per_hour: float = 5000.0  # rule: of a token of GitHub
    looks_points: float = 2.0  # measured: a refresh that finds nothing new
    changed_share: float = 0.01  # guess: issues that change in a month
    tables: float = 22.0  # measured: Delta tables that a first ship writes to
    changed_tables: float = 8.0  # measured: that a later one writes to
    lake_bytes_per_issue: float = 3e3  # measured: compressed, bookkeeping included
    seconds_fixed: float = 5.0  # measured: a worker at a repository, one core
    seconds_per_issue: float = 0.0045  # measured: loading, labels, links, the analysis of fixes
    refresh_seconds: float = 1.5  # measured: with nothing new
    models_seconds_per_million: float = 39.0  # measured: DuckDB
    spark_seconds_per_million: float = 362.0  # measured: Spark, one node
    statistics_seconds_per_million: float = 140.0  # measured: the Python statistics
    repository_seconds: float = 0.5  # measured: those of each repository, however small


def main() -> None:
    """Print the assumptions and a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repositories", type=int, nargs="+", default=[100, 10_000])
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    given = Assumptions()
    print("| assumption | value |\n| --- | ---: |")
    for field in fields(given):
        print(f"| {field.name.replace('_', ' ')} | {getattr(given, field.name):,g} |")
    costs = [cost(given, count, chosen.seed) for count in chosen.repositories]
    print(f"\n| | {' | '.join(f'{count:,} repositories' for count in chosen.repositories)} |")
    print(f"| --- |{' ---: |' * len(costs)}")
    for name in costs[0]:
        print(f"| {name} | {' | '.join(found[name] for found in costs)} |")


def cost(given: Assumptions, repositories: int, seed: int) -> dict[str, str]:
    """What the first load and a monthly refresh take, in words."""
    rng = np.random.default_rng(seed)
    issues = np.exp(rng.normal(np.log(given.median_issues), given.spread, repositories)).round()
    changed = issues * given.changed_share
    points = given.points_fixed + given.points_per_issue * issues
    later = given.looks_points + given.points_per_issue * changed
    seconds = given.seconds_fixed + given.seconds_per_issue * issues
    is_new = -np.expm1(-changed)  # that any issue of it changed
    return {
        "issues": f"{issues.sum():,.0f}",
        "of the largest": f"{issues.max():,.0f}",
        "first load: requests": f"{_total(given.requests_fixed, given.requests_per_issue, issues)}",
        "first load: points": f"{points.sum():,.0f}",
        "first load: token hours": f"{points.sum() / given.points_per_hour:,.1f}",
        "first load: answers": _size(given.bytes_per_issue * issues),
        "first load: clones": _size(
            given.clone_bytes_per_commit * given.commits_per_issue * issues
        ),
        "first load: core hours of workers": f"{seconds.sum() / 3600:,.1f}",
        "first load: the longest of them": f"{seconds.max() / 3600:,.1f} h",
        "first load: Delta commits": f"{(given.tables + 1) * repositories:,.0f}",
        "the lake": _size(given.lake_bytes_per_issue * issues),
        "a refresh: points": f"{later.sum():,.0f}",
        "a refresh: token hours": f"{later.sum() / given.points_per_hour:,.1f}",
        "a refresh: core hours of workers": (
            f"{(given.refresh_seconds + given.seconds_fixed * is_new).sum() / 3600:,.1f}"
        ),
        "a refresh: Delta commits": f"{(2 + (given.changed_tables - 1) * is_new).sum():,.0f}",
        "models on DuckDB: core minutes": _minutes(given.models_seconds_per_million, issues),
        "models on Spark: core minutes": _minutes(given.spark_seconds_per_million, issues),
        "statistics: core minutes": _minutes(
            given.statistics_seconds_per_million, issues, given.repository_seconds * repositories
        ),
    }


def _total(fixed: float, each: float, issues: "Sequence[float] | np.ndarray") -> str:
    return f"{(fixed + each * np.asarray(issues)).sum():,.0f}"


def _minutes(per_million: float, issues: "np.ndarray", more: float = 0) -> str:
    return f"{(issues.sum() / 1e6 * per_million + more) / 60:,.0f}"


def _size(amount: "np.ndarray") -> str:
    total = float(amount.sum())
    return f"{total / 1e9:,.1f} GB" if total >= 1e9 else f"{total / 1e6:,.0f} MB"


if __name__ == "__main__":
    main()
