"""Here Dagster's objects come together: assets, checks, jobs and the schedule."""

import os
import re
from collections.abc import Sequence

import dagster as dg

from perf_assets.config.data_directory import DataDirectory
from perf_assets.config.study import Study
from perf_assets.dagster_app.add_repository_job import add_repository_job
from perf_assets.dagster_app.alert_sensor import alert_sensor
from perf_assets.dagster_app.asset_specs import source_specs, with_code
from perf_assets.dagster_app.assets import (
    derived_assets,
    label_kinds_asset,
    question_assets,
    question_kinds_asset,
    repository_assets,
    review_specs,
)
from perf_assets.dagster_app.executor import single_writer
from perf_assets.dagster_app.freshness import fresh_each_month
from perf_assets.dagster_app.jobs import REVIEWED, study_jobs, studyless_jobs
from perf_assets.dagster_app.lake_maintenance_job import lake_maintenance_job
from perf_assets.dagster_app.publishing import publishing_assets
from perf_assets.dagster_app.replicating import replication_assets
from perf_assets.dagster_app.schedules import schedules
from perf_assets.dagster_app.sensors import retrying
from perf_assets.dagster_app.write_site_job import write_site_job
from perf_assets.sources.rate_limit import LONGEST_WAIT, wait_in_seconds
from perf_assets.stages.study_loader import open_study


def build_definitions(
    study: Study, data_dir: DataDirectory, longest_wait: float = LONGEST_WAIT
) -> dg.Definitions:
    """Return all of perf-assets for one study, kept in one data directory.

    ``longest_wait`` bounds, in seconds, the waits for GitHub's rate limit.
    """
    assets = [
        *repository_assets(study, data_dir, longest_wait),
        label_kinds_asset(study, data_dir),
        question_kinds_asset(study, data_dir),
        *question_assets(study, data_dir, longest_wait),
        *_whole_assets(study, data_dir),
    ]
    jobs = study_jobs(study)
    plain_jobs = [add_repository_job(study, data_dir), write_site_job(data_dir)]
    if study.lake is not None:
        plain_jobs.append(lake_maintenance_job(study, data_dir))
    return dg.Definitions(
        assets=_presented(assets, study),
        jobs=[*jobs, *plain_jobs],
        schedules=schedules(study),
        sensors=[retrying(jobs), alert_sensor(data_dir)],
        executor=single_writer(data_dir),
    )


def studyless_definitions(data_dir: DataDirectory) -> dg.Definitions:
    """Replication and reviews, for which no study is needed: the repositories stay registered."""
    return dg.Definitions(
        assets=_whole_assets(None, data_dir),
        jobs=studyless_jobs(dg.AssetSelection.all(), REVIEWED),
        executor=single_writer(data_dir),
    )


def _whole_assets(
    study: Study | None, data_dir: DataDirectory
) -> list[dg.AssetsDefinition | dg.AssetSpec]:
    return [
        derived_assets(study, data_dir),
        *publishing_assets(study, data_dir),
        *replication_assets(data_dir),
        *review_specs(),
        *source_specs(),
    ]


def _presented(
    assets: Sequence[dg.AssetsDefinition | dg.AssetSpec], study: Study
) -> Sequence[dg.AssetsDefinition | dg.AssetSpec]:
    """Return the assets with what the page of each says of owner, code and deadline."""
    team = f"team:{re.sub(r'[^a-z0-9]+', '-', study.name.lower()).strip('-') or 'study'}"

    def presented(spec: dg.AssetSpec) -> dg.AssetSpec:
        return with_code(fresh_each_month(spec.replace_attributes(owners=[team]), study))

    return dg.map_asset_specs(presented, assets)


@dg.definitions
def defs() -> dg.Definitions:
    """Return what `dagster dev` shows: the study and data directory that the environment names."""
    data_dir = DataDirectory.of(os.environ.get("PERF_ASSETS_DATA_DIR"))
    study = open_study(os.environ.get("PERF_ASSETS_STUDY"), data_dir)
    return build_definitions(
        study, data_dir, wait_in_seconds(os.environ.get("PERF_ASSETS_MAX_WAIT"))
    )
