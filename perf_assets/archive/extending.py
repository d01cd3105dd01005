"""Going on from an archive: a data directory made of it, which the next run brings up to date."""

import json
import shutil
from pathlib import Path

import duckdb

from perf_assets.archive.given import lay_tables
from perf_assets.archive.manifest import STUDY, Manifest, copy_kept
from perf_assets.archive.opening import check_whole, readable, unpacked
from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.files import copy_file, digest_of, set_in_place, write_file
from perf_assets.base.processes.progress import phase
from perf_assets.base.sanitize import shortened
from perf_assets.config.data_directory import DataDirectory
from perf_assets.config.study import is_packaged
from perf_assets.storage.lock import writing
from perf_assets.storage.migrations import FORMAT as WAREHOUSE_FORMAT

ORIGIN = "archive_origin.json"
"""Which archive a data directory was made of: checksum, and the study to go on with."""

# Hashes of addresses by a key that stays where the archive was made are as good as none.
READ_COMMITS_AGAIN = """
    UPDATE meta.partition_loads SET fingerprint = NULL
    WHERE "table" = 'raw.commits' AND repository IN (
        SELECT repository FROM raw.commits WHERE author_email IS NOT NULL
    )
"""
# So the new data directory hashes by its own key.
FORGET_KEY = """
    DELETE FROM meta.about WHERE fact = 'address_key';
    DELETE FROM meta.build_state WHERE "table" = 'lake' AND scope = 'all'
"""


def begin_from(archive: Path, data_dir: DataDirectory, study: str | None = None) -> str:
    """Make ``data_dir``, which is empty, what the archive says; the study to go on with.

    Verdicts, repositories that were added and a model that was trained come along. Where it was
    made of this archive already, it stays as it is.

    Parameters
    ----------
    study
        The study that a person names; default: that of the archive.

    Raises
    ------
    PerfAssetsError
        It is not an archive, damaged, or was changed so that nobody can go on with it; the data
        directory has another study; or its sources are where it was made.
    """
    origin = data_dir.path / ORIGIN
    with phase(f"opening {archive.name}"), writing(data_dir.path):
        is_begun = data_dir.warehouse.exists() or data_dir.published.exists()
        if is_begun and origin.exists():
            noted = json.loads(origin.read_text(encoding="utf-8"))
            if archive.is_file() and noted["sha256"] == digest_of(archive):
                return study or str(noted["study"])
        if is_begun:
            raise PerfAssetsError(
                f"{data_dir.path} holds a study already: name a new directory with --data-dir, or "
                "run without --from to go on with what is there"
            )
        with unpacked(archive, data_dir.path) as (content, manifest), readable(archive, content):
            check_whole(archive, content)
            _check(archive, manifest, study)
            chosen = study or _study(archive, manifest, data_dir)
            _set_up(content, data_dir)
            noted = {"sha256": digest_of(archive), "study": chosen}
            write_file(origin, f"{json.dumps(noted)}\n")
            # Last: with it the data directory is what the archive was.
            set_in_place(_database(archive, content, manifest), data_dir.warehouse)
    return chosen


def _database(archive: Path, content: Path, manifest: Manifest) -> Path:
    """Return a database of the tables of an archive, in which nothing is that its own one defines.

    Raises
    ------
    PerfAssetsError
        A table is none of ours.
    """
    made = DataDirectory(content.parent)
    others = lay_tables(content, made, manifest.warehouse_format)
    if others and manifest.warehouse_format == WAREHOUSE_FORMAT:
        raise PerfAssetsError(
            f"{archive}: columns of {', '.join(others)}, or conditions on its rows, are not as "
            "declared: perf-assets check-archive says what is wrong with it"
        )
    with duckdb.connect(str(made.warehouse)) as connection:
        connection.execute(READ_COMMITS_AGAIN)
        connection.execute(FORGET_KEY)
    return made.warehouse


def _check(archive: Path, manifest: Manifest, study: str | None) -> None:
    if manifest.is_pseudonymised or manifest.texts == "none":
        what = "is pseudonymised" if manifest.is_pseudonymised else "has no texts"
        raise PerfAssetsError(
            f"{archive} {what}, so that what is read from now on would not fit what it holds: go "
            "on in the data directory that it was made of, or mine anew by its study file"
        )
    if study is None and manifest.local_sources and not manifest.packaged:
        raise PerfAssetsError(
            f"{archive}: {', '.join(manifest.local_sources)} was read from files of the machine "
            "that made it: name with --study a study file that says where they are here"
        )


def _study(archive: Path, manifest: Manifest, data_dir: DataDirectory) -> str:
    if not manifest.packaged:
        return str(data_dir.path / STUDY)
    if not is_packaged(manifest.study):  # it is not a path to a file of this machine either
        raise PerfAssetsError(
            f"{archive} says that it is of a study that comes with perf-assets, and none is called "
            f"{shortened(manifest.study, 100)}: name a study file with --study"
        )
    return manifest.study


def _set_up(content: Path, data_dir: DataDirectory) -> None:
    copy_kept(content, data_dir)
    folder = STUDY.partition("/")[0]
    if (content / STUDY).exists():
        shutil.copytree(
            content / folder, data_dir.path / folder, copy_function=copy_file, dirs_exist_ok=True
        )
