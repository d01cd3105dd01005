"""Folders for what is not finished: one process has each, and what a killed one left is removed."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from perf_assets.base.errors import TransientError

LOCK = "lock"
LONGEST = 200  # bytes of a name, so that file systems take what is put around it
PREFIX = "perf-assets-archive-"


@contextmanager
def folder_beside(path: Path) -> Iterator[Path]:
    """Provide a new folder beside the file that ``path`` becomes, removed at the end.

    Raises
    ------
    TransientError
        Another process makes the same file.
    """
    name = os.fsdecode(os.fsencode(path.name)[:LONGEST])
    folder = path.with_name(f".{name}.making")
    folder.mkdir(exist_ok=True)
    lock = FileLock(folder / LOCK)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise TransientError(
            f"{path} is being written by another perf-assets archive: wait until it is done, or "
            "choose another name"
        ) from None
    try:
        for left in folder.iterdir():
            if left.name != LOCK:
                _remove(left)
        work = folder / "work"
        work.mkdir()
        yield work
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        lock.release()


@contextmanager
def temporary_folder(parent: Path | None = None) -> Iterator[Path]:
    """Provide a new folder in ``parent``, by default that of temporary files, removed at the end.

    Those that killed processes of the same person left there are removed, too: they may be as large
    as the archives that were unpacked to them.
    """
    where = Path(tempfile.gettempdir()) if parent is None else parent
    for left in where.glob(f"{PREFIX}*/{LOCK}"):
        with suppress(OSError, Timeout):
            _remove_if_left(left)
    with (
        tempfile.TemporaryDirectory(prefix=PREFIX, dir=where) as temporary,
        FileLock(Path(temporary) / LOCK),
    ):
        yield Path(temporary)


def _remove_if_left(lock: Path) -> None:
    folder = lock.parent
    is_own = not hasattr(os, "getuid") or folder.lstat().st_uid == os.getuid()
    if not is_own or folder.is_symlink() or lock.is_symlink():
        return
    with FileLock(lock, timeout=0):
        shutil.rmtree(folder, ignore_errors=True)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()
