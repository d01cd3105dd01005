"""Messages about faults of the machine and its files, each with a remedy.

A package that calls a library with errors of its own adds a function from these to messages, and
passes it to ``explained``.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from shlex import quote
from typing import TypeVar

from perf_assets.base.errors import OUT_OF_MEMORY, PerfAssetsError

Fault = TypeVar("Fault", bound=BaseException)

LEAST_FREE_BYTES = 1 << 20
FULL_DISK = (
    "{directory}: the disk is full; make room or choose another --data-dir and run again, what was "
    "stored is kept"
)
FULL = re.compile(r"No space left|disk is full|Disk quota exceeded", re.IGNORECASE)
NO_MEMORY = re.compile(
    r"Cannot allocate memory|malloc of size|bad_alloc|MemoryError|OutOfMemory|Out of Memory|"
    r"failed to allocate|can't start new thread|Resource temporarily unavailable",
    re.IGNORECASE,
)
UNWRITTEN = re.compile(r"sqlite(?:(?!sqlite).)*?disk I/O error", re.IGNORECASE | re.DOTALL)
RECORD = re.compile(
    # From the beginning, as a search would scan the text anew from each "sqlite" in it.
    r"\A(?:(?!sqlite|Can't locate revision|more than one head present).)*"
    r"sqlite.*(?P<why>file is not a database|disk image is malformed|readonly database|"
    r"unable to open database file|no such table|no such column)"
    r"|(?P<schema>Can't locate revision|more than one head present)",
    re.IGNORECASE | re.DOTALL,
)
DAMAGE = re.compile(
    r"not a valid DuckDB database|enough bytes|[Cc]orrupt|checksum|[Ss]erializ|database has been "
    r"invalidated|INTERNAL Error|WAL"
)
FILE = re.compile(r"\[Errno \d+\] (?P<what>[^:\n]{1,200}): ['\"](?P<where>[^'\"\n]+)['\"]")
# The last is all that DuckDB says when the disk does not take what was written.
DISK = re.compile(r"(?P<what>Input/output error|Read-only file system|fsync failed)")


@contextmanager
def explained(
    explain: Callable[[Fault], BaseException | None], *kinds: type[Fault]
) -> Iterator[None]:
    """Raise what ``explain`` returns for an exception of ``kinds`` instead of it; None keeps it."""
    try:
        yield
    except kinds as error:
        raise explain(error) or error from None


def explain_error(error: BaseException, data_dir: Path | None) -> str | None:
    """Return a message about the machine or the files of ``data_dir``; None for a bug.

    Libraries report a full disk or memory in many forms. The message of a PerfAssetsError is its
    own.
    """
    if isinstance(error, PerfAssetsError):
        return str(error)
    text = "\n".join(f"{type(cause).__name__}: {cause}" for cause in causes(error))
    directory = data_dir if data_dir is not None else Path()
    if data_dir is not None and not data_dir.is_dir():
        return (
            f"{data_dir} was removed, or its disk is gone: nothing can be stored; restore it, or "
            "choose another --data-dir, and run again"
        )
    if shutil.disk_usage(directory).free < LEAST_FREE_BYTES:
        return FULL_DISK.format(directory=directory)
    return (
        disk_or_memory_message(text, directory)
        or _about_a_database(error, text, directory)
        or _about_the_record(text, directory)
        or _about_a_file(text, directory)
    )


def disk_or_memory_message(text: str, directory: Path) -> str | None:
    """Return a remedy if ``text``, of an error, reports a full disk or memory."""
    if FULL.search(text):
        return FULL_DISK.format(directory=directory)
    return OUT_OF_MEMORY if NO_MEMORY.search(text) else None


def causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error and those that led to it."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _about_a_database(error: BaseException, text: str, directory: Path) -> str | None:
    # After a write that failed DuckDB gives up the open database, not the file.
    if DISK.search(text):
        return None
    # DuckDB takes too long to import for its class alone.
    messages = (str(cause) for cause in causes(error) if "duckdb" in type(cause).__module__)
    damage = next(filter(DAMAGE.search, messages), None)
    if damage is None:
        return None
    return (
        f"a database in {directory} is damaged ({damage.splitlines()[0][:200]}): perf-assets "
        f"doctor --repair --data-dir {quote(str(directory))} names it and repairs it"
    )


def _about_the_record(text: str, directory: Path) -> str | None:
    if UNWRITTEN.search(text):
        return (
            f"Dagster's record in {directory / 'dagster'} cannot be written (disk I/O error): make "
            "room on its disk, or repair it, and run again; no stored table depends on it"
        )
    record = RECORD.search(text)
    if record is None:
        return None
    return (
        f"Dagster's record in {directory / 'dagster'} cannot be used "
        f"({record['why'] or record['schema']}): perf-assets doctor --repair --data-dir "
        f"{directory} moves damaged files aside; no stored table depends on it"
    )


def _about_a_file(text: str, directory: Path) -> str | None:
    """Return what to do about the file or, without one, the disk that ``text`` is about."""
    file = FILE.search(text)
    if file and file["what"] == "No such file or directory" and Path(file["where"]).exists():
        file = None
    fault = file or DISK.search(text)
    if fault is None:
        return None
    what, where = fault["what"], fault.groupdict().get("where", str(directory))
    if what == "Permission denied":
        return f"{where}: permission denied; make it writable or choose another --data-dir"
    return (
        f"{where}: {what[:1].lower()}{what[1:]}; what was stored is kept: repair the disk, or "
        "choose another --data-dir, and run again"
    )
