"""Python's search for garbage, put off while much is made that stays; memory that is free.

The C library is told what to do with the latter where it is glibc, as on most of Linux.
"""

from __future__ import annotations

import atexit
import ctypes
import gc
from collections.abc import Iterator
from contextlib import contextmanager

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD, _M_ARENA_MAX = -1, -3, -8  # of malloc.h
_LARGE_BYTES = 1 << 22


@contextmanager
def gc_paused() -> Iterator[None]:
    """Make things that stay: searching them again and again as they grow finds nothing.

    That search is a fifth of the time of importing many modules, and almost half of that of reading
    a large corpus.
    """
    was_searching = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_searching:
            gc.enable()


def collect_seldom() -> None:
    """Leave what there is, as it stays, and look seldom through what comes.

    A run makes frames and rows, hardly anything that refers to itself: to search for that is a
    twentieth of its time.
    """
    gc.freeze()
    atexit.register(gc.unfreeze)  # libraries that tidy up at the end tell of what is left else
    gc.set_threshold(10_000, 20, 10)


def hold_little_free_memory() -> None:
    """Let the C library return to the system what is freed from now on, rather than keep it.

    By itself it keeps memory apart for each of several threads, and from large blocks that were
    freed it learns to keep such: a fifth of what computing the models of 50,000 issues held. Their
    parameters: https://man7.org/linux/man-pages/man3/mallopt.3.html
    """
    set_parameter = getattr(ctypes.CDLL(None), "mallopt", None)
    if set_parameter is not None:
        for parameter, value in (
            (_M_ARENA_MAX, 1),
            (_M_MMAP_THRESHOLD, _LARGE_BYTES),
            (_M_TRIM_THRESHOLD, _LARGE_BYTES),
        ):
            set_parameter(parameter, value)


def return_free_memory() -> None:
    """Give back to the system what the C library holds of memory that nobody uses."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
