"""`map` on single elements where a `batch` follows."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from perf_assets.lint.arguments import argument
from perf_assets.lint.findings import Related, Severity
from perf_assets.lint.module import Hit, Module
from perf_assets.lint.pipelines import mapped_function, pipelines
from perf_assets.lint.rules.rule import BATCH_API, Rule
from perf_assets.lint.scopes import Scope

SINGLE = re.compile(
    r"decode_(?:jpeg|png|image|gif|wav|bmp)|read_file|numpy_function|py_func|load_(?:image|audio|wav)"
)
"""Functions that take one element at a time."""


def find(module: Module) -> Iterator[Hit]:
    """Yield calls of `map` on a dataset before its `batch`."""
    scopes = dict(module.calls)
    for call, batch in module.once(pipelines).late.items():
        line = _line(batch)
        first = next(iter(argument(call, ("map_func",), 1)), None)
        if first is not None and _takes_single_ones(module, first, scopes.get(call, module.scope)):
            continue
        function = (
            ast.unparse(first) if isinstance(first, (ast.Name, ast.Attribute)) else "its function"
        )
        yield Hit(
            call,
            Severity.NOTE,
            f"map calls {function} once for each element, though {_name(batch)} in line {line} "
            "follows: if the function can work on whole batches (check the shapes it expects), "
            "call batch before map, so that it runs once for each batch",
            (Related(line, "batched here"),),
        )


def _takes_single_ones(module: Module, node: ast.expr, scope: Scope) -> bool:
    """Return whether a function reads or decodes one file, which no batch can be given to."""
    function = mapped_function(module, node, scope)
    texts = [ast.unparse(node)] if function is None else _called(function)
    return any(SINGLE.search(text) for text in texts)


def _called(function: Scope) -> list[str]:
    nodes = ast.walk(function.node)
    return [ast.unparse(node.func) for node in nodes if isinstance(node, ast.Call)]


def _line(call: ast.Call) -> int:
    return call.func.end_lineno or call.lineno


def _name(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else ast.unparse(call.func)


MAP_BEFORE_BATCH = Rule(
    name="map-before-batch",
    code="PA102",
    summary="map of a tf.data.Dataset before its batch",
    severity=Severity.NOTE,
    on=True,
    find=find,
    cause=BATCH_API,
)
