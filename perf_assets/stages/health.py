"""Find and repair damage in a data directory without losing data."""

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import duckdb
import yaml

from perf_assets.base.errors import PerfAssetsError
from perf_assets.config.data_directory import DataDirectory
from perf_assets.sources.git.clone import damaged
from perf_assets.sources.git.command import (
    GitError,
    IdleError,
    error_line,
    in_clone,
    local_environment,
    run,
)
from perf_assets.storage.database_copy import describe_fault
from perf_assets.storage.database_errors import LOCK_HOLDER
from perf_assets.storage.lock import writing
from perf_assets.storage.making import bring_back
from perf_assets.storage.publishing import publish
from perf_assets.storage.received import read_whole
from perf_assets.storage.restoring import set_aside
from perf_assets.storage.verdicts import keep_verdicts, read_log, write_log
from perf_assets.storage.warehouse import open_warehouse

# Dagster does not open a database with several versions, which parallel creation or a faulty disk
# can cause.
VERSIONS = "SELECT count(*) FROM alembic_version"
HAS_VERSION = "SELECT 1 FROM sqlite_master WHERE name = 'alembic_version'"
ROOM_FOR_COPIES = 3  # publishing and a backup write the database again


@dataclass(frozen=True)
class Damage:
    """A fault in a data directory.

    what : place and symptom.
    remedy : the repair; what ``mend`` does if set.
    """

    what: str
    remedy: str
    mend: Callable[[], object] | None = None

    def __str__(self) -> str:
        """Return one sentence."""
        return f"{self.what}: {self.remedy}"


def find_damage(data_dir: DataDirectory) -> Iterator[Damage]:
    """Yield damage in ``data_dir`` and conditions that stop the next run; reads every byte.

    Raises
    ------
    PerfAssetsError
        A run is writing to it: half-written files look like damage.
    """
    if not os.access(data_dir.path, os.W_OK | os.X_OK):
        yield Damage(f"{data_dir.path} cannot be written to", "make it writable, or choose another")
        return
    with writing(data_dir.path):
        yield from _disk(data_dir)
        yield from _warehouse(data_dir)
        yield from _published(data_dir)
        yield from _verdicts(data_dir)
        yield from _record(data_dir)
        yield from _clones(data_dir)


def repair(data_dir: DataDirectory) -> Iterator[tuple[Damage, str | None]]:
    """Repair damage; yield each damage, and the reason if it could not be repaired.

    Replaced files are kept below ``replaced`` of the data directory.
    """
    with writing(data_dir.path):
        for damage in find_damage(data_dir):
            if damage.mend is None:
                yield damage, damage.remedy
                continue
            try:
                damage.mend()
            except PerfAssetsError as error:
                yield damage, str(error)
            else:
                yield damage, None


def _disk(data_dir: DataDirectory) -> Iterator[Damage]:
    free = shutil.disk_usage(data_dir.path).free
    size = data_dir.warehouse.stat().st_size if data_dir.warehouse.exists() else 0
    if free < ROOM_FOR_COPIES * size:
        yield Damage(
            f"{data_dir.path} has {free >> 20:,} MB left, but its warehouse has {size >> 20:,} MB",
            "free space before the next run, which writes two copies of it",
        )


def _warehouse(data_dir: DataDirectory) -> Iterator[Damage]:
    renew = partial(_renew, data_dir)
    if not data_dir.warehouse.exists():
        if data_dir.published.exists():
            remedy = "the published copy replaces it"
            yield Damage(f"{data_dir.warehouse} is missing", remedy, renew)
    elif how := _fault(data_dir.warehouse):
        remedy = "it is moved aside, and the published copy replaces it"
        if not _is_published(data_dir):
            remedy = (
                "it is moved aside, and perf-assets run computes it anew; if a backup exists, "
                "perf-assets restore FILE restores its content"
            )
        yield Damage(f"{data_dir.warehouse} is damaged ({how})", remedy, renew)


def _published(data_dir: DataDirectory) -> Iterator[Damage]:
    if data_dir.published.exists() and (how := _fault(data_dir.published)):
        remedy, mend = "it is moved aside and published anew", partial(_publish_anew, data_dir)
        yield Damage(f"{data_dir.published} is damaged ({how})", remedy, mend)


def _verdicts(data_dir: DataDirectory) -> Iterator[Damage]:
    if damaged := read_log(data_dir.verdicts).damaged:
        how = f"line {', '.join(map(str, damaged))}"
        remedy = "it is moved aside, and written anew with all remaining verdicts"
        mend = partial(_restore_verdict_log, data_dir)
        yield Damage(f"{data_dir.verdicts} is damaged ({how})", remedy, mend)


def _record(data_dir: DataDirectory) -> Iterator[Damage]:
    """Yield damage in Dagster's files; only the history in the UI depends on them."""
    remedy = "it is moved aside; no stored table depends on it, and the next run reports anew"
    for path in sorted(data_dir.dagster.rglob("*.db")):
        if how := _sqlite_fault(path):
            mend = partial(set_aside, data_dir, path)
            yield Damage(f"{path} is damaged ({how})", remedy, mend)
    settings = data_dir.dagster / "dagster.yaml"
    try:
        content = yaml.safe_load(settings.read_text(encoding="utf-8")) if settings.exists() else {}
    except (yaml.YAMLError, UnicodeDecodeError):
        content = None
    if not isinstance(content, dict):
        remedy = "it is moved aside, and the next run writes it anew; restore your settings"
        mend = partial(set_aside, data_dir, settings)
        yield Damage(f"{settings} cannot be read", remedy, mend)


def _clones(data_dir: DataDirectory) -> Iterator[Damage]:
    for clone in sorted((data_dir.path / "clones").glob("*.git")):
        try:
            run(in_clone(clone, "rev-list", "--all", "--count"), local_environment())
        except IdleError as failure:
            raise damaged(clone, failure) from None
        except GitError as failure:
            how = error_line(failure.stderr)
            remedy = "it is moved aside, and the next run clones it anew"
            mend = partial(set_aside, data_dir, clone)
            yield Damage(f"{clone} is damaged ({how})", remedy, mend)


def _is_published(data_dir: DataDirectory) -> bool:
    return data_dir.published.exists() and _fault(data_dir.published) is None


def _renew(data_dir: DataDirectory) -> None:
    is_published = _is_published(data_dir)
    set_aside(data_dir, data_dir.warehouse)
    if is_published:
        bring_back(data_dir)
    else:
        set_aside(data_dir, data_dir.published)
    with open_warehouse(data_dir.warehouse) as database:
        keep_verdicts(database, data_dir)


def _publish_anew(data_dir: DataDirectory) -> None:
    set_aside(data_dir, data_dir.published)
    publish(data_dir)


def _restore_verdict_log(data_dir: DataDirectory) -> None:
    kept = read_log(data_dir.verdicts).rows
    set_aside(data_dir, data_dir.verdicts)
    write_log(data_dir.verdicts, kept)
    with open_warehouse(data_dir.warehouse) as database:
        keep_verdicts(database, data_dir)


def _fault(path: Path) -> str | None:
    """Return the fault of a database; None if every value can be read."""
    try:
        read_whole(path)
    except duckdb.Error as error:
        if LOCK_HOLDER.search(str(error)):
            return None  # Another process uses it, so it can be read.
        return describe_fault(error, path)
    return None


def _sqlite_fault(path: Path) -> str | None:
    try:
        connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=5)
        try:
            ((fault,),) = connection.execute("PRAGMA quick_check(1)").fetchall()
            if connection.execute(HAS_VERSION).fetchone():
                ((versions,),) = connection.execute(VERSIONS).fetchall()
                if versions > 1:
                    return "it says that it is of several versions"
        finally:
            connection.close()
    except sqlite3.DatabaseError as error:
        return str(error)
    return None if fault == "ok" else str(fault).splitlines()[0]
