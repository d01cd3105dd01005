"""The warehouse: one DuckDB file, written a whole partition at a time."""

import os
import re
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path

import duckdb
import polars as pl

from perf_assets.errors import PerfAssetsError

FORMAT = 3  # raised whenever stored tables change in a way that older code cannot read
LOCK_WAIT_SECONDS = 10.0
LOCK_HOLDER = re.compile(r"lock is held in (?P<program>.+?) \(PID (?P<pid>\d+)\)")
TABLE_NAME = re.compile(r"[a-z_]+\.[a-z_]+")


@dataclass(frozen=True)
class Load:
    """A row of meta.partition_loads: what became of one partition of one table."""

    repository: str
    month: str
    table: str
    row_count: int
    source_count: int | None = None
    requests: int = 0
    points: int = 0
    status: str = "loaded"
    watermark: str | None = None
    message: str | None = None


class Database:
    """An open warehouse. Made by ``open_warehouse``."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Wrap ``connection``, which stays the caller's."""
        self.connection = connection

    def frame(self, query: str, parameters: Sequence[object] = ()) -> pl.DataFrame:
        """The rows of ``query``."""
        frame: pl.DataFrame = self.connection.sql(query, params=list(parameters)).pl()
        return frame

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All of what is written inside, or nothing of it."""
        self.connection.execute("BEGIN")
        try:
            yield
        except BaseException:
            self.connection.execute("ROLLBACK")
            raise
        self.connection.execute("COMMIT")

    def replace(self, table: str, rows: pl.DataFrame, where: Mapping[str, str]) -> None:
        """Replace the rows of ``table`` whose columns equal ``where`` with ``rows``, by name.

        Call it inside a transaction.
        """
        _check_name(table)
        condition = " AND ".join(f'"{column}" = ?' for column in where) or "true"
        self.connection.execute(f"DELETE FROM {table} WHERE {condition}", list(where.values()))
        self.append(table, rows)

    def append(self, table: str, rows: pl.DataFrame) -> None:
        """Add ``rows`` to ``table``, by name. Call it inside a transaction."""
        _check_name(table)
        if rows.height:
            self.connection.register("candidate", rows.to_arrow())
            self.connection.execute(f"INSERT INTO {table} BY NAME SELECT * FROM candidate")
            self.connection.unregister("candidate")

    def upsert(self, table: str, rows: pl.DataFrame) -> None:
        """Put ``rows`` into ``table``, by name, each in the place of the one with its key."""
        _check_name(table)
        self.connection.register("candidate", rows.to_arrow())
        self.connection.execute(f"INSERT OR REPLACE INTO {table} BY NAME SELECT * FROM candidate")
        self.connection.unregister("candidate")

    def partition(self, table: str, repository: str, month: str) -> pl.DataFrame:
        """The stored rows of one partition."""
        _check_name(table)
        return self.frame(
            f"SELECT * FROM {table} WHERE repository = ? AND month = ? ORDER BY ALL",
            [repository, month],
        )

    def record(self, load: Load) -> None:
        """Write ``load``; a partition that failed keeps what is known of its last good load."""
        values = [load.repository, load.month, load.table, datetime.now(UTC)]
        if load.status == "failed":
            self.connection.execute(
                """
                INSERT INTO meta.partition_loads
                    (repository, month, "table", loaded_at, row_count, status, message)
                VALUES (?, ?, ?, ?, 0, 'failed', ?)
                ON CONFLICT DO UPDATE SET status = 'failed', message = excluded.message
                """,
                [*values, load.message],
            )
            return
        self.connection.execute(
            """
            INSERT OR REPLACE INTO meta.partition_loads
                (repository, month, "table", loaded_at, source_count, row_count,
                 requests, points, status, watermark, message)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)
            """,
            [
                *values,
                load.source_count,
                load.row_count,
                load.requests,
                load.points,
                load.status,
                load.watermark,
            ],
        )

    def record_loaded(self, loads: Sequence[Load]) -> None:
        """Write many ``loads`` that went well, in one go."""
        if not loads:
            return
        now = datetime.now(UTC)
        rows = pl.DataFrame(
            [{**vars(load), "loaded_at": now} for load in loads],
            schema_overrides={"source_count": pl.Int64, "message": pl.String},
            infer_schema_length=None,
        )
        self.connection.register("loads", rows.to_arrow())
        self.connection.execute(
            "INSERT OR REPLACE INTO meta.partition_loads BY NAME SELECT * FROM loads"
        )
        self.connection.unregister("loads")

    def loads(self, table: str, repository: str) -> pl.DataFrame:
        """The rows of meta.partition_loads of one table of one repository, by month."""
        return self.frame(
            """
            SELECT * FROM meta.partition_loads
            WHERE "table" = ? AND repository = ? ORDER BY month
            """,
            [table, repository],
        )


@contextmanager
def open_warehouse(path: Path) -> Iterator[Database]:
    """Open the warehouse at ``path``, made if missing, for this process alone.

    Raises
    ------
    PerfAssetsError
        Another process holds it (named), it is of a newer format, it is no DuckDB file, or the
        disk is full.
    """
    connection = _connect(path)
    try:
        connection.execute("SET TimeZone = 'UTC'")
        _check_format(connection, path)
        yield Database(connection)
    except duckdb.IOException as error:
        raise _explained(error, path) from error
    finally:
        connection.close()


def publish(warehouse: Path, published: Path) -> bool:
    """Replace ``published`` by a consistent copy of ``warehouse``; False when it is up to date.

    The old copy stays readable until the new one takes its place in one step. Call it while no
    connection to the warehouse is open: closing any handle on the file gives up DuckDB's lock.
    """
    if published.exists() and published.stat().st_mtime_ns > warehouse.stat().st_mtime_ns:
        return False
    connection = _connect(warehouse)
    connection.execute("CHECKPOINT")
    connection.close()
    temporary = published.with_name(f".{published.name}.new")
    shutil.copyfile(warehouse, temporary)
    with temporary.open("rb") as handle:
        os.fsync(handle.fileno())
    temporary.replace(published)
    return True


def _connect(path: Path) -> duckdb.DuckDBPyConnection:
    deadline = time.monotonic() + LOCK_WAIT_SECONDS
    while True:
        try:
            return duckdb.connect(str(path))
        except duckdb.Error as error:
            if LOCK_HOLDER.search(str(error)) is None or time.monotonic() > deadline:
                raise _explained(error, path) from None
            time.sleep(0.2)


def _explained(error: duckdb.Error, path: Path) -> PerfAssetsError:
    holder = LOCK_HOLDER.search(str(error))
    if holder:
        return PerfAssetsError(
            f"{path} is in use by {holder['program']} (process {holder['pid']}): wait until it is "
            "done or stop it; to look at the data meanwhile, open the published perf_bugs.duckdb"
        )
    first_line = str(error).splitlines()[0]
    if "No space left" in str(error):
        return PerfAssetsError(
            f"{path}: the disk is full; free some room and run again, what was stored is kept"
        )
    return PerfAssetsError(f"{path}: DuckDB cannot go on: {first_line}")


def _check_format(connection: duckdb.DuckDBPyConnection, path: Path) -> None:
    stored = connection.execute(
        "SELECT table_name FROM duckdb_tables() WHERE schema_name = 'meta'"
    ).fetchall()
    if ("format",) in stored:
        ((version,),) = connection.execute("SELECT max(version) FROM meta.format").fetchall()
        if version == FORMAT:
            return
        if version is not None and version > FORMAT:
            raise PerfAssetsError(
                f"{path.parent} was written by a newer perf-assets (format {version}, this one "
                f"knows {FORMAT}): upgrade perf-assets, or choose another --home"
            )
    schema = files("perf_assets").joinpath("schema.sql").read_text(encoding="utf-8")
    connection.execute("BEGIN")
    connection.execute(schema)
    for table in _outdated(connection, schema):
        # Sources tell it again, or it follows from what they tell.
        connection.execute(f"DROP TABLE {table}")
        connection.execute('DELETE FROM meta.partition_loads WHERE "table" = ?', [table])
    connection.execute(schema)
    connection.execute("INSERT OR REPLACE INTO meta.format VALUES (?)", [FORMAT])
    connection.execute("COMMIT")


def _outdated(connection: duckdb.DuckDBPyConnection, schema: str) -> list[str]:
    """The tables of ``schema`` that an older format left in another shape; never verdicts."""
    with duckdb.connect() as fresh:
        fresh.execute(schema)
        wanted = _columns(fresh)
    stored = _columns(connection)
    return [
        table
        for table in sorted(wanted)
        if stored[table] != wanted[table] and not table.startswith("reviews.")
    ]


def _columns(connection: duckdb.DuckDBPyConnection) -> dict[str, set[tuple[str, str]]]:
    """Names and types of the columns of each table."""
    columns: dict[str, set[tuple[str, str]]] = {}
    for table, column, kind in connection.execute(
        """
        SELECT schema_name || '.' || table_name, column_name, data_type
        FROM duckdb_columns() WHERE database_name = current_database() AND NOT internal
        """
    ).fetchall():
        columns.setdefault(table, set()).add((column, kind))
    return columns


def _check_name(table: str) -> None:
    if TABLE_NAME.fullmatch(table) is None:
        raise ValueError(f"{table!r} is no table name")
