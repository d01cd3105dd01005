"""Paths of the project's files: in the installed package, or at the root of the repository."""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).parents[1]


def models_dir() -> Path:
    """Return the directory of the SQL models and their documentation."""
    return _project_dir("dbt_like_models")


def expectations_dir() -> Path:
    """Return the directory of the expectation suites."""
    return _project_dir("expectations")


def queries_dir() -> Path:
    """Return the directory of the analysts' cookbook."""
    return _project_dir("sql")


def checks_dir() -> Path:
    """Return the directory of the pages of the static checks, one for each rule."""
    return _project_dir("docs/checks")


def _project_dir(name: str) -> Path:
    installed = PACKAGE / "_project" / name
    return installed if installed.is_dir() else PACKAGE.parent / name
