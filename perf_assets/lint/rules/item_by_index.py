"""Elements of a tensor that are read one by one."""

import ast
from collections.abc import Iterator

from perf_assets.lint.findings import Related, Severity
from perf_assets.lint.loops import is_small
from perf_assets.lint.module import Hit, Module
from perf_assets.lint.origins import OF_CPU
from perf_assets.lint.rules.rule import BATCH_API, Rule
from perf_assets.lint.scopes import LoopAt, Scope, names_in

OF_TENSORS = frozenset(
    (
        *("argmax", "argsort", "cpu", "detach", "flatten", "int", "long", "max", "mean", "min"),
        *("reshape", "sigmoid", "softmax", "sort", "squeeze", "sum", "to", "topk", "view"),
    )
)
"""Methods whose result is a tensor, where PyTorch is at work."""


def find(module: Module) -> Iterator[Hit]:
    """Yield `x[i].item()` by the index of a loop; a note where `x` may be no tensor."""
    if not module.imports("torch") or ".item()" not in module.text:
        return
    seen: set[ast.Call] = set()
    for loop in reversed(module.loops):  # inner ones first
        indices = _indices(loop)
        if not indices or is_small(module, loop):
            continue
        bound = _bound_in(loop)
        for call in loop.calls:
            match call:
                case ast.Call(
                    func=ast.Attribute(attr="item", value=ast.Subscript(value=held, slice=at)),
                    args=[],
                ) if call not in seen and names_in(at) & indices:
                    seen.add(call)
                    if names_in(held) & (bound | indices):
                        continue
                    severity = _severity(module, held, loop.scope)
                    if severity is not None:
                        yield _hit(call, held, loop, severity)


def _hit(call: ast.Call, held: ast.expr, loop: LoopAt, severity: Severity) -> Hit:
    text = ast.unparse(held)
    return Hit(
        call,
        severity,
        f"{ast.unparse(call)} reads one element of {text} in each iteration of the loop in line "
        f"{loop.node.lineno}, and waits for the device each time: call {text}.tolist() once before "
        "the loop",
        (Related(loop.node.lineno, "the loop"),),
    )


def _indices(loop: LoopAt) -> set[str]:
    """Return the names that count in a loop: of `range` and `enumerate`."""
    node = loop.node
    pairs = (
        [(one.target, one.iter) for one in node.generators]
        if not isinstance(node, ast.For | ast.AsyncFor | ast.While)
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
    stored = (
        node
        for node in ast.walk(loop.node)
        if isinstance(node, ast.Name | ast.Subscript) and isinstance(node.ctx, ast.Store)
    )
    return {
        node.id
        for one in stored
        if isinstance(node := one.value if isinstance(one, ast.Subscript) else one, ast.Name)
    }


def _severity(module: Module, held: ast.expr, scope: Scope) -> Severity | None:
    """Return a warning for a tensor, a note for what may be one, None for what is none."""
    if not isinstance(held, ast.Name):
        return Severity.NOTE
    found = scope.find(held.id)
    values = []
    for one in found[1] if found is not None else ():
        value = one.node.value if isinstance(one.node, ast.Assign) else one.value
        values.append(value if isinstance(value, ast.expr) else None)
    if any(isinstance(value, ast.List | ast.ListComp | ast.Dict | ast.Tuple) for value in values):
        return None
    is_tensor = False
    for value in values:
        if not isinstance(value, ast.Call):
            continue
        name = module.resolve(value.func, scope) or ""
        if OF_CPU.match(name) or name in ("list", "sorted"):
            return None
        method = value.func.attr if isinstance(value.func, ast.Attribute) else ""
        is_tensor |= name.startswith("torch.") or method in OF_TENSORS
    return Severity.WARNING if is_tensor else Severity.NOTE


ITEM_BY_INDEX = Rule(
    name="item-by-index",
    code="PA206",
    summary="elements of a tensor read one by one in a loop",
    severity=Severity.WARNING,
    on=True,
    find=find,
    cause=BATCH_API,
    framework="torch",
)
