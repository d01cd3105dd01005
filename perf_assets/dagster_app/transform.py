"""The SQL models of dbt_like_models/, and the statistics computed from them."""

from collections.abc import Iterator

import dagster as dg

from perf_assets.config.data_directory import DataDirectory
from perf_assets.config.study import Study
from perf_assets.dagster_app.alert_evidence import with_evidence
from perf_assets.dagster_app.event_reporting import EventReporter
from perf_assets.dagster_app.factory import Stored, stored, whole_asset
from perf_assets.reports import drawing_process
from perf_assets.schema.models.dependencies import analyses
from perf_assets.schema.models.files import load_models
from perf_assets.stages.lake_inputs import lake_inputs
from perf_assets.stages.transform.about import store_study
from perf_assets.stages.transform.derivation import Derived, derive
from perf_assets.stages.transform.models import register_study
from perf_assets.storage.audited_writer import AuditedWriter


def derived_assets(study: Study | None, data_dir: DataDirectory) -> dg.AssetsDefinition:
    """Return the assets of the SQL models and the tables of statistics.

    One step computes them, in one opening of the warehouse. Without a study the repositories stay
    as registered.
    """

    def step(writer: AuditedWriter, reporter: EventReporter) -> Iterator[Derived]:
        with lake_inputs(writer, study) as elsewhere:
            if study is not None:
                register_study(writer, study)
                store_study(writer, study)
            tables = reporter.tables
            forced = tables if reporter.options.is_forced else reporter.never_reported(tables)
            for derived in derive(writer, tables, forced, elsewhere):
                if derived.outcome is not None:  # then the report is written anew
                    drawing_process.prepare()
                yield derived

    models = [Stored(model.name, [model.table], frozenset({"sql"})) for model in load_models()]
    statistics = [stored(table, table, kinds=["python"]) for table in analyses()]
    tables = [*models, *statistics]
    return whole_asset("models_and_statistics", tables, data_dir, step, with_evidence)
