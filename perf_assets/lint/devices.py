"""Which calls of PyTorch move a tensor to a device."""

from __future__ import annotations

import ast
import re

DEVICE = re.compile(r"device|cuda|gpu|\brank\b", re.IGNORECASE)


def moved(call: ast.Call) -> ast.expr | None:
    """Return what a call of `to` or `cuda` moves to a device that is named as one; None for other
    calls.

    `x.to(other)` and `x.to(dtype)` are none: the first may be anything, the second moves nothing.
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
    return func.value if DEVICE.search(text) and "cpu" not in text.casefold() else None


def copies_at_once(call: ast.Call) -> bool:
    """Return whether such a call waits for the copy: it is not given `non_blocking`."""
    return all(
        isinstance(word.value, ast.Constant) and not word.value.value
        for word in call.keywords
        if word.arg in ("non_blocking", "async", None)
    )
