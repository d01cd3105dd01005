"""The rules of each stored table: expectation suites, read from their files and checked."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from perf_assets.errors import PerfAssetsError
from perf_assets.paths import expectations_dir

SEVERITIES = ("critical", "warning")
RULE_KEYS = {"type", "kwargs", "severity", "notes", "meta"}


@dataclass(frozen=True, eq=False)
class Rule:
    """One expectation: its short name, how severe a breach is, and why it holds.

    ``type`` and ``kwargs`` are those of Great Expectations.
    """

    name: str
    severity: str
    note: str
    type: str
    kwargs: Mapping[str, Any]

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The columns the rule speaks of, without those of its condition."""
        single = (self.kwargs.get(name) for name in ("column", "column_A", "column_B"))
        return (*(name for name in single if name), *self.kwargs.get("column_list", ()))

    @cached_property
    def condition_columns(self) -> tuple[str, ...]:
        """The columns that decide to which rows the rule applies."""
        return tuple(_condition_columns(self.kwargs.get("row_condition", {})))

    @cached_property
    def parameters(self) -> dict[str, str]:
        """What the rule must be told at run time: parameter by argument."""
        return {
            argument: value["$PARAMETER"]
            for argument, value in self.kwargs.items()
            if isinstance(value, dict) and "$PARAMETER" in value
        }


@dataclass(frozen=True, eq=False)
class Suite:
    """The rules of ``table``; ``key`` names the columns by which a failing row is shown."""

    table: str
    path: Path
    key: tuple[str, ...]
    rules: tuple[Rule, ...]


@cache
def load_suite(table: str) -> Suite:
    """The suite of ``table``, from ``expectations/<table>.json``.

    Raises
    ------
    PerfAssetsError
        The file is missing or no JSON, or a rule has no name, no note, a severity other than
        critical and warning, or a type that Great Expectations does not have. (It would leave
        such a rule out and say nothing.)
    """
    return read_suite(expectations_dir() / f"{table}.json")


def read_suite(path: Path) -> Suite:
    """The suite in the file at ``path``, named after its table; see :func:`load_suite`."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise PerfAssetsError(f"{path}: the suite cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise PerfAssetsError(f"{path}: the suite is not valid JSON: {error}") from None
    if not isinstance(content, dict) or not isinstance(content.get("expectations"), list):
        raise PerfAssetsError(f"{path}: a suite needs a list called expectations")
    table = path.name.removesuffix(".json")
    key = content["meta"].get("key") if isinstance(content.get("meta"), dict) else None
    if content.get("name") != table or not key:
        raise PerfAssetsError(f"{path}: a suite needs the name {table} and a key in its meta")
    rules = tuple(
        _rule(path, number, entry) for number, entry in enumerate(content["expectations"], 1)
    )
    names = [rule.name for rule in rules]
    for name in names:
        if names.count(name) > 1:
            raise PerfAssetsError(f"{path}: two rules are called {name}; rename one")
    return Suite(table, path, tuple(key), rules)


def _rule(path: Path, number: int, entry: object) -> Rule:
    meta = entry.get("meta") if isinstance(entry, dict) else None
    name = meta.get("rule") if isinstance(meta, dict) else None
    if not isinstance(entry, dict) or not isinstance(name, str) or not name.isidentifier():
        raise PerfAssetsError(
            f"{path}: rule {number} has no name; give it one in snake_case as rule in its meta"
        )
    where = f"{path}: rule {name}"
    if unknown := sorted(entry.keys() - RULE_KEYS):
        raise PerfAssetsError(f"{where} has unknown keys: {', '.join(unknown)}")
    if entry.get("severity") not in SEVERITIES:
        raise PerfAssetsError(
            f"{where} has the severity {entry.get('severity')!r}; write critical or warning"
        )
    if not isinstance(entry.get("notes"), str) or not entry["notes"].strip():
        raise PerfAssetsError(f"{where} has no notes; say there why it holds")
    if entry.get("type") not in _known_types():
        raise PerfAssetsError(
            f"{where} has the type {entry.get('type')!r}, which Great Expectations does not know"
        )
    if not isinstance(entry.get("kwargs"), dict):
        raise PerfAssetsError(f"{where} has no kwargs")
    return Rule(name, entry["severity"], entry["notes"], entry["type"], entry["kwargs"])


@cache
def _known_types() -> frozenset[str]:
    # Each type is a module of its own name: looking is milliseconds, importing them is seconds.
    package = find_spec("great_expectations")
    assert package is not None and package.origin is not None
    modules = Path(package.origin).parent / "expectations" / "core"
    return frozenset(module.stem for module in modules.glob("expect_*.py"))


def _condition_columns(condition: Mapping[str, Any]) -> Iterator[str]:
    if "column" in condition:
        yield condition["column"]["name"]
    for part in condition.get("conditions", ()):
        yield from _condition_columns(part)
