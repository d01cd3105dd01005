"""Training loops of PyTorch: which loops train, in which code, and what in it runs seldom."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from perf_assets.lint.module import Module
from perf_assets.lint.scopes import FUNCTIONS, LoopAt, Scope

SELDOM = re.compile(r"%|every|interval|freq|period|should_|is_last|last_(?:batch|step|iter)")
"""Words of a test that holds every so many steps."""

LOOPS = (ast.For, ast.AsyncFor, ast.While)


@dataclass(frozen=True)
class Step:
    """The code of one step of a training loop: of the loop itself, or of a function it runs.

    Attributes
    ----------
    loop
        The innermost loop that trains.
    body
        What each step runs.
    scope
        The function it stands in.
    inner
        The loops within it that train themselves, which are steps of their own.
    losses
        What `backward` is called on, as text.
    """

    loop: LoopAt
    body: list[ast.stmt]
    scope: Scope
    inner: frozenset[ast.AST]
    losses: frozenset[str]


def steps(module: Module) -> list[Step]:
    """Return the code of the steps of every loop that calls `backward`, itself or through a
    function.

    A function counts that the loop defines or calls, or gives to an optimizer, and that calls
    `backward` outside any loop of its own.
    """
    return module.once(_steps)


def backward(call: ast.Call) -> frozenset[str] | None:
    """Return what `backward` is called on, as text: the loss, without what scales it."""
    func = call.func
    if not isinstance(func, ast.Attribute) or func.attr not in ("backward", "manual_backward"):
        return None
    losses = [func.value, *call.args[:1]]
    names = (node for loss in losses for node in ast.walk(_undivided(loss)))
    return frozenset(
        ast.unparse(name) for name in names if isinstance(name, (ast.Name, ast.Attribute))
    )


def _undivided(loss: ast.expr) -> ast.expr:
    """Return a loss without the number of parts that it is divided by."""
    while isinstance(loss, ast.BinOp) and isinstance(loss.op, (ast.Div, ast.FloorDiv)):
        loss = loss.left
    return loss


def is_seldom(test: ast.expr, scope: Scope, counters: frozenset[str]) -> bool:
    """Return whether a test holds every so many steps alone: a remainder, or a counter's one
    value.
    """
    if SELDOM.search(ast.unparse(test)):
        return True
    for node in ast.walk(test):
        if isinstance(node, ast.Compare) and any(isinstance(op, ast.Eq) for op in node.ops):
            sides = {
                comparator.id
                for comparator in (node.left, *node.comparators)
                if isinstance(comparator, ast.Name)
            }
            if sides & counters:
                return True
        if isinstance(node, ast.Name) and any(
            isinstance(part, ast.BinOp) and isinstance(part.op, ast.Mod)
            for value in scope.values(node.id)
            if isinstance(value, (ast.Compare, ast.BoolOp, ast.UnaryOp))
            for part in ast.walk(value)
        ):
            return True
    return False


def _steps(module: Module) -> list[Step]:
    if "backward" not in module.text:
        return []
    losses = _of_functions(module)
    training: dict[ast.AST, tuple[LoopAt, frozenset[str], list[Scope]]] = {}
    for loop in reversed(module.loops):  # inner ones before those around them
        if not isinstance(loop.node, LOOPS):
            continue
        inside = set(ast.walk(loop.node))
        taken = {part for inner in training if inner in inside for part in ast.walk(inner)}
        calls = [call for call in loop.calls if call not in taken]
        functions = list(_functions(module, loop, calls, taken, losses))
        found = [base for call in calls if (base := backward(call)) is not None]
        found += [losses[function] for function in functions]
        if found:
            training[loop.node] = (loop, frozenset().union(*found), functions)
    nodes = frozenset(training)
    made = []
    for loop, bases, functions in reversed(training.values()):
        assert isinstance(loop.node, LOOPS)
        made.append(Step(loop, loop.node.body, loop.scope, nodes - {loop.node}, bases))
        made += [
            Step(loop, function.node.body, function, nodes, losses[function])
            for function in functions
            if isinstance(function.node, FUNCTIONS)
        ]
    return made


def _of_functions(module: Module) -> dict[Scope, frozenset[str]]:
    """Return the functions that call `backward` outside any loop of theirs, with what they call it
    on.
    """
    looped = {call for loop in module.loops for call in loop.calls}
    found: dict[Scope, frozenset[str]] = {}
    for call, scope in module.calls:
        bases = backward(call)
        if bases is not None and call not in looped and isinstance(scope.node, FUNCTIONS):
            found[scope] = found.get(scope, frozenset()) | bases
    return found


def _functions(
    module: Module,
    loop: LoopAt,
    calls: list[ast.Call],
    taken: set[ast.AST],
    losses: dict[Scope, frozenset[str]],
) -> Iterator[Scope]:
    """Yield the functions that run in each step and call `backward`, each once."""
    found: list[Scope] = []
    for node in ast.walk(loop.node):
        scope = module.functions.get(node) if isinstance(node, (*FUNCTIONS, ast.Lambda)) else None
        if scope is not None and node not in taken:
            found.append(scope)
    for call in calls:
        callee = module.callee(call, loop.scope)
        if callee is not None:
            found.append(callee)
        for given in call.args:
            values = loop.scope.values(given.id) if isinstance(given, ast.Name) else []
            found += [value for value in values if isinstance(value, Scope)]
    yield from dict.fromkeys(one for one in found if one in losses)
