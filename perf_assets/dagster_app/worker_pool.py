"""The workers of one machine: processes that take one repository after the other, several at once.

Each is ``perf-assets work --listen``: it reads the name of a repository from its standard input,
and answers with a line of JSON when it is done with it.
"""

import json
import os
import queue
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from typing import Any

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.errors.messages import explain_error
from perf_assets.base.processes import child
from perf_assets.base.processes.child import Child
from perf_assets.base.processes.progress import Phase, phase
from perf_assets.base.sanitize import shortened
from perf_assets.config.data_directory import DataDirectory
from perf_assets.config.study import Study, Until

COUNT = "PERF_ASSETS_WORKERS"
MOST = 256
TRIES = 2  # of a repository whose worker was lost


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
        given = {"--from": self.first, "--to": self.last, "--until": self.until}
        flags = (("--reconcile", self.reconcile), ("--force", self.force))
        return [
            *("--max-wait", str(self.longest_wait / 60)),
            *(part for option, value in given.items() if value for part in (option, value)),
            *(flag for flag, is_set in flags if is_set),
        ]


ENDING_SECONDS = 60.0  # for a worker that has nothing left to do


@dataclass
class Results:
    """What workers did.

    failures : what failed its audit, a sentence each; all else is shipped.
    stopped : the repositories that were not done, and why.
    """

    failures: list[str] = field(default_factory=list)
    stopped: dict[str, PerfAssetsError] = field(default_factory=dict)


def worker_count() -> int:
    """Return how many workers there are if nobody says: as the environment says, else one a core.

    Raises
    ------
    PerfAssetsError
        The environment says nonsense.
    """
    given = os.environ.get(COUNT)
    if given is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
    if not given.isdecimal() or len(given) > len(str(MOST)) or not 1 <= int(given) <= MOST:
        shown = shortened(given, 60)
        raise PerfAssetsError(f"{COUNT}={shown!r} is not a number from 1 to {MOST}: write one")
    return int(given)


def work_through(
    study: Study,
    data_dir: DataDirectory,
    names: Sequence[str],
    task: Task,
    workers: int | None = None,
) -> Results:
    """Have ``workers`` processes take the repositories of these ``names``, one after the other.

    A worker that is lost is replaced, and its repository taken once more.
    """
    common = ["--study", str(study.path), "--data-dir", str(data_dir.path)]
    with phase("mining repositories", len(names), "repositories") as progress:
        return _shared(names, workers or worker_count(), [*common, *task.options], progress)


def _shared(names: Sequence[str], workers: int, options: Sequence[str], progress: Phase) -> Results:
    waiting: queue.SimpleQueue[str] = queue.SimpleQueue()
    for name in names:
        waiting.put(name)
    results, lock, done = Results(), threading.Lock(), iter(range(1, len(names) + 1))

    def take() -> None:
        worker = _Worker(options)
        while (name := _next(waiting)) is not None:
            failures, stopped = worker.run(name)
            with lock:
                results.failures += failures
                if stopped is not None:
                    results.stopped[name] = PerfAssetsError(stopped)
                progress(next(done))
        worker.end()

    threads = [threading.Thread(target=take) for _ in range(min(workers, len(names)))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


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


def _next(waiting: "queue.SimpleQueue[str]") -> str | None:
    try:
        return waiting.get_nowait()
    except queue.Empty:
        return None


class _Worker:
    """A process that is started when it is needed, and again when it was lost."""

    def __init__(self, options: Sequence[str]) -> None:
        self._command = [sys.executable, "-m", "perf_assets", "work", "--listen", *options]
        self._process: Child | None = None

    def run(self, name: str) -> tuple[list[str], str | None]:
        """Return its failures, and why it stopped if it did."""
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
        """Let it go."""
        if self._process is None:
            return
        try:
            self._process.communicate(timeout=ENDING_SECONDS)
        except child.TimeoutExpired:
            self._lost()

    def _request(self, name: str) -> dict[str, Any] | None:
        """Return what it answers; ``None`` where it ended instead."""
        process = self._running()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(f"{name}\n".encode())
            process.stdin.flush()
        except BrokenPipeError:
            return None
        for line in process.stdout:
            if line.startswith(b"{"):
                answer: dict[str, Any] = json.loads(line)
                return answer
        return None

    def _running(self) -> Child:
        if self._process is None:
            self._process = child.start(
                self._command,
                stdin=child.PIPE,
                stdout=child.PIPE,
                stderr=child.PIPE,
                apart="group",  # Ctrl-C is for us, who end them
            )
            child.forward(self._process)
        return self._process

    def _lost(self) -> int:
        assert self._process is not None
        code = child.end(self._process)
        self._process.communicate()  # closes its pipes
        self._process = None
        return code
