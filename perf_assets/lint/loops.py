"""What runs again and again: the calls in loops, and in functions that loops call."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from perf_assets.lint.autograph import is_traced, is_traced_loop
from perf_assets.lint.findings import Related
from perf_assets.lint.module import Module
from perf_assets.lint.scopes import COMPREHENSIONS, LoopAt, Scope, constant, decorators
from perf_assets.lint.variance import DEEPEST, Run

FILLING = frozenset(("add", "append", "appendleft", "extend", "insert", "setdefault", "update"))
SMALL = 10  # iterations; the published tool leaves ranges of this size alone


@dataclass(frozen=True)
class Again:
    """A body that a loop runs again: its own, or that of a function up to three calls away.

    Attributes
    ----------
    run
        The run of it.
    loop
        The loop.
    callers
        The calls that lead from the loop to it, the first one stands in the loop.
    deferred
        Whether a lambda is on the way, which runs when what it is given to wants it.
    pinned
        Whether a call on the way stands on a device, or behind a dependency, of each iteration.
    """

    run: Run
    loop: LoopAt
    callers: tuple[ast.Call, ...]
    deferred: bool = False
    pinned: bool = False

    @property
    def related(self) -> tuple[Related, ...]:
        """The loop, and the calls on the way."""
        steps = [Related(caller.lineno, "called here") for caller in self.callers]
        return (Related(self.loop.node.lineno, "the loop"), *steps)

    @property
    def path(self) -> str:
        """Return where the loop is, in words: "the loop in line 3, which runs g"."""
        words = f"the loop in line {self.loop.node.lineno}"
        return words + (f", which runs {self.run.scope.name}" if self.callers else "")


def repeated(module: Module, *, small: bool = False, deferred: bool = False) -> Iterator[Again]:
    """Yield every body that a loop runs again; outer loops first.

    Parameters
    ----------
    module
        The module.
    small
        Whether loops over literals and ranges of at most ten count as well.
    deferred
        Whether bodies behind lambdas count as well.
    """
    for again in module.once(_every):
        if (small or not is_small(module, again.loop)) and (deferred or not again.deferred):
            yield again


def _every(module: Module) -> list[Again]:
    return [
        again
        for loop in module.loops
        if not is_traced_loop(module, loop)
        for again in _from(Again(Run.of_loop(module, loop), loop, ()), set())
    ]


def _from(again: Again, seen: set[tuple[Scope, frozenset[str], bool, bool]]) -> Iterator[Again]:
    yield again
    run = again.run
    if run.depth >= DEEPEST:
        return
    for site in run.survey.sites:
        callee = run.module.callee(site.call, run.scope)
        if callee is None or run.once(site) or site.taped:
            continue
        if runs_once(run.module, callee):
            continue
        inner = run.of_call(site, callee)
        deferred = again.deferred or site.deferred
        pinned = again.pinned or not all(run.same(pin, site.location) for pin in site.pins)
        key = (callee, inner.changing, deferred, pinned)
        if key not in seen:
            seen.add(key)
            called = Again(inner, again.loop, (*again.callers, site.call), deferred, pinned)
            yield from _from(called, seen)


def runs_once(module: Module, scope: Scope) -> bool:
    """Return whether the body of a function runs once for the same arguments: it is cached, or
    traced.
    """
    names = ("functools.lru_cache", "functools.cache", "functools.cached_property")
    outside = scope.parent or scope
    plain = (
        decorator.func if isinstance(decorator, ast.Call) else decorator
        for decorator in decorators(scope)
    )
    return is_traced(module, scope) or any(
        module.resolve(expression, outside) in names for expression in plain
    )


def is_small(module: Module, loop: LoopAt) -> bool:
    """Return whether a loop goes over a literal, or over a range of at most ten."""
    node = loop.node
    if isinstance(node, ast.While):
        return False
    if isinstance(node, COMPREHENSIONS):
        return all(_few(module, generator.iter, loop.scope) for generator in node.generators)
    return _few(module, node.iter, loop.scope)


def _few(module: Module, node: ast.expr, scope: Scope, depth: int = 0) -> bool:
    if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        return not any(isinstance(elt, ast.Starred) for elt in node.elts)
    if isinstance(node, ast.Dict):
        return None not in node.keys
    if isinstance(node, ast.Constant):
        return isinstance(node.value, (str, bytes)) and len(node.value) <= SMALL
    if isinstance(node, ast.Name):
        is_constant = depth < DEEPEST and node.id not in module.once(_filled)
        value = constant(node.id, scope) if is_constant else None
        return value is not None and _few(module, value, scope, depth + 1)
    func = node.func if isinstance(node, ast.Call) else None
    if isinstance(func, ast.Attribute) and func.attr in ("items", "keys", "values"):
        return _few(module, func.value, scope, depth)
    return isinstance(node, ast.Call) and _few_of_call(module, node, scope, depth)


def _few_of_call(module: Module, node: ast.Call, scope: Scope, depth: int) -> bool:
    if module.resolve(node.func, scope) in ("tensorflow.range", "numpy.arange"):
        return _length(node, scope) <= SMALL
    name = node.func.id if isinstance(node.func, ast.Name) else None
    if name is None or scope.find(name) is not None:
        return False
    if name in ("range", "xrange"):
        return _length(node, scope) <= SMALL
    if name == "zip":
        return any(_few(module, argument, scope, depth) for argument in node.args)
    through = name in ("enumerate", "reversed", "sorted", "list", "tuple")
    return through and bool(node.args) and _few(module, node.args[0], scope, depth)


def _filled(module: Module) -> set[str]:
    """Return the names of what gets elements after it was made, so that its literal is not all of
    it.
    """
    found = set()
    for call, _ in module.calls:
        func = call.func
        if isinstance(func, ast.Attribute) and func.attr in FILLING:
            found.add(ast.unparse(func.value))
    stored = (node for node in ast.walk(module.tree) if isinstance(node, ast.Subscript))
    found.update(
        ast.unparse(subscript.value) for subscript in stored if isinstance(subscript.ctx, ast.Store)
    )
    return found


def _length(node: ast.Call, scope: Scope) -> float:
    values = [_integer(argument, scope) for argument in node.args]
    named = any(word.arg not in ("dtype", "name") for word in node.keywords)
    if named or not values or any(value is None for value in values):
        return float("inf")
    numbers = [value for value in values if value is not None]
    try:
        return len(range(*numbers))
    except (TypeError, ValueError, OverflowError):
        return float("inf")


def _integer(node: ast.expr, scope: Scope, depth: int = 0) -> int | None:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, int) else None
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _integer(node.operand, scope, depth)
        return None if inner is None else -inner
    if isinstance(node, ast.Name) and depth < DEEPEST:
        value = constant(node.id, scope)
        return None if value is None else _integer(value, scope, depth + 1)
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "len"
        and node.args
    ):
        value = node.args[0]
        if isinstance(value, ast.Name):
            value = constant(value.id, scope) or value
        return len(value.elts) if isinstance(value, (ast.List, ast.Tuple)) else None
    return None
