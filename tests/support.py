"""What several tests need: running the command line, and reading what it stored."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import duckdb
import polars as pl

from perf_assets.storage.home import Home
from perf_assets.study import load_study

# When and at what cost a partition was loaded differs from run to run.
VOLATILE = {"loaded_at", "requests", "points", "seen_at"}
ACCOUNTS = "meta.source_requests"


def command(*arguments: str | Path) -> list[str]:
    return [sys.executable, "-m", "perf_assets", *map(str, arguments)]


def environment(**changes: str) -> dict[str, str]:
    inherited = {
        name: value
        for name, value in os.environ.items()
        if name not in {"GITHUB_TOKEN", "PERF_ASSETS_HOME", "PERF_ASSETS_STUDY", "DAGSTER_HOME"}
    }
    return {**inherited, "COLUMNS": "200", **changes}


def perf_assets(*arguments: str | Path, **changes: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*arguments),
        capture_output=True,
        text=True,
        timeout=600,
        env=environment(**changes),
        check=False,
    )


def materialize(study: Path, home: Path, first: str | None = None, last: str | None = None) -> None:
    """What ``perf-assets run`` does, without starting a process and Dagster's record on disk.

    These two take most of the time of a small run.
    """
    # Dagster takes seconds to import, and most tests do without.
    from dagster import DagsterInstance  # noqa: PLC0415

    from perf_assets.execution import run_study  # noqa: PLC0415

    place = Home.of(home)
    with DagsterInstance.ephemeral() as instance:
        assert run_study(load_study(study), place, (), first, last, instance=instance) == []


def stored_tables(database: Path) -> dict[str, pl.DataFrame]:
    """Every table of a database, without what differs from run to run, in a fixed order.

    meta.branch_changes is left out: it tells what was seen, which depends on when one looked.
    """
    with duckdb.connect(str(database), read_only=True) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        names = connection.execute(
            "SELECT schema_name || '.' || table_name AS name FROM duckdb_tables() "
            "WHERE name <> 'meta.branch_changes' ORDER BY ALL"
        ).fetchall()
        frames = {}
        for (name,) in names:
            if name == ACCOUNTS:
                continue
            columns = connection.sql(f"FROM {name} LIMIT 0").columns
            kept = ", ".join(f'"{column}"' for column in columns if column not in VOLATILE)
            frames[name] = connection.sql(f"SELECT {kept} FROM {name} ORDER BY ALL").pl()
        return frames


def assert_same_tables(one: Mapping[str, pl.DataFrame], other: Mapping[str, pl.DataFrame]) -> None:
    assert one.keys() == other.keys()
    for name, frame in one.items():
        assert frame.equals(other[name]), f"{name} differs"
