"""Tests that let a part of a loop run once.

A test of a name that differs in each iteration (`i == 0`; `if i: … else: …`), and one of something
that is not set yet, before what sets it (`if x is None: x = …`).
"""

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
    match test:
        case ast.Name(id=name):
            return set(), {name}
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            body, orelse = _of_test(inner)
            return orelse, body
        case ast.BoolOp(op=ast.And(), values=values):
            return {name for value in values for name in _of_test(value)[0]}, set()
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return _of_comparison(left, op, right)
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
    match op, right:
        case (ast.Gt(), ast.Constant(value=0)) | (ast.GtE(), ast.Constant(value=1)):
            return True
        case ast.Lt(), ast.BinOp(op=ast.Sub(), right=ast.Constant(value=1)):
            return True
    return False


def missing_name(test: ast.expr) -> str:
    """Return what a test finds missing: `x` of `x is None` and of `not x`."""
    match test:
        case ast.UnaryOp(
            op=ast.Not(),
            operand=ast.Call(
                func=ast.Name(id="hasattr"), args=[held, ast.Constant(value=str() as name)]
            ),
        ):
            return f"{_text(held)}.{name}"
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            return _text(inner)
        case ast.Compare(left=left, ops=[ast.NotIn()], comparators=[right]):
            return f"{_text(right)}[{ast.unparse(left)}]"
        case ast.Compare(left=left, ops=[ast.Is()], comparators=[ast.Constant(value=None)]):
            return _text(left)
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
    return ast.unparse(node) if isinstance(node, ast.Name | ast.Attribute | ast.Subscript) else ""


def _set_in(body: list[ast.stmt]) -> set[str]:
    assigned = (statement for statement in body if isinstance(statement, ast.Assign))
    return {_text(target) for assign in assigned for target in assign.targets} - {""}
