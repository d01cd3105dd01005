"""What is drawn, exported and archived is the same in every time zone and language."""

import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.effort import some
from tests.support import Prepared, environment

pytestmark = pytest.mark.slow

TURKISH = {"LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8"}
PLACES = {
    "turkish in auckland": {"TZ": "Pacific/Auckland", **TURKISH},
    "new_york": {"TZ": "America/New_York", "LC_ALL": "C"},
    "istanbul": {"TZ": "Europe/Istanbul", **TURKISH},
}
SCRIPT = """
import sys
from click.testing import CliRunner
from perf_assets.cli.commands import commands
for line in sys.stdin.read().splitlines():
    ran = CliRunner().invoke(commands, line.split("\\t"))
    assert ran.exit_code == 0, (line, ran.output, ran.exception)
"""


def made(small: Prepared, directory: Path, **surroundings: str) -> dict[str, bytes]:
    """Every file that these commands write, by its name; members of archives by theirs."""
    at = ("--data-dir", str(small.data_dir))
    lines = [
        ("query", "monthly_share_of_new_bugs", "--plot", str(directory / "share.svg"), *at),
        (
            "query",
            "select created_at, comments from raw.issues",
            "--plot",
            f"{directory}/at.svg",
            *at,
        ),
        ("export", "--format", "csv", "--output", str(directory / "csv"), *at),
        ("archive", str(directory / "study.zip"), "--study", str(small.study), *at),
    ]
    subprocess.run(
        [sys.executable, "-c", SCRIPT],
        input="\n".join("\t".join(line) for line in lines),
        env=environment(**surroundings),
        text=True,
        check=True,
    )
    files = {
        str(path.relative_to(directory)): path.read_bytes()
        for path in directory.rglob("*")
        if path.is_file() and path.suffix != ".zip"
    }
    with zipfile.ZipFile(directory / "study.zip") as archive:
        return files | {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture(scope="module")
def at_utc(small: Prepared, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return made(small, tmp_path_factory.mktemp("utc"), TZ="UTC", LC_ALL="C.UTF-8")


@pytest.mark.parametrize("place", some(*PLACES))
def test_files_are_the_same_everywhere(
    small: Prepared, at_utc: dict[str, bytes], tmp_path: Path, place: str
) -> None:
    there = made(small, tmp_path, **PLACES[place])
    assert there.keys() == at_utc.keys()
    assert [name for name in there if there[name] != at_utc[name]] == []


def test_the_axis_of_a_chart_has_the_months_of_its_rows(at_utc: dict[str, bytes]) -> None:
    shown = set(re.findall(rb">(\d{4}-\d\d)<", at_utc["share.svg"]))
    assert shown and shown <= {b"2020-01", b"2020-02", b"2020-03"}
