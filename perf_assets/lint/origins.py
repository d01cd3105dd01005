"""Values of a PyTorch program on the CPU, or other than tensors: reading them waits for nothing."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from functools import cached_property

from perf_assets.lint.module import Module
from perf_assets.lint.scopes import Binding, Scope, name_called, names_in

DEEPEST = 6  # values of values
ON_CPU = frozenset(("cpu", "numpy", "tolist", "item"))
"""Methods whose result is on the CPU, or a number."""

OF_CPU = re.compile(r"(?:numpy|math|random|time|os|json|queue|multiprocessing|PIL|cv2)\.")
BUILT_IN = frozenset(
    ("abs", "float", "int", "bool", "len", "max", "min", "range", "round", "str", "sum", "sorted")
)
FACTORIES = frozenset(
    f"torch.{name}"
    for name in (
        *("arange", "as_tensor", "empty", "eye", "from_numpy", "full", "linspace", "ones"),
        *("rand", "randint", "randn", "randperm", "tensor", "zeros"),
    )
)
ELSEWHERE = re.compile(r"set_default_device|set_default_tensor_type|with torch\.device")
"""Texts of programs that make tensors on another device without saying so at each."""

PREPARED = re.compile(
    r"\.prepare\(|setup_dataloaders|prepare_data_loader|prefetch|DeviceLoader|dali", re.IGNORECASE
)
"""Texts of programs whose data come on the device."""

TO_DEVICE = re.compile(r"device|cuda|gpu|\.to\(", re.IGNORECASE)
CLASS = re.compile(r"(?:^|\.)_?[A-Z]\w{0,60}[a-z]\w{0,60}$")
NO_TENSOR = re.compile(r"queue|menu|cursor|widget", re.IGNORECASE)


class Origins:
    """Follows values of one piece of code back to what they were made of.

    Parameters
    ----------
    module, scope
        Where it stands.
    body
        The code, in which what comes from the data may be moved.
    data
        The names that get the data, on the CPU until they are moved.
    """

    def __init__(
        self, module: Module, scope: Scope, body: Iterable[ast.stmt], data: Iterable[str]
    ) -> None:
        """Note where it stands; all else is looked up when it is asked for."""
        self.module, self.scope, self.body = module, scope, body
        self.data = frozenset() if PREPARED.search(module.text) else frozenset(data)

    @cached_property
    def statements(self) -> list[ast.Assign | ast.Expr]:
        """The statements that may give names other values, or move what they hold."""
        return [
            node
            for part in self.body
            for node in ast.walk(part)
            if isinstance(node, (ast.Assign, ast.Expr))
        ]

    def is_beside(self, node: ast.expr, depth: int = 0) -> bool:
        """Return whether an expression is for certain on the CPU, or no tensor."""
        if depth > DEEPEST:
            return False
        if isinstance(node, ast.Name):
            return self._is_name_beside(node, depth)
        if isinstance(node, ast.Call):
            return self._is_call_beside(node, depth)
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) in ("self", "cls"):
            return NO_TENSOR.search(node.attr) is not None
        parts = _parts(node)
        return parts is not None and all(self.is_beside(part, depth + 1) for part in parts)

    def _is_name_beside(self, node: ast.Name, depth: int) -> bool:
        if NO_TENSOR.search(node.id):
            return True
        found = self.scope.find(node.id)
        if found is None:
            return False
        if node.id in self.data:
            before = [
                one
                for one in self.statements
                if one.lineno < node.lineno and self._moves(one, node.id)
            ]
            return not before or (
                isinstance(before[-1], ast.Assign) and self.is_beside(before[-1].value, depth + 1)
            )
        return all(self._is_bound_beside(one, depth) for one in found[1])

    def _moves(self, statement: ast.Assign | ast.Expr, name: str) -> bool:
        """Return whether a statement gives a name another value, or moves what it holds."""
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        if any(isinstance(one, ast.Name) and one.id == name for one in targets):
            return True
        is_within = any(name in names_in(target) for target in targets) or not targets
        return (
            is_within
            and name in names_in(statement)
            and TO_DEVICE.search(ast.unparse(statement)) is not None
        )

    def _is_bound_beside(self, binding: Binding, depth: int) -> bool:
        value = binding.value
        if value is None and isinstance(binding.node, (ast.Assign, ast.AugAssign)):
            value = binding.node.value
        return isinstance(value, ast.expr) and self.is_beside(value, depth + 1)

    def _is_call_beside(self, node: ast.Call, depth: int) -> bool:
        func = node.func
        name = self.module.resolve(func, self.scope) or ""
        short = name_called(node)
        if OF_CPU.match(name) or short in (ON_CPU if isinstance(func, ast.Attribute) else BUILT_IN):
            return True
        if name in FACTORIES:
            has_device = any(word.arg in ("device", None) for word in node.keywords)
            return not has_device and not ELSEWHERE.search(self.module.text)
        if short == "next":
            return not PREPARED.search(self.module.text) and "loader" in ast.unparse(node)
        parts = [*node.args, *(word.value for word in node.keywords)]
        if CLASS.search(short):  # an object is no tensor; what it holds may be one
            is_known = depth <= 1
        elif name.startswith("torch."):
            is_known = bool(parts)
        elif isinstance(func, ast.Attribute):
            given = ast.unparse(node).rpartition("(")[2]
            is_type = short == "to" and given.startswith(("torch.", "'cpu'"))
            is_known = is_type or short not in ("to", "cuda", "get")
            parts = [func.value]
        else:
            is_known = False
        return is_known and all(self.is_beside(part, depth + 1) for part in parts)


def _parts(node: ast.expr) -> list[ast.expr] | None:
    """Return what an expression is made of; None where that is not known."""
    found: list[ast.expr] | None = None
    if isinstance(node, ast.Constant):
        found = []
    elif isinstance(node, (ast.Attribute, ast.Subscript, ast.Starred)):
        found = [node.value]
    elif isinstance(node, ast.BinOp):
        found = [node.left, node.right]
    elif isinstance(node, ast.IfExp):
        found = [node.body, node.orelse]
    elif isinstance(node, ast.Compare):
        found = [node.left, *node.comparators]
    elif isinstance(node, ast.UnaryOp):
        found = [node.operand]
    elif isinstance(node, (ast.Tuple, ast.List)):
        found = node.elts
    return found
