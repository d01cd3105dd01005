"""Elements of a tensor that are read one by one."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from perf_assets.lint.findings import Context, Related, Severity
from perf_assets.lint.loops import is_small
from perf_assets.lint.module import Hit, Module
from perf_assets.lint.origins import Origins
from perf_assets.lint.rules.rule import BATCH_API, Rule
from perf_assets.lint.scopes import LoopAt, names_in


def find(module: Module) -> Iterator[Hit]:
    """Yield `x[i].item()` by the index of a loop, where `x` may be on a device."""
    if module.context is Context.TEST or ".item()" not in module.text:
        return
    if not module.imports("torch"):
        return
    seen: set[ast.Call] = set()
    for loop in reversed(module.loops):  # inner ones first
        indices = _indices(loop)
        read = [
            (call, element)
            for call in (loop.calls if indices else ())
            if call not in seen
            and (element := _element_read(call)) is not None
            and names_in(element.slice) & indices
        ]
        if not read or is_small(module, loop):
            continue
        bound = _bound_in(loop)
        seen.update(call for call, _ in read)
        for call, element in read:
            held = element.value
            if not names_in(held) & (bound | indices) and _may_be_on_a_device(module, held, loop):
                yield _hit(call, held, loop)


def _element_read(call: ast.Call) -> ast.Subscript | None:
    """Return `x[i]` of `x[i].item()`."""
    func = call.func
    is_item = isinstance(func, ast.Attribute) and func.attr == "item" and not call.args
    held = func.value if is_item and isinstance(func, ast.Attribute) else None
    return held if isinstance(held, ast.Subscript) else None


def _hit(call: ast.Call, held: ast.expr, loop: LoopAt) -> Hit:
    text = ast.unparse(held)
    return Hit(
        call,
        Severity.NOTE,
        f"{ast.unparse(call)} reads one element of {text} in each iteration of the loop in line "
        f"{loop.node.lineno}, and on a GPU waits for it each time: call {text}.tolist() once "
        "before the loop",
        (Related(loop.node.lineno, "the loop"),),
    )


def _indices(loop: LoopAt) -> set[str]:
    """Return the names that count in a loop: of `range` and `enumerate`."""
    node = loop.node
    pairs = (
        [(one.target, one.iter) for one in node.generators]
        if not isinstance(node, (ast.For, ast.AsyncFor, ast.While))
        else [(node.target, node.iter)]
        if isinstance(node, ast.For)
        else []
    )
    found: set[str] = set()
    for target, over in pairs:
        name = ast.unparse(over.func) if isinstance(over, ast.Call) else ""
        if name in ("range", "trange") and isinstance(target, ast.Name):
            found.add(target.id)
        if name == "enumerate" and isinstance(target, ast.Tuple):
            found |= names_in(target.elts[0])
    return found


def _bound_in(loop: LoopAt) -> set[str]:
    """Return the names that get another value in each iteration, or another element."""
    found: set[str] = set()
    for node in ast.walk(loop.node):
        if isinstance(node, (ast.Name, ast.Subscript)) and isinstance(node.ctx, ast.Store):
            held = node.value if isinstance(node, ast.Subscript) else node
            found |= {held.id} if isinstance(held, ast.Name) else set()
    return found


def _may_be_on_a_device(module: Module, held: ast.expr, loop: LoopAt) -> bool:
    """Return whether what a loop reads may be a tensor on a device: not what is on the CPU by all
    that the file shows, and no list.
    """
    if isinstance(held, ast.Name):
        values = loop.scope.values(held.id)
        if any(isinstance(value, (ast.List, ast.ListComp, ast.Dict)) for value in values):
            return False
    data: set[str] = set()
    for around in module.loops:
        if around.scope is loop.scope and isinstance(around.node, ast.For):
            data |= names_in(around.node.target)
    node = loop.scope.node
    body = [] if isinstance(node, ast.Lambda) else node.body
    return not Origins(module, loop.scope, body, data).is_beside(held)


ITEM_BY_INDEX = Rule(
    name="item-by-index",
    code="PA206",
    summary="elements of a tensor read one by one in a loop",
    severity=Severity.NOTE,
    on=True,
    find=find,
    cause=BATCH_API,
    framework="torch",
)
