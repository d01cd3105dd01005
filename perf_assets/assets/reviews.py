"""The verdicts of people: they come from review sheets, and all that follows from them."""

import dagster as dg
from dagster._core.definitions.unresolved_asset_job_definition import UnresolvedAssetJobDefinition

from perf_assets.assets import wiring
from perf_assets.sql_models.laying import table_docs
from perf_assets.stages.reviews import TABLE


def review_specs() -> list[dg.AssetSpec]:
    """The stored verdicts, which no run makes."""
    return [wiring.table_spec(table_docs()[TABLE], kinds={"csv"})]


def review_job(others: dg.AssetSelection) -> UnresolvedAssetJobDefinition:
    """The job that brings up to date what follows from the verdicts, without ``others``."""
    verdicts = dg.AssetSelection.assets(wiring.asset_key(TABLE))
    return dg.define_asset_job(
        "review",
        verdicts.downstream(include_self=False) - others,
        description="Measure labels and raters by the verdicts that were imported.",
    )
