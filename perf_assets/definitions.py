"""The one place where Dagster objects meet: assets, checks, jobs and the schedule."""

import dagster as dg

from perf_assets.assets.decisions import decision_assets
from perf_assets.assets.models import analysis_assets, model_assets
from perf_assets.assets.publishing import publishing_assets
from perf_assets.assets.raw import raw_assets
from perf_assets.assets.schedules import monthly_refresh
from perf_assets.home import Home
from perf_assets.partitions import partitions_of
from perf_assets.study import Study


def build_definitions(study: Study, home: Home) -> dg.Definitions:
    """All of perf-assets for one study, kept in one home directory."""
    partitions = partitions_of(study)
    everything = dg.define_asset_job(
        "everything",
        dg.AssetSelection.all(),
        description="Load, label, link, model, analyse and publish: the main job.",
    )
    mined = dg.AssetSelection.groups("raw")
    decided = dg.AssetSelection.groups("labels", "links")
    return dg.Definitions(
        assets=[
            *raw_assets(study, home, partitions),
            *decision_assets(study, home, partitions),
            *model_assets(study, home),
            *analysis_assets(home),
            *publishing_assets(home),
        ],
        jobs=[
            everything,
            dg.define_asset_job(
                "mine", mined, description="Bring issues and commits up to date at the source."
            ),
            dg.define_asset_job(
                "decide", decided, description="Label the loaded issues and link their fixes."
            ),
            dg.define_asset_job(
                "derive",
                dg.AssetSelection.all() - mined - decided,
                description="Compute the models and statistics, and publish the database.",
            ),
        ],
        schedules=[monthly_refresh(study, everything.name)],
        # DuckDB has one writing process at a time, so steps of a run share one.
        executor=dg.in_process_executor,
    )


@dg.definitions
def defs() -> dg.Definitions:
    """What `dagster dev` shows: the study and home directory that the environment names."""
    home = Home.of()
    return build_definitions(home.study(), home)
