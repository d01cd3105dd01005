"""Loaders whose batches are copied to the device while Python waits."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from perf_assets.lint.arguments import argument, unpacks
from perf_assets.lint.devices import copies_at_once, moved
from perf_assets.lint.findings import Context, Related, Severity
from perf_assets.lint.module import Hit, Module
from perf_assets.lint.rules.rule import TRANSMISSION, Rule
from perf_assets.lint.rules.torch_loading import LOADERS
from perf_assets.lint.scopes import LoopAt, Scope, names_in

PINNED = 8  # pin_memory by position


def find(module: Module) -> Iterator[Hit]:
    """Loaders without `pin_memory` whose batches a loop copies without `non_blocking`."""
    if module.context is Context.TEST or not any(
        module.resolve(call.func, scope) in LOADERS for call, scope in module.calls
    ):
        return
    reported: set[ast.Call] = set()
    for loop in module.loops:
        if not isinstance(loop.node, ast.For):
            continue
        copied = _first_copy(loop.node)
        if copied is None:
            continue
        for loader in _loaders(module, loop.node.iter, loop):
            if loader in reported or _is_pinned(loader):
                continue
            reported.add(loader)
            yield Hit(
                loader,
                Severity.WARNING,
                "batches of this DataLoader are copied to the GPU from pageable memory in line "
                f"{copied.lineno}, and Python waits for each copy: give the loader "
                "pin_memory=True and the copies non_blocking=True, so that copying overlaps with "
                "computing",
                (Related(copied.lineno, "copied here"),),
            )


def _is_pinned(loader: ast.Call) -> bool:
    given = argument(loader, ("pin_memory", "pin_memory_device"), PINNED)
    return unpacks(loader) or bool(given)


def _first_copy(loop: ast.For) -> ast.Call | None:
    """Return the first call that copies what the loop goes over, and waits for it."""
    names = names_in(loop.target)
    for node in _in_order(loop.body):
        if isinstance(node, ast.Assign) and names_in(node.value) & names:
            names |= set().union(*map(names_in, node.targets))
        if isinstance(node, (ast.For, ast.comprehension)) and names_in(node.iter) & names:
            names |= names_in(node.target)
        held = moved(node) if isinstance(node, ast.Call) and copies_at_once(node) else None
        if held is not None and _root(held) in names:
            assert isinstance(node, ast.Call)
            return node
    return None


def _in_order(body: list[ast.stmt]) -> Iterator[ast.AST]:
    """Yield all nodes, a comprehension's source before its element."""
    stack: list[ast.AST] = list(reversed(body))
    while stack:
        node = stack.pop()
        yield node
        children = list(ast.iter_child_nodes(node))
        first = [child for child in children if isinstance(child, ast.comprehension)]
        stack += reversed([*first, *(child for child in children if child not in first)])


def _root(node: ast.expr) -> str | None:
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else None


def _loaders(module: Module, iterated: ast.expr, loop: LoopAt) -> Iterator[ast.Call]:
    """Yield the calls that made what a loop goes over, itself or through `enumerate`, `tqdm`,
    `zip`.
    """
    for node in ast.walk(iterated):
        if isinstance(node, (ast.Name, ast.Attribute, ast.Call)):
            yield from _made(module, node, loop.scope)


def _made(
    module: Module, node: ast.expr, scope: Scope, *, through: bool = True
) -> Iterator[ast.Call]:
    if isinstance(node, ast.Call):
        if module.resolve(node.func, scope) in LOADERS:
            yield node
        return
    if isinstance(node, ast.Attribute):
        owner = module.class_of(node.value, scope)
        for where, value in owner.attributes.get(node.attr, []) if owner is not None else ():
            if value is not None:
                yield from _made(module, value, where, through=False)
        return
    found = scope.find(node.id) if isinstance(node, ast.Name) else None
    for binding in found[1] if found is not None else ():
        assert found is not None and isinstance(node, ast.Name)
        if isinstance(binding.value, ast.Call):
            yield from _made(module, binding.value, found[0])
        elif binding.kind == "parameter" and through:
            yield from _given(module, found[0], node.id)


def _given(module: Module, function: Scope, parameter: str) -> Iterator[ast.Call]:
    """Yield what the calls of a function in its module give for a parameter."""
    names = function.parameters[1:] if function.itself is not None else function.parameters
    at = names.index(parameter) + 1 if parameter in names else len(names) + 1
    for call, scope in module.calls:
        if module.callee(call, scope) is function:
            for one in argument(call, (parameter,), at):
                if isinstance(one, (ast.Name, ast.Attribute, ast.Call)):
                    yield from _made(module, one, scope, through=False)


UNPINNED_LOADER = Rule(
    name="unpinned-loader",
    code="PA205",
    summary="a torch DataLoader without pin_memory whose batches are copied to a device",
    severity=Severity.WARNING,
    on=True,
    find=find,
    cause=TRANSMISSION,
    framework="torch",
)
