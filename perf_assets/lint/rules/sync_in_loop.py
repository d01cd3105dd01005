"""What makes a training loop of PyTorch wait for the device in every step."""

import ast
from collections.abc import Iterator

from perf_assets.lint.findings import Severity
from perf_assets.lint.module import Hit, Module
from perf_assets.lint.rules.rule import Rule
from perf_assets.lint.scopes import LoopAt


def find(module: Module) -> Iterator[Hit]:
    """`.item()`, `.cpu()` and `print` of a tensor in every step of a loop that calls `backward`."""
    if not module.imports("torch"):
        return
    reported: set[ast.Call] = set()
    for loop in module.loops:
        tensors = {base for call in loop.calls if (base := _backward(call)) is not None}
        if not tensors or _has_inner(module, loop):
            continue
        rare = _under_modulo(loop)
        for call in loop.calls:
            what = _waits(call, tensors)
            if what is not None and call not in rare and call not in reported:
                reported.add(call)
                yield Hit(
                    call,
                    Severity.WARNING,
                    f"{what} waits for the device in every step of the loop in line "
                    f"{loop.node.lineno}: keep the tensor (detached), and read it every so many "
                    "steps or after the loop",
                )


def _backward(call: ast.Call) -> str | None:
    func = call.func
    return (
        ast.unparse(func.value)
        if isinstance(func, ast.Attribute) and func.attr == "backward"
        else None
    )


def _has_inner(module: Module, loop: LoopAt) -> bool:
    """Whether a loop within this one is the one that trains: then it is looked at itself."""
    inner = set(ast.walk(loop.node)) - {loop.node}
    return any(
        other.node in inner and any(_backward(call) is not None for call in other.calls)
        for other in module.loops
    )


def _waits(call: ast.Call, tensors: set[str]) -> str | None:
    func = call.func
    if isinstance(func, ast.Attribute) and func.attr in ("item", "cpu") and not call.args:
        return f".{func.attr}()"
    if isinstance(func, ast.Name) and func.id == "print":
        shown = {ast.unparse(one) for given in call.args for one in _shown(given)}
        if shown & tensors:
            return "print of a tensor"
    return None


def _shown(node: ast.expr) -> Iterator[ast.expr]:
    """What is printed as it is: not what was read from the device before."""
    if isinstance(node, ast.Call) and not (
        isinstance(node.func, ast.Attribute) and node.func.attr == "format"
    ):
        return
    yield node
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            yield from _shown(child)


def _under_modulo(loop: LoopAt) -> set[ast.AST]:
    """What runs only every so many steps."""
    return {
        inner
        for node in ast.walk(loop.node)
        if isinstance(node, ast.If) and any(isinstance(one, ast.Mod) for one in ast.walk(node.test))
        for part in node.body
        for inner in ast.walk(part)
    }


SYNC_IN_LOOP = Rule(
    name="sync-in-loop",
    code="PA201",
    summary=".item(), .cpu() or print of a tensor in every step of a training loop",
    severity=Severity.WARNING,
    on=False,
    find=find,
    framework="torch",
)
