"""With a lake: workers mine repositories, each in a data directory of its own.

A run of Dagster mines one repository. The assets are those of one machine, with the same rules.
They are partitioned by repository alone: a million months would be too many for a page, and a run
brings all months of its repository up to date.

The command line has processes for these runs, several at once. Each is ``perf-assets work
--listen``: it reads names of repositories from its standard input, and answers each with a line
of JSON.
"""

import json
import multiprocessing
import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stdout
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import urlsplit

import dagster as dg

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.errors.messages import explain_error
from perf_assets.base.processes import child
from perf_assets.base.processes.child import Child
from perf_assets.base.processes.progress import phase
from perf_assets.base.sanitize import shortened
from perf_assets.config.data_directory import DataDirectory
from perf_assets.config.repositories import Repository
from perf_assets.config.study import Study, Until
from perf_assets.dagster_app.checks import check_specs
from perf_assets.dagster_app.event_reporting import Event, EventReporter, refusal
from perf_assets.dagster_app.executor import WORKER
from perf_assets.dagster_app.factory import Stored, friendly_errors, open_writer, specs_together
from perf_assets.dagster_app.keys import Place
from perf_assets.dagster_app.partitions import HOST, MONTHS, REPOSITORY
from perf_assets.dagster_app.run_options import FORCE_TAG
from perf_assets.schema.models.asset_graph import asset_for_table
from perf_assets.stages.steps import StepOptions

NICE = 10
POOL = "workers"
"""As many runs of this pool go on at once as one account, or one host that is queried, bears."""
FIRST, LAST, UNTIL = "perf-assets/from", "perf-assets/to", "perf-assets/until"
"""Tags of a run for less than all months, or that goes less far."""

COUNT = "PERF_ASSETS_WORKERS"
MOST = 256
TRIES = 2  # of a repository whose worker was lost
ENDING_SECONDS = 60.0  # for a worker that has nothing left to do


def worker_assets(
    study: Study, place: Place, whats: Sequence[Stored], longest_wait: float
) -> dg.AssetsDefinition:
    """Return the assets ``whats`` of all repositories of a study with a lake, as one step."""
    partitions = dg.StaticPartitionsDefinition([entry.name for entry in study.repositories])
    tables = [table for what in whats for table in what.tables]
    data_dir = place.data_dir

    @dg.multi_asset(
        name=place.named(WORKER),
        description="Mines, labels and links one repository, and pushes what changed.",
        specs=specs_together(whats, partitions),
        check_specs=check_specs(tables, partitions),
        partitions_def=partitions,
        can_subset=True,  # of what is reported; all of it is always done
        pool=place.named(POOL),
    )
    def repository_worker(context: dg.AssetExecutionContext) -> Iterator[Event]:
        # What mines takes long to import: only who does should wait for it.
        from perf_assets.stages.working import work  # noqa: PLC0415

        # Dagster's code server, which started this process, ends when it gets no word in half a
        # minute, as on a machine that is busy: the processes of the UI go first.
        if multiprocessing.parent_process() is not None:
            os.nice(NICE)
        repository = study.repository(context.partition_key)
        tags, reporter = context.run_tags, EventReporter(context)
        months = repository.months_within(tags.get(FIRST), tags.get(LAST))
        options = StepOptions(reporter.options.is_reconciling, FORCE_TAG in tags, longest_wait)
        until = cast(Until, tags.get(UNTIL, "published"))
        with friendly_errors(data_dir):
            done = work(study, data_dir, repository, months, options, until)
            with open_writer(data_dir.worker(repository.name)) as writer:
                loads = [
                    load
                    for table in tables
                    for load in writer.database.loads(table, repository.name).to_dicts()
                    if load["status"] == "loaded" and load["month"] in months
                ]
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
        yield from reporter.report_checks(broken, checked)
        if done.failures:
            raise refusal(done.failures)
        for what in whats:
            for asset in what.assets:
                yield from reporter.done(asset)

    return repository_worker


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
    return urlsplit(repository.api).netloc.rpartition("@")[2]


@dataclass(frozen=True)
class Task:
    """The options of each worker: see ``perf_assets.dagster_app.execution.run_study``."""

    first: str | None
    last: str | None
    reconcile: bool
    force: bool
    longest_wait: float
    until: Until

    @property
    def options(self) -> list[str]:
        """As ``perf-assets work`` has it."""
        values = {"--from": self.first, "--to": self.last, "--until": self.until}
        flags = {"--reconcile": self.reconcile, "--force": self.force}
        return [
            *("--max-wait", str(self.longest_wait / 60)),
            *(part for option, value in values.items() if value for part in (option, value)),
            *(flag for flag, is_set in flags.items() if is_set),
        ]


def worker_count() -> int:
    """Return the number of workers by the environment's variable; without it, one a core.

    Raises
    ------
    PerfAssetsError
        The variable is not such a number.
    """
    text = os.environ.get(COUNT)
    if text is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
    if not text.isdecimal() or len(text) > len(str(MOST)) or not 1 <= int(text) <= MOST:
        shown = shortened(text, 60)
        raise PerfAssetsError(f"{COUNT}={shown!r} is not a number from 1 to {MOST}: write one")
    return int(text)


def work_through(
    study: Study, data_dir: DataDirectory, names: Sequence[str], task: Task, workers: int | None
) -> tuple[list[str], dict[str, PerfAssetsError]]:
    """Have ``workers`` processes mine the repositories of these ``names``, one after the other.

    A worker that is lost is replaced, and its repository mined once more.

    Returns
    -------
    What failed its audit, a sentence each; and the repositories that were not done, with the error.
    """
    place = ["--study", str(study.path), "--data-dir", str(data_dir.path)]
    command = [sys.executable, "-m", "perf_assets", "work", "--listen", *place, *task.options]
    all_failures: list[str] = []
    errors: dict[str, PerfAssetsError] = {}
    lock = threading.Lock()
    waiting, done = iter(names), iter(range(1, len(names) + 1))

    def take() -> None:
        worker = _Worker(command)
        try:
            for name in waiting:
                try:
                    failures, stopped = worker.run(name)
                except OSError as error:  # no process can be started: its repository fails alone
                    failures, stopped = [], explain_error(error, data_dir.path) or str(error)
                with lock:
                    all_failures.extend(failures)
                    if stopped is not None:
                        errors[name] = PerfAssetsError(stopped)
                    progress(next(done))
        finally:
            worker.end()

    count = min(workers or worker_count(), len(names))
    with (
        phase("mining repositories", len(names), "repositories") as progress,
        ThreadPoolExecutor(max(count, 1)) as threads,
    ):
        for future in [threads.submit(take) for _ in range(count)]:
            future.result()
    return all_failures, errors


def serve(work_on: Callable[[str], list[str]], data_dir: DataDirectory) -> None:
    """Answer each line of standard input, as the process of a worker; libraries may print too."""
    answers = sys.stdout
    with redirect_stdout(sys.stderr):
        for line in sys.stdin:
            name = line.strip()
            failures, stopped = [], None
            try:
                failures = work_on(name)
            except (PerfAssetsError, OSError, MemoryError) as error:
                stopped = explain_error(error, data_dir.path)
                if stopped is None:
                    raise
            answer = {"repository": name, "failures": failures, "stopped": stopped}
            print(json.dumps(answer), file=answers, flush=True)


class _Worker:
    """A process that is started when it is needed, and again when it was lost."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command = command
        self._process: Child | None = None

    def run(self, name: str) -> tuple[list[str], str | None]:
        """Return the failures of a repository, and why the worker stopped if it did."""
        for _ in range(TRIES):
            answer = self._request(name)
            if answer is not None:
                return answer["failures"], answer["stopped"]
            code = self._lost()
        return (
            [],
            f"{name}: its worker ended by itself (exit code {code}), {TRIES} times: run again",
        )

    def end(self) -> None:
        """Let the process end."""
        if self._process is not None:
            try:
                self._process.communicate(timeout=ENDING_SECONDS)
            except child.TimeoutExpired:
                self._lost()

    def _request(self, name: str) -> dict[str, Any] | None:
        """Return what the process answers; ``None`` if it ended instead."""
        if self._process is None:
            self._process = child.start(
                self._command,
                stdin=child.PIPE,
                stdout=child.PIPE,
                stderr=child.PIPE,
                apart="group",  # Ctrl-C is for us, who end them
            )
            child.forward(self._process)
        questions, answers = self._process.stdin, self._process.stdout
        assert questions is not None and answers is not None
        try:
            questions.write(f"{name}\n".encode())
            questions.flush()
        except BrokenPipeError:
            return None
        # Libraries may print lines of their own.
        answer = next((line for line in answers if line.startswith(b"{")), None)
        return None if answer is None else cast(dict[str, Any], json.loads(answer))

    def _lost(self) -> int:
        assert self._process is not None
        code = child.end(self._process)
        self._process.communicate()  # closes its pipes
        self._process = None
        return code
