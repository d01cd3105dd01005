"""The process that checks files, one after the other, each in its budget.

The system holds it to that, so no code that it runs can outlive it: timers whose signals end the
process, even in the middle of a library's C code, and a limit of its address space. The way it
ended tells its parent what went wrong.
"""

from __future__ import annotations

import gc
import os
import resource
import signal
import socket
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import cast

from perf_assets.base.processes.python_process import receive, send
from perf_assets.lint.files.reading import result_of
from perf_assets.lint.files.results import PATIENCE, Budget, SourceFile
from perf_assets.lint.rules.rule import Rule

STACK_BYTES = 256 << 20  # of address space; what is not used takes no memory
STATM = Path("/proc/self/statm")
FILES_BETWEEN_SEARCHES = 50  # for garbage: trees have no cycles, caches about them may
WARMING = SourceFile("warming.py", b"import tensorflow as tf\nfor x in y:\n    tf.constant(1)\n")


def main(descriptor: int) -> None:
    """Work for the process at the other end of the socket, until that is gone."""
    # Python runs in the main thread with the stack that the shell allows, often 8 MB.
    threading.stack_size(STACK_BYTES)
    thread = threading.Thread(target=_work, args=[socket.socket(fileno=descriptor)])
    # Where there is no room for its stack, whoever started this process says so.
    with suppress(RuntimeError):
        thread.start()
        thread.join()
    # Work ends this process by itself; but for a mistake, which the thread has reported.
    os._exit(1)


def _work(boss: socket.socket) -> None:
    try:
        rules, budget = cast(tuple[Sequence[Rule], Budget], receive(boss))
        # What is made once for all files, as compiled expressions, is on nobody's account.
        result_of(WARMING, rules, budget.megabytes)
        _limit(budget)
        send(boss, "ready")
        _silence()
        _check_files(boss, rules, budget)
    except (EOFError, OSError):
        os._exit(0)


def _check_files(boss: socket.socket, rules: Sequence[Rule], budget: Budget) -> None:
    count = 0
    while True:
        file = cast(SourceFile, receive(boss))
        signal.setitimer(signal.ITIMER_PROF, budget.seconds)
        signal.setitimer(signal.ITIMER_REAL, budget.seconds * PATIENCE)
        result = result_of(file, rules, budget.megabytes)
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        send(boss, result)
        count += 1
        if count % FILES_BETWEEN_SEARCHES == 0:
            gc.collect()


def _limit(budget: Budget) -> None:
    gc.disable()
    gc.freeze()
    sys.setrecursionlimit(budget.depth)
    for number in (signal.SIGPROF, signal.SIGALRM):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [number])
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    used = _address_space()
    if used is None:
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = used + (budget.megabytes << 20)
    most = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (most, hard))


def _address_space() -> int | None:
    """Return how much of it this process has taken, in bytes; None where the system does not
    tell.
    """
    if not STATM.exists():
        return None
    return int(STATM.read_text().split()[0]) * resource.getpagesize()


def _silence() -> None:
    """Say nothing more: what Python says when memory is short, or of a file, helps nobody."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for output in (1, 2):
        os.dup2(nowhere, output)
    os.close(nowhere)
