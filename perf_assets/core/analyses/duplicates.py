"""Groups of issues that repeat each other, by what people marked."""

from collections.abc import Mapping
from datetime import datetime

import polars as pl

from perf_assets.schema import schema_of

TABLE = "marts.duplicate_groups"


def duplicate_groups(duplicate_marks: pl.DataFrame, issues: pl.DataFrame) -> pl.DataFrame:
    """Return each issue that repeats others, or is repeated, with the report that stands for them.

    Parameters
    ----------
    duplicate_marks : ``intermediate.duplicate_marks``, at most one of an issue.
    issues : ``staging.issues``: dataset, repository, number and opened_at.

    Returns
    -------
    ``marts.duplicate_groups``.
    """
    opened = {
        (repository, number): opened_at
        for dataset, repository, number, opened_at in issues.select(
            "dataset", "repository", "number", "opened_at"
        ).iter_rows()
        if dataset == "live"
    }
    marks = {
        (repository, number): (canonical_repository, canonical)
        for repository, number, canonical_repository, canonical in duplicate_marks.select(
            "repository", "number", "canonical_repository", "canonical_number"
        ).iter_rows()
        if canonical_repository == repository
        and (repository, number) in opened
        and (repository, canonical) in opened
    }
    groups: dict[tuple[str, int], list[tuple[str, int]]] = {}
    for issue in sorted({*marks, *marks.values()}):
        groups.setdefault(_first(issue, marks, opened), []).append(issue)
    rows = [
        {
            "repository": repository,
            "number": number,
            "first_number": first[1],
            "is_first": (repository, number) == first,
            "group_size": len(members),
        }
        for first, members in groups.items()
        for repository, number in members
    ]
    return pl.DataFrame(rows, schema=schema_of(TABLE))


def _first(
    issue: tuple[str, int],
    marks: Mapping[tuple[str, int], tuple[str, int]],
    opened: Mapping[tuple[str, int], datetime],
) -> tuple[str, int]:
    """Return where the marks lead from ``issue``; of a circle its oldest member."""
    passed = [issue]
    while (after := marks.get(passed[-1])) is not None:
        if after in passed:
            return min(passed[passed.index(after) :], key=lambda member: (opened[member], member))
        passed.append(after)
    return passed[-1]
