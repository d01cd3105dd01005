"""Backups: all that cannot be had again, in one file that knows its own checksums."""

import hashlib
import json
import shutil
import sqlite3
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from shlex import quote
from urllib.parse import quote as url_quote

import duckdb
from pydantic import TypeAdapter

from perf_assets import __version__
from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.files import digest_of, new_file
from perf_assets.base.processes.progress import phase
from perf_assets.base.sanitize import is_utf8, shortened
from perf_assets.base.zips import CheckedZip, check_replaceable, open_zip
from perf_assets.config.data_directory import DataDirectory
from perf_assets.storage.database_copy import copy_while_written, journal_of
from perf_assets.storage.received import end_journal, format_of, read_whole

MANIFEST = "backup.json"
LARGEST_MANIFEST = 10_000_000  # bytes
LONGEST_WAIT = 60.0  # for a moment in which a run writes nothing
COMPRESSION_LEVEL = 1  # the others take several times as long for a tenth less


@dataclass(frozen=True)
class Manifest:
    """What a backup says of itself.

    perf_assets, duckdb : the versions that took it.
    format : of the warehouse.
    taken_at : when, in UTC.
    taken_of : ``warehouse``, or ``published`` where a run never rested.
    rows : the number of rows of each table.
    sha256 : the checksum of each file.
    """

    perf_assets: str
    duckdb: str
    format: int
    taken_at: str
    taken_of: str
    rows: dict[str, int]
    sha256: dict[str, str]


MANIFESTS = TypeAdapter(Manifest)


def write_backup(
    data_dir: DataDirectory, path: Path, longest_wait: float = LONGEST_WAIT
) -> Manifest:
    """Write what ``data_dir`` stores to one file at ``path``, also while a run goes on.

    That is the warehouse as of one moment, the verdicts of people once more, answers of raters that
    were not collected yet, a model that was trained here, the repositories that were added without
    the study file, the key by which addresses are hashed, and who is forgotten. An older backup at
    ``path`` is replaced in one step, once the new one is whole.

    Raises
    ------
    PerfAssetsError
        There is nothing to keep, it is damaged, or it cannot be written there.
    """
    if not is_utf8(path.absolute()):
        raise PerfAssetsError(f"{shortened(path, 200)}: this name is not UTF-8: choose another")
    check_replaceable(path, "a backup", MANIFEST)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with phase(f"backing up {data_dir.path}"), new_file(path) as packed:
            # Their names begin with that of the temporary file, so that they are removed with it.
            copied, answers = (
                packed.with_name(f"{packed.name}.{end}") for end in ("duckdb", "sqlite")
            )
            taken_of = _copy(data_dir, copied, longest_wait)
            files = {path.name: path for path in kept_files(data_dir) if path.exists()}
            if data_dir.review_answers.exists():
                _copy_answers(data_dir.review_answers, answers)
                files[data_dir.review_answers.name] = answers
            manifest = _manifest(copied, taken_of, data_dir, files)
            with zipfile.ZipFile(
                packed, "w", zipfile.ZIP_DEFLATED, compresslevel=COMPRESSION_LEVEL
            ) as archive:
                archive.writestr(MANIFEST, json.dumps(asdict(manifest), indent=2))
                for name in manifest.sha256:
                    archive.write(files.get(name, copied), name)
            with open_backup(packed):
                pass
    except (duckdb.Error, sqlite3.Error) as error:
        raise PerfAssetsError(
            f"{data_dir.warehouse} cannot be copied ({str(error).splitlines()[0]}); no backup was "
            f"made: perf-assets doctor --data-dir {quote(str(data_dir.path))} says what is damaged"
        ) from None
    except OSError as error:
        raise PerfAssetsError(
            f"{path}: the backup cannot be written there: {error.strerror or error}"
        ) from None
    return manifest


@contextmanager
def open_backup(path: Path) -> Iterator[tuple[CheckedZip, Manifest]]:
    """Provide the backup at ``path``, once every byte was found to be right, and what it says of
    itself.

    Raises
    ------
    PerfAssetsError
        There is none, it is not a backup, or it is damaged.
    """
    with open_zip(path) as packed:
        try:
            content = packed.read(MANIFEST, LARGEST_MANIFEST) if MANIFEST in packed.sizes else b""
            manifest = MANIFESTS.validate_json(content, strict=True)
        except ValueError:
            raise PerfAssetsError(
                f"{path} is not a backup of perf-assets: it has no {MANIFEST}"
            ) from None
        if DataDirectory(Path()).warehouse.name not in manifest.sha256:
            raise PerfAssetsError(f"{path} is not a backup of perf-assets: it has no warehouse")
        for name, expected in manifest.sha256.items():
            digest = hashlib.sha256()
            for chunk in packed.chunks(name):
                digest.update(chunk)
            if digest.hexdigest() != expected:
                raise PerfAssetsError(
                    f"{path} is damaged: {name} in it is not what was kept; take another"
                )
        yield packed, manifest


def kept_files(data_dir: DataDirectory) -> tuple[Path, ...]:
    """Return the small files that a backup holds as they are."""
    return (
        data_dir.verdicts,
        data_dir.added,
        data_dir.address_key,
        data_dir.forgotten,
        data_dir.model,
    )


def _copy_answers(source: Path, target: Path) -> None:
    """Copy the answers of raters as of one moment, also while they are given."""
    with (
        closing(sqlite3.connect(f"file:{url_quote(str(source))}?mode=ro", uri=True)) as answers,
        closing(sqlite3.connect(target)) as copy,
    ):
        answers.backup(copy)


def _copy(data_dir: DataDirectory, target: Path, longest_wait: float) -> str:
    """Copy the warehouse, or what was published where it never rests; which of the two."""
    journal_of(target).unlink(missing_ok=True)
    if data_dir.warehouse.exists() and copy_while_written(data_dir.warehouse, target, longest_wait):
        return "warehouse"
    if not data_dir.published.exists():
        raise PerfAssetsError(
            f"{data_dir.warehouse}: "
            + (
                "a run writes to it without a rest, and nothing is published yet: try again later"
                if data_dir.warehouse.exists()
                else "there is nothing to back up yet: perf-assets run makes it"
            )
        )
    shutil.copyfile(data_dir.published, target)
    return "published"


def _manifest(
    copied: Path, taken_of: str, data_dir: DataDirectory, files: Mapping[str, Path]
) -> Manifest:
    end_journal(copied)
    rows, version = read_whole(copied), format_of(copied)
    sums = {data_dir.warehouse.name: digest_of(copied)}
    sums |= {name: digest_of(path) for name, path in files.items()}
    return Manifest(
        __version__,
        duckdb.__version__,
        version or 0,
        datetime.now(UTC).isoformat(timespec="seconds"),
        taken_of,
        rows,
        sums,
    )
