"""The warehouse: one DuckDB file, written a whole partition at a time."""

import os
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import polars as pl

from perf_assets import stopping
from perf_assets.errors import PerfAssetsError
from perf_assets.paths import models_dir
from perf_assets.progress import phase
from perf_assets.storage import migrations
from perf_assets.storage.lock import writing
from perf_assets.tables import table_of
from perf_assets.tables.ddl import quoted

PUBLISHED = "perf_bugs.duckdb"  # beside the warehouse: what analysts open
STORAGE_VERSION = "v1.0.0"  # what DuckDB 1.1 writes, and every later one reads
LOOKS = "meta.source_requests"  # a row for each look at a source, whatever it found
ABOUT = "meta.about"  # what is published and when: it changes with each attempt to publish
FORMAT = 4  # raised whenever stored tables change in a way that older code cannot read
LOCK_WAIT_SECONDS = 10.0
LOCK_HOLDER = re.compile(r"lock is held in (?P<program>.+?) \(PID (?P<pid>\d+)\)")
TABLE_NAME = re.compile(r"[a-z_]+\.[a-z_]+")


@dataclass(frozen=True)
class Difference:
    """What has to change where rows are stored: those that leave, and those that join."""

    leaving: pl.DataFrame
    joining: pl.DataFrame

    @classmethod
    def between(cls, stored: pl.DataFrame, wanted: pl.DataFrame) -> "Difference":
        """What makes the ``stored`` rows the ``wanted`` ones, whenever they were stored."""
        columns = [name for name in wanted.columns if name in stored.columns]
        schema = {name: kind for name, kind in stored.schema.items() if name in columns}
        wanted = wanted.cast(schema, strict=True)  # type: ignore[arg-type]
        other = {"on": columns, "how": "anti", "nulls_equal": True, "maintain_order": "left"}
        joining = wanted.join(stored, **other)  # type: ignore[arg-type]
        leaving = stored.join(wanted, **other)  # type: ignore[arg-type]
        return cls(leaving, joining)

    @classmethod
    def of_all(cls, differences: Sequence["Difference"]) -> "Difference":
        """What several have to change, which are about other rows of one table."""
        return cls(
            pl.concat([one.leaving for one in differences]),
            pl.concat([one.joining for one in differences]),
        )

    @property
    def is_any(self) -> bool:
        """Whether there is anything to change."""
        return not (self.leaving.is_empty() and self.joining.is_empty())


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
            stopping.go_on()
        except BaseException:
            self.connection.execute("ROLLBACK")
            raise
        self.connection.execute("COMMIT")

    def change(self, table: str, difference: Difference) -> None:
        """Let rows leave ``table`` and join it, by name. Call it inside a transaction."""
        _check_name(table)
        if difference.leaving.height:
            key = table_of(table).key
            same = " AND ".join(f'{table}."{name}" = leaving."{name}"' for name in key)
            with self._registered("leaving", difference.leaving.select(key)):
                self.connection.execute(f"DELETE FROM {table} USING leaving WHERE {same}")
        rows = difference.joining
        if rows.height:
            moment = pl.lit(datetime.now(UTC))
            stamped = [column.name for column in table_of(table).columns if column.stamped]
            rows = rows.with_columns(moment.alias(name) for name in stamped)
            with self._registered("joining", rows):
                self.connection.execute(f"INSERT INTO {table} BY NAME SELECT * FROM joining")

    def upsert(self, table: str, rows: pl.DataFrame) -> None:
        """Put ``rows`` into ``table``, by name, each in the place of the one with its key."""
        _check_name(table)
        with self._registered("rows", rows):
            self.connection.execute(f"INSERT OR REPLACE INTO {table} BY NAME SELECT * FROM rows")

    def partition(self, table: str, repository: str, month: str) -> pl.DataFrame:
        """The stored rows of one partition."""
        return self.where(table, {"repository": repository, "month": month})

    def partitions(self, table: str, repository: str, months: Sequence[str]) -> pl.DataFrame:
        """The stored rows of several partitions, in no order."""
        _check_name(table)
        return self.frame(
            f"FROM {table} WHERE repository = ? AND list_contains(?, month)",
            [repository, list(months)],
        )

    def where(self, table: str, values: Mapping[str, object]) -> pl.DataFrame:
        """The rows of ``table`` whose columns equal ``values``."""
        _check_name(table)
        condition = " AND ".join(f'"{column}" = ?' for column in values)
        return self.frame(f"FROM {table} WHERE {condition} ORDER BY ALL", list(values.values()))

    def record_failure(self, loads: pl.DataFrame, message: str) -> None:
        """Note that a load failed; what is known of the last good one stays."""
        failed = loads.with_columns(
            row_count=pl.lit(0),
            requests=pl.lit(0),
            points=pl.lit(0),
            status=pl.lit("failed"),
            is_stored=pl.lit(value=False),
            source_count=pl.lit(None, pl.Int64),
            updated_at=pl.lit(None, pl.Datetime("us", "UTC")),
            fingerprint=pl.lit(None, pl.String),
            rule_version=pl.lit(None, pl.String),
            message=pl.lit(message),
        )
        with self._registered("failed", failed):
            self.connection.execute(
                """
                INSERT INTO meta.partition_loads BY NAME SELECT * FROM failed
                ON CONFLICT DO UPDATE SET status = 'failed', message = excluded.message
                """
            )

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
    def _registered(self, name: str, rows: pl.DataFrame) -> Iterator[None]:
        self.connection.register(name, rows.to_arrow())
        try:
            yield
        finally:
            self.connection.unregister(name)


@contextmanager
def open_warehouse(path: Path) -> Iterator[Database]:
    """Open the warehouse at ``path``, made if missing, for this process alone.

    Raises
    ------
    PerfAssetsError
        Another process writes to its home or holds it (named), it is of a newer format, it is no
        DuckDB file, or the disk is full.
    """
    with writing(path.parent):
        connection = _connect(path)
        try:
            connection.execute("SET TimeZone = 'UTC'")
            _check_format(connection, path)
            yield Database(connection)
        except duckdb.IOException as error:
            raise _explained(error, path) from error
        finally:
            connection.close()


def reading(path: Path) -> duckdb.DuckDBPyConnection:
    """A database opened to be read only; a warehouse of an older format is migrated first.

    While a run holds the warehouse, the published copy stands in for it, as of the run before.

    Raises
    ------
    PerfAssetsError
        There is none, it is no DuckDB file, or a run holds it and nothing is published yet.
    """
    if not path.exists():
        raise PerfAssetsError(f"{path} is not there yet: perf-assets run makes it")
    published = path.with_name(PUBLISHED)
    try:
        connection = duckdb.connect(str(path), read_only=True)
        version = migrations.stored_format(connection)
        if path == published or version is None or version >= FORMAT:
            return connection
        connection.close()
        with open_warehouse(path):
            pass
        return duckdb.connect(str(path), read_only=True)
    except (duckdb.IOException, PerfAssetsError) as error:
        if path != published and published.exists():
            return reading(published)
        raise error if isinstance(error, PerfAssetsError) else _explained(error, path) from None


def publish(warehouse: Path, published: Path) -> bool:
    """Replace ``published`` by a consistent copy of ``warehouse``; False when it is up to date.

    It is where only ``meta.source_requests`` has new rows: what a look found nothing by.

    The copy is written as DuckDB 1.1 did, so that analysts need not have the version that runs
    have. The old one stays readable until the new one takes its place in one step.

    Raises
    ------
    PerfAssetsError
        As ``open_warehouse``; the old copy stays.
    """
    with writing(published.parent):
        unfinished = published.with_name(f".{published.name}.new")
        for left in published.parent.glob(f"{unfinished.name}*"):  # by a run that was killed
            left.unlink()
        is_newer = (
            published.exists() and published.stat().st_mtime_ns > warehouse.stat().st_mtime_ns
        )
        if is_newer and _is_for_every_client(published):
            return False
        with phase("publishing the database"), open_warehouse(warehouse) as database:
            is_later = published.exists() and published.stat().st_mtime > _models_changed_at()
            if (
                is_later
                and _is_for_every_client(published)
                and _is_as(database.connection, published)
            ):
                return False
            _copy(database.connection, unfinished)
        unfinished.touch()  # newer than the warehouse, whatever closing that wrote
        with unfinished.open("rb") as handle:
            os.fsync(handle.fileno())
        unfinished.replace(published)
    return True


def _copy(connection: duckdb.DuckDBPyConnection, path: Path) -> None:
    """All that the open database holds, to a new file that older clients read."""
    ((own,),) = connection.execute("SELECT current_database()").fetchall()
    connection.execute("CHECKPOINT")
    connection.execute(
        f"ATTACH {quoted(str(path))} AS copy (STORAGE_VERSION {quoted(STORAGE_VERSION)})"
    )
    connection.execute(f'COPY FROM DATABASE "{own}" TO copy')
    connection.execute("CHECKPOINT copy")
    connection.execute("DETACH copy")


def _models_changed_at() -> float:
    """When a model was last written: a view's text is not to be seen in what it shows."""
    return max(path.stat().st_mtime for path in models_dir().rglob("*.sql"))


def _is_as(connection: duckdb.DuckDBPyConnection, published: Path) -> bool:
    """Whether ``published`` holds what the open database holds, but for looks at the sources."""
    ((own,),) = connection.execute("SELECT current_database()").fetchall()
    connection.execute(f"ATTACH {quoted(str(published))} AS copy (READ_ONLY)")
    try:
        catalogs = [_catalog(connection, name) for name in (own, "copy")]
        return catalogs[0] == catalogs[1] and all(
            _content(connection, f'"{own}".{table}') == _content(connection, f"copy.{table}")
            for table in _tables(connection, own)
            if table not in (LOOKS, ABOUT)
        )
    finally:
        connection.execute("DETACH copy")


def _catalog(connection: duckdb.DuckDBPyConnection, database: str) -> list[tuple[object, ...]]:
    """All columns of all tables and views, and what is said of them."""
    found: list[tuple[object, ...]] = connection.execute(
        """
        SELECT schema_name, table_name, column_name, data_type, comment FROM duckdb_columns()
        WHERE database_name = $1 AND NOT internal
        UNION ALL
        SELECT schema_name, view_name, '', '', comment
        FROM duckdb_views() WHERE database_name = $1 AND NOT internal
        UNION ALL
        SELECT schema_name, table_name, '', '', comment
        FROM duckdb_tables() WHERE database_name = $1 AND NOT internal
        ORDER BY ALL
        """,
        [database],
    ).fetchall()
    return found


def _tables(connection: duckdb.DuckDBPyConnection, database: str) -> list[str]:
    found = connection.execute(
        "SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = ?", [database]
    ).fetchall()
    return [f"{schema}.{table}" for schema, table in found]


def _content(connection: duckdb.DuckDBPyConnection, table: str) -> tuple[object, ...]:
    (found,) = connection.execute(
        f"SELECT count(*), bit_xor(hash(*COLUMNS(*))) FROM {table}"
    ).fetchall()
    return tuple(found)


def _is_for_every_client(published: Path) -> bool:
    """False of a file that only newer clients read, as was published before, or a damaged one."""
    try:
        with duckdb.connect(str(published), read_only=True) as connection:
            ((version,),) = connection.execute(
                "SELECT tags['storage_version'] FROM duckdb_databases() "
                "WHERE database_name = current_database()"
            ).fetchall()
    except duckdb.Error:
        return False
    return str(version).startswith(STORAGE_VERSION)


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
    version = migrations.stored_format(connection)
    if version is not None and version > FORMAT:
        raise PerfAssetsError(
            f"{path.parent} was written by a newer perf-assets (format {version}, this one "
            f"knows {FORMAT}): upgrade perf-assets, or choose another --home"
        )
    if version != FORMAT:
        migrations.migrate(connection, version, FORMAT)


def _check_name(table: str) -> None:
    if TABLE_NAME.fullmatch(table) is None:
        raise ValueError(f"{table!r} is no table name")
