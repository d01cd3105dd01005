"""The assets of the stages: what is mined and decided of each subject, and what is computed whole.

What nothing fills in a study, such as questions in one without forums, is there too: models read
it.
"""

from collections.abc import Iterable, Iterator, Sequence
from shlex import quote

import dagster as dg

from perf_assets.config.study import Study
from perf_assets.dagster_app.checks import check_key
from perf_assets.dagster_app.event_reporting import EventReporter
from perf_assets.dagster_app.factory import (
    Stored,
    partitioned_asset,
    specs_together,
    stored_by,
    whole_asset,
)
from perf_assets.dagster_app.keys import Place, name_of
from perf_assets.dagster_app.runtime_metadata import figure_of
from perf_assets.dagster_app.workers import worker_assets
from perf_assets.reports import drawing_process
from perf_assets.reports.alert_messages import as_markdown, headline, new_alerts
from perf_assets.schema.models.dependencies import analyses
from perf_assets.schema.models.files import load_models
from perf_assets.stages.enrichment.labels import KINDS, store_label_kinds
from perf_assets.stages.enrichment.question_kinds import (
    LABELLED,
    QUESTION_KINDS,
    WEIGHTS,
    store_question_kinds,
)
from perf_assets.stages.lake_inputs import lake_inputs
from perf_assets.stages.steps import TAG_SET_STEPS, repository_steps
from perf_assets.stages.transform.about import store_study
from perf_assets.stages.transform.derivation import Derived, derive
from perf_assets.stages.transform.models import register_study
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.partition_write import WriteOutcome
from perf_assets.storage.verdicts import VERDICT_KINDS

ALERTS, RULE = "marts.alerts", "no_alert_is_new"
NAMED = 5
"""Alerts named in the check; the table and perf-assets alerts have all."""

KIND_TABLES = (LABELLED, QUESTION_KINDS, WEIGHTS)


def repository_assets(
    study: Study, place: Place, longest_wait: float
) -> Sequence[dg.AssetsDefinition | dg.AssetSpec]:
    """Return what is mined and decided of repositories: by month here, by worker with a lake."""
    steps = repository_steps(study)
    if not study.repositories:
        return specs_together([*map(stored_by, steps)])
    if study.lake is not None:
        return [worker_assets(study, place, [*map(stored_by, steps)], longest_wait)]
    return [
        partitioned_asset(step, study, study.repositories, place, longest_wait) for step in steps
    ]


def question_assets(
    study: Study, place: Place, longest_wait: float
) -> Sequence[dg.AssetsDefinition | dg.AssetSpec]:
    """Return the questions of the study's tag sets, and the decisions on each."""
    if not study.forums:
        return specs_together([*map(stored_by, TAG_SET_STEPS)])
    return [
        partitioned_asset(step, study, study.tag_sets, place, longest_wait)
        for step in TAG_SET_STEPS
    ]


def label_kinds_asset(study: Study, place: Place) -> dg.AssetsDefinition:
    """Return what each label means, of all repositories."""

    def step(writer: AuditedWriter, reporter: EventReporter) -> Iterator[Derived]:
        forced = reporter.options.is_forced or bool(reporter.never_reported([KINDS]))
        with lake_inputs(writer, study) as elsewhere:
            outcomes = store_label_kinds(writer, study, elsewhere, forced=forced)
            yield from _derived([KINDS], outcomes)

    label_kinds = Stored("label_kinds", [KINDS], frozenset({"python"}))
    return whole_asset("label_kinds", [label_kinds], place, step)


def question_kinds_asset(study: Study, place: Place) -> dg.AssetsDefinition:
    """Return what questions are about, learned from those of all tag sets."""

    def step(writer: AuditedWriter, reporter: EventReporter) -> Iterator[Derived]:
        forced = reporter.options.is_forced or bool(reporter.never_reported(KIND_TABLES))
        yield from _derived(KIND_TABLES, store_question_kinds(writer, study, forced=forced))

    classified = [Stored(name, [name], frozenset({"python"})) for name in KIND_TABLES]
    return whole_asset("question_kinds", classified, place, step)


def _derived(tables: Sequence[str], outcomes: Iterable[WriteOutcome]) -> Iterator[Derived]:
    """Yield each of ``tables`` in their order, with its outcome if it was stored."""
    left = list(tables)
    for outcome in outcomes:
        for table in outcome.rows:
            while left[0] != table:
                yield Derived(left.pop(0))
            yield Derived(left.pop(0), is_new=True, outcome=outcome)
    yield from map(Derived, left)


def derived_assets(study: Study | None, place: Place) -> dg.AssetsDefinition:
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

    models = [Stored(model.name, [model.name], frozenset({"sql"})) for model in load_models()]
    statistics = [Stored(table, [table], frozenset({"python"})) for table in analyses()]
    tables = [*models, *statistics]
    return whole_asset("models_and_statistics", tables, place, step, with_evidence)


def with_evidence(writer: AuditedWriter, result: dg.AssetCheckResult) -> dg.AssetCheckResult:
    """Return ``result``; that of new alerts with their issues and the picture, to judge them by."""
    assert result.asset_key is not None
    is_of_alerts = name_of(result.asset_key) == ALERTS
    if result.passed or not is_of_alerts or result.check_name != check_key(ALERTS, RULE).name:
        return result
    connection = writer.database.connection
    alerts = new_alerts(connection)
    more = f"; and {len(alerts) - NAMED} more" if len(alerts) > NAMED else ""
    directory = quote(str(writer.data_dir.path.absolute()))
    commands = [
        f"perf-assets alerts set {alert['alert_id']} known --data-dir {directory}"
        for alert in alerts[:NAMED]
    ]
    command = f". Set the state of the first: {commands[0]}" if commands else ""
    picture = figure_of(connection, ALERTS).get("figure")
    return dg.AssetCheckResult(
        passed=False,
        asset_key=result.asset_key,
        check_name=result.check_name,
        severity=dg.AssetCheckSeverity.WARN,
        description=f"{'; '.join(headline(alert) for alert in alerts[:NAMED])}{more}{command}",
        metadata={
            "new_alerts": len(alerts),
            "repositories": ", ".join(sorted({alert["repository"] for alert in alerts})),
            "alerts": dg.MetadataValue.md(as_markdown(alerts[:NAMED])),
            "commands": dg.MetadataValue.md("\n".join(["```", *commands, "```"])),
            **({"figure": picture} if picture is not None else {}),
        },
    )


def review_specs() -> Sequence[dg.AssetSpec]:
    """Return the verdicts of people, which come from review sheets: no run makes them."""
    tables = [kind.table for kind in VERDICT_KINDS]
    return specs_together([Stored("verdicts", tables, frozenset({"csv"}))])
