"""The rules of each stored table: those its declaration gives, and those of its suite file."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from perf_assets.base.config_files import Many, StrictModel, nearest, validate
from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.paths import expectations_dir
from perf_assets.schema import Table, table_of
from perf_assets.storage.audit.rules import Rule, declared_rules


@dataclass(frozen=True, eq=False)
class Suite:
    """The rules of ``table``, by whose key a failing row is shown; ``path`` is its suite file."""

    table: Table
    path: Path
    rules: tuple[Rule, ...]

    @cached_property
    def allowed_in(self) -> Mapping[str, tuple[str, ...]]:
        """The parameters that are sets of allowed values, and for which columns."""
        columns: dict[str, tuple[str, ...]] = {}
        for rule in self.rules:
            if (name := rule.parameters.get("value_set")) is not None:
                columns[name] = (*columns.get(name, ()), *rule.columns)
        return columns


@cache
def load_suite(name: str) -> Suite:
    """Return the suite of the table ``name``: what its declaration and ``expectations/<name>.json``
    say.

    Raises
    ------
    PerfAssetsError
        The table is not declared, or its file is not JSON or has a rule without name or note, of a
        severity other than critical and warning, or of a type that Great Expectations does not
        have. (It would leave such a rule out and say nothing.)
    """
    table, path = table_of(name), expectations_dir() / f"{name}.json"
    rules = [*declared_rules(table), *(read_rules(path) if path.is_file() else ())]
    return Suite(table, path, _distinct(rules, path))


def read_rules(path: Path) -> tuple[Rule, ...]:
    """Return the rules in the suite file at ``path``; see :func:`load_suite`."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise PerfAssetsError(f"{path}: the suite cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise PerfAssetsError(f"{path}: the suite is not valid JSON: {error}") from None
    suite = validate(_SuiteFile, content, path)
    table = path.name.removesuffix(".json")
    if suite.name != table:
        raise PerfAssetsError(f"{path}: name: a suite is called as its table, {table}")
    rules = [_rule(path, number, entry) for number, entry in enumerate(suite.expectations, 1)]
    return _distinct(rules, path)


def _rule(path: Path, number: int, entry: Mapping[str, Any]) -> Rule:
    meta = entry.get("meta")
    name = meta.get("rule", number) if isinstance(meta, Mapping) else number
    read = validate(_Expectation, entry, f"{path}: rule {name}")
    return Rule(read.meta.rule, read.severity, read.notes, read.type, read.kwargs)


def _distinct(rules: Sequence[Rule], path: Path) -> tuple[Rule, ...]:
    names = [rule.name for rule in rules]
    for name in names:
        if names.count(name) > 1:
            raise PerfAssetsError(f"{path}: two rules are called {name}; rename one")
    return tuple(rules)


def _is_type(name: str) -> str:
    if name not in _types():
        hint = nearest(name, sorted(_types()))
        raise ValueError(f"Great Expectations has no such type; {hint}")
    return name


@cache
def _types() -> frozenset[str]:
    # Each type is a module of its own name: looking is milliseconds, importing them is seconds.
    package = find_spec("great_expectations")
    assert package is not None and package.origin is not None
    modules = Path(package.origin).parent / "expectations" / "core"
    return frozenset(module.stem for module in modules.glob("expect_*.py"))


class _Meta(StrictModel):
    rule: str = Field(pattern=r"^[a-z][a-z0-9_]*$")


class _Expectation(StrictModel):
    type: Annotated[str, AfterValidator(_is_type)]
    kwargs: dict[str, Any]
    severity: Literal["critical", "warning"]
    notes: str = Field(pattern=r"\S")
    meta: _Meta


class _SuiteFile(StrictModel):
    name: str
    expectations: Many[dict[str, Any]]
