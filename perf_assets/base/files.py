"""Files that are written in one step: a path has its old content or its new one, never a part.

The new content goes to a temporary file in the same directory, which then replaces the old file.
The name of a temporary file has the number of its process, so that the next one that writes the
same file removes what a killed process left.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from stat import S_IMODE, S_ISREG

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.pids import is_alive

LONGEST_NAME = 180  # bytes of a file's name in that of its temporary file; file systems take 255
REMEDIES = {
    errno.ENOSPC: "make room on its disk",
    errno.EDQUOT: "make room on its disk",
    errno.EFBIG: "raise the limit of the size of files (ulimit -f)",
}
HAS_NO_LINKS = {errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS}
_numbers = count()
_unfinished: set[str] = set()
"""The names of this process's temporary files."""


def write_file(
    path: Path,
    content: bytes | str,
    *,
    mode: int | None = None,
    is_durable: bool = True,
    replaces: bool = True,
) -> Path:
    """Write ``content`` to ``path`` in one step; return ``path``.

    A symbolic link stays one: its target is written. A pipe or device is written directly.

    Parameters
    ----------
    mode : permissions of the file; default: those of the file that it replaces.
    is_durable : whether the content is on the disk when this returns.
    replaces : whether a file that is there already is replaced.

    Raises
    ------
    PerfAssetsError
        It cannot be written; the old file is kept.
    FileExistsError
        It is there already, and ``replaces`` is false.
    """
    content = content.encode() if isinstance(content, str) else content
    try:
        if path.exists():
            if not replaces:
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
            if not S_ISREG(path.stat().st_mode):
                path.write_bytes(content)
                return path
        target = _target(path)
        with temporary_beside(target) as unfinished:
            _write(unfinished, content, _mode_of(target) if mode is None else mode, is_durable)
            if replaces:
                unfinished.replace(target)
            else:
                _link(unfinished, target)
            if is_durable:
                _sync_directory(target.parent)
    except FileExistsError:
        raise
    except OSError as error:
        raise unwritable(path, error) from None
    return path


@contextmanager
def new_file(path: Path, *, is_durable: bool = True) -> Iterator[Path]:
    """Yield a temporary path for a library to write; set the file in place when the block ends.

    If the block fails, the temporary file is removed, and the old file is kept. All whose name
    begins with its name, such as a journal, is removed in either case.

    Raises
    ------
    PerfAssetsError
        The file cannot be written; the old file is kept.
    """
    unfinished = None
    try:
        target = _target(path)
        with temporary_beside(target) as unfinished:
            yield unfinished
            set_in_place(unfinished, target, is_durable=is_durable)
    except OSError as error:
        if error.filename not in (None, str(unfinished)):  # of a file that the block reads
            raise
        raise unwritable(path, error) from None


@contextmanager
def temporary_beside(path: Path) -> Iterator[Path]:
    """Yield a path in the directory of ``path`` where no file is; remove what is there in the end.

    All whose name begins with its name is removed too, and what killed processes left of ``path``.
    """
    _remove(path.parent, _is_leftover_of(path))
    name = f"{_stem(path)}.{os.getpid()}-{next(_numbers)}.new"
    _unfinished.add(name)
    try:
        yield path.with_name(name)
    finally:
        _remove(path.parent, lambda other: other.startswith(name))
        _unfinished.discard(name)


def remove_unfinished(*paths: Path) -> None:
    """Remove what other processes left of these files unfinished, be they ended or not.

    For a caller that holds the lock of the directory: the number of a killed process may be that
    of another one by now.
    """
    for path in paths:
        _remove(path.parent, _is_leftover_of(path, is_kept=lambda process: False))


def set_in_place(finished: Path, path: Path, *, is_durable: bool = True) -> None:
    """Replace ``path`` by ``finished`` in one step, once the disk has all of it.

    The new file has the permissions of the one that it replaces.
    """
    if is_durable:
        with finished.open("rb") as handle:
            os.fsync(handle.fileno())
    mode = _mode_of(path)
    if mode is not None:
        finished.chmod(mode)
    finished.replace(path)
    if is_durable:
        _sync_directory(path.parent)


def copy_file(source: str | Path, target: str | Path) -> Path:
    """Copy the content of ``source`` to ``target`` in one step; return ``target``.

    Raises
    ------
    PerfAssetsError
        It cannot be written; the old file is kept.
    """
    with new_file(Path(target)) as unfinished:
        shutil.copyfile(source, unfinished)
    return Path(target)


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal digits."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while part := file.read(1 << 20):
            digest.update(part)
    return digest.hexdigest()


def _target(path: Path) -> Path:
    return Path(os.path.realpath(path)) if path.is_symlink() else path


def _mode_of(path: Path) -> int | None:
    try:
        return S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        return None


def _write(path: Path, content: bytes, mode: int | None, is_durable: bool) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    with os.fdopen(os.open(path, flags, 0o666 if mode is None else mode), "wb") as file:
        if mode is not None:
            os.fchmod(file.fileno(), mode)
        file.write(content)
        file.flush()
        if is_durable:
            os.fsync(file.fileno())


def _link(unfinished: Path, target: Path) -> None:
    """Rename the file ``unfinished`` to ``target`` unless that exists."""
    try:
        os.link(unfinished, target)
    except OSError as error:
        if error.errno not in HAS_NO_LINKS:
            raise
        target.open("xb").close()
        unfinished.replace(target)


def _sync_directory(directory: Path) -> None:
    """Flush the new name to the disk, if the file system can do so on request."""
    with suppress(OSError):
        handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _stem(path: Path) -> str:
    return "." + os.fsencode(path.name)[:LONGEST_NAME].decode(errors="ignore")


def _is_leftover_of(path: Path, is_kept: Callable[[str], bool] = is_alive) -> Callable[[str], bool]:
    pattern = re.compile(rf"({re.escape(_stem(path))}\.([0-9]+)-[0-9]+\.new).*", re.DOTALL)

    def is_leftover(other: str) -> bool:
        found = pattern.fullmatch(other)
        if found is None:
            return False
        name, process = found.groups()
        is_own = process == str(os.getpid())
        return name not in _unfinished if is_own else not is_kept(process)

    return is_leftover


def _remove(directory: Path, is_removed: Callable[[str], bool]) -> None:
    """Remove the files of a directory whose name ``is_removed``, as far as that is possible."""
    with suppress(OSError):
        for path in directory.iterdir():
            if is_removed(path.name):
                with suppress(OSError):
                    path.unlink()


def unwritable(path: Path, error: OSError) -> PerfAssetsError:
    """Return the error that says why ``path`` cannot be written, and what to do."""
    remedy = REMEDIES.get(error.errno or 0, "make it writable, or choose another place,")
    return PerfAssetsError(
        f"{path}: this cannot be written ({error.strerror or error}): {remedy} and try again; "
        "the old file is kept"
    )


def write_output_file(path: Path, content: bytes) -> None:
    """Replace the file at ``path``, which a person named, by ``content``.

    Raises
    ------
    PerfAssetsError
        It cannot be written there, or a database would be lost.
    """
    if path.suffix == ".duckdb":
        raise PerfAssetsError(f"{path}: this would replace a database; choose another name")
    write_file(path, content)
