"""Writing an archive: the published database and all that explains it, in one file."""

import platform
import shutil
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import duckdb
import polars as pl

from perf_assets import __version__
from perf_assets.archive.changing import leave_texts_out
from perf_assets.archive.description import describe
from perf_assets.archive.manifest import (
    DATABASE,
    DICTIONARY,
    FORMAT,
    MANIFEST,
    SUMS,
    Manifest,
    as_json,
    kept_files,
    sums_text,
)
from perf_assets.archive.metadata import metadata_files
from perf_assets.archive.preparing import Options, Prepared, prepare
from perf_assets.archive.software import code_versions, member, rule_files, software_files
from perf_assets.archive.study_copy import no_study
from perf_assets.archive.tables import write_database, write_parquet
from perf_assets.archive.work_folder import folder_beside
from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.files import digest_of, set_in_place
from perf_assets.base.processes.progress import phase
from perf_assets.base.zips import check_replaceable
from perf_assets.config.data_directory import DataDirectory
from perf_assets.config.study import Study
from perf_assets.reports.monthly import keep_report
from perf_assets.reports.pages.page import docs_html
from perf_assets.storage.migrations import FORMAT as WAREHOUSE_FORMAT

CHUNK = 1 << 20
LEVEL = 6
STORED = (".parquet", ".whl", ".gz")  # compressed already


@dataclass(frozen=True)
class Written:
    """An archive that was written.

    ordinary : logins that are words of the texts too, and stay in these.
    secrets : those found, without their values.
    """

    manifest: Manifest
    size: int
    ordinary: tuple[str, ...] = ()
    secrets: pl.DataFrame = field(default_factory=pl.DataFrame)


def write_archive(
    data_dir: DataDirectory, study: Study | None, path: Path, options: Options | None = None
) -> Written:
    """Write what is published in ``data_dir`` of ``study`` to one file at ``path``.

    The same database gives the same bytes. An older archive at ``path`` is replaced in one step.

    Parameters
    ----------
    study
        None where nothing is mined, and the database holds published data of papers alone.

    Raises
    ------
    PerfAssetsError
        Nothing is published; it was made by another study; texts have secrets; or it cannot be
        written there.
    """
    chosen = options or Options()
    try:
        path = path.resolve() if path.is_symlink() else path
        check_replaceable(path, "an archive", MANIFEST)
    except (OSError, RuntimeError) as error:
        raise _unwritable(path, error) from None
    with phase(f"archiving {data_dir.path}"), _work_folder(path) as work:
        prepared = prepare(data_dir, study, chosen, work)
        manifest = Manifest(
            format=FORMAT,
            perf_assets=__version__,
            python=platform.python_version(),
            warehouse_format=WAREHOUSE_FORMAT,
            study="published data of the papers" if study is None else study.name,
            packaged=prepared.copy.packaged,
            local_sources=prepared.copy.local_sources,
            published_at=prepared.published_at,
            texts="all" if chosen.has_texts else "none",
            is_pseudonymised=chosen.is_pseudonymised,
            secrets_removed=prepared.removed_secrets > 0,
            rules=code_versions(),
            rows={},
        )
        content = work / "content"
        manifest = _write_content(prepared, study or no_study(), manifest, content, chosen.authors)
        finished = work / "finished.zip"
        with phase("packing"):
            _pack(content, finished)
        set_in_place(finished, path)
    return Written(manifest, path.stat().st_size, prepared.ordinary, prepared.secrets)


@contextmanager
def _work_folder(path: Path) -> Iterator[Path]:
    """Provide a folder for unfinished files beside ``path``; see :func:`folder_beside`."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with folder_beside(path) as work:
            yield work
    except (OSError, duckdb.IOException) as error:
        raise _unwritable(path, error) from None


def _unwritable(path: Path, error: Exception) -> PerfAssetsError:
    if isinstance(error, FileExistsError | NotADirectoryError):
        reason = f"{path.parent} is not a directory"
    else:
        reason = getattr(error, "strerror", None) or str(error).splitlines()[0]
    return PerfAssetsError(
        f"{path}: the archive cannot be written there: {reason}; mend that, or choose another name"
    )


def _write_content(
    prepared: Prepared, study: Study, manifest: Manifest, content: Path, authors: tuple[str, ...]
) -> Manifest:
    """Write all files of the archive below ``content``; the manifest with the rows of tables."""
    source, made = prepared.source, DataDirectory(content)
    content.mkdir()
    if manifest.texts == "none":
        leave_texts_out(source.published)
    with phase("writing tables"):
        write_database(source.published, content / DATABASE)
        rows = write_parquet(content / DATABASE, content)
    manifest = replace(manifest, rows=rows)
    with phase("writing report and dictionary"):
        keep_report(made)
        (content / DICTIONARY).write_text(docs_html(content / DATABASE), encoding="utf-8")
    for name, given in kept_files(source).items():
        if given.exists():
            (content / name).parent.mkdir(exist_ok=True)
            shutil.copyfile(given, content / name)
    _write_files(content, {**prepared.copy.files, **rule_files(), **software_files()})
    _write_files(content, {MANIFEST: as_json(manifest)})
    with duckdb.connect(str(content / DATABASE), read_only=True) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        files = _files_of(content)
        described = describe(
            connection,
            study,
            manifest,
            files,
            authors=authors,
            removed_secrets=prepared.removed_secrets,
        )
    texts = {name: text.encode() for name, text in metadata_files(described).items()}
    _write_files(content, texts)
    sums = {name: digest for name, (_, digest) in files.items()}
    sums |= {name: digest_of(content / name) for name in texts}
    _write_files(content, {SUMS: sums_text(sums)})
    return manifest


def _write_files(content: Path, files: Mapping[str, bytes]) -> None:
    for name, file in files.items():
        (content / name).parent.mkdir(parents=True, exist_ok=True)
        (content / name).write_bytes(file)


def _files_of(content: Path) -> dict[str, tuple[int, str]]:
    """Size and SHA-256 of each file below ``content``."""
    return {
        path.relative_to(content).as_posix(): (path.stat().st_size, digest_of(path))
        for path in sorted(content.rglob("*"))
        if path.is_file()
    }


def _pack(content: Path, target: Path) -> None:
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=LEVEL) as packed:
        for path in sorted(content.rglob("*")):
            if not path.is_file():
                continue
            info = member(path.relative_to(content).as_posix())
            info.compress_type = (
                zipfile.ZIP_STORED if path.suffix in STORED else zipfile.ZIP_DEFLATED
            )
            info.file_size = path.stat().st_size
            with path.open("rb") as file, packed.open(info, "w") as entry:
                shutil.copyfileobj(file, entry, CHUNK)
