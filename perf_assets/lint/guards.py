"""Tests that let a part of a loop run once.

A test of a name that differs in each iteration (`i == 0`; `if i: … else: …`), and one of something
that is not set yet, before what sets it (`if x is None: x = …`).
"""

from __future__ import annotations

import ast
from typing import NamedTuple


class Guard(NamedTuple):
    """What a test says of its two branches.

    Attributes
    ----------
    body, orelse
        Names; the branch runs once if one of them differs in each iteration.
    body_once
        Whether the first branch runs once in any case, as it makes its own condition false.
    """

    body: frozenset[str] = frozenset()
    orelse: frozenset[str] = frozenset()
    body_once: bool = False


def guard(node: ast.If | ast.IfExp) -> Guard:
    """Return what the test of a statement or expression says of its branches."""
    test = node.test
    if isinstance(node, ast.If) and (
        missing_name(test) in _set_in(node.body) or _is_put_out(test, node.body)
    ):
        return Guard(body_once=True)
    body, orelse = _of_test(test)
    return Guard(frozenset(body), frozenset(orelse))


def _of_test(test: ast.expr) -> tuple[set[str], set[str]]:
    if isinstance(test, ast.Name):
        return set(), {test.id}
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        body, orelse = _of_test(test.operand)
        return orelse, body
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return {name for value in test.values for name in _of_test(value)[0]}, set()
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        return _of_comparison(test.left, test.ops[0], test.comparators[0])
    return set(), set()


def _of_comparison(left: ast.expr, op: ast.cmpop, right: ast.expr) -> tuple[set[str], set[str]]:
    names = {expression.id for expression in (left, right) if isinstance(expression, ast.Name)}
    if isinstance(op, ast.Eq):
        return names, set()
    if isinstance(op, ast.NotEq) or (isinstance(left, ast.Name) and _all_but_one(op, right)):
        return set(), names
    return set(), set()


def _all_but_one(op: ast.cmpop, right: ast.expr) -> bool:
    """Return whether a comparison leaves out the first or the last: `i > 0`, `i >= 1`, `i < n -
    1`.
    """
    if isinstance(op, ast.Lt):
        return (
            isinstance(right, ast.BinOp) and isinstance(right.op, ast.Sub) and _is(right.right, 1)
        )
    return (isinstance(op, ast.Gt) and _is(right, 0)) or (isinstance(op, ast.GtE) and _is(right, 1))


def _is(node: ast.expr, number: int) -> bool:
    return isinstance(node, ast.Constant) and node.value == number


def missing_name(test: ast.expr) -> str:
    """Return what a test finds missing: `x` of `x is None` and of `not x`."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _attribute_asked_for(test.operand) or _text(test.operand)
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        (op,), (right,) = test.ops, test.comparators
        if isinstance(op, ast.NotIn):
            return f"{_text(right)}[{ast.unparse(test.left)}]"
        if isinstance(op, ast.Is) and isinstance(right, ast.Constant) and right.value is None:
            return _text(test.left)
    return ""


def _attribute_asked_for(node: ast.expr) -> str:
    """Return `x.y` of `hasattr(x, "y")`."""
    if not (isinstance(node, ast.Call) and _text(node.func) == "hasattr" and len(node.args) == 2):
        return ""
    held, name = node.args
    if isinstance(name, ast.Constant) and isinstance(name.value, str):
        return f"{_text(held)}.{name.value}"
    return ""


def _is_put_out(test: ast.expr, body: list[ast.stmt]) -> bool:
    """Return whether a body ends what lets it run: `if first: …; first = False`."""
    return isinstance(test, ast.Name) and any(
        isinstance(statement, ast.Assign)
        and isinstance(statement.value, ast.Constant)
        and not statement.value.value
        and any(_text(target) == test.id for target in statement.targets)
        for statement in body
    )


def _text(node: ast.expr) -> str:
    return ast.unparse(node) if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)) else ""


def _set_in(body: list[ast.stmt]) -> set[str]:
    assigned = (statement for statement in body if isinstance(statement, ast.Assign))
    return {_text(target) for assign in assigned for target in assign.targets} - {""}
