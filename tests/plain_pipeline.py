"""The whole pipeline as plain functions, without Dagster.

It takes the steps that Dagster runs as assets, and saves the seconds that Dagster takes.
"""

import logging
from collections.abc import Iterable

from perf_assets.config.data_directory import DataDirectory
from perf_assets.config.study import Study, Until
from perf_assets.sources.rate_limit import LONGEST_WAIT
from perf_assets.stages.enrichment.labels import store_label_kinds
from perf_assets.stages.enrichment.question_kinds import store_question_kinds
from perf_assets.stages.steps import TAG_SET_STEPS, StepOptions, repository_steps, run_steps
from perf_assets.stages.transform.about import store_database_facts, store_study
from perf_assets.stages.transform.derivation import derive, derived_tables
from perf_assets.stages.transform.models import describe_tables, register_study
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.lock import writing
from perf_assets.storage.partition_write import WriteOutcome
from perf_assets.storage.publishing import publish
from perf_assets.storage.warehouse import kept_open, open_warehouse

log = logging.getLogger("perf_assets")


def run_pipeline(
    study: Study,
    data_dir: DataDirectory,
    first: str | None = None,
    last: str | None = None,
    *,
    reconcile: bool = False,
    force: bool = False,
    longest_wait: float = LONGEST_WAIT,
    until: Until = "published",
) -> list[str]:
    """Bring everything of ``study`` up to date, for the months from ``first`` to ``last``.

    ``longest_wait`` bounds, in seconds, the waits for GitHub's rate limit. With ``reconcile``,
    issues that are due to be read again are; with ``force`` everything is decided and computed,
    whether or not what it is made from changed. ``until`` is how far it goes.

    Returns
    -------
    What failed its audit, a sentence each; all else is done.

    Raises
    ------
    PerfAssetsError
        For whatever stops the run as a whole.
    """
    study = study.as_far_as(until)
    options = StepOptions(is_reconciling=reconcile, is_forced=force, longest_wait=longest_wait)
    failures: list[str] = []
    with writing(data_dir.path), kept_open(data_dir.warehouse):
        with open_warehouse(data_dir.warehouse) as database:
            writer = AuditedWriter(database, data_dir)
            for repository in study.repositories:
                months = repository.months_within(first, last)
                log.info("%s: %d months", repository.name, len(months))
                steps = repository_steps(study, until)
                failures += _failures(run_steps(steps, writer, study, repository, months, options))
            for tag_set in study.tag_sets:
                months = tag_set.months_within(first, last)
                log.info("%s: %d months", tag_set.name, len(months))
                failures += _failures(
                    run_steps(TAG_SET_STEPS, writer, study, tag_set, months, options)
                )
            failures += _failures(store_label_kinds(writer, study, forced=force))
            failures += _failures(store_question_kinds(writer, study, forced=force))
            if until == "labels":
                return failures
            log.info("models, statistics, published database")
            register_study(writer, study)
            derived = derive(writer, forced=derived_tables() if force else ())
            failures += _failures(one.outcome for one in derived if one.outcome is not None)
            store_study(writer, study)
            store_database_facts(writer)
            describe_tables(writer)
        publish(data_dir)
    return failures


def _failures(outcomes: Iterable[WriteOutcome]) -> list[str]:
    return [outcome.failure for outcome in outcomes if outcome.failure is not None]
