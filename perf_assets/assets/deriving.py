"""The SQL models, an asset a file of dbt_like_models/, and the statistics computed from them."""

import dagster as dg

from perf_assets.assets.factory import Stored, stored, whole_asset
from perf_assets.assets.keys import asset_key
from perf_assets.sql_models.files import Model, load_models
from perf_assets.stages.deriving.analyses import ANALYSES, build_analysis
from perf_assets.stages.deriving.models import build_model, register_study
from perf_assets.storage.gate import Gate, Outcome
from perf_assets.storage.home import Home
from perf_assets.study import Study


def model_assets(study: Study | None, home: Home) -> list[dg.AssetsDefinition]:
    """One asset for each SQL model, depending on the tables its text names.

    Without a study the repositories stay as registered.
    """
    return [_model_asset(study, home, model) for model in load_models()]


def analysis_assets(home: Home) -> list[dg.AssetsDefinition]:
    """The statistics, computed from the marts."""
    return [_analysis_asset(home, table) for table in ANALYSES]


def _model_asset(study: Study | None, home: Home, model: Model) -> dg.AssetsDefinition:
    def build(gate: Gate) -> Outcome | None:
        if study is not None:
            register_study(gate, study)
        return build_model(gate, model)

    what = Stored(
        model.name.replace(".", "__"),
        [model.table],
        frozenset({"sql"}),
        # meta holds the bookkeeping of runs, which no asset makes.
        [table for table in model.upstream if not table.startswith("meta.")],
        {"query": dg.MetadataValue.md(f"```sql\n{model.sql}\n```")},
        _lineage(model),
    )
    return whole_asset(what, home, build)


def _lineage(model: Model) -> dg.TableColumnLineage:
    return dg.TableColumnLineage(
        {
            column: [dg.TableColumnDep(asset_key(table), name) for table, name in sources]
            for column, sources in model.column_lineage.items()
        }
    )


def _analysis_asset(home: Home, table: str) -> dg.AssetsDefinition:
    upstream = ANALYSES[table].upstream
    what = stored(table.replace(".", "__"), table, kinds=["python"], deps=upstream)
    return whole_asset(what, home, lambda gate: build_analysis(gate, table))
