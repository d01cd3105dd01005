"""Loaders whose batches are copied to the device while Python waits, wholly or in part."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from perf_assets.lint.arguments import argument, unpacks
from perf_assets.lint.devices import copies_at_once, moved
from perf_assets.lint.findings import Context, Related, Severity
from perf_assets.lint.module import Hit, Module
from perf_assets.lint.rules.rule import TRANSMISSION, Rule
from perf_assets.lint.rules.torch_loading import LOADERS
from perf_assets.lint.scopes import LoopAt, Scope, name_called, names_in

PINNED = 8  # pin_memory by position
PREPARING = frozenset(("prepare", "prepare_data_loader", "setup_dataloaders"))


def find(module: Module) -> Iterator[Hit]:
    """Loaders without `pin_memory` whose batches a loop copies without `non_blocking`."""
    for loader, copied in module.once(_copied):
        if copies_at_once(copied) and not _is_pinned(loader):
            yield Hit(
                loader,
                Severity.WARNING,
                "batches of this DataLoader are copied to the GPU from pageable memory in line "
                f"{copied.lineno}, and Python waits for each copy: give the loader "
                "pin_memory=True and the copies non_blocking=True, so that copying overlaps with "
                "computing",
                (Related(copied.lineno, "copied here"),),
            )


def find_half(module: Module) -> Iterator[Hit]:
    """Loaders with one of `pin_memory` and `non_blocking`, which do little without each other."""
    for loader, copied in module.once(_copied):
        is_pinned = _pinning(loader)
        if unpacks(loader) or is_pinned is None or is_pinned != copies_at_once(copied):
            continue
        lacks = (
            "is pinned, but Python waits for each copy: give the copies non_blocking=True"
            if is_pinned
            else "is not pinned, so that non_blocking changes nothing: give the loader "
            "pin_memory=True"
        )
        yield Hit(
            loader,
            Severity.NOTE,
            "what this DataLoader reads, and what is copied to the GPU in line "
            f"{copied.lineno}, {lacks}",
            (Related(copied.lineno, "copied here"),),
        )


def _copied(module: Module) -> list[tuple[ast.Call, ast.Call]]:
    """Return the loaders whose batches a loop copies to a device, each with its first copy."""
    if module.context is Context.TEST or not any(
        module.resolve(call.func, scope) in LOADERS for call, scope in module.calls
    ):
        return []
    found: dict[ast.Call, ast.Call] = {}
    for loop in module.loops:
        if isinstance(loop.node, ast.For):
            copied = _first_copy(loop.node, loop.scope)
            if copied is not None:
                for loader in _loaders(module, loop.node.iter, loop):
                    found.setdefault(loader, copied)
    return list(found.items())


def _is_pinned(loader: ast.Call) -> bool:
    given = argument(loader, ("pin_memory", "pin_memory_device"), PINNED)
    return unpacks(loader) or bool(given)


def _pinning(loader: ast.Call) -> bool | None:
    """Return whether a loader pins; None where that is decided elsewhere."""
    given = argument(loader, ("pin_memory",), PINNED)
    if not given:
        return False
    value = given[0].value if isinstance(given[0], ast.Constant) else None
    return value if isinstance(value, bool) else None


def _first_copy(loop: ast.For, scope: Scope) -> ast.Call | None:
    """Return the first call that copies what the loop goes over, before others one that waits."""
    names = names_in(loop.target)
    first: ast.Call | None = None
    for node in _in_order(loop.body):
        if isinstance(node, ast.Assign) and names_in(node.value) & names:
            names |= set().union(*map(names_in, node.targets))
        if isinstance(node, (ast.For, ast.comprehension)) and names_in(node.iter) & names:
            names |= names_in(node.target)
        held = moved(node, scope) if isinstance(node, ast.Call) else None
        if held is not None and _root(held) in names:
            assert isinstance(node, ast.Call)
            if copies_at_once(node):
                return node
            first = first or node
    return first


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
    if found is not None and any(_is_prepared(binding.node) for binding in found[1]):
        return
    for binding in found[1] if found is not None else ():
        assert found is not None and isinstance(node, ast.Name)
        if isinstance(binding.value, ast.Call):
            yield from _made(module, binding.value, found[0])
        elif binding.kind == "parameter" and through:
            yield from _given(module, found[0], node.id)


def _is_prepared(node: ast.AST) -> bool:
    """Return whether a library took a loader over, whose batches are on the device: then a copy
    does nothing.
    """
    value = node.value if isinstance(node, ast.Assign) else None
    return isinstance(value, ast.Call) and name_called(value) in PREPARING


def _given(module: Module, function: Scope, parameter: str) -> Iterator[ast.Call]:
    """Yield what the calls of a function in its module give for a parameter."""
    names = function.own_parameters
    at = names.index(parameter) + 1 if parameter in names else len(names) + 1
    for call, scope in module.calls:
        if module.callee(call, scope) is function:
            for one in argument(call, (parameter,), at):
                if isinstance(one, (ast.Name, ast.Attribute, ast.Call)):
                    yield from _made(module, one, scope, through=False)


HALF_PINNED_LOADER = Rule(
    name="half-pinned-loader",
    code="PA209",
    summary="pin_memory without non_blocking, or non_blocking without pin_memory",
    severity=Severity.NOTE,
    on=True,
    find=find_half,
    cause=TRANSMISSION,
    framework="torch",
)
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
