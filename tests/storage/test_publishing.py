"""What analysts open: a copy of the warehouse that every client reads, replaced in one step."""

import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import duckdb
import pytest

from perf_assets.config.data_directory import DataDirectory
from perf_assets.storage.publishing import publish
from perf_assets.storage.warehouse import open_warehouse
from tests.paths import ROOT
from tests.support import Prepared, assert_same_tables, stored_tables

pytestmark = pytest.mark.slow

QUERIES = sorted((ROOT / "sql").glob("*.sql"))
COMMENTS = """
select schema_name, table_name as name, null as column_name, comment
from duckdb_tables() where database_name = current_database()
union all
select schema_name, view_name, null, comment
from duckdb_views() where database_name = current_database() and not internal
union all
select schema_name, table_name, column_name, comment
from duckdb_columns() where database_name = current_database() and not internal
union all
select schema_name, function_name, parameters[1], comment
from duckdb_functions() where database_name = current_database() and not internal
order by all
"""
VERSION = "select tags['storage_version'] from duckdb_databases() where database_name = ?"


def rows(database: Path, query: str) -> list[tuple[object, ...]]:
    with duckdb.connect(str(database), read_only=True) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        return connection.execute(query).fetchall()


def storage_version(database: Path) -> str:
    with duckdb.connect(str(database), read_only=True) as connection:
        ((version,),) = connection.execute(VERSION, [database.stem]).fetchall()
    return str(version)


@pytest.fixture
def newer(data_dir: Path) -> Path:
    """The data directory of a version whose warehouse only newer clients read."""
    warehouse = data_dir / "warehouse.duckdb"
    other = data_dir / "other.duckdb"
    with duckdb.connect() as connection:
        connection.execute(f"ATTACH '{warehouse}' AS own (READ_ONLY)")
        connection.execute(f"ATTACH '{other}' AS other (STORAGE_VERSION 'latest')")
        connection.execute("COPY FROM DATABASE own TO other")
    other.replace(warehouse)
    return data_dir


def test_it_has_the_storage_version_of_the_oldest_client(small: Prepared, newer: Path) -> None:
    assert storage_version(small.data_dir / "perf_bugs.duckdb").startswith("v1.0.0")
    assert not storage_version(newer / "warehouse.duckdb").startswith("v1.0.0")
    shutil.copyfile(newer / "warehouse.duckdb", newer / "perf_bugs.duckdb")
    assert publish(DataDirectory(newer))
    assert storage_version(newer / "perf_bugs.duckdb").startswith("v1.0.0")
    assert_same_tables(
        stored_tables(newer / "warehouse.duckdb"), stored_tables(newer / "perf_bugs.duckdb")
    )


def test_it_holds_every_table_comment_and_macro_of_the_warehouse(small: Prepared) -> None:
    warehouse, published = small.data_dir / "warehouse.duckdb", small.data_dir / "perf_bugs.duckdb"
    assert_same_tables(stored_tables(warehouse), stored_tables(published))
    comments = rows(published, COMMENTS)
    assert comments == rows(warehouse, COMMENTS)
    assert any(name == "bug_reports_as_of" and comment for _, name, _, comment in comments)


@pytest.fixture(scope="module")
def both(small: Prepared) -> Iterator[list[duckdb.DuckDBPyConnection]]:
    """The warehouse and what was published of it; opening them takes longer than a query."""
    with ExitStack() as stack:
        opened = []
        for name in ("warehouse.duckdb", "perf_bugs.duckdb"):
            connection = duckdb.connect(str(small.data_dir / name), read_only=True)
            opened.append(stack.enter_context(connection))
            opened[-1].execute("SET TimeZone = 'UTC'")
        yield opened


@pytest.mark.parametrize("path", QUERIES, ids=lambda path: path.stem)
def test_every_query_of_the_cookbook_answers_as_in_the_warehouse(
    both: list[duckdb.DuckDBPyConnection], path: Path
) -> None:
    query = path.read_text(encoding="utf-8")
    warehouse, published = (connection.execute(query).fetchall() for connection in both)
    assert published == warehouse


def test_it_is_replaced_when_the_warehouse_changed_and_only_then(data_dir: Path) -> None:
    warehouse, published = data_dir / "warehouse.duckdb", data_dir / "perf_bugs.duckdb"
    assert not publish(DataDirectory(data_dir))
    with open_warehouse(warehouse) as database:
        database.connection.execute("UPDATE meta.repositories SET study = 'another'")
    assert publish(DataDirectory(data_dir))
    assert rows(published, "SELECT DISTINCT study FROM meta.repositories") == [("another",)]
    assert not publish(DataDirectory(data_dir))


def test_a_clock_that_was_set_back_hides_no_change(data_dir: Path) -> None:
    with open_warehouse(data_dir / "warehouse.duckdb") as database:
        database.connection.execute("UPDATE meta.repositories SET study = 'another'")
    os.utime(data_dir / "warehouse.duckdb", (1, 1))
    assert publish(DataDirectory(data_dir))
    assert rows(data_dir / "perf_bugs.duckdb", "SELECT DISTINCT study FROM meta.repositories") == [
        ("another",)
    ]
    assert not publish(DataDirectory(data_dir))


@pytest.mark.parametrize(
    ("statement", "is_new"),
    [
        (
            "INSERT INTO meta.source_requests BY NAME SELECT * REPLACE (now() AS started_at) "
            "FROM meta.source_requests LIMIT 1",
            False,
        ),
        ("UPDATE meta.about SET value = 'now' WHERE fact = 'published_at'", False),
        ("UPDATE meta.partition_loads SET message = 'x'", True),
        ("COMMENT ON TABLE raw.issues IS 'x'", True),
        ("CREATE TABLE raw.another (a INTEGER)", True),
        ("DROP VIEW staging.issues CASCADE", True),
        ("ALTER TABLE meta.repositories ADD COLUMN a INTEGER", True),
    ],
)
def test_refreshes_that_found_nothing_need_no_new_copy(
    data_dir: Path, statement: str, is_new: bool
) -> None:
    with open_warehouse(data_dir / "warehouse.duckdb") as database:
        database.connection.execute(statement)
    assert publish(DataDirectory(data_dir)) is is_new


def test_a_reader_of_the_old_copy_continues_reading_it(data_dir: Path) -> None:
    warehouse, published = data_dir / "warehouse.duckdb", data_dir / "perf_bugs.duckdb"
    # DuckDB shares one instance for a path in a process: another name is another client.
    (data_dir / "analyst.duckdb").hardlink_to(published)
    with duckdb.connect(str(data_dir / "analyst.duckdb"), read_only=True) as analyst:
        with open_warehouse(warehouse) as database:
            database.connection.execute("DELETE FROM marts.trend_monthly")
        assert publish(DataDirectory(data_dir))
        assert analyst.execute("SELECT count(*) FROM marts.trend_monthly").fetchone() != (0,)
    assert rows(published, "SELECT count(*) FROM marts.trend_monthly") == [(0,)]


def test_a_damaged_copy_is_replaced_though_nothing_changed(data_dir: Path) -> None:
    published = data_dir / "perf_bugs.duckdb"
    published.write_bytes(b"no database")
    os.utime(published)
    assert publish(DataDirectory(data_dir))
    assert rows(published, "SELECT 1") == [(1,)]


def test_what_is_half_unused_is_published_without_what_is_not_used(data_dir: Path) -> None:
    with open_warehouse(data_dir / "warehouse.duckdb") as database:
        database.connection.execute("CREATE TABLE raw.big AS SELECT random() FROM range(9000000)")
        database.connection.execute("CHECKPOINT")
        database.connection.execute("CREATE TABLE raw.last AS SELECT random() FROM range(9)")
        database.connection.execute("CHECKPOINT")
        database.connection.execute("DROP TABLE raw.big")
    assert publish(DataDirectory(data_dir))
    sizes = [(data_dir / name).stat().st_size for name in ("warehouse.duckdb", "perf_bugs.duckdb")]
    assert sizes[1] < sizes[0] / 2


@pytest.mark.parametrize("is_published", [True, False])
def test_what_a_killed_run_left_beside_it_is_removed(data_dir: Path, is_published: bool) -> None:
    if not is_published:
        (data_dir / "perf_bugs.duckdb").unlink()
    for name in (".perf_bugs.duckdb.4194304-1.new", ".perf_bugs.duckdb.4194304-1.new.wal"):
        (data_dir / name).write_bytes(b"half a database")
    assert publish(DataDirectory(data_dir)) is not is_published
    assert [path.name for path in data_dir.glob(".perf_bugs*")] == []
