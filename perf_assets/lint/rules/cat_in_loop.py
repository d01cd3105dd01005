"""A tensor that grows by `torch.cat` in a loop, copied each time."""

import ast
from collections.abc import Iterator

from perf_assets.lint.arguments import argument
from perf_assets.lint.findings import Severity
from perf_assets.lint.loops import is_small
from perf_assets.lint.module import Hit, Module
from perf_assets.lint.rules.rule import Rule
from perf_assets.lint.scopes import LoopAt

CATS = frozenset(
    f"torch.{name}"
    for name in ("cat", "concat", "concatenate", "hstack", "vstack", "dstack", "row_stack")
)


def find(module: Module) -> Iterator[Hit]:
    """`x = torch.cat([x, y])` in a loop that is not small."""
    reported: set[ast.Call] = set()
    for loop in module.loops:
        if not any(
            module.resolve(call.func, loop.scope) in CATS for call in loop.calls
        ) or is_small(module, loop):
            continue
        for node in ast.walk(loop.node):
            if (
                not isinstance(node, ast.Assign)
                or not isinstance(node.value, ast.Call)
                or node.value in reported
            ):
                continue
            targets = {ast.unparse(one) for one in node.targets if not _of_each(loop, one)}
            targets -= _made_otherwise(loop, node)
            if module.resolve(node.value.func, loop.scope) in CATS and targets & _parts(node.value):
                reported.add(node.value)
                yield Hit(
                    node.value,
                    Severity.WARNING,
                    f"torch copies all of {min(targets)} in every iteration of the loop in line "
                    f"{loop.node.lineno}: collect the parts in a list and join "
                    "them once after the loop",
                )


def _of_each(loop: LoopAt, target: ast.expr) -> bool:
    """Whether each iteration has a target of its own: `one.x`, `x[i]` in a loop over `one`, `i`."""
    made = {
        one.id
        for node in ast.walk(loop.node)
        if isinstance(node, ast.For | ast.AsyncFor | ast.comprehension)
        for one in ast.walk(node.target)
        if isinstance(one, ast.Name)
    }
    return any(isinstance(one, ast.Name) and one.id in made for one in ast.walk(target))


def _made_otherwise(loop: LoopAt, cat: ast.Assign) -> set[str]:
    """What the loop assigns in another way too, so that it does not grow."""
    return {
        ast.unparse(target)
        for node in ast.walk(loop.node)
        if isinstance(node, ast.Assign) and node is not cat
        for target in node.targets
        if not _grows(node, target) and ast.unparse(target) in _named(node.value)
    }


def _named(node: ast.expr) -> set[str]:
    return {ast.unparse(one) for one in ast.walk(node) if isinstance(one, ast.Name | ast.Attribute)}


def _grows(node: ast.Assign, target: ast.expr) -> bool:
    return isinstance(node.value, ast.Call) and ast.unparse(target) in _parts(node.value)


def _parts(call: ast.Call) -> set[str]:
    first = next(iter(argument(call, ("tensors",), 1)), None)
    return (
        {ast.unparse(one) for one in first.elts}
        if isinstance(first, ast.List | ast.Tuple)
        else set()
    )


CAT_IN_LOOP = Rule(
    name="cat-in-loop",
    code="PA202",
    summary="torch.cat that grows a tensor in a loop",
    severity=Severity.WARNING,
    on=False,
    find=find,
    framework="torch",
)
