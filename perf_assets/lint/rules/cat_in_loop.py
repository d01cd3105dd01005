"""A tensor that grows by `torch.cat` in a loop, copied each time."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from perf_assets.lint.arguments import argument
from perf_assets.lint.findings import Related, Severity
from perf_assets.lint.loops import is_small
from perf_assets.lint.module import Hit, Module
from perf_assets.lint.rules.rule import BATCH_API, Rule
from perf_assets.lint.scopes import FUNCTIONS, LoopAt, Scope, names_in
from perf_assets.lint.training import LOOPS

CATS = frozenset(
    f"torch.{name}"
    for name in ("cat", "concat", "concatenate", "hstack", "vstack", "dstack", "row_stack")
)


def find(module: Module) -> Iterator[Hit]:
    """`x = torch.cat([x, y])` in a loop that is not small and needs `x` for nothing else.

    What the loop reads while it grows, as a decoder reads the words that it has written so far,
    cannot be joined afterwards.
    """
    for loop in module.loops:
        if not isinstance(loop.node, LOOPS) or not any(
            module.resolve(call.func, loop.scope) in CATS for call in loop.calls
        ):
            continue
        grown = [
            (node, target, cat)
            for node in _own(loop.node)
            if isinstance(node, ast.Assign)
            for target, cat in _growing(module, loop, node)
        ]
        if not grown or is_small(module, loop):
            continue
        kept = {
            target: cat
            for node, target, cat in grown
            if not _is_fresh(loop, node, target) and not _is_read(module, loop, node, target)
        }
        if kept:
            names = " and ".join(kept)
            first, *others = kept.values()
            yield Hit(
                first,
                Severity.NOTE,
                f"torch copies all of {names} in every iteration of the loop in line "
                f"{loop.node.lineno}, so that n iterations copy up to n times what they make: "
                "append the parts to a list, and join them once after the loop",
                tuple(Related(other.lineno, "grows here too") for other in others),
            )


def _own(loop: ast.AST) -> Iterator[ast.AST]:
    """Yield what a loop runs itself, without what inner loops and functions do."""
    for child in ast.iter_child_nodes(loop):
        yield child
        if not isinstance(child, (*LOOPS, *FUNCTIONS, ast.Lambda)):
            yield from _own(child)


def _growing(module: Module, loop: LoopAt, node: ast.Assign) -> Iterator[tuple[str, ast.Call]]:
    """Yield what an assignment lengthens, with the call that does."""
    for value in _ways(node.value):
        if module.resolve(value.func, loop.scope) in CATS:
            for target in node.targets:
                if (text := ast.unparse(target)) in _parts(value):
                    yield text, value


def _ways(value: ast.expr) -> list[ast.Call]:
    """Return the call that a value is, or those that it is under a condition."""
    either = [value.body, value.orelse] if isinstance(value, ast.IfExp) else [value]
    return [expression for expression in either if isinstance(expression, ast.Call)]


def _joined(call: ast.Call) -> list[ast.expr]:
    """Return what a call joins, where that is a list."""
    first = next(iter(argument(call, ("tensors",), 1)), None)
    return first.elts if isinstance(first, (ast.List, ast.Tuple)) else []


def _parts(call: ast.Call) -> set[str]:
    return {ast.unparse(expression) for expression in _joined(call)}


def _is_fresh(loop: LoopAt, cat: ast.Assign, target: str) -> bool:
    """Return whether each iteration begins with another tensor, or shortens it, so that none grows.

    A first value that is given under a condition (`if x is None`) is no other tensor.
    """
    base = target.partition(".")[0].partition("[")[0]
    names = names_in(ast.parse(target))
    is_part = not target.isidentifier()
    assert isinstance(loop.node, LOOPS)
    for node in ast.walk(loop.node):
        if isinstance(node, (ast.For, ast.AsyncFor)) and names_in(node.target) & names:
            return True
        if not isinstance(node, (ast.Assign, ast.AnnAssign)) or node is cat or node.value is None:
            continue
        for expression in node.targets if isinstance(node, ast.Assign) else [node.target]:
            written = ast.unparse(expression)
            if target in _cat_parts(node.value):
                continue
            if written != target and written == base:
                return True
            if is_part and names & _bound(expression):
                return True
            if written == target and (
                node in loop.node.body or target in _read_in(node.value) - _cat_parts(node.value)
            ):
                return True
    return False


def _bound(target: ast.expr) -> set[str]:
    names = (node for node in ast.walk(target) if isinstance(node, ast.Name))
    return {name.id for name in names if isinstance(name.ctx, ast.Store)}


def _cat_parts(value: ast.expr) -> set[str]:
    return {part for way in _ways(value) for part in _parts(way)}


def _read_in(node: ast.AST) -> set[str]:
    return {
        ast.unparse(item)
        for item in ast.walk(node)
        if isinstance(item, (ast.Name, ast.Attribute, ast.Subscript))
    }


def _is_read(module: Module, loop: LoopAt, cat: ast.Assign, target: str) -> bool:
    """Return whether the loop uses what grows, but to ask whether it is there, or to return it.

    Who is given what holds it (`save(samples)` of `samples["x"]`) uses it too.
    """
    held = re.split(r"[.\[]", target)[0]
    for reader in _readers(loop.node, cat, target):
        if target in _read_in(reader) or (isinstance(reader, ast.Name) and reader.id == held):
            return True
    owner, _, attribute = target.partition(".")
    return owner == loop.scope.itself and any(
        _reads_attribute(callee, attribute)
        for call in loop.calls
        if (callee := module.callee(call, loop.scope)) is not None
    )


def _readers(node: ast.AST, cat: ast.Assign, target: str) -> Iterator[ast.AST]:
    """Yield the smallest expressions that may read what grows."""
    if node is cat or (isinstance(node, ast.Assign) and target in _cat_parts(node.value)):
        assert isinstance(node, ast.Assign)
        for value in _ways(node.value):
            parts = _joined(value)
            yield from (part for part in parts if ast.unparse(part) != target)
            if sum(ast.unparse(part) == target for part in parts) > 1:
                yield value
        return
    if isinstance(node, ast.Return) or _asks_whether_it_is_there(node):
        return
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.Name, ast.Attribute, ast.Subscript)):
            if not isinstance(child.ctx, ast.Store) or ast.unparse(child) != target:
                yield child
        else:
            yield from _readers(child, cat, target)


def _asks_whether_it_is_there(node: ast.AST) -> bool:
    return isinstance(node, ast.Compare) and any(
        isinstance(comparator, ast.Constant) and comparator.value is None
        for comparator in node.comparators
    )


def _reads_attribute(scope: Scope, attribute: str) -> bool:
    return any(
        isinstance(node, ast.Attribute) and node.attr == attribute for node in ast.walk(scope.node)
    )


CAT_IN_LOOP = Rule(
    name="cat-in-loop",
    code="PA202",
    summary="torch.cat that grows a tensor in a loop",
    severity=Severity.NOTE,
    on=True,
    find=find,
    cause=BATCH_API,
    framework="torch",
)
