"""What a call is given."""

from __future__ import annotations

import ast
from collections.abc import Container


def arguments(call: ast.Call) -> list[ast.expr]:
    """Return all that a call is given, by position and by keyword; of what is unpacked, the
    whole.
    """
    given = [
        expression.value if isinstance(expression, ast.Starred) else expression
        for expression in call.args
    ]
    return [*given, *(word.value for word in call.keywords)]


def argument(call: ast.Call, names: Container[str | None], position: int) -> list[ast.expr]:
    """Return what is given for one parameter, by one of its names or at its position, counted from
    one.
    """
    named = [word.value for word in call.keywords if word.arg in names]
    return [*named, *call.args[position - 1 : position]]


def unpacks(call: ast.Call) -> bool:
    """Return whether a call unpacks something, in which any argument may be."""
    starred = any(isinstance(expression, ast.Starred) for expression in call.args)
    return starred or any(word.arg is None for word in call.keywords)
