"""The names of assets: those of their tables, in a code location that others may share."""

from collections.abc import Sequence
from dataclasses import dataclass

import dagster as dg

from perf_assets.config.data_directory import DataDirectory
from perf_assets.schema.models.asset_graph import asset_for_table

Assets = Sequence[dg.AssetsDefinition | dg.AssetSpec]

PARTS = 2
"""Of a key: schema and table; before them the prefix, where there is one."""


@dataclass(frozen=True)
class Place:
    """Where a study is kept, and where it stands in a code location.

    prefix : the folders before the keys of its assets, by a slash, after which its jobs and all
        else are called too; empty where it has the code location for itself.
    """

    data_dir: DataDirectory
    prefix: str = ""

    def named(self, name: str) -> str:
        """Return the name of a job, step or pool, which a code location has once."""
        return "_".join([*self.folders, name])

    def key(self, table: str) -> dg.AssetKey:
        """Return the key of the asset that ``table`` is reported with."""
        return asset_key(table, self.folders)

    @property
    def folders(self) -> list[str]:
        """The folders before the keys."""
        return self.prefix.split("/") if self.prefix else []


def asset_key(table: str, folders: Sequence[str] = ()) -> dg.AssetKey:
    """``raw.issues`` as an asset key; of a table that belongs to another asset, that of this."""
    return dg.AssetKey([*folders, *asset_for_table(table).split(".")])


def name_of(key: dg.AssetKey) -> str:
    """Return the asset with this key as ``schema.table``."""
    return ".".join(key.path[-PARTS:])


def folders_of(key: dg.AssetKey) -> list[str]:
    """Return the folders before an asset's own name."""
    return list(key.path[:-PARTS])


def short_name(table: str) -> str:
    """Return the name of ``table`` on the page of its asset; empty if both have one name."""
    return "" if table == asset_for_table(table) else table.partition(".")[2]
