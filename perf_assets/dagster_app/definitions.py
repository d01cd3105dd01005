"""Here Dagster's objects come together: assets, checks, jobs and the schedule."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

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
from perf_assets.dagster_app.automation import Condition, conditions, following_sensor
from perf_assets.dagster_app.freshness import newest_month_checks
from perf_assets.dagster_app.jobs import study_jobs, studyless_jobs
from perf_assets.dagster_app.keys import Assets, Place, name_of
from perf_assets.dagster_app.lake_maintenance_job import lake_maintenance_job
from perf_assets.dagster_app.publishing import publishing_assets
from perf_assets.dagster_app.replicating import replication_assets
from perf_assets.dagster_app.schedules import schedules
from perf_assets.dagster_app.sensors import retrying
from perf_assets.dagster_app.write_site_job import write_site_job
from perf_assets.sources.rate_limit import LONGEST_WAIT


@dataclass(frozen=True)
class Parts:
    """What of a study a code location has beside its assets."""

    checks: bool = True
    jobs: bool = True
    schedules: bool = True
    sensors: bool = True


def build_definitions(
    study: Study,
    data_dir: DataDirectory,
    longest_wait: float = LONGEST_WAIT,
    *,
    prefix: str = "",
    parts: Parts = Parts(),
) -> dg.Definitions:
    """Return all of perf-assets for one study, kept in one data directory.

    ``longest_wait`` bounds, in seconds, the waits for GitHub's rate limit. ``prefix`` stands before
    the keys of assets and the names of all else, in a code location with others. Schedules and
    retries start jobs: without ``parts.jobs`` there are none.
    """
    place = Place(data_dir, prefix)
    assets = [
        *repository_assets(study, place, longest_wait),
        label_kinds_asset(study, place),
        question_kinds_asset(study, place),
        *question_assets(study, place, longest_wait),
        *_whole_assets(study, place),
    ]
    checks = newest_month_checks(study, place) if parts.checks else []
    jobs = study_jobs(study, place, assets, checks)
    plain_jobs = [add_repository_job(study, place), write_site_job(place)]
    if study.lake is not None:
        plain_jobs.append(lake_maintenance_job(study, place))
    following = conditions(assets, place, with_workers=study.lake is not None)
    sensors = [
        following_sensor(following, checks, place),
        alert_sensor(place),
        *([retrying(jobs, place)] if parts.jobs else ()),
    ]
    return dg.Definitions(
        assets=_placed(_presented(assets, study, place, following), place, parts),
        asset_checks=checks,
        jobs=[*jobs, *plain_jobs] if parts.jobs else (),
        schedules=schedules(study, place) if parts.jobs and parts.schedules else (),
        sensors=sensors if parts.sensors else (),
    )


def studyless_definitions(data_dir: DataDirectory) -> dg.Definitions:
    """Replication and reviews, for which no study is needed: the repositories stay registered."""
    place = Place(data_dir)
    assets = _whole_assets(None, place)
    return dg.Definitions(assets=assets, jobs=studyless_jobs(place, assets))


def _whole_assets(study: Study | None, place: Place) -> Assets:
    return [
        derived_assets(study, place),
        *publishing_assets(study, place),
        *replication_assets(place),
        *review_specs(),
        *source_specs(),
    ]


def _presented(
    assets: Assets,
    study: Study,
    place: Place,
    following: Mapping[str, Condition],
) -> Assets:
    """Return the assets with what the page of each says of owner, code and what it follows."""
    team = f"team:{re.sub(r'[^a-z0-9]+', '-', study.name.lower()).strip('-') or 'study'}"

    def presented(spec: dg.AssetSpec) -> dg.AssetSpec:
        return with_code(
            spec.replace_attributes(
                owners=[team],
                group_name=place.named(str(spec.group_name)),
                automation_condition=following.get(name_of(spec.key)),
            )
        )

    return dg.map_asset_specs(presented, assets)


def _placed(assets: Assets, place: Place, parts: Parts) -> Assets:
    """Return the assets with the prefix of their keys, and without checks if there are to be none.

    Steps take the prefix from what they are part of.
    """
    keys = {key: place.key(name_of(key)) for asset in assets for key in _keys(asset)}
    placed: list[dg.AssetsDefinition | dg.AssetSpec] = []
    for asset in assets:
        if isinstance(asset, dg.AssetSpec):
            placed.append(asset.replace_attributes(key=keys[asset.key]))
            continue
        if not parts.checks and asset.check_keys:
            asset = asset.subset_for(asset.keys, frozenset())  # noqa: PLW2901
        placed.append(asset.with_attributes(asset_key_replacements=keys))
    return placed


def _keys(asset: dg.AssetsDefinition | dg.AssetSpec) -> Iterable[dg.AssetKey]:
    return [asset.key] if isinstance(asset, dg.AssetSpec) else asset.keys
