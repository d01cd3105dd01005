"""The walk that makes a survey: a loop's body, or a function, from its first statement to its last.

`variance` uses the survey to see whether an expression is the same in every iteration.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from perf_assets.lint.arguments import arguments
from perf_assets.lint.effects import (
    CHANGING,
    HARMLESS_INHERITED,
    LEARNING_METHODS,
    NEW_GRAPH,
    PINS,
    READING_METHODS,
)
from perf_assets.lint.guards import guard, missing_name
from perf_assets.lint.loop_summary import Bound, Location, Site, Survey
from perf_assets.lint.module import Module
from perf_assets.lint.newer_syntax import by_node
from perf_assets.lint.scopes import COMPREHENSIONS, LoopAt, Scope, elements

COUNTING_CALLS = frozenset(("range", "xrange", "trange", "enumerate"))


@dataclass(frozen=True)
class _Around:
    blocks: tuple[int, ...] = ()
    loops: tuple[ast.AST, ...] = ()
    once: bool = False
    guards: frozenset[str] = frozenset()
    taped: bool = False
    deferred: bool = False
    pins: tuple[ast.expr, ...] = ()


def survey_loop(module: Module, loop: LoopAt) -> Survey:
    """Return what happens in one iteration of a loop; walked once."""
    surveys = module.once(_surveys)
    if loop.node not in surveys:
        surveys[loop.node] = _of_loop(module, loop)
    return surveys[loop.node]


def survey_function(module: Module, scope: Scope) -> Survey:
    """Return what happens in one call of a function; walked once."""
    surveys = module.once(_surveys)
    if scope.node not in surveys:
        surveys[scope.node] = _of_function(module, scope)
    return surveys[scope.node]


def _surveys(module: Module) -> dict[ast.AST, Survey]:
    return {}


def _of_loop(module: Module, loop: LoopAt) -> Survey:
    walk = _Walk(module, loop.scope, is_loop=True)
    node = loop.node
    around = _Around(taped=any(walk.is_tape(context) for context in loop.contexts))
    if isinstance(node, (ast.For, ast.AsyncFor)):
        walk.iterate(node.target, node.iter, around, node)
        walk.block(node.body, around)
    elif isinstance(node, ast.While):
        walk.expression(node.test, around)
        walk.block(node.body, around)
    else:
        walk.generators(node, around, first=False)
    return walk.found


def _of_function(module: Module, scope: Scope) -> Survey:
    walk = _Walk(module, scope, is_loop=False)
    if isinstance(scope.node, ast.Lambda):
        walk.expression(scope.node.body, _Around())
        walk.found.returns.append((scope.node.body, walk.location(scope.node.body, _Around())))
    elif isinstance(scope.node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        walk.block(scope.node.body, _Around())
    return walk.found


class _Walk:
    def __init__(self, module: Module, scope: Scope, *, is_loop: bool) -> None:
        self.module, self.scope, self.is_loop = module, scope, is_loop
        self.found = Survey()

    def location(self, node: ast.AST, around: _Around) -> Location:
        return Location((node.lineno, node.col_offset), around.blocks, around.loops)  # type: ignore[attr-defined]

    def block(self, body: list[ast.stmt], around: _Around) -> None:
        if not body:
            return
        inside = replace(
            around, blocks=(*around.blocks, id(body)), once=around.once or self.leaves(body, around)
        )
        for one in body:
            self.statement(one, inside)

    def leaves(self, body: list[ast.stmt], around: _Around) -> bool:
        """Return whether a block ends the loop that is surveyed, so that it runs once at most."""
        if not self.is_loop:
            return False
        last = body[-1]
        return isinstance(last, (ast.Return, ast.Raise)) or (
            isinstance(last, ast.Break) and not around.loops
        )

    def statement(self, node: ast.stmt, around: _Around) -> None:
        special = _STATEMENTS.get(type(node))
        if special is not None:
            special(self, node, around)
        else:
            self.children(node, around)

    def children(self, node: ast.AST, around: _Around) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.expression(child, around)

    def definition(self, node: ast.FunctionDef | ast.ClassDef, around: _Around) -> None:
        self.bind(node.name, None, around, node)
        if not isinstance(node, ast.ClassDef) and not around.once:
            self.found.definitions.append((node, around.guards))

    def assign(self, node: ast.Assign, around: _Around) -> None:
        self.expression(node.value, around)
        for target in node.targets:
            self.target(target, node.value, around, node)

    def annotated(self, node: ast.AnnAssign, around: _Around) -> None:
        if node.value is not None:
            self.expression(node.value, around)
            self.target(node.target, node.value, around, node)

    def augmented(self, node: ast.AugAssign, around: _Around) -> None:
        self.expression(node.value, around)
        self.target(node.target, None, around, node)
        if isinstance(node.target, ast.Name) and isinstance(node.value, ast.Constant):
            self.found.counters.add(node.target.id)

    def for_(self, node: ast.For, around: _Around) -> None:
        self.expression(node.iter, around)
        inside = replace(around, loops=(*around.loops, node))
        self.iterate(node.target, node.iter, inside, node)
        self.block(node.body, inside)
        self.block(node.orelse, around)

    def while_(self, node: ast.While, around: _Around) -> None:
        inside = replace(around, loops=(*around.loops, node))
        self.expression(node.test, inside)
        self.block(node.body, inside)
        self.block(node.orelse, around)

    def if_(self, node: ast.If, around: _Around) -> None:
        self.expression(node.test, around)
        found = guard(node)
        # What this iteration has given a value already is missing in each anew.
        is_own = missing_name(node.test).partition(".")[0] in self.found.bound
        once = around.once or (found.body_once and not (is_own and self.is_loop))
        self.block(node.body, replace(around, once=once, guards=around.guards | found.body))
        self.block(node.orelse, replace(around, guards=around.guards | found.orelse))

    def choice(self, node: ast.IfExp, around: _Around) -> None:
        found = guard(node)
        self.expression(node.test, around)
        self.expression(node.body, replace(around, guards=around.guards | found.body))
        self.expression(node.orelse, replace(around, guards=around.guards | found.orelse))

    def try_(self, node: ast.Try, around: _Around) -> None:
        self.block(node.body, around)
        for handler in node.handlers:
            if handler.name:
                self.bind(handler.name, None, around, handler)
            self.block(handler.body, around)
        self.block(node.orelse, around)
        self.block(node.finalbody, around)

    def return_(self, node: ast.Return, around: _Around) -> None:
        if node.value is not None:
            self.expression(node.value, around)
            self.found.returns.append((node.value, self.location(node, around)))

    def delete(self, node: ast.Delete, around: _Around) -> None:
        for target in node.targets:
            self.target(target, None, around, node)

    def match(self, node: ast.Match, around: _Around) -> None:
        self.expression(node.subject, around)
        for case in node.cases:
            for pattern in ast.walk(case.pattern):
                name = getattr(pattern, "name", None)
                if isinstance(name, str):
                    self.bind(name, None, around, node)
            self.block(case.body, around)

    def nothing(self, node: ast.stmt, around: _Around) -> None:
        pass

    def with_(self, node: ast.With | ast.AsyncWith, around: _Around) -> None:
        inside = around
        for item in node.items:
            self.expression(item.context_expr, inside)
            entered = item.context_expr
            if self.is_tape(entered):
                inside = replace(inside, taped=True)
            elif isinstance(entered, ast.Call) and self.called(entered) in PINS:
                inside = replace(inside, pins=(*inside.pins, *entered.args))
            if item.optional_vars is not None:
                self.target(item.optional_vars, None, inside, node)
        self.block(node.body, inside)

    def is_tape(self, node: ast.expr) -> bool:
        return (self.called(node) or "").endswith("GradientTape")

    def called(self, node: ast.expr) -> str | None:
        return self.module.resolve(node.func, self.scope) if isinstance(node, ast.Call) else None

    def target(self, node: ast.expr, value: ast.expr | None, around: _Around, at: ast.AST) -> None:
        if isinstance(node, ast.Name):
            self.bind(node.id, value, around, at)
        elif isinstance(node, (ast.Tuple, ast.List)):
            paired = isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(node.elts)
            for index, one in enumerate(node.elts):
                part = value.elts[index] if paired else value  # type: ignore[union-attr]
                self.target(one, part, around, at)
        elif isinstance(node, ast.Starred):
            self.target(node.value, value, around, at)
        elif isinstance(node, ast.Attribute):
            self.found.attributes.add(node.attr)
            self.expression(node.value, around)
        elif isinstance(node, ast.Subscript):
            self.change(node.value)
            self.expression(node.slice, around)

    def iterate(self, node: ast.expr, over: ast.expr, around: _Around, at: ast.AST) -> None:
        """Bind the targets of a loop; those that count are Python numbers."""
        self.target(node, None, around, at)
        over = _unwrapped(over)
        func = over.func if isinstance(over, ast.Call) else None
        name = func.id if isinstance(func, ast.Name) else ""
        if name in COUNTING_CALLS and (name == "trange" or self.scope.find(name) is None):
            first = node.elts[0] if isinstance(node, ast.Tuple) and node.elts else node
            if isinstance(first, ast.Name) and (first is node) == (name != "enumerate"):
                self.found.counters.add(first.id)

    def bind(self, name: str, value: ast.expr | None, around: _Around, at: ast.AST) -> None:
        self.found.bound.setdefault(name, []).append(Bound(value, self.location(at, around)))

    def change(self, node: ast.expr) -> None:
        """Note that an object is changed in place."""
        while isinstance(node, ast.Subscript):
            node = node.value
        if isinstance(node, ast.Name):
            self.found.changed.add(node.id)
        elif isinstance(node, ast.Attribute):
            self.found.attributes.add(node.attr)

    def expression(self, node: ast.expr, around: _Around) -> None:
        if isinstance(node, (ast.Constant, ast.Name)):
            return
        if isinstance(node, ast.Call):
            self.call(node, around)
        elif isinstance(node, ast.Lambda):
            inside = replace(around, deferred=True)
            for default in (*node.args.defaults, *node.args.kw_defaults):
                if default is not None:
                    self.expression(default, around)
            self.expression(node.body, inside)
        elif isinstance(node, ast.IfExp):
            self.choice(node, around)
        elif isinstance(node, ast.NamedExpr):
            self.expression(node.value, around)
            self.bind(node.target.id, node.value, around, node)
        elif isinstance(node, COMPREHENSIONS):
            self.generators(node, around, first=True)
        else:
            self.children(node, around)

    def generators(self, node: ast.expr, around: _Around, *, first: bool) -> None:
        """Walk a comprehension; `first`: whether its first iterable is evaluated in this run."""
        assert isinstance(node, COMPREHENSIONS)
        inside = replace(around, loops=(*around.loops, node)) if first else around
        for index, one in enumerate(node.generators):
            if index or first:
                self.expression(one.iter, inside if index else around)
            self.iterate(one.target, one.iter, inside, node)
            for test in one.ifs:
                self.expression(test, inside)
        for part in elements(node):
            self.expression(part, inside)

    def call(self, node: ast.Call, around: _Around) -> None:
        self.found.sites.append(
            Site(
                node,
                self.location(node, around),
                around.once,
                around.guards,
                around.taped,
                around.deferred,
                around.pins,
            )
        )
        name = self.module.resolve(node.func, self.scope)
        func = node.func
        self.found.new_graph |= name in NEW_GRAPH
        self.found.learns |= isinstance(func, ast.Attribute) and func.attr in LEARNING_METHODS
        if isinstance(func, ast.Attribute):
            if name is None and func.attr not in READING_METHODS and not self.of_itself(func):
                self.change(func.value)
            self.expression(func.value, around)
        elif not isinstance(func, ast.Name):
            self.expression(func, around)
        for argument in arguments(node):
            self.expression(argument, around)
            if name is None and isinstance(argument, ast.Name) and self.is_container(argument.id):
                self.found.changed.add(argument.id)
        drawn = name is None and isinstance(func, ast.Name) and func.id == "next"
        if (drawn or name in CHANGING) and node.args:
            self.change(node.args[0])
        for word in node.keywords:
            if word.arg == "out":
                self.change(word.value)

    def of_itself(self, func: ast.Attribute) -> bool:
        """Return whether a method of a class of this module is called: what it changes is looked up
        there.

        An inherited method that is not here may change any attribute; those of unittest and Keras
        that only check or create.
        """
        owner = (
            self.module.class_of(func.value, self.scope)
            if isinstance(func.value, ast.Name)
            else None
        )
        if owner is None:
            return False
        is_defined = (
            self.module.method(owner, func.attr) is not None or func.attr in owner.attributes
        )
        return is_defined or func.attr.startswith(HARMLESS_INHERITED)

    def is_container(self, name: str) -> bool:
        """Return whether a name was bound to something that a function can change."""
        found = self.scope.find(name)
        made = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
        return found is not None and any(isinstance(one.value, made) for one in found[1])


def _unwrapped(over: ast.expr) -> ast.expr:
    """Return what a loop counts over, without what reverses it or shows how far it is."""
    while isinstance(over, ast.Call) and over.args:
        if ast.unparse(over.func).rpartition(".")[2] not in ("reversed", "tqdm", "track"):
            break
        over = over.args[0]
    return over.value if isinstance(over, ast.Subscript) else over


_STATEMENTS: dict[type[ast.AST], Callable[[_Walk, Any, _Around], None]] = {
    ast.FunctionDef: _Walk.definition,
    ast.AsyncFunctionDef: _Walk.definition,
    ast.ClassDef: _Walk.definition,
    ast.Assign: _Walk.assign,
    ast.AnnAssign: _Walk.annotated,
    ast.AugAssign: _Walk.augmented,
    ast.For: _Walk.for_,
    ast.AsyncFor: _Walk.for_,
    ast.While: _Walk.while_,
    ast.If: _Walk.if_,
    ast.With: _Walk.with_,
    ast.AsyncWith: _Walk.with_,
    ast.Try: _Walk.try_,
    ast.Return: _Walk.return_,
    ast.Delete: _Walk.delete,
    ast.Import: _Walk.nothing,
    ast.ImportFrom: _Walk.nothing,
    **by_node({"TryStar": _Walk.try_, "Match": _Walk.match}),
}
