"""What the page of an asset shows of its rows after a run: sizes, lineage, words, pictures."""

from collections.abc import Mapping
from typing import Any

import dagster as dg

from perf_assets.assets.describing import lineage_of
from perf_assets.assets.keys import short_name
from perf_assets.sql_models.bundles import tables_of
from perf_assets.storage.gate import Gate
from perf_assets.tables import table_of


def sizes_of(gate: Gate, asset: str) -> Mapping[str, Any]:
    """The number of rows of each stored table of ``asset``."""
    shown: dict[str, Any] = {}
    for table in tables_of(asset):
        if not table_of(table).is_view:
            name = short_name(table)
            ((rows,),) = gate.database.connection.execute(
                f"select count(*) from {table}"
            ).fetchall()
            shown[f"rows of {name}" if name else "dagster/row_count"] = rows
    return shown


def shown_of(gate: Gate, asset: str) -> Mapping[str, Any]:
    """All that is shown of ``asset``."""
    lineage = lineage_of(asset)
    columns: dict[str, dg.TableColumnLineage] = {}
    if lineage is not None:
        columns["dagster/column_lineage"] = lineage
    return {**columns, **sizes_of(gate, asset)}
