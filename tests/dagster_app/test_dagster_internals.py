"""What perf-assets takes from Dagster's private modules: from one module, and still there."""

import ast
import importlib
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from tests.paths import ROOT

INTERNALS = ROOT / "perf_assets/dagster_app/dagster_internals.py"
THIS = Path(__file__)


def private_imports(path: Path) -> dict[str, str]:
    """The names that a file imports from Dagster's private modules, and from which."""
    text = path.read_text(encoding="utf-8")
    found: dict[str, str] = {}
    if "dagster" not in text:  # most files: to parse them all takes seconds
        return found
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.module:
            if node.module.startswith("dagster._"):
                found |= {alias.name: node.module for alias in node.names}
            elif node.module == "dagster":
                private = [alias.name for alias in node.names if alias.name.startswith("_")]
                found |= dict.fromkeys(private, node.module)
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
            found |= {name: name for name in names if name.startswith("dagster._")}
    return found


IMPORTED = private_imports(INTERNALS)


def module(name: str) -> Any:
    """A module of ours, imported when it is asked for: what moved is said by the tests here."""
    return importlib.import_module(f"perf_assets.dagster_app.{name}")


def moved(what: str, error: object) -> str:
    """What to do when Dagster moved something."""
    return (
        f"Dagster {dg.__version__} no longer has {what} ({error}). Find it in Dagster's source by "
        f"its name, mend {INTERNALS.relative_to(ROOT)}, and run the tests of tests/assets, "
        "tests/web and tests/cli: a private name that moved may have changed too. Where there is a "
        "public one by now, use that and delete the import."
    )


def test_only_one_module_imports_what_is_private_to_dagster() -> None:
    files = [*(ROOT / "perf_assets").rglob("*.py"), *(ROOT / "tests").rglob("*.py")]
    assert len(files) > 300
    others = {path: private_imports(path) for path in files if path not in (INTERNALS, THIS)}
    assert {path: names for path, names in others.items() if names} == {}


@pytest.mark.parametrize("name", IMPORTED)
def test_what_is_imported_is_still_there(name: str) -> None:
    try:
        getattr(importlib.import_module(IMPORTED[name]), name)
    except (ImportError, AttributeError) as error:
        pytest.fail(moved(f"{IMPORTED[name]}.{name}", error))


def test_what_is_imported_late_is_what_the_type_checker_takes_it_for() -> None:
    internals = module("dagster_internals")
    for name, home in internals.LATE.items():
        assert IMPORTED[name] == home
        assert getattr(internals, name).__name__ == name


def test_what_is_named_in_words_is_still_there() -> None:
    internals = module("dagster_internals")
    named = internals.UNCAPTURED_LOGS
    try:
        getattr(importlib.import_module(named["module"]), named["class"])
        importlib.import_module(internals.PLAN_LOGGER)
    except (ImportError, AttributeError) as error:
        pytest.fail(moved(f"{named} or {internals.PLAN_LOGGER}", error))


def test_tags_and_limits_that_are_written_out_are_those_of_dagster() -> None:
    tags = importlib.import_module("dagster._core.storage.tags")
    written = {
        "ASSET_PARTITION_RANGE_START_TAG": module("partitions").RANGE_START_TAG,
        "ASSET_PARTITION_RANGE_END_TAG": module("partitions").RANGE_END_TAG,
        "PARTITION_NAME_TAG": module("partitions").PARTITION_TAG,
        "PARENT_RUN_ID_TAG": module("sensors").PARENT_RUN_ID_TAG,
        "ROOT_RUN_ID_TAG": module("sensors").ROOT_RUN_ID_TAG,
    }
    assert {name: getattr(tags, name, None) for name in written} == written
    sqlite = importlib.import_module("dagster._core.storage.sqlite")
    assert sqlite.SQLITE_BUSY_TIMEOUT_SECONDS == module("instance").BUSY_SECONDS
