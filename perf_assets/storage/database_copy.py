"""Whole databases read and copied: by DuckDB, which leaves nothing half done, or byte by byte."""

import shutil
import time
from collections.abc import Sequence
from pathlib import Path

import duckdb

from perf_assets.schema.ddl import quoted

STORAGE_VERSION = "v1.0.0"  # what DuckDB 1.1 writes, and every later one reads
QUIET_SECONDS = 0.1  # since the last write: file systems tell its time in steps of some ms
CHECK_SECONDS = 0.05


def create_database(path: Path) -> None:
    """Make an empty database at ``path`` that every client reads, whatever is written to it.

    Raises
    ------
    duckdb.Error
        The disk is full.
    """
    with duckdb.connect() as connection:
        connection.execute(attached_as_copy(path))
        connection.execute("DETACH copy")


def is_for_every_client(connection: duckdb.DuckDBPyConnection) -> bool:
    """Return whether the oldest client reads the database in use; older versions made others."""
    ((version,),) = connection.execute(
        "SELECT tags['storage_version'] FROM duckdb_databases() "
        "WHERE database_name = current_database()"
    ).fetchall()
    return str(version).startswith(STORAGE_VERSION)


def copy_database(connection: duckdb.DuckDBPyConnection, path: Path) -> None:
    """Write all that the database in use by ``connection`` holds to a new file for every client.

    Raises
    ------
    duckdb.Error
        The disk is full, or the database is damaged.
    """
    ((own,),) = connection.execute("SELECT current_database()").fetchall()
    connection.execute(attached_as_copy(path))
    try:
        connection.execute(f'COPY FROM DATABASE "{own}" TO copy')
        connection.execute("CHECKPOINT copy")
    finally:
        connection.execute("DETACH copy")


def attached_as_copy(path: Path) -> str:
    """Return the statement that attaches a database for every client at ``path`` as ``copy``."""
    return f"ATTACH {quoted(str(path))} AS copy (STORAGE_VERSION {quoted(STORAGE_VERSION)})"


def tables_of(connection: duckdb.DuckDBPyConnection) -> list[str]:
    """Return the stored tables of the database in use, as schema.table, sorted."""
    found = connection.execute(
        "SELECT schema_name || '.' || table_name FROM duckdb_tables() "
        "WHERE database_name = current_database() AND NOT internal ORDER BY ALL"
    ).fetchall()
    return [table for (table,) in found]


def columns_of(connection: duckdb.DuckDBPyConnection, relation: str) -> dict[str, str]:
    """Return the columns of a relation, given in SQL, and the type of each."""
    described = connection.execute(f"DESCRIBE FROM {relation}").fetchall()
    return {name: kind for name, kind, *_ in described}


def content(
    connection: duckdb.DuckDBPyConnection, query: str, parameters: Sequence[object] = ()
) -> tuple[int, int | None]:
    """Return how many rows ``query`` has, and a hash of all of them, whatever their order.

    The hashes of rows are added up: with "exclusive or" the same change of the last column in an
    even number of rows would take itself back, as that column's hash is joined to the others' so.
    """
    (found,) = connection.execute(
        f"SELECT count(*), sum(hash(*COLUMNS(*))) FROM ({query})", list(parameters)
    ).fetchall()
    return found[0], found[1]


def contents(
    connection: duckdb.DuckDBPyConnection, queries: Sequence[str]
) -> list[tuple[int, int | None]]:
    """As :func:`content`, of several queries in one, which takes a third of the time."""
    parts = (
        f"SELECT {number}, count(*), sum(hash(*COLUMNS(*))) FROM ({query})"
        for number, query in enumerate(queries)
    )
    found = connection.execute(" UNION ALL ".join(parts)).fetchall()
    return [(rows, digest) for _, rows, digest in sorted(found)]


def row_counts(connection: duckdb.DuckDBPyConnection) -> dict[str, int]:
    """Return the number of rows of every stored table."""
    parts = (f"SELECT '{table}', count(*) FROM {table}" for table in tables_of(connection))
    return dict(connection.execute(" UNION ALL ".join(parts)).fetchall())


def copy_while_written(source: Path, target: Path, longest: float) -> bool:
    """Copy a database file that another process may be writing to; False where that never rests.

    What DuckDB has on the disk between two writes is what it would find after a power failure: the
    file and the journal beside it. So both are copied, and the copy counts when nobody wrote
    meanwhile.
    """
    until = time.monotonic() + longest
    while time.monotonic() < until:
        before = _state(source)
        if time.time_ns() - max(before[:2]) >= QUIET_SECONDS * 1e9:
            shutil.copyfile(source, target)
            _copy_journal(source, target)
            if _state(source) == before:
                return True
        time.sleep(CHECK_SECONDS)
    return False


def describe_fault(error: duckdb.Error, path: Path) -> str:
    """Return how the database at ``path`` is damaged, for a sentence that names it."""
    message = str(error).splitlines()[0].removeprefix("IO Error: ")
    return message.replace(f'The file "{path}"', "the file").replace(f'file "{path}"', "it")


def journal_of(database: Path) -> Path:
    """Return what DuckDB writes first, beside the file."""
    return database.with_name(f"{database.name}.wal")


def _state(database: Path) -> tuple[int, int, int, int]:
    """Return times and sizes of a database file and of its journal."""
    of_file, journal = database.stat(), journal_of(database)
    try:
        of_journal = journal.stat()
    except FileNotFoundError:
        return of_file.st_mtime_ns, 0, of_file.st_size, 0
    return of_file.st_mtime_ns, of_journal.st_mtime_ns, of_file.st_size, of_journal.st_size


def _copy_journal(source: Path, target: Path) -> None:
    try:
        shutil.copyfile(journal_of(source), journal_of(target))
    except FileNotFoundError:
        journal_of(target).unlink(missing_ok=True)
