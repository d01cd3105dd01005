"""The facts of one module that rules need.

Built on `ast`, with one walk and a resolver of its own. Files a second on a core of 2, over
huggingface/diffusers (2,089 files of 21 kB; one that names no framework is only checked for whether
it is Python): parsing with `ast` 384, all checks 408, libcst's parser and qualified names 5.4, jedi
computed for each call, as the published tool does, 2.8. Over tensor2tensor, where most files name
TensorFlow: 647, 252, 7.2 and 2.3. `python -m tests.benchmarks.check_speed` measures it again.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol, TypeVar

from perf_assets.lint.findings import Context, Related, Severity
from perf_assets.lint.fixes import Edit
from perf_assets.lint.index import index
from perf_assets.lint.scopes import Binding, Scope, definition, method_scope
from perf_assets.lint.tensorflow_api.operations import canonical

T = TypeVar("T")
LONGEST_CHAIN = 8  # of names that stand for names


class Hit(NamedTuple):
    """A location that a rule found: what, how much it matters, what to say, and what mends it."""

    node: ast.AST
    severity: Severity
    message: str
    related: tuple[Related, ...] = ()
    edits: tuple[Edit, ...] = ()


class Definitions(Protocol):
    """Finds what other modules of a project define."""

    def definition(self, name: str) -> tuple[Module, Scope] | None:
        """Return the function or class of that full name, and its module."""


class Module:
    """A module: its scopes, its loops with the calls in them, and what names mean in it.

    Parameters
    ----------
    tree, text
        The module, parsed, and its source.
    context
        What the file is for.
    project
        Other modules of its project; None where this one is all that is known.
    """

    def __init__(
        self,
        tree: ast.Module,
        text: str,
        context: Context,
        project: Definitions | None = None,
    ) -> None:
        """Walk over the module once."""
        found = index(tree)
        self.tree, self.text, self.context, self.project = tree, text, context, project
        self.lines = text.split("\n")
        self.scope, self.functions = found.scope, found.functions
        self.loops, self.calls = found.loops, found.calls
        self.globals, self.starred = found.globals, found.starred
        self._resolved: dict[tuple[str, Scope], str | None] = {}
        self._made: dict[object, object] = {}
        self._elsewhere: dict[str, tuple[Module, Scope] | None] = {}

    def elsewhere(self, node: ast.expr, scope: Scope) -> tuple[Module, Scope] | None:
        """Return the function of another module of the project that an expression names, and that
        module.

        None for what is defined here, or outside of the project, or where only this file is known.
        """
        if self.project is None:
            return None
        name = self.resolve(node, scope)
        if name is None or _of_framework(name):
            return None
        if name not in self._elsewhere:
            self._elsewhere[name] = self.project.definition(name)
        return self._elsewhere[name]

    def once(self, make: Callable[[Module], T]) -> T:
        """Return what a function makes of this module, made when it is first needed."""
        if make not in self._made:
            self._made[make] = make(self)
        return self._made[make]  # type: ignore[return-value]

    def imports(self, root: str) -> bool:
        """Return whether a package is imported anywhere in it."""
        return root in self.once(_imported)

    def resolve(self, node: ast.expr, scope: Scope, depth: int = 0) -> str | None:
        """Return the full name of what an expression names, as `tensorflow.zeros`, or None.

        Imports are followed, with their aliases, and names that were assigned once.
        """
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return None
        base = self._resolve_name(node.id, scope, depth)
        if base is None:
            return None
        return canonical(".".join((base, *reversed(parts))))

    def _resolve_name(self, name: str, scope: Scope, depth: int) -> str | None:
        key = (name, scope)
        if key not in self._resolved:
            self._resolved[key] = None
            self._resolved[key] = self._look_up(name, scope, depth)
        return self._resolved[key]

    def _look_up(self, name: str, scope: Scope, depth: int) -> str | None:
        found = scope.find(name)
        if found is None:
            return "tensorflow" if name == "tf" and self.starred else None
        owner_scope, bindings = found
        imports = [binding.value for binding in bindings if binding.kind == "import"]
        if imports:
            return next((text for text in imports if _of_framework(text)), imports[0])  # type: ignore[return-value]
        only = bindings[0]
        if len(bindings) == 1 and isinstance(only.value, ast.IfExp) and depth < LONGEST_CHAIN:
            either = (only.value.body, only.value.orelse)
            ways = [self.resolve(expression, owner_scope, depth + 1) for expression in either]
            return ways[0] if all(way is not None and _of_framework(way) for way in ways) else None
        alias = len(bindings) == 1 and only.kind == "assign" and depth < LONGEST_CHAIN
        if alias and isinstance(only.value, (ast.Name, ast.Attribute)):
            return self.resolve(only.value, owner_scope, depth + 1)
        return None

    def callee(self, call: ast.Call, scope: Scope) -> Scope | None:
        """Return the function of this module that a call runs; the `__init__` of a class that it
        makes.
        """
        return self._function(call.func, scope)

    def function(self, node: ast.expr, scope: Scope) -> Scope | None:
        """Return the lambda that an expression is, or the function of this module that it names."""
        return self.functions.get(node) or self._function(node, scope)

    def _function(self, func: ast.expr, scope: Scope) -> Scope | None:
        if isinstance(func, ast.Name):
            found = scope.find(func.id)
            target = definition(found[1]) if found is not None else None
            if target is not None and target.is_class:
                return self.method(target, "__init__")
            if target is None and found is not None and len(found[1]) == 1:
                return self.functions.get(found[1][0].value)  # type: ignore[arg-type]
            return target
        if isinstance(func, ast.Attribute):
            owner = self.class_of(func.value, scope)
            return self.method(owner, func.attr) if owner is not None else None
        return None

    def class_of(self, node: ast.expr, scope: Scope) -> Scope | None:
        """Return the class of this module whose object, or which itself, an expression is."""
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name) and node.func.id == "super":
                method = method_scope(scope)
                return method.owner if method is not None else None
            node = node.func
        found = scope.find(node.id) if isinstance(node, ast.Name) else None
        if not isinstance(node, ast.Name) or found is None:
            return None
        owner_scope, bindings = found
        if node.id == owner_scope.itself and bindings[0].kind == "parameter":
            return owner_scope.owner
        target = definition(bindings) or self._made_by(owner_scope, bindings)
        return target if target is not None and target.is_class else None

    def _made_by(self, owner_scope: Scope, bindings: list[Binding]) -> Scope | None:
        """Return the class whose object a name got, where it got one only."""
        value = bindings[0].value
        if len(bindings) != 1 or not isinstance(value, ast.Call):
            return None
        found = owner_scope.find(value.func.id) if isinstance(value.func, ast.Name) else None
        return definition(found[1]) if found is not None else None

    def method(self, owner: Scope, name: str, depth: int = 0) -> Scope | None:
        """Return a method of a class, or of its bases where they stand in this module."""
        found = definition(owner.bindings.get(name, []))
        if found is not None or depth > LONGEST_CHAIN:
            return found
        for base in self.bases(owner):
            found = self.method(base, name, depth + 1)
            if found is not None:
                return found
        return None

    def bases(self, owner: Scope) -> Iterator[Scope]:
        """Yield the bases of a class that stand in this module."""
        for base in owner.node.bases if isinstance(owner.node, ast.ClassDef) else ():
            found = (
                owner.parent.find(base.id) if isinstance(base, ast.Name) and owner.parent else None
            )
            target = definition(found[1]) if found is not None else None
            if target is not None and target.is_class and target is not owner:
                yield target

    def is_a(self, owner: Scope, names: tuple[str, ...], depth: int = 0) -> bool:
        """Return whether a class has a base whose full name begins with one of some names."""
        if (
            not isinstance(owner.node, ast.ClassDef)
            or owner.parent is None
            or depth > LONGEST_CHAIN
        ):
            return False
        full = (self.resolve(base, owner.parent) or "" for base in owner.node.bases)
        return any(text.startswith(names) for text in full) or any(
            self.is_a(base, names, depth + 1) for base in self.bases(owner)
        )


def _imported(module: Module) -> set[str]:
    """Return the packages that are imported anywhere in a module."""
    scopes = (module.scope, *module.functions.values())
    return {
        str(entry.value).partition(".")[0]
        for scope in scopes
        for many in scope.bindings.values()
        for entry in many
        if entry.kind == "import"
    }


def _of_framework(name: object) -> bool:
    return isinstance(name, str) and name.partition(".")[0] in (
        "tensorflow",
        "keras",
        "torch",
        "tf_keras",
    )
