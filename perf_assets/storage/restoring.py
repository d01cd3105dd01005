"""Bringing back what was stored: from a backup, or from what was published."""

from datetime import UTC, datetime
from pathlib import Path

import duckdb

from perf_assets.errors import PerfAssetsError
from perf_assets.processes.progress import phase
from perf_assets.storage.backups import Manifest, read_manifest, unpack
from perf_assets.storage.database_copy import journal_of, read_whole, set_in_place
from perf_assets.storage.home import Home
from perf_assets.storage.lock import writing
from perf_assets.storage.migrations import OLDEST
from perf_assets.storage.publishing import publish
from perf_assets.storage.verdicts import keep_rows, keep_verdicts, read_log, read_stored
from perf_assets.storage.warehouse import FORMAT, before_the_first_release, open_warehouse


def restore(home: Home, backup: Path) -> tuple[Manifest, Path | None]:
    """Make the warehouse what it was when ``backup`` was taken, and publish it.

    What takes its leave is kept below ``replaced`` of the home. Verdicts of people are never taken
    back: those that came after the backup stay, and so do repositories that were added.

    Returns
    -------
    What the backup says of itself, and where the warehouse is now that it replaced.

    Raises
    ------
    PerfAssetsError
        The backup is damaged or newer than this program, or another process writes to the home;
        what was there stays.
    """
    with phase(f"restoring {home.path}"), writing(home.path):
        manifest = read_manifest(backup)
        if manifest.format > FORMAT:
            raise PerfAssetsError(
                f"{backup} was taken by a newer perf-assets ({manifest.perf_assets}, format "
                f"{manifest.format}; this one knows {FORMAT}): upgrade perf-assets"
            )
        if manifest.format < OLDEST:
            raise PerfAssetsError(before_the_first_release(backup, manifest.format))
        unfinished = home.path / ".restored.duckdb"
        lines = home.path / ".restored.jsonl"
        try:
            unpack(backup, home.warehouse.name, unfinished)
            _check_warehouse(backup, unfinished)
            if home.verdicts.name in manifest.sha256:
                unpack(backup, home.verdicts.name, lines)
            _keep_what_people_said(home, lines)
            if home.added.name in manifest.sha256 and not home.added.exists():
                unpack(backup, home.added.name, home.added)
            replaced = set_aside(home, home.warehouse)
            set_in_place(unfinished, home.warehouse)
        finally:
            for left in (unfinished, journal_of(unfinished), lines):
                left.unlink(missing_ok=True)
        with open_warehouse(home.warehouse) as database:
            keep_verdicts(database, home)
        publish(home)
    return manifest, replaced


def _check_warehouse(backup: Path, path: Path) -> None:
    """Refuse a warehouse that cannot be read before it takes the place of one that can."""
    try:
        with duckdb.connect(str(path), read_only=True) as connection:
            read_whole(connection)
    except duckdb.Error as error:
        raise PerfAssetsError(
            f"{backup}: the warehouse in it cannot be read ({str(error).splitlines()[0]}); what "
            "was there stays: take another backup"
        ) from None


def set_aside(home: Home, path: Path) -> Path | None:
    """Move a file, and the journals beside it, below ``replaced`` of the home; where it is now."""
    if not path.exists():
        return None
    moment = datetime.now(UTC).strftime("%Y-%m-%dT%H%M%S.%f")
    directory = home.path / "replaced" / moment
    directory.mkdir(parents=True)
    for beside in (*path.parent.glob(f"{path.name}-*"), journal_of(path), path):
        if beside.exists():
            beside.replace(directory / beside.name)
    return directory / path.name


def _keep_what_people_said(home: Home, lines: Path) -> None:
    """Put the verdicts of the warehouse that goes, and of the backup, into the file of the home."""
    keep_rows(home.verdicts, read_log(lines).rows)
    try:
        with duckdb.connect(str(home.warehouse), read_only=True) as connection:
            connection.execute("SET TimeZone = 'UTC'")
            rows = read_stored(connection)
    except duckdb.Error:
        return  # there is none, or it is damaged: what it had is in the file
    keep_rows(home.verdicts, rows)
