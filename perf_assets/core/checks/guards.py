"""Tests that let a part of a loop run once."""

import ast
from collections.abc import Container


def first_only(node: ast.If, changing: Container[str]) -> bool:
    """Whether a test lets its body run once: `i == 0`, or `x is None` where the body sets `x`.

    Parameters
    ----------
    node
        The statement.
    changing
        The names that the loop binds.
    """
    test = node.test
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _text(test.operand) in _set_in(node.body)
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return False
    left, right = test.left, test.comparators[0]
    if isinstance(test.ops[0], ast.Is) and isinstance(right, ast.Constant) and right.value is None:
        return _text(left) in _set_in(node.body)
    constant, other = (right, left) if isinstance(right, ast.Constant) else (left, right)
    equal = isinstance(test.ops[0], ast.Eq) and isinstance(constant, ast.Constant)
    return equal and isinstance(other, ast.Name) and other.id in changing


def _text(node: ast.expr) -> str:
    return ast.unparse(node) if isinstance(node, ast.Name | ast.Attribute | ast.Subscript) else ""


def _set_in(body: list[ast.stmt]) -> set[str]:
    assigned = (one for one in body if isinstance(one, ast.Assign))
    return {_text(target) for one in assigned for target in one.targets} - {""}
