"""The SQL models: one asset a file of dbt_like_models/, and the statistics computed from them."""

from collections.abc import Iterator

import dagster as dg

from perf_assets.assets import wiring
from perf_assets.sql_models.laying import Model, load_models, table_docs
from perf_assets.stages.deriving import ANALYSES, build_analysis, build_model, register_study
from perf_assets.storage.home import Home
from perf_assets.study import Study


def model_assets(study: Study | None, home: Home) -> list[dg.AssetsDefinition]:
    """One asset for each SQL model, depending on the tables its text names.

    Without a study the repositories stay as registered.
    """
    return [_model_asset(study, home, model) for model in load_models()]


def _model_asset(study: Study | None, home: Home, model: Model) -> dg.AssetsDefinition:
    # meta holds the bookkeeping of runs, which no asset makes.
    deps = [table for table in model.upstream if not table.startswith("meta.")]
    is_table = model.materialization == "table"

    @dg.multi_asset(
        name=model.name.replace(".", "__"),
        specs=[
            wiring.table_spec(table_docs()[model.name], kinds={"sql"}, deps=deps).merge_attributes(
                metadata={"query": dg.MetadataValue.md(f"```sql\n{model.sql}\n```")}
            )
        ],
        check_specs=wiring.rule_checks(model.name) if is_table else [],
    )
    def compute(context: dg.AssetExecutionContext) -> Iterator[wiring.Event]:
        with wiring.open_gate(home) as gate:
            if study is not None:
                register_study(gate, study)
            outcome = build_model(gate, model)
        yield from wiring.report_whole(model.name, outcome, _lineage(model))

    return compute


def _lineage(model: Model) -> dg.TableColumnLineage:
    return dg.TableColumnLineage(
        {
            column: [dg.TableColumnDep(wiring.asset_key(table), name) for table, name in sources]
            for column, sources in model.column_lineage.items()
        }
    )


def analysis_assets(home: Home) -> list[dg.AssetsDefinition]:
    """The statistics, computed from the marts."""
    return [_analysis_asset(home, table) for table in ANALYSES]


def _analysis_asset(home: Home, table: str) -> dg.AssetsDefinition:
    @dg.multi_asset(
        name=table.replace(".", "__"),
        specs=[
            wiring.table_spec(table_docs()[table], kinds={"python"}, deps=ANALYSES[table].upstream)
        ],
        check_specs=wiring.rule_checks(table),
    )
    def compute(context: dg.AssetExecutionContext) -> Iterator[wiring.Event]:
        with wiring.open_gate(home) as gate:
            outcome = build_analysis(gate, table)
        yield from wiring.report_whole(table, outcome)

    return compute
