"""Tables as files of an archive: Parquet, and a database; the same rows give the same bytes."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from perf_assets.archive.manifest import TABLES
from perf_assets.base.processes import child
from perf_assets.schema import declared
from perf_assets.schema.ddl import quoted, quoted_name
from perf_assets.storage.database_copy import STORAGE_VERSION, tables_of

# DuckDB brings jemalloc on Linux; where it does not, the C library's 255 means zeros.
EMPTY_MEMORY = {"DUCKDB_JE_MALLOC_CONF": "zero:true", "MALLOC_PERTURB_": "255"}


@contextmanager
def attached(path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """Provide a connection that reads the database at ``path`` in the order of its rows."""
    with duckdb.connect(config={"threads": 1}) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute(f"ATTACH {quoted(str(path))} AS source (READ_ONLY)")
        connection.execute("USE source")
        yield connection


def write_database(source: Path, target: Path) -> None:
    """Write the database at ``source`` anew, its rows in the order of their keys.

    In a process of its own, whose memory is empty: DuckDB writes whole blocks, and what it does not
    use of one is what was in memory before, texts that were to be left out among them.

    Raises
    ------
    duckdb.IOException
        It cannot be written there.
    """
    paths = (str(path.absolute()) for path in (source, target))
    done = child.run(
        child.python(__name__, write_in_empty_memory.__name__, *paths),
        env={**os.environ, **EMPTY_MEMORY},
    )
    if done.returncode:
        reasons = [line for line in done.stderr.splitlines() if "Error: " in line]
        raise duckdb.IOException(reasons[-1] if reasons else "the process that writes it was ended")


def write_in_empty_memory(source: str, target: str) -> None:
    """Do the work of :func:`write_database` in the process that is started for it.

    Without compression, which samples rows by chance: an archive is compressed as a whole.
    """
    Path(target).unlink(missing_ok=True)
    with attached(Path(source)) as connection:
        connection.execute("SET force_compression = 'uncompressed'")
        connection.execute(
            f"ATTACH {quoted(target)} AS copy (STORAGE_VERSION {quoted(STORAGE_VERSION)})"
        )
        connection.execute("COPY FROM DATABASE source TO copy (SCHEMA)")
        for table in tables_of(connection):
            connection.execute(f"INSERT INTO copy.{table} FROM source.{table} {_order(table)}")
        connection.execute("CHECKPOINT copy")
        connection.execute("DETACH copy")


def write_parquet(source: Path, folder: Path) -> dict[str, int]:
    """Write each stored table of ``source`` as Parquet below ``folder``; the rows of each.

    What table and columns mean is in the metadata of the file, under ``description`` and
    ``column:<name>``.
    """
    target = folder / TABLES
    target.mkdir(parents=True)
    rows = {}
    with attached(source) as connection:
        for table in tables_of(connection):
            path = quoted(str(target / f"{table}.parquet"))
            connection.execute(
                f"COPY (FROM {table} {_order(table)}) TO {path} (FORMAT parquet, "
                f"COMPRESSION zstd, KV_METADATA {{{_comments(table)}}})"
            )
            ((rows[table],),) = connection.execute(f"SELECT count(*) FROM {table}").fetchall()
    return rows


def _order(table: str) -> str:
    """By key, so that the order of rows is that of their values; then by all else."""
    found = declared().get(table)
    if found is None:
        return "ORDER BY ALL"
    return "ORDER BY " + ", ".join(map(quoted_name, found.key))


def _comments(table: str) -> str:
    found = declared().get(table)
    if found is None:
        return ""
    comments = {"description": found.description}
    comments |= {f"column:{column.name}": column.comment for column in found.columns}
    return ", ".join(f"{quoted(key)}: {quoted(text)}" for key, text in comments.items())
