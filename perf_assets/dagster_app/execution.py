"""Running the jobs from the command line: the same assets, checks and events as in the UI."""

import logging
import os
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from datetime import datetime
from pathlib import Path
from typing import TypeVar

import dagster as dg

from perf_assets.base.errors import AuditError, PerfAssetsError
from perf_assets.base.months import is_month, last_full_month
from perf_assets.base.pids import is_alive
from perf_assets.base.processes.progress import phase
from perf_assets.base.processes.shutdown import cleanup_on_stop
from perf_assets.config.data_directory import DataDirectory
from perf_assets.config.partitions import Subject
from perf_assets.config.repositories import Repository
from perf_assets.config.study import Study, Until
from perf_assets.dagster_app.automation import note_opening
from perf_assets.dagster_app.dagster_internals import HIDDEN_TAG_PREFIX
from perf_assets.dagster_app.definitions import build_definitions, studyless_definitions
from perf_assets.dagster_app.instance import NOT_ENDED, cancel_runs, open_instance, open_runs
from perf_assets.dagster_app.jobs import (
    BUILD_MODELS,
    MINE_REPOSITORY,
    PROGRESS,
    REPLICATE_JOB,
    REVIEW,
    jobs_of,
)
from perf_assets.dagster_app.partitions import range_tags
from perf_assets.dagster_app.run_options import COMMAND_LINE, refresh_tags
from perf_assets.dagster_app.settings import write_instance_config
from perf_assets.dagster_app.workers import POOL as WORKER_POOL
from perf_assets.dagster_app.workers import Task, work_through, worker_count, worker_tags
from perf_assets.sources.issues.opening import out_of_reach
from perf_assets.sources.rate_limit import LONGEST_WAIT
from perf_assets.stages.alert_states import StateSet
from perf_assets.stages.reviewing import Imported, import_sheet
from perf_assets.stages.transform.models import lay_views
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.lock import writing
from perf_assets.storage.warehouse import kept_open, open_warehouse

log = logging.getLogger(__name__)
T = TypeVar("T")

CLI_TAG = f"{HIDDEN_TAG_PREFIX}perf-assets/process"
WORKER_TAG = f"{HIDDEN_TAG_PREFIX}perf-assets/worker"  # on runs of perf-assets work: host, process
KILLED = "The process was killed."
QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}


def run_study(  # noqa: PLR0913
    study: Study,
    data_dir: DataDirectory,
    repositories: Sequence[str] = (),
    first: str | None = None,
    last: str | None = None,
    *,
    reconcile: bool = False,
    force: bool = False,
    longest_wait: float = LONGEST_WAIT,
    until: Until = "published",
    instance: dg.DagsterInstance | None = None,
    workers: int | None = None,
) -> list[str]:
    """Materialize every asset of ``study`` for a range of months.

    ``longest_wait`` bounds, in seconds, the waits for GitHub's rate limit. With ``reconcile``,
    issues that are due to be read again are, see ``due_cohorts``; with ``force``, everything is
    decided and computed, whether or not what it is made from changed. ``until`` is how far it goes.
    Dagster keeps its record in ``instance``, that of ``data_dir`` if none is given. Repositories of
    a study with a lake are mined by ``workers`` processes at once, by default one a core.

    Returns
    -------
    The partitions and tables that failed their audit, a sentence each; all else is done.

    Raises
    ------
    PerfAssetsError
        For whatever stops the run as a whole, or, after the others, that of a repository.
    """
    study = study.as_far_as(until)
    chosen = [study.subject(name) for name in repositories] or [
        *study.repositories,
        *study.tag_sets,
    ]
    spans = [(subject, *span_of(subject, first, last)) for subject in chosen]
    mined = [subject for subject in chosen if isinstance(subject, Repository)]
    stopped = out_of_reach(mined)
    if len(stopped) == len(chosen):
        raise _together(stopped)
    if workers is not None and study.lake is None:
        raise PerfAssetsError(
            f"{study.path}: several workers need a lake to ship to: add [lake] with its url (a "
            "folder will do), or leave --workers out"
        )
    tags = refresh_tags(COMMAND_LINE, reconcile=reconcile, force=force)
    failures: list[str] = []
    opened = _instance(data_dir) if instance is None else nullcontext(instance)
    with writing(data_dir.path), kept_open(data_dir.warehouse), opened as record:
        definitions = build_definitions(study, data_dir, longest_wait)
        if study.lake is not None:
            task = Task(first, last, reconcile, force, longest_wait, until)
            reachable = [entry.name for entry in mined if entry.name not in stopped]
            failures, errors = work_through(study, data_dir, reachable, task, workers)
            stopped |= errors
        for subject, start, end in spans:
            if subject.name in stopped or (study.lake and isinstance(subject, Repository)):
                continue
            log.info("%s: %s to %s", subject.name, start, end)
            months = range_tags(subject.name, start, end)
            try:
                for job in jobs_of(subject, until):
                    failures += _execute(definitions.resolve_job_def(job), record, tags | months)
            except PerfAssetsError as error:  # which need not concern the others
                stopped[subject.name] = error
        if until != "labels" and len(stopped) < len(spans):
            log.info("models, statistics, published database")
            failures += _execute(definitions.resolve_job_def(BUILD_MODELS), record, tags)
    if stopped:
        raise _together(stopped)
    return failures


@contextmanager
def worker(
    study: Study, data_dir: DataDirectory, task: Task
) -> Iterator[Callable[[str], list[str]]]:
    """Provide a function that brings a repository up to date and ships what changed.

    It takes the name of the repository and returns the partitions that failed their audit, a
    sentence each; all else is shipped. It raises PerfAssetsError for whatever stops it, another
    worker at the same repository, say.
    """
    host = socket.gethostname()
    own = f"{host}:{os.getpid()}"
    with (
        open_instance(data_dir.dagster) as record,
        cleanup_on_stop(lambda: cancel_runs(record, WORKER_TAG, own)),
    ):
        for run in open_runs(record, WORKER_TAG):
            place, _, process = run.tags[WORKER_TAG].rpartition(":")
            if place == host and not is_alive(process):
                record.report_run_failed(run, KILLED)
        job = build_definitions(study, data_dir, task.longest_wait).resolve_job_def(MINE_REPOSITORY)

        def work_on(name: str) -> list[str]:
            repository = study.repository(name)
            first, last = span_of(repository, task.first, task.last)
            for error in out_of_reach([repository]).values():
                raise error
            tags = refresh_tags(COMMAND_LINE, reconcile=task.reconcile, force=task.force)
            tags |= worker_tags(repository, first, last, task.until)
            with phase(f"working on {name}"):
                result = job.execute_in_process(
                    run_config=QUIET,
                    instance=record,
                    partition_key=name,
                    raise_on_error=False,
                    tags=tags | {WORKER_TAG: own},
                )
            return failures_of(result)

        yield work_on


def _together(troubles: Mapping[str, PerfAssetsError]) -> PerfAssetsError:
    return PerfAssetsError("; ".join(dict.fromkeys(map(str, troubles.values()))))


def run_replication(
    data_dir: DataDirectory,
    folder: Path | None = None,
    problems: Path | None = None,
    *,
    accept_changes: bool = False,
) -> list[str]:
    """Load the published data of the studies and derive everything from them, live data included.

    See ``perf_assets.stages.replicating.load_package``.

    Returns
    -------
    The tables that failed their audit, a sentence each.

    Raises
    ------
    PerfAssetsError
        For whatever stops the run as a whole: the previous replication stays.
    """
    config = {
        "folder": str(folder) if folder else None,
        "problems": str(problems) if problems else None,
        "accept_changes": accept_changes,
    }
    with writing(data_dir.path), _instance(data_dir) as instance:
        job = studyless_definitions(data_dir).resolve_job_def(REPLICATE_JOB)
        return _execute(
            job,
            instance,
            refresh_tags(COMMAND_LINE),
            {"ops": {"paper_package": {"config": config}}},
        )


def run_import(
    data_dir: DataDirectory, sheets: Sequence[tuple[Path, str]]
) -> list[Imported | PerfAssetsError]:
    """Import the verdicts of review sheets, each with its rater; then update what follows from all.

    Returns
    -------
    Of each sheet what was imported, or why it was refused as a whole.

    Raises
    ------
    PerfAssetsError
        All sheets are refused; or whatever stops the run.
    AuditError
        What follows from the verdicts failed its audit.
    """

    def store(writer: AuditedWriter) -> list[Imported | PerfAssetsError]:
        results: list[Imported | PerfAssetsError] = []
        for sheet, rater in sheets:
            try:
                results.append(import_sheet(writer, sheet, rater))
            except PerfAssetsError as error:
                results.append(error)
        if all(isinstance(result, PerfAssetsError) for result in results):
            raise PerfAssetsError("; ".join(map(str, results)))
        return results

    return _reviewed(data_dir, store)


def run_state(
    data_dir: DataDirectory,
    set_state: Callable[[AuditedWriter, str, str, str | None, str], StateSet],
    subject: str,
    state: str,
    note: str | None,
    person: str,
) -> StateSet:
    """Note what a person said of an alert or a regression, and bring up to date what follows.

    ``set_state`` stores it: :func:`set_alert_state` or :func:`set_regression_state`.

    Raises
    ------
    PerfAssetsError
        The subject does not exist; or whatever stops the run.
    AuditError
        What follows from it failed its audit.
    """
    return _reviewed(data_dir, lambda writer: set_state(writer, subject, state, note, person))


def _reviewed(data_dir: DataDirectory, store: Callable[[AuditedWriter], T]) -> T:
    """Let ``store`` add what a person said, and bring up to date what follows from it."""
    if not data_dir.warehouse.exists():
        raise PerfAssetsError(f"{data_dir.warehouse} is not there yet: perf-assets run makes it")
    with writing(data_dir.path), _instance(data_dir) as instance:
        with open_warehouse(data_dir.warehouse) as database:
            writer = AuditedWriter(database, data_dir)
            lay_views(writer)  # a data directory of an older version has them elsewhere
            stored = store(writer)
        job = studyless_definitions(data_dir).resolve_job_def(REVIEW)
        if failures := _execute(job, instance, refresh_tags(COMMAND_LINE)):
            raise AuditError("; ".join(failures))
    return stored


def span_of(repository: Subject, first: str | None, last: str | None) -> tuple[str, str]:
    """Return the first and last month of a run; PerfAssetsError if the study lacks them."""
    for option, month in (("--from", first), ("--to", last)):
        if month is not None and not is_month(month):
            raise PerfAssetsError(f"{option} {month!r} is not a month: write it as YYYY-MM")
    start, end = first or repository.start, last or repository.end
    if start < repository.start:
        raise PerfAssetsError(
            f"--from {start} is before {repository.start}, where the study of {repository.name} "
            "starts: choose a later month, or an earlier start in the study file"
        )
    if end > repository.end:
        newest = last_full_month()
        reason = "that month is not over" if end > newest else "the study of it ends there"
        raise PerfAssetsError(
            f"--to {end} is after {repository.end}, the last month of {repository.name}: {reason}"
        )
    if start > end:
        raise PerfAssetsError(f"{repository.name}: --from {start} is after --to {end}")
    return start, end


@contextmanager
def _instance(data_dir: DataDirectory) -> Iterator[dg.DagsterInstance]:
    """Open Dagster's record for the runs of this process, which alone writes to ``data_dir``."""
    with open_instance(data_dir.dagster) as instance:
        # A run that was killed is still marked as started, and would hold back the UI's queue.
        for run in open_runs(instance, CLI_TAG):
            instance.report_run_failed(run, KILLED)
        with cleanup_on_stop(lambda: cancel_runs(instance, CLI_TAG)):
            yield instance


def set_limits(study: Study, data_dir: DataDirectory) -> None:
    """Open Dagster's record, and let its queue run as many workers at once as there are to be.

    Without a lake it has one run at a time. It takes effect when the daemon starts.
    """
    workers = worker_count() if study.lake is not None else 0
    write_instance_config(data_dir.dagster, workers)
    with open_instance(data_dir.dagster) as instance:
        note_opening(instance)
        if workers:
            instance.event_log_storage.set_concurrency_slots(WORKER_POOL, workers)


def end_lost_runs(data_dir: DataDirectory, before: datetime) -> None:
    """Mark runs as failed that a killed UI started, ``before`` the one of ``data_dir`` opened.

    They would hold back the queue of the next one. While a run goes on, all is left as it is.
    """
    with (
        open_instance(data_dir.dagster) as instance,
        suppress(PerfAssetsError),
        writing(data_dir.path),
    ):
        for run in instance.get_runs(dg.RunsFilter(statuses=NOT_ENDED, created_before=before)):
            instance.report_run_failed(run, KILLED)


def _execute(
    job: dg.JobDefinition,
    instance: dg.DagsterInstance,
    tags: dict[str, str],
    config: dict[str, object] | None = None,
) -> list[str]:
    """Run ``job``; see ``failures_of``."""
    with phase(PROGRESS[job.name]):
        result = job.execute_in_process(
            run_config={**QUIET, **(config or {})},
            instance=instance,
            raise_on_error=False,
            tags={**tags, CLI_TAG: str(os.getpid())},
        )
    return failures_of(result)


def failures_of(result: dg.ExecuteInProcessResult) -> list[str]:
    """Return what failed its audit in a run that is over, a sentence each.

    Raises
    ------
    PerfAssetsError
        What else stopped it.
    """
    failures = []
    for event in result.filter_events(lambda event: event.is_step_failure):
        data = event.step_failure_data
        failure_data = data.user_failure_data
        if failure_data is not None and failure_data.metadata["kind"].value == "audit":
            failures.append(str(failure_data.description))
        elif failure_data is not None:
            raise PerfAssetsError(str(failure_data.description))
        else:
            raise RuntimeError(f"{event.step_key} failed: {data.error}")
    return failures
