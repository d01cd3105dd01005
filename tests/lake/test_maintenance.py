"""Maintenance drops what no longer counts and joins files; readers and writers do not notice."""

import threading
from datetime import timedelta
from pathlib import Path

import pyarrow as pa
import pytest

from perf_assets.lake import delta, maintenance
from perf_assets.lake.leases import leased
from perf_assets.lake.location import Lake
from perf_assets.lake.maintenance import Maintained, maintain, sizes
from perf_assets.lake.pull import pull
from perf_assets.lake.push import push
from perf_assets.lake.releases import NAME
from perf_assets.lake.snapshots import released
from perf_assets.lake.tables import lake_tables
from perf_assets.storage.warehouse import Database
from tests.lakes import ENTRY, REPOSITORIES, assert_equal, fill, memory

pytestmark = pytest.mark.slow

ONE, TWO = REPOSITORIES[:2]
NOTHING = timedelta(0)


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake.of(str(tmp_path / "lake"))


@pytest.fixture
def data_dir() -> Database:
    return memory()


def ship_versions(data_dir: Database, lake: Lake, number: int) -> None:
    """Ship so many states of a month, one after the other, beside a month that stays."""
    for version in range(number):
        known = data_dir.frame("FROM meta.build_state")
        title = {**ENTRY, "title": f"version {version}"}
        fill(
            data_dir,
            {(ONE, "2020-01"): [title], (ONE, "2020-02"): [ENTRY], (TWO, "2020-01"): [ENTRY]},
        )
        data_dir.upsert("meta.build_state", known)
        for subject in (ONE, TWO):
            push(data_dir, lake, subject)


def of_issues(done: list[Maintained]) -> Maintained:
    return next(one for one in done if one.table == "raw.issues")


def test_what_was_superseded_leaves_after_its_retention_and_the_rest_stays(
    data_dir: Database, lake: Lake
) -> None:
    ship_versions(data_dir, lake, 4)

    kept = of_issues(maintain(lake, dead_share=0))
    assert (kept.dropped, kept.deleted) == (0, 0)
    dropped = of_issues(maintain(lake, NOTHING, NOTHING, dead_share=0))
    assert dropped.dropped == 3
    assert dropped.deleted == 4  # those of the bucket that was written anew
    assert dropped.bytes_after < dropped.bytes_before

    assert {one.rows - one.stored for one in sizes(lake)} == {0}
    again = maintain(lake, NOTHING, NOTHING, dead_share=0)
    assert {(one.dropped, one.buckets, one.left, one.deleted) for one in again} == {(0, 0, 0, 0)}
    other = memory()
    pull(other, lake, [ONE, TWO])
    assert_equal(data_dir, other)
    assert push(data_dir, lake, ONE).commits == 0


def test_many_small_files_of_a_bucket_become_one(data_dir: Database, lake: Lake) -> None:
    ship_versions(data_dir, lake, 4)
    with leased(lake, ONE, "worker"):
        pass

    done = maintain(lake, small_files=3)

    assert of_issues(done).files_before == 5
    assert of_issues(done).files_after == 2
    assert next(one for one in done if one.table.startswith("lake.leases_")).files_after == 1
    assert next(one for one in done if one.table == NAME).files_after <= 2
    with leased(lake, ONE, "another"):
        pass
    other = memory()
    pull(other, lake, [ONE, TWO])
    assert_equal(data_dir, other)


def test_what_a_killed_worker_left_is_taken_away(data_dir: Database, lake: Lake) -> None:
    ship_versions(data_dir, lake, 1)
    issues = lake_tables()["raw.issues"]
    table = delta.needed(lake, issues.name)
    rows = pa.table(table.to_pyarrow_dataset().to_table()).slice(0, 1)
    orphan = rows.set_column(3, "lake_release", pa.array(["000000000001-00"])).cast(issues.schema)
    delta.append(table, orphan.to_batches(), issues.schema)
    half = Path(lake.table("raw.issues")) / "lake_bucket=3" / "half.parquet"
    half.parent.mkdir(exist_ok=True)
    half.write_bytes(b"PAR1 half")

    assert of_issues(maintain(lake, dead_share=0)).dropped == 1
    assert half.exists()  # not older than the retention
    assert of_issues(maintain(lake, NOTHING, NOTHING)).deleted == 3
    assert not half.exists()
    assert released(lake).tables["raw.issues"].rows == 3


def test_rows_of_a_ship_that_goes_on_are_left_alone(
    data_dir: Database, lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the rows of a ship and its release, maintenance runs."""
    from perf_assets.lake import push  # noqa: PLC0415

    ship_versions(data_dir, lake, 1)
    remember = push.remember

    def maintained(*arguments: object) -> None:
        maintain(lake, NOTHING, dead_share=0, small_files=2)
        remember(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(push, "remember", maintained)
    ship_versions(data_dir, lake, 3)

    other = memory()
    pull(other, lake, [ONE, TWO])
    assert_equal(data_dir, other)


@pytest.mark.exhaustive
def test_a_bucket_to_which_a_worker_ships_is_left_for_the_next_time(
    data_dir: Database, lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    ship_versions(data_dir, lake, 2)
    writer = memory()
    replace = delta.replace_bucket
    titles = iter(range(100))

    def beaten(*arguments: object) -> None:
        entry = {**ENTRY, "title": f"faster {next(titles)}"}
        known = writer.frame("FROM meta.build_state")
        fill(writer, {(ONE, "2020-01"): [entry]})
        writer.upsert("meta.build_state", known)
        push(writer, lake, ONE)
        replace(*arguments)  # type: ignore[arg-type]

    pull(writer, lake, [ONE])
    monkeypatch.setattr(maintenance.delta, "replace_bucket", beaten)
    done = of_issues(maintain(lake, NOTHING, NOTHING, dead_share=0))
    monkeypatch.undo()

    assert (done.left, done.dropped) == (1, 0)
    other = memory()
    pull(other, lake, [ONE])
    assert_equal(writer, other)


@pytest.mark.exhaustive
def test_a_snapshot_is_read_while_the_lake_is_maintained(data_dir: Database, lake: Lake) -> None:
    ship_versions(data_dir, lake, 2)
    snapshot = released(lake, ["raw.issues"]).tables["raw.issues"]
    maintain(lake, timedelta(hours=1), NOTHING, dead_share=0, small_files=2)
    ship_versions(data_dir, lake, 3)
    maintain(lake, timedelta(hours=1), NOTHING, dead_share=0, small_files=2)

    rows = data_dir.connection.execute(
        f"SELECT title FROM read_parquet({list(snapshot.files)!r}) WHERE title LIKE 'version%'"
    ).fetchall()
    assert ("version 1",) in rows


@pytest.mark.exhaustive
def test_a_lake_is_maintained_beside_a_writer(data_dir: Database, lake: Lake) -> None:
    ship_versions(data_dir, lake, 1)
    over = threading.Event()
    done: list[Maintained] = []

    def keep_maintaining() -> None:
        while not over.is_set():
            done.extend(maintain(lake, NOTHING, dead_share=0, small_files=2))

    thread = threading.Thread(target=keep_maintaining)
    thread.start()
    try:
        ship_versions(data_dir, lake, 6)
    finally:
        over.set()
        thread.join()

    assert done
    other = memory()
    pull(other, lake, [ONE, TWO])
    assert_equal(data_dir, other)
