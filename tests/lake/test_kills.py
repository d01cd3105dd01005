"""Whoever is killed whenever: readers see what was or what was to be, and again it ends right."""

import random
import shutil
import time
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path

import polars as pl
import pytest

from perf_assets.lake.location import Lake
from perf_assets.lake.maintenance import maintain, sizes
from perf_assets.lake.pull import pull
from perf_assets.lake.push import push
from perf_assets.lake.releases import NAME
from perf_assets.lake.snapshots import released
from perf_assets.storage.warehouse import Database, open_warehouse
from tests.effort import IS_THOROUGH, KILLS
from tests.lakes import (
    ENTRY,
    REPOSITORIES,
    State,
    begun,
    bring_data_dir,
    fill,
    memory,
    ship_data_dir,
    stored,
)

pytestmark = pytest.mark.slow

Tables = Mapping[str, pl.DataFrame]

SUBJECT = REPOSITORIES[0]
BEFORE: State = {(SUBJECT, month): [ENTRY] for month in ("2020-01", "2020-02")}
AFTER: State = {
    (SUBJECT, "2020-02"): [{**ENTRY, "title": "changed", "share": 0.2}],
    (SUBJECT, "2020-03"): [ENTRY, ENTRY],
}


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory that shipped what was before, and holds what comes after; and the lake."""
    root = tmp_path_factory.mktemp("prepared")
    (root / "home").mkdir()
    with open_warehouse(root / "home" / "warehouse.duckdb") as database:
        fill(database, BEFORE)
        push(database, Lake.of(str(root / "lake")), SUBJECT)
        changed(database, AFTER)
    return root


def changed(database: Database, state: State) -> None:
    """Hold another state, and still know what was shipped."""
    known = database.frame("FROM meta.build_state")
    fill(database, state)
    database.upsert("meta.build_state", known)


def copied(prepared: Path, directory: Path) -> tuple[Path, Lake]:
    shutil.rmtree(directory, ignore_errors=True)
    shutil.copytree(prepared, directory)
    return directory / "home", Lake.of(str(directory / "lake"))


def tables_of(state: State) -> Tables:
    database = memory()
    fill(database, state)
    return stored(database)


@pytest.fixture(scope="module")
def was() -> Tables:
    return tables_of(BEFORE)


@pytest.fixture(scope="module")
def will_be() -> Tables:
    return tables_of(AFTER)


@pytest.fixture(scope="module")
def reader() -> Database:
    return memory()


def is_one_of(database: Database, *tables: Tables) -> bool:
    rows = stored(database)
    return any(all(frame.equals(each[name]) for name, frame in rows.items()) for each in tables)


def assert_ends_as_if_undisturbed(
    data_dir: Path, lake: Lake, reader: Database, was: Tables, will_be: Tables
) -> None:
    pull(reader, lake, [SUBJECT])
    assert is_one_of(reader, was, will_be)
    released(lake)
    with open_warehouse(data_dir / "warehouse.duckdb") as database:
        push(database, lake, SUBJECT)
        assert push(database, lake, SUBJECT).commits == 0
    maintain(lake, timedelta(0), timedelta(0), dead_share=0)
    assert all(one.rows == one.stored for one in sizes(lake) if one.table != NAME)
    fill(reader, {})
    pull(reader, lake, [SUBJECT])
    assert is_one_of(reader, will_be)


def moments_of(act, *arguments: object, directory: Path) -> int:  # type: ignore[no-untyped-def]
    count = directory / "count"
    process = begun(act, *arguments, None, count)
    process.join(60)
    assert process.exitcode == 0
    return int(count.read_text())


def chosen(number: int, few: int) -> list[int]:
    every = list(range(1, number + 1))
    return every if IS_THOROUGH else sorted(random.Random(number).sample(every, few))


@pytest.mark.exhaustive
def test_a_ship_that_is_killed_between_two_commits(
    prepared: Path, tmp_path: Path, reader: Database, was: Tables, will_be: Tables
) -> None:
    data_dir, lake = copied(prepared, tmp_path / "counted")
    number = moments_of(ship_data_dir, data_dir, lake, SUBJECT, directory=tmp_path)
    assert (
        number == 2 * (4 + 1) + 2 * 2
    )  # four tables, the release, and two rows in the data directory
    for moment in chosen(number, few=1):
        data_dir, lake = copied(prepared, tmp_path / "killed")
        process = begun(ship_data_dir, data_dir, lake, SUBJECT, moment, None)
        process.join(60)
        assert process.exitcode == -9
        assert_ends_as_if_undisturbed(data_dir, lake, reader, was, will_be)


@pytest.mark.exhaustive
def test_a_ship_that_is_killed_at_any_moment(
    prepared: Path, tmp_path: Path, reader: Database, was: Tables, will_be: Tables
) -> None:
    data_dir, lake = copied(prepared, tmp_path / "timed")
    began = time.monotonic()
    begun(ship_data_dir, data_dir, lake, SUBJECT, None, tmp_path / "count").join(60)
    seconds, chance, hits = time.monotonic() - began, random.Random(0), 0
    for _ in range(20 * KILLS):
        data_dir, lake = copied(prepared, tmp_path / "killed")
        process = begun(ship_data_dir, data_dir, lake, SUBJECT, None, None)
        time.sleep(chance.uniform(seconds / 4, seconds))
        process.kill()
        process.join()
        hits += process.exitcode == -9
        assert_ends_as_if_undisturbed(data_dir, lake, reader, was, will_be)
        if hits == 3 * KILLS:
            return
    raise AssertionError(f"only {hits} kills hit")


@pytest.mark.exhaustive
def test_a_data_directory_that_is_killed_while_it_is_brought_up_to_date(
    prepared: Path, tmp_path: Path, was: Tables, will_be: Tables
) -> None:
    def begin() -> tuple[Path, Lake]:
        data_dir, lake = copied(prepared, tmp_path / "killed")
        with open_warehouse(data_dir / "warehouse.duckdb") as database:
            push(database, lake, SUBJECT)
            fill(database, BEFORE)
        return data_dir, lake

    data_dir, lake = begin()
    number = moments_of(bring_data_dir, data_dir, lake, [SUBJECT], directory=tmp_path)
    for moment in chosen(number, few=1):
        data_dir, lake = begin()
        process = begun(bring_data_dir, data_dir, lake, [SUBJECT], moment, None)
        process.join(60)
        assert process.exitcode == -9
        with open_warehouse(data_dir / "warehouse.duckdb") as database:
            assert is_one_of(database, was, will_be)
            pull(database, lake, [SUBJECT])
            assert is_one_of(database, will_be)
