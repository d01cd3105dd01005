"""The version of code: it changes with what decides, and with nothing else."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from perf_assets.archive.software import STAGES
from perf_assets.base import code_version as versions
from perf_assets.base.code_version import NOT_DECIDING, code_version, imported_by, libraries_of
from perf_assets.schema.models.dependencies import analyses
from tests.paths import ROOT

MODULES = sorted(
    {
        *(f"perf_assets.stages.{name}" for name in STAGES.values()),
        *(analysis.function.rpartition(".")[0] for analysis in analyses().values()),
    }
)
DECIDING = '''"""Decides."""

import polars

from perf_assets.kept import (
    half,  # of it
)


def double(number: int) -> int:
    """Return twice the number."""
    return 4 * half(number)
'''


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package of two modules of which one imports the other, and one that shows the result."""
    folder = tmp_path / "perf_assets"
    folder.mkdir()
    (folder / "deciding.py").write_text(DECIDING)
    (folder / "kept.py").write_text("def half(number: int) -> float:\n    return number / 2\n")
    (folder / "shown.py").write_text('from perf_assets import deciding\n\nHELP = "Doubles."\n')
    monkeypatch.setattr(versions, "PACKAGE", folder)
    forget()
    yield folder
    forget()


def forget() -> None:
    """Forget what was read: a process takes its own code to stay as it is."""
    for cached in (versions.code_version, versions._code, versions._imports):
        cached.cache_clear()


def version_with(path: Path, before: str, after: str) -> str:
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, after))
    forget()
    return code_version("perf_assets.deciding")


def test_changes_with_the_code_of_a_module_and_of_what_it_imports(package: Path) -> None:
    first = code_version("perf_assets.deciding")
    second = version_with(package / "deciding.py", "4 *", "2 *")
    third = version_with(package / "kept.py", "number / 2", "number // 2")
    assert len({first, second, third}) == 3


def test_does_not_change_with_docstrings_or_what_imports_it(package: Path) -> None:
    first = code_version("perf_assets.deciding")
    assert version_with(package / "deciding.py", "Return twice", "Compute twice") == first
    assert version_with(package / "deciding.py", "Decides.", 'Say "two".\n\nIt decides.') == first
    assert version_with(package / "shown.py", "Doubles.", "Prints the double.") == first


def test_changes_with_data_in_the_folder_or_below(package: Path) -> None:
    first = code_version("perf_assets.deciding")
    (package / "printed").mkdir()
    data = package / "printed" / "table.yml"
    data.write_text("rows: 1")
    second = version_with(data, "1", "1")
    third = version_with(data, "1", "2")
    assert len({first, second, third}) == 3


def test_changes_with_a_library(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = code_version("perf_assets.deciding")
    monkeypatch.setattr(versions, "version", lambda name: {"polars": "99"}[name])
    forget()
    assert code_version("perf_assets.deciding") != first


@pytest.mark.parametrize("module", MODULES)
def test_follows_every_import(module: str) -> None:
    """As the syntax tree has them: the quick reading of the text misses none."""
    names, libraries = imported_by(module)
    for name in names:
        path = ROOT / "perf_assets" / name.replace(".", "/")
        path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            targets = (
                [f"{node.module}.{alias.name}" for alias in node.names]
                if isinstance(node, ast.ImportFrom)
                else [alias.name for alias in node.names]
                if isinstance(node, ast.Import)
                else []
            )
            for target in targets:
                assert is_covered(target, names, libraries), (name, target)


def is_covered(target: str, names: list[str], libraries: list[str]) -> bool:
    root, _, below = target.partition(".")
    if root != "perf_assets":
        return root in libraries or root in versions.sys.stdlib_module_names
    parts = below.split(".")
    if not below:
        return True
    ways = {".".join(parts[:length]) for length in range(1, len(parts) + 1)}
    return bool(ways & {*names, *NOT_DECIDING})


def test_covers_the_library_that_finds_changes_in_a_series() -> None:
    modules = [one.function.rpartition(".")[0] for one in analyses().values()]
    assert {"numpy", "scipy", "polars"} <= set(libraries_of(*modules))
