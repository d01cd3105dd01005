"""Being a worker of the command line: one repository after the other, with Dagster's record."""

import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from perf_assets.base.pids import is_alive
from perf_assets.base.processes.progress import phase
from perf_assets.base.processes.shutdown import cleanup_on_stop
from perf_assets.config.data_directory import DataDirectory
from perf_assets.config.study import Study
from perf_assets.dagster_app.dagster_internals import HIDDEN_TAG_PREFIX
from perf_assets.dagster_app.definitions import build_definitions
from perf_assets.dagster_app.execution import QUIET, failures_of, span_of
from perf_assets.dagster_app.instance import open_instance
from perf_assets.dagster_app.jobs import MINE_REPOSITORY
from perf_assets.dagster_app.open_runs import cancel_runs, open_runs
from perf_assets.dagster_app.run_options import COMMAND_LINE, refresh_tags
from perf_assets.dagster_app.worker_pool import Task
from perf_assets.dagster_app.workers import worker_tags
from perf_assets.sources.issue_source_factory import out_of_reach

TAG = f"{HIDDEN_TAG_PREFIX}perf-assets/worker"  # on its runs: host and process


@contextmanager
def worker(
    study: Study, data_dir: DataDirectory, task: Task
) -> Iterator[Callable[[str], list[str]]]:
    """Provide what is called with the name of a repository, brings it up to date, and ships what
    changed.

    It returns the partitions that failed their audit, a sentence each; all else is shipped. It
    raises PerfAssetsError for whatever stops it, another worker at the same repository, say.
    """
    own = f"{socket.gethostname()}:{os.getpid()}"
    with (
        open_instance(data_dir.dagster) as record,
        cleanup_on_stop(lambda: cancel_runs(record, TAG, own)),
    ):
        for run in open_runs(record, TAG):
            if _is_lost(run.tags[TAG]):
                record.report_run_failed(run, "The process was killed.")
        job = build_definitions(study, data_dir, task.longest_wait).resolve_job_def(MINE_REPOSITORY)

        def work_on(name: str) -> list[str]:
            repository = study.repository(name)
            first, last = span_of(repository, task.first, task.last)
            for error in out_of_reach([repository]).values():
                raise error
            tags = refresh_tags(COMMAND_LINE, reconcile=task.reconcile, force=task.force)
            with phase(f"working on {name}"):
                result = job.execute_in_process(
                    run_config=QUIET,
                    instance=record,
                    partition_key=name,
                    raise_on_error=False,
                    tags={**tags, **worker_tags(repository, first, last, task.until), TAG: own},
                )
            return failures_of(result)

        yield work_on


def _is_lost(process: str) -> bool:
    """Return whether it was a process of this machine that is no more."""
    host, _, number = process.rpartition(":")
    return host == socket.gethostname() and not is_alive(number)
