"""What several tests need: running the command line, and reading what it stored."""

import logging
import os
import subprocess
import sys
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import duckdb
import polars as pl
import pytest
from click.testing import CliRunner

from perf_assets.config.data_directory import DataDirectory
from perf_assets.config.study import SAMPLE, load_study
from tests.effort import IS_THOROUGH
from tests.plain_pipeline import run_pipeline

OWN_VARIABLES = {
    "GITHUB_TOKEN",
    "PERF_ASSETS_DATA_DIR",
    "PERF_ASSETS_STUDY",
    "PERF_ASSETS_MAX_WAIT",
    "DAGSTER_HOME",
    "GITHUB_APP_ID",
    "GITHUB_APP_PRIVATE_KEY",
    "GITHUB_APP_INSTALLATION_ID",
}
WITH_DAGSTER = {"run", "replicate", "review", "alerts"}

# When and at what cost a partition was loaded differs from run to run.
VOLATILE = {"read_at", "loaded_at", "requests", "points", "seen_at", "computed_at", "audited_at"}
ACCOUNTS = ("meta.source_requests", "meta.about")


def command(*arguments: str | Path) -> list[str]:
    return [sys.executable, "-m", "perf_assets", *map(str, arguments)]


def environment(**changes: str) -> dict[str, str]:
    inherited = {name: value for name, value in os.environ.items() if name not in OWN_VARIABLES}
    return {**inherited, "COLUMNS": "200", **changes}


def perf_assets_process(*arguments: str | Path, **changes: str) -> subprocess.CompletedProcess[str]:
    """Run the command line as a user does, with Dagster's record on disk: it takes seconds."""
    return subprocess.run(
        command(*arguments),
        capture_output=True,
        text=True,
        timeout=600,
        env=environment(**changes),
        check=False,
    )


@contextmanager
def serving_process(*arguments: str | Path) -> Iterator["subprocess.Popen[str]"]:
    """A command that serves a page until the block ends; what it prints comes as it is printed."""
    with subprocess.Popen(
        command(*arguments),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(PYTHONUNBUFFERED="1"),
    ) as process:
        try:
            yield process
        finally:
            process.terminate()


@dataclass(frozen=True)
class Ran:
    """The output of a command, and how it ended."""

    returncode: int
    stdout: str
    stderr: str


def perf_assets(*arguments: str | Path, **changes: str) -> Ran:
    """Run the command line within this process, with Dagster's record in memory."""
    with _record_in_memory(str(arguments[0])):
        return perf_assets_on_disk(*arguments, **changes)


def perf_assets_on_disk(*arguments: str | Path, **changes: str) -> Ran:
    """Run the command line within this process, with Dagster's record on disk."""
    # It measures the terminal when it is imported: after conftest.py has said how wide that is.
    from perf_assets.cli.commands import commands  # noqa: PLC0415

    with undone(changes):
        result = CliRunner().invoke(commands, list(map(str, arguments)))
    stderr = result.stderr
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        stderr += "".join(traceback.format_exception(result.exception))
    return Ran(result.exit_code, result.stdout, stderr)


@contextmanager
def undone(changes: Mapping[str, str]) -> Iterator[None]:
    """Take back what a command does to its process: variables, and where progress is shown."""
    logger = logging.getLogger("perf_assets")
    variables, handlers, level = dict(os.environ), logger.handlers[:], logger.level
    os.environ.update(changes)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(variables)
        logger.handlers[:] = handlers
        logger.setLevel(level)


@contextmanager
def _record_in_memory(command: str) -> Iterator[None]:
    if command not in WITH_DAGSTER:
        yield
        return
    # Dagster takes seconds to import, and most tests do without.
    from dagster import DagsterInstance  # noqa: PLC0415

    from perf_assets.dagster_app import execution  # noqa: PLC0415
    from perf_assets.dagster_app.event_reporting import EventReporter  # noqa: PLC0415

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(execution, "_instance", lambda _: DagsterInstance.ephemeral())
        if not IS_THOROUGH:  # what a new record does not know would all be computed again
            patch.setattr(EventReporter, "never_reported", lambda _, __: set())
        yield


@dataclass(frozen=True)
class Prepared:
    """A generated corpus, and the data directory after a run over it."""

    directory: Path

    @property
    def corpus(self) -> Path:
        return self.directory / "corpus"

    @property
    def study(self) -> Path:
        return self.corpus / "study.toml"

    @property
    def data_dir(self) -> Path:
        return self.directory / "home"


class Sampled(Prepared):
    """The embedded sample, which a run generates below its data directory; and that directory."""

    @property
    def corpus(self) -> Path:
        return self.data_dir / SAMPLE


VALIDATING = "tests.validating"
"""What is imported where processes are forked from that store rows."""

SMALL = {"seed": 11, "issues": 24, "months": 3, "commits": 20}
"""Sizes of the corpus that most tests are content with."""


def prepare(directory: Path, **sizes: int) -> Prepared:
    """Make a corpus in ``directory``, and the data directory of one run over it."""
    from perf_assets.stand_ins.generator import generate  # noqa: PLC0415

    prepared = Prepared(directory)
    generate(prepared.corpus, **sizes)  # type: ignore[arg-type]
    materialize(prepared.study, prepared.data_dir)
    return prepared


def materialize(
    study: Path, data_dir: Path, first: str | None = None, last: str | None = None
) -> None:
    """What ``perf-assets run`` does, as plain functions: without Dagster, which takes seconds."""
    assert run_pipeline(load_study(study), DataDirectory.of(data_dir), first, last) == []


_without_rows: dict[tuple[tuple[str, str], ...], pl.DataFrame] = {}
"""Frames without rows, by the names and types of their columns."""


def stored_tables(database: Path) -> dict[str, pl.DataFrame]:
    """Every table of a database, without what differs from run to run, in a fixed order.

    meta.branch_changes is left out: it tells what was seen, which depends on when one looked.
    """
    with duckdb.connect(str(database), read_only=True) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        tables = connection.execute(
            "SELECT schema_name || '.' || table_name AS name, "
            "list((column_name, data_type) ORDER BY column_index), any_value(estimated_size) "
            "FROM duckdb_columns() "
            "JOIN duckdb_tables() USING (table_oid, database_oid, schema_name, table_name) "
            "WHERE name <> 'meta.branch_changes' GROUP BY name ORDER BY name"
        ).fetchall()
        frames = {}
        for name, columns, size in tables:
            if name in ACCOUNTS:
                continue
            kept = [column for column in columns if column[0] not in VOLATILE]
            # Of a hundred tables most are empty, and each query takes milliseconds.
            if size == 0 and tuple(kept) in _without_rows:
                frames[name] = _without_rows[tuple(kept)]
                continue
            selected = ", ".join(f'"{column}"' for column, _ in kept)
            frames[name] = connection.sql(f"SELECT {selected} FROM {name} ORDER BY ALL").pl()
            _without_rows.setdefault(tuple(kept), frames[name].clear())
        return frames


def assert_same_tables(one: Mapping[str, pl.DataFrame], other: Mapping[str, pl.DataFrame]) -> None:
    assert one.keys() == other.keys()
    for name, frame in one.items():
        assert frame.equals(other[name]), f"{name} differs"
