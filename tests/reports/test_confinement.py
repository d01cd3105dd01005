"""What a stranger's SQL can reach from the published database: nothing but its rows."""

import multiprocessing
import shutil
from pathlib import Path

import duckdb
import pytest

from perf_assets.config.data_directory import DataDirectory
from perf_assets.reports.query_runner import published_database
from perf_assets.storage.warehouse import open_warehouse
from tests.hostile_sql import SECRET, attacks


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
