"""The verdicts of people: they come from review sheets, and no run makes them."""

import dagster as dg

from perf_assets.dagster_app.factory import stored
from perf_assets.storage.verdicts import VERDICT_KINDS


def review_specs() -> list[dg.AssetSpec]:
    """Return the stored verdicts."""
    return stored("verdicts", *(sort.table for sort in VERDICT_KINDS), kinds=["csv"]).specs()
