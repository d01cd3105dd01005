"""What expressions are worth to a pipeline: datasets, and what holds them."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from perf_assets.lint.arguments import argument, arguments
from perf_assets.lint.datasets import (
    BATCHES,
    FLAT,
    MAPS,
    OTHER_BATCHES,
    SAME,
    Dataset,
    Several,
    Value,
    any_of,
    join,
    of_source,
)
from perf_assets.lint.evidence import evident_names
from perf_assets.lint.module import Module
from perf_assets.lint.scopes import Scope, decorators

Names = dict[str, Value]
# Hugging Face and TensorFlow Datasets: methods whose names say that they give a `tf.data.Dataset`.
PRODUCING = frozenset(("as_dataset", "prepare_tf_dataset", "to_tf_dataset"))
Attributes = dict[tuple[Scope, str], Value]


@dataclass
class Pipelines:
    """What a module does with datasets.

    Attributes
    ----------
    calls
        The calls of methods of datasets, in the order in which they occur; True for a `map`
        whose function gives datasets, which only describe work.
    late
        For a call of `map`, the `batch` that follows it in its pipeline.
    """

    calls: dict[ast.Call, bool] = field(default_factory=dict)
    late: dict[ast.Call, ast.Call] = field(default_factory=dict)


@dataclass(eq=False)
class Frame:
    """A function while it runs: what its names hold, and what it returned so far."""

    scope: Scope
    names: Names
    returned: list[Value] = field(default_factory=list)


class Values(ABC):
    """Evaluates expressions; how functions run is left to `pipelines`.

    Parameters
    ----------
    module
        The module.
    found
        Where calls are noted.
    attributes
        What attributes of the module's classes hold, where known.
    """

    def __init__(self, module: Module, found: Pipelines, attributes: Attributes) -> None:
        """Start without values of the names of the module."""
        self.module, self.found, self.attributes = module, found, attributes
        self.outer: dict[Scope, Names] = {}

    @abstractmethod
    def run(self, scope: Scope, given: Names) -> Value:
        """Return what a function returns for some arguments."""

    @abstractmethod
    def returned_elsewhere(
        self, node: ast.Call, module: Module, scope: Scope, given: Names
    ) -> Value:
        """Return what a function of another module returns for some arguments."""

    @abstractmethod
    def of_annotation(self, note: ast.expr | None, scope: Scope) -> Value:
        """Return what an annotation says that a value is."""

    @abstractmethod
    def assign(self, target: ast.expr, value: Value, frame: Frame) -> None:
        """Bind what is assigned to."""

    def evidence(self, scope: Scope) -> frozenset[str]:
        """Return the names of a function that are datasets by what is done with them."""
        return evident_names(self.module, scope)

    def value(self, node: ast.expr, frame: Frame) -> Value:
        """Return what an expression is worth; every call in it is noted."""
        special = _VALUES.get(type(node))
        if special is not None:
            return special(self, node, frame)
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.value(child, frame)
        return None

    def nothing(self, node: ast.expr, frame: Frame) -> Value:
        """Return a constant, or a function that runs when it is called."""
        return None

    def name(self, node: ast.Name, frame: Frame) -> Value:
        """Return what a name holds here, or in the function around."""
        if node.id in frame.names:
            return frame.names[node.id]
        found = frame.scope.find(node.id)
        if found is not None and found[0] is not frame.scope:
            return self.outer.get(found[0], {}).get(node.id)
        return None

    def attribute(self, node: ast.Attribute, frame: Frame) -> Value:
        """Return what an attribute holds: set in this function, in another method, or by a
        property.
        """
        if not isinstance(node.value, ast.Name):
            self.value(node.value, frame)
            return None
        text = f"{node.value.id}.{node.attr}"
        if text in frame.names:
            return frame.names[text]
        held: Value = None
        owner = self.module.class_of(node.value, frame.scope)
        if owner is not None:
            held = self.attributes.get((owner, node.attr))
            getter = self.module.method(owner, node.attr)
            if held is None and getter is not None and _is_property(getter):
                held = self.run(getter, {})
            if held is None:
                held = self.declared(owner, node.attr)
        return Dataset() if held is None and text in self.evidence(frame.scope) else held

    def declared(self, owner: Scope, name: str) -> Value:
        """Return what the body of a class says of an attribute."""
        body = owner.node.body if isinstance(owner.node, ast.ClassDef) else []
        for one in body:
            if isinstance(one, ast.AnnAssign) and ast.unparse(one.target) == name:
                return self.of_annotation(one.annotation, owner)
        return None

    def sequence(self, node: ast.Tuple | ast.List, frame: Frame) -> Value:
        """Return the parts of a tuple or list."""
        return Several(tuple(self.value(elt, frame) for elt in node.elts))

    def mapping(self, node: ast.Dict, frame: Frame) -> Value:
        """Return the values of a dictionary."""
        keys = tuple(key.value if isinstance(key, ast.Constant) else key for key in node.keys)
        return Several(tuple(self.value(value, frame) for value in node.values), keys)

    def subscript(self, node: ast.Subscript, frame: Frame) -> Value:
        """Return one part of a collection."""
        held = self.value(node.value, frame)
        key = node.slice.value if isinstance(node.slice, ast.Constant) else node
        return held.at(key) if isinstance(held, Several) else None

    def choice(self, node: ast.IfExp, frame: Frame) -> Value:
        """Either of two."""
        self.value(node.test, frame)
        return join((self.value(node.body, frame), self.value(node.orelse, frame)))

    def walrus(self, node: ast.NamedExpr, frame: Frame) -> Value:
        """Return what is assigned in an expression."""
        self.assign(node.target, self.value(node.value, frame), frame)
        return frame.names.get(node.target.id)

    def inner(self, node: ast.Starred | ast.Await, frame: Frame) -> Value:
        """Return what stands behind a star or an await."""
        return self.value(node.value, frame)

    def comprehension(self, node: ast.ListComp, frame: Frame) -> Value:
        """Return a collection of what is made for each item."""
        for part in node.generators:
            items = self.value(part.iter, frame)
            self.assign(part.target, _element(items), frame)
        return any_of((self.value(node.elt, frame),))

    def call(self, node: ast.Call, frame: Frame) -> Value:
        """Return what a call gives."""
        func = node.func
        full = self.module.resolve(func, frame.scope)
        if full is not None and full.startswith(("tensorflow", "keras")):
            self.lambdas(node)
            return of_source(full, node, self.arguments(node, frame))
        if isinstance(func, ast.Attribute):
            held = self.value(func.value, frame)
            if held is None and isinstance(func.value, ast.Call):
                held = Dataset() if _is_evident(func.value, self.evidence(frame.scope)) else None
            if isinstance(held, Dataset):
                return self.method(node, func.attr, held, frame)
            if isinstance(held, Several):
                return self.of_several(node, func, held, frame)
            if func.attr in PRODUCING:
                return self.produced(node, func.attr)
        return self.of_module(node, frame)

    def produced(self, node: ast.Call, name: str) -> Value:
        """Return what a method of another library gives that says by its name that it is a
        dataset.
        """
        if name != "as_dataset":
            return Dataset(batched=True)
        split = next((keyword.value for keyword in node.keywords if keyword.arg == "split"), None)
        if isinstance(split, (ast.List, ast.Tuple)):
            return Several((Dataset(),) * len(split.elts))
        return Dataset() if split is not None else any_of((Dataset(),))

    def arguments(self, node: ast.Call, frame: Frame) -> list[Value]:
        """Return what a call is given."""
        return [self.value(one, frame) for one in arguments(node)]

    def of_several(self, node: ast.Call, func: ast.Attribute, held: Several, frame: Frame) -> Value:
        """Return what a method of a collection gives, which it may change."""
        added = self.arguments(node, frame)
        if func.attr in ("append", "add", "insert") and isinstance(func.value, ast.Name):
            frame.names[func.value.id] = any_of((*held.parts, *added))
        if func.attr == "items":
            return any_of((Several((None, join(held.parts))),))
        if func.attr in ("values", "copy"):
            return held
        return join(held.parts) if func.attr in ("get", "pop") else None

    def of_module(self, node: ast.Call, frame: Frame) -> Value:
        """Return what a function of the module returns for what it is given."""
        given = [self.value(one, frame) for one in node.args]
        words = {word.arg: self.value(word.value, frame) for word in node.keywords}
        if isinstance(node.func, ast.Name) and node.func.id == "enumerate" and given:
            return any_of((Several((None, _element(given[0]))),))
        callee = self.module.callee(node, frame.scope)
        if callee is not None:
            return self.run(callee, _bound(callee, given, words))
        other = self.module.elsewhere(node.func, frame.scope)
        if other is None:
            return None
        return self.returned_elsewhere(node, *other, _bound(other[1], given, words))

    def method(self, node: ast.Call, name: str, held: Dataset, frame: Frame) -> Value:
        """Return what a method of a dataset gives."""
        given = self.arguments(node, frame)
        made = self.of_function(node, held, frame) if name in MAPS else None
        nested = isinstance(made, Dataset)
        self.found.calls[node] = nested
        if name in MAPS:
            maps = held.maps if held.batched else held.maps | {node}
            return replace(held, maps=maps, nested=nested)
        if name in BATCHES | OTHER_BATCHES:
            # Padding, buckets and filters need elements that were prepared one by one.
            for one in held.maps if name == "batch" else ():
                self.found.late.setdefault(one, node)
            return Dataset(batched=True)
        if name in FLAT:
            # What is flattened is another stream: its elements were not what a map before it gave.
            flat = self.of_function(node, held, frame)
            return flat if isinstance(flat, Dataset) else Dataset(batched=held.batched)
        if name == "apply":
            return self.applied(node, held, frame)
        self.lambdas(node)
        if name in ("concatenate", "zip"):
            return join((held, *given))
        return self.plain(name, held)

    def plain(self, name: str, held: Dataset) -> Value:
        """Return what a method gives that runs no function."""
        if name == "window":
            return replace(held, nested=True)
        if name == "unbatch":  # what was in batches is single again
            return Dataset()
        if name in ("filter", "take_while"):  # chooses by what the maps before it made
            return replace(held, maps=frozenset())
        return held if name in SAME else None

    def lambdas(self, node: ast.Call) -> None:
        """Run the lambdas among the arguments of a call."""
        for one in arguments(node):
            inner = self.module.functions.get(one)
            if inner is not None:
                self.run(inner, {})

    def function(self, node: ast.expr | None, frame: Frame) -> Scope | None:
        """Return the lambda or function of the module that an argument is."""
        return None if node is None else self.module.function(node, frame.scope)

    def of_function(self, node: ast.Call, held: Dataset, frame: Frame) -> Value:
        """Return what the function that a method is given first returns for an element."""
        inner = self.function(next(iter(argument(node, ("map_func",), 1)), None), frame)
        if inner is None:
            return None
        names = inner.own_parameters
        nested = bool(names) and (held.nested or _batches(inner, names[0]))
        return self.run(inner, {names[0]: Dataset()} if nested else {})

    def applied(self, node: ast.Call, held: Dataset, frame: Frame) -> Value:
        """Return what `apply` gives: functions of the module run, TensorFlow's are recognised by
        name.
        """
        first = node.args[0] if node.args else None
        if isinstance(first, ast.Call):
            name = (self.module.resolve(first.func, frame.scope) or "").rpartition(".")[2]
            if name == "unbatch" or "interleave" in name:
                return Dataset()
            batches = "batch" in name or name in OTHER_BATCHES
            return Dataset(batched=True) if batches else held
        inner = self.function(first, frame)
        if inner is None or not inner.own_parameters:
            return held
        return self.run(inner, {inner.own_parameters[0]: held}) or Dataset()


def _bound(callee: Scope, given: list[Value], words: dict[str | None, Value]) -> Names:
    """Return what the parameters of a function are for the arguments of a call."""
    names = callee.own_parameters
    bound: Names = dict(zip(names, given))
    return bound | {name: one for name, one in words.items() if name is not None and name in names}


def _element(items: Value) -> Value:
    return join(items.parts) if isinstance(items, Several) else None


def _is_evident(node: ast.Call, names: frozenset[str]) -> bool:
    return bool(names) and ast.unparse(node) in names


def _batches(scope: Scope, name: str) -> bool:
    """Return whether a function calls `batch` on its parameter: it is given windows."""
    return any(
        isinstance(node, ast.Attribute)
        and node.attr in BATCHES
        and isinstance(node.value, ast.Name)
        and node.value.id == name
        for node in ast.walk(scope.node)
    )


def _is_property(scope: Scope) -> bool:
    plain = (
        decorator
        for decorator in decorators(scope)
        if isinstance(decorator, (ast.Name, ast.Attribute))
    )
    return any(ast.unparse(one).endswith("property") for one in plain)


_VALUES: dict[type[ast.AST], Callable[[Values, Any, Frame], Value]] = {
    ast.Constant: Values.nothing,
    ast.Lambda: Values.nothing,
    ast.Name: Values.name,
    ast.Attribute: Values.attribute,
    ast.Call: Values.call,
    ast.Tuple: Values.sequence,
    ast.List: Values.sequence,
    ast.Dict: Values.mapping,
    ast.Subscript: Values.subscript,
    ast.IfExp: Values.choice,
    ast.NamedExpr: Values.walrus,
    ast.Starred: Values.inner,
    ast.Await: Values.inner,
    ast.ListComp: Values.comprehension,
    ast.SetComp: Values.comprehension,
    ast.GeneratorExp: Values.comprehension,
}
