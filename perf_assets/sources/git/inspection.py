"""The analysis of single fix commits, in a pool of processes: PyDriller's details, and SZZ.

A process of its own (``inspection_worker.py``) can be limited in time, dies alone, and ends with
us.
"""

import fcntl
import json
import os
import signal
import sys
from collections.abc import Collection, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import perf_assets
from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.processes import shutdown
from perf_assets.base.processes.child import Child, ended_when_idle, unread
from perf_assets.base.processes.progress import phase
from perf_assets.sources.git import inspection_worker
from perf_assets.sources.git.command import (
    GitError,
    at_work,
    error_line,
    in_lines,
    lines_of,
    local_environment,
    read_clone,
    readable,
    reason_of,
)
from perf_assets.sources.git.inspection_worker import AT_ONCE, Inspected
from perf_assets.sources.git.szz.ignored import trace_through
from perf_assets.sources.git.szz.introducing import Trace, trace_by_blame
from perf_assets.sources.git.szz.removed_lines import RemovedCode, RemovedFrom

if TYPE_CHECKING:  # a run without new fixes should not wait for it
    from perf_assets.sources.git.szz.line_history import LineHistory

_AtWork = tuple[Child, IO[bytes]]

WORKERS = 2
_WORTH_A_HISTORY = 20  # commits: for fewer, a refresh need not read what exists
_TRACED_AT_ONCE = 100  # commits whose lines are followed together

# How a process ends that the machine's memory, or a fault in a library, stopped.
# SIGTERM is for one that makes no progress.
_CRASHES = {-getattr(signal, f"SIG{name}") for name in ("KILL", "SEGV", "ABRT", "BUS", "TERM")}


@dataclass(frozen=True)
class CommitInspection:
    """One commit: PyDriller's details, or why there are none (``problem``), and the SZZ trace."""

    sha: str
    details: dict[str, Any] | None = None
    problem: str | None = None
    trace: Trace = field(default_factory=Trace)


def inspect_commits(
    clone: Path, shas: Sequence[str], listed: Collection[str] = frozenset()
) -> Generator[CommitInspection, None, None]:
    """Look closely at the commits ``shas`` of the bare repository ``clone``, none of them a merge.

    Lines are followed through the ``listed`` commits, see :func:`trace_through`.

    Nothing is written to the clone. What cannot be analysed comes with a reason, in its turn; a
    commit that takes down its process does too.

    Yields
    ------
    CommitInspection : one for each commit, in the order of ``shas``.

    Raises
    ------
    PerfAssetsError : a commit is not in the clone, or the processes cannot be run.
    """
    _require(clone, shas)
    count = WORKERS if len(shas) > AT_ONCE else 1
    pieces = [shas[first : first + AT_ONCE] for first in range(0, len(shas), AT_ONCE)]
    with ExitStack() as stack:
        # The history is read while the processes are at their first commits.
        pool = ThreadPoolExecutor(1)
        stack.callback(pool.shutdown, wait=False)
        history = pool.submit(_history, clone, shas)
        lanes = [
            stack.enter_context(_lane(clone, list(chain(*pieces[n::count])))) for n in range(count)
        ]
        waiting: list[Inspected] = []
        for index, sha in enumerate(shas):
            with phase(f"analysing the files of commit {sha[:12]}"):
                waiting.append(next(lanes[index // AT_ONCE % count]))
            if len(waiting) >= _TRACED_AT_ONCE and history.done():
                yield from _traced_together(clone, history.result(), waiting, listed)
                waiting = []
        with phase(f"reading the history that {len(shas):,} commits descend from"):
            read = history.result()
        for first in range(0, len(waiting), _TRACED_AT_ONCE):
            together = waiting[first : first + _TRACED_AT_ONCE]
            yield from _traced_together(clone, read, together, listed)


def _history(clone: Path, shas: Sequence[str]) -> "LineHistory | None":
    """Return what traces where lines come from; None where git is run commit by commit."""
    if len(shas) < _WORTH_A_HISTORY:
        return None
    from perf_assets.sources.git.szz.line_history import LineHistory  # noqa: PLC0415

    try:
        return LineHistory(clone, shas)
    except GitError:  # what is not there may be of no importance for most commits
        return None


def _traced_together(
    clone: Path,
    history: "LineHistory | None",
    inspected: Sequence[Inspected],
    listed: Collection[str],
) -> list[CommitInspection]:
    with phase(f"tracing the lines that {len(inspected)} commits remove"):
        return list(_traced(clone, history, inspected, listed))


def _traced(
    clone: Path,
    history: "LineHistory | None",
    inspected: Sequence[Inspected],
    listed: Collection[str],
) -> Iterator[CommitInspection]:
    fixes = [(commit.sha, commit.removed) for commit in inspected]
    try:
        traces = trace_by_blame(clone, fixes) if history is None else history.trace(fixes)
        traces = [
            trace_through(clone, fix, trace, listed)
            for fix, trace in zip(fixes, traces, strict=True)
        ]
    except GitError as failure:
        if len(inspected) > 1:
            for commit in inspected:
                yield from _traced(clone, None, [commit], listed)
            return
        traces = [Trace(problem=reason_of(failure))]
    for commit, trace in zip(inspected, traces, strict=True):
        yield CommitInspection(commit.sha, commit.details, commit.problem, trace)


def _require(clone: Path, shas: Sequence[str]) -> None:
    """Tell what a damaged clone lacks before it is taken for a fault of the commits."""
    names = [f"{sha}^{{commit}}" for sha in shas]
    try:
        answers = lines_of(
            read_clone(clone, "cat-file", "--batch-check=%(objectname)", names=names)
        )
    except GitError as failure:
        raise _damaged(clone, error_line(failure.stderr)) from None
    for sha, answer in zip(shas, answers, strict=True):
        if answer != sha:
            raise _damaged(clone, f"commit {sha} is not there")


def _damaged(clone: Path, message: str) -> PerfAssetsError:
    return PerfAssetsError(
        f"the git clone at {clone} cannot be read ({message}): delete that directory and run "
        "again, and it is cloned anew"
    )


@contextmanager
def _lane(clone: Path, shas: Sequence[str]) -> Iterator[Iterator[Inspected]]:
    """Provide the commits of one worker, which begins at once; it is gone when the block ends."""
    with ExitStack() as running:
        yield _answers(clone, shas, running, running.enter_context(_worker(clone, shas)))


def _answers(
    clone: Path, shas: Sequence[str], running: ExitStack, at_work: _AtWork
) -> Iterator[Inspected]:
    """Yield what a worker finds; a new one takes over where a commit took it down."""
    left = list(shas)
    worker, stderr = at_work
    while True:
        assert worker.stdout is not None
        for line in worker.stdout:
            if not line.endswith(b"\n"):
                break
            yield _parsed(line)
            del left[0]
        status = worker.wait()
        if status:  # it may have died because we are stopped
            shutdown.block_if_stopping(after_failure=True)
        if status in _CRASHES:
            reason = f"the process that analysed it was stopped by signal {-status}"
            yield Inspected(left.pop(0), problem=reason, removed=RemovedCode(problem=reason))
        elif status:
            stderr.seek(0)
            raise PerfAssetsError(
                f"commit {left[0]} cannot be analysed ({error_line(readable(stderr.read()))}): "
                "install PyDriller as perf-assets needs it and run again"
            )
        running.close()
        if not left:
            return
        worker, stderr = running.enter_context(_worker(clone, left))


@contextmanager
def _worker(clone: Path, shas: Sequence[str]) -> Iterator[_AtWork]:
    """Provide a process at work on ``shas`` and its errors; it is gone when the block ends."""
    command = [sys.executable, "-m", inspection_worker.__name__, str(clone)]
    with at_work(command, _environment(), in_lines(shas)) as (worker, stderr):
        assert worker.stdout is not None
        if hasattr(fcntl, "F_SETPIPE_SZ"):  # room for a worker to go on while we do not read
            fcntl.fcntl(worker.stdout, fcntl.F_SETPIPE_SZ, 1 << 20)
        with ended_when_idle(worker, unread(worker.stdout)):
            yield worker, stderr


def _environment() -> dict[str, str]:
    """Return that of a reading git, and what Python needs to find this package."""
    package = str(Path(perf_assets.__file__).parents[1])
    inherited = os.environ.get("PYTHONPATH")
    return local_environment(
        {
            "PYTHONPATH": os.pathsep.join([package, inherited] if inherited else [package]),
            "PYTHONUTF8": "1",
        }
    )


def _parsed(line: bytes) -> Inspected:
    read = json.loads(line)
    removed = read.pop("removed")
    files = [RemovedFrom(**file) for file in removed["files"]]
    return Inspected(**read, removed=RemovedCode(files, removed["problem"]))
