"""What a person can do where a database cannot be opened, read or written."""

import re
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from shlex import quote

import duckdb

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.errors.messages import DAMAGE, DISK, disk_or_memory_message, explained
from perf_assets.config.data_directory import DataDirectory
from perf_assets.storage.database_copy import describe_fault

LOCK_HOLDER = re.compile(
    r"lock is held in (?P<program>(?:(?!lock is held in ).)+?) \(PID (?P<pid>\d+)\)"
)


def friendly_errors(path: Path) -> AbstractContextManager[None]:
    """Raise what ``database_error`` returns for an error of DuckDB inside the block."""
    return explained(partial(database_error, path=path), duckdb.Error)


def database_error(error: duckdb.Error, path: Path) -> PerfAssetsError | None:
    """Return the remedy for an error of DuckDB at ``path``; None for a bug."""
    text = str(error)
    holder = LOCK_HOLDER.search(text)
    if holder:
        return PerfAssetsError(
            f"{path} is in use by {holder['program']} (process {holder['pid']}): wait until it is "
            "done or stop it; to look at the data meanwhile, open the published perf_bugs.duckdb"
        )
    first_line = text.splitlines()[0]
    if sentence := disk_or_memory_message(text, path):
        return PerfAssetsError(sentence)
    # Before damage: after a write that failed DuckDB gives up the open database, not the file.
    is_of_disk = DISK.search(text) is not None
    if not is_of_disk and DAMAGE.search(text):
        return _damaged(path, describe_fault(error, path))
    if is_of_disk or isinstance(error, duckdb.IOException):
        return PerfAssetsError(f"{path}: DuckDB cannot go on: {first_line}")
    return None


def _damaged(path: Path, how: str) -> PerfAssetsError:
    data_dir = DataDirectory(path.parent)
    named = quote(str(data_dir.path))
    if path == data_dir.published:
        remedy = "perf-assets run publishes it anew"
    elif data_dir.published.exists():
        remedy = "the published copy replaces it"
    else:
        remedy = "it is moved aside, and the next run makes it anew"
    return PerfAssetsError(
        f"{path} is damaged ({how}): perf-assets doctor --repair --data-dir {named} "
        f"mends it, {remedy}; or bring back a backup with perf-assets restore FILE --data-dir "
        f"{named}"
    )
