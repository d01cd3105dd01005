"""What a stranger's SQL can reach from the published database: nothing but its rows."""

import multiprocessing
import shutil
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from perf_assets.config.data_directory import DataDirectory
from perf_assets.reports.query_runner import published_database
from perf_assets.storage.warehouse import open_warehouse

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


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """A published database beside files that are none of its business."""
    home = DataDirectory(tmp_path / "home")
    home.path.mkdir()
    with open_warehouse(home.warehouse) as database:
        database.connection.execute("INSERT INTO meta.archivals VALUES ('a/b', NULL, now())")
    home.warehouse.rename(tmp_path / "perf_bugs.duckdb")
    shutil.rmtree(home.path)
    (tmp_path / "verdicts.jsonl").write_text(SECRET)
    return tmp_path


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


def try_all(directory: Path, log: Path) -> None:
    """Run every attack; the last line of ``log`` is the one under way."""
    with (
        log.open("w") as log_file,
        published_database(directory / "perf_bugs.duckdb") as connection,
    ):
        for statement in attacks(directory):
            log_file.write(f"{statement!r}\n")
            log_file.flush()
            try:
                rows = connection.execute(statement).fetchall()
            except duckdb.Error:
                continue
            if SECRET in repr(rows):
                log_file.write("SECRET\n")
                return


@pytest.mark.slow
def test_no_statement_reads_or_writes_a_file_or_ends_the_process(
    directory: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    log = tmp_path_factory.mktemp("attacks") / "log"
    before = {path: path.read_bytes() for path in directory.rglob("*")}
    process = multiprocessing.get_context("spawn").Process(target=try_all, args=(directory, log))
    process.start()
    process.join(300)
    lines = log.read_text().splitlines()
    assert (process.exitcode, lines[-1]) == (0, lines[-1])
    assert lines[-1] != "SECRET", lines[-2]
    assert len(lines) > 500
    assert {path: path.read_bytes() for path in directory.rglob("*")} == before


def test_several_may_ask_at_once(directory: Path) -> None:
    path = directory / "perf_bugs.duckdb"
    with published_database(path) as one, published_database(path) as other:
        for connection in (one, other, one):
            assert connection.execute("SELECT repository FROM meta.archivals").fetchall() == [
                ("a/b",)
            ]
