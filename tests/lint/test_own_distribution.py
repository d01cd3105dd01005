"""The static checks install alone, without the pipeline, and do what they do within it."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.distributions import install, only_with
from tests.effort import some
from tests.paths import ROOT

PROJECT = ROOT / "deploy" / "lint" / "pyproject.toml"
LIGHT = {
    *("click", "pydantic", "pydantic_core", "rich", "annotated_types", "typing_extensions"),
    *("typing_inspection", "pygments", "markdown_it", "mdurl"),
}
"""What the distribution brings, with what that needs."""

ALONE = only_with(
    LIGHT,
    "from perf_assets.cli.lint import lint\nlint(sys.argv[2:], prog_name='perf-assets-lint')",
)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install(PROJECT.parent, tmp_path_factory.mktemp("distribution"))


def linted(*command: str | Path, folder: Path) -> tuple[int, str, str]:
    ran = subprocess.run(
        [sys.executable, *command], cwd=folder, capture_output=True, text=True, check=False
    )
    return ran.returncode, ran.stdout, ran.stderr


@pytest.mark.slow
@pytest.mark.parametrize("kind", some("text", "json", "sarif", "github"))
def test_it_finds_what_the_whole_program_finds(installed: Path, tmp_path: Path, kind: str) -> None:
    (tmp_path / "a.py").write_text(
        "import torch\nx = None\nfor y in z:\n    x = torch.cat([x, y])\n"
    )
    (tmp_path / "b.py").write_text("print 1\n")
    (tmp_path / "pyproject.toml").write_text('[tool.perf-assets.lint]\nselect = ["PA2"]\n')
    arguments = [".", "--format", kind, "--error-on", "note"]
    alone = linted("-c", ALONE, str(installed), *arguments, folder=tmp_path)
    whole = linted("-m", "perf_assets", "lint", *arguments, folder=tmp_path)
    assert alone == whole
    assert alone[0] == 1 and "torch copies all of x" in alone[1]
    shown = linted("-c", ALONE, str(installed), "--explain", "PA202", folder=tmp_path)
    assert shown[0] == 0 and shown[1].startswith("# cat-in-loop")


def test_it_has_the_version_and_the_bounds_of_the_whole() -> None:
    whole, alone = (
        tomllib.loads(path.read_text(encoding="utf-8"))["project"]
        for path in (ROOT / "pyproject.toml", PROJECT)
    )
    assert alone["version"] == whole["version"]
    assert alone["requires-python"] == whole["requires-python"]
    assert set(alone["dependencies"]) <= set(whole["dependencies"])
