"""Regressions: changes of many benchmarks that one of the same commits can have brought."""

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any

import polars as pl


def with_regressions(changes: pl.DataFrame) -> pl.DataFrame:
    """Return ``changes`` of level with the regression_id of the group that each belongs to.

    A group has changes of one repository and direction, whose commits overlap. Changes are taken in
    the order in which their commits end; each joins the group before it if a commit is left that
    can have brought all of them. So every change is in one group, and no other grouping by common
    commits has fewer groups.

    Parameters
    ----------
    changes : the columns repository, is_regression, first_position, last_position, sha.
    """
    ordered = changes.with_row_index("row").sort(
        "repository", "is_regression", "last_position", "first_position", "row"
    )
    identifiers = [
        (change["row"], identifier)
        for _, members in ordered.group_by("repository", "is_regression", maintain_order=True)
        for group in _groups(members.iter_rows(named=True))
        for identifier in [_identifier(group)]
        for change in group
    ]
    schema = {"row": pl.UInt32, "regression_id": pl.String}
    named = pl.DataFrame(identifiers, schema=schema, orient="row").sort("row")
    return changes.with_columns(named["regression_id"])


def _groups(changes: Iterator[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Yield the changes that have a commit in common; they are ordered by their last commit."""
    group: list[dict[str, Any]] = []
    for change in changes:
        if group and change["first_position"] > group[0]["last_position"]:
            yield group
            group = []
        group.append(change)
    if group:
        yield group


def _identifier(group: Sequence[dict[str, Any]]) -> str:
    """Return what a group is known by: the last commit that can have brought all of it."""
    last = group[0]
    name = f"{last['repository']} {last['is_regression']} {last['sha']}"
    return f"r{hashlib.sha256(name.encode()).hexdigest()[:10]}"
