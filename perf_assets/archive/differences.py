"""Where two tables of the same name differ, row by row."""

from collections.abc import Sequence
from dataclasses import dataclass

import duckdb

from perf_assets.base.sanitize import shortened
from perf_assets.schema import Table
from perf_assets.schema.ddl import quoted_name
from perf_assets.storage.database_copy import columns_of

TOLERANCE = 1e-9
"""Relative: other processors and libraries of linear algebra round the last digits otherwise."""

EXAMPLES = 3
LONGEST = 60


@dataclass(frozen=True)
class Change:
    """A row that differs: its key, and of each column that differs both values.

    columns : empty where only one of the tables has the row.
    is_only_in : ``first``, ``second``, or nothing where both have it.
    """

    key: tuple[object, ...]
    is_only_in: str
    columns: tuple[tuple[str, object, object], ...]

    def sentence(self, table: Table) -> str:
        """Return the row and what of it differs, in short."""
        named = zip(table.key, self.key, strict=True)
        key = ", ".join(f"{name} {_short(value)}" for name, value in named)
        if self.is_only_in:
            return f"{key}: only in the {self.is_only_in}"
        values = (f"{name} {_short(old)} -> {_short(new)}" for name, old, new in self.columns)
        return f"{key}: {'; '.join(values)}"


@dataclass(frozen=True)
class TableDifference:
    """How two tables differ.

    only_first, only_second, changed : numbers of rows by key.
    rounded : rows whose numbers differ in their last digits alone, which count as equal.
    examples : some of the rows that differ.
    columns : those that only one of the tables has, or that have another type in the other.
    """

    table: str
    rows: int
    only_first: int = 0
    only_second: int = 0
    changed: int = 0
    rounded: int = 0
    examples: tuple[Change, ...] = ()
    columns: tuple[str, ...] = ()

    @property
    def is_equal(self) -> bool:
        """Return whether the tables say the same."""
        return not (self.only_first or self.only_second or self.changed)

    @property
    def count(self) -> int:
        """Return how many rows differ."""
        return self.only_first + self.only_second + self.changed


def difference(
    connection: duckdb.DuckDBPyConnection, table: Table, first: str, second: str
) -> TableDifference:
    """Return how the rows of two relations, given in SQL, differ as rows of ``table``.

    When rows were stored is not compared.
    """
    left, right = (columns_of(connection, one) for one in (first, second))
    stamped = {column.name for column in table.columns if column.stamped}
    columns = [name for name in left if name not in stamped and left[name] == right.get(name)]
    alone = tuple(sorted((left.keys() | right.keys()) - {*columns, *stamped}))
    if not set(table.key) <= set(columns):  # no row of one can be found in the other
        counts = connection.execute(
            f"SELECT (SELECT count(*) FROM {first}), (SELECT count(*) FROM {second})"
        ).fetchall()
        ((only_first, only_second),) = counts
        return TableDifference(table.name, only_first, only_first, only_second, columns=alone)
    chosen = ", ".join(map(quoted_name, columns))
    relations = (f"(SELECT {chosen} FROM {one})" for one in (first, second))
    rows, is_equal = same_count(connection, *relations)
    if is_equal:
        return TableDifference(table.name, rows, columns=alone)
    keys = list(table.key)
    rest = [name for name in columns if name not in keys]
    joined = _joined(keys, rest, first, second)
    exact = " OR ".join(_differs(name, is_exact=True, kind=left[name]) for name in rest) or "false"
    close = " OR ".join(_differs(name, is_exact=False, kind=left[name]) for name in rest) or "false"
    (numbers,) = connection.execute(
        f"""
        SELECT count(*) FILTER (NOT in_second), count(*) FILTER (NOT in_first),
            count(*) FILTER (in_first AND in_second AND ({close})),
            count(*) FILTER (in_first AND in_second AND ({exact}) AND NOT ({close}))
        FROM ({joined})
        """
    ).fetchall()
    examples = connection.sql(
        f"FROM ({joined}) WHERE NOT in_first OR NOT in_second OR {close} "
        f"ORDER BY {', '.join(map(quoted_name, keys))} LIMIT {EXAMPLES}"
    )
    only_first, only_second, changed, rounded = numbers
    return TableDifference(
        table.name,
        rows,
        only_first,
        only_second,
        changed,
        rounded,
        _changes(examples, keys, rest),
        alone,
    )


def same_count(connection: duckdb.DuckDBPyConnection, first: str, second: str) -> tuple[int, bool]:
    """Return how many rows the first of two relations of the same columns has, and whether both are
    equal.

    By the rows themselves: who knows a sum of hashes can make other rows of the same sum.
    """
    ((one, other, left),) = connection.execute(
        f"""
        SELECT (SELECT count(*) FROM {first}), (SELECT count(*) FROM {second}),
            (SELECT count(*) FROM (FROM {first} EXCEPT ALL FROM {second}))
        """
    ).fetchall()
    return one, one == other and not left


def _joined(keys: Sequence[str], rest: Sequence[str], first: str, second: str) -> str:
    """Return rows of both side by side: ``in_first`` and ``in_second`` say where there is one."""
    same = " AND ".join(
        f"one.{quoted_name(key)} IS NOT DISTINCT FROM other.{quoted_name(key)}" for key in keys
    )
    shown = [
        f"CASE WHEN one.is_there THEN one.{quoted_name(key)} ELSE other.{quoted_name(key)} END "
        f"AS {quoted_name(key)}"
        for key in keys
    ]
    for name in rest:
        shown += [
            f"one.{quoted_name(name)} AS {quoted_name(f'first.{name}')}",
            f"other.{quoted_name(name)} AS {quoted_name(f'second.{name}')}",
        ]
    return f"""
        SELECT {", ".join(shown)},
            one.is_there IS NOT NULL AS in_first, other.is_there IS NOT NULL AS in_second
        FROM (SELECT *, true AS is_there FROM {first}) AS one
        FULL JOIN (SELECT *, true AS is_there FROM {second}) AS other ON {same}
    """


def _differs(name: str, *, is_exact: bool, kind: str) -> str:
    one, other = quoted_name(f"first.{name}"), quoted_name(f"second.{name}")
    differs = f"{one} IS DISTINCT FROM {other}"
    if is_exact or kind not in ("DOUBLE", "FLOAT"):
        return f"({differs})"
    largest = f"greatest(abs({one}), abs({other}))"
    return f"({differs} AND NOT coalesce(abs({one} - {other}) <= {TOLERANCE} * {largest}, false))"


def _changes(
    examples: duckdb.DuckDBPyRelation,
    keys: Sequence[str],
    rest: Sequence[str],
) -> tuple[Change, ...]:
    names = examples.columns
    found = []
    for row in examples.fetchall():
        values = dict(zip(names, row, strict=True))
        is_only_in = (
            ""
            if values["in_first"] and values["in_second"]
            else ("first" if values["in_first"] else "second")
        )
        columns = tuple(
            (name, values[f"first.{name}"], values[f"second.{name}"])
            for name in rest
            if not is_only_in and not _same(values[f"first.{name}"], values[f"second.{name}"])
        )
        found.append(Change(tuple(values[key] for key in keys), is_only_in, columns))
    return tuple(found)


def _same(one: object, other: object) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return one == other or abs(one - other) <= TOLERANCE * max(abs(one), abs(other))
    return one == other


def _short(value: object) -> str:
    return "nothing" if value is None else shortened(value, LONGEST)
