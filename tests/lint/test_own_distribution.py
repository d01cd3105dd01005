"""The static checks install alone, without the pipeline, and do what they do within it.

`make pythons-test` runs it on the lowest and the highest version of Python too.
"""

import ast
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from perf_assets import __version__
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
OTHERS = os.environ.get("PERF_ASSETS_LINT_PYTHONS", "").split(os.pathsep)
"""Programs of other versions of Python, which have what the distribution requires."""

PYTHONS = [sys.executable, *filter(None, OTHERS)]

MAPPED = """import tensorflow as tf


def f(x):
    return tf.io.decode_raw(x, tf.uint8)


tf.data.TFRecordDataset('a').map(f)
for x in y:
    g(tf.zeros([3]))
"""


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


@pytest.mark.slow
@pytest.mark.parametrize("python", PYTHONS)
def test_it_is_a_program_and_a_module_on_each_python(
    installed: Path, tmp_path: Path, python: str
) -> None:
    (tmp_path / "a.py").write_text(MAPPED)
    (tmp_path / "pyproject.toml").write_text("[tool.perf-assets.lint]\nignore = ['PA101']\n")

    def ran(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [python, "-m", "perf_assets_lint", *arguments],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(installed), "COLUMNS": "100"},
            capture_output=True,
            text=True,
            check=False,
        )

    version = ran("--version")
    assert version.stdout == f"python -m perf_assets_lint, version {__version__}\n", version.stderr
    help_text = ran("--help").stdout
    assert "    python -m perf_assets_lint src --diff\n" in help_text
    assert "perf-assets lint" not in help_text
    for kind in ("full", "json", "sarif", "junit", "gitlab"):
        whole = linted("-m", "perf_assets", "lint", ".", "--format", kind, folder=tmp_path)
        alone = ran(".", "--format", kind)
        assert (alone.returncode, alone.stdout, alone.stderr) == (1, *whole[1:])
    assert ran("no/such").stderr.startswith("Error: no/such: there is no such file")
    assert "+tf.data.TFRecordDataset('a').map(f, num_parallel_calls" in ran(".", "--diff").stdout
    (tmp_path / "pyproject.toml").write_text("[tool.perf-assets.lint]\nignore = 'PA101'\n")
    assert "a list is needed" in ran(".").stderr


def test_every_module_is_python_of_the_lowest_version(installed: Path) -> None:
    required = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["requires-python"]
    lowest = tuple(int(part) for part in required.removeprefix(">=").split("."))
    for path in installed.rglob("*.py"):
        ast.parse(path.read_text(encoding="utf-8"), feature_version=lowest)  # type: ignore[arg-type]


def test_it_has_the_version_and_the_libraries_of_the_whole() -> None:
    whole, alone = (
        tomllib.loads(path.read_text(encoding="utf-8"))["project"]
        for path in (ROOT / "pyproject.toml", PROJECT)
    )
    assert alone["version"] == whole["version"]
    names = {Requirement(one).name: Requirement(one) for one in whole["dependencies"]}
    for one in map(Requirement, alone["dependencies"]):
        if one.marker is None or one.marker.evaluate():
            newest = {str(bound) for bound in one.specifier if bound.operator == "<"}
            assert newest == {str(b) for b in names[one.name].specifier if b.operator == "<"}
