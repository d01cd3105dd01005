"""The names of assets: those of their tables."""

import dagster as dg

from perf_assets.schema.models.asset_graph import asset_for_table


def asset_key(table: str) -> dg.AssetKey:
    """``raw.issues`` as an asset key; of a table that belongs to another asset, that of this."""
    return dg.AssetKey(asset_for_table(table).split("."))


def name_of(key: dg.AssetKey) -> str:
    """Return the asset with this key as ``schema.table``."""
    return ".".join(key.path)


def short_name(table: str) -> str:
    """Return the name of ``table`` on the page of its asset; empty if both have one name."""
    return "" if table == asset_for_table(table) else table.partition(".")[2]
