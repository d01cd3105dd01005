"""A lake has one address key: a data directory with another key neither ships nor pulls."""

import json
import os
import shutil
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest
from deltalake import DeltaTable

from perf_assets.base.errors import PerfAssetsError
from perf_assets.config.data_directory import DataDirectory
from perf_assets.config.study import load_study
from perf_assets.lake import releases
from perf_assets.lake.location import Lake
from perf_assets.lake.maintenance import maintain
from perf_assets.lake.pull import pull
from perf_assets.lake.push import push
from perf_assets.lake.releases import NAME, made_releases
from perf_assets.stages.working import work
from perf_assets.storage.address_key import VARIABLE, address_key, fingerprint
from perf_assets.storage.warehouse import open_warehouse
from tests.lakes import (
    ENTRY,
    fill,
    in_processes,
    memory,
    push_as_older_version,
    study_with_lake,
    versions,
)
from tests.support import Prepared, Ran, perf_assets

pytestmark = pytest.mark.slow

ONE, TWO = "owner/one", "owner/two"
KEYS = {"first": "11" * 32, "second": "22" * 32}
REFUSED = 3


@pytest.fixture(autouse=True)
def no_key_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE)


@pytest.fixture
def url(tmp_path: Path) -> str:
    return str(tmp_path / "lake")


@pytest.fixture
def home(tmp_path: Path) -> Callable[..., DataDirectory]:
    """Makes a data directory with a subject, and with a key if its name has one."""

    def make(name: str, *subjects: str) -> DataDirectory:
        made = DataDirectory.of(tmp_path / name)
        if name in KEYS:
            made.address_key.write_text(KEYS[name])
        with open_warehouse(made.warehouse) as database:
            fill(database, {(subject, "2020-01"): [ENTRY] for subject in subjects})
        return made

    return make


def run(command: str, url: str, data_dir: DataDirectory, **changes: str) -> Ran:
    return perf_assets("lake", command, "--lake", url, "--data-dir", data_dir.path, **changes)


def description(url: str) -> str:
    return str(DeltaTable(f"{url}/lake/releases").metadata().description)


def subjects(data_dir: DataDirectory) -> list[str]:
    with duckdb.connect(str(data_dir.warehouse), read_only=True) as connection:
        rows = connection.execute("SELECT DISTINCT repository FROM raw.issues ORDER BY 1")
        return [name for (name,) in rows.fetchall()]


def refused(ran: Ran, *words: str) -> None:
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.startswith("Error: ")
    assert len(ran.stderr.strip().splitlines()) == 1
    for word in ("nothing was pushed or pulled", *words):
        assert word in ran.stderr
    assert not any(key in ran.stderr for key in KEYS.values())


def ship_without_key(url: str, data_dir: DataDirectory) -> Lake:
    lake = Lake.of(url)
    with open_warehouse(data_dir.warehouse) as database:
        push_as_older_version(database, lake, ONE)
    assert "address_key" not in description(url)
    return lake


def test_stores_fingerprint_in_lake_and_in_each_release(
    home: Callable[..., DataDirectory], url: str
) -> None:
    first = home("first", ONE)
    assert run("push", url, first).returncode == 0

    stored = fingerprint(bytes.fromhex(KEYS["first"]))
    assert json.loads(description(url))["address_key"] == stored
    shipped = DeltaTable(f"{url}/lake/releases").to_pyarrow_table()
    assert set(shipped["address_key"].to_pylist()) == {stored}
    files = [path.read_bytes() for path in Path(url).rglob("*") if path.is_file()]
    assert not any(KEYS["first"].encode() in file for file in files)


@pytest.mark.parametrize("command", ["push", "pull"])
def test_refuses_data_directory_with_another_key(
    home: Callable[..., DataDirectory], url: str, command: str
) -> None:
    first, second = home("first", ONE), home("second", TWO)
    assert run("push", url, first).returncode == 0
    before = versions(Lake.of(url))

    refused(run(command, url, second), url, str(second.address_key), "copy address.key", VARIABLE)

    assert versions(Lake.of(url)) == before
    assert subjects(second) == [TWO]


def test_names_the_variable_if_it_holds_another_key(
    home: Callable[..., DataDirectory], url: str
) -> None:
    first = home("first", ONE)
    assert run("push", url, first).returncode == 0
    ran = run("pull", url, first, **{VARIABLE: KEYS["second"]})
    refused(ran, f"{VARIABLE} does not hold the address key")


def test_data_directory_without_key_makes_none_to_pull(
    home: Callable[..., DataDirectory], url: str
) -> None:
    first, new = home("first", ONE), home("new")
    assert run("push", url, first).returncode == 0

    refused(run("pull", url, new), str(new.address_key), "copy address.key", VARIABLE)
    assert not new.address_key.exists()
    assert subjects(new) == []

    assert run("pull", url, new, **{VARIABLE: KEYS["first"]}).returncode == 0
    assert subjects(new) == [ONE]
    copied = home("copied")
    shutil.copyfile(first.address_key, copied.address_key)
    assert run("pull", url, copied).returncode == 0
    assert subjects(copied) == [ONE]


def test_worker_with_another_key_mines_nothing(
    home: Callable[..., DataDirectory], small: Prepared, tmp_path: Path
) -> None:
    study = load_study(study_with_lake(small, tmp_path))
    assert study.lake is not None
    repository = study.repositories[0]
    first, second, new = home("first", ONE), home("second"), home("new")
    assert run("push", study.lake.url, first).returncode == 0
    before = versions(Lake.of(study.lake.url))

    for data_dir in (second, new):
        with pytest.raises(PerfAssetsError, match="does not hold the address key") as error:
            work(study, data_dir, repository, ["2020-01"])
        # The key is that of the data directory that the worker works for.
        assert str(data_dir.path / "address.key") in str(error.value)
        assert not data_dir.worker(repository.name).warehouse.exists()
    assert not new.address_key.exists()
    assert versions(Lake.of(study.lake.url)) == before


def ship_at(data_dir: DataDirectory, url: str, subject: str, begin: float) -> None:
    os.environ.pop(VARIABLE, None)
    lake, database = Lake.of(url, data_dir), memory()
    fill(database, {(subject, "2020-01"): [ENTRY]})
    time.sleep(max(0.0, begin - time.time()))
    try:
        push(database, lake, subject)
    except PerfAssetsError as error:
        assert "does not hold the address key" in str(error)
        raise SystemExit(REFUSED) from None


def test_of_workers_that_make_a_lake_at_once_one_key_wins(
    home: Callable[..., DataDirectory], url: str
) -> None:
    homes = [home("first"), home("second"), home("new")]
    begin = time.time() + 2
    workers = [(homes[n % 3], url, f"owner/name{n}", begin) for n in range(6)]

    codes = in_processes(ship_at, workers)

    assert codes.count(0) == 2 and codes.count(REFUSED) == 4
    winner = homes[codes.index(0)]
    assert [n % 3 for n, code in enumerate(codes) if code == 0] == [homes.index(winner)] * 2
    stored = json.loads(description(url))["address_key"]
    assert stored == fingerprint(address_key(winner))


@pytest.mark.parametrize("is_there", [False, True])
def test_key_that_another_worker_stored_meanwhile_is_not_replaced(
    home: Callable[..., DataDirectory], url: str, monkeypatch: pytest.MonkeyPatch, is_there: bool
) -> None:
    first, second = (Lake.of(url, home(name)) for name in ("first", "second"))
    if is_there:  # without any release, and without a fingerprint
        made_releases(Lake.of(url))
    of_lake = releases.fingerprint_here

    def after_the_first(lake: Lake) -> str | None:
        monkeypatch.setattr(releases, "fingerprint_here", of_lake)
        made_releases(first)
        return of_lake(lake)

    monkeypatch.setattr(releases, "fingerprint_here", after_the_first)
    with pytest.raises(PerfAssetsError, match="does not hold the address key"):
        made_releases(second)
    assert made_releases(first).address_key == fingerprint(bytes.fromhex(KEYS["first"]))


def test_lake_of_an_older_version_gets_its_key_from_a_person(
    home: Callable[..., DataDirectory], url: str
) -> None:
    first, other, new = home("first", ONE), home("second", TWO), home("new")
    ship_without_key(url, first)
    before = versions(Lake.of(url))

    for command, data_dir in (("push", first), ("pull", new), ("push", other)):
        refused(run(command, url, data_dir), "an older perf-assets made this lake", VARIABLE)
    assert versions(Lake.of(url)) == before
    assert not new.address_key.exists()

    # Who states the key may pull; only a push stores it.
    assert run("pull", url, new, **{VARIABLE: KEYS["first"]}).returncode == 0
    assert versions(Lake.of(url)) == before
    assert run("push", url, first, **{VARIABLE: KEYS["first"]}).returncode == 0
    stored = fingerprint(bytes.fromhex(KEYS["first"]))
    assert json.loads(description(url))["address_key"] == stored
    assert "unchanged" in run("push", url, first).stdout
    refused(run("push", url, other), "does not hold the address key")
    with open_warehouse(first.warehouse) as database:
        fill(database, {(TWO, "2020-02"): [ENTRY]})
        assert push(database, Lake.of(url, first), TWO).commits
    table = DeltaTable(f"{url}/lake/releases").to_pyarrow_table()
    assert sorted(table["address_key"].to_pylist(), key=str) == [stored, None]


def test_lake_of_an_older_version_is_read_and_maintained(
    home: Callable[..., DataDirectory], url: str
) -> None:
    lake = ship_without_key(url, home("first", ONE))
    assert perf_assets("lake", "status", "--lake", url).returncode == 0
    assert NAME in [one.table for one in maintain(lake, small_files=1)]
    database = memory()
    pull(database, lake, [ONE])
    assert database.frame("FROM raw.issues").height == 1


@pytest.mark.parametrize("is_published", [False, True])
def test_refuses_rows_that_were_hashed_before_the_key_was_changed(
    home: Callable[..., DataDirectory], url: str, tmp_path: Path, is_published: bool
) -> None:
    first, second = home("first", ONE), home("second", TWO)
    assert run("push", url, first).returncode == 0
    if is_published:
        with open_warehouse(second.warehouse) as database:
            database.ensure("meta.about")
            known = fingerprint(address_key(second))
            database.connection.execute(
                "INSERT INTO meta.about VALUES ('database', 'address_key', ?, '')", [known]
            )
    else:
        assert run("push", str(tmp_path / "another"), second).returncode == 0
    shutil.copyfile(first.address_key, second.address_key)
    for command in ("push", "pull"):
        refused(run(command, url, second), str(second.warehouse), "in which nothing was mined")


def test_refuses_release_by_another_key_than_that_of_the_lake(
    home: Callable[..., DataDirectory], url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, new = home("first", ONE), home("new")
    forged = replace(made_releases(Lake.of(url, first)), address_key="0" * 16)
    with monkeypatch.context() as patch, open_warehouse(first.warehouse) as database:
        patch.setattr("perf_assets.lake.push.made_releases", lambda _: forged)
        push(database, Lake.of(url), ONE)
    ran = run("pull", url, new, **{VARIABLE: KEYS["first"]})
    assert ran.returncode == 2
    assert "several address keys" in ran.stderr
    assert subjects(new) == []
