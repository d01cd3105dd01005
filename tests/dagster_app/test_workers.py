"""With a lake Dagster has a run for each repository: its partitions, schedules, limits, retries."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import dagster as dg
import pytest
import yaml

from perf_assets.base.months import last_full_month
from perf_assets.config.data_directory import DataDirectory
from perf_assets.config.study import load_study
from perf_assets.dagster_app.definitions import build_definitions
from perf_assets.dagster_app.jobs import BUILD_MODELS, MINE_REPOSITORY
from perf_assets.dagster_app.keys import asset_key
from perf_assets.dagster_app.partitions import PARTITION_TAG
from perf_assets.dagster_app.sensors import job_of
from perf_assets.dagster_app.settings import INSTANCE, ONE_RUN, with_workers, write_instance_config
from perf_assets.lake.location import Lake
from perf_assets.lake.pull import pull
from perf_assets.storage.warehouse import open_warehouse
from tests.lakes import study_with_lake
from tests.support import Prepared

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("trusting_auditor")]

NAME = "sample-lab/tensorkit"


@pytest.fixture
def study(small: Prepared, tmp_path: Path) -> Path:
    return study_with_lake(small, tmp_path)


@pytest.fixture
def definitions(study: Path, tmp_path: Path) -> dg.Definitions:
    return build_definitions(load_study(study), DataDirectory.of(tmp_path / "home"))


@pytest.fixture
def instance() -> Iterator[dg.DagsterInstance]:
    with dg.DagsterInstance.ephemeral() as opened:
        yield opened


def test_a_run_of_a_repository_ships_it_and_shows_its_partition(
    definitions: dg.Definitions, instance: dg.DagsterInstance, tmp_path: Path
) -> None:
    job = definitions.resolve_job_def(MINE_REPOSITORY)
    ran = job.execute_in_process(instance=instance, partition_key=NAME)
    assert ran.success
    for asset in ("raw.issues", "raw.commits", "labels.performance_labels", "links.fix_links"):
        assert instance.get_materialized_partitions(asset_key(asset)) == {NAME}
    event = instance.get_latest_materialization_event(asset_key("raw.issues"))
    assert event is not None and event.asset_materialization is not None
    metadata = event.asset_materialization.metadata
    assert metadata["dagster/partition_row_count"].value == 24
    assert metadata["shipped months"].value == 4  # three, and what is of none
    checks = ran.get_asset_check_evaluations()
    assert checks and all(check.passed and check.partition == NAME for check in checks)
    # It wrote to a data directory of its own, and to the lake.
    assert not (tmp_path / "home" / "warehouse.duckdb").exists()
    with open_warehouse(tmp_path / "other" / "warehouse.duckdb") as database:
        pull(database, Lake.of(f"file://{tmp_path}/lake"), [NAME])
        assert database.frame("select count(*) from raw.issues").item() == 24


def test_each_repository_is_a_partition_and_a_run_of_a_backfill(
    definitions: dg.Definitions,
) -> None:
    asset = definitions.resolve_assets_def(asset_key("raw.issues"))
    assert asset.partitions_def == dg.StaticPartitionsDefinition([NAME])
    # A policy would have runs over ranges, whose tags no limit and no retry could go by.
    assert asset.backfill_policy is None
    names = {job.name for job in definitions.resolve_all_job_defs()}
    assert {MINE_REPOSITORY, BUILD_MODELS, "replicate", "review"} <= names
    assert not names & {"full_pipeline", "mine", "label", "label_and_link"}


def test_schedules_start_a_run_for_each_repository(definitions: dg.Definitions) -> None:
    monthly = definitions.resolve_schedule_def("monthly_workers")
    whole = definitions.get_repository_def()
    with dg.build_schedule_context(
        scheduled_execution_time=datetime(2026, 1, 2), repository_def=whole
    ) as context:
        (request,) = monthly.evaluate_tick(context).run_requests or []
    assert request.partition_key == NAME
    assert request.run_key == f"{NAME} {last_full_month()}"
    assert request.tags["repository"] == NAME and request.tags["host"] == "local"
    daily = definitions.resolve_schedule_def("daily_derive")
    whole = definitions.get_repository_def()
    with dg.build_schedule_context(
        scheduled_execution_time=datetime(2026, 1, 2), repository_def=whole
    ) as context:
        (request,) = daily.evaluate_tick(context).run_requests or []
    assert request.run_key == "derive 2026-01-02"
    assert daily.job_name == BUILD_MODELS


@pytest.mark.exhaustive
def test_the_lake_is_maintained_by_a_job(
    definitions: dg.Definitions, instance: dg.DagsterInstance
) -> None:
    job = definitions.resolve_job_def("maintain_lake")
    # Before anything was shipped there is nothing to maintain, which a person is told.
    early = job.execute_in_process(instance=instance, raise_on_error=False)
    assert not early.success
    (event,) = early.filter_events(lambda event: event.is_step_failure)
    assert "lake" in str(event.step_failure_data.user_failure_data.description)
    assert (
        definitions.resolve_job_def(MINE_REPOSITORY)
        .execute_in_process(instance=instance, partition_key=NAME)
        .success
    )
    assert job.execute_in_process(instance=instance).success


def lost(*assets: str, **tags: str) -> dg.DagsterRun:
    selected = frozenset(map(asset_key, assets))
    return dg.DagsterRun(job_name="__ASSET_JOB", asset_selection=selected, tags=tags)


def test_a_worker_that_was_lost_in_a_backfill_is_started_again() -> None:
    mined = ("raw.issues", "raw.commits", "links.fix_links")
    assert job_of(lost(*mined, **{PARTITION_TAG: NAME}), {MINE_REPOSITORY}) == MINE_REPOSITORY
    # What is chosen on the page of another asset is left to who chose it, and so without a lake.
    assert job_of(lost("marts.bug_metrics"), {MINE_REPOSITORY}) is None
    assert job_of(lost(*mined, **{PARTITION_TAG: NAME}), {"mine"}) is None


def test_limits_follow_the_lake_and_those_of_a_person_stay(tmp_path: Path) -> None:
    def written() -> object:
        return yaml.safe_load((tmp_path / "dagster.yaml").read_text())["concurrency"]

    write_instance_config(tmp_path)
    assert written() == ONE_RUN
    write_instance_config(tmp_path, 4)
    assert written() == with_workers(4)
    write_instance_config(tmp_path)  # the command line, which does not know
    assert written() == with_workers(4)
    write_instance_config(tmp_path, 0)
    assert written() == ONE_RUN
    own = {"runs": {"max_concurrent_runs": 7}}
    (tmp_path / "dagster.yaml").write_text(yaml.safe_dump({**INSTANCE, "concurrency": own}))
    write_instance_config(tmp_path, 4)
    assert written() == own
