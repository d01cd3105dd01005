"""With a lake: a run for each repository, mined in a data directory of its own.

The assets are those of one machine, with the same rules. They are partitioned by repository alone:
a million months would be too many for a page, and a run brings all months of its one up to date.
"""

import multiprocessing
import os
from collections.abc import Iterator, Sequence
from typing import Any, cast
from urllib.parse import urlsplit

import dagster as dg

from perf_assets.config.data_directory import DataDirectory
from perf_assets.config.repositories import Repository
from perf_assets.config.study import Study, Until
from perf_assets.dagster_app.checks import check_specs
from perf_assets.dagster_app.event_reporting import Event, EventReporter, refusal
from perf_assets.dagster_app.executor import WORKER
from perf_assets.dagster_app.factory import Stored, friendly_errors, open_writer, specs_together
from perf_assets.dagster_app.partitions import HOST, MONTHS, REPOSITORY
from perf_assets.dagster_app.run_options import FORCE_TAG
from perf_assets.schema.models.asset_graph import asset_for_table
from perf_assets.storage.audited_writer import AuditedWriter

GITHUB = "https://api.github.com"
NICE = 10
POOL = "workers"
"""As many runs of this pool go on at once as one account, or one host that is queried, bears."""
FIRST, LAST, UNTIL = "perf-assets/from", "perf-assets/to", "perf-assets/until"
"""Tags of a run for less than all months, or that goes less far."""


def worker_assets(
    study: Study, data_dir: DataDirectory, whats: Sequence[Stored], longest_wait: float
) -> dg.AssetsDefinition:
    """Return the assets ``whats`` of all repositories of a ``study`` that has a lake, as one
    step.
    """
    partitions = dg.StaticPartitionsDefinition([one.name for one in study.repositories])
    tables = [table.name for what in whats for table in what.tables]

    @dg.multi_asset(
        name=WORKER,
        description="Mines, labels and links one repository, and pushes what changed.",
        specs=specs_together(whats, partitions),
        check_specs=check_specs(tables, partitions),
        partitions_def=partitions,
        can_subset=True,  # of what is reported; all of it is always done
        pool=POOL,
    )
    def repository_worker(context: dg.AssetExecutionContext) -> Iterator[Event]:
        # What mines takes long to import: only who does should wait for it.
        from perf_assets.stages.working import work  # noqa: PLC0415

        _give_way()
        repository = study.repository(context.partition_key)
        tags, reporter = context.run_tags, EventReporter(context)
        months = repository.months_within(tags.get(FIRST), tags.get(LAST))
        with friendly_errors(data_dir):
            done = work(
                study,
                data_dir,
                repository,
                months,
                reconcile=reporter.options.is_reconciling,
                force=FORCE_TAG in tags,
                longest_wait=longest_wait,
                until=cast(Until, tags.get(UNTIL, "published")),
            )
            with open_writer(data_dir.worker(repository.name)) as writer:
                loads = _loads(writer, repository, tables, months)
                broken = {
                    name: writer.broken_rules(name, repository.name, months) for name in tables
                }
        audited = {table for outcome in done.outcomes for table in outcome.reports}
        is_new = any(outcome.is_written for outcome in done.outcomes)
        reported = reporter.report_subject(
            repository.name,
            loads,
            {"shipped months": len(done.shipped.months), "shipped rows": done.shipped.rows},
            is_new=is_new,
            is_failing=bool(done.failures),
        )
        checked = {asset_for_table(table) for table in audited} | reported
        yield from reporter.report_checks(
            {table: found for table, found in broken.items() if asset_for_table(table) in checked}
        )
        if done.failures:
            raise refusal(done.failures)
        for what in whats:
            for asset in what.assets:
                yield from reporter.done(asset)

    return repository_worker


def _give_way() -> None:
    """Let the processes of the UI go first, where they started this one.

    Dagster's code server ends when it gets no word in half a minute, as on a machine that is busy.
    """
    if multiprocessing.parent_process() is not None:
        os.nice(NICE)


def worker_tags(repository: Repository, first: str, last: str, until: Until) -> dict[str, str]:
    """Return the tags of a worker's run: what people look for, and its options."""
    return {
        REPOSITORY: repository.name,
        HOST: host_of(repository),
        MONTHS: f"{first} to {last}",
        FIRST: first,
        LAST: last,
        UNTIL: until,
    }


def host_of(repository: Repository) -> str:
    """Return the host that its issues are read from, by which runs at once are limited."""
    if repository.corpus is not None:
        return "local"
    return urlsplit(repository.github_url or GITHUB).netloc.rpartition("@")[2]


def _loads(
    writer: AuditedWriter, repository: Repository, tables: Sequence[str], months: Sequence[str]
) -> list[dict[str, Any]]:
    """Return what is noted of the partitions that are stored."""
    return [
        load
        for table in tables
        for load in writer.database.loads(table, repository.name).to_dicts()
        if load["status"] == "loaded" and load["month"] in months
    ]
