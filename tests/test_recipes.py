"""Recipes of CONTRIBUTING.md, followed on a copy of the project: the files they name suffice."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.paths import ROOT
from tests.recipe_changes import CHANGES

NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
COPIED = ("perf_assets", "dbt_like_models", "expectations", "sql", "docs/checks", "tests")
RECIPE = re.compile(
    r"^\*\*(?P<name>[^*]+)\*\* \((?P<count>\w+) (?:files?|places)\): (?P<files>.*?)\.\s",
    re.DOTALL | re.MULTILINE,
)
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
RECIPES = {recipe["name"]: recipe for recipe in RECIPE.finditer(CONTRIBUTING)}


def files_of(recipe: str) -> list[str]:
    """Return the files and folders that the first sentence of a recipe names."""
    return re.findall(r"`(\w+/[\w./<>]*)`", RECIPES[recipe]["files"])


def is_named(name: str, files: list[str]) -> bool:
    """Return whether a file is one of ``files`` or in a folder of them; `<table>` is any name."""
    return any(
        re.match(
            re.sub(r"<\w+>", r"[\\w-]+", re.escape(file)) + ("" if file[-1] == "/" else "$"), name
        )
        for file in files
    )


def copy_project(directory: Path) -> None:
    """Copy what the recipes are about, with compiled modules, which are imported sooner."""
    unfinished = shutil.ignore_patterns("*.pyc.*")  # that another process is writing
    for folder in COPIED:
        shutil.copytree(ROOT / folder, directory / folder, ignore=unfinished)


def follow(directory: Path, recipe: str, files: list[str]) -> None:
    """Write the changes of a recipe into the copy, but only into the ``files`` that it names."""
    for name, edits in CHANGES[recipe].items():
        if not is_named(name, files):
            continue
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        for old, new in edits:
            assert not old or text.count(old) == 1, f"{name} has changed: {old}"
            text = text.replace(old, new) if old else text + new
        path.write_text(text, encoding="utf-8")


def failures(directory: Path, recipe: str) -> dict[str, str]:
    """Return the files that are missing or do not work in the copy, each with the reason.

    Without a module that others import nothing works, and Python names it.
    """
    ran = subprocess.run(
        [sys.executable, "-m", "tests.recipe_checks", recipe],
        capture_output=True,
        text=True,
        check=False,
        cwd=directory,
        env={**os.environ, "PYTHONPATH": str(directory)},
    )
    if missing := re.search(r"No module named '(perf_assets\.[\w.]+)'\n$", ran.stderr):
        return {f"{missing[1].replace('.', '/')}.py": ran.stderr}
    assert ran.returncode == 0, ran.stderr
    found: dict[str, str] = json.loads(ran.stdout.splitlines()[-1])
    return found


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_recipe_counts_its_files(recipe: str) -> None:
    assert RECIPES[recipe]["count"] == NUMBERS[len(files_of(recipe))], files_of(recipe)


@pytest.mark.slow
@pytest.mark.parametrize("recipe", CHANGES)
def test_a_recipe_names_all_files_that_it_needs(tmp_path: Path, recipe: str) -> None:
    files = files_of(recipe)
    copy_project(tmp_path)
    follow(tmp_path, recipe, files)
    assert failures(tmp_path, recipe) == {}


@pytest.mark.parametrize("recipe", CHANGES)
def test_a_recipe_names_no_file_in_vain(recipe: str) -> None:
    for file in files_of(recipe):
        assert any(is_named(name, [file]) for name in CHANGES[recipe]), file


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("recipe", "left_out"), [(recipe, file) for recipe, files in CHANGES.items() for file in files]
)
def test_a_file_that_a_recipe_lacks_is_named(tmp_path: Path, recipe: str, left_out: str) -> None:
    copy_project(tmp_path)
    follow(tmp_path, recipe, [file for file in CHANGES[recipe] if file != left_out])
    assert left_out in failures(tmp_path, recipe)
