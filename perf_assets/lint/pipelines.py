"""Pipelines of `tf.data`, followed through a module.

Each function is run once over what its values are known to be: a dataset, with the calls of `map`
that no `batch` has followed yet; a collection of such values; or nothing that matters. Values are
followed through assignments, attributes of objects, branches, returns and the functions of the
module. A `map` of something that is not known to be a dataset (pandas, Spark, an executor) is none.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from perf_assets.lint.dataset_values import Attributes, Frame, Names, Pipelines, Values
from perf_assets.lint.datasets import FLAT, MAPS, Dataset, Several, Value, any_of, join
from perf_assets.lint.module import Module
from perf_assets.lint.newer_syntax import by_node
from perf_assets.lint.scopes import FUNCTIONS, Scope

DEEPEST = 5  # functions within functions
ROUNDS = 2  # the first learns what attributes hold, the second knows it
ANNOTATIONS = ("tensorflow.data.Dataset", "tf.data.Dataset")


def pipelines(module: Module) -> Pipelines:
    """Follow the datasets of a module, where it maps any."""
    methods = MAPS | FLAT
    if not any(
        isinstance(call.func, ast.Attribute) and call.func.attr in methods
        for call, _ in module.calls
    ):
        return Pipelines()
    attributes: Attributes = {}
    found = Pipelines()
    for _ in range(ROUNDS):
        found = Pipelines()
        follow = _Follow(module, found, attributes)
        follow.everything()
        attributes = follow.learned
    return found


def mapped_function(module: Module, node: ast.expr, scope: Scope) -> Scope | None:
    """Return the function of the module, or the lambda, that an argument names; None for others."""
    found = module.function(node, scope)
    return found if found is None or isinstance(found.node, (*FUNCTIONS, ast.Lambda)) else None


def _followed(module: Module) -> _Follow:
    follow = _Follow(module, Pipelines(), {})
    follow.everything()
    return follow


def _maps_of(value: Value) -> frozenset[ast.Call]:
    """Return the calls of `map` that no `batch` has followed yet."""
    if isinstance(value, Several):
        return frozenset[ast.Call]().union(*map(_maps_of, value.parts))
    return frozenset() if value is None else value.maps


def _with_maps(value: Value, maps: frozenset[ast.Call]) -> Value:
    """Return the value with no other calls than these."""
    if isinstance(value, Dataset):
        return replace(value, maps=value.maps & maps)
    if isinstance(value, Several):
        return replace(value, parts=tuple(_with_maps(part, maps) for part in value.parts))
    return None


class _Follow(Values):
    """One round over a module."""

    def __init__(self, module: Module, found: Pipelines, attributes: Attributes) -> None:
        super().__init__(module, found, attributes)
        self.learned: Attributes = {}
        self.running: list[Scope] = []
        self.results: dict[tuple[Scope, tuple[Value, ...]], Value] = {}

    def everything(self) -> None:
        top = Frame(self.module.scope, {})
        self.outer[self.module.scope] = top.names
        self.block(self.module.tree.body, top)
        for node, scope in self.module.functions.items():
            if isinstance(node, FUNCTIONS):
                self.run(scope, {})

    def run(self, scope: Scope, given: Names) -> Value:
        """Return what a function returns; arguments that are not known, by annotation and use."""
        if scope in self.running or len(self.running) > DEEPEST:
            return None
        key = (scope, tuple(given.get(name) for name in scope.parameters))
        if key not in self.results:
            evident = self.evidence(scope)
            frame = Frame(scope, {})
            for name in scope.parameters:
                value = given.get(name) or self.by_annotation(scope, name)
                frame.names[name] = Dataset() if value is None and name in evident else value
            self.outer[scope] = frame.names
            self.running.append(scope)
            if isinstance(scope.node, ast.Lambda):
                frame.returned.append(self.value(scope.node.body, frame))
            elif isinstance(scope.node, FUNCTIONS):
                self.block(scope.node.body, frame)
            self.running.pop()
            returned = join(frame.returned)
            note = getattr(scope.node, "returns", None)
            self.results[key] = self.of_annotation(note, scope) if returned is None else returned
        return self.results[key]

    def returned_elsewhere(
        self, node: ast.Call, module: Module, scope: Scope, given: Names
    ) -> Value:
        """Return what a function of another module returns, without the calls of that module.

        These are told where that is checked. A `batch` there that follows a `map` here is noted.
        """
        if not isinstance(scope.node, FUNCTIONS):
            return None
        follow = module.once(_followed)
        value = follow.run(scope, given)
        maps = frozenset[ast.Call]().union(*map(_maps_of, given.values()))
        for one in maps & follow.found.late.keys():
            self.found.late.setdefault(one, node)
        return _with_maps(value, maps)

    def by_annotation(self, scope: Scope, name: str) -> Value:
        """Return what a parameter is by its annotation."""
        spec = scope.node.args if isinstance(scope.node, FUNCTIONS) else None
        for one in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs) if spec is not None else ():
            if one.arg == name:
                return self.of_annotation(one.annotation, scope)
        return None

    def of_annotation(self, note: ast.expr | None, scope: Scope) -> Value:
        """Return a dataset, where an annotation says so, as a name or as a text."""
        if isinstance(note, ast.Constant) and isinstance(note.value, str):
            return Dataset() if note.value in ANNOTATIONS else None
        if isinstance(note, (ast.Name, ast.Attribute)):
            return Dataset() if self.module.resolve(note, scope) in ANNOTATIONS else None
        if isinstance(note, ast.BinOp) and isinstance(note.op, ast.BitOr):
            return join(self.of_annotation(side, scope) for side in (note.left, note.right))
        if isinstance(note, ast.Subscript):
            inner = note.slice
            parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
            values = [self.of_annotation(part, scope) for part in parts]
            name = ast.unparse(note.value).rpartition(".")[2]
            if name in ("Optional", "Union"):
                return join(values)
            whole = name.lower() == "tuple" and len(values) > 1
            return Several(tuple(values)) if whole else any_of(values)
        return None

    def block(self, body: list[ast.stmt], frame: Frame) -> None:
        for one in body:
            special = _STATEMENTS.get(type(one))
            if special is not None:
                special(self, one, frame)
            else:
                self.expressions(one, frame)

    def expressions(self, node: ast.stmt, frame: Frame) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.value(child, frame)

    def pass_over(self, node: ast.stmt, frame: Frame) -> None:
        pass

    def class_(self, node: ast.ClassDef, frame: Frame) -> None:
        inner = frame.scope.inner.get(node)
        if inner is not None:
            own = Frame(inner, {})
            self.outer[inner] = own.names
            self.block(node.body, own)

    def assignment(self, node: ast.Assign, frame: Frame) -> None:
        value = self.value(node.value, frame)
        for target in node.targets:
            self.assign(target, value, frame)

    def annotated(self, node: ast.AnnAssign, frame: Frame) -> None:
        if node.value is not None:
            value = self.value(node.value, frame)
            assigned = self.of_annotation(node.annotation, frame.scope) if value is None else value
            self.assign(node.target, assigned, frame)

    def return_(self, node: ast.Return, frame: Frame) -> None:
        if node.value is not None:
            frame.returned.append(self.value(node.value, frame))

    def if_(self, node: ast.If, frame: Frame) -> None:
        self.value(node.test, frame)
        self.branches([node.body, node.orelse], frame)

    def for_(self, node: ast.For, frame: Frame) -> None:
        items = self.value(node.iter, frame)
        self.assign(node.target, join(items.parts) if isinstance(items, Several) else None, frame)
        self.branches([node.body, []], frame)
        self.block(node.orelse, frame)

    def while_(self, node: ast.While, frame: Frame) -> None:
        self.branches([node.body, []], frame)
        self.block(node.orelse, frame)

    def try_(self, node: ast.Try, frame: Frame) -> None:
        self.block(node.body, frame)
        self.branches([[], *(handler.body for handler in node.handlers)], frame)
        self.block([*node.orelse, *node.finalbody], frame)

    def with_(self, node: ast.With, frame: Frame) -> None:
        for item in node.items:
            self.value(item.context_expr, frame)
        self.block(node.body, frame)

    def match(self, node: ast.Match, frame: Frame) -> None:
        self.branches([[], *(case.body for case in node.cases)], frame)

    def branches(self, bodies: list[list[ast.stmt]], frame: Frame) -> None:
        """Run each way from the same start; a name then holds what any that goes on left in it."""
        start, ends = frame.names, []
        for body in bodies:
            frame.names = dict(start)
            self.block(body, frame)
            if not body or not isinstance(body[-1], (ast.Return, ast.Raise)):
                ends.append(frame.names)
        frame.names = start
        for name in dict.fromkeys(one for end in ends for one in end):
            start[name] = join(end.get(name) for end in ends)

    def assign(self, target: ast.expr, value: Value, frame: Frame) -> None:
        """Bind names, attributes and the parts of tuples to what they get."""
        if isinstance(target, ast.Name):
            evident = value is None and target.id in self.evidence(frame.scope)
            frame.names[target.id] = Dataset() if evident else value
        elif isinstance(target, (ast.Tuple, ast.List)):
            for index, one in enumerate(target.elts):
                part = value.at(index) if isinstance(value, Several) else None
                self.assign(one, part, frame)
        elif isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
            frame.names[ast.unparse(target)] = value
            owner = self.module.class_of(target.value, frame.scope)
            if owner is not None:
                key = (owner, target.attr)
                self.learned[key] = join((self.learned.get(key), value))
        elif isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
            held = frame.names.get(target.value.id)
            old = held if isinstance(held, Several) else Several(())
            slot = target.slice.value if isinstance(target.slice, ast.Constant) else target
            frame.names[target.value.id] = old.with_part(slot, value)


_STATEMENTS: dict[type[ast.AST], Callable[[_Follow, Any, Frame], None]] = {
    ast.FunctionDef: _Follow.pass_over,
    ast.AsyncFunctionDef: _Follow.pass_over,
    ast.ClassDef: _Follow.class_,
    ast.Assign: _Follow.assignment,
    ast.AnnAssign: _Follow.annotated,
    ast.Return: _Follow.return_,
    ast.If: _Follow.if_,
    ast.For: _Follow.for_,
    ast.AsyncFor: _Follow.for_,
    ast.While: _Follow.while_,
    ast.Try: _Follow.try_,
    ast.With: _Follow.with_,
    ast.AsyncWith: _Follow.with_,
    **by_node({"TryStar": _Follow.try_, "Match": _Follow.match}),
}
