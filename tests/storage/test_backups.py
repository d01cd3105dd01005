"""Backups: one file, checked whole, taken and brought back without a loss."""

import hashlib
import json
import shutil
import sqlite3
import subprocess
import sys
import zipfile
from contextlib import closing
from pathlib import Path

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perf_assets.base.errors import PerfAssetsError
from perf_assets.config.data_directory import DataDirectory
from perf_assets.storage.backups import MANIFEST, open_backup, write_backup
from perf_assets.storage.migrations import FORMAT
from perf_assets.storage.restoring import restore
from perf_assets.storage.warehouse import open_warehouse
from tests.model_database import insert
from tests.paths import ROOT
from tests.rows import verdict
from tests.support import Prepared, assert_same_tables, environment, perf_assets, stored_tables

pytestmark = pytest.mark.slow

WRITER = """
import sys, time
from pathlib import Path
from perf_assets.storage.warehouse import open_warehouse
with open_warehouse(Path(sys.argv[1])) as database:
    print("ready", flush=True)
    for beat in range(100_000):
        with database.transaction():
            for month in ("2020-01", "2020-02"):
                database.connection.execute(
                    "INSERT INTO meta.full_refreshes VALUES (?, ?, now())", [f"a/{beat}", month]
                )
        if beat % 7 == 0:
            database.connection.execute("CHECKPOINT")
        time.sleep(0.15 if beat % 5 else 0.3)
"""


@pytest.fixture
def directory(data_dir: Path) -> DataDirectory:
    return DataDirectory.of(data_dir)


def test_what_is_brought_back_is_what_was_stored(directory: DataDirectory, tmp_path: Path) -> None:
    before = stored_tables(directory.warehouse)
    made = perf_assets("backup", tmp_path / "kept.zip", "--data-dir", directory.path)
    assert (made.returncode, made.stderr) == (0, "")
    with open_warehouse(directory.warehouse) as database:
        database.connection.execute("DELETE FROM raw.issues")
    done = perf_assets("restore", tmp_path / "kept.zip", "--data-dir", directory.path)
    assert (done.returncode, done.stderr) == (0, "")
    assert_same_tables(stored_tables(directory.warehouse), before)
    assert_same_tables(stored_tables(directory.published), before)
    (replaced,) = (directory.path / "replaced").glob("*/warehouse.duckdb")
    assert stored_tables(replaced)["raw.issues"].is_empty()


def test_a_new_data_directory_is_made_of_it(directory: DataDirectory, tmp_path: Path) -> None:
    write_backup(directory, tmp_path / "kept.zip")
    other = DataDirectory.of(tmp_path / "other")
    manifest, replaced = restore(other, tmp_path / "kept.zip")
    assert (manifest.format, manifest.taken_of, replaced) == (FORMAT, "warehouse", None)
    assert_same_tables(stored_tables(other.warehouse), stored_tables(directory.warehouse))


def test_it_is_taken_of_one_moment_while_another_process_writes(
    directory: DataDirectory, tmp_path: Path
) -> None:
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(directory.warehouse)],
        stdout=subprocess.PIPE,
        env=environment(PYTHONPATH=str(ROOT)),
    )
    try:
        assert writer.stdout is not None
        writer.stdout.readline()
        for number in range(3):
            path = tmp_path / f"{number}.zip"
            assert write_backup(directory, path).taken_of == "warehouse"
            restored = DataDirectory.of(tmp_path / str(number))
            restore(restored, path)
            with duckdb.connect(str(restored.warehouse), read_only=True) as connection:
                uneven = connection.execute(
                    "SELECT repository FROM meta.full_refreshes WHERE repository LIKE 'a/%' "
                    "GROUP BY ALL HAVING count(*) <> 2"
                ).fetchall()
            assert uneven == []
        assert writer.poll() is None
    finally:
        writer.kill()
        writer.communicate()


def test_where_a_run_never_rests_what_was_published_is_kept(
    directory: DataDirectory, tmp_path: Path
) -> None:
    assert write_backup(directory, tmp_path / "a.zip", longest_wait=0).taken_of == "published"
    directory.published.unlink()
    with pytest.raises(PerfAssetsError, match="without a rest, and nothing is published yet"):
        write_backup(directory, tmp_path / "b.zip", longest_wait=0)
    assert sorted(path.name for path in tmp_path.glob("*.zip*")) == ["a.zip"]


def test_verdicts_that_came_later_stay(directory: DataDirectory, tmp_path: Path) -> None:
    write_backup(directory, tmp_path / "kept.zip")
    with open_warehouse(directory.warehouse) as database:
        later = verdict(1, "Ann", 1, "yes") | {"file": "a.csv", "imported_at": "2026-01-01"}
        insert(database.connection, "reviews.verdicts", [later])
    restore(directory, tmp_path / "kept.zip")
    assert stored_tables(directory.published)["reviews.verdicts"]["rater"].to_list() == ["Ann"]


@settings(max_examples=30)
@given(position=st.floats(0, 1), byte=st.integers(0, 255))
def test_a_changed_byte_never_gives_another_content(
    tmp_path_factory: pytest.TempPathFactory, backup: Path, position: float, byte: int
) -> None:
    content = bytearray(backup.read_bytes())
    content[int(position * (len(content) - 1))] = byte
    changed = tmp_path_factory.mktemp("changed") / "kept.zip"
    changed.write_bytes(content)
    try:
        with open_backup(changed) as (_, read), open_backup(backup) as (_, kept):
            assert read.sha256 == kept.sha256
    except PerfAssetsError as error:
        assert "\n" not in str(error)


@pytest.fixture(scope="module")
def backup(small: Prepared, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("backup") / "kept.zip"
    write_backup(DataDirectory.of(small.data_dir), path)
    return path


def test_what_is_not_a_backup_is_refused_and_nothing_changes(
    directory: DataDirectory, backup: Path, tmp_path: Path
) -> None:
    before = directory.warehouse.read_bytes()
    text = tmp_path / "text.zip"
    text.write_text("no archive", encoding="utf-8")
    archive = tmp_path / "archive.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("a", "b")
    newer, this = tmp_path / "newer.zip", f'"format": {FORMAT}'.encode()
    with zipfile.ZipFile(backup) as old, zipfile.ZipFile(newer, "w") as file:
        for name in old.namelist():
            file.writestr(name, old.read(name).replace(this, b'"format": 99'))
    bare, other = tmp_path / "bare.zip", tmp_path / "other.zip"
    with zipfile.ZipFile(backup) as old:
        manifest = json.loads(old.read(MANIFEST))
    with zipfile.ZipFile(bare, "w") as file:
        file.writestr(MANIFEST, json.dumps(manifest | {"sha256": {}}))
    with zipfile.ZipFile(other, "w") as file:
        file.writestr("warehouse.duckdb", "no database")
        sums = {"warehouse.duckdb": hashlib.sha256(b"no database").hexdigest()}
        file.writestr(MANIFEST, json.dumps(manifest | {"sha256": sums}))
    wrong = []
    for number, (key, value) in enumerate(
        [("format", "8"), ("sha256", ["a"]), ("rows", 7), ("perf_assets", None)]
    ):
        wrong.append(tmp_path / f"wrong{number}.zip")
        with zipfile.ZipFile(wrong[-1], "w") as file:
            file.writestr(MANIFEST, json.dumps(manifest | {key: value}))
    for path, message in (
        *((path, "is not a backup of perf-assets: it has no backup.json") for path in wrong),
        (bare, "it has no warehouse"),
        (other, "the warehouse in it cannot be read"),
        (text, "is not a zip file: name one, or take another copy"),
        (archive, "is not a backup of perf-assets"),
        (tmp_path / "none.zip", "there is no such file; name an existing zip file"),
        (newer, "was taken by a newer perf-assets"),
    ):
        done = perf_assets("restore", path, "--data-dir", directory.path)
        assert done.returncode == 2
        assert message in done.stderr
        assert done.stderr.count("\n") == 1
    assert directory.warehouse.read_bytes() == before


def test_a_file_that_is_not_a_backup_is_never_replaced(directory: DataDirectory) -> None:
    done = perf_assets("backup", directory.published, "--data-dir", directory.path)
    assert done.returncode == 2
    assert "is not a backup of perf-assets: choose another name" in done.stderr


def test_files_of_people_are_brought_back_where_they_are_gone(
    directory: DataDirectory, tmp_path: Path
) -> None:
    directory.added.write_text("[]\n")
    directory.model.write_bytes(b"a model")
    answers = directory.review_answers
    answers.parent.mkdir()
    with closing(sqlite3.connect(answers)) as connection, connection:
        connection.execute("PRAGMA journal_mode = wal")
        connection.execute("CREATE TABLE answers (answer)")
        connection.execute("INSERT INTO answers VALUES ('kept')")
    write_backup(directory, tmp_path / "kept.zip")
    assert [one.name for one in tmp_path.glob("*kept*")] == ["kept.zip"]
    files = {path: path.read_bytes() for path in (directory.added, directory.model)}
    with closing(sqlite3.connect(answers)) as connection:
        with connection:
            connection.execute("UPDATE answers SET answer = 'gone'")
        # As after a kill: what was changed is in the journal, whose database goes.
        for path in (*files, answers):
            path.unlink()
        shutil.copytree(answers.parent, tmp_path / "left")
    shutil.copytree(tmp_path / "left", answers.parent, dirs_exist_ok=True)
    assert [one.name for one in answers.parent.glob("*-wal")] == ["review.sqlite-wal"]
    restore(directory, tmp_path / "kept.zip")
    assert {path: path.read_bytes() for path in files} == files
    with closing(sqlite3.connect(answers)) as connection:
        assert connection.execute("SELECT * FROM answers").fetchall() == [("kept",)]
