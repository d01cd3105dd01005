"""A `DataLoader` without workers (TOR401 of TorchFix), and gradients set to zero."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from perf_assets.lint.arguments import argument, unpacks
from perf_assets.lint.findings import Context, Severity
from perf_assets.lint.fixes import arguments_removed
from perf_assets.lint.module import Hit, Module
from perf_assets.lint.rules.rule import API_USAGE, Rule
from perf_assets.lint.scopes import Scope

LOADERS = frozenset(("torch.utils.data.DataLoader", "torch.utils.data.dataloader.DataLoader"))
DEEPEST = 4  # data sets of data sets
WORKERS = 6  # num_workers by position


def find_loaders(module: Module) -> Iterator[Hit]:
    """Loaders that load in the training process, but where somebody said so or all is in memory."""
    if module.context is Context.TEST:
        return
    for call, scope in module.calls:
        if (
            module.resolve(call.func, scope) not in LOADERS
            or unpacks(call)
            or argument(call, ("num_workers",), WORKERS)
        ):
            continue
        dataset = argument(call, ("dataset",), 1)
        if not any(_is_in_memory(module, expression, scope) for expression in dataset):
            yield Hit(
                call,
                Severity.NOTE,
                "this DataLoader reads and prepares every batch in the process that trains, so "
                "that the GPU waits for each: give the loader num_workers",
            )


def _made(node: ast.expr, scope: Scope) -> list[ast.expr]:
    """Return what a name was given, also as one of several; the expression itself where it is no
    name.
    """
    if not isinstance(node, ast.Name):
        return [node]
    found = scope.find(node.id)
    made = []
    for entry in found[1] if found is not None else ():
        value = entry.node.value if isinstance(entry.node, ast.Assign) else entry.value
        if isinstance(value, ast.expr) and not isinstance(value, ast.Name):
            made.append(value)
    return made


def _is_in_memory(module: Module, node: ast.expr, scope: Scope, depth: int = 0) -> bool:
    """Return whether a data set is made of tensors, a list, or other data in memory."""
    parts: list[ast.expr] = []
    if isinstance(node, (ast.Constant, ast.ListComp)):
        return True
    if isinstance(node, ast.Name):
        parts = _made(node, scope)
    elif isinstance(node, (ast.List, ast.Tuple)):
        parts = node.elts
    elif isinstance(node, ast.Call):
        name = (module.resolve(node.func, scope) or ast.unparse(node.func)).rpartition(".")[2]
        if name in ("TensorDataset", "list", "zip", "range"):
            return True
        parts = node.args[:1] if name in ("Subset", "random_split", "ConcatDataset") else []
    is_known = depth <= DEEPEST and bool(parts)
    return is_known and all(_is_in_memory(module, part, scope, depth + 1) for part in parts)


def find_zeroing(module: Module) -> Iterator[Hit]:
    """Yield calls of `zero_grad` that write zeros where None would do."""
    if not module.imports("torch"):
        return
    rest = module.text.replace(".grad_fn", "")
    for call, scope in module.calls:
        if isinstance(call.func, ast.Attribute) and call.func.attr == "zero_grad":
            given = argument(call, ("set_to_none",), 1)
            is_false = any(
                isinstance(expression, ast.Constant) and expression.value is False
                for expression in given
            )
            if is_false and not _uses_gradients(scope):
                yield Hit(
                    call,
                    Severity.WARNING,
                    "zero_grad(set_to_none=False) writes zeros into every gradient, and backward "
                    "reads them again to add to them: leave set_to_none out, which since PyTorch "
                    "2.0 drops the gradients",
                    edits=() if ".grad" in rest else arguments_removed(module.lines, call),
                )


def _uses_gradients(scope: Scope) -> bool:
    """Return whether a function, or the class around it, works with `.grad`, which None would
    break.
    """
    while scope.parent is not None and scope.parent.parent is not None:
        scope = scope.parent
    return any(
        isinstance(node, ast.Attribute) and node.attr == "grad" for node in ast.walk(scope.node)
    )


LOADER_WITHOUT_WORKERS = Rule(
    name="loader-without-workers",
    code="TOR401",
    summary="a torch DataLoader without num_workers",
    severity=Severity.NOTE,
    on=True,
    find=find_loaders,
    cause=API_USAGE,
    framework="torch",
)
ZERO_GRAD_TO_ZERO = Rule(
    name="zero-grad-to-zero",
    code="TOR402",
    summary="zero_grad(set_to_none=False)",
    severity=Severity.NOTE,
    on=True,
    find=find_zeroing,
    cause=API_USAGE,
    framework="torch",
)
