"""SQL of somebody who means harm: it would read or write a file, or change a setting."""

from collections.abc import Iterator
from pathlib import Path

import duckdb

SECRET = "a secret that no query may show"

STATEMENTS = (
    "COPY (SELECT 'x' a) TO '{file}' (FORMAT csv, HEADER false)",
    "COPY (SELECT 'x' a) TO '{directory}/new.csv'",
    "COPY meta.archivals TO '{directory}/new.parquet' (FORMAT parquet)",
    "COPY meta.archivals FROM '{file}'",
    "COPY meta.archivals TO '{directory}/perf_bugs.duckdb' (USE_TMP_FILE false)",
    "COPY meta.archivals TO '{directory}/perf_bugs.duckdb.wal'",
    "PREPARE s AS COPY meta.archivals TO '{directory}/perf_bugs.duckdb' (USE_TMP_FILE false); "
    "EXECUTE s",
    "EXPLAIN ANALYZE COPY meta.archivals TO '{directory}/perf_bugs.duckdb' (USE_TMP_FILE false)",
    "ATTACH '{directory}/perf_bugs.duckdb' AS again (READ_WRITE)",
    "DETACH perf_bugs",
    "EXPORT DATABASE '{directory}/exported'",
    "IMPORT DATABASE '{directory}'",
    "ATTACH '{directory}/other.duckdb'",
    "ATTACH '{directory}/other.duckdb' (TYPE sqlite)",
    "INSTALL httpfs",
    "LOAD '{file}'",
    "FROM '{file}'",
    "SELECT * FROM read_text('{file}')",
    "CREATE TABLE t AS SELECT 1",
    "CREATE SECRET (TYPE s3, KEY_ID 'a')",
    "CREATE PERSISTENT SECRET (TYPE http)",
    "INSERT INTO meta.archivals VALUES ('c/d', NULL, now())",
    "DELETE FROM meta.archivals",
    "DROP TABLE meta.archivals",
    "SET lock_configuration = false",
    "RESET lock_configuration",
    "SET GLOBAL enable_external_access = true",
    "PRAGMA enable_external_access = true",
    "CALL enable_logging(storage_path = '{directory}/log'); SELECT 44",
    "PRAGMA enable_profiling('json')",
    "PRAGMA profiling_output = '{directory}/profile'",
    "USE other",
    "FORCE CHECKPOINT",
    "VACUUM",
)


def attacks(directory: Path) -> Iterator[str]:
    """Statements that would reach a file: all that this DuckDB knows that takes a text."""
    file = directory / "verdicts.jsonl"
    for statement in STATEMENTS:
        yield statement.format(file=file, directory=directory)
    with duckdb.connect() as connection:
        functions = connection.execute(
            """
            SELECT DISTINCT function_type, function_name, len(parameter_types)
            FROM duckdb_functions()
            WHERE function_type IN ('table', 'scalar', 'pragma', 'table_macro')
                AND function_name ~ '^[a-z_0-9]+$'
                AND list_contains(list_transform(parameter_types, lambda t: t[:7]), 'VARCHAR')
            ORDER BY ALL
            """
        ).fetchall()
        settings = connection.execute("SELECT name FROM duckdb_settings() ORDER BY name").fetchall()
    for kind, name, count in functions:
        values = ", ".join([f"'{file}'"] * count)
        call = f"{name}({values})"
        if kind == "scalar":
            yield f"SELECT {call}"
        else:
            yield f"FROM {call}" if kind != "pragma" else f"PRAGMA {call}"
            yield f"CALL {call}"
    for (name,) in settings:
        yield f"SET {name} = '{directory}/set'"
        yield f"SET GLOBAL {name} = true"
