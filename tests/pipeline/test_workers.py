"""Repositories mined by workers, through a lake: the tables of one machine, whoever dies."""

import os
import shutil
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path

import dagster as dg
import duckdb
import psutil
import pytest

from perf_assets.base.errors import PerfAssetsError
from perf_assets.config.data_directory import DataDirectory
from perf_assets.config.study import load_study
from perf_assets.dagster_app.definitions import build_definitions
from perf_assets.dagster_app.execution import run_study
from perf_assets.dagster_app.jobs import BUILD_MODELS
from perf_assets.lake.leases import leased
from perf_assets.lake.location import Lake
from perf_assets.lake.releases import releases_of
from tests.engines.servers import sail
from tests.multi_repository import fleet_study, generate_fleet, name_of
from tests.plain_pipeline import run_pipeline
from tests.support import assert_same_tables, perf_assets, perf_assets_process, stored_tables

COUNT = 3
OWN = (
    "meta.build_state"  # by what each data directory decided; nothing follows from it but less work
)


@pytest.fixture(scope="module")
def fleet(once: Callable[..., Path]) -> Path:
    """Three small repositories and their study."""

    def fill(directory: Path) -> None:
        directory.mkdir()
        generate_fleet(directory, COUNT, ((24, 20), (10, 12)), months=3)
        fleet_study(directory, COUNT)

    return once("fleet", fill)


@pytest.fixture(scope="module")
def mined(once: Callable[..., Path], fleet: Path) -> Path:
    """The data directory of one machine that mined them."""

    def fill(directory: Path) -> None:
        assert run_pipeline(load_study(fleet / "study.toml"), DataDirectory.of(directory)) == []

    return once("mined", fill)


@pytest.fixture
def study(fleet: Path, tmp_path: Path) -> Path:
    """The study of them, with a lake of its own."""
    path = fleet_study(fleet, COUNT, f"{tmp_path.name}.toml", f'url = "file://{tmp_path}/lake"')
    return path.rename(tmp_path / "study.toml")


def assert_as_on_one_machine(mined: Path, data_dir: DataDirectory) -> None:
    one, several = stored_tables(mined / "perf_bugs.duckdb"), stored_tables(data_dir.published)
    assert_same_tables(
        {name: rows for name, rows in one.items() if name != OWN},
        {name: rows for name, rows in several.items() if name != OWN},
    )


def months_in(lake: Lake) -> dict[str, object]:
    """Which release each month of each repository is of; looks at sources are of no month."""
    releases = releases_of(lake)
    assert releases is not None
    with duckdb.connect() as connection:
        held = {one: releases.of(connection, one).months for one in map(name_of, range(COUNT))}
    return {name: {one: months[one] for one in months if one} for name, months in held.items()}


@pytest.mark.exhaustive
def test_workers_and_a_lake_give_the_tables_of_one_machine(
    mined: Path, study: Path, tmp_path: Path
) -> None:
    data_dir, lake = DataDirectory.of(tmp_path / "home"), Lake.of(f"file://{tmp_path}/lake")
    assert run_study(load_study(study), data_dir, workers=2) == []
    assert_as_on_one_machine(mined, data_dir)
    shipped = months_in(lake)
    # Homes of workers need not last: they are restored, and nothing is shipped again.
    shutil.rmtree(data_dir.path / "workers")
    assert run_study(load_study(study), data_dir, workers=1) == []
    assert_as_on_one_machine(mined, data_dir)
    assert months_in(lake) == shipped


@pytest.mark.exhaustive
def test_spark_computes_the_same_in_a_data_directory_that_never_had_the_rows(
    study: Path, tmp_path: Path
) -> None:
    given = load_study(study)
    data_dir, far = DataDirectory.of(tmp_path / "home"), DataDirectory.of(tmp_path / "elsewhere")
    assert run_study(given, data_dir, workers=2) == []
    assert given.lake is not None
    with sail() as server, dg.DagsterInstance.ephemeral() as instance:
        lake = given.lake.model_copy(update={"engine": "spark", "spark": server.url})
        changed = given.model_copy(update={"lake": lake})
        job = build_definitions(changed, far).resolve_job_def(BUILD_MODELS)
        assert job.execute_in_process(instance=instance).success
    one, other = stored_tables(data_dir.published), stored_tables(far.published)
    computed = [name for name in one if name.partition(".")[0] in ("marts", "analysis")]
    assert_same_tables(
        {name: one[name] for name in computed}, {name: other[name] for name in computed}
    )
    assert other["marts.issue_history"].height > 0
    assert "raw.issues" not in other and "raw.issues" in one


@pytest.mark.exhaustive
@pytest.mark.slow
def test_a_worker_that_is_killed_is_replaced(mined: Path, study: Path, tmp_path: Path) -> None:
    data_dir, killed = DataDirectory.of(tmp_path / "home"), threading.Event()

    def kill() -> None:
        until = time.monotonic() + 60
        while not killed.is_set() and time.monotonic() < until:
            for child in psutil.Process().children():
                if "--listen" in child.cmdline() and (data_dir.path / "workers").exists():
                    os.kill(child.pid, signal.SIGKILL)
                    killed.set()
                    return
            time.sleep(0.05)

    killer = threading.Thread(target=kill)
    killer.start()
    assert run_study(load_study(study), data_dir, workers=1) == []
    killer.join()
    assert killed.is_set()
    assert_as_on_one_machine(mined, data_dir)


@pytest.mark.exhaustive
def test_the_second_worker_at_a_repository_stops_with_a_sentence(
    study: Path, tmp_path: Path
) -> None:
    data_dir, lake = tmp_path / "home", Lake.of(f"file://{tmp_path}/lake")
    arguments = ("work", "--study", study, "--data-dir", data_dir, "--repository", name_of(1))
    with leased(lake, name_of(1), "another"):
        refused = perf_assets_process(*arguments)
    assert refused.returncode == 2
    assert name_of(1) in refused.stderr and "another" in refused.stderr
    assert "Traceback" not in refused.stderr
    assert perf_assets_process(*arguments).returncode == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ('url = "ftp://host/lake"', "lake.url: a lake is a folder"),
        ('url = "s3://key:secret@bucket/lake"', "lake.url: this address holds a secret"),
        ('url = "lake"\nengine = "spark"', 'add spark = "sc://host:port"'),
        ('url = "lake"\nspark = "sc://host"', 'write engine = "spark"'),
        ('url = "lake"\nengine = "spark"\nspark = "http://host"', "is sc://host:port"),
        ('url = "lake"\nengine = "spark"\nspark = "sc://h:1/;token=abc"', "holds a secret"),
        ('url = "lake"\nengines = "duckdb"', "engine"),
    ],
)
def test_what_is_wrong_in_a_lake_is_reported(
    fleet: Path, tmp_path: Path, lines: str, message: str
) -> None:
    path = fleet_study(fleet, 1, f"{tmp_path.name}.toml", lines).rename(tmp_path / "study.toml")
    with pytest.raises(PerfAssetsError) as raised:
        load_study(path)
    assert message in str(raised.value)
    assert "secret@" not in str(raised.value) and "abc" not in str(raised.value)


@pytest.mark.slow
def test_workers_without_a_lake_are_refused(fleet: Path, tmp_path: Path) -> None:
    without = fleet / "study.toml"
    for arguments in (("run", "--workers", "2"), ("work", "--repository", name_of(0))):
        ran = perf_assets(*arguments, "--study", without, "--data-dir", tmp_path)
        assert ran.returncode == 2 and "add [lake]" in ran.stderr
