"""Forgetting a person: gone from every table, file, backup and restore, and kept out afterwards."""

import shutil
from pathlib import Path

import duckdb
import pytest

from perf_assets.storage.backups import write_backup
from perf_assets.storage.data_directory import DataDirectory
from perf_assets.storage.restoring import restore
from perf_assets.storage.warehouse import open_warehouse
from tests.model_database import insert
from tests.rows import verdict
from tests.support import Prepared, materialize, perf_assets

pytestmark = pytest.mark.slow

LOGIN = "dev0003"
COUNTS = """
    SELECT (SELECT sum(comments) FROM marts.bug_metrics),
        (SELECT sum(commentators) FROM marts.bug_metrics),
        (SELECT count(DISTINCT person) FROM marts.bug_fixers),
        (SELECT count(DISTINCT author) FROM raw.issue_comments),
        (SELECT count(*) FROM raw.commits)
"""


def answer(path: Path, query: str) -> list[tuple[object, ...]]:
    with duckdb.connect(str(path), read_only=True) as connection:
        return connection.sql(query).fetchall()


def assert_nowhere(directory: DataDirectory) -> None:
    stored = [directory.warehouse, directory.published, directory.verdicts, directory.forgotten]
    for path in stored:
        if path.exists():
            assert LOGIN.encode() not in path.read_bytes().lower(), path


def test_a_person_is_gone_and_all_counts_stay_and_reading_again_changes_nothing(
    sampled: Prepared, tmp_path: Path
) -> None:
    directory = DataDirectory.of(shutil.copytree(sampled.data_dir, tmp_path / "home"))
    with open_warehouse(directory.warehouse) as database:
        insert(database.connection, "reviews.verdicts", [verdict(1, LOGIN, 1, "yes")])
    before = answer(directory.published, COUNTS)
    write_backup(directory, tmp_path / "before.zip")
    done = perf_assets("forget", LOGIN.upper(), "--yes", "--data-dir", directory.path)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"{LOGIN.upper()} is forgotten" in done.stdout
    assert_nowhere(directory)
    assert answer(directory.published, COUNTS) == before
    assert answer(directory.published, "SELECT count(*) FROM reviews.verdicts") == [(1,)]
    again = perf_assets("forget", LOGIN, "--yes", "--data-dir", directory.path)
    assert "0 values of 0 tables" in again.stdout

    with open_warehouse(directory.warehouse) as database:  # all is read again
        for table in ("raw.issues", "raw.issue_comments", "raw.issue_events", "raw.commits"):
            database.connection.execute(f"DELETE FROM {table}")
        database.connection.execute("DELETE FROM meta.partition_loads")
        database.connection.execute("DELETE FROM meta.watermarks")
    materialize(sampled.study, directory.path)
    assert_nowhere(directory)
    assert answer(directory.published, COUNTS) == before

    write_backup(directory, tmp_path / "after.zip")
    other = DataDirectory.of(tmp_path / "other")
    restore(other, tmp_path / "after.zip")
    assert_nowhere(other)
    assert other.forgotten.read_bytes() == directory.forgotten.read_bytes()
    restore(directory, tmp_path / "before.zip")
    assert_nowhere(directory)
    assert answer(directory.published, COUNTS) == before


@pytest.mark.parametrize("login", ["", "a b", "ada@x.org", "x" * 99])
def test_what_is_no_login_changes_nothing(tmp_path: Path, login: str) -> None:
    done = perf_assets("forget", login, "--yes", "--data-dir", tmp_path)
    assert done.returncode == 2
    assert "is needed here" in done.stderr
    assert not list(tmp_path.iterdir())


def test_nothing_is_forgotten_without_a_yes(tmp_path: Path) -> None:
    done = perf_assets("forget", "ada", "--data-dir", tmp_path)
    assert done.returncode == 2
    assert "--yes" in done.stderr
    assert not list(tmp_path.iterdir())


def test_a_damaged_list_of_who_is_forgotten_stops_whatever_would_store(tmp_path: Path) -> None:
    directory = DataDirectory.of(tmp_path)
    directory.forgotten.write_text("{")
    done = perf_assets("forget", "ada", "--yes", "--data-dir", tmp_path)
    assert done.returncode == 2
    assert "who is forgotten, and cannot be read" in done.stderr
