"""The warehouse: one DuckDB file, written a whole partition at a time."""

import logging
import re
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import polars as pl

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.processes import shutdown
from perf_assets.config.data_directory import DataDirectory
from perf_assets.schema import table_of
from perf_assets.schema.frames import frame_of, registered
from perf_assets.storage import migrations
from perf_assets.storage.backups import write_backup
from perf_assets.storage.database_errors import LOCK_HOLDER, database_error
from perf_assets.storage.lock import writing
from perf_assets.storage.making import make_warehouse
from perf_assets.storage.migrations import FORMAT
from perf_assets.storage.received import as_declared, format_of, note_own, renew, undeclared

log = logging.getLogger(__name__)

WATERMARKS = "meta.watermarks"
PARTITION_LOADS = """
SELECT * FROM meta.partition_loads AS loads
WHERE loads."table" = ? AND loads.repository = ? ORDER BY month
"""
# A watermark speaks of the good loads that were there when it was noted.
WITH_WATERMARKS = """
SELECT loads.* REPLACE (greatest(loads.updated_at, marks.updated_at) AS updated_at)
FROM meta.partition_loads AS loads
LEFT JOIN meta.watermarks AS marks
    ON marks.repository = loads.repository AND marks."table" = loads."table"
    AND loads.status = 'loaded' AND loads.loaded_at <= marks.noted_at
WHERE loads."table" = ? AND loads.repository = ? ORDER BY loads.month
"""
LOCK_WAIT_SECONDS = 10.0
# Of a warehouse; what DuckDB keeps of a larger one is memory that steps need.
SMALL_BYTES = 64_000_000
TABLE_NAME = re.compile(r"[a-z_]+\.[a-z_]+")

# Connections that nobody uses, for as long as DuckDB is to keep a database open; None: not yet.
_kept: dict[Path, duckdb.DuckDBPyConnection | None] = {}
# Warehouses that this process has open, and how many times.
_in_use: Counter[Path] = Counter()


@dataclass(frozen=True)
class Difference:
    """What has to change where rows are stored: those that leave, and those that join."""

    leaving: pl.DataFrame
    joining: pl.DataFrame

    @classmethod
    def between(cls, stored: pl.DataFrame, current: pl.DataFrame) -> "Difference":
        """Return what makes the ``stored`` rows the ``current`` ones, whenever they were stored."""
        columns = [name for name in current.columns if name in stored.columns]
        schema = {name: kind for name, kind in stored.schema.items() if name in columns}
        current = current.cast(schema, strict=True)  # type: ignore[arg-type]
        if stored.is_empty():  # to join millions of rows with none of them takes a copy of all
            return cls(stored, current)
        other = {"on": columns, "how": "anti", "nulls_equal": True, "maintain_order": "left"}
        joining = current.join(stored, **other)  # type: ignore[arg-type]
        leaving = stored.join(current, **other)  # type: ignore[arg-type]
        return cls(leaving, joining)

    @classmethod
    def of_all(cls, differences: Sequence["Difference"]) -> "Difference":
        """Return what several have to change, which are about other rows of one table."""
        return cls(
            pl.concat([difference.leaving for difference in differences]),
            pl.concat([difference.joining for difference in differences]),
        )

    @property
    def is_any(self) -> bool:
        """Return whether there is anything to change."""
        return not (self.leaving.is_empty() and self.joining.is_empty())


def subject_of(table: str) -> str:
    """Return, in SQL, the repository or tag set to which a row of ``table`` belongs."""
    return " || ':' || ".join(table_of(table).parts)


class Database:
    """An open warehouse. Made by ``open_warehouse``."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Wrap ``connection``, which stays the caller's."""
        self.connection = connection
        self._there: set[str] = set()

    def ensure(self, table: str) -> None:
        """Make ``table`` where it is not there: in a warehouse of a version that did not know it.

        DuckDB takes some milliseconds to find that it is.
        """
        if table not in self._there:
            migrations.create(self.connection, table_of(table))
            self._there.add(table)

    def frame(self, query: str, parameters: Sequence[object] = ()) -> pl.DataFrame:
        """Return the rows of ``query``."""
        return frame_of(self.connection.sql(query, params=list(parameters)))

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Provide all of what is written inside, or nothing of it."""
        self.connection.execute("BEGIN")
        try:
            yield
            shutdown.block_if_stopping()
        except BaseException:
            self._there.clear()
            self.connection.execute("ROLLBACK")
            raise
        self.connection.execute("COMMIT")

    def change(self, table: str, difference: Difference) -> None:
        """Let rows leave ``table`` and join it, by name. Call it inside a transaction."""
        _check_name(table)
        if difference.leaving.height:
            key = table_of(table).key
            same = " AND ".join(f'{table}."{name}" = leaving."{name}"' for name in key)
            with registered(self.connection, "leaving", difference.leaving.select(key)):
                self.connection.execute(f"DELETE FROM {table} USING leaving WHERE {same}")
        rows = difference.joining
        if rows.height:
            moment = pl.lit(datetime.now(UTC))
            stamped = [column.name for column in table_of(table).columns if column.stamped]
            # For each chunk of a frame DuckDB takes the memory of a whole row group.
            rows = rows.with_columns(moment.alias(name) for name in stamped).rechunk()
            with registered(self.connection, "joining", rows):
                self.connection.execute(f"INSERT INTO {table} BY NAME SELECT * FROM joining")

    def upsert(self, table: str, rows: pl.DataFrame) -> None:
        """Put ``rows`` into ``table``, by name, replacing those of the same key."""
        _check_name(table)
        with registered(self.connection, "rows", rows):
            self.connection.execute(f"INSERT OR REPLACE INTO {table} BY NAME SELECT * FROM rows")

    def partition(self, table: str, repository: str, month: str) -> pl.DataFrame:
        """Return the stored rows of one partition."""
        return self.partitions(table, repository, [month]).sort(table_of(table).key)

    def partitions(self, table: str, repository: str, months: Sequence[str]) -> pl.DataFrame:
        """Return the stored rows of several partitions, in no order."""
        _check_name(table)
        return self.frame(
            f"FROM {table} WHERE {subject_of(table)} = ? AND list_contains(?, month)",
            [repository, list(months)],
        )

    def where(self, table: str, values: Mapping[str, object]) -> pl.DataFrame:
        """Return the rows of ``table`` whose columns equal ``values``."""
        _check_name(table)
        condition = " AND ".join(f'"{column}" = ?' for column in values)
        return self.frame(f"FROM {table} WHERE {condition} ORDER BY ALL", list(values.values()))

    def record_failure(self, loads: pl.DataFrame, message: str) -> None:
        """Note that a load failed; the record of the last good one stays."""
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
        with registered(self.connection, "failed", failed):
            self.connection.execute(
                """
                INSERT INTO meta.partition_loads BY NAME SELECT * FROM failed
                ON CONFLICT DO UPDATE SET status = 'failed', message = excluded.message
                """
            )

    def loads(self, table: str, repository: str) -> pl.DataFrame:
        """Return the rows of meta.partition_loads of one table of one repository, by month.

        updated_at : as the watermark of the repository has it where that is later.
        """
        try:
            return self.frame(WITH_WATERMARKS, [table, repository])
        except duckdb.CatalogException:  # what an older version published has no watermarks
            return self.frame(PARTITION_LOADS, [table, repository])


@contextmanager
def open_warehouse(path: Path) -> Iterator[Database]:
    """Open the warehouse at ``path``, made if missing, for this process alone.

    Where it is missing and the published copy is there, that becomes the warehouse again.

    Raises
    ------
    PerfAssetsError
        Another process writes to its data directory or holds it (named), it is of a newer format,
        it is damaged or no DuckDB file, or the disk is full.
    """
    data_dir = DataDirectory(path.parent)
    with writing(data_dir.path):
        if not path.exists():
            make_warehouse(data_dir)
        connection = _in_our_format(path)
        _in_use[path] += 1
        try:
            yield Database(connection)
            _keep(path)
        except duckdb.Error as error:
            let_go(path)  # which DuckDB may have given up
            raise database_error(error, path) or error from error
        finally:
            connection.close()
            _in_use[path] -= 1
            note_own(path)


@contextmanager
def kept_open(path: Path) -> Iterator[None]:
    """Keep the warehouse at ``path`` open between its openings inside, as long as it is small.

    To open and close it, DuckDB reads and writes its whole catalog: a tenth of a second for each
    step of a run.
    """
    _kept.setdefault(path)
    try:
        yield
    finally:
        let_go(path)
        del _kept[path]


def let_go(path: Path) -> None:
    """Close the database at ``path`` where only ``kept_open`` keeps it: its file has all then."""
    if kept := _kept.get(path):
        _kept[path] = None
        kept.close()
        note_own(path)


def _keep(path: Path) -> None:
    if path not in _kept:
        return
    if path.stat().st_size > SMALL_BYTES:
        let_go(path)
    elif _kept[path] is None:
        _kept[path] = duckdb.connect(str(path))


def reading(path: Path) -> duckdb.DuckDBPyConnection:
    """Return a database opened to be read only, its times in UTC; see :func:`readable`."""
    with ExitStack() as stack:
        return _read(path, stack)[1]


@contextmanager
def readable(path: Path) -> Iterator[Path]:
    """Provide a database to be read only, of which every definition is this version's.

    A warehouse that has others is made one of this version first; of a published copy the rows are
    copied for as long as the block lasts, and who has it open then reads on. While a run holds the
    warehouse, the published copy stands in for it, as of the run before.

    Raises
    ------
    PerfAssetsError
        There is none, it is damaged or no DuckDB file, it is of a newer version, or a run holds it
        and nothing is published.
    """
    with ExitStack() as stack:
        own, connection = _read(path, stack)
        connection.close()
        yield own


def _read(path: Path, stack: ExitStack) -> tuple[Path, duckdb.DuckDBPyConnection]:
    if not path.exists():
        raise PerfAssetsError(f"{path} is not there yet: perf-assets run makes it")
    published = DataDirectory(path.parent).published
    let_go(path)
    try:
        if path == DataDirectory(path.parent).warehouse and undeclared(path):
            with open_warehouse(path):
                pass
        own = stack.enter_context(as_declared(path))
        connection = duckdb.connect(str(own), read_only=True)
    except duckdb.Error as error:
        is_held = LOCK_HOLDER.search(str(error)) is not None
        if is_held and path != published and published.exists():
            return _read(published, stack)
        raise database_error(error, path) or error from None
    connection.execute("SET TimeZone = 'UTC'")
    return own, connection


def _in_our_format(path: Path) -> duckdb.DuckDBPyConnection:
    """Return the warehouse opened, as this version declares it; see ``_renew``."""
    deadline = time.monotonic() + LOCK_WAIT_SECONDS
    while True:
        try:
            return _opened(path)
        except duckdb.Error as error:
            if LOCK_HOLDER.search(str(error)) is None or time.monotonic() > deadline:
                raise database_error(error, path) or error from None
            time.sleep(0.2)


def _opened(path: Path) -> duckdb.DuckDBPyConnection:
    if not _in_use[path] and _kept.get(path) is None and undeclared(path):
        _renew(path)
    connection = duckdb.connect(str(path))
    try:
        connection.execute("SET TimeZone = 'UTC'")
        version = migrations.stored_format(connection)
        if version is None:
            migrations.migrate(connection)
        if version in (None, FORMAT):
            return connection
    except BaseException:
        connection.close()
        raise
    connection.close()
    _renew(path)
    return _opened(path)


def _renew(path: Path) -> None:
    """Make the warehouse one of this version; of an older format it is kept in a backup, too."""
    data_dir = DataDirectory(path.parent)
    version = format_of(path)
    if version is not None and version < FORMAT:
        write_backup(data_dir, data_dir.backup_of_format(version))
    renew(path)


def _check_name(table: str) -> None:
    if TABLE_NAME.fullmatch(table) is None:
        raise ValueError(f"{table!r} is not a table name")
