"""The processes that this one started, and those that these did: listed, and ended."""

import os
import signal
import subprocess
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

GRACE_SECONDS = 0.4  # to end on SIGTERM, which lets git clear up what it was writing
LOOK_SECONDS = 0.02
PS_SECONDS = 10.0
PROC = Path("/proc")


def end_children() -> None:
    """End every process below this one: they get SIGTERM, and SIGKILL where that takes long."""
    terminated: set[int] = set()
    until = time.monotonic() + GRACE_SECONDS
    while time.monotonic() < until:
        left = _left(terminated)
        if not left:
            return
        send(signal.SIGTERM, left - terminated)
        terminated |= left
        time.sleep(LOOK_SECONDS)
    # Halted first: a shell that lives a moment longer than its child reports its end.
    left = _left(terminated)
    send(signal.SIGSTOP, left)
    send(signal.SIGKILL, left)


def _left(started: set[int]) -> set[int]:
    """Return the processes below this one, and those ``started`` ones whose parents ended before
    them.
    """
    parents = dict(_running())
    return _below(os.getpid(), parents) | (started & parents.keys())


def descendants(process: int) -> set[int]:
    """Return the processes that ``process`` started, and those that these did."""
    return _below(process, dict(_running()))


def _below(process: int, parents: Mapping[int, int]) -> set[int]:
    found: set[int] = set()
    young = {process}
    while young:
        young = {child for child, parent in parents.items() if parent in young}
        found |= young
    return found


def send(number: signal.Signals, processes: Iterable[int]) -> None:
    """Send a signal to each of ``processes`` that is still there."""
    for process in processes:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(process, number)


def _running() -> Iterator[tuple[int, int]]:
    """Yield each process that has not ended, and its parent."""
    for process, state, parent in listed_by_proc() if PROC.is_dir() else _listed_by_ps():
        if not state.startswith("Z"):  # ended, and not yet waited for
            yield process, parent


def listed_by_proc() -> Iterator[tuple[int, str, int]]:
    """Yield each process with its state and its parent, on Linux."""
    for entry in PROC.iterdir():
        if entry.name.isdecimal():
            with suppress(OSError):  # it has ended meanwhile
                # The name of the program, in brackets, may hold anything.
                state, parent, *_ = (entry / "stat").read_text().rpartition(")")[2].split()
                yield int(entry.name), state, int(parent)


def _listed_by_ps() -> Iterator[tuple[int, str, int]]:
    command = ["ps", "-A", "-o", "pid=,state=,ppid="]
    listed = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=PS_SECONDS
    ).stdout
    for line in listed.splitlines():
        process, state, parent = line.split()
        yield int(process), state, int(parent)
