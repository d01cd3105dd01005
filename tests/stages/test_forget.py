"""Forgetting a person: gone from every table, file, backup and restore, and kept out afterwards."""

import shutil
from pathlib import Path

import duckdb
import pytest

from perf_assets.base.errors import PerfAssetsError
from perf_assets.config.data_directory import DataDirectory
from perf_assets.core.people.addresses import hashed_address
from perf_assets.storage.address_key import VARIABLE, address_key
from perf_assets.storage.backups import write_backup
from perf_assets.storage.forgetting import forget
from perf_assets.storage.forgotten import read_forgotten
from perf_assets.storage.restoring import restore
from perf_assets.storage.warehouse import open_warehouse
from tests.model_database import insert
from tests.rows import comment, commit, verdict
from tests.support import Prepared, materialize, perf_assets

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("trusting_auditor")]

LOGIN = "dev0001"
LOGINS = ("Ada", "ada", "bob")
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
    small: Prepared, tmp_path: Path
) -> None:
    directory = DataDirectory.of(shutil.copytree(small.data_dir, tmp_path / "home"))
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
    materialize(small.study, directory.path)
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
def test_text_that_is_not_a_login_changes_nothing(tmp_path: Path, login: str) -> None:
    done = perf_assets("forget", login, "--yes", "--data-dir", tmp_path)
    assert done.returncode == 2
    assert "is needed here" in done.stderr
    assert not list(tmp_path.iterdir())


def test_nothing_is_forgotten_without_a_yes(tmp_path: Path) -> None:
    done = perf_assets("forget", "ada", "--data-dir", tmp_path)
    assert done.returncode == 2
    assert "--yes" in done.stderr
    assert not list(tmp_path.iterdir())


def test_a_damaged_list_of_forgotten_people_stops_every_writer(tmp_path: Path) -> None:
    directory = DataDirectory.of(tmp_path)
    directory.forgotten.write_text("{")
    done = perf_assets("forget", "ada", "--yes", "--data-dir", tmp_path)
    assert done.returncode == 2
    assert "who is forgotten, and cannot be read" in done.stderr


def test_workers_forget_by_the_same_names_whatever_the_case_and_so_does_what_was_refused(
    tmp_path: Path,
) -> None:
    home = DataDirectory.of(tmp_path / "home")
    worker = home.worker("owner/name")
    by = {"author_name": "Ada L.", "author_email": hashed_address("a@x.org", address_key(home))}
    made = commit("a", "2020-01-09T00:00:00Z", 1, 0) | by
    for each in (home, worker):
        with open_warehouse(each.warehouse) as database:
            rows = [comment(1, id_, "2020-01-09T00:00:00Z", who) for id_, who in enumerate(LOGINS)]
            insert(database.connection, "raw.issue_comments", rows)
            insert(database.connection, "raw.commits", [made])
    home.quarantine.mkdir()
    (home.quarantine / "candidate.parquet").write_bytes(b"ada")
    addresses, changed = forget(home, "ada", ["A@x.org"])
    assert (addresses, changed) == (1, {"raw.issue_comments": 4, "raw.commits": 2})
    forgotten = read_forgotten(worker)
    assert forgotten is not None
    assert forgotten.name("ada l.") is None
    for each in (home, worker):
        authors = answer(each.warehouse, "SELECT author FROM raw.issue_comments ORDER BY ALL")
        assert authors == [("bob",), *[(forgotten.login("ada"),)] * 2]
        columns = "author_name, author_email"
        (found,) = answer(each.warehouse, f"SELECT {columns} FROM raw.commits")
        assert found == (None, forgotten.email("a@x.org"))
    assert not home.quarantine.exists()
    assert not list(worker.path.glob("*.key"))


def test_what_was_replaced_leaves_the_file_though_it_was_killed_before(tmp_path: Path) -> None:
    directory = DataDirectory.of(tmp_path)
    with open_warehouse(directory.warehouse) as database:
        row = comment(1, 1, "2020-01-09T00:00:00Z", "ada-of-old")
        insert(database.connection, "raw.issue_comments", [row])
        database.connection.execute("CHECKPOINT")
        database.connection.execute("UPDATE raw.issue_comments SET author = 'somebody'")
    assert b"ada-of-old" in directory.warehouse.read_bytes()
    # Of a killed process, whose number another one has by now.
    left = [
        directory.path / f".{name}.1-0.new" for name in ("warehouse.duckdb", "perf_bugs.duckdb")
    ]
    for path in left:
        path.write_bytes(b"ada-of-old")
    forget(directory, "ada-of-old")
    assert b"ada-of-old" not in directory.warehouse.read_bytes()
    assert [path for path in left if path.exists()] == []


def test_people_forgotten_under_another_key_are_reported_and_not_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = DataDirectory.of(tmp_path)
    forget(directory, "ada")
    monkeypatch.setenv(VARIABLE, "cd" * 32)
    with pytest.raises(PerfAssetsError, match="another key of addresses"):
        read_forgotten(directory)
