"""The lock of a data directory: one process at a time writes to it.

The operating system gives the lock up when its process ends, however that ends. Who only reads
never needs it.
"""

import logging
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from perf_assets.base.errors import PerfAssetsError, TransientError
from perf_assets.base.files import write_file
from perf_assets.base.pids import NUMBER, is_alive

log = logging.getLogger(__name__)

LOCK = "run.lock"
HOLDER = "run.pid"  # the process that holds the lock; says nothing while nobody does
LOOKS = 10  # for a holder that has the lock and is about to say who it is
SECONDS_BETWEEN = 0.05
POLL_SECONDS = 0.5


@contextmanager
def writing(data_dir: Path, patience: float = 0.0) -> Iterator[None]:
    """Be the process that writes to ``data_dir``; may be nested, and shared by threads.

    ``patience`` is how many seconds to wait for another one.

    Raises
    ------
    PerfAssetsError
        Another process writes to it, which is named.
    """
    lock = FileLock(data_dir / LOCK, is_singleton=True, thread_local=False)
    try:
        try:
            lock.acquire(timeout=0)
        except Timeout:
            if patience:
                log.info("waiting for %s, which is in use", data_dir)
            lock.acquire(timeout=patience, poll_interval=POLL_SECONDS)
    except Timeout:
        raise TransientError(
            f"{data_dir} is in use by another perf-assets run ({_holder(data_dir / HOLDER)}): "
            "wait until it is done, or stop it and run again"
        ) from None
    except PermissionError:
        raise PerfAssetsError(
            f"{data_dir} cannot be written to: it, or {LOCK} in it, belongs to another user: "
            f"run as "
            "that user, have it permitted, or name another data directory"
        ) from None
    try:
        if lock.lock_counter == 1:
            write_file(data_dir / HOLDER, str(os.getpid()), is_durable=False)
        yield
    finally:
        if lock.lock_counter == 1:
            (data_dir / HOLDER).unlink(missing_ok=True)
        lock.release()


def _holder(path: Path) -> str:
    """Return the process that holds the lock, as sentences name it."""
    number = ""
    for _ in range(LOOKS):
        number = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
        if is_alive(number):
            break  # else its file is not written yet, and this one is of a process that was killed
        time.sleep(SECONDS_BETWEEN)
    return f"process {number if NUMBER.fullmatch(number) else 'unknown'}"
