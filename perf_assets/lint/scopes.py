"""Scopes of a module, what is bound in them, and loops."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, Union

Function = Union[ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda]
Comprehension = Union[ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp]
Loop = Union[ast.For, ast.AsyncFor, ast.While, Comprehension]
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class Binding(NamedTuple):
    """One way in which a name gets a value.

    `kind` is one of `import`, `assign`, `parameter`, `function`, `class`, `other`; `value` is the
    dotted name of an import, the expression of a plain assignment, or None.
    """

    kind: str
    value: str | ast.expr | Scope | None
    node: ast.AST


@dataclass(eq=False)
class Scope:
    """A module, class, function or lambda, with the names bound in it."""

    node: ast.Module | ast.ClassDef | Function
    parent: Scope | None
    bindings: dict[str, list[Binding]] = field(default_factory=dict)
    inner: dict[ast.AST, Scope] = field(default_factory=dict)
    attributes: dict[str, list[tuple[Scope, ast.expr | None]]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The name of the function or class."""
        return getattr(self.node, "name", "")

    @property
    def is_class(self) -> bool:
        """Return whether this is the body of a class, whose names its methods do not see."""
        return isinstance(self.node, ast.ClassDef)

    @cached_property
    def owner(self) -> Scope | None:
        """The class whose method this is."""
        return self.parent if self.parent is not None and self.parent.is_class else None

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """The parameters by position, then those by keyword; `*args` and the like last."""
        if not isinstance(self.node, (*FUNCTIONS, ast.Lambda)):
            return ()
        spec = self.node.args
        plain = [*spec.posonlyargs, *spec.args, *spec.kwonlyargs]
        rest = [arg for arg in (spec.vararg, spec.kwarg) if arg is not None]
        return tuple(arg.arg for arg in (*plain, *rest))

    @property
    def own_parameters(self) -> tuple[str, ...]:
        """The parameters that a call gives: without the object of a method."""
        return self.parameters[1:] if self.itself is not None else self.parameters

    def outwards(self) -> Iterator[Scope]:
        """Yield this, and what it stands in, up to the module."""
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.parent

    @cached_property
    def itself(self) -> str | None:
        """Return what a method calls its object: its first parameter."""
        static = any(
            isinstance(decorator, ast.Name) and decorator.id == "staticmethod"
            for decorator in decorators(self)
        )
        return (
            self.parameters[0]
            if self.owner is not None and self.parameters and not static
            else None
        )

    def values(self, name: str) -> list[str | ast.expr | Scope | None]:
        """Return what a name that is used here is given, in each way in which it is bound."""
        found = self.find(name)
        return [entry.value for entry in found[1]] if found is not None else []

    def find(self, name: str) -> tuple[Scope, list[Binding]] | None:
        """Return where a name that is used here is bound, and how."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.bindings and (scope is self or not scope.is_class):
                return scope, scope.bindings[name]
            scope = scope.parent
        return None


def name_called(call: ast.Call) -> str:
    """Return the name of a function, or of a method without its object."""
    if isinstance(call.func, ast.Attribute):
        return call.func.attr
    return call.func.id if isinstance(call.func, ast.Name) else ""


def names_in(node: ast.AST) -> set[str]:
    """Return the names in a piece of code, whatever is done with them."""
    return {item.id for item in ast.walk(node) if isinstance(item, ast.Name)}


@dataclass(eq=False)
class LoopAt:
    """A loop, where it stands.

    Attributes
    ----------
    node, scope
        The loop, and the function it stands in.
    calls
        The calls in it.
    contexts
        What the `with` statements around it, in its function, enter.
    """

    node: Loop
    scope: Scope
    calls: list[ast.Call] = field(default_factory=list)
    contexts: tuple[ast.expr, ...] = ()


def decorators(scope: Scope) -> list[ast.expr]:
    """Return the decorators of a function."""
    return scope.node.decorator_list if isinstance(scope.node, FUNCTIONS) else []


def method_scope(scope: Scope) -> Scope | None:
    """Return the method around a location, its own function first."""
    at: Scope | None = scope
    while at is not None and at.owner is None:
        at = at.parent
    return at


def definition(bindings: list[Binding]) -> Scope | None:
    """Return the function or class that a name stands for, where it stands for nothing else."""
    found = [binding.value for binding in bindings if binding.kind in ("function", "class")]
    return found[-1] if found and len(found) == len(bindings) else None  # type: ignore[return-value]


def elements(
    node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp,
) -> tuple[ast.expr, ...]:
    """Return what a comprehension makes for each item."""
    return (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,)


def bind(
    scope: Scope, name: str, kind: str, value: str | ast.expr | Scope | None, node: ast.AST
) -> None:
    """Note one more way in which a name gets a value."""
    scope.bindings.setdefault(name, []).append(Binding(kind, value, node))


def constant(name: str, scope: Scope) -> ast.expr | None:
    """Return the value of a name that is bound once, by an assignment."""
    found = scope.find(name)
    if found is None or len(found[1]) != 1 or found[1][0].kind != "assign":
        return None
    value = found[1][0].value
    return value if isinstance(value, ast.expr) else None
