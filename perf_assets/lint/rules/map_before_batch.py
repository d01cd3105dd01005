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
    r"decode_(?:jpeg|png|image|gif|wav|bmp|and_crop)|read_file|numpy_function|py_func"
    r"|load_(?:image|audio|wav)|resize|crop|(?:^|[._])pad(?:_\w{1,40}|ding)?$|(?:^|[._])ragged|to_tensor$"
)
"""Functions that take one element at a time, or without which elements cannot be batched."""

OF_ANY_SIZE = frozenset(("padded_batch", "ragged_batch", "bucket_by_sequence_length"))
DEEPEST = 3  # functions that functions call


def find(module: Module) -> Iterator[Hit]:
    """Yield calls of `map` on a dataset before its `batch`."""
    scopes = dict(module.calls)
    for call, batch in module.once(pipelines).late.items():
        if _name(batch) in OF_ANY_SIZE:
            continue
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
    """Return whether a function reads, decodes or resizes one element, itself or through others."""
    if SINGLE.search(ast.unparse(node)):
        return True
    waiting = [(module, one) for one in _functions(module, node, scope)]
    for _ in range(DEEPEST):
        called = [
            (where, call, function)
            for where, function in waiting
            for call in ast.walk(function.node)
            if isinstance(call, ast.Call)
        ]
        if any(SINGLE.search(ast.unparse(call.func)) for _, call, _ in called):
            return True
        waiting = []
        for where, call, function in called:
            elsewhere = where.elsewhere(call.func, function)
            own = where.callee(call, function)
            waiting += [(where, own)] if own is not None else [elsewhere] if elsewhere else []
    return False


def _functions(module: Module, node: ast.expr, scope: Scope) -> list[Scope]:
    """Return the function that an expression names; of a call, what it is given (`partial`) and
    what it is of, which stands around the function that it returns.
    """
    function = mapped_function(module, node, scope)
    if function is not None:
        return [function]
    if not isinstance(node, ast.Call):
        return []
    found = [mapped_function(module, one, scope) for one in node.args]
    return [one for one in (module.callee(node, scope), *found) if one is not None]


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
