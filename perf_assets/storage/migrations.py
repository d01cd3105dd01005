"""The shape of a warehouse: made where there is none, and brought from older formats to this one.

All of it is one transaction: a process that is killed meanwhile leaves the older format.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import duckdb
import polars as pl

from perf_assets.schema import LAYERS, Table, declared
from perf_assets.schema.ddl import table_definition
from perf_assets.schema.models.ddl import tables_in_shape

FORMAT = 18  # raised whenever stored tables change in a way that older code cannot read
OLDEST = 9
"""The oldest format that is migrated: that of the first release."""

# Verdicts of people are nowhere else; everything else is mined, or computed, again.
IRREPLACEABLE = ("reviews.",)
# Format 9 kept views of names from before the first release.
VIEWS = """
    SELECT schema_name || '.' || view_name FROM duckdb_views()
    WHERE database_name = current_database() AND NOT internal
"""


def stored_format(
    connection: duckdb.DuckDBPyConnection, tables: Mapping[str, str] | None = None
) -> int | None:
    """The format of a warehouse; ``None`` where nothing was made yet.

    tables : relations in SQL by the names of tables, where these are not in the database in use.
    """
    for name in ("meta.schema_version", "meta.format"):  # the second is its name before format 11
        table = name if tables is None else tables.get(name)
        if table is None:
            continue
        try:  # Looking into the catalog takes many times as long.
            query = f"SELECT max(TRY_CAST(version AS INTEGER)) FROM {table}"
            ((version,),) = connection.execute(query).fetchall()
        except (duckdb.CatalogException, duckdb.BinderException):
            continue
        return int(version) if version is not None else None
    return None


def migrate(connection: duckdb.DuckDBPyConnection, version: int | None, to: int) -> None:
    """Bring a warehouse of format ``version`` (``None``: an empty one) to format ``to``.

    A table of another shape than declared is emptied, and its loads are forgotten: it is mined or
    computed again.

    Raises
    ------
    duckdb.Error
        The disk is full, or the file is damaged; the older format stays.
    """
    connection.execute("BEGIN")
    try:
        for step in range(version + 1 if version is not None else to + 1, to + 1):
            if step in STEPS:
                STEPS[step](connection)
        empty_other_shapes(connection)
        create_tables(connection)
        connection.execute("INSERT OR REPLACE INTO meta.schema_version VALUES (?)", [to])
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def create_tables(connection: duckdb.DuckDBPyConnection, of: Iterable[Table] | None = None) -> None:
    """Make every declared table (or every one ``of`` these) that is not there yet."""
    every = declared().values() if of is None else of
    tables = [table for table in every if not table.is_view]
    create_schemas(connection, {*LAYERS, *(table.schema_name for table in tables)})
    for table in tables:
        create(connection, table)


def create(connection: duckdb.DuckDBPyConnection, table: Table) -> None:
    """Make ``table`` where it is not there: in a warehouse of a version that did not know it."""
    connection.execute(f"CREATE TABLE IF NOT EXISTS {table.name} {table_definition(table)}")


def reshape(connection: duckdb.DuckDBPyConnection) -> None:
    """Give tables that have the declared columns their declared keys and conditions, too.

    One whose rows break them stays as it is; its next audit says so. What is not declared goes.
    """
    tables = [table for table in declared().values() if not table.is_view]
    for name in _columns(connection):
        if name not in declared():
            connection.execute(f"DROP TABLE {name}")
    right = tables_in_shape(connection, tables)
    for table in tables:
        if table.name not in right:
            connection.execute("BEGIN")
            try:
                _move(connection, table.name, table, {name: name for name in table.column})
                connection.execute("COMMIT")
            except duckdb.ConstraintException:
                connection.execute("ROLLBACK")


def _drop_undeclared_views(connection: duckdb.DuckDBPyConnection) -> None:
    for (view,) in connection.execute(VIEWS).fetchall():
        if view not in declared():
            connection.execute(f"DROP VIEW {view}")


class Renamed(NamedTuple):
    """What formats 11 and 12 renamed.

    tables : new names by the old ones.
    columns : by the new name of their table, new names by the old ones.
    values : by table and column, as ``raw.unparsed_files.reason``, new values by the old ones.
    """

    tables: Mapping[str, str]
    columns: Mapping[str, Mapping[str, str]]
    values: Mapping[str, Mapping[str, str]]


@cache
def renamed() -> Renamed:
    """The names that formats 11 and 12 gave, from a file that other programs can read too."""
    return Renamed(**json.loads(files(__package__).joinpath("renamed.json").read_text("utf-8")))


def _rename(connection: duckdb.DuckDBPyConnection) -> None:
    """Bring stored rows under the names of format 11; what is computed is computed again."""
    names = renamed()
    create_schemas(connection, LAYERS)
    for old, columns in _columns(connection).items():
        new = names.tables.get(old, old)
        changed = names.columns.get(new, {})
        table = declared().get(new)
        if table is not None and not table.is_view and (old != new or changed):
            _move(connection, old, table, {name: changed.get(name, name) for name, _ in columns})
    _drop_undeclared_views(connection)
    for table_name in NAMING:
        connection.executemany(
            f'UPDATE {table_name} SET "table" = ? WHERE "table" = ?',
            [(new, old) for old, new in names.tables.items()],
        )


def _rename_values(connection: duckdb.DuckDBPyConnection) -> None:
    """Give stored rows the values of format 12.

    Each table is made again, as its constraints name the former values.
    """
    there = _columns(connection)
    for name in sorted({column.rpartition(".")[0] for column in renamed().values}):
        table, columns = declared()[name], {column for column, _ in there.get(name, ())}
        if not table.is_view and columns == {column.name for column in table.columns}:
            _move(connection, name, table, {column: column for column in columns})


def _move(
    connection: duckdb.DuckDBPyConnection, old: str, table: Table, columns: Mapping[str, str]
) -> None:
    """Make ``table`` of the rows of ``old``; of another shape than declared it begins empty.

    columns : their new names by the old ones. Values get their new spelling too.
    """
    connection.execute(f"CREATE TEMP TABLE moving AS FROM {old}")
    connection.execute(f"DROP TABLE {old}")
    create(connection, table)
    if set(columns.values()) == {column.name for column in table.columns}:
        listed = ", ".join(
            f'{_with_new_values(table, old, new)} AS "{new}"' for old, new in columns.items()
        )
        connection.execute(f"INSERT INTO {table.name} BY NAME SELECT {listed} FROM moving")
    connection.execute("DROP TABLE moving")


def _with_new_values(table: Table, old: str, new: str) -> str:
    """The column ``old``, which is ``new`` of ``table``, with its new values, as SQL."""
    values = renamed().values.get(f"{table.name}.{new}")
    if values is None:
        return f'"{old}"'
    cases = " ".join(f"WHEN '{former}' THEN '{now}'" for former, now in values.items())
    if table.column[new].type.endswith("[]"):
        return f'[CASE one {cases} ELSE one END FOR one IN "{old}"]'
    return f'CASE "{old}" {cases} ELSE "{old}" END'


def with_new_values(table: str, rows: pl.DataFrame) -> pl.DataFrame:
    """``rows`` of ``table``, which may have been written in an older format, with its new values.

    For rows that do not come from a warehouse: no migration reaches them.
    """
    changed = []
    for name, values in renamed().values.items():
        of, _, column = name.rpartition(".")
        if of == table and column in rows.columns:
            is_list = rows.schema[column] == pl.List(pl.String)
            new = (pl.element() if is_list else pl.col(column)).replace(dict(values))
            changed.append(pl.col(column).list.eval(new) if is_list else new)
    return rows.with_columns(changed)


def _add_columns(connection: duckdb.DuckDBPyConnection, *prefixes: str, filled: str = "") -> None:
    """Give the tables whose names begin so the columns they lack, NULL in what is stored.

    ``filled`` is SQL that gives some of them another value there.
    """
    for name, columns in _columns(connection).items():
        table, stored = declared().get(name), {column for column, _ in columns}
        if table is None or table.is_view or not name.startswith(prefixes):
            continue
        if stored < {column.name for column in table.columns}:
            connection.execute(f"CREATE TEMP TABLE moving AS FROM {name}")
            connection.execute(f"DROP TABLE {name}")
            create(connection, table)
            connection.execute(f"INSERT INTO {name} BY NAME SELECT *{filled} FROM moving")
            connection.execute("DROP TABLE moving")


def _add_counts(connection: duckdb.DuckDBPyConnection) -> None:
    """Give what older versions noted the counts of format 17, of what none of them did."""
    _add_columns(connection, "meta.audit_results", filled=", 0 AS rows_set_aside")
    _add_columns(connection, "meta.dump_loads", filled=", 0 AS replaced_characters")


NAMING = (
    "meta.partition_loads",
    "meta.audit_results",
    "meta.audit_findings",
    "meta.build_state",
)
"""Tables whose column ``table`` names others."""
STEPS: Mapping[int, Callable[[duckdb.DuckDBPyConnection], None]] = {
    10: _drop_undeclared_views,
    11: _rename,
    12: _rename_values,
    13: lambda connection: _add_columns(connection, *IRREPLACEABLE),
    # What GitHub says of accounts is read again cohort by cohort; until then rows stay without it.
    15: lambda connection: _add_columns(connection, "raw.issue", "raw.commits"),
    16: lambda connection: _add_columns(connection, "raw.issue"),
    17: _add_counts,
}
"""By format: what has to be done to a warehouse of the format before, beside new tables."""


def empty_other_shapes(connection: duckdb.DuckDBPyConnection) -> None:
    """Make tables of other columns than declared anew, empty, and forget their loads."""
    emptied = []
    for name, columns in _columns(connection).items():
        table = declared().get(name)
        if table is None or name.startswith(IRREPLACEABLE):
            continue
        if columns != {(column.name, column.type) for column in table.columns}:
            connection.execute(f"DROP {'VIEW' if table.is_view else 'TABLE'} {name}")
            if not table.is_view:
                create(connection, table)
            emptied.append(name)
    if emptied:
        connection.execute(
            'DELETE FROM meta.partition_loads WHERE list_contains(?, "table")', [emptied]
        )


def create_schemas(connection: duckdb.DuckDBPyConnection, names: Iterable[str]) -> None:
    """Make the schemas called ``names`` where they are not there."""
    for name in sorted(names):
        connection.execute(f"CREATE SCHEMA IF NOT EXISTS {name}")


def _columns(connection: duckdb.DuckDBPyConnection) -> Mapping[str, set[tuple[str, str]]]:
    """Names and types of the columns of each stored table."""
    columns: dict[str, set[tuple[str, str]]] = {}
    for table, column, kind in connection.execute(
        """
        SELECT schema_name || '.' || table_name, column_name, data_type
        FROM duckdb_columns() WHERE database_name = current_database() AND NOT internal
        """
    ).fetchall():
        columns.setdefault(table, set()).add((column, kind))
    return columns
