"""The shape of a warehouse: made where there is none, and brought from older formats to this one.

All of it is one transaction: a process that is killed meanwhile leaves the older format.
"""

from collections.abc import Iterable, Mapping

import duckdb

from perf_assets.tables import LAYERS, Table, declared
from perf_assets.tables.ddl import quoted, table_definition

# Tables that have another name since format 4. A view keeps the old one until the next format.
RENAMED = {
    "raw.commit_details": "details.commit_details",
    "links.introducing_commits": "details.introducing_commits",
    "replication.published_series": "replication.paper_series",
    "marts.published_trend": "marts.paper_trend",
}

# What issues and comments gain with format 7. It is not known until their cohort is read again.
AUTHOR_TYPES = (
    ("raw.issues", "author_type VARCHAR"),
    ("raw.issues", "fields_version BIGINT"),
    ("raw.issue_comments", "author_type VARCHAR"),
)

# Statistics that format 7 replaces by others.
GONE = ("analysis.trend_robustness", "analysis.fix_time_survival")

# Since format 9 sizes may be unknown, and files missing: constraints of these are others.
LOOSER = ("raw.commits", "raw.branch_commits", "raw.unread_files")
LOOSER_SCHEMAS = ("staging", "intermediate", "marts", "analysis")

# What people said is nowhere else; everything else is told again, or follows from what is.
IRREPLACEABLE = ("reviews.",)

# Up to format 3 one text said what the rows of a partition show, in a meaning by table.
TYPED_MARKS = """
INSERT INTO meta.partition_loads BY NAME
SELECT
    * EXCLUDE (watermark),
    watermark IS NOT NULL AS is_stored,
    CASE WHEN "table" LIKE 'raw.issue%' AND "table" <> 'raw.issue_templates'
         THEN CAST(watermark AS TIMESTAMP WITH TIME ZONE) END AS updated_at,
    CASE WHEN "table" IN ('raw.commits', 'raw.commit_files', 'raw.issue_templates',
                          'raw.branch_commits')
         THEN watermark END AS fingerprint,
    CASE WHEN "table" NOT LIKE 'raw.%' OR "table" = 'raw.commit_details'
         THEN watermark END AS rule_version
FROM older_loads
"""


def stored_format(connection: duckdb.DuckDBPyConnection) -> int | None:
    """The format of a warehouse; ``None`` where nothing was made yet."""
    try:  # Looking into the catalog takes many times as long.
        ((version,),) = connection.execute("SELECT max(version) FROM meta.format").fetchall()
    except duckdb.CatalogException:
        return None
    return int(version) if version is not None else None


def migrate(connection: duckdb.DuckDBPyConnection, version: int | None, to: int) -> None:
    """Bring a warehouse of format ``version`` (``None``: an empty one) to format ``to``.

    Raises
    ------
    duckdb.Error
        The disk is full, or the file is damaged; the older format stays.
    """
    connection.execute("BEGIN")
    try:
        _migrate(connection, version)
        connection.execute("INSERT OR REPLACE INTO meta.format VALUES (?)", [to])
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def create_tables(connection: duckdb.DuckDBPyConnection) -> None:
    """Make every declared table that is not there yet, and the views of old names."""
    tables = [table for table in declared().values() if not table.is_view]
    _create_schemas(connection, {*LAYERS, *(table.schema_name for table in tables)})
    for table in tables:
        create(connection, table)
    there = _columns(connection)
    for old, new in RENAMED.items():
        if old not in there:
            _keep_old_name(connection, old, new)


def _migrate(connection: duckdb.DuckDBPyConnection, version: int | None) -> None:
    if version is not None and version < 4:
        _drop_views(connection)
    if version is not None and version < 3:
        # Told again when the cohort is read: until then it is not known.
        connection.execute("ALTER TABLE raw.issues ADD COLUMN IF NOT EXISTS events BIGINT")
    if version is not None and version < 7:
        _add_author_types(connection)
    if version is not None and version < 4:
        _type_marks(connection)
        _rename(connection)
    for name in GONE:
        connection.execute(f"DROP TABLE IF EXISTS {name}")
    if version is not None and version < 9:
        _renew_constraints(connection)
    wanted = {name: {(c.name, c.type) for c in t.columns} for name, t in declared().items()}
    for name, columns in _columns(connection).items():
        if name in wanted and columns != wanted[name] and not name.startswith(IRREPLACEABLE):
            kind = "VIEW" if declared()[name].is_view else "TABLE"
            connection.execute(f"DROP {kind} {name}")
            connection.execute('DELETE FROM meta.partition_loads WHERE "table" = ?', [name])
    create_tables(connection)


def _drop_views(connection: duckdb.DuckDBPyConnection) -> None:
    """Let go of what models lay again, and in other places than before."""
    views = connection.execute(
        """
        SELECT schema_name || '.' || view_name FROM duckdb_views()
        WHERE database_name = current_database() AND NOT internal AND schema_name = 'staging'
        """
    ).fetchall()
    for (view,) in views:
        connection.execute(f"DROP VIEW {view}")


def _renew_constraints(connection: duckdb.DuckDBPyConnection) -> None:
    """Make tables anew with the constraints of this format, and with their rows.

    Not those of another shape: what they hold is told again.
    """
    stored = _columns(connection)
    for name, table in declared().items():
        wanted = {(column.name, column.type) for column in table.columns}
        new = wanted - stored.get(name, set())
        is_looser = name in LOOSER or table.schema_name in LOOSER_SCHEMAS
        if table.is_view or name not in stored or not is_looser:
            continue
        if stored[name] <= wanted and new <= {("unreadable", "VARCHAR")}:
            connection.execute(f"CREATE TEMP TABLE kept AS FROM {name}")
            connection.execute(f"DROP TABLE {name}")
            create(connection, table)
            connection.execute(f"INSERT INTO {name} BY NAME FROM kept")
            connection.execute("DROP TABLE kept")


def _add_author_types(connection: duckdb.DuckDBPyConnection) -> None:
    stored = _columns(connection)
    for table, column in AUTHOR_TYPES:
        if table in stored:
            connection.execute(f"ALTER TABLE {table} ADD COLUMN {column}")


def _type_marks(connection: duckdb.DuckDBPyConnection) -> None:
    connection.execute("CREATE TEMP TABLE older_loads AS FROM meta.partition_loads")
    connection.execute("DROP TABLE meta.partition_loads")
    create(connection, declared()["meta.partition_loads"])
    connection.execute(TYPED_MARKS)
    connection.execute("DROP TABLE older_loads")


def _rename(connection: duckdb.DuckDBPyConnection) -> None:
    tables, stored = declared(), _columns(connection)
    for old, new in RENAMED.items():
        if old not in stored:
            continue
        _create_schemas(connection, {tables[new].schema_name})
        if stored[old] == {(column.name, column.type) for column in tables[new].columns}:
            create(connection, tables[new])
            connection.execute(f"INSERT INTO {new} BY NAME FROM {old}")
        else:
            connection.execute('DELETE FROM meta.partition_loads WHERE "table" = ?', [old])
        connection.execute(f"DROP TABLE {old}")
        for table in ("meta.partition_loads", "meta.audit_findings"):
            connection.execute(f'UPDATE {table} SET "table" = ? WHERE "table" = ?', [new, old])


def _keep_old_name(connection: duckdb.DuckDBPyConnection, old: str, new: str) -> None:
    connection.execute(f"CREATE VIEW {old} AS FROM {new}")
    comment = f"The name that {new} had before; it goes with the next version."
    connection.execute(f"COMMENT ON VIEW {old} IS {quoted(comment)}")
    for column in declared()[new].columns:
        meaning = quoted(column.comment)
        connection.execute(f'COMMENT ON COLUMN {old}."{column.name}" IS {meaning}')


def _create_schemas(connection: duckdb.DuckDBPyConnection, names: Iterable[str]) -> None:
    for name in sorted(names):
        connection.execute(f"CREATE SCHEMA IF NOT EXISTS {name}")


def create(connection: duckdb.DuckDBPyConnection, table: Table) -> None:
    """Make ``table`` where it is not there: in a warehouse of a version that did not know it."""
    connection.execute(f"CREATE TABLE IF NOT EXISTS {table.name} {table_definition(table)}")


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
