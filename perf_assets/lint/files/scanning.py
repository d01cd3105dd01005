"""Files are checked, each in its own budget, by workers that are started once and used again."""

from __future__ import annotations

import selectors
import signal
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import cast

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.processes import shutdown
from perf_assets.base.processes.python_process import PythonProcess, receive, send
from perf_assets.lint.files.results import PATIENCE, Budget, FileResult, Skip, SourceFile
from perf_assets.lint.rules.rule import Rule

WORKER = "perf_assets.lint.files.worker"
TIMERS = (signal.SIGPROF, signal.SIGALRM)
STARTING_SECONDS = 60.0
NOTHING = SourceFile("", b"")
# How a process ends that was stopped from outside.
STOP_SIGNALS = (signal.SIGTERM, signal.SIGKILL, signal.SIGINT, signal.SIGHUP)


def scan(
    files: Iterable[SourceFile | Skip | FileResult],
    rules: Iterable[Rule],
    *,
    processes: int = 1,
    budget: Budget = Budget(),  # noqa: B008
) -> Generator[FileResult]:
    """Yield the findings of some rules in each of some files, in the order of the files.

    A file that takes more than its budget, or that ends its worker, is skipped and named, and the
    others get the results that they get alone. Files are requested when a worker has time for them,
    so that few are in memory. The workers are gone when the iterator is closed.

    Parameters
    ----------
    files
        What is to be checked. Results among them, and skips as results, are passed on in order.
    rules
        Which rules are checked. Each must be importable: that is how it gets into the worker.
    processes
        How many workers there may be at once.
    budget
        What one file may take.

    Raises
    ------
    PerfAssetsError
        No worker can be started.
    """
    crew = _Crew(tuple(rules), budget, processes)
    waiting = enumerate(files)
    done: dict[int, FileResult] = {}
    next_number = 0
    try:
        while True:
            while crew.has_room and (entry := next(waiting, None)) is not None:
                number, file = entry
                if isinstance(file, SourceFile):
                    crew.give(number, file)
                elif isinstance(file, Skip):
                    done[number] = FileResult(file.path, (), file)
                else:
                    done[number] = file
            while next_number in done:
                yield done.pop(next_number)
                next_number += 1
            if not crew.is_busy:
                return
            done.update(crew.results())
    finally:
        crew.dismiss()


@dataclass(eq=False)
class _Worker:
    """A worker, and what it is at."""

    python: PythonProcess
    is_ready: bool = False
    number: int = -1
    file: SourceFile = NOTHING
    given: int = 0


@dataclass
class _Crew:
    """The workers of one scan."""

    rules: Sequence[Rule]
    budget: Budget
    most: int
    idle: list[_Worker] = field(default_factory=list)
    busy: set[_Worker] = field(default_factory=set)
    selector: selectors.BaseSelector = field(default_factory=selectors.DefaultSelector)

    @property
    def has_room(self) -> bool:
        """Return whether a file can be given to somebody at once."""
        return len(self.busy) < self.most

    @property
    def is_busy(self) -> bool:
        """Return whether results are still to come."""
        return bool(self.busy)

    def give(self, number: int, file: SourceFile) -> None:
        """Have a file checked."""
        worker = self.idle.pop() if self.idle else self._started()
        worker.number, worker.file = number, file
        worker.given += 1
        self.busy.add(worker)
        # Where it is gone, results() says so.
        with suppress(OSError):
            send(worker.python.line, file)

    def results(self) -> Iterator[tuple[int, FileResult]]:
        """Wait for the next results, each with the number of its file."""
        ready = self.selector.select(self.budget.seconds * PATIENCE + STARTING_SECONDS)
        if not ready:  # their own timers did not end them
            for worker in self.busy:
                worker.python.process.send_signal(signal.SIGALRM)
                worker.python.process.send_signal(signal.SIGCONT)
        for key, _ in ready:
            worker = cast(_Worker, key.data)
            try:
                message = receive(worker.python.line)
            except EOFError:
                is_lost = worker in self.busy
                skip = self._loss(worker)
                if is_lost:
                    yield worker.number, FileResult(worker.file.path, (), skip)
                continue
            if not worker.is_ready:
                worker.is_ready = True
                continue
            result = cast(FileResult, message)
            self.busy.remove(worker)
            if result.skipped is None or result.skipped.reason != "memory":
                self.idle.append(worker)
                yield worker.number, result
                continue
            # What it still holds is on the account of the next file, which has its own.
            self._end(worker)
            if worker.given == 1:
                yield worker.number, result
            else:
                self.give(worker.number, worker.file)

    def dismiss(self) -> None:
        """End all workers."""
        for worker in (*self.idle, *self.busy):
            self._end(worker)
        self.selector.close()

    def _end(self, worker: _Worker) -> int:
        """End a worker, if it has not ended, and say how it did."""
        self.selector.unregister(worker.python.line)
        return worker.python.end()

    def _started(self) -> _Worker:
        try:
            worker = _Worker(PythonProcess(WORKER))
        except OSError as error:
            raise PerfAssetsError(
                f"no process can be started to check files in ({error.strerror}): end other "
                "programs, or ask for fewer --processes"
            ) from None
        self.selector.register(worker.python.line, selectors.EVENT_READ, worker)
        with suppress(OSError):
            send(worker.python.line, (self.rules, self.budget))
        return worker

    def _loss(self, worker: _Worker) -> Skip:
        """Return why a worker is gone, as the skip of its file."""
        code = worker.python.process.wait()
        self._end(worker)
        self.busy.discard(worker)
        if worker in self.idle:
            self.idle.remove(worker)
        if -code in STOP_SIGNALS:
            shutdown.block_if_stopping(after_failure=True)
        if not worker.is_ready:
            raise PerfAssetsError(
                f"the process that checks files ended before it began (exit code {code}), as it "
                "does with an address space of less than 1 GB (ulimit -v)"
            )
        return Skip(worker.file.path, *self._cause(code))

    def _cause(self, code: int) -> tuple[str, str]:
        if -code in TIMERS:
            return "time", f"it takes more than {self.budget.seconds:g} s"
        how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        return "crash", f"it ended the process that checked it ({how})"
