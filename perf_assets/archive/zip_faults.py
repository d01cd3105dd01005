"""What a zip says of itself, looked through for what does harm once it is unpacked."""

import re
import stat
import struct
import unicodedata
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import IO

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


@dataclass(frozen=True)
class Fault:
    """Why a zip is refused, and the file in it that is to blame; None where it is the whole."""

    why: str
    name: str | None = None


def faults(archive: zipfile.ZipFile) -> Iterator[Fault]:
    """Yield what is harmful in ``archive``, by its lists and headers alone: nothing is unpacked.

    Raises
    ------
    Exception
        One of those that the standard library raises of a damaged zip.
    """
    entries = archive.infolist()
    if len(entries) > MOST_MEMBERS:
        yield Fault(f"it lists more than {MOST_MEMBERS:,} files")
    for entry in entries:
        why = _fault_of_name(entry) or _fault_of_kind(entry) or _fault_of_size(entry)
        if why is not None:
            yield Fault(why, entry.orig_filename)
    total = sum(entry.file_size for entry in entries)
    if _is_absurd(total, sum(entry.compress_size for entry in entries)):
        yield Fault(f"it would become {megabytes(total)} MB once unpacked, as a zip bomb does")
    yield from _alike(entries)
    yield from _misplaced(archive, entries)


def megabytes(size: int) -> str:
    """``size`` in bytes as megabytes, rounded up."""
    return f"{-(-size >> 20):,}"


def _fault_of_name(entry: zipfile.ZipInfo) -> str | None:
    """Return of what is written there, and of what the library makes of it."""
    return _fault_of(entry.orig_filename) or _fault_of(entry.filename)


def _fault_of(name: str) -> str | None:
    parts = name.removesuffix("/").split("/")
    longest = max(len(part.encode()) for part in parts)
    controls = ("Cc", "Zl", "Zp")
    checks = (
        (any(unicodedata.category(text) in controls for text in name), "has a control character"),
        ("\\" in name, "has a backslash, which separates folders on some systems"),
        (
            name.startswith("/") or DRIVE.match(name),
            "is absolute, so it would be written elsewhere",
        ),
        (".." in parts, "leads out of the directory (..)"),
        ("" in parts or "." in parts, "has an empty part"),
        (longest > MOST_BYTES_OF_A_PART, "is longer than file systems take"),
        (len(name.encode()) > MOST_BYTES_OF_A_NAME, "is longer than file systems take"),
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
            f"it would become {megabytes(entry.file_size)} MB out of {entry.compress_size:,} "
            "bytes, as a zip bomb does"
        )
    return None


def _is_absurd(size: int, packed: int) -> bool:
    return size > PLAUSIBLE_SIZE and size > MOST_RATIO * packed


def _alike(entries: Sequence[zipfile.ZipInfo]) -> Iterator[Fault]:
    """Names that some file system takes for the same, and files that are folders too."""
    seen: dict[str, str] = {}
    folders: set[str] = set()
    for entry in entries:
        name, key = entry.filename, _key(entry.filename)
        if seen.get(key) == name:
            yield Fault("it is there twice", name)
        elif key in seen:
            yield Fault("its name differs from another by case or spelling alone", name)
        seen[key] = name
        parts = key.split("/")
        folders.update("/".join(parts[:length]) for length in range(1, len(parts)))
    for entry in entries:
        if not entry.is_dir() and _key(entry.filename) in folders:
            yield Fault("it is a file and a folder at once", entry.filename)


def _key(name: str) -> str:
    """Return what ``name`` is where case and the ways to compose a letter do not count."""
    folded = unicodedata.normalize("NFC", name.removesuffix("/")).casefold()
    return unicodedata.normalize("NFC", folded)


def _misplaced(archive: zipfile.ZipFile, entries: Sequence[zipfile.ZipInfo]) -> Iterator[Fault]:
    """Yield where the files do not fill the zip one after the other.

    Those of a bomb share bytes. Bytes of none are files that the damaged list has no more, which
    the library takes for a shorter one, or what another reader would find.
    """
    file = archive.fp
    assert file is not None
    ordered = sorted(entries, key=lambda entry: entry.header_offset)
    begins = [*(entry.header_offset for entry in ordered), archive.start_dir]
    if begins[0]:
        yield Fault("something that it does not list stands before its first file")
    for entry, begin, end in zip(ordered, begins, begins[1:], strict=False):
        length = _header_length(file, entry)
        room = end - begin - entry.compress_size - (length or 0)
        if length is None:
            yield Fault("its header is not as the list of files says", entry.filename)
        elif room < 0:
            yield Fault("it shares bytes with another, as in a zip bomb", entry.filename)
        elif room > (LONGEST_DESCRIPTOR if entry.flag_bits & HAS_DESCRIPTOR else 0):
            yield Fault("something that the zip does not list stands after it", entry.filename)


def _header_length(file: IO[bytes], entry: zipfile.ZipInfo) -> int | None:
    """Return how long the header before the bytes of ``entry`` is; None where it is that of
    another.
    """
    file.seek(entry.header_offset)
    signature, _, flags, method, *_, name_length, extra_length = HEADER.unpack(
        file.read(HEADER.size)
    )
    is_alike = method == entry.compress_type and not (
        (flags ^ entry.flag_bits) & (ENCRYPTED | UTF8_NAME)
    )
    return HEADER.size + name_length + extra_length if signature == BEGINNING and is_alike else None
