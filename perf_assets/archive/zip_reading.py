"""Zip files of strangers, read so that the worst they can do is to be refused.

All that a zip says of itself is checked before a byte of it is unpacked (:mod:`.zip_faults`). What
shows only while it is read, a wrong checksum or a size that lies, is checked then, and
:func:`unpack` leaves nothing of a zip that is refused.
"""

import errno
import shutil
import stat
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from perf_assets.archive.zip_faults import BEGINNING, faults, megabytes
from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.sanitize import is_utf8, shortened

CHUNK = 1 << 20
ANOTHER = "download it again, or ask who made it for another"
# What the standard library raises of a damaged zip, beside its own errors.
DAMAGES = (
    *(zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, struct.error, EOFError),
    *(ValueError, OverflowError, NotImplementedError, RuntimeError, LookupError),
)


@dataclass(frozen=True)
class Member:
    """A file in a zip: its name, and its size in bytes once unpacked, as the zip declares it."""

    name: str
    size: int


class CheckedZip:
    """A zip in which nothing was found that does harm.

    path : of the zip.
    members : its files in the order in which it lists them, without its folders.
    """

    def __init__(self, path: Path, archive: zipfile.ZipFile) -> None:
        """Read an ``archive`` that was checked, as by :func:`open_zip`."""
        self.path = path
        self._archive = archive
        self._entries = {
            entry.filename: entry for entry in archive.infolist() if not entry.is_dir()
        }
        self.members = tuple(Member(name, entry.file_size) for name, entry in self._entries.items())

    @property
    def size(self) -> int:
        """Return how many bytes its files have once unpacked."""
        return sum(member.size for member in self.members)

    def chunks(self, name: str) -> Iterator[bytes]:
        """Yield the bytes of the file ``name``, a megabyte at a time: never more than were
        declared.

        Raises
        ------
        PerfAssetsError
            There is no such file, or its bytes are not those of its size and checksum: what came
            before this error is not to be trusted.
        """
        entry = self._entry(name)
        left = entry.file_size
        with _damage_of(self.path, name), self._archive.open(entry) as file:
            while chunk := file.read(CHUNK):
                left -= len(chunk)
                yield chunk
        if left:
            raise _damaged(self.path, name, f"{left:,} of its bytes are missing")

    def read(self, name: str, most: int) -> bytes:
        """Return the bytes of the file ``name``, which may have ``most`` of them.

        Raises
        ------
        PerfAssetsError
            There is no such file, it is larger, or it is damaged.
        """
        size = self._entry(name).file_size
        if size > most:
            raise PerfAssetsError(
                f"{self.path}: {_shown(name)} in it has {size:,} bytes, where {most:,} are the "
                f"most: {ANOTHER}"
            )
        return b"".join(self.chunks(name))

    def _entry(self, name: str) -> zipfile.ZipInfo:
        if name not in self._entries:
            raise PerfAssetsError(f"{self.path} has no file {_shown(name)} in it: {ANOTHER}")
        return self._entries[name]


@contextmanager
def open_zip(path: Path) -> Iterator[CheckedZip]:
    """Provide the zip at ``path``, its files to be read in any order, once all that it declares is
    checked.

    Raises
    ------
    PerfAssetsError
        There is none, it cannot be read, it is none, it is damaged, or it is made to do harm.
    """
    with _opened(path) as file:
        try:
            archive = zipfile.ZipFile(file)
            fault = next(faults(archive), None)
        except (*DAMAGES, OSError) as error:
            raise _no_zip(path, file, error) from None
        if fault is not None:
            where = path if fault.name is None else f"{path}: {_shown(fault.name)} in it"
            raise PerfAssetsError(f"{where} is refused, because {fault.why}: {ANOTHER}")
        with archive:
            yield CheckedZip(path, archive)


def unpack(path: Path, target: Path) -> tuple[Member, ...]:
    """Write the files of the zip at ``path`` into the directory ``target``, all of them or none.

    ``target`` is new or empty. The files are written beside it, and set in its place in one step
    once the last of them was found to be whole.

    Raises
    ------
    PerfAssetsError
        As of :func:`open_zip`; or something is at ``target``, or there is no room for the files.
    """
    with open_zip(path) as archive, _unwritable(target):
        _check_target(target)
        target.parent.mkdir(parents=True, exist_ok=True)
        _check_room(archive, target.parent)
        with tempfile.TemporaryDirectory(prefix=".unpacking-", dir=target.parent) as beside:
            new = Path(beside) / "new"
            new.mkdir()
            for member in archive.members:
                _write(archive, member, new)
            new.replace(target)
        return archive.members


def _check_target(target: Path) -> None:
    if not is_utf8(target):
        raise PerfAssetsError(f"{_shown(str(target))}: this name is not UTF-8: choose another")
    if target.is_symlink() or (target.exists() and not target.is_dir()):
        raise PerfAssetsError(f"{target} is not a directory: name a new one, or an empty one")
    if target.exists() and any(target.iterdir()):
        raise PerfAssetsError(f"{target} is not empty: name a new directory, or empty it")


def _check_room(archive: CheckedZip, directory: Path) -> None:
    free = shutil.disk_usage(directory).free
    if archive.size > free:
        raise PerfAssetsError(
            f"{archive.path} has {megabytes(archive.size)} MB once unpacked, and the disk of "
            f"{directory} has {free >> 20:,} left: make room, or choose another directory"
        )


def _write(archive: CheckedZip, member: Member, directory: Path) -> None:
    path = directory / member.name
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("xb") as file:
        for chunk in archive.chunks(member.name):
            file.write(chunk)


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    """Provide the file at ``path``; what is not a file, as a pipe that nobody writes to, is not
    opened.
    """
    try:
        kind = path.stat().st_mode
        if stat.S_ISDIR(kind):
            raise PerfAssetsError(f"{path} is a directory: name the zip file itself")
        if not stat.S_ISREG(kind):
            raise PerfAssetsError(f"{path} is not a file: name a zip file")
        file = path.open("rb")
    except FileNotFoundError:
        raise PerfAssetsError(f"{path}: there is no such file; name an existing zip file") from None
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise PerfAssetsError(
            f"{_shown(str(path))} cannot be read ({why}): make it readable, or name another"
        ) from None
    with file:
        yield file


@contextmanager
def _damage_of(path: Path, name: str) -> Iterator[None]:
    """Say of what the library finds wrong with the file ``name`` where it is, and what to do."""
    try:
        yield
    except (*DAMAGES, OSError) as error:
        raise _damaged(path, name, error) from None


@contextmanager
def _unwritable(target: Path) -> Iterator[None]:
    """Say why nothing could be written to ``target``, and what to do."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise PerfAssetsError(
                f"{target}: the disk became full while files were unpacked, and none of them is "
                "left there: make room, or choose another directory"
            ) from None
        raise PerfAssetsError(
            f"{target} cannot be written ({error.strerror or error}): choose another directory"
        ) from None


def _no_zip(path: Path, file: IO[bytes], error: Exception) -> PerfAssetsError:
    """Return whether it is the beginning of a zip, or none at all."""
    if isinstance(error, OSError):
        return PerfAssetsError(f"{path} cannot be read ({error.strerror or error}): {ANOTHER}")
    file.seek(0)
    if file.read(len(BEGINNING)) != BEGINNING:
        return PerfAssetsError(f"{path} is not a zip file: name one, or {ANOTHER}")
    return PerfAssetsError(f"{path} is cut or damaged ({shortened(error, 100)}): {ANOTHER}")


def _damaged(path: Path, name: str, why: object) -> PerfAssetsError:
    reason = shortened(why, 200) or "it ends too early"
    return PerfAssetsError(f"{path}: {_shown(name)} in it is damaged ({reason}): {ANOTHER}")


def _shown(name: str) -> str:
    return shortened(name, 200) or "(no name)"
