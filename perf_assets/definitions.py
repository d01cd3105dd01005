"""The one place where Dagster objects meet: assets, checks, jobs and the schedule."""

import dagster as dg
from dagster._core.definitions.unresolved_asset_job_definition import UnresolvedAssetJobDefinition

from perf_assets.assets.decisions import decision_assets
from perf_assets.assets.fix_details import fix_detail_assets
from perf_assets.assets.models import analysis_assets, model_assets
from perf_assets.assets.publishing import publishing_assets
from perf_assets.assets.raw import raw_assets
from perf_assets.assets.replication import GROUP as REPLICATION
from perf_assets.assets.replication import replication_assets
from perf_assets.assets.reviews import review_job, review_specs
from perf_assets.assets.schedules import monthly_refresh
from perf_assets.assets.wiring import asset_key
from perf_assets.partitions import partitions_of
from perf_assets.storage.home import Home
from perf_assets.study import Study


def build_definitions(study: Study, home: Home) -> dg.Definitions:
    """All of perf-assets for one study, kept in one home directory."""
    partitions = partitions_of(study)
    published = dg.AssetSelection.groups(REPLICATION)
    everything = dg.define_asset_job(
        "everything",
        dg.AssetSelection.all() - published,
        description="Load, label, link, model, analyse and publish: the main job.",
    )
    # Which commits to look at closely is known when they are linked.
    detailed = dg.AssetSelection.assets(asset_key("raw.commit_details"))
    mined = dg.AssetSelection.groups("raw") - detailed
    decided = dg.AssetSelection.groups("labels", "links") | detailed
    return dg.Definitions(
        assets=[
            *raw_assets(study, home, partitions),
            *decision_assets(study, home, partitions),
            *fix_detail_assets(study, home, partitions),
            *model_assets(study, home),
            *analysis_assets(home),
            *publishing_assets(home),
            *replication_assets(home),
            *review_specs(),
        ],
        jobs=[
            everything,
            dg.define_asset_job(
                "mine", mined, description="Bring issues and commits up to date at the source."
            ),
            dg.define_asset_job(
                "decide",
                decided,
                description="Label the loaded issues, link their fixes, look at those closely.",
            ),
            dg.define_asset_job(
                "derive",
                dg.AssetSelection.all() - mined - decided - published,
                description="Compute the models and statistics, and publish the database.",
            ),
            _replicate_job(dg.AssetSelection.all() - mined - decided),
            review_job(published),
        ],
        schedules=[monthly_refresh(study, everything.name)],
        # DuckDB has one writing process at a time, so steps of a run share one.
        executor=dg.in_process_executor,
    )


def studyless_definitions(home: Home) -> dg.Definitions:
    """Replication and reviews, for which no study is needed: the repositories stay registered."""
    return dg.Definitions(
        assets=[
            *replication_assets(home),
            *model_assets(None, home),
            *analysis_assets(home),
            *publishing_assets(home),
            *review_specs(),
        ],
        jobs=[
            _replicate_job(dg.AssetSelection.all()),
            review_job(dg.AssetSelection.groups(REPLICATION)),
        ],
        executor=dg.in_process_executor,
    )


def _replicate_job(selection: dg.AssetSelection) -> UnresolvedAssetJobDefinition:
    return dg.define_asset_job(
        "replicate",
        selection,
        description="Load the study's published data and run models and statistics over them.",
    )


@dg.definitions
def defs() -> dg.Definitions:
    """What `dagster dev` shows: the study and home directory that the environment names."""
    home = Home.of()
    return build_definitions(home.study(), home)
