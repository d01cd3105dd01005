"""Tensors of a step that are as new as its gradients: losses, and what is made of them."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from perf_assets.lint.scopes import name_called
from perf_assets.lint.training import Step

READING = frozenset(("item", "cpu", "tolist"))
ORDER = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
LIKENESS = frozenset(
    (
        *("shape", "size", "dim", "dtype", "device", "requires_grad", "ndim", "numel", "nelement"),
        *("get_device", "type", "is_cuda", "is_contiguous", "is_floating_point", "is_sparse"),
    )
)
NORM = "clip_grad_norm"
"""Functions that return the norm of all gradients, which is as new as they are."""


def tensors_of(step: Step, losses: Iterable[str]) -> set[str]:
    """Return the losses of a step, what came with them from one call, and what is computed from
    them.
    """
    found = set(losses)
    assigned = [one for part in step.body for one in ast.walk(part) if isinstance(one, ast.Assign)]
    for node in assigned:
        for target in node.targets:
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Call):
                names = {ast.unparse(elt) for elt in target.elts}
                if names & found:
                    found |= {name for name in names if "loss" in name}
    for node in assigned:
        if is_tensor(node.value, found):
            found |= {ast.unparse(one) for one in node.targets if isinstance(one, ast.Name)}
    return found


def is_tensor(node: ast.expr, tensors: set[str]) -> bool:
    """Return whether an expression is made of some tensors, which are named."""
    parts: list[ast.expr] = []
    if isinstance(node, ast.Name):
        return node.id in tensors
    if isinstance(node, ast.Attribute) and node.attr not in LIKENESS:
        if ast.unparse(node) in tensors:
            return True
        parts = [node.value] if node.attr in ("data", "grad") else []
    elif isinstance(node, ast.BinOp):
        parts = [node.left, node.right]
    elif isinstance(node, ast.Compare):
        parts = _compared(node)
    elif isinstance(node, ast.UnaryOp):
        parts = [node.operand]
    elif isinstance(node, (ast.Subscript, ast.Starred)):
        parts = [node.value]
    elif isinstance(node, (ast.Tuple, ast.List, ast.Dict)):
        parts = node.values if isinstance(node, ast.Dict) else node.elts
    elif isinstance(node, ast.Call):
        name = name_called(node)
        if name.startswith(NORM):
            return True
        held = node.func.value if isinstance(node.func, ast.Attribute) else None
        if isinstance(held, ast.Name) and held.id == "torch":
            parts = [] if name.startswith("is_") else node.args
        elif held is not None and name not in READING | LIKENESS | {"numpy"}:
            parts = [held]
    return any(is_tensor(part, tensors) for part in parts)


def _compared(node: ast.expr) -> list[ast.expr]:
    """Return both sides of a comparison of order; nothing for another expression."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], ORDER):
        return [node.left, *node.comparators]
    return []
