"""What README, tutorials and guides tell a user to type works, on what `make run` leaves."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.paths import ROOT
from tests.support import Prepared, environment

pytestmark = pytest.mark.slow

# They need GitHub, a package registry, a token of one's own or the data of a paper, or stay until
# they are stopped.
ELSEWHERE = (
    *("study.toml", "replicate", "make ", "GITHUB_TOKEN", " ui", "serve", "my-project", "npm "),
    "duckdb-wasm",
)
DOCUMENTS = (ROOT / "README.md", *sorted((ROOT / "docs").glob("[tg]u*/*.md")))
BLOCK = re.compile(r"```console\n(.*?)```", re.DOTALL)


EXPORT = re.compile(r"export (PERF_ASSETS_DATA_DIR)=(\S+)")


def commands() -> list[tuple[str, str]]:
    """Each command that this machine can try, once, in the order of the pages.

    With the data directory that its page exports before it; by default ``data``.
    """
    tried: list[tuple[str, str]] = []
    for document in DOCUMENTS:
        data_dir = "data"
        text = document.read_text(encoding="utf-8")
        lines = [line for block in BLOCK.findall(text) for line in block.splitlines()]
        for line in (line[2:] for line in lines if line.startswith("$ ")):
            typed = line.partition("  #")[0].strip()
            if exported := EXPORT.fullmatch(typed):
                data_dir = exported[2]
            elif not any(word in typed for word in ELSEWHERE):
                tried.append((typed, data_dir))
    return list(dict.fromkeys(tried))


@pytest.fixture(scope="module")
def checkout(sampled: Prepared, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory as a user has it after `make run`: an environment, and the data directories."""
    directory = tmp_path_factory.mktemp("checkout")
    (directory / ".venv" / "bin").mkdir(parents=True)
    program = directory / ".venv" / "bin" / "perf-assets"
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m perf_assets "$@"\n')
    program.chmod(0o755)
    (directory / ".venv" / "bin" / "python").symlink_to(sys.executable)
    for name in {data_dir for _, data_dir in commands()}:
        shutil.copytree(sampled.data_dir, directory / name)
    return directory


def test_there_are_commands_to_try() -> None:
    assert len(commands()) >= 5


@pytest.mark.exhaustive
def test_every_command_works(checkout: Path) -> None:
    for line, data_dir in commands():
        done = subprocess.run(
            ["/bin/sh", "-c", line],
            cwd=checkout,
            capture_output=True,
            text=True,
            env=environment(
                PYTHONPATH=os.pathsep.join([str(ROOT), *sys.path]), PERF_ASSETS_DATA_DIR=data_dir
            ),
            check=False,
            timeout=300,
        )
        assert done.returncode == 0, f"{line}: {done.stdout}{done.stderr}"
        fill_in(checkout)


def fill_in(checkout: Path) -> None:
    """Judge what stands in the sheets that were drawn, as a rater would."""
    import csv  # noqa: PLC0415

    for sheet in checkout.glob("*/review-*.csv"):
        with sheet.open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file))
        for row in rows:
            row["is_performance"] = row["is_performance"] or "yes"
        with sheet.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(rows)
