"""The names of assets: those of their tables."""

import dagster as dg


def asset_key(table: str) -> dg.AssetKey:
    """``raw.issues`` as an asset key."""
    return dg.AssetKey(table.split("."))
