"""Replicating: the published data brought into the warehouse, all of its tables or none."""

import logging
from pathlib import Path

import polars as pl

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.processes.progress import phase
from perf_assets.config.data_directory import DataDirectory
from perf_assets.sources.replication import (
    FRAMEWORKS,
    Package,
    fetch_package,
    pinned_problems,
    read_package,
    read_problems,
)
from perf_assets.sources.replication.benchmark import FILE as BENCHMARK_FILE
from perf_assets.sources.replication.benchmark import with_benchmark
from perf_assets.sources.replication.package import TAXONOMY, Pinned, pinned_benchmark
from perf_assets.sources.replication.problems import FILES as PROBLEM_FILES
from perf_assets.sources.replication.problems import PUBLISHED_FILE
from perf_assets.sources.replication.problems import TABLE as PROBLEMS
from perf_assets.sources.replication.reading import rejects_frame
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.partition_write import WriteOutcome
from perf_assets.storage.storing import store_tables

log = logging.getLogger(__name__)

REJECTS = "replication.rejected_rows"
TABLES = (*(f"replication.{name}" for name in Package.__dataclass_fields__), PROBLEMS)
"""The stored tables of the published data, in the schema of that name."""

PACKAGE_FILES = (*(file for framework in FRAMEWORKS for file in framework.files), TAXONOMY)


def load_package(
    writer: AuditedWriter,
    folder: Path | None = None,
    problems: Path | None = None,
    *,
    accept_changes: bool = False,
) -> WriteOutcome:
    """Read the published data of both studies, audit and store them whole.

    Parameters
    ----------
    folder
        The package of performance bugs, by default downloaded.
    problems
        The file of performance problems, by default the one in ``folder`` or, without a folder,
        downloaded. Where there is none, those that are stored stay.
    accept_changes
        Take files whose content differs from the published one.

    Raises
    ------
    PerfAssetsError
        A file is not the published one, or the package cannot be downloaded; what was stored stays.
    """
    with phase("reading the published data"):
        path = folder or fetch_package(writer.data_dir.replication)
        package = read_package(path, accept_changes=accept_changes)
        file = problems
        if file is None and folder is None:
            named = "the performance problems are"
            file = _downloaded(writer.data_dir, pinned_problems(), PUBLISHED_FILE, named)
        elif file is None and folder is not None:
            files = (folder / name for name in PROBLEM_FILES)
            file = next((path for path in files if path.is_file()), None)
        listed, rejects = _problems(writer, file, accept_changes=accept_changes)
    frames = {f"replication.{name}": rows for name, rows in package.frames.items()}
    frames |= {PROBLEMS: listed, REJECTS: pl.concat([package.rejected_rows, rejects])}
    outcome = store_tables(writer, frames)
    rejected = frames[REJECTS].height
    loaded = sum(outcome.rows.values()) - rejected
    if outcome.failure is None:
        log.info("%s: %d rows loaded, %d rejected", path, loaded, rejected)
    return outcome


def _problems(
    writer: AuditedWriter, file: Path | None, *, accept_changes: bool
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the problems in ``file``, or else the stored ones, and what is rejected."""
    if file is not None:
        rows, rejects = read_problems(file, accept_changes=accept_changes)
        benchmark = _benchmark(writer.data_dir, file)
        rows, more = with_benchmark(rows, benchmark, accept_changes=accept_changes)
        return rows, rejects_frame([*rejects, *more])
    rejected = writer.database.frame(
        f"FROM {REJECTS} WHERE NOT list_contains(?, file)", [list(PACKAGE_FILES)]
    )
    return writer.database.frame(f"FROM {PROBLEMS}"), rejected


def _benchmark(data_dir: DataDirectory, problems: Path) -> Path | None:
    """Return the benchmark beside the file of the problems; downloaded where that was."""
    if problems.is_relative_to(data_dir.replication):
        named = "the benchmark of reproduced problems is"
        return _downloaded(data_dir, pinned_benchmark(), BENCHMARK_FILE, named)
    beside = problems.with_name(BENCHMARK_FILE)
    return beside if beside.is_file() else None


def _downloaded(data_dir: DataDirectory, package: Pinned, file: str, named: str) -> Path | None:
    """Return the downloaded file; None if it cannot be had, as the rest can be reproduced."""
    try:
        return fetch_package(data_dir.replication, package) / file
    except PerfAssetsError as error:
        log.warning("%s not loaded: %s", named, error)
        return None
