"""What is damaged in a home, how to tell, and how it is mended without losing anything."""

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import duckdb
import yaml

from perf_assets.errors import PerfAssetsError
from perf_assets.sources.git.clone import damaged
from perf_assets.sources.git.command import (
    GitError,
    IdleError,
    error_line,
    in_clone,
    local_environment,
    run,
)
from perf_assets.storage.database_copy import fault_in, read_whole
from perf_assets.storage.database_errors import LOCK_HOLDER
from perf_assets.storage.home import Home
from perf_assets.storage.lock import writing
from perf_assets.storage.publishing import publish
from perf_assets.storage.restoring import set_aside
from perf_assets.storage.verdicts import keep_verdicts, read_log, write_log
from perf_assets.storage.warehouse import bring_back, open_warehouse

# More than one where two processes made it at once, or one was let down by its disk: Dagster opens
# it no more.
VERSIONS = "SELECT count(*) FROM alembic_version"
HAS_VERSION = "SELECT 1 FROM sqlite_master WHERE name = 'alembic_version'"
ROOM_FOR_COPIES = 3  # publishing and a backup write the database again


@dataclass(frozen=True)
class Damage:
    """Something in a home that is not as it should be.

    what : where it is and how it shows.
    remedy : what mends it; what ``mend`` does, where there is one.
    """

    what: str
    remedy: str
    mend: Callable[[], None] | None = None

    def __str__(self) -> str:
        """One sentence."""
        return f"{self.what}: {self.remedy}"


def find_damage(home: Home) -> Iterator[Damage]:
    """Everything in ``home`` that is damaged, or will stop the next run; every byte is looked at.

    Raises
    ------
    PerfAssetsError
        A run writes to it: what is half written looks like damage.
    """
    if not os.access(home.path, os.W_OK | os.X_OK):
        yield Damage(f"{home.path} cannot be written to", "make it writable, or choose another")
        return
    with writing(home.path):
        yield from _disk(home)
        yield from _warehouse(home)
        yield from _published(home)
        yield from _verdicts(home)
        yield from _record(home)
        yield from _clones(home)


def repair(home: Home) -> Iterator[tuple[Damage, str | None]]:
    """Mend what can be mended; each damage, and why it could not be mended where that is so.

    What is replaced is kept below ``replaced`` of the home.
    """
    with writing(home.path):
        for damage in find_damage(home):
            if damage.mend is None:
                yield damage, damage.remedy
                continue
            try:
                damage.mend()
            except PerfAssetsError as error:
                yield damage, str(error)
            else:
                yield damage, None


def _disk(home: Home) -> Iterator[Damage]:
    free = shutil.disk_usage(home.path).free
    size = home.warehouse.stat().st_size if home.warehouse.exists() else 0
    if free < ROOM_FOR_COPIES * size:
        yield Damage(
            f"{home.path} has {free >> 20:,} MB left, and its warehouse alone has {size >> 20:,}",
            "make room before the next run, which writes it twice",
        )


def _warehouse(home: Home) -> Iterator[Damage]:
    if not home.warehouse.exists():
        if home.published.exists():
            remedy = "what was published takes its place"
            yield Damage(f"{home.warehouse} is not there", remedy, lambda: _renew(home))
        return
    if how := _fault(home.warehouse):
        if home.published.exists() and _fault(home.published) is None:
            remedy = "it is moved aside, and what was published takes its place"
        else:
            remedy = (
                "it is moved aside, and perf-assets run makes it anew; if there is a backup, "
                "perf-assets restore FILE brings back what it had"
            )
        yield Damage(f"{home.warehouse} is damaged ({how})", remedy, lambda: _renew(home))


def _published(home: Home) -> Iterator[Damage]:
    if home.published.exists() and (how := _fault(home.published)):
        remedy = "it is moved aside and published anew"
        yield Damage(f"{home.published} is damaged ({how})", remedy, lambda: _publish_anew(home))


def _verdicts(home: Home) -> Iterator[Damage]:
    if damaged := read_log(home.verdicts).damaged:
        lines = ", ".join(map(str, damaged))
        remedy = "it is moved aside, and written anew with all verdicts that are still there"
        yield Damage(
            f"{home.verdicts} is damaged (line {lines})", remedy, lambda: _tell_verdicts_anew(home)
        )


def _record(home: Home) -> Iterator[Damage]:
    """Dagster's own files: what is lost with them is what the UI shows of the past."""
    for path in sorted(home.dagster.rglob("*.db")):
        if how := _sqlite_fault(path):
            remedy = "it is moved aside; no stored table depends on it, and the next run tells anew"
            yield Damage(f"{path} is damaged ({how})", remedy, _mover(home, path))
    settings = home.dagster / "dagster.yaml"
    try:
        is_mapping = isinstance(
            yaml.safe_load(settings.read_text(encoding="utf-8")) if settings.exists() else {},
            dict | None,
        )
    except (yaml.YAMLError, UnicodeDecodeError):
        is_mapping = False
    if not is_mapping:
        remedy = "it is moved aside, and the next run writes it anew; put your own settings back"
        yield Damage(f"{settings} cannot be read", remedy, _mover(home, settings))


def _clones(home: Home) -> Iterator[Damage]:
    for clone in sorted((home.path / "clones").glob("*.git")):
        try:
            run(in_clone(clone, "rev-list", "--all", "--count"), local_environment())
        except IdleError as failure:
            raise damaged(clone, failure) from None
        except GitError as failure:
            how = error_line(failure.stderr)
            remedy = "it is moved aside, and the next run clones it anew"
            yield Damage(f"{clone} is damaged ({how})", remedy, _mover(home, clone))


def _mover(home: Home, path: Path) -> Callable[[], None]:
    def move() -> None:
        set_aside(home, path)

    return move


def _renew(home: Home) -> None:
    is_published = home.published.exists() and _fault(home.published) is None
    set_aside(home, home.warehouse)
    if is_published:
        bring_back(home)
    else:
        set_aside(home, home.published)
    with open_warehouse(home.warehouse) as database:
        keep_verdicts(database, home)


def _publish_anew(home: Home) -> None:
    set_aside(home, home.published)
    publish(home)


def _tell_verdicts_anew(home: Home) -> None:
    kept = read_log(home.verdicts).rows
    set_aside(home, home.verdicts)
    write_log(home.verdicts, kept)
    with open_warehouse(home.warehouse) as database:
        keep_verdicts(database, home)


def _fault(path: Path) -> str | None:
    """How a database is damaged; ``None`` where every value of it can be read."""
    try:
        with duckdb.connect(str(path), read_only=True) as connection:
            read_whole(connection)
    except duckdb.Error as error:
        if LOCK_HOLDER.search(str(error)):
            return None  # somebody works on it, so it can be read
        return fault_in(error, path)
    return None


def _sqlite_fault(path: Path) -> str | None:
    try:
        connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=5)
        try:
            ((found,),) = connection.execute("PRAGMA quick_check(1)").fetchall()
            if connection.execute(HAS_VERSION).fetchone():
                ((versions,),) = connection.execute(VERSIONS).fetchall()
                if versions > 1:
                    return "it says that it is of several versions"
        finally:
            connection.close()
    except sqlite3.DatabaseError as error:
        return str(error)
    return None if found == "ok" else str(found).splitlines()[0]
