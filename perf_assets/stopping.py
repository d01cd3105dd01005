"""Stopping on request, in the middle of whatever is being done.

Every write is atomic, so a process may end at any moment. What is here makes it end tidily: nothing
is stored any more once it began, as children that were stopped look like faults of what they read;
what would be left behind is taken back; and the person is told how to go on.
"""

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
    last_word: Callable[[], str] = lambda: "nothing was changed; the same command starts again"
    undoing: list[Callable[[], None]] = field(default_factory=list)


_state = _State()
_thread = threading.local()  # is_undoing: it alone goes on


def begin() -> None:
    """Let nobody get past ``go_on`` from now on."""
    _state.is_stopping = True


def go_on(*, after_failure: bool = False) -> None:
    """Return at once; but where the process is being stopped, never, but for who undoes.

    Ctrl-C reaches children too, and what they leave undone looks like a failure. So, with
    ``after_failure``, wait a moment, in which the process learns that it is being stopped.
    """
    if after_failure and not _state.is_stopping:
        time.sleep(MOMENT_SECONDS)
    if _state.is_stopping and not getattr(_thread, "is_undoing", False):
        threading.Event().wait()


@contextmanager
def undoing(undo: Callable[[], None]) -> Iterator[None]:
    """Have ``undo`` called where the process is stopped inside the block, by another thread."""
    _state.undoing.append(undo)
    try:
        yield
    finally:
        go_on(after_failure=sys.exception() is not None)
        _state.undoing.remove(undo)


def undo() -> None:
    """Call what is to be called, the latest first; what fails is left to the next run."""
    _thread.is_undoing = True
    for one in reversed(_state.undoing):
        try:
            one()
        except Exception:
            continue


def leave_word(word: str | Callable[[], str]) -> None:
    """Say what is stored and how to go on, for the case that the process is stopped from now on."""
    _state.last_word = word if callable(word) else lambda: word


def last_word() -> str:
    """What to tell the person: what is stored, and how to go on."""
    return _state.last_word()
