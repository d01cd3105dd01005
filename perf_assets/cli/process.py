"""The process of a command: one thread does the work, and this one waits for it, or for Ctrl-C.

Python handles signals in the main thread, between two instructions. Were it at work in a library,
or in the hands of Dagster, which catches them too, nothing would happen for long. So it only waits.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import NoReturn

from perf_assets.base.processes import progress, shutdown
from perf_assets.base.processes.children import end_children, start_reaper
from perf_assets.base.processes.python_process import end_started

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
FINISHED = 0  # as no signal is numbered
STACK_BYTES = 16 << 20  # on some systems only the main thread has enough
SWITCH_SECONDS = 0.0002  # let a thread that is hard at work give way at once
UNDOING_SECONDS = 0.8

# Over the ^C that the terminal wrote; and the cursor, which a progress bar hides.
SHOWN_AGAIN = b"\r\x1b[2K\x1b[?25h"


def finish(work: Callable[[], None]) -> None:
    """Do ``work``, and raise what it raises; end the process with one sentence at a signal.

    That is Ctrl-C, SIGTERM, or SIGHUP of a terminal that is closed; the exit code is 130, 143 or
    129 then. Children are gone, and what is stored is whole. Where the process is killed, its
    children end within seconds.
    """
    dismiss_reaper = start_reaper()
    event_reader, event_writer = os.pipe()
    stderr = os.dup(2)  # Dagster lets that one lead to its files while a step runs
    raised: list[BaseException] = []

    def worker() -> None:
        try:
            work()
        except BaseException as error:
            raised.append(error)
        os.write(event_writer, bytes([FINISHED]))

    _hear(event_writer)
    threading.stack_size(STACK_BYTES)
    threading.Thread(target=worker, name="command").start()
    threading.stack_size(0)
    event = _next(event_reader)
    if event != FINISHED:
        _stop(event, stderr)
    end_started()
    dismiss_reaper()
    # The interpreter waits for threads when it ends; a person need not.
    threading.Thread(target=lambda: os._exit(128 + _next(event_reader)), daemon=True).start()
    for error in raised:
        if isinstance(error, SystemExit):
            _leave(error)
        raise error


def _leave(error: SystemExit) -> None:
    """End the process at once: to take apart what ends with it takes the interpreter a second."""
    atexit._run_exitfuncs()  # of libraries, which remove their temporary files
    with suppress(OSError, ValueError):  # else the interpreter says what cannot be written
        sys.stdout.flush()
        sys.stderr.flush()
        if error.code is None or isinstance(error.code, int):
            os._exit(error.code or 0)


def _hear(event_writer: int) -> None:
    """Have the number of each signal written to ``event_writer``, the moment it comes."""
    for number in SIGNALS:
        # A shell lets what it starts in the background ignore Ctrl-C, nohup ignores SIGHUP: so it
        # stays.
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, lambda number, frame: None)
    # Libraries take a turn at handling signals (polars does), and let them not wake a waiting
    # thread; a pipe does.
    os.set_blocking(event_writer, False)
    signal.set_wakeup_fd(event_writer, warn_on_full_buffer=False)


def _next(event_reader: int) -> int:
    """Wait for a signal, or the end of the work."""
    while True:
        event = os.read(event_reader, 1)[0]
        if event in (FINISHED, *SIGNALS):
            return event


def _stop(number: int, stderr: int) -> NoReturn:
    """End this process, whatever its threads are at: they are not waited for."""
    shutdown.request_stop()
    sys.setswitchinterval(SWITCH_SECONDS)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for output in (1, 2):  # for what threads still say
        os.dup2(nowhere, output)
    end_children()
    undoing = threading.Thread(target=shutdown.run_cleanups, daemon=True)
    undoing.start()
    undoing.join(UNDOING_SECONDS)
    end_children()  # what a thread had been about to start
    doing = progress.current()
    where = f" while {doing.title}" if doing is not None else ""
    sentence = f"Stopped{where}: {shutdown.resume_hint()}\n".encode()
    with suppress(OSError):
        os.write(stderr, SHOWN_AGAIN + sentence if os.isatty(stderr) else sentence)
    os._exit(128 + number)
