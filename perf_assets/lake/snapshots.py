"""One consistent view of a lake for engines that read its files themselves."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import duckdb
import polars as pl
import pyarrow as pa
from deltalake import DeltaTable

from perf_assets.base.errors import TransientError
from perf_assets.lake import delta
from perf_assets.lake.errors import friendly_errors
from perf_assets.lake.location import Lake
from perf_assets.lake.releases import needed
from perf_assets.lake.tables import LakeTable, chosen
from perf_assets.schema.frames import registered

TRIES = 3
KEYS = ("lake_subject", "lake_month", "lake_release")
RELEASES = pa.schema([(key, pa.string()) for key in KEYS] + [("rows", pa.int64())])


@dataclass(frozen=True)
class TableSnapshot:
    """What is released of one table.

    version : of the Delta table; None where nothing was ever shipped to it.
    files : the Parquet files that have the rows, as absolute paths, or addresses in S3 (s3://).
        Other rows may stand in them too, and columns that were declared later may be missing.
    releases : lake_subject, lake_month, lake_release of the rows that count, and how many rows
        those are: a row of the files counts where its three columns are among these.
    """

    name: str
    version: int | None
    files: tuple[str, ...]
    releases: pa.Table

    @property
    def rows(self) -> int:
        """Return how many rows count."""
        return sum(self.releases["rows"].to_pylist())


@dataclass(frozen=True)
class Snapshot:
    """What is released of some tables at one moment. Its files stay for the retention of the lake.

    version : of the table of releases.
    """

    lake: Lake
    version: int
    tables: Mapping[str, TableSnapshot]


def released(lake: Lake, tables: Collection[str] | None = None) -> Snapshot:
    """Return what is released of ``tables`` (default: all that a lake holds), as of one moment.

    That the files have the rows which are released was counted, row by row.

    Raises
    ------
    TransientError
        The lake changes faster than it can be read, or its storage does not answer.
    PerfAssetsError
        There is no lake, or it cannot be read.
    """
    wrong = ""
    with friendly_errors(lake):
        for _ in range(TRIES):
            releases = needed(lake)
            with duckdb.connect() as connection:
                releases.lay(connection, None)
                found = {
                    lake_table.name: _table(lake, lake_table, connection)
                    for lake_table in chosen(tables)
                }
            wrong = next((name for name, (_, is_whole) in found.items() if not is_whole), "")
            if not wrong:
                whole = {name: table for name, (table, _) in found.items()}
                return Snapshot(lake, releases.table.version(), whole)
    raise TransientError(
        f"{lake.url}: the rows of {wrong} are not those that were released; read it again, and "
        "where that does not help, have the workers ship again from new homes"
    )


def _table(
    lake: Lake, table: LakeTable, connection: duckdb.DuckDBPyConnection
) -> tuple[TableSnapshot, bool]:
    """Return the snapshot of ``table``, and whether its files have all rows that are released."""
    found = connection.sql(
        "SELECT subject AS lake_subject, month AS lake_month, release AS lake_release, rows "
        'FROM lake_released WHERE "table" = ? ORDER BY ALL',
        params=[table.name],
    ).to_arrow_table()
    rows = found.cast(RELEASES)
    if not rows.num_rows:
        return TableSnapshot(table.name, None, (), rows), True
    opened = delta.opened(lake, table.name)
    if opened is None:
        return TableSnapshot(table.name, None, (), rows), False
    snapshot = TableSnapshot(table.name, opened.version(), _files(lake, opened, table, rows), rows)
    return snapshot, _is_whole(snapshot, lake, opened, connection)


def _files(lake: Lake, opened: DeltaTable, table: LakeTable, rows: pa.Table) -> tuple[str, ...]:
    files = delta.files_of(opened, lake, table.name)
    return tuple(delta.files_with(files, set(rows["lake_release"].to_pylist())))


def _is_whole(
    snapshot: TableSnapshot, lake: Lake, opened: DeltaTable, connection: duckdb.DuckDBPyConnection
) -> bool:
    keys, columns = ", ".join(KEYS), pa.schema([(key, pa.string()) for key in KEYS])
    wanted = pl.DataFrame(snapshot.releases)
    with (
        registered(connection, "lake_rows_wanted", wanted),
        delta.source_of(connection, opened, lake, columns, snapshot.files) as source,
    ):
        wrong = connection.execute(
            f"""
            SELECT count(*) FROM lake_rows_wanted AS wanted
            LEFT JOIN (SELECT {keys}, count(*) AS rows FROM {source} GROUP BY ALL) AS here
            USING ({keys}) WHERE here.rows IS DISTINCT FROM wanted.rows
            """
        ).fetchall()
    return bool(wrong == [(0,)])
