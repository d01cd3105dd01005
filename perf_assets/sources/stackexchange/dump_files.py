"""Opening the files of a dump: plain, packed by Zstandard, or in a 7z archive; as a stream."""

import queue
import re
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.sanitize import shortened

CHUNK = 4 << 20  # bytes
WAITING_CHUNKS = 4  # of an archive that is unpacked faster than it is read
UNPACKING_SECONDS = 300.0  # for the next chunk
JOIN_SECONDS = 10.0  # for the unpacking thread to notice that reading has ended
POSTS = "Posts"
OTHERS = ("PostLinks", "PostHistory", "Comments")
"""Files beside the posts that say more of them; a dump need not have them."""


@dataclass(frozen=True)
class DumpFile:
    """One file of a dump.

    path : where it is; of a member of an archive, where the archive is.
    name : what it holds: Posts, PostLinks, PostHistory or Comments.
    member : its name within the archive; ``None`` of a file that is none.
    size : its bytes when unpacked, where that is given beforehand.
    """

    path: Path
    name: str
    member: str | None = None
    size: int | None = None

    @property
    def title(self) -> str:
        """Its name in messages."""
        return str(self.path) if self.member is None else f"{self.path} ({self.member})"

    def chunks(self, offset: int = 0) -> Iterator[bytes]:
        """Yield its bytes from ``offset`` on, unpacked.

        Raises
        ------
        PerfAssetsError
            It cannot be read, or is damaged.
        """
        try:
            if self.member is not None:
                yield from _after(offset, _member(self.path, self.member))
            elif self.path.suffix == ".zst":
                yield from _after(offset, _unpacked(self.path))
            else:
                with self.path.open("rb") as file:
                    file.seek(offset)
                    while chunk := file.read(CHUNK):
                        yield chunk
        except OSError as error:
            raise _unreadable(self.title, error.strerror or str(error)) from None


def find_dump(path: Path) -> list[DumpFile]:
    """Return the files of the dump at ``path``, the posts first: a file, or a folder that holds it.

    Raises
    ------
    PerfAssetsError
        The file does not exist or has no posts.
    """
    if not path.exists():
        raise PerfAssetsError(
            f"{path}: this dump does not exist; name Posts.xml, .7z or .zst of a site's dump, or "
            "the folder that holds it"
        )
    posts = _posts_in(path) if path.is_dir() else path
    if posts is None:
        raise PerfAssetsError(f"{path}: the folder has no Posts.xml, Posts.xml.zst or Posts.7z")
    found = _in_file(posts)
    names = {file.name for file in found}
    if POSTS not in names:
        raise PerfAssetsError(
            f"{posts}: not a dump of posts: it holds {', '.join(sorted(names)) or 'nothing'}, and "
            "no Posts.xml"
        )
    for name in OTHERS:
        # stackoverflow.com-Posts.7z has stackoverflow.com-PostLinks.7z beside it.
        beside = posts.with_name(re.sub(POSTS, name, posts.name, flags=re.IGNORECASE))
        if name not in names and beside != posts and beside.is_file():
            found += [file for file in _in_file(beside) if file.name == name]
    order = (POSTS, *OTHERS)
    return sorted((file for file in found if file.name in order), key=lambda f: order.index(f.name))


def _posts_in(folder: Path) -> Path | None:
    """Return the file in ``folder`` that holds the posts, an unpacked one first."""
    for suffix in (".xml", ".xml.zst", ".7z"):
        for path in sorted(folder.iterdir()):
            if path.is_file() and path.name.casefold().endswith(f"{POSTS}{suffix}".casefold()):
                return path
    return None


def _in_file(path: Path) -> list[DumpFile]:
    with suppress(OSError):
        if path.suffix == ".7z":
            return _in_archive(path)
    plain = path.name.removesuffix(".zst").removesuffix(".xml")
    matching = [name for name in (POSTS, *OTHERS) if plain.casefold().endswith(name.casefold())]
    # What is given as the dump is taken for its posts, whatever it is called.
    name = matching[0] if matching else POSTS
    size = None if path.suffix == ".zst" else path.stat().st_size
    return [DumpFile(path, name, size=size)]


def _in_archive(path: Path) -> list[DumpFile]:
    with _unpacking(path):
        import py7zr  # noqa: PLC0415

    try:
        with py7zr.SevenZipFile(path) as archive:
            members = [(entry.filename, entry.uncompressed) for entry in archive.list()]
    except OSError:
        raise
    except Exception as error:  # a damaged list of contents leads the library anywhere
        why = shortened(error, 100) or type(error).__name__
        raise _unreadable(str(path), f"it is not a 7z archive, or is damaged: {why}") from None
    return [
        DumpFile(path, Path(name).stem, name, size)
        for name, size in members
        if Path(name).suffix == ".xml"
    ]


def _after(offset: int, chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the bytes after the first ``offset``; a packed file is read from its start."""
    for chunk in chunks:
        if offset >= len(chunk):
            offset -= len(chunk)
            continue
        yield chunk[offset:]
        offset = 0


@contextmanager
def _unpacking(path: Path) -> Iterator[None]:
    """Say how to have the library that is imported inside the block."""
    try:
        yield
    except ModuleNotFoundError:
        raise PerfAssetsError(
            f"{path}: the library that unpacks it is missing: pip install 'perf-assets[forums]', "
            "or unpack it and name the Posts.xml"
        ) from None


def _unpacked(path: Path) -> Iterator[bytes]:
    with _unpacking(path):
        if sys.version_info >= (3, 14):
            from compression import zstd  # noqa: PLC0415
        else:
            from backports import zstd  # noqa: PLC0415

    try:
        with zstd.open(path, "rb") as file:
            while chunk := file.read(CHUNK):
                yield chunk
    except (zstd.ZstdError, EOFError) as error:
        raise _unreadable(
            str(path), f"it is not packed by Zstandard, or damaged: {error}"
        ) from None


def _member(path: Path, member: str) -> Iterator[bytes]:
    """Yield the bytes of a member of an archive; another thread unpacks, a few chunks ahead."""
    waiting: queue.Queue[bytes | BaseException | None] = queue.Queue(WAITING_CHUNKS)
    is_over = threading.Event()

    def put(chunk: bytes | BaseException | None) -> None:
        while not is_over.is_set():
            with suppress(queue.Full):
                waiting.put(chunk, timeout=0.1)
                return
        raise _ReaderClosedError

    thread = threading.Thread(target=_unpack, args=(path, member, put), daemon=True)
    thread.start()
    try:
        while (chunk := waiting.get(timeout=UNPACKING_SECONDS)) is not None:
            if isinstance(chunk, BaseException):
                why = shortened(chunk, 100) or type(chunk).__name__
                raise _unreadable(f"{path} ({member})", f"the archive is damaged: {why}")
            yield chunk
    except queue.Empty:
        raise _unreadable(
            f"{path} ({member})", f"nothing could be unpacked for {UNPACKING_SECONDS:g} s"
        ) from None
    finally:
        is_over.set()
        thread.join(JOIN_SECONDS)


class _ReaderClosedError(Exception):
    """The unpacked file is no longer needed."""


def _unpack(path: Path, member: str, put: Callable[[bytes | BaseException | None], None]) -> None:
    import py7zr  # noqa: PLC0415
    from py7zr.io import Py7zIO, WriterFactory  # noqa: PLC0415

    class Writer(Py7zIO):  # type: ignore[misc]
        """Hands on what is unpacked."""

        def __init__(self) -> None:
            self.written = 0

        def write(self, s: bytes | bytearray) -> int:
            # Whoever packs spaces by the gigabyte gets them back by the hundred megabytes.
            for start in range(0, len(s), CHUNK):
                put(bytes(s[start : start + CHUNK]))
            self.written += len(s)
            return len(s)

        def read(self, size: int | None = None) -> bytes:
            return b""

        def seek(self, offset: int, whence: int = 0) -> int:
            return self.written

        def flush(self) -> None:
            """Start with an empty buffer."""

        def size(self) -> int:
            return self.written

    class Factory(WriterFactory):  # type: ignore[misc]
        """The one member that is needed goes to the reader."""

        def create(self, filename: str) -> Writer:
            return Writer()

    try:
        with py7zr.SevenZipFile(path) as archive:
            archive.extract(targets=[member], factory=Factory())
        put(None)
    except _ReaderClosedError:
        return
    except Exception as error:  # whatever it is, who reads has to know
        with suppress(_ReaderClosedError):
            put(error)


def _unreadable(title: str, reason: str) -> PerfAssetsError:
    return PerfAssetsError(f"{title}: the dump cannot be read: {reason}; fetch it again")
