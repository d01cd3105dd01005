"""Evaluation that runs a model and records what only training needs."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from perf_assets.lint.findings import Context, Related, Severity
from perf_assets.lint.module import Hit, Module
from perf_assets.lint.rules.rule import API_USAGE, Rule
from perf_assets.lint.scopes import FUNCTIONS, Scope, decorators

OFF = re.compile(r"no_grad|inference_mode|set_grad_enabled|grad_mode|nograd|volatile")
NEEDS_GRADIENTS = re.compile(r"backward|grad(?!_norm)|attack|saliency|adversar|trace")
"""Words of a function that wants gradients although it evaluates, or that traces a model."""

WITHOUT = re.compile(r"(?:on_)?(?:validation|test|predict)_(?:\w{1,30}_)?(?:step|start|end)$")
"""Methods that Lightning calls without recording gradients."""

RUNNING = frozenset(("forward", "module", "predict", "sample"))
"""Methods that run a model; `generate` of Hugging Face's models records nothing."""


def find(module: Module) -> Iterator[Hit]:
    """Yield the first call of a model behind its `eval()` in a function, outside
    `torch.no_grad()`.
    """
    if module.context is Context.TEST or ".eval()" not in module.text:
        return
    if not module.imports("torch") or _is_off_for_all(module):
        return
    for scope in (module.scope, *module.functions.values()):
        if isinstance(scope.node, ast.Lambda) or scope.name == "forward":
            continue
        found = _first_run(scope)
        if found is None or _is_off(scope) or _wants_gradients(scope):
            continue
        if scope.owner is not None and WITHOUT.match(scope.name):
            continue
        if isinstance(scope.node, FUNCTIONS) and _is_called_without(module, scope):
            continue
        model, at, run = found
        yield Hit(
            run,
            Severity.WARNING,
            f"{model} is in eval mode and runs without torch.no_grad(), so that autograd keeps "
            "every activation for a backward pass that never comes: memory and time for nothing; "
            "put it under with torch.inference_mode() or torch.no_grad()",
            (Related(at.lineno, "set to eval mode here"),),
        )


def _first_run(scope: Scope) -> tuple[str, ast.Call, ast.Call] | None:
    """Return a model, where it is set to eval mode, and where it runs after that with gradients.

    A model that runs without them in another place of the function needs them here.
    """
    modes: dict[str, ast.Call] = {}
    found: dict[str, tuple[str, ast.Call, ast.Call]] = {}
    off = set()
    for call, is_off in _calls(scope.node.body, is_off=False):  # type: ignore[arg-type]
        func = call.func
        if isinstance(func, ast.Attribute) and not call.args and not call.keywords:
            text = ast.unparse(func.value)
            if func.attr == "eval":
                modes.setdefault(text, call)
            elif func.attr == "train":
                modes.pop(text, None)
        name = ast.unparse(func)
        ran = name if name in modes else ""
        if isinstance(func, ast.Attribute) and func.attr in RUNNING and not ran:
            ran = ast.unparse(func.value) if ast.unparse(func.value) in modes else ""
        if ran and is_off:
            off.add(ran)
        elif ran and (call.args or call.keywords):
            found.setdefault(ran, (ran, modes[ran], call))
    return next((run for model, run in found.items() if model not in off), None)


def _calls(body: list[ast.stmt], *, is_off: bool) -> Iterator[tuple[ast.Call, bool]]:
    """Yield the calls of a body in the order of the source, and whether no gradients are
    recorded.
    """
    for statement in body:
        yield from _calls_of(statement, is_off)


def _calls_of(node: ast.AST, is_off: bool) -> Iterator[tuple[ast.Call, bool]]:
    if isinstance(node, (*FUNCTIONS, ast.ClassDef, ast.Lambda)):
        return
    if isinstance(node, ast.With):
        off = is_off or any(OFF.search(ast.unparse(item.context_expr)) for item in node.items)
        yield from _calls(node.body, is_off=off)
        return
    for child in ast.iter_child_nodes(node):
        yield from _calls_of(child, is_off)
    if isinstance(node, ast.Call):
        yield node, is_off


def _is_off(scope: Scope) -> bool:
    """Return whether a decorator, a call for good, or its input turns gradients off in a
    function.
    """
    if any(OFF.search(ast.unparse(decorator)) for decorator in decorators(scope)):
        return True
    return any(
        (isinstance(node, ast.keyword) and node.arg == "volatile")
        or (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Call)
            and OFF.search(ast.unparse(node.value.func))
        )
        for node in ast.walk(scope.node)
    )


def _is_off_for_all(module: Module) -> bool:
    """Return whether a program turns gradients off for good."""
    text = module.text
    if "set_grad_enabled(False)" not in text or "set_grad_enabled(True)" in text:
        return False
    return any(
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Call)
        and ast.unparse(node.value).endswith("set_grad_enabled(False)")
        for node in ast.walk(module.tree)
    )


def _wants_gradients(scope: Scope) -> bool:
    names = (
        node.attr
        if isinstance(node, ast.Attribute)
        else getattr(node, "id", getattr(node, "arg", ""))
        for node in ast.walk(scope.node)
        if isinstance(node, (ast.Attribute, ast.Name, ast.keyword, ast.arg))
    )
    return any(name and NEEDS_GRADIENTS.search(name) and not OFF.search(name) for name in names)


def _is_called_without(module: Module, scope: Scope) -> bool:
    """Return whether every call of a function in its module stands where no gradients are
    recorded.
    """
    called = module.once(_called_off).get(scope)
    return called is not None and all(called)


def _called_off(module: Module) -> dict[Scope, list[bool]]:
    found: dict[Scope, list[bool]] = {}
    for scope in (module.scope, *module.functions.values()):
        if isinstance(scope.node, ast.Lambda):
            continue
        off = _is_off(scope)
        for call, is_off in _calls(scope.node.body, is_off=off):
            callee = module.callee(call, scope)
            if callee is not None:
                found.setdefault(callee, []).append(is_off)
    return found


MODEL_WITH_GRADIENTS = Rule(
    name="model-with-gradients",
    code="PA204",
    summary="a torch model evaluated without no_grad or inference_mode",
    severity=Severity.WARNING,
    on=True,
    find=find,
    cause=API_USAGE,
    framework="torch",
)
