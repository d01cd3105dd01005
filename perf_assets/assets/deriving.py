"""The SQL models, an asset a file of dbt_like_models/, and the statistics computed from them."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import dagster as dg
import polars as pl

from perf_assets.assets.factory import Stored, stored, whole_asset
from perf_assets.assets.keys import asset_key
from perf_assets.assets.telling import Teller
from perf_assets.reports.static_findings import findings_of, findings_table
from perf_assets.sql_models.files import Model, load_models
from perf_assets.sql_models.lineage import ANALYSES
from perf_assets.stages.deriving.about import tell_study
from perf_assets.stages.deriving.derivation import Derived, derive
from perf_assets.stages.deriving.models import register_study
from perf_assets.storage.gate import Gate
from perf_assets.storage.home import Home
from perf_assets.study import Study


def derived_assets(study: Study | None, home: Home) -> dg.AssetsDefinition:
    """An asset for each SQL model and each table of statistics, depending on what it reads.

    One step computes them, in one opening of the warehouse. Without a study the repositories stay
    as registered.
    """

    def step(gate: Gate, teller: Teller) -> Iterator[Derived]:
        if study is not None:
            register_study(gate, study)
            tell_study(gate, study)
        wanted = teller.tables
        forced = wanted if teller.asked.is_forced else teller.never_told(wanted)
        yield from derive(gate, wanted, forced)

    models = [_model(model) for model in load_models()]
    analyses = [
        replace(stored(table, table, kinds=["python"], deps=upstream), shown=SHOWN.get(table))
        for table, upstream in ANALYSES.items()
    ]
    return whole_asset("models_and_statistics", [*models, *analyses], home, step)


def _findings(gate: Gate) -> Mapping[str, Any]:
    """Findings of each rule in the newest quarters together, and over quarters as a table."""
    found = findings_of(gate.database.connection)
    newest = found.rows.filter(pl.col("quarter") == pl.col("quarter").max().over("repository"))
    counts = newest.group_by("rule").agg(pl.col("findings").sum()).sort("rule")
    return {
        "quarters": dg.MetadataValue.md(findings_table(found)),
        **{f"findings of {rule}": number for rule, number in counts.iter_rows()},
    }


SHOWN = {"analysis.static_findings": _findings}


def _model(model: Model) -> Stored:
    return Stored(
        model.name,
        [model.table],
        frozenset({"sql"}),
        # meta holds the bookkeeping of runs, which no asset makes.
        [table for table in model.upstream if not table.startswith("meta.")],
        {"query": dg.MetadataValue.md(f"```sql\n{model.sql}\n```")},
        lambda: _lineage(model),
    )


def _lineage(model: Model) -> dg.TableColumnLineage:
    return dg.TableColumnLineage(
        {
            column: [dg.TableColumnDep(asset_key(table), name) for table, name in sources]
            for column, sources in model.column_lineage.items()
        }
    )
