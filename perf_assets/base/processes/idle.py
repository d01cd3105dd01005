"""Child processes that make no progress are ended: whoever waits for one is not made to for ever.

Progress is what a process and those below it write, and the processor time that they take. One that
waits for a server or a disk that no longer answers has neither; nor has one that is sent a byte now
and then, as there is a least.
"""

import fcntl
import os
import signal
import struct
import subprocess
import termios
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import IO

from perf_assets.base.processes.children import PROC, descendants, send

IDLE_SECONDS = 300.0
LEAST_BYTES = 2_000  # in that time; a server that still counts objects says more
LEAST_PROCESSOR_SECONDS = 0.5  # in that time; reading from a slow disk takes more
LOOK_SECONDS = 0.5
GRACE_SECONDS = 2.0  # to clear up what it was writing
TIMES = slice(11, 15)  # user and system time of a process, and of its children that have ended

_watched: "set[Watch]" = set()
_starting = threading.Lock()
_watcher: threading.Thread | None = None


@dataclass(eq=False)
class Watch:
    """A process that is ended when it is idle for too long.

    written : how many bytes it has written until now.
    has_ended_it : whether that happened.
    """

    process: "subprocess.Popen[bytes]"
    seconds: float
    written: Callable[[], int]
    has_ended_it: bool = False
    _since: float = field(default_factory=time.monotonic)
    _bytes: int = 0
    _processor_seconds: float = 0.0

    def look(self) -> None:
        """End the process where it has done too little for too long."""
        idle = time.monotonic() - self._since
        if idle < self.seconds / 4 or self.process.poll() is not None:
            return
        written, processor_seconds = self.written(), _processor_seconds(self.process.pid)
        if (
            written - self._bytes >= LEAST_BYTES
            or processor_seconds - self._processor_seconds >= LEAST_PROCESSOR_SECONDS
        ):
            self._since += idle
            self._bytes, self._processor_seconds = written, processor_seconds
        elif idle >= self.seconds:
            self.end()

    def end(self) -> None:
        """End the process and those below it, which may clear up first."""
        self.has_ended_it = True
        processes = descendants(self.process.pid)
        self.process.terminate()
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(GRACE_SECONDS)
        send(signal.SIGKILL, {self.process.pid, *processes})


@contextmanager
def ended_when_idle(
    process: "subprocess.Popen[bytes]", written: Callable[[], int] = lambda: 0
) -> Iterator[Watch]:
    """Have ``process`` ended when it makes no progress for `IDLE_SECONDS` inside the block.

    Parameters
    ----------
    process
        A child of this process.
    written
        How many bytes it has written until now, where that can be measured.
    """
    watch = Watch(process, IDLE_SECONDS, written)
    _watched.add(watch)
    _start_watcher()
    try:
        yield watch
    finally:
        _watched.discard(watch)


def unread(output: IO[bytes]) -> Callable[[], int]:
    """Return counts as written what waits to be read: who waits for us to read it is not idle."""
    looks = 0

    def written() -> int:
        nonlocal looks
        with suppress(ValueError, OSError):  # it is closed
            waiting = fcntl.ioctl(output, termios.FIONREAD, bytes(struct.calcsize("i")))
            looks += any(waiting)
        return looks * LEAST_BYTES

    return written


def _start_watcher() -> None:
    global _watcher  # noqa: PLW0603
    with _starting:
        if _watcher is None or not _watcher.is_alive():
            _watcher = threading.Thread(target=_look, name="idle", daemon=True)
            _watcher.start()


def _look() -> None:
    while True:
        time.sleep(LOOK_SECONDS)
        for watch in tuple(_watched):
            # It may end, and close its files, meanwhile: the others are watched all the same.
            with suppress(OSError, ValueError, subprocess.TimeoutExpired):
                watch.look()


def _processor_seconds(process: int) -> float:
    """Return what a process and those below it have taken."""
    processes = (process, *descendants(process))
    if not PROC.is_dir():
        command = ["ps", "-o", "time=", "-p", ",".join(map(str, processes))]
        listed = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=GRACE_SECONDS
        ).stdout
        return sum(_seconds(time.strip()) for time in listed.splitlines())
    ticks = 0
    for one in processes:
        with suppress(OSError):  # it has ended meanwhile
            # The name of the program, in brackets, may hold anything.
            fields = (PROC / str(one) / "stat").read_text().rpartition(")")[2].split()
            ticks += sum(map(int, fields[TIMES]))
    return ticks / os.sysconf("SC_CLK_TCK")


def _seconds(text: str) -> float:
    """Return the seconds of ``1:02:03.4``."""
    seconds = 0.0
    for part in text.replace("-", ":").split(":"):
        seconds = 60 * seconds + float(part)
    return seconds
