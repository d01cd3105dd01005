"""Graceful shutdown, at any moment.

Every write is atomic, so a process may end at any moment. This module makes it end cleanly: after
a stop was requested nothing more is stored, as child processes that were stopped look like failures
of what they read; registered cleanups run; and a hint says how to resume.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

MOMENT_SECONDS = 0.25


@dataclass
class _State:
    is_stopping: bool = False
    resume_hint: Callable[[], str] = lambda: "nothing was changed; the same command starts again"
    cleanups: list[Callable[[], None]] = field(default_factory=list)


_state = _State()
_thread = threading.local()  # is_cleaning_up: it alone is not blocked


def request_stop() -> None:
    """Let no thread get past ``block_if_stopping`` from now on."""
    _state.is_stopping = True


def block_if_stopping(*, after_failure: bool = False) -> None:
    """Block until the process ends if a stop was requested, except in the cleanup thread.

    Ctrl-C reaches child processes too, and a child that it ended looks like a failure. So, with
    ``after_failure``, wait a moment, in which this process learns that it is being stopped.
    """
    if after_failure and not _state.is_stopping:
        time.sleep(MOMENT_SECONDS)
    if _state.is_stopping and not getattr(_thread, "is_cleaning_up", False):
        threading.Event().wait()


@contextmanager
def cleanup_on_stop(cleanup: Callable[[], None]) -> Iterator[None]:
    """Have ``cleanup`` called, by another thread, if the process is stopped inside the block."""
    _state.cleanups.append(cleanup)
    try:
        yield
    finally:
        block_if_stopping(after_failure=sys.exception() is not None)
        _state.cleanups.remove(cleanup)


def run_cleanups() -> None:
    """Call the registered cleanups, the latest first; the next run repeats what fails here."""
    _thread.is_cleaning_up = True
    for cleanup in reversed(_state.cleanups):
        try:
            cleanup()
        except Exception:
            continue


def set_resume_hint(hint: str | Callable[[], str]) -> None:
    """Set the message for a stop of the process: what is stored, and how to go on."""
    _state.resume_hint = hint if callable(hint) else lambda: hint


def resume_hint() -> str:
    """Return what is stored, and how to go on, for the person who stopped the process."""
    return _state.resume_hint()
