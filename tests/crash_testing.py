"""Processes that are killed at a random moment, and what must be true then and afterwards."""

import multiprocessing
import random
import shutil
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

import polars as pl

from perf_assets.sources.stackexchange import dump, dump_files
from perf_assets.stages.mining.questions import mine_questions
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.backups import read_manifest, write_backup
from perf_assets.storage.data_directory import DataDirectory
from perf_assets.storage.publishing import publish
from perf_assets.storage.received import read_whole
from perf_assets.storage.restoring import restore
from perf_assets.storage.warehouse import open_warehouse
from tests.forum_places import forum_of, planned, written
from tests.model_database import insert
from tests.rows import issue
from tests.support import VALIDATING, Prepared, assert_same_tables, materialize, stored_tables

BACKUP = "kept.zip"
DUMPED = 500  # questions of a dump, in some dozen writes
Tables = Mapping[str, pl.DataFrame]


def tables_of(data_dir: Path) -> Tables:
    """All that is stored."""
    return stored_tables(data_dir / "warehouse.duckdb")


@dataclass(frozen=True)
class Deed:
    """Something that is done to a data directory, and may be killed while it is.

    before : makes the data directory ready for it.
    act : does it; may be done again.
    ends : its exit code when nothing disturbs it.
    again : what is done after it was disturbed, where that is not the same once more.
    tables : what comes of it.
    """

    before: Callable[[Prepared, Path], None]
    act: Callable[[Path, Path], None]
    ends: int = 0
    again: Callable[[Path, Path], None] | None = None
    tables: Callable[[Path], Tables] = tables_of


def kill_at_random_moments(
    deed: Deed, prepared: Prepared, directory: Path, number: int, seed: int = 0
) -> int:
    """Kill ``deed`` until ``number`` kills found it at work, and hold what must hold each time.

    Returns
    -------
    How many kills that took.
    """
    whole = directory / "whole"
    deed.before(prepared, whole)
    seconds = run_to_its_end(deed, prepared, whole)
    expected = tables_of(whole)
    chance = random.Random(seed)
    hits = kills = 0
    while hits < number:
        data_dir = directory / str(kills)
        deed.before(prepared, data_dir)
        process = _begun(deed, prepared, data_dir)
        time.sleep(chance.uniform(0, seconds))
        hits += process.is_alive()
        kills += 1
        process.kill()
        process.join()
        assert_readable(data_dir)
        run_to_its_end(deed, prepared, data_dir)
        assert_same_tables(tables_of(data_dir), expected)
        assert_readable(data_dir)
        shutil.rmtree(data_dir)
    shutil.rmtree(whole)
    return kills


def assert_readable(data_dir: Path) -> None:
    """What analysts open, and a backup, are whole whenever they are there."""
    published = DataDirectory(data_dir).published
    if published.exists():
        read_whole(published)
    if (data_dir / BACKUP).exists():
        read_manifest(data_dir / BACKUP)


def run_to_its_end(deed: Deed, prepared: Prepared, data_dir: Path) -> float:
    """Do it undisturbed; how many seconds it took."""
    process = _begun(deed, prepared, data_dir)
    began = time.monotonic()
    process.join()
    assert process.exitcode == 0
    return time.monotonic() - began


def _begun(deed: Deed, prepared: Prepared, data_dir: Path) -> "multiprocessing.process.BaseProcess":
    """A process that is about to do it: it has all that it needs, and says so."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__, VALIDATING])
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=_do, args=(deed.act, there, prepared.study, data_dir))
    process.start()
    here.recv()
    return process


def _do(act: Callable[[Path, Path], None], begun: Connection, study: Path, data_dir: Path) -> None:
    begun.send(None)
    act(study, data_dir)


def _nothing(_: Prepared, data_dir: Path) -> None:
    data_dir.mkdir()


def _whole(prepared: Prepared, data_dir: Path) -> None:
    shutil.copytree(prepared.data_dir, data_dir)


def _one_month_less(prepared: Prepared, data_dir: Path) -> None:
    known = data_dir.with_name("one-month-less")
    if not known.exists():
        materialize(prepared.study, known, None, "2020-02")
    shutil.copytree(known, data_dir)


def _changed(prepared: Prepared, data_dir: Path) -> None:
    _whole(prepared, data_dir)
    with open_warehouse(data_dir / "warehouse.duckdb") as database:
        database.connection.execute("UPDATE meta.repositories SET study = 'another'")


def _older(_: Prepared, data_dir: Path) -> None:
    data_dir.mkdir()
    with open_warehouse(data_dir / "warehouse.duckdb") as database:
        rows = [issue(number, "2020-01-05", events=2) for number in range(1, 300)]
        insert(database.connection, "raw.issues", rows)
        # As of format 9: views of old names, and tables of another shape.
        database.connection.execute("CREATE VIEW raw.commit_metrics AS FROM details.commit_metrics")
        database.connection.execute("ALTER TABLE meta.about ADD COLUMN more VARCHAR")
        database.connection.execute("UPDATE meta.schema_version SET version = 9")


def _with_backup(prepared: Prepared, data_dir: Path) -> None:
    _changed(prepared, data_dir)
    write_backup(DataDirectory(data_dir), data_dir / BACKUP)


def _with_dump(prepared: Prepared, data_dir: Path) -> None:
    data_dir.mkdir()
    if not _dump(prepared.study).exists():
        written(_dump(prepared.study), planned(DUMPED))


def _dump(study: Path) -> Path:
    return study.parent.parent / "a-dump"


def _read_dump(study: Path, data_dir: Path) -> None:
    # Small parts, so that there is much to come between.
    dump_files.CHUNK, dump.AT_ONCE = 40_000, 60_000
    place, forum = DataDirectory.of(data_dir), forum_of(_dump(study))
    with open_warehouse(place.warehouse) as database:
        for tag_set in forum.tag_sets:
            list(mine_questions(AuditedWriter(database, place), forum, tag_set, tag_set.months))


def _run(study: Path, data_dir: Path) -> None:
    materialize(study, data_dir)


def _publish(_: Path, data_dir: Path) -> None:
    publish(DataDirectory(data_dir))


def _open(_: Path, data_dir: Path) -> None:
    with open_warehouse(data_dir / "warehouse.duckdb"):
        pass


def _back_up(_: Path, data_dir: Path) -> None:
    write_backup(DataDirectory(data_dir), data_dir / BACKUP)


def _restore(_: Path, data_dir: Path) -> None:
    restore(DataDirectory(data_dir), data_dir / BACKUP)


DEEDS = {
    "run": Deed(_nothing, _run),
    "refresh": Deed(_one_month_less, _run),
    "dump": Deed(_with_dump, _read_dump),
    "publish": Deed(_changed, _publish),
    "migration": Deed(_older, _open),
    "backup": Deed(_with_backup, _back_up),
    "restore": Deed(_with_backup, _restore),
}
