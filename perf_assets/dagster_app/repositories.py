"""The assets of repositories: the steps of each, and what is decided for all of them together."""

from collections.abc import Iterator

import dagster as dg

from perf_assets.config.data_directory import DataDirectory
from perf_assets.config.study import Study
from perf_assets.dagster_app.event_reporting import EventReporter
from perf_assets.dagster_app.factory import partitioned_asset, stored, stored_by, whole_asset
from perf_assets.dagster_app.workers import worker_assets
from perf_assets.stages.enrichment.labels import KINDS, store_label_kinds
from perf_assets.stages.lake_inputs import lake_inputs
from perf_assets.stages.steps import repository_steps
from perf_assets.stages.transform.derivation import Derived
from perf_assets.storage.audited_writer import AuditedWriter


def repository_assets(
    study: Study, data_dir: DataDirectory, longest_wait: float
) -> list[dg.AssetsDefinition | dg.AssetSpec]:
    """Return what is mined and decided of repositories: by month here, by worker with a lake.

    In a study of forums alone nothing fills these assets; they are there, for models read them.
    """
    steps = repository_steps(study)
    if not study.repositories:
        return [spec for step in steps for spec in stored_by(step).specs()]
    if study.lake is not None:
        return [worker_assets(study, data_dir, [*map(stored_by, steps)], longest_wait)]
    return [
        partitioned_asset(step, study, study.repositories, data_dir, longest_wait) for step in steps
    ]


def label_kinds_asset(study: Study, data_dir: DataDirectory) -> dg.AssetsDefinition:
    """Return what each label means, of all repositories."""

    def kinds(writer: AuditedWriter, reporter: EventReporter) -> Iterator[Derived]:
        forced = reporter.options.is_forced or bool(reporter.never_reported([KINDS]))
        outcome = None
        with lake_inputs(writer, study) as elsewhere:
            for outcome in store_label_kinds(writer, study, elsewhere, forced=forced):
                yield Derived(KINDS, is_new=True, outcome=outcome)
        if outcome is None:
            yield Derived(KINDS)

    label_kinds = stored("label_kinds", KINDS, kinds=["python"])
    return whole_asset("label_kinds", [label_kinds], data_dir, kinds)
