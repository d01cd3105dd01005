"""Bringing back what was stored: from a backup, or from what was published."""

from datetime import UTC, datetime
from pathlib import Path

import duckdb

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.files import new_file, set_in_place, temporary_beside, write_file
from perf_assets.base.processes.progress import phase
from perf_assets.base.zips import CheckedZip
from perf_assets.config.data_directory import DataDirectory
from perf_assets.storage.backups import Manifest, open_backup
from perf_assets.storage.database_copy import journal_of
from perf_assets.storage.forgetting import take_out
from perf_assets.storage.forgotten import read_file, read_forgotten, write_forgotten
from perf_assets.storage.lock import writing
from perf_assets.storage.migrations import FORMAT, OLDEST
from perf_assets.storage.publishing import publish
from perf_assets.storage.received import admit, before_the_first_release, read_whole
from perf_assets.storage.verdicts import keep_rows, keep_verdicts, read_log, read_stored
from perf_assets.storage.warehouse import open_warehouse

LARGEST_KEY = 1000  # bytes
SQLITE_JOURNALS = ("-wal", "-shm", "-journal")


def restore(data_dir: DataDirectory, backup: Path) -> tuple[Manifest, Path | None]:
    """Make the warehouse what it was when ``backup`` was taken, and publish it.

    What takes its leave is kept below ``replaced`` of the data directory. Verdicts of people are
    never taken back: those that came after the backup stay, and so do repositories that were added.
    Who is forgotten, here or in the backup, stays so.

    Returns
    -------
    What the backup says of itself, and where the warehouse is now that it replaced.

    Raises
    ------
    PerfAssetsError
        The backup is damaged or newer than this program, it hashes addresses by another key than
        the people who are forgotten here, or another process writes to the data directory; what
        was there stays.
    """
    with (
        phase(f"restoring {data_dir.path}"),
        writing(data_dir.path),
        open_backup(backup) as (packed, manifest),
        temporary_beside(data_dir.warehouse) as unfinished,
        temporary_beside(data_dir.verdicts) as lines,
    ):
        if manifest.format > FORMAT:
            raise PerfAssetsError(
                f"{backup} was taken by a newer perf-assets ({manifest.perf_assets}, format "
                f"{manifest.format}; this one knows {FORMAT}): upgrade perf-assets"
            )
        if manifest.format < OLDEST:
            raise PerfAssetsError(before_the_first_release(backup, manifest.format))
        packed.unpack_file(data_dir.warehouse.name, unfinished)
        _check_warehouse(backup, unfinished)
        if data_dir.verdicts.name in manifest.sha256:
            packed.unpack_file(data_dir.verdicts.name, lines)
        _keep_verdicts(data_dir, lines)
        _unpack_files(data_dir, packed, manifest)
        replaced = set_aside(data_dir, data_dir.warehouse)
        set_in_place(unfinished, data_dir.warehouse)
        if forgotten := read_forgotten(data_dir):
            take_out(data_dir, forgotten)
        with open_warehouse(data_dir.warehouse) as database:
            keep_verdicts(database, data_dir)
        publish(data_dir)
    return manifest, replaced


def _unpack_files(data_dir: DataDirectory, packed: CheckedZip, manifest: Manifest) -> None:
    """Bring back the small files; what is there already came later and stays, but for the key."""
    key, forgotten = data_dir.address_key, data_dir.forgotten
    held = read_forgotten(data_dir)
    if key.name in manifest.sha256:
        content = packed.read(key.name, LARGEST_KEY)
        if held and key.exists() and key.read_bytes() != content:
            raise PerfAssetsError(
                f"{packed.path} hashes addresses by another key than {key}, so that nobody could "
                f"recognise who is forgotten there: restore it to a new --data-dir"
            )
        write_file(key, content, mode=0o600)
    if forgotten.name in manifest.sha256:
        with temporary_beside(forgotten) as unpacked:
            packed.unpack_file(forgotten.name, unpacked)
            if restored := read_file(unpacked, data_dir):
                write_forgotten(data_dir, held.joined(restored) if held else restored)
    for path in (data_dir.added, data_dir.model, data_dir.review_answers):
        if path.name in manifest.sha256 and not path.exists():
            path.parent.mkdir(exist_ok=True)
            for suffix in SQLITE_JOURNALS:  # of a database that is gone
                path.with_name(f"{path.name}{suffix}").unlink(missing_ok=True)
            with new_file(path) as unfinished:
                packed.unpack_file(path.name, unfinished)


def _check_warehouse(backup: Path, path: Path) -> None:
    """Refuse a warehouse that cannot be read before it replaces one that can."""
    try:
        read_whole(path)
        admit(path)
    except duckdb.Error as error:
        raise PerfAssetsError(
            f"{backup}: the warehouse in it cannot be read ({str(error).splitlines()[0]}); what "
            "was there stays: take another backup"
        ) from None


def set_aside(data_dir: DataDirectory, path: Path) -> Path | None:
    """Move a file and its journals below ``replaced`` of the data directory; its new path."""
    if not path.exists():
        return None
    moment = datetime.now(UTC).strftime("%Y-%m-%dT%H%M%S.%f")
    directory = data_dir.path / "replaced" / moment
    directory.mkdir(parents=True)
    for beside in (*path.parent.glob(f"{path.name}-*"), journal_of(path), path):
        if beside.exists():
            beside.replace(directory / beside.name)
    return directory / path.name


def _keep_verdicts(data_dir: DataDirectory, lines: Path) -> None:
    """Merge verdicts of the replaced warehouse and of the backup into the data directory's file."""
    keep_rows(data_dir.verdicts, read_log(lines).rows)
    keep_rows(data_dir.verdicts, read_stored(data_dir.warehouse))
