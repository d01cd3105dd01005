"""Which calls of PyTorch move a tensor to a device."""

from __future__ import annotations

import ast
import re

from perf_assets.lint.scopes import Scope, constant

DEVICE = re.compile(r"device|cuda|gpu|\brank\b", re.IGNORECASE)

NO_GPU = re.compile(r"(?:torch\.device\()?(?:type=)?'(?:cpu|mps)(?::\d)?'\)?")
"""Devices that share their memory with Python: a copy to them has nothing to be pinned for."""


def moved(call: ast.Call, scope: Scope) -> ast.expr | None:
    """Return what a call of `to` or `cuda` moves to a device that is named as one; None for other
    calls.

    `x.to(other)` and `x.to(dtype)` are none: the first may be anything, the second moves nothing.
    Nor is one to a name that is given "cpu" or "mps" and nothing else.
    """
    func = call.func
    if not isinstance(func, ast.Attribute):
        return None
    if func.attr == "cuda":
        return func.value
    if func.attr != "to":
        return None
    named = [word.value for word in call.keywords if word.arg == "device"]
    given = next(iter((*named, *call.args[:1])), None)
    if given is None:
        return None
    text = ast.unparse(given)
    value = constant(given.id, scope) if isinstance(given, ast.Name) else None
    made = ast.unparse(value if isinstance(value, (ast.Constant, ast.Call)) else given)
    is_named = DEVICE.search(text) is not None and "cpu" not in text.casefold()
    return func.value if is_named and not NO_GPU.fullmatch(made) and "mps" not in text else None


def copies_at_once(call: ast.Call) -> bool:
    """Return whether such a call waits for the copy: it is not given `non_blocking`."""
    return all(
        isinstance(word.value, ast.Constant) and not word.value.value
        for word in call.keywords
        if word.arg in ("non_blocking", "async", None)
    )
