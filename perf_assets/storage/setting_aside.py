"""What becomes of rows that cannot be stored while the others of their partition are."""

from collections.abc import Iterator, Mapping

import duckdb
import polars as pl

from perf_assets.schema import table_of
from perf_assets.schema.ddl import conditions
from perf_assets.schema.frames import registered

RULES = "rules"  # the column of rows that were set aside which says why
OF_ANOTHER = "belongs_to_a_row_set_aside"
ELSEWHERE = "key_is_stored_elsewhere"

Costs = Mapping[int, list[str]]
"""Rows by index, and the rules that each breaks."""


def split(
    frames: Mapping[str, pl.DataFrame], costs: Mapping[str, Costs]
) -> tuple[dict[str, pl.DataFrame], dict[str, pl.DataFrame]]:
    """Split the ``frames`` of a partition into the rows that stay and those that are set aside.

    With a row of the first table goes what belongs to it in the others: what has its key.

    Parameters
    ----------
    frames : the rows of each table, the one that the others belong to first.
    costs : by table, the rows that break a rule.

    Returns
    -------
    The rows that stay, and of each table that loses some those, with the column ``rules``.
    """
    stay: dict[str, pl.DataFrame] = {}
    aside: dict[str, pl.DataFrame] = {}
    owner = next(iter(frames))
    for table, rows in frames.items():
        lost = dict(costs.get(table, {}))
        if table != owner and owner in aside:
            lost |= dict(_belonging(owner, aside[owner], table, rows, lost))
        in_order = sorted(lost)
        stays = pl.repeat(value=True, n=rows.height, eager=True).scatter(in_order, values=False)
        stay[table] = rows.filter(stays)
        if in_order:
            why = pl.Series(RULES, [lost[row] for row in in_order], pl.List(pl.String))
            aside[table] = rows[in_order].with_columns(why)
    return stay, aside


def _belonging(
    owner: str, gone: pl.DataFrame, table: str, rows: pl.DataFrame, lost: Costs
) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of ``table`` that belong to those of ``owner`` that are gone."""
    key = list(table_of(owner).key)
    if key == list(table_of(table).key) or not set(key) <= set(rows.columns):
        return
    found = rows.with_row_index("$row").join(gone.select(key), on=key, how="semi")
    for row in found["$row"].to_list():
        if row not in lost:
            yield row, [OF_ANOTHER]


def against_conditions(
    connection: duckdb.DuckDBPyConnection, table: str, rows: pl.DataFrame
) -> dict[int, list[str]]:
    """Return the ``rows`` that the database would refuse, each with its reasons.

    They break a condition of ``table``, or have the key of a row of another partition.
    """
    declaration = table_of(table)
    broken = {
        condition: f"FROM rows AS new WHERE NOT ({condition})"
        for condition in conditions(declaration)
    }
    if declaration.partitioned:
        key = ", ".join(f'"{name}"' for name in declaration.key)
        parts = [*declaration.parts, "month"]
        differs = " OR ".join(f'new."{name}" <> stored."{name}"' for name in parts)
        broken[ELSEWHERE] = f"FROM rows AS new JOIN {table} AS stored USING ({key}) WHERE {differs}"
    found: dict[int, list[str]] = {}
    with registered(connection, "rows", rows.with_row_index("$row")):
        for reason, query in broken.items():
            for (row,) in connection.execute(f'SELECT new."$row" {query}').fetchall():
                found.setdefault(row, []).append(reason)
    return found
