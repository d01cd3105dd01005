"""By what an alert is known, and what people said of it, however its estimated month moves."""

import hashlib
from collections.abc import Sequence
from typing import Any

import polars as pl

NEW = "new"
MOVED_MONTHS = 2
"""By so many months the estimated month of a change may move, and it stays the same alert."""


def identifier(repository: str, area: str | None, series: str, direction: str, month: str) -> str:
    """Return what an alert is known by: what changed, in short, and the month of the change."""
    parts = (repository, area, series, direction)
    text = "\n".join("" if part is None else f"={part}" for part in parts)
    return f"a{hashlib.sha256(text.encode()).hexdigest()[:10]}-{month}"


def is_same(alert_id: str, other: str) -> bool:
    """Return whether two identifiers are of the same alert, whose estimated month may have moved.

    Raises
    ------
    ValueError
        One of them is not an identifier.
    """
    (key, _, month), (other_key, _, other_month) = alert_id.partition("-"), other.partition("-")
    return key == other_key and months_apart(month, other_month) <= MOVED_MONTHS


def months_apart(month: str, other: str) -> int:
    """Return how many months lie between two, written YYYY-MM."""
    return abs(_number(month) - _number(other))


def state_in_force(identifiers: Sequence[str], alert_states: pl.DataFrame) -> dict[str, Any]:
    """Return the last row of ``reviews.alert_states`` on one of ``identifiers``; empty without any.

    The estimated month of an alert may have moved since.
    """
    ordered = alert_states.sort("imported_at", "verdict_id").iter_rows(named=True)
    rows = [row for row in ordered if any(is_same(row["alert_id"], text) for text in identifiers)]
    return rows[-1] if rows else {}


def _number(month: str) -> int:
    year, _, of_year = month.partition("-")
    return 12 * int(year) + int(of_year)
