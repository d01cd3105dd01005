"""What is checked, and how: the table [tool.perf-assets.lint] of a pyproject.toml."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from perf_assets.base.errors import PerfAssetsError
from perf_assets.lint.files.discovery import Exclusion
from perf_assets.lint.findings import Finding, Severity
from perf_assets.lint.globs import is_meant_or_within
from perf_assets.lint.linter import DEFAULT
from perf_assets.lint.rules import REPORTED, named
from perf_assets.lint.rules.rule import Rule
from perf_assets.lint.rules.unused_noqa import UNUSED_NOQA

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FILE = "pyproject.toml"
TABLE = ("tool", "perf-assets", "lint")


@dataclass(frozen=True)
class Settings:
    """Which rules apply to which files.

    Attributes
    ----------
    root
        The folder that patterns are relative to.
    rules
        The rules that are checked, in their order.
    severity
        Minimum severity to report.
    error_on
        Minimum severity of a finding that is a failure.
    exclusion
        The files that are passed by.
    ignored
        Patterns of files, and the rules that are not checked there.
    """

    root: Path
    rules: tuple[Rule, ...]
    severity: Severity
    error_on: Severity
    exclusion: Exclusion
    ignored: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def is_reported(self, finding: Finding, path: str) -> bool:
        """Return whether a finding is reported; its `path` is relative to `root`, with `/`."""
        return finding.severity.rank >= self.severity.rank and not any(
            finding.rule in names and is_meant_or_within(path, [pattern])
            for pattern, names in self.ignored.items()
        )


def settings(given: Mapping[str, Any], config: Path | None, first: Path | None) -> Settings:
    """Return what the command line says, and what the configuration says of all else.

    Parameters
    ----------
    given
        Keys of the table, but `per-file-ignores`, as far as the command line has them.
    config
        The file that it names.
    first
        The first of its paths: the nearest pyproject.toml above it that has the table counts where
        no file is named.

    Raises
    ------
    PerfAssetsError
        A file cannot be read or is not TOML, or a key or a word is unknown: which, and where.
    """
    file, table = _table(config, first)
    content: Mapping[str, Any] = {}
    name = ".".join(TABLE)
    if file is not None:
        # It takes as long to import as a small file to check, and many projects have no table.
        from perf_assets.lint.files.settings_table import checked_table  # noqa: PLC0415

        content = checked_table(table, TABLE, file)
    options = {**content, **given}

    def rules(key: str) -> tuple[Rule, ...]:
        origin = f"--{key}" if key in given else f"{file}: {name}.{key}"
        return rules_of(options.get(key, ()), origin)

    default = (*DEFAULT, UNUSED_NOQA)
    chosen = {*(rules("select") if "select" in options else default), *rules("extend-select")}
    left = chosen - {*rules("ignore"), *rules("extend-ignore")}
    root = file.parent.absolute() if file is not None else Path.cwd()
    ignored = {
        pattern: frozenset(
            rule.name for rule in rules_of(words, f"{file}: {name}.per-file-ignores.{pattern}")
        )
        for pattern, words in content.get("per-file-ignores", {}).items()
    }
    return Settings(
        root=root,
        rules=tuple(rule for rule in REPORTED if rule in left),
        severity=Severity(options.get("severity", Severity.NOTE)),
        error_on=Severity(options.get("error-on", Severity.WARNING)),
        exclusion=Exclusion(
            root,
            (*options.get("exclude", ()), *options.get("extend-exclude", ())),
            is_forced=options.get("force-exclude", False),
            is_git_respected=options.get("respect-gitignore", True),
        ),
        ignored=ignored,
    )


def rules_of(words: Iterable[str], origin: str) -> tuple[Rule, ...]:
    """Return the rules that words stand for.

    Raises
    ------
    PerfAssetsError
        One stands for none; `origin` is where it was given.
    """
    try:
        return named(words)
    except KeyError as error:
        from perf_assets.base.config_files import nearest  # noqa: PLC0415
        from perf_assets.base.sanitize import shortened  # noqa: PLC0415

        names = [word for rule in REPORTED for word in (rule.code, rule.name)]
        raise PerfAssetsError(
            f"{shortened(origin, 300)}: no rule is called {shortened(error.args[0], 60)!r}; "
            f"{nearest(error.args[0], names)}"
        ) from None


def _table(config: Path | None, first: Path | None) -> tuple[Path | None, object]:
    if config is not None:
        table = _read(config)
        if table is None:
            raise PerfAssetsError(f"{config}: it has no table [{'.'.join(TABLE)}]")
        return config, table
    try:
        folder = Path(os.path.abspath(first or ""))  # noqa: PTH100
    except FileNotFoundError:
        raise PerfAssetsError(
            "the directory that this was started in is gone: change to one that exists"
        ) from None
    for parent in (folder, *folder.parents):
        if (parent / FILE).is_file() and (table := _read(parent / FILE)) is not None:
            return parent / FILE, table
    return None, None


def _read(file: Path) -> object:
    """Return the table of a file; None where it has none."""
    try:
        content: object = tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise PerfAssetsError(f"{file}: it cannot be read: {reason}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise PerfAssetsError(f"{file}: it is not TOML: {error}") from None
    except (ValueError, RecursionError):
        raise PerfAssetsError(
            f"{file}: it has a value that is too long or too deep to read; remove it"
        ) from None
    for part in TABLE:
        content = content.get(part) if isinstance(content, dict) else None
    return content
