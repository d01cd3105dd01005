"""What analysts open: a copy of the warehouse that every client reads, replaced in one step."""

import os
import shutil
from collections.abc import Collection
from pathlib import Path

import duckdb

from perf_assets.base.files import set_in_place, temporary_beside
from perf_assets.base.processes.progress import phase
from perf_assets.config.data_directory import DataDirectory
from perf_assets.schema.ddl import quoted
from perf_assets.storage.database_copy import (
    contents,
    copy_database,
    is_for_every_client,
    journal_of,
    tables_of,
)
from perf_assets.storage.lake_rows import lake_rows
from perf_assets.storage.lock import writing
from perf_assets.storage.migrations import VIEWS
from perf_assets.storage.received import note_own, undeclared
from perf_assets.storage.verdicts import keep_verdicts
from perf_assets.storage.warehouse import let_go, open_warehouse

LOOKS = "meta.source_requests"  # a row for each look at a source, whatever it found
ABOUT = "meta.about"  # of which counts and moments follow from the other tables
AT_ONCE = 16  # tables that are compared together: the first difference ends it
ADDRESS_KEY = "address_key"  # its fact of the topic database: the fingerprint of the key
DECIDING = "('study', 'rules', 'software')"  # its topics that are nowhere else


def publish(data_dir: DataDirectory) -> bool:
    """Replace the published database by a consistent copy of the warehouse; False when up to date.

    It is where only ``meta.source_requests`` has new rows: what a look found nothing by.

    Every DuckDB from 1.1 on reads it, so that analysts need not have the version that runs have.
    The old one stays readable until the new one replaces it in one step, and no verdict of
    people that it holds is ever missing in the new one. Tables whose rows lie in a lake, and views
    over them, are not in it.

    Raises
    ------
    PerfAssetsError
        As ``open_warehouse``; the old copy stays.
    """
    published = data_dir.published
    with writing(data_dir.path), temporary_beside(published) as unfinished:
        is_readable = _is_for_every_client(published)
        if is_readable and _is_of(data_dir):
            return False
        with phase("publishing the database"), open_warehouse(data_dir.warehouse) as database:
            keep_verdicts(database, data_dir)
            if is_readable and _is_as(database.connection, published):
                return False
            _copy(database.connection, data_dir.warehouse, unfinished)
            _leave_out(unfinished, lake_rows(database.connection))
        let_go(data_dir.warehouse)
        # Of the very same moment as what it was copied from, whatever the clock says.
        changed = data_dir.warehouse.stat().st_mtime_ns
        os.utime(unfinished, ns=(changed, changed))
        set_in_place(unfinished, published)
        note_own(published)
    return True


def _copy(connection: duckdb.DuckDBPyConnection, warehouse: Path, target: Path) -> None:
    """Copy the open warehouse: byte by byte, but where older versions made it or half is unused."""
    connection.execute("CHECKPOINT")  # nobody writes, so the file has everything from here on
    ((used, free),) = connection.execute(
        "SELECT used_blocks, free_blocks FROM pragma_database_size() "
        "WHERE database_name = current_database()"
    ).fetchall()
    if is_for_every_client(connection) and free <= used:
        shutil.copyfile(warehouse, target)
    else:
        copy_database(connection, target)


def _leave_out(published: Path, names: Collection[str]) -> None:
    """Drop tables and views from what is to be published."""
    if not names:
        return
    with duckdb.connect(str(published)) as connection:
        views = {name for name, *_ in connection.execute(VIEWS).fetchall()}
        for name in names:
            connection.execute(f"DROP {'VIEW' if name in views else 'TABLE'} {name}")
        connection.execute("CHECKPOINT")


def _is_of(data_dir: DataDirectory) -> bool:
    """Return whether nothing was written to the warehouse since it was published."""
    return (
        not journal_of(data_dir.warehouse).exists()
        and data_dir.published.stat().st_mtime_ns == data_dir.warehouse.stat().st_mtime_ns
    )


def _is_as(connection: duckdb.DuckDBPyConnection, published: Path) -> bool:
    """Return whether ``published`` holds what the open database holds, but for looks at the
    sources.

    By which texts its views were laid is among the rows of ``meta.build_state``.
    """
    ((own,),) = connection.execute("SELECT current_database()").fetchall()
    connection.execute(f"ATTACH {quoted(str(published))} AS copy (READ_ONLY)")
    try:
        left_out = lake_rows(connection)
        own_catalog = _catalog(connection, own)
        here = [row for row in own_catalog if f"{row[0]}.{row[1]}" not in left_out]
        tables = [table for table in tables_of(connection) if table not in {LOOKS, *left_out}]
        return here == _catalog(connection, "copy") and all(
            contents(connection, [_compared_rows(f'"{own}".{table}') for table in some])
            == contents(connection, [_compared_rows(f"copy.{table}") for table in some])
            for some in (tables[n : n + AT_ONCE] for n in range(0, len(tables), AT_ONCE))
        )
    finally:
        connection.execute("DETACH copy")


def _catalog(connection: duckdb.DuckDBPyConnection, database: str) -> list[tuple[object, ...]]:
    """Return all columns of all tables and views, and their descriptions."""
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


def _compared_rows(table: str) -> str:
    """Return the rows of ``table`` that make a new copy where they differ."""
    if not table.endswith(ABOUT):
        return f"FROM {table}"
    return f"FROM {table} WHERE topic IN {DECIDING} OR fact = '{ADDRESS_KEY}'"


def _is_for_every_client(published: Path) -> bool:
    """Return whether a sound database is there that every client reads."""
    try:
        if undeclared(published):
            return False
        with duckdb.connect(str(published), read_only=True) as connection:
            return is_for_every_client(connection)
    except duckdb.Error:
        return False
