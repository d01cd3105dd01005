"""Python's search for garbage, put off while much is made that stays; memory that is free."""

import atexit
import ctypes
import gc
from collections.abc import Iterator
from contextlib import contextmanager


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


def return_free_memory() -> None:
    """Give back to the system what the C library holds of memory that nobody uses (glibc)."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
