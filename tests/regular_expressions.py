"""All regular expressions of the package, and by which methods they are applied.

A pattern is found in a variable of a module, also within a class, a container or a dataclass, or
in a call such as ``re.compile("a+b")`` within a function. Texts that may be worst follow from the
parsed pattern: beginnings of what it matches and members of its character classes, repeated.
"""

import ast
import dataclasses
import importlib
import itertools
import pkgutil
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, cast

import perf_assets
from perf_assets.archive import secret_kinds
from perf_assets.core.areas import path_patterns
from perf_assets.core.labelling import environments
from perf_assets.core.releases import stated
from perf_assets.sources.github import faults

SCANNING = {"search", "findall", "finditer", "split", "sub", "subn"}
METHODS = SCANNING | {"match", "fullmatch"}
CALLS = METHODS | {"compile"}
ROOT = Path(perf_assets.__file__).parent
PLACEHOLDER = "word"  # stands for what only a running function knows


@dataclasses.dataclass(frozen=True)
class Use:
    """A pattern, where it is, and by which methods it is applied."""

    place: str
    pattern: re.Pattern[Any]
    methods: frozenset[str]


@cache
def modules() -> dict[str, ModuleType]:
    """Return all modules of the package by name, imported."""
    names = [
        found.name
        for found in pkgutil.walk_packages(perf_assets.__path__, "perf_assets.")
        if not found.name.endswith("__main__")
    ]
    return {name: importlib.import_module(name) for name in names}


@cache
def _tree(module: ModuleType) -> ast.Module:
    return ast.parse(Path(module.__file__ or "").read_text(encoding="utf-8"))


@cache
def _methods_called() -> Mapping[tuple[str, str], frozenset[str]]:
    """Return the methods of patterns that a module calls on a variable, or on any attribute.

    The module is empty for an attribute, which may be of an object of any.
    """
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for name, module in modules().items():
        for node in ast.walk(_tree(module)):
            if isinstance(node, ast.Attribute) and node.attr in METHODS:
                is_attribute = isinstance(node.value, ast.Attribute)
                found["" if is_attribute else name, _last_name(node.value)].add(node.attr)
    return {key: frozenset(methods) for key, methods in found.items()}


def _methods_on(variable: str, value: object) -> frozenset[str]:
    """Return the methods called on a variable, in all modules that have it of the same value."""
    holders = [name for name, module in modules().items() if vars(module).get(variable) is value]
    called = (_methods_called().get((name, variable), frozenset()) for name in ("", *holders))
    return frozenset().union(*called) or frozenset(METHODS)


def _last_name(node: ast.AST) -> str:
    """Return the name of a variable or attribute, also of an element of it; else an empty one."""
    if isinstance(node, ast.Subscript):
        return _last_name(node.value)
    return getattr(node, "attr", getattr(node, "id", ""))


def patterns_of_variables() -> Iterator[Use]:
    """Yield the patterns that variables of modules hold."""
    for name, module in modules().items():
        for variable, value in vars(module).items():
            for pattern in _patterns_in(value, name, depth=0):
                yield Use(f"{name}:{variable}", pattern, _methods_on(variable, value))


def _patterns_in(value: object, module: str, depth: int) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif depth > 4 or isinstance(value, str | bytes):
        return
    elif type(value) is dict:
        for part in [*value.keys(), *value.values()]:
            yield from _patterns_in(part, module, depth + 1)
    elif type(value) in {list, tuple, set, frozenset}:
        for part in cast("Iterable[object]", value):
            yield from _patterns_in(part, module, depth + 1)
    elif getattr(value, "__module__", None) == module and hasattr(value, "__dict__"):
        for part in list(vars(value).values()):  # a class, or an object of one, of the module
            yield from _patterns_in(part, module, depth + 1)


def patterns_of_calls() -> Iterator[Use]:
    """Yield the patterns that functions compile, or apply at once."""
    for name, module, function, call in _calls():
        pattern = _evaluated(call.args[0], vars(module))
        if pattern is not None:
            assert isinstance(call.func, ast.Attribute)
            yield Use(
                f"{name}:{getattr(function, 'name', '')}",
                re.compile(pattern, _flags(call, vars(module))),
                _methods_of(name, call, function),
            )


def unknown_patterns() -> list[str]:
    """Return the modules of calls whose pattern only a running function knows."""
    return sorted(
        {
            name
            for name, module, _, call in _calls()
            if _evaluated(call.args[0], vars(module)) is None
        }
    )


def _calls() -> Iterator[tuple[str, ModuleType, ast.AST, ast.Call]]:
    for name, module in modules().items():
        for function in ast.walk(_tree(module)):
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                for call in ast.walk(function):
                    if (
                        isinstance(call, ast.Call)
                        and isinstance(call.func, ast.Attribute)
                        and call.func.attr in CALLS
                        and _last_name(call.func.value) == "re"
                    ):
                        yield name, module, function, call


def _methods_of(module: str, call: ast.Call, function: ast.AST) -> frozenset[str]:
    assert isinstance(call.func, ast.Attribute)
    if call.func.attr != "compile":
        return frozenset([call.func.attr])
    names = [
        _last_name(target)
        for node in ast.walk(function)
        if isinstance(node, ast.Assign) and any(part is call for part in ast.walk(node.value))
        for target in node.targets
    ] or [getattr(function, "name", "")]
    keys = itertools.product(("", module), names)
    found = frozenset().union(*(_methods_called().get(key, frozenset()) for key in keys))
    return found or frozenset(METHODS)


def _flags(call: ast.Call, variables: dict[str, Any]) -> int:
    assert isinstance(call.func, ast.Attribute)
    place = {"compile": 1, "sub": 4, "subn": 4, "split": 3}.get(call.func.attr, 2)
    given = call.args[place:] or [word.value for word in call.keywords if word.arg == "flags"]
    return int(_evaluated(given[0], variables) or 0) if given else 0


def _evaluated(node: ast.expr, variables: dict[str, Any]) -> Any:
    """Return the value of an expression, with a placeholder for what is unknown within a text."""
    if isinstance(node, ast.JoinedStr):
        parts = [
            part.value
            if isinstance(part, ast.Constant)
            else _evaluated(part.value, variables) or PLACEHOLDER
            for part in node.values
            if isinstance(part, ast.Constant | ast.FormattedValue)
        ]
        return "".join(map(str, parts))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        sides = [_evaluated(side, variables) for side in (node.left, node.right)]
        if any(isinstance(side, str) for side in sides):
            return "".join(side or PLACEHOLDER for side in sides)
    try:
        value = eval(compile(ast.Expression(node), "pattern", "eval"), dict(variables))
    except (NameError, AttributeError, TypeError):
        return None
    return value.pattern if isinstance(value, re.Pattern) else value


def all_uses() -> list[Use]:
    """Return all patterns of the package, each once for the same methods."""
    uses = itertools.chain(patterns_of_variables(), patterns_of_calls(), patterns_of_running_code())
    found: dict[object, Use] = {}
    for use in uses:
        found.setdefault((use.pattern.pattern, use.pattern.flags, use.methods), use)
    return list(found.values())


def patterns_of_running_code() -> Iterator[Use]:
    """Yield patterns that only running code knows: of secrets, of errors and of settings."""
    scanned = frozenset(["finditer"])
    for kind in secret_kinds.kinds():
        yield Use(f"{secret_kinds.__name__}:{kind.name}", kind.pattern, scanned)
    for rule in faults.RULES:
        if rule.words:
            pattern = re.compile(rule.words, re.IGNORECASE)
            yield Use(f"{faults.__name__}:{rule.name}", pattern, frozenset(["search"]))
        for header, value in (rule.headers or {}).items():
            place = f"{faults.__name__}:{header}"
            yield Use(place, re.compile(value), frozenset(["fullmatch"]))
    reader = environments.Reader("tensorflow/tensorflow")
    patterns = [reader._framework_in_text, *(label[0] for label in reader._labels)]
    for pattern in patterns:
        yield Use(f"{environments.__name__}:Reader", pattern, frozenset(["search"]))
    for pattern in stated.Reader("tensorflow/tensorflow", {})._patterns:
        yield Use(f"{stated.__name__}:Reader", pattern, scanned)
    for part in path_patterns.PathPattern("a*b*c*/x*.py")._parts:
        if isinstance(part, re.Pattern):
            yield Use(f"{path_patterns.__name__}:PathPattern", part, frozenset(["match"]))


RUNNING = {
    secret_kinds.__name__: "in patterns_of_running_code",
    faults.__name__: "in patterns_of_running_code",
    environments.__name__: "in patterns_of_running_code",
    stated.__name__: "in patterns_of_running_code",
    path_patterns.__name__: "in patterns_of_running_code",
    "perf_assets.core.areas.rules": "a label of GitHub has at most 50 characters",
    "perf_assets.lint.globs": "parts by fnmatch; see lint/files/test_discovery.py",
    "perf_assets.reports.sql_files": "SQL files of the project itself",
    "perf_assets.schema.models.parameters": "patterns of a moment, a month and a count, in FORMS",
}
"""Modules with patterns that only running code knows, and how these are tested, or why not."""

SHORT = {
    "perf_assets.base.code_version:DOCSTRING": "the modules of the package itself",
    "perf_assets.sources.github.client:TAG": "the first 2,000 characters of a page",
    "perf_assets.config.addresses:git_address": "at most 1,000 characters",
}
"""Patterns that may take quadratic time, as their texts are cut before."""
