"""Start a child process, end it, and end it when it makes no progress.

Nothing else in the package starts processes. This module needs the standard library alone: the
reaper of ``children.py`` starts without any other, in a hundredth of a second.
"""

from __future__ import annotations

import fcntl
import os
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Literal

PIPE, DEVNULL = subprocess.PIPE, subprocess.DEVNULL
Child = subprocess.Popen[bytes]
TimeoutExpired = subprocess.TimeoutExpired

IDLE_SECONDS = 300.0
LEAST_BYTES = 2_000  # in that time; a server that still counts objects says more
LEAST_PROCESSOR_SECONDS = 0.5  # in that time; reading from a slow disk takes more
IDLE_CHECK_SECONDS = 0.5
CLEANUP_SECONDS = 2.0  # for a process that is ended to delete what it was writing
PS_SECONDS = 10.0
PROC = Path("/proc")
silenced = threading.Event()
"""Set when this process ends its children: `forward` drops what they still print."""
TIMES = slice(11, 15)  # user and system time of a process, and of its children that have ended


def start(
    command: Sequence[str],
    *,
    env: Mapping[str, str] | None = None,
    cwd: str | Path | None = None,
    stdin: int | IO[bytes] = DEVNULL,
    stdout: int | None = None,
    stderr: int | IO[bytes] | None = None,
    pass_fds: Sequence[int] = (),
    apart: Literal["group", "session"] | None = None,
) -> Child:
    """Start a process; ``apart``, in its own group or session, Ctrl-C does not reach it.

    Raises
    ------
    OSError
        The process cannot be started.
    """
    # A group of its own needs Python 3.11: before, the static checks get a session.
    is_group = apart == "group" and sys.version_info >= (3, 11)
    group: dict[str, Any] = {"process_group": 0} if is_group else {}
    return subprocess.Popen(
        command,
        env=env,
        cwd=cwd,
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        pass_fds=pass_fds,
        start_new_session=apart is not None and not group,
        **group,
    )


def run(
    command: Sequence[str], *, env: Mapping[str, str] | None = None, seconds: float | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command without input to its end and return its output.

    Raises
    ------
    OSError
        The process cannot be started.
    TimeoutExpired
        It took longer than ``seconds``, and was ended.
    """
    return subprocess.run(
        command,
        env=env,
        stdin=DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=seconds,
        check=False,
    )


def python(
    module: str, function: str, *arguments: str | int, flags: Sequence[str] = ()
) -> list[str]:
    """Return the command that calls ``function`` of ``module`` with ``arguments``.

    It imports from where this process does (-I: from nowhere else). The working directory may hold
    anything: no file of a checked project may run as a module of Python.
    """
    path = [entry for entry in sys.path if entry]
    call = f"{function}({', '.join(map(repr, arguments))})"
    program = f"import sys; sys.path[:] = {path!r}; from {module} import {function}; {call}"
    return [sys.executable, "-I", "-W", "ignore", *flags, "-c", program]


def end(process: Child, seconds: float = 0.0) -> int:
    """End a process and those below it, and return its exit code.

    With ``seconds`` to clean up, SIGTERM comes first.
    """
    started = descendants(process.pid) if process.poll() is None else set()
    if seconds:
        process.terminate()
        with suppress(TimeoutExpired):
            process.wait(seconds)
    process.kill()
    send(signal.SIGKILL, started)
    return process.wait()


def forward(process: Child) -> threading.Thread:
    """Return a thread that passes on what a child prints to its standard error, a pipe.

    It passes on whole lines, until the child is ended: programs that catch SIGTERM print that they
    were stopped or aborted. Only the process that a person started reports that.
    """

    errors, process.stderr = process.stderr, None  # nobody else reads or closes it
    assert errors is not None

    def pass_on() -> None:
        with errors:
            for line in errors:
                if not silenced.is_set():
                    with suppress(OSError):
                        os.write(2, line)

    thread = threading.Thread(target=pass_on, name="forward", daemon=True)
    thread.start()
    return thread


# ---- a process without progress


@dataclass
class Watch:
    """Whether a process was ended because it was idle."""

    has_ended_it: bool = False


@contextmanager
def ended_when_idle(process: Child, written: Callable[[], int] = lambda: 0) -> Iterator[Watch]:
    """End ``process`` when it makes no progress for `IDLE_SECONDS` inside the block.

    Progress is what the process and those below it write, and the processor time that they take. A
    process that waits for a server or a disk that no longer answers has neither. Nor has one that
    gets a byte now and then: `LEAST_BYTES` and `LEAST_PROCESSOR_SECONDS` are the least.

    ``written`` returns how many bytes the process has written until now, if that can be measured.
    """
    watch, is_over = Watch(), threading.Event()
    arguments = (process, written, watch, is_over)
    threading.Thread(target=_end_when_idle, args=arguments, name="idle", daemon=True).start()
    try:
        yield watch
    finally:
        is_over.set()


def _end_when_idle(
    process: Child, written: Callable[[], int], watch: Watch, is_over: threading.Event
) -> None:
    since, last_bytes, last_seconds = time.monotonic(), 0, 0.0
    while not is_over.wait(IDLE_CHECK_SECONDS):
        idle = time.monotonic() - since
        if idle < IDLE_SECONDS / 4 or process.poll() is not None:
            continue
        # The process may end, and its files be closed, meanwhile.
        with suppress(OSError, ValueError, TimeoutExpired):
            count, seconds = written(), _processor_seconds(process.pid)
            if (
                count - last_bytes >= LEAST_BYTES
                or seconds - last_seconds >= LEAST_PROCESSOR_SECONDS
            ):
                since, last_bytes, last_seconds = since + idle, count, seconds
            elif idle >= IDLE_SECONDS:
                watch.has_ended_it = True
                end(process, CLEANUP_SECONDS)


def unread(output: IO[bytes]) -> Callable[[], int]:
    """Count as written what waits to be read: a process that waits for its reader is not idle."""
    checks = 0

    def written() -> int:
        nonlocal checks
        with suppress(ValueError, OSError):  # it is closed
            waiting = fcntl.ioctl(output, termios.FIONREAD, bytes(struct.calcsize("i")))
            checks += any(waiting)
        return checks * LEAST_BYTES

    return written


def _processor_seconds(process: int) -> float:
    """Return the processor time of a process and those below it."""
    seconds, parents = {}, {}
    for number, parent, taken in listed():
        seconds[number], parents[number] = taken, parent
    return sum(seconds.get(number, 0.0) for number in {process, *below(process, parents)})


# ---- the processes of the machine


def descendants(process: int) -> set[int]:
    """Return the processes that ``process`` started, and those that these did."""
    return below(process, {number: parent for number, parent, _ in listed()})


def below(process: int, parents: Mapping[int, int]) -> set[int]:
    """Return the descendants of ``process`` among processes whose parents are known."""
    descendants: set[int] = set()
    young = {process}
    while young:
        young = {number for number, parent in parents.items() if parent in young}
        descendants |= young
    return descendants


def send(number: signal.Signals, processes: Iterable[int]) -> None:
    """Send a signal to each of ``processes`` that still exists."""
    for process in processes:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(process, number)


def listed() -> Iterator[tuple[int, int, float]]:
    """Yield each process that has not ended, its parent, and the processor seconds it has taken."""
    for process, state, parent, seconds in _listed_by_proc() if PROC.is_dir() else _listed_by_ps():
        if not state.startswith("Z"):  # ended, and not yet waited for
            yield process, parent, seconds


def _listed_by_proc() -> Iterator[tuple[int, str, int, float]]:
    for entry in PROC.iterdir():
        if entry.name.isdecimal():
            with suppress(OSError):  # it has ended meanwhile
                # The name of the program, in brackets, may hold anything.
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                ticks = sum(map(int, fields[TIMES]))
                yield int(entry.name), fields[0], int(fields[1]), ticks / os.sysconf("SC_CLK_TCK")


def _listed_by_ps() -> Iterator[tuple[int, str, int, float]]:
    command = ["ps", "-A", "-o", "pid=,state=,ppid=,time="]
    for line in run(command, seconds=PS_SECONDS).stdout.splitlines():
        process, state, parent, clock = line.split()
        seconds = 0.0
        for part in clock.replace("-", ":").split(":"):  # as 1:02:03.4
            seconds = 60 * seconds + float(part)
        yield int(process), state, int(parent), seconds
