"""Tables and SQL models laid into DuckDB: tables with their constraints, views, comments."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from perf_assets.base.months import MONTH_PATTERN
from perf_assets.base.paths import models_dir
from perf_assets.schema import Table
from perf_assets.schema.ddl import quoted, table_definition
from perf_assets.schema.models.files import Model, check_query, described_tables, read_description

AS_OF_MACRO = "staging.bug_reports_as_of"
# DuckDB takes a parameter for any column of that name, within the views too.
AS_OF_PARAMETER = "as_of_month"
AS_OF_SOURCE = "marts.issue_history"  # what the macro reads, and has to be there before it
# Months are compared as texts: without it another text would give the rows of another month.
IS_MONTH = f"""
    and case when regexp_full_match({AS_OF_PARAMETER}, '{MONTH_PATTERN.pattern}') then true
    else error({AS_OF_PARAMETER} || ' is not a month: write it as YYYY-MM') end
"""


def as_of_text(models: Path) -> str:
    """Return the query of the macro of the bug reports as they were, from the folder ``models``."""
    return (models / "bug_reports_as_of.sql").read_text(encoding="utf-8") + IS_MONTH


def create_as_of_macro(connection: duckdb.DuckDBPyConnection, models: Path | None = None) -> None:
    """Make the table macro of the bug reports as they were; the same macro is left untouched.

    Call it once the table that it reads is there. ``models``: the folder it is from.
    """
    text = as_of_text(models or models_dir())
    catalog = """
        SELECT macro_definition, comment FROM duckdb_functions()
        WHERE schema_name = ? AND function_name = ? AND database_name = ?
    """
    connection.execute(f"CREATE OR REPLACE TEMP MACRO twin({AS_OF_PARAMETER}) AS TABLE {text}")
    ((written, _),) = connection.execute(catalog, ["main", "twin", "temp"]).fetchall()
    ((database,),) = connection.execute("SELECT current_database()").fetchall()
    stored = connection.execute(catalog, [*AS_OF_MACRO.split("."), database]).fetchall()
    connection.execute("DROP MACRO TABLE temp.twin")
    description = read_description(text)
    if stored != [(written, description)]:
        connection.execute(
            f"CREATE OR REPLACE MACRO {AS_OF_MACRO}({AS_OF_PARAMETER}) AS TABLE {text}"
        )
        connection.execute(f"COMMENT ON MACRO TABLE {AS_OF_MACRO} IS {quoted(description)}")


@contextmanager
def parsed(model: Model) -> Iterator[None]:
    """Say what is wrong with the text of a model that DuckDB cannot parse, and in which file."""
    try:
        yield
    except duckdb.ParserException:
        check_query(model.path, model.sql)
        raise


def create_views(connection: duckdb.DuckDBPyConnection, models: Iterable[Model]) -> set[str]:
    """Create ``models`` in the database as views, each after those that it reads.

    Returns
    -------
    The names of the created views; an identical existing view is left untouched.

    Raises
    ------
    PerfAssetsError
        The text of one cannot be parsed; the sentence names the file.
    """
    stored = _definitions(connection, "view", "database_name = current_database()", " AS ")
    laid = set()
    for model in models:
        with parsed(model):
            if model.name not in stored or _spelled(connection, model) != stored[model.name]:
                connection.execute(f"CREATE OR REPLACE VIEW {model.name} AS {model.sql}")
                laid.add(model.name)
    return laid


def _spelled(connection: duckdb.DuckDBPyConnection, model: Model) -> str:
    """Return the definition of ``model`` as DuckDB stores it, in its own spelling."""
    connection.execute(f"CREATE OR REPLACE TEMP VIEW twin AS {model.sql}")
    spelled = _definitions(connection, "view", "temporary", " AS ")["main.twin"]
    connection.execute("DROP VIEW temp.twin")
    return spelled


def tables_in_shape(connection: duckdb.DuckDBPyConnection, tables: Iterable[Table]) -> set[str]:
    """Return the names of the ``tables`` that exist as declared.

    All are looked up together: DuckDB takes as long for the definition of one as for those of all.
    """
    definitions = {table.name: table_definition(table) for table in tables}
    twins = {f"twin_{number}": name for number, name in enumerate(definitions)}
    stored = _definitions(connection, "table", "database_name = current_database()", "(")
    twins = {twin: name for twin, name in twins.items() if name in stored}
    for twin, name in twins.items():
        connection.execute(f"CREATE OR REPLACE TEMP TABLE {twin} {definitions[name]}")
    spelled = _definitions(connection, "table", "temporary", "(")
    for twin in twins:
        connection.execute(f"DROP TABLE temp.{twin}")
    return {name for twin, name in twins.items() if spelled[f"main.{twin}"] == stored[name]}


def _definitions(
    connection: duckdb.DuckDBPyConnection, kind: str, condition: str, sign: str
) -> dict[str, str]:
    """Return what follows the first ``sign`` in the stored SQL of each view or table."""
    rows = connection.execute(
        f"SELECT schema_name || '.' || {kind}_name, sql FROM duckdb_{kind}s() WHERE {condition}"
    ).fetchall()
    return {name: sql.partition(sign)[2] for name, sql in rows}


def create_table(connection: duckdb.DuckDBPyConnection, table: Table) -> None:
    """Create ``table``, empty; an identical existing table is left untouched.

    A table of another shape is replaced, so this is for tables that are computed as a whole.
    """
    if table.name not in tables_in_shape(connection, [table]):
        connection.execute(f"CREATE OR REPLACE TABLE {table.name} {table_definition(table)}")


def comment_statements(connection: duckdb.DuckDBPyConnection) -> list[str]:
    """Return the COMMENT statements that the database still lacks to describe all tables.

    Tables that the database does not have are passed over: they are described once they exist.
    """
    kinds, comments = _stored_comments(connection)
    statements = []
    for table in described_tables().values():
        if table.name not in kinds:
            continue
        if comments[table.name, None] != table.description:
            statements.append(
                f"COMMENT ON {kinds[table.name]} {table.name} IS {quoted(table.description)}"
            )
        statements += [
            f'COMMENT ON COLUMN {table.name}."{column.name}" IS {quoted(column.comment)}'
            for column in table.columns
            # A database that came from elsewhere may lack columns.
            if comments.get((table.name, column.name), column.comment) != column.comment
        ]
    return statements


def _stored_comments(
    connection: duckdb.DuckDBPyConnection,
) -> tuple[dict[str, str], dict[tuple[str, str | None], str | None]]:
    rows = connection.execute(
        """
        SELECT 'TABLE', schema_name || '.' || table_name, NULL, comment
        FROM duckdb_tables() WHERE database_name = current_database()
        UNION ALL
        SELECT 'VIEW', schema_name || '.' || view_name, NULL, comment
        FROM duckdb_views() WHERE database_name = current_database()
        UNION ALL
        SELECT NULL, schema_name || '.' || table_name, column_name, comment
        FROM duckdb_columns() WHERE database_name = current_database()
        """
    ).fetchall()
    kinds = {name: kind for kind, name, column, _ in rows if column is None}
    return kinds, {(name, column): comment for _, name, column, comment in rows}
