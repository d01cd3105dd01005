"""Which pull requests of a repository are read, where not all of them are."""

import polars as pl

PERFORMANCE, BUG, OTHER = 1, 2, 3
"""Priorities: of performance work, of other bug reports, of nothing that is studied."""

PER_REQUEST = 100
REQUESTS_PER_THOUSAND = 2


def most_pull_requests(issues: int) -> int:
    """Return how many pull requests are read of a repository with so many ``issues``.

    They are 2 requests for each 1,000 issues, begun ones counted. The number follows from the
    stored issues alone, so that a run that was killed and repeated ends with the same rows.
    """
    thousands = max(1, -(-issues // 1000))
    return REQUESTS_PER_THOUSAND * thousands * PER_REQUEST


def wanted_pull_requests(candidates: pl.DataFrame, most: int | None) -> tuple[pl.DataFrame, int]:
    """Return the pull requests to read, and how many of the wanted ones are left out.

    Parameters
    ----------
    candidates
        Columns ``pull_request``, ``month``, ``priority`` (1 to 3), one row for each.
    most
        How many are read at most: the best priority first, then the newest; those of priority 3
        are not wanted then. None for all, without a bound.
    """
    if most is None:
        return candidates, 0
    wanted = candidates.filter(pl.col("priority") < OTHER)
    ordered = wanted.sort("priority", "pull_request", descending=[False, True])
    return ordered.head(most), max(0, wanted.height - most)
