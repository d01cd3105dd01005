"""Processes that are killed at a random moment, and what must be true then and afterwards."""

import multiprocessing
import random
import re
import shutil
import sqlite3
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from types import SimpleNamespace

import polars as pl
import yaml

from perf_assets.config.classifier import PACKAGED
from perf_assets.config.data_directory import DataDirectory
from perf_assets.core.people.forgetting import Forgotten
from perf_assets.dagster_app.settings import write_instance_config
from perf_assets.sources.stackexchange import dump, dump_files
from perf_assets.stages.mining.questions import mine_questions
from perf_assets.stages.reviewing import import_sheet
from perf_assets.stages.study_loader import Added
from perf_assets.stages.transform.derivation import derive
from perf_assets.storage import fingerprints
from perf_assets.storage.address_key import address_key
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.backups import kept_files, open_backup, write_backup
from perf_assets.storage.forgotten import write_forgotten
from perf_assets.storage.migrations import OLDEST
from perf_assets.storage.publishing import publish
from perf_assets.storage.received import read_whole
from perf_assets.storage.restoring import restore
from perf_assets.storage.verdicts import read_log
from perf_assets.storage.warehouse import open_warehouse
from perf_assets.web.review import collecting
from perf_assets.web.review.application import Workbench
from perf_assets.web.review.store import Answer, Store, fill
from perf_assets.web.review.subjects import RANDOM, Subjects
from tests.forum_places import forum_of, planned, written
from tests.model_database import insert
from tests.rows import issue
from tests.support import VALIDATING, Prepared, Ran, assert_same_tables, materialize, stored_tables

BACKUP = "kept.zip"
DUMPED = 500  # questions of a dump, in some dozen writes
Tables = Mapping[str, pl.DataFrame]
Files = Mapping[str, object]
MOMENTS = ("imported_at",)  # which differ from import to import
COLLECTED_AT = re.compile(r"(?<=INTO \"collections\" VALUES\()'[^']*'")  # differs, too
RATERS = ("Ann", "Ben")
AT = "2021-01-01T00:00:00.000+00:00"
POSTGRES = {"storage": {"postgres": {"postgres_url": {"env": "DAGSTER_DATABASE"}}}}
"""Settings of a user, which no command may lose."""


def tables_of(data_dir: Path) -> Tables:
    """All that is stored."""
    return stored_tables(data_dir / "warehouse.duckdb")


def all_tables(data_dir: Path) -> Tables:
    """All that is stored, in the warehouse, for analysts, and line by line of verdicts."""
    found: dict[str, pl.DataFrame] = {}
    directory = DataDirectory(data_dir)
    for path in (directory.warehouse, directory.published):
        if path.exists():
            found |= {f"{path.name}: {n}": rows for n, rows in stored_tables(path).items()}
    kept = read_log(directory.verdicts)
    assert kept.damaged == []
    found |= {f"{directory.verdicts.name}: {name}": rows for name, rows in kept.rows.items()}
    return {
        name: rows.drop(MOMENTS, strict=False).pipe(lambda rows: rows.sort(rows.columns[:1]))
        if MOMENTS[0] in rows.columns
        else rows
        for name, rows in found.items()
    }


def with_verdicts(data_dir: Path) -> Tables:
    """All that is stored, but for prints of rows that have the moment of an import."""
    here = dict(all_tables(data_dir))
    for name in [name for name in here if name.endswith(fingerprints.NAME)]:
        here[name] = here[name].select("table", "scope")
    return here


def files_of(data_dir: Path) -> Files:
    """The files beside the databases that commands read: their bytes; of answers the rows."""
    directory = DataDirectory(data_dir)
    paths = [directory.added, directory.model, directory.dagster / "dagster.yaml"]
    if directory.forgotten.exists():  # else the key may be made at any time
        paths += [directory.forgotten, directory.address_key]
    paths += directory.review_answers.parent.glob("*.csv")
    found: dict[str, object] = {
        str(path.relative_to(data_dir)): path.read_bytes() for path in paths if path.exists()
    }
    if directory.review_answers.exists():
        with closing(sqlite3.connect(directory.review_answers)) as connection:
            rows = (COLLECTED_AT.sub("", line) for line in connection.iterdump())
            found[directory.review_answers.name] = sorted(rows)
    return found


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
    expected, files = deed.tables(whole), files_of(whole)
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
        assert_same_tables(deed.tables(data_dir), expected)
        assert files_of(data_dir) == files
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
        with open_backup(data_dir / BACKUP):
            pass


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
        # As of an older format: views of old names, and tables of another shape.
        database.connection.execute("CREATE VIEW raw.commit_metrics AS FROM details.commit_metrics")
        database.connection.execute("ALTER TABLE meta.about ADD COLUMN more VARCHAR")
        database.connection.execute("UPDATE meta.schema_version SET version = ?", [OLDEST])


def _with_files(prepared: Prepared, data_dir: Path) -> None:
    """A data directory with all that people may add to one, and a backup of it."""
    known = data_dir.with_name("with-files")
    if not known.exists():
        _changed(prepared, known)
        _add_files(DataDirectory(known))
        write_backup(DataDirectory(known), known / BACKUP)
    shutil.copytree(known, data_dir)


def _add_files(directory: DataDirectory) -> None:
    added = Added(
        study="another",
        name="octo/added",
        start="2020-01",
        git=None,
        github_url="https://github.com/octo/added",
        added_at=AT,
    )
    directory.added.write_text(f"[{added.model_dump_json()}]")
    directory.model.write_bytes(PACKAGED.read_bytes())
    with open_warehouse(directory.warehouse) as database:
        login = database.frame("SELECT min(author) FROM raw.issues").item()
    write_forgotten(directory, Forgotten(address_key(directory)).adding(login))
    directory.dagster.mkdir(exist_ok=True)
    (directory.dagster / "dagster.yaml").write_text(yaml.safe_dump(POSTGRES))
    keys, store = Subjects(directory).draw("bugs", 2, 2, 1), Store(_answers(directory))
    fill(store, keys, RANDOM, RATERS, 1, 100)
    for rater in RATERS:
        for key in keys:
            store.add(Answer(key, rater, {"is_performance": "yes"}, AT))


def _answers(directory: DataDirectory) -> Path:
    return directory.review_answers.parent


def _to_restore(prepared: Prepared, data_dir: Path) -> None:
    """A data directory that lost what its backup has."""
    _with_files(prepared, data_dir)
    directory = DataDirectory(data_dir)
    for path in (*kept_files(directory), directory.review_answers):
        path.unlink(missing_ok=True)


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


def _collect(_: Path, data_dir: Path) -> None:
    """Collect answers; their import is done here, without Dagster, which takes seconds."""
    directory = DataDirectory(data_dir)
    write_instance_config(directory.dagster)
    stand_in = SimpleNamespace(
        run=partial(_import, directory), TimeoutExpired=subprocess.TimeoutExpired
    )
    vars(collecting)["child"] = stand_in
    folder = _answers(directory)
    told = Workbench(Subjects(directory), Store(folder)).collect()
    assert len(told) == len(RATERS), told


def _import(directory: DataDirectory, command: Sequence[str], **_: object) -> Ran:
    sheets = [one for one in command if one.endswith(".csv")]
    with open_warehouse(directory.warehouse) as database:
        writer = AuditedWriter(database, directory)
        for sheet, rater in zip(sheets, RATERS, strict=True):
            import_sheet(writer, Path(sheet), rater)
        assert [one for one in derive(writer) if one.outcome and one.outcome.failure] == []
    publish(directory)
    return Ran(0, "".join(f"{sheet}: imported\n" for sheet in sheets), "")


DEEDS = {
    "run": Deed(_nothing, _run),
    "refresh": Deed(_one_month_less, _run),
    "dump": Deed(_with_dump, _read_dump),
    "publish": Deed(_changed, _publish),
    "migration": Deed(_older, _open),
    "backup": Deed(_with_files, _back_up),
    "restore": Deed(_to_restore, _restore),
    "review collect": Deed(_with_files, _collect, tables=with_verdicts),
}
