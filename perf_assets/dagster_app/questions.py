"""The users' side: questions of forums by tag set and month, and what they are about."""

from collections.abc import Iterator

import dagster as dg

from perf_assets.config.data_directory import DataDirectory
from perf_assets.config.study import Study
from perf_assets.dagster_app.event_reporting import EventReporter
from perf_assets.dagster_app.factory import partitioned_asset, stored, stored_by, whole_asset
from perf_assets.stages.enrichment.question_kinds import (
    LABELLED,
    QUESTION_KINDS,
    WEIGHTS,
    store_question_kinds,
)
from perf_assets.stages.steps import TAG_SET_STEPS
from perf_assets.stages.transform.derivation import Derived
from perf_assets.storage.audited_writer import AuditedWriter

KIND_TABLES = (LABELLED, QUESTION_KINDS, WEIGHTS)


def question_assets(
    study: Study, data_dir: DataDirectory, longest_wait: float
) -> list[dg.AssetsDefinition | dg.AssetSpec]:
    """Return the questions of the study's tag sets, and the decisions on them."""

    def kinds(writer: AuditedWriter, reporter: EventReporter) -> Iterator[Derived]:
        forced = reporter.options.is_forced or bool(reporter.never_reported(KIND_TABLES))
        untold = list(KIND_TABLES)
        for outcome in store_question_kinds(writer, study, forced=forced):
            for table in outcome.rows:
                while untold[0] != table:
                    yield Derived(untold.pop(0))
                yield Derived(untold.pop(0), is_new=True, outcome=outcome)
        yield from map(Derived, untold)

    classified = [stored(name, name, kinds=["python"]) for name in KIND_TABLES]
    question_kinds = whole_asset("question_kinds", classified, data_dir, kinds)
    if not study.forums:  # nothing fills the others; they are there, for models read them
        return [
            question_kinds,
            *(spec for step in TAG_SET_STEPS for spec in stored_by(step).specs()),
        ]
    return [
        question_kinds,
        *(
            partitioned_asset(step, study, study.tag_sets, data_dir, longest_wait)
            for step in TAG_SET_STEPS
        ),
    ]
