"""Ends what a command had started when the command itself was killed.

A process that is killed ends nothing. So another one, the reaper, waits until the first is gone,
and ends what that one started: on Linux, where the environment of each process can be read, and so
says which command started it. Elsewhere there is no reaper.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

from perf_assets.base.processes.children import GRACE_SECONDS, PROC, listed_by_proc, send

COMMAND = "PERF_ASSETS_COMMAND"  # in the environment of what a command starts: which command
SECONDS = 4.0  # what is just being started shows its environment only once its program runs
LOOK_SECONDS = 0.2
FINISHED = b"."
# -S: nothing but the standard library is needed, and that starts in a hundredth of a second.
PROGRAM = (
    "import sys; sys.path.insert(0, {path!r}); "
    "from perf_assets.base.processes.reaper import reap; reap({command!r}, 0)"
)


def start_reaper() -> Callable[[], None]:
    """Have what this process starts from now on ended should this one be killed.

    Returns
    -------
    Dismisses the reaper: to be called when the work is finished.
    """
    if not PROC.is_dir():
        return lambda: None
    command = f"{os.getpid()}-{time.time_ns()}"
    program = PROGRAM.format(path=str(Path(__file__).parents[3]), command=command)
    try:
        reaper = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", program],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=os.sep,
            env={},  # it is no child in this sense
            start_new_session=True,  # what ends this process must not end it, too
        )
    except OSError:  # no process can be started, so there will be no children either
        return lambda: None
    os.environ[COMMAND] = command
    return partial(_dismiss, reaper)


def _dismiss(reaper: "subprocess.Popen[bytes]") -> None:
    assert reaper.stdin is not None
    with suppress(OSError):
        os.write(reaper.stdin.fileno(), FINISHED)


def reap(command: str, until_closed: int) -> None:
    """End what ``command`` started when the other end of the pipe ``until_closed`` is closed.

    Nothing is ended where that end says that the work is finished.
    """
    if os.read(until_closed, 1) == FINISHED:
        return
    mark = f"{COMMAND}={command}".encode()
    begun = time.monotonic()
    while (seconds := time.monotonic() - begun) < SECONDS:
        send(signal.SIGTERM if seconds < GRACE_SECONDS else signal.SIGKILL, _marked(mark))
        time.sleep(LOOK_SECONDS)


def _marked(mark: bytes) -> Iterator[int]:
    for process, _, _ in listed_by_proc():
        with suppress(OSError):  # it has ended meanwhile, or is another user's
            if mark in (PROC / str(process) / "environ").read_bytes().split(b"\0"):
                yield process
