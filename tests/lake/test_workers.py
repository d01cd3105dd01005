"""Many workers ship at once: nothing is lost or doubled, and of two at one subject one wins."""

import time
from pathlib import Path

import pytest

from perf_assets.base.errors import TransientError
from perf_assets.lake.location import Lake
from perf_assets.lake.maintenance import sizes
from perf_assets.lake.pull import pull
from perf_assets.lake.push import push
from perf_assets.lake.releases import NAME, made_releases
from perf_assets.lake.snapshots import released
from tests.effort import IS_THOROUGH
from tests.lakes import ENTRY, State, assert_equal, fill, in_processes, memory

pytestmark = pytest.mark.slow

WORKERS = 4
SUBJECTS = [f"owner/name{number}" for number in range(40 if IS_THOROUGH else 4)]
SHIPS = 2
REFUSED = 3


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return Lake.of(str(tmp_path / "lake"))


def state_of(subject: str, version: int) -> State:
    entry = {**ENTRY, "title": f"{subject} {version}"}
    return {(subject, "2020-01"): [entry], (subject, "2020-02"): [ENTRY]}


def work(lake: Lake, subjects: list[str]) -> None:
    data_dir = memory()
    for version in range(SHIPS):
        known = data_dir.frame("FROM meta.build_state")
        fill(data_dir, {k: v for one in subjects for k, v in state_of(one, version).items()})
        data_dir.upsert("meta.build_state", known)
        for subject in subjects:
            push(data_dir, lake, subject)


def ship_once(lake: Lake, subject: str, title: str, begin: float) -> None:
    data_dir = memory()
    fill(data_dir, {(subject, "2020-01"): [{**ENTRY, "title": title}]})
    time.sleep(max(0.0, begin - time.time()))
    try:
        push(data_dir, lake, subject)
    except TransientError as error:
        assert "another worker released it" in str(error)
        raise SystemExit(REFUSED) from None


def test_many_workers_in_few_buckets_lose_nothing(lake: Lake) -> None:
    made_releases(lake, buckets=3)

    codes = in_processes(work, [(lake, SUBJECTS[worker::WORKERS]) for worker in range(WORKERS)])

    assert codes == [0] * WORKERS
    expected, found = memory(), memory()
    fill(expected, {k: v for one in SUBJECTS for k, v in state_of(one, SHIPS - 1).items()})
    pull(found, lake, SUBJECTS)
    assert_equal(expected, found)
    sums = {name: table.rows for name, table in released(lake).tables.items()}
    assert sums["raw.issues"] == 2 * len(SUBJECTS)
    # Every ship of every subject is one row and one commit for each month that it changed.
    releases = next(one for one in sizes(lake) if one.table == NAME)
    assert releases.stored == len(SUBJECTS) * (2 + SHIPS - 1)


def test_of_two_that_ship_one_subject_at_the_same_moment_one_is_refused(lake: Lake) -> None:
    made_releases(lake)
    rounds = 10 if IS_THOROUGH else 1
    for number in range(rounds):
        subject, begin = f"owner/round{number}", time.time() + 1.5
        titles = ["one", "other"]
        codes = in_processes(ship_once, [(lake, subject, title, begin) for title in titles])

        assert sorted(codes) == [0, REFUSED]
        data_dir = memory()
        pull(data_dir, lake, [subject])
        winner = data_dir.connection.execute("SELECT title FROM raw.issues").fetchall()
        assert winner == [(titles[codes.index(0)],)]
