"""End what this process started: when it is stopped, and, by a reaper, when it was killed.

A process that is killed ends nothing. So another one, the reaper, waits until the first is gone,
and ends what that one started: on Linux, where the environment of each process can be read, and so
says which command started it. Elsewhere there is no reaper.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import suppress

from perf_assets.base.processes import child
from perf_assets.base.processes.child import PROC, listed, send

GRACE_SECONDS = 0.4  # to end on SIGTERM, which lets git clear up what it was writing
CHECK_SECONDS = 0.02
COMMAND = "PERF_ASSETS_COMMAND"  # in the environment of what a command starts: which command
REAP_SECONDS = 4.0  # a process that is just starting shows its environment once its program runs
REAP_CHECK_SECONDS = 0.2
FINISHED = b"."


def end_children() -> None:
    """End every process below this one: they get SIGTERM, and SIGKILL where that takes long.

    What they print about it is dropped: see ``child.forward``.
    """
    child.silenced.set()
    terminated: set[int] = set()
    until = time.monotonic() + GRACE_SECONDS
    while time.monotonic() < until:
        left = _left(terminated)
        if not left:
            return
        send(signal.SIGTERM, left - terminated)
        terminated |= left
        time.sleep(CHECK_SECONDS)
    # Halted first: a shell that lives a moment longer than its child reports its end.
    left = _left(terminated)
    send(signal.SIGSTOP, left)
    send(signal.SIGKILL, left)


def _left(terminated: set[int]) -> set[int]:
    """Return the processes below this one, and ``terminated`` ones whose parents ended first."""
    parents = {number: parent for number, parent, _ in listed()}
    return child.below(os.getpid(), parents) | (terminated & parents.keys())


def start_reaper() -> Callable[[], None]:
    """Start the process that ends what this process starts from now on, should this one be killed.

    The function that is returned dismisses it when the work is finished.
    """
    if not PROC.is_dir():
        return lambda: None
    command = f"{os.getpid()}-{time.time_ns()}"
    try:
        reaper = child.start(
            # -S: the standard library is enough, and starts in a hundredth of a second.
            child.python(__name__, reap.__name__, command, 0, flags=["-S"]),
            stdin=child.PIPE,
            stdout=child.DEVNULL,
            stderr=child.DEVNULL,
            cwd=os.sep,
            env={},  # the reaper is not reaped itself
            apart="session",  # what ends this process must not end the reaper too
        )
    except OSError:  # no process can be started, so there will be no children either
        return lambda: None
    os.environ[COMMAND] = command

    def dismiss() -> None:
        assert reaper.stdin is not None
        with suppress(OSError):
            os.write(reaper.stdin.fileno(), FINISHED)

    return dismiss


def reap(command: str, until_closed: int) -> None:
    """End what ``command`` started when the other end of the pipe ``until_closed`` is closed.

    Nothing is ended where that end says that the work is finished.
    """
    if os.read(until_closed, 1) == FINISHED:
        return
    mark = f"{COMMAND}={command}".encode()
    begun = time.monotonic()
    while (seconds := time.monotonic() - begun) < REAP_SECONDS:
        send(signal.SIGTERM if seconds < GRACE_SECONDS else signal.SIGKILL, _marked(mark))
        time.sleep(REAP_CHECK_SECONDS)


def _marked(mark: bytes) -> Iterator[int]:
    for process, _, _ in listed():
        with suppress(OSError):  # it has ended meanwhile, or is another user's
            if mark in (PROC / str(process) / "environ").read_bytes().split(b"\0"):
                yield process
