"""Zip files of strangers, read so that the worst they can do is to be refused.

All that a zip says of itself is checked before a byte of it is unpacked. What shows only while it
is read, a wrong checksum or a size that lies, is checked then, and :func:`unpack` leaves nothing
of a zip that is refused.
"""

import errno
import re
import shutil
import stat
import struct
import tempfile
import unicodedata
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import IO

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.sanitize import is_utf8, shortened

CHUNK = 1 << 20
ANOTHER = "take another copy of it, or ask who made it for another"
# What the standard library raises of a damaged zip, beside its own errors.
DAMAGES = (
    *(zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, struct.error, EOFError),
    *(ValueError, OverflowError, NotImplementedError, RuntimeError, LookupError),
)

MOST_MEMBERS = 100_000
MOST_RATIO = 1000  # what deflate makes of zeros; nothing that people keep packs like that
PLAUSIBLE_SIZE = 10 << 20  # in bytes, up to which a ratio says nothing
MOST_BYTES_OF_A_PART, MOST_BYTES_OF_A_NAME = 255, 2000  # what file systems take
BEGINNING = b"PK\x03\x04"
# Signature, version, flags, method, time, date, checksum, two sizes, lengths of name and extra.
HEADER = struct.Struct("<4s5H3L2H")
ENCRYPTED, HAS_DESCRIPTOR, PATCHED, STRONGLY_ENCRYPTED = 0x1, 0x8, 0x20, 0x40
UTF8_NAME, HIDDEN_HEADERS = 0x800, 0x2000
LONGEST_DESCRIPTOR = 24  # what a writer that cannot go back says of a file after its bytes
REPARSE_POINT = 0x400  # what Windows calls a link
DRIVE = re.compile(r"[A-Za-z]:")

Fault = tuple[str, str | None]
"""Why a zip is refused, and the file in it that is to blame; None where it is the whole."""


class CheckedZip:
    """A zip in which nothing was found that does harm.

    path : of the zip.
    sizes : the bytes of its files once unpacked, as it declares them, by name and in its order.
    """

    def __init__(self, path: Path, archive: zipfile.ZipFile) -> None:
        """Read an ``archive`` that was checked, as by :func:`open_zip`."""
        self.path = path
        self._archive = archive
        self._entries = {
            entry.filename: entry for entry in archive.infolist() if not entry.is_dir()
        }
        self.sizes = {name: entry.file_size for name, entry in self._entries.items()}

    def chunks(self, name: str) -> Iterator[bytes]:
        """Yield the bytes of the file ``name``, a megabyte at a time: never more than were
        declared.

        Raises
        ------
        PerfAssetsError
            There is no such file, or its bytes are not those of its size and checksum: what came
            before this error is not to be trusted.
        """
        left = self._size(name)
        try:
            with self._archive.open(self._entries[name]) as file:
                while chunk := file.read(CHUNK):
                    left -= len(chunk)
                    yield chunk
        except (*DAMAGES, OSError) as error:
            raise self._damaged(name, shortened(error, 200) or "it ends too early") from None
        if left:
            raise self._damaged(name, f"{left:,} of its bytes are missing")

    def read(self, name: str, most: int) -> bytes:
        """Return the bytes of the file ``name``, which may have ``most`` of them.

        Raises
        ------
        PerfAssetsError
            There is no such file, it is larger, or it is damaged.
        """
        if (size := self._size(name)) > most:
            raise PerfAssetsError(
                f"{self.path}: {_shown(name)} in it has {size:,} bytes, where {most:,} are the "
                f"most: {ANOTHER}"
            )
        return b"".join(self.chunks(name))

    def unpack_file(self, name: str, target: Path) -> None:
        """Write the file ``name`` to ``target``, which counts once this returns; see ``chunks``."""
        with target.open("xb") as file:
            file.writelines(self.chunks(name))

    def _size(self, name: str) -> int:
        if name not in self.sizes:
            raise PerfAssetsError(f"{self.path} has no file {_shown(name)} in it: {ANOTHER}")
        return self.sizes[name]

    def _damaged(self, name: str, reason: str) -> PerfAssetsError:
        return PerfAssetsError(
            f"{self.path}: {_shown(name)} in it is damaged ({reason}): {ANOTHER}"
        )


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
            fault = next(_faults(archive), None)
        except (*DAMAGES, OSError) as error:
            raise _no_zip(path, file, error) from None
        if fault is not None:
            why, name = fault
            where = path if name is None else f"{path}: {_shown(name)} in it"
            raise PerfAssetsError(f"{where} is refused, because {why}: {ANOTHER}")
        with archive:
            yield CheckedZip(path, archive)


def unpack(path: Path, target: Path) -> None:
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
            for name in archive.sizes:
                (new / name).parent.mkdir(parents=True, exist_ok=True)
                archive.unpack_file(name, new / name)
            new.replace(target)


def check_replaceable(path: Path, kind: str, marker: str) -> None:
    """Refuse a ``path`` where something else is than a zip of this ``kind``, such as "a backup".

    marker : the file that is in every such zip.

    Raises
    ------
    PerfAssetsError
        A directory or another file is there.
    OSError
        The path cannot be read.
    """
    if path.is_dir():
        raise PerfAssetsError(f"{path} is a directory: name the file that becomes {kind}")
    if path.exists() and not (path.is_file() and _has_file(path, marker)):  # a pipe would wait
        raise PerfAssetsError(
            f"{path} is there already and is not {kind} of perf-assets: choose another name"
        )


def _has_file(path: Path, name: str) -> bool:
    try:
        with zipfile.ZipFile(path) as archive:
            return name in archive.namelist()
    except (OSError, *DAMAGES):
        return False


def _check_target(target: Path) -> None:
    if not is_utf8(target):
        raise PerfAssetsError(f"{_shown(str(target))}: this name is not UTF-8: choose another")
    if target.is_symlink() or (target.exists() and not target.is_dir()):
        raise PerfAssetsError(f"{target} is not a directory: name a new one, or an empty one")
    if target.exists() and any(target.iterdir()):
        raise PerfAssetsError(f"{target} is not empty: name a new directory, or empty it")


def _check_room(archive: CheckedZip, directory: Path) -> None:
    free, size = shutil.disk_usage(directory).free, sum(archive.sizes.values())
    if size > free:
        raise PerfAssetsError(
            f"{archive.path} has {_megabytes(size)} MB once unpacked, and the disk of "
            f"{directory} has {free >> 20:,} left: make room, or choose another directory"
        )


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    """Provide the file at ``path``; a pipe, to which nobody may write, is not opened."""
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


def _shown(name: str) -> str:
    return shortened(name, 200) or "(no name)"


def _megabytes(size: int) -> str:
    """Return ``size`` in bytes as megabytes, rounded up."""
    return f"{-(-size >> 20):,}"


def _faults(archive: zipfile.ZipFile) -> Iterator[Fault]:
    """Yield what is harmful in ``archive``, by its lists and headers alone: nothing is unpacked.

    Raises
    ------
    Exception
        One of those that the standard library raises of a damaged zip.
    """
    entries = archive.infolist()
    if len(entries) > MOST_MEMBERS:
        yield f"it lists more than {MOST_MEMBERS:,} files", None
    for entry in entries:
        # The name as it is written there, and what the library makes of it.
        names = (entry.orig_filename, entry.filename)
        why = next(filter(None, map(_fault_of_name, names)), None)
        why = why or _fault_of_kind(entry) or _fault_of_size(entry)
        if why is not None:
            yield why, entry.orig_filename
    total = sum(entry.file_size for entry in entries)
    if _is_absurd(total, sum(entry.compress_size for entry in entries)):
        yield f"it would become {_megabytes(total)} MB once unpacked, as a zip bomb does", None
    yield from _alike(entries)
    yield from _misplaced(archive, entries)


def _fault_of_name(name: str) -> str | None:
    parts = name.removesuffix("/").split("/")
    longest = max(len(part.encode()) for part in parts)
    controls = ("Cc", "Zl", "Zp")
    is_long = longest > MOST_BYTES_OF_A_PART or len(name.encode()) > MOST_BYTES_OF_A_NAME
    is_absolute = name.startswith("/") or DRIVE.match(name)
    checks = (
        (any(unicodedata.category(text) in controls for text in name), "has a control character"),
        ("\\" in name, "has a backslash, which separates folders on some systems"),
        (is_absolute, "is absolute, so it would be written elsewhere"),
        (".." in parts, "leads out of the directory (..)"),
        ("" in parts or "." in parts, "has an empty part"),
        (is_long, "is longer than file systems take"),
    )
    return next((f"its name {why}" for is_broken, why in checks if is_broken), None)


def _fault_of_kind(entry: zipfile.ZipInfo) -> str | None:
    if entry.flag_bits & (ENCRYPTED | STRONGLY_ENCRYPTED | HIDDEN_HEADERS):
        return "it is encrypted"
    methods = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
    if entry.flag_bits & PATCHED or entry.compress_type not in methods:
        return "it is packed by another method than deflate"
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR) or entry.external_attr & REPARSE_POINT:
        return "it is a link or another special file"
    if kind and (kind == stat.S_IFDIR) != entry.is_dir():
        return "it is a file by its name and a folder by its kind, or the other way round"
    return None


def _fault_of_size(entry: zipfile.ZipInfo) -> str | None:
    if entry.is_dir() and entry.file_size:
        return "it is a folder with content"
    if entry.compress_type == zipfile.ZIP_STORED and entry.file_size != entry.compress_size:
        return "its sizes contradict each other"
    if _is_absurd(entry.file_size, entry.compress_size):
        return (
            f"it would become {_megabytes(entry.file_size)} MB out of {entry.compress_size:,} "
            "bytes, as a zip bomb does"
        )
    return None


def _is_absurd(size: int, packed: int) -> bool:
    return size > PLAUSIBLE_SIZE and size > MOST_RATIO * packed


def _alike(entries: Sequence[zipfile.ZipInfo]) -> Iterator[Fault]:
    """Yield names that some file system takes for the same, and files that are folders too."""
    seen: dict[str, str] = {}
    folders: set[str] = set()
    for entry in entries:
        name, key = entry.filename, _key(entry.filename)
        if seen.get(key) == name:
            yield "it is there twice", name
        elif key in seen:
            yield "its name differs from another by case or spelling alone", name
        seen[key] = name
        parts = key.split("/")
        folders.update("/".join(parts[:length]) for length in range(1, len(parts)))
    for entry in entries:
        if not entry.is_dir() and _key(entry.filename) in folders:
            yield "it is a file and a folder at once", entry.filename


def _key(name: str) -> str:
    """Return what ``name`` is where case and the ways to compose a letter do not count."""
    folded = unicodedata.normalize("NFC", name.removesuffix("/")).casefold()
    return unicodedata.normalize("NFC", folded)


def _misplaced(archive: zipfile.ZipFile, entries: Sequence[zipfile.ZipInfo]) -> Iterator[Fault]:
    """Yield where the files do not fill the zip one after the other.

    Those of a bomb share bytes. Bytes of none are files that the damaged list has no more, which
    the library takes for a shorter one, or what another reader would find.
    """
    assert archive.fp is not None
    ordered = sorted(entries, key=lambda entry: entry.header_offset)
    begins = [*(entry.header_offset for entry in ordered), archive.start_dir]
    if begins[0]:
        yield "something that it does not list stands before its first file", None
    for entry, (begin, end) in zip(ordered, pairwise(begins), strict=True):
        length = _header_length(archive.fp, entry)
        room = end - begin - entry.compress_size - (length or 0)
        if length is None:
            yield "its header is not as the list of files says", entry.filename
        elif room < 0:
            yield "it shares bytes with another, as in a zip bomb", entry.filename
        elif room > (LONGEST_DESCRIPTOR if entry.flag_bits & HAS_DESCRIPTOR else 0):
            yield "something that the zip does not list stands after it", entry.filename


def _header_length(file: IO[bytes], entry: zipfile.ZipInfo) -> int | None:
    """Return the length of the header before the bytes of ``entry``; None if it is of another."""
    file.seek(entry.header_offset)
    signature, _, flags, method, *_, name_length, extra_length = HEADER.unpack(
        file.read(HEADER.size)
    )
    is_alike = method == entry.compress_type and not (
        (flags ^ entry.flag_bits) & (ENCRYPTED | UTF8_NAME)
    )
    return HEADER.size + name_length + extra_length if signature == BEGINNING and is_alike else None
