"""Operations on a data directory, at the command line or in the UI, that may be disturbed."""

import csv
import os
import shutil
import signal
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from urllib.error import URLError

import duckdb
import polars as pl
from click.testing import CliRunner

from perf_assets.cli.commands import commands
from perf_assets.config.data_directory import DataDirectory
from perf_assets.lake.contents import REMEMBERED, subjects_in
from perf_assets.lake.location import Lake
from perf_assets.lake.pull import pull
from perf_assets.lake.push import push
from perf_assets.storage import fingerprints
from perf_assets.storage.publishing import publish
from perf_assets.storage.warehouse import open_warehouse
from tests.browser.walking import ENDED, RUNS, Ui
from tests.crash_testing import BACKUP, DEEDS, Deed, Tables, all_tables, with_verdicts
from tests.lakes import memory, stored
from tests.ports import free_port
from tests.support import Prepared, materialize

SHEET = "sheet.csv"
LAKE = "lake"
LAUNCH_SECONDS = 120.0


def _command(*words: str) -> Callable[[Path, Path], None]:
    """A command line; {data_dir} and {study} stand for themselves."""
    return partial(_do, words)


def _do(words: Sequence[str], study: Path, data_dir: Path) -> None:
    commands([word.format(data_dir=data_dir, study=study) for word in words])


def _publish(_: Path, data_dir: Path) -> None:
    publish(DataDirectory(data_dir))


def _with_lake(data_dir: Path) -> Tables:
    """All that is stored in the data directory, and what another one is brought from the lake."""
    other, lake = memory(), _lake(data_dir)
    with duckdb.connect(str(DataDirectory(data_dir).warehouse), read_only=True) as connection:
        names = [name for (name,) in connection.execute(SUBJECTS).fetchall()]
    pull(other, lake, names)
    here = all_tables(data_dir)
    known = f"{DataDirectory(data_dir).warehouse.name}: {fingerprints.NAME}"
    # A release has a name that is drawn.
    here[known] = here[known].filter(pl.col("table") != REMEMBERED)
    return {**here, **{f"lake: {name}": rows for name, rows in stored(other).items()}}


SUBJECTS = "SELECT DISTINCT repository FROM meta.partition_loads ORDER BY ALL"


def _lake(data_dir: Path) -> Lake:
    return Lake.of(str(data_dir / LAKE))


def _copied(prepared: Prepared, data_dir: Path) -> None:
    shutil.copytree(prepared.data_dir, data_dir)


def _with_sheet(prepared: Prepared, data_dir: Path) -> None:
    """A data directory, and a sheet with verdicts that is to be imported."""
    known = data_dir.with_name(SHEET)
    _copied(prepared, data_dir)
    if not known.exists():
        drawn = ["review", "sample", "--n", "3", "--seed", "5", "--output", str(known)]
        result = CliRunner().invoke(commands, [*drawn, "--data-dir", str(data_dir)])
        assert result.exit_code == 0, result.output
        with known.open(encoding="utf-8-sig", newline="") as file:
            rows = [{**row, "is_performance": "no"} for row in csv.DictReader(file)]
        with known.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    shutil.copyfile(known, data_dir / SHEET)


def _with_answers(prepared: Prepared, data_dir: Path) -> None:
    """A data directory with answers of raters, and Dagster's record in SQLite files."""
    DEEDS["review collect"].before(prepared, data_dir)
    (DataDirectory(data_dir).dagster / "dagster.yaml").unlink()


def _to_ship(prepared: Prepared, data_dir: Path) -> None:
    """A data directory with a month more than its lake has."""
    known = data_dir.with_name("to-ship")
    if not known.exists():
        DEEDS["refresh"].before(prepared, known)
        _ship(known)
        materialize(prepared.study, known)
    shutil.copytree(known, data_dir)


def _to_bring(prepared: Prepared, data_dir: Path) -> None:
    """A data directory with a month less than its lake has."""
    known = data_dir.with_name("to-bring")
    if not known.exists():
        full = data_dir.with_name("full")
        _copied(prepared, full)
        _ship(full)
        DEEDS["refresh"].before(prepared, known)
        shutil.move(full / LAKE, known / LAKE)
        shutil.rmtree(full)
    shutil.copytree(known, data_dir)


def _ship(data_dir: Path) -> None:
    with open_warehouse(DataDirectory(data_dir).warehouse) as database:
        for subject in subjects_in(database):
            push(database, _lake(data_dir), subject)


def _ui(study: Path, data_dir: Path) -> None:
    """Open the UI, start a run in it, and close it as soon as that has ended."""
    port = free_port()

    def look() -> None:
        ui, until = Ui(f"http://127.0.0.1:{port}"), time.monotonic() + LAUNCH_SECONDS
        while time.monotonic() < until:
            try:
                ui.launch("derive")
                ui.waited_for(RUNS, lambda run: run["status"] in ENDED)
                break
            except (URLError, OSError, KeyError, AssertionError, TypeError):
                time.sleep(0.2)
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=look, daemon=True).start()
    commands(["ui", "--study", str(study), "--data-dir", str(data_dir), "--port", str(port)])


def _changed(prepared: Prepared, data_dir: Path) -> None:
    """A data directory with something to compute and to publish."""
    DEEDS["publish"].before(prepared, data_dir)
    with open_warehouse(DataDirectory(data_dir).warehouse) as database:
        database.connection.execute(
            'DELETE FROM meta.build_state WHERE "table" LIKE ?', ["marts.%"]
        )


_run = _command("run", "--study", "{study}", "--data-dir", "{data_dir}")
_restore = _command("restore", "{data_dir}/" + BACKUP, "--data-dir", "{data_dir}")
_import = _command(
    "review", "import", "{data_dir}/" + SHEET, "--rater", "Ann", "--data-dir", "{data_dir}"
)
_collect = _command("review", "collect", "--data-dir", "{data_dir}")
_push = _command("lake", "push", "--lake", "{data_dir}/" + LAKE, "--data-dir", "{data_dir}")
_pull = _command("lake", "pull", "--lake", "{data_dir}/" + LAKE, "--data-dir", "{data_dir}")

OPERATIONS = {
    "backup": Deed(
        DEEDS["backup"].before,
        _command("backup", "{data_dir}/" + BACKUP, "--data-dir", "{data_dir}"),
        tables=all_tables,
    ),
    "restore": Deed(DEEDS["restore"].before, _restore, tables=all_tables),
    "publish": Deed(DEEDS["publish"].before, _publish, tables=all_tables),
    "lake push": Deed(_to_ship, _push, tables=_with_lake),
    "lake pull": Deed(_to_bring, _pull, tables=all_tables),
    "review collect": Deed(_with_answers, _collect, tables=with_verdicts),
    "review import": Deed(_with_sheet, _import, tables=with_verdicts),
    "refresh": Deed(DEEDS["refresh"].before, _run, tables=all_tables),
    "run": Deed(DEEDS["run"].before, _run, tables=all_tables),
    "ui": Deed(_changed, _ui, 128 + signal.SIGTERM, _run, all_tables),
}
