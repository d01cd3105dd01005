"""The static checks install alone, without the pipeline, and do what they do within it."""

import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from tests.effort import some
from tests.paths import ROOT

PROJECT = ROOT / "deploy" / "lint" / "pyproject.toml"
LIGHT = {
    *("click", "pydantic", "pydantic_core", "rich", "annotated_types", "typing_extensions"),
    *("typing_inspection", "pygments", "markdown_it", "mdurl"),
}
"""What the distribution brings, with what that needs."""

ALONE = f"""
import sys
from importlib.abc import MetaPathFinder

class OnlyLight(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        root = name.partition(".")[0]
        known = root in sys.stdlib_module_names or root.startswith("_sysconfigdata")
        if not known and root not in {LIGHT | {"perf_assets"}!r}:
            raise ModuleNotFoundError(f"{{name}} is not installed with it", name=name)

sys.meta_path.insert(0, OnlyLight())
from perf_assets.cli.lint import lint
import perf_assets
assert perf_assets.__file__.startswith(sys.argv[1]), perf_assets.__file__
lint(sys.argv[2:], prog_name="perf-assets-lint")
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel's content, made as an installer makes it."""
    files = tmp_path_factory.mktemp("distribution")
    build = "from hatchling.build import build_wheel; import sys; print(build_wheel(sys.argv[1]))"
    made = subprocess.run(
        [sys.executable, "-c", build, files],
        cwd=PROJECT.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stderr
    with zipfile.ZipFile(files / made.stdout.split()[-1]) as wheel:
        wheel.extractall(files / "installed")
    return files / "installed"


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
    arguments = [".", "--format", kind]
    env_path = f"import sys; sys.path.insert(0, {str(installed)!r})\n"
    alone = linted("-c", env_path + ALONE, str(installed), *arguments, folder=tmp_path)
    whole = linted("-m", "perf_assets", "lint", *arguments, folder=tmp_path)
    assert alone == whole
    assert alone[0] == 1 and "torch copies all of x" in alone[1]
    shown = linted("-c", env_path + ALONE, str(installed), "--explain", "PA202", folder=tmp_path)
    assert shown[0] == 0 and shown[1].startswith("# cat-in-loop")


def test_it_has_the_version_and_the_bounds_of_the_whole() -> None:
    whole, alone = (
        tomllib.loads(path.read_text(encoding="utf-8"))["project"]
        for path in (ROOT / "pyproject.toml", PROJECT)
    )
    assert alone["version"] == whole["version"]
    assert alone["requires-python"] == whole["requires-python"]
    assert set(alone["dependencies"]) <= set(whole["dependencies"])
