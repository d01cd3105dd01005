"""The shape of a warehouse: made where there is none, and brought from older formats to this one.

All of it is one transaction: a process that is killed meanwhile leaves the older format.
"""

from collections.abc import Iterable, Mapping, Sequence

import duckdb

from perf_assets.schema import LAYERS, Table, declared
from perf_assets.schema.ddl import table_definition
from perf_assets.schema.models.ddl import tables_in_shape

FORMAT = 25  # raised whenever stored tables change in a way that older code cannot read
OLDEST = 18
"""The oldest format that is migrated."""

# Verdicts of people exist nowhere else; everything else is mined, or computed, again.
IRREPLACEABLE = ("reviews.",)
# Tables that keep their rows when columns are added: a source is read again month by month.
EXTENDED = (*IRREPLACEABLE, "raw.")
# Tables whose rows the next run computes again.
COMPUTED = ("labels.", "links.", "details.", "marts.", "analysis.")
VIEWS = """
    SELECT schema_name || '.' || view_name FROM duckdb_views()
    WHERE database_name = current_database() AND NOT internal
"""


def stored_format(
    connection: duckdb.DuckDBPyConnection, tables: Mapping[str, str] | None = None
) -> int | None:
    """Return the format of a warehouse; ``None`` where nothing was made yet.

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


def migrate(connection: duckdb.DuckDBPyConnection) -> None:
    """Bring a warehouse of an older format, or an empty one, to this format.

    Tables of sources and verdicts get the columns that they lack. Any other table of another shape
    than declared is emptied, and its loads are deleted: it is mined or computed again.

    Raises
    ------
    duckdb.Error
        The disk is full, or the file is damaged; the older format stays.
    """
    connection.execute("BEGIN")
    try:
        _add_columns(connection)
        empty_other_shapes(connection)
        create_tables(connection)
        connection.execute("INSERT OR REPLACE INTO meta.schema_version VALUES (?)", [FORMAT])
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

    Computed tables whose rows break them are emptied, to be computed again. Any other such table
    stays as it is; its next audit says so. What is not declared goes.
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
                _move(connection, table)
                connection.execute("COMMIT")
            except duckdb.ConstraintException:
                connection.execute("ROLLBACK")
                if table.name.startswith(COMPUTED):
                    _empty(connection, [table.name])


def _move(
    connection: duckdb.DuckDBPyConnection, table: Table, columns: Iterable[str] | None = None
) -> None:
    """Make ``table`` anew as it is declared, with its rows.

    columns : those that are stored, where some are lacking; the others become NULL.
    """
    names = [column.name for column in table.columns] if columns is None else columns
    listed = ", ".join(f'"{name}"' for name in names)
    connection.execute(f"CREATE TEMP TABLE moving AS FROM {table.name}")
    connection.execute(f"DROP TABLE {table.name}")
    create(connection, table)
    connection.execute(f"INSERT INTO {table.name} BY NAME SELECT {listed} FROM moving")
    connection.execute("DROP TABLE moving")


def _add_columns(connection: duckdb.DuckDBPyConnection) -> None:
    """Give the tables in ``EXTENDED`` the columns that they lack, NULL in what is stored."""
    for name, stored in _columns(connection).items():
        table = declared().get(name)
        if table is None or table.is_view or not name.startswith(EXTENDED):
            continue
        columns = {column for column, _ in stored}
        lacking = [column for column in table.columns if column.name not in columns]
        if lacking and all(column.nullable for column in lacking) and columns < {*table.column}:
            _move(connection, table, columns)


def empty_other_shapes(connection: duckdb.DuckDBPyConnection) -> None:
    """Make tables of other columns than declared anew, empty, and forget their loads."""
    _empty(
        connection,
        [
            name
            for name, columns in _columns(connection).items()
            if (table := declared().get(name)) is not None
            and not name.startswith(IRREPLACEABLE)
            and columns != {(column.name, column.type) for column in table.columns}
        ],
    )


def _empty(connection: duckdb.DuckDBPyConnection, names: Sequence[str]) -> None:
    """Make the tables called ``names`` anew, empty, drop such views, and forget their loads."""
    for name in names:
        table = declared()[name]
        connection.execute(f"DROP {'VIEW' if table.is_view else 'TABLE'} {name}")
        if not table.is_view:
            create(connection, table)
    if names:
        connection.execute(
            'DELETE FROM meta.partition_loads WHERE list_contains(?, "table")', [names]
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
