"""What was refused never reaches the lake; and the commands that move what is stored."""

import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import duckdb
import polars as pl
import pyarrow.parquet as pq
import pytest

from perf_assets.base.months import months_between
from perf_assets.config.data_directory import DataDirectory
from perf_assets.lake.location import Lake
from perf_assets.lake.maintenance import maintain
from perf_assets.lake.pull import pull
from perf_assets.lake.push import push
from perf_assets.lake.snapshots import released
from perf_assets.schema import schema_of
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.forgetting import forget
from perf_assets.storage.partition_write import (
    PartitionState,
    PartitionWrite,
    Provenance,
    StagedTable,
)
from perf_assets.storage.warehouse import open_warehouse
from tests.lakes import ENTRY, fill, memory, stored
from tests.rows import REPOSITORY, Row, at, issue
from tests.support import Ran, perf_assets

pytestmark = pytest.mark.slow

MONTH = "2020-02"


def offer(*rows: Row, source_count: int = 2) -> PartitionWrite:
    frame = pl.DataFrame(
        [{name: row.get(name) for name in schema_of("raw.issues")} for row in rows],
        schema=schema_of("raw.issues"),
    )
    candidate = StagedTable("raw.issues", frame, source_count=source_count)
    return PartitionWrite(
        [candidate], REPOSITORY, MONTH, Provenance(PartitionState(updated_at=at(9)))
    )


def opened(number: int, **changes: object) -> Row:
    return issue(number, at(1), month=MONTH, updated_at=at(1), **changes)


def test_a_partition_that_was_refused_never_reaches_the_lake(tmp_path: Path) -> None:
    data_dir, lake = DataDirectory.of(tmp_path / "home"), Lake.of(str(tmp_path / "lake"))
    with open_warehouse(data_dir.warehouse) as database:
        writer = AuditedWriter(database, data_dir)
        (good,) = writer.store([offer(opened(1), opened(2))])
        assert good.failure is None
        push(database, lake, REPOSITORY)

        (refused,) = writer.store([offer(opened(1, title="new"), source_count=2)])
        assert refused.failure is not None
        shipped = push(database, lake, REPOSITORY)

    assert shipped.months == (MONTH,)  # what is noted of the failure, and no row of the table
    assert released(lake, ["raw.issues"]).tables["raw.issues"].rows == 2
    other = memory()
    pull(other, lake, [REPOSITORY])
    tables = stored(other)
    assert tables["raw.issues"]["title"].to_list() == ["Issue 1", "Issue 2"]
    assert tables["meta.partition_loads"]["status"].to_list() == ["failed"]
    assert "refused" in tables["meta.audit_results"]["outcome"].to_list()


def run(*arguments: str | Path) -> Ran:
    ran = perf_assets("lake", *arguments)
    assert "Traceback" not in ran.stdout + ran.stderr
    return ran


def test_a_data_directory_is_shipped_and_another_restored_from_the_terminal(tmp_path: Path) -> None:
    data_dir, other, lake = tmp_path / "home", tmp_path / "other", tmp_path / "lake"
    data_dir.mkdir()
    with open_warehouse(data_dir / "warehouse.duckdb") as database:
        fill(database, {("owner/one", "2020-01"): [ENTRY], ("owner/two", "2020-01"): [ENTRY]})

    shipped = run("push", "--lake", lake, "--data-dir", data_dir)
    assert shipped.returncode == 0, shipped.stderr
    assert "owner/two: 1 months, 4 rows of 4 tables, 5 commits" in shipped.stdout
    assert "owner/one: unchanged" in run("push", "--lake", lake, "--data-dir", data_dir).stdout
    only = ("--repository", "owner/one")
    assert "1 months pulled" in run("pull", "--lake", lake, "--data-dir", other, *only).stdout
    assert "1 months pulled" in run("pull", "--lake", lake, "--data-dir", other).stdout
    with duckdb.connect(str(other / "warehouse.duckdb"), read_only=True) as connection:
        assert connection.execute("SELECT count(*) FROM raw.issues").fetchall() == [(2,)]
    assert "raw.issues" in run("status", "--lake", lake).stdout
    assert "MB are" in run("optimize", "--lake", lake, "--retention-days", "0").stdout


def test_a_forgotten_person_is_kept_out_of_what_others_ship(tmp_path: Path) -> None:
    data_dir, other, lake = tmp_path / "home", tmp_path / "other", tmp_path / "lake"
    data_dir.mkdir()
    with open_warehouse(data_dir / "warehouse.duckdb") as database:
        fill(database, {("owner/one", "2020-01"): [ENTRY]})
        database.connection.execute("UPDATE raw.issues SET author = 'Ada'")
    assert run("push", "--lake", lake, "--data-dir", data_dir).returncode == 0
    forget(DataDirectory.of(other), "ada")
    assert run("pull", "--lake", lake, "--data-dir", other).returncode == 0
    with duckdb.connect(str(other / "warehouse.duckdb"), read_only=True) as connection:
        ((author,),) = connection.execute("SELECT author FROM raw.issues").fetchall()
    assert author.startswith("forgotten-")


def test_a_forgotten_person_leaves_the_files_of_the_lake(tmp_path: Path) -> None:
    data_dir, lake = tmp_path / "home", tmp_path / "lake"
    data_dir.mkdir()
    months = months_between("2020-01", "2020-12")
    with open_warehouse(data_dir / "warehouse.duckdb") as database:
        fill(database, {("owner/one", month): [ENTRY] for month in months})
        database.connection.execute("UPDATE raw.issues SET author = 'Ada' WHERE month = '2020-05'")
    assert run("push", "--lake", lake, "--data-dir", data_dir).returncode == 0
    forget(DataDirectory.of(data_dir), "ada")
    assert "1 months" in run("push", "--lake", lake, "--data-dir", data_dir).stdout
    assert "Ada" in authors(lake)
    assert run("optimize", "--lake", lake, "--retention-days", "0", "--purge").returncode == 0
    assert "Ada" in authors(lake)  # what came within a day may be of a push that goes on
    maintain(Lake.of(str(lake)), timedelta(0), timedelta(0), dead_share=0)
    left = authors(lake)
    assert "Ada" not in left and any(author.startswith("forgotten-") for author in left)


def authors(lake: Path) -> set[str]:
    """Those in any file of the lake, whether or not anybody reads it."""
    files = (lake / "raw" / "issues").rglob("*.parquet")
    tables = [pq.ParquetFile(file).read() for file in files if "_delta_log" not in file.parts]
    return {author for table in tables for author in table["author"].to_pylist() if author}


def test_a_lake_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    for command in ("status", "optimize", "pull"):
        data_dir = ("--data-dir", tmp_path / "home") if command == "pull" else ()
        ran = run(command, "--lake", tmp_path / "nothing", *data_dir)
        assert (ran.returncode, ran.stdout) == (2, "")
        assert "there is no lake yet" in ran.stderr
    assert run("status", "--lake", "gs://bucket/x").returncode == 2


WITHOUT = """
import sys
sys.modules["deltalake"] = None
from perf_assets.cli.commands import commands
commands(["lake", "status", "--lake", "/nowhere"])
"""


def test_without_the_library_it_is_said_how_to_have_it() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "pip install 'perf-assets[lake]'" in ran.stderr
    assert len(ran.stderr.splitlines()) == 1
