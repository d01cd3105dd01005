"""Damage to a data directory is found, named with its remedy, and mended without a loss."""

import os
import random
import re
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from perf_assets.config.data_directory import DataDirectory
from perf_assets.stages.health import find_damage, repair
from perf_assets.storage.publishing import publish
from perf_assets.storage.warehouse import open_warehouse
from tests.effort import some
from tests.model_database import insert
from tests.rows import verdict
from tests.support import Prepared, assert_same_tables, materialize, perf_assets, stored_tables

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("trusting_auditor")]


def cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def emptied(path: Path) -> None:
    os.truncate(path, 0)


def zeroed(path: Path) -> None:
    path.write_bytes(bytes(path.stat().st_size))


def random_bytes(path: Path) -> None:
    path.write_bytes(random.Random(1).randbytes(path.stat().st_size))


def sprinkled(path: Path) -> None:
    """A byte changed in each block of data: no header shows it."""
    content = bytearray(path.read_bytes())
    content[12288 + 4000 :: 262_144] = bytes(len(content[12288 + 4000 :: 262_144]))
    content[-100_000::5000] = b"\xff" * len(content[-100_000::5000])
    path.write_bytes(content)


DAMAGES = (sprinkled, cut, emptied, zeroed, random_bytes)


@pytest.fixture(scope="session")
def reviewed(once: Callable[..., Path], small: Prepared) -> Path:
    """A data directory with a verdict, published; not to be changed."""

    def fill(directory: Path) -> None:
        found = DataDirectory.of(shutil.copytree(small.data_dir, directory))
        with open_warehouse(found.warehouse) as database:
            row = verdict(1, "Ann", 1, "yes") | {"file": "a.csv", "imported_at": "2026-01-01"}
            insert(database.connection, "reviews.verdicts", [row])
        publish(found)

    return once("reviewed", fill)


@pytest.fixture
def data_dir(reviewed: Path, tmp_path: Path) -> DataDirectory:
    """A data directory with a verdict, published, that a test may damage."""
    return DataDirectory.of(shutil.copytree(reviewed, tmp_path / "home"))


def damages(data_dir: DataDirectory) -> list[str]:
    return [str(damage) for damage in find_damage(data_dir)]


def test_a_sound_data_directory_has_none(data_dir: DataDirectory) -> None:
    assert damages(data_dir) == []
    done = perf_assets("doctor", "--repair", "--data-dir", data_dir.path)
    progress = rf"(\d\d:\d\d:\d\d mending {re.escape(str(data_dir.path))}: \d+ s so far\n)*"
    said = f"{data_dir.path}: nothing is damaged.\n"
    assert (done.returncode, re.sub(f"^{progress}", "", done.stdout)) == (0, said)


# Of the kinds of damage, one that the header shows and one that it does not.
@pytest.mark.parametrize("damage", some(*DAMAGES, few=2))
def test_a_damaged_warehouse_is_named_with_its_remedy_and_what_was_published_takes_its_place(
    data_dir: DataDirectory, damage: Callable[[Path], None], small: Prepared
) -> None:
    before = stored_tables(data_dir.published)
    damage(data_dir.warehouse)
    for command in (("status",), ("run", "--study", small.study)):
        done = perf_assets(*command, "--data-dir", data_dir.path)
        assert done.returncode == 2
        assert "doctor --repair" in done.stderr and "restore FILE" in done.stderr
        assert "Traceback" not in done.stderr
    doctor = perf_assets("doctor", "--data-dir", data_dir.path, "--study", small.study)
    assert doctor.returncode == 2
    assert f"{data_dir.warehouse} is damaged" in doctor.stdout
    mended = perf_assets("doctor", "--repair", "--data-dir", data_dir.path)
    assert mended.returncode == 0, mended.stdout
    assert_same_tables(stored_tables(data_dir.warehouse), before)
    assert damages(data_dir) == []
    materialize(small.study, data_dir.path)
    assert stored_tables(data_dir.published)["reviews.verdicts"].height == 1


def test_a_warehouse_that_was_deleted_is_again_what_was_published(
    data_dir: DataDirectory, small: Prepared
) -> None:
    before = stored_tables(data_dir.published)
    data_dir.warehouse.unlink()
    (found,) = damages(data_dir)
    assert found == f"{data_dir.warehouse} is missing: the published copy replaces it"
    materialize(small.study, data_dir.path)
    after = stored_tables(data_dir.published)
    assert_same_tables(
        {name: rows for name, rows in after.items() if name.startswith(("raw.", "reviews."))},
        {name: rows for name, rows in before.items() if name.startswith(("raw.", "reviews."))},
    )


@pytest.mark.exhaustive
def test_where_both_databases_are_damaged_people_s_verdicts_are_still_there(
    data_dir: DataDirectory, small: Prepared
) -> None:
    cut(data_dir.warehouse)
    zeroed(data_dir.published)
    assert len(damages(data_dir)) == 2
    list(repair(data_dir))
    materialize(small.study, data_dir.path)
    assert stored_tables(data_dir.published)["reviews.verdicts"]["rater"].to_list() == ["Ann"]
    assert len(list((data_dir.path / "replaced").glob("*/*.duckdb"))) == 2


@pytest.mark.parametrize("damage", some(*DAMAGES, few=2))
def test_a_damaged_published_file_is_published_again(
    data_dir: DataDirectory, damage: Callable[[Path], None]
) -> None:
    before = stored_tables(data_dir.published)
    damage(data_dir.published)
    (found,) = damages(data_dir)
    assert "published anew" in found
    list(repair(data_dir))
    assert_same_tables(stored_tables(data_dir.published), before)


def test_a_damaged_line_of_verdicts_is_written_again(data_dir: DataDirectory) -> None:
    data_dir.verdicts.write_bytes(
        data_dir.verdicts.read_bytes() + b'{"sha256": "0", "verdicts": []}\n'
    )
    (found,) = damages(data_dir)
    assert f"{data_dir.verdicts} is damaged (line 2)" in found
    list(repair(data_dir))
    assert damages(data_dir) == []


def test_a_record_of_several_versions_is_moved_aside(data_dir: DataDirectory) -> None:
    """What two processes made at once, or one whose disk was full, and Dagster opens no more."""
    data_dir.dagster.mkdir(exist_ok=True)
    path = data_dir.dagster / "schedules.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE alembic_version (version_num TEXT)")
        connection.execute("INSERT INTO alembic_version VALUES ('a')")
    assert list(find_damage(data_dir)) == []
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("INSERT INTO alembic_version VALUES ('b')")
    ((damage, why_not),) = repair(data_dir)
    assert "of several versions" in damage.what
    assert why_not is None
    assert not path.exists()


def test_dagster_s_own_files_are_moved_aside(data_dir: DataDirectory) -> None:
    (data_dir.dagster / "history").mkdir(parents=True)
    (data_dir.dagster / "history" / "runs.db").write_bytes(
        b"no database, and longer than a header" * 9
    )
    (data_dir.dagster / "dagster.yaml").write_text("a: [", encoding="utf-8")
    assert len(damages(data_dir)) == 2
    assert all(why is None for _, why in repair(data_dir))
    assert damages(data_dir) == []
    assert not (data_dir.dagster / "history" / "runs.db").exists()


def test_a_damaged_clone_is_moved_aside_and_cloned_again(
    data_dir: DataDirectory, small: Prepared
) -> None:
    (clone,) = (data_dir.path / "clones").glob("*.git")
    shutil.rmtree(clone / "objects")
    (clone / "objects").mkdir()
    assert [f"{clone} is damaged" in found for found in damages(data_dir)] == [True]
    list(repair(data_dir))
    materialize(small.study, data_dir.path)
    assert damages(data_dir) == []
