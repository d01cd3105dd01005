"""A site is written by a job, and by its schedule where somebody turned that on."""

import shutil
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from perf_assets.config.data_directory import PUBLISHED, DataDirectory
from perf_assets.config.study import load_study
from perf_assets.dagster_app.definitions import build_definitions
from perf_assets.reports.site import packages
from tests.npm_packages import pin
from tests.support import Prepared

pytestmark = pytest.mark.slow


@pytest.fixture
def data_dir(small: Prepared, tmp_path: Path) -> DataDirectory:
    data_dir = DataDirectory.of(tmp_path / "home")
    shutil.copy2(small.data_dir / PUBLISHED, data_dir.published)
    data_dir.report_page.parent.mkdir()
    data_dir.report_page.write_text('<meta charset="utf-8"><header></header>')
    return data_dir


@pytest.fixture
def definitions(small: Prepared, data_dir: DataDirectory) -> dg.Definitions:
    return build_definitions(load_study(small.study), data_dir)


def written(definitions: dg.Definitions, **config: Any) -> dg.ExecuteInProcessResult:
    job = definitions.resolve_job_def("write_site")
    with dg.DagsterInstance.ephemeral() as instance:
        return job.execute_in_process(
            instance=instance,
            raise_on_error=False,
            run_config={"ops": {"site": {"config": config}}},
        )


@pytest.mark.exhaustive
def test_the_job_writes_the_site_of_the_data_directory(
    definitions: dg.Definitions, data_dir: DataDirectory
) -> None:
    path = data_dir.path / "site"
    assert written(definitions, directory=str(path), has_console=False).success
    assert (path / "index.html").is_file() and not (path / "console.html").exists()


def test_without_packages_and_network_the_job_fails_with_the_sentence(
    definitions: dg.Definitions,
    data_dir: DataDirectory,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pin(tmp_path, monkeypatch)
    try:
        ran = written(definitions, directory=str(data_dir.path / "site"))
    finally:
        packages.packages.cache_clear()
    (event,) = ran.filter_events(lambda event: event.is_step_failure)
    failure = event.step_failure_data.user_failure_data
    assert "which the console needs, cannot be had from" in str(failure.description)


def test_its_schedule_is_off_until_somebody_turns_it_on(
    small: Prepared, data_dir: DataDirectory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PERF_ASSETS_SCHEDULES", "on")
    definitions = build_definitions(load_study(small.study), data_dir)
    schedule = definitions.resolve_schedule_def("monthly_site")
    assert schedule.default_status == dg.DefaultScheduleStatus.STOPPED
    assert schedule.job_name == "write_site"
    job = definitions.resolve_job_def("write_site")
    config = {"directory": str(data_dir.path / "site"), "tables": [], "has_console": True}
    assert job.run_config is not None and job.run_config["ops"] == {"site": {"config": config}}
