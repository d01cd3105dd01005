"""One walk over a module: its scopes, loops and calls."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from perf_assets.lint.scopes import Function, Loop, LoopAt, Scope, bind, elements, method_scope


@dataclass(eq=False)
class Indexed:
    """What one walk finds.

    Attributes
    ----------
    scope
        The scope of the module.
    functions
        The scope of each function and lambda.
    loops
        The loops in the order of the source, outer ones first, each with the calls in it.
    calls
        All calls, with the scope that they stand in.
    globals
        Names that some function declares as global.
    starred
        Whether something is imported with `*`.
    """

    scope: Scope
    functions: dict[ast.AST, Scope] = field(default_factory=dict)
    loops: list[LoopAt] = field(default_factory=list)
    calls: list[tuple[ast.Call, Scope]] = field(default_factory=list)
    globals: set[str] = field(default_factory=set)
    starred: bool = False


def index(tree: ast.Module) -> Indexed:
    """Walk over a module."""
    found = Indexed(Scope(tree, None))
    _Index(found).statements(tree.body, found.scope, ())
    return found


class _Index:
    """The walk; every method takes the scope and the loops around the node."""

    def __init__(self, found: Indexed) -> None:
        self.found = found
        self.contexts: tuple[ast.expr, ...] = ()

    def statements(self, body: list[ast.stmt], scope: Scope, loops: tuple[LoopAt, ...]) -> None:
        for one in body:
            self.visit(one, scope, loops)

    def visit(self, node: ast.AST, scope: Scope, loops: tuple[LoopAt, ...]) -> None:
        special = _VISIT.get(type(node))
        if special is not None:
            special(self, node, scope, loops)
        else:
            self.children(node, scope, loops)

    def children(self, node: ast.AST, scope: Scope, loops: tuple[LoopAt, ...]) -> None:
        for name in node._fields:
            value = getattr(node, name)
            if isinstance(value, list):
                for one in value:
                    if isinstance(one, ast.AST):
                        self.visit(one, scope, loops)
            elif isinstance(value, ast.AST):
                self.visit(value, scope, loops)

    def name(self, node: ast.Name, scope: Scope, loops: tuple[LoopAt, ...]) -> None:
        pass

    def call(self, node: ast.Call, scope: Scope, loops: tuple[LoopAt, ...]) -> None:
        self.found.calls.append((node, scope))
        for loop in loops:
            loop.calls.append(node)
        self.children(node, scope, loops)

    def function(self, node: ast.FunctionDef, scope: Scope, loops: tuple[LoopAt, ...]) -> None:
        inner = self._open(node, scope)
        bind(scope, node.name, "function", inner, node)
        for one in (*node.decorator_list, *node.args.defaults, *node.args.kw_defaults):
            if one is not None:
                self.visit(one, scope, loops)
        kept, self.contexts = self.contexts, ()
        self.statements(node.body, inner, ())
        self.contexts = kept

    def lambda_(self, node: ast.Lambda, scope: Scope, loops: tuple[LoopAt, ...]) -> None:
        for default in (*node.args.defaults, *node.args.kw_defaults):
            if default is not None:
                self.visit(default, scope, loops)
        self.visit(node.body, self._open(node, scope), ())

    def _open(self, node: Function, scope: Scope) -> Scope:
        inner = Scope(node, scope)
        self.found.functions[node] = inner
        scope.inner[node] = inner
        for name in inner.parameters:
            bind(inner, name, "parameter", None, node)
        return inner

    def class_(self, node: ast.ClassDef, scope: Scope, loops: tuple[LoopAt, ...]) -> None:
        inner = Scope(node, scope)
        scope.inner[node] = inner
        bind(scope, node.name, "class", inner, node)
        for one in (*node.decorator_list, *node.bases, *node.keywords):
            self.visit(one, scope, loops)
        self.statements(node.body, inner, ())

    def import_(self, node: ast.Import, scope: Scope, loops: tuple[LoopAt, ...]) -> None:
        for name in node.names:
            if name.asname:
                bind(scope, name.asname, "import", name.name, node)
            else:
                root = name.name.partition(".")[0]
                bind(scope, root, "import", root, node)

    def import_from(self, node: ast.ImportFrom, scope: Scope, loops: tuple[LoopAt, ...]) -> None:
        base = "." * node.level + (node.module or "")
        for name in node.names:
            if name.name == "*":
                self.found.starred = True
                continue
            bind(scope, name.asname or name.name, "import", f"{base}.{name.name}", node)

    def assign(self, node: ast.Assign, scope: Scope, loops: tuple[LoopAt, ...]) -> None:
        for target in node.targets:
            self.target(target, node.value, node, scope)
            self.visit(target, scope, loops)
        self.visit(node.value, scope, loops)

    def annotated(self, node: ast.AnnAssign, scope: Scope, loops: tuple[LoopAt, ...]) -> None:
        if node.value is not None:
            self.target(node.target, node.value, node, scope)
            self.visit(node.value, scope, loops)

    def augmented(self, node: ast.AugAssign, scope: Scope, loops: tuple[LoopAt, ...]) -> None:
        self.target(node.target, None, node, scope)
        self.visit(node.target, scope, loops)
        self.visit(node.value, scope, loops)

    def walrus(self, node: ast.NamedExpr, scope: Scope, loops: tuple[LoopAt, ...]) -> None:
        bind(scope, node.target.id, "assign", node.value, node)
        self.visit(node.value, scope, loops)

    def target(self, node: ast.expr, value: ast.expr | None, at: ast.AST, scope: Scope) -> None:
        """Bind what is assigned to: names, attributes of the object, the parts of a tuple."""
        if isinstance(node, ast.Name):
            bind(scope, node.id, "other" if value is None else "assign", value, at)
        elif isinstance(node, (ast.Tuple, ast.List)):
            values: list[ast.expr | None] = [None] * len(node.elts)
            if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(node.elts):
                values = [*value.elts]
            for one, part in zip(node.elts, values):
                self.target(one, part, at, scope)
        elif isinstance(node, ast.Starred):
            self.target(node.value, None, at, scope)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            method = method_scope(scope)
            if method is not None and node.value.id == method.itself and method.owner is not None:
                method.owner.attributes.setdefault(node.attr, []).append((scope, value))

    def for_(self, node: ast.For, scope: Scope, loops: tuple[LoopAt, ...]) -> None:
        self.target(node.target, None, node, scope)
        self.visit(node.target, scope, loops)
        self.visit(node.iter, scope, loops)
        self.statements(node.body, scope, (*loops, self._loop(node, scope)))
        self.statements(node.orelse, scope, loops)

    def while_(self, node: ast.While, scope: Scope, loops: tuple[LoopAt, ...]) -> None:
        inside = (*loops, self._loop(node, scope))
        self.visit(node.test, scope, inside)
        self.statements(node.body, scope, inside)
        self.statements(node.orelse, scope, loops)

    def comprehension(self, node: ast.ListComp, scope: Scope, loops: tuple[LoopAt, ...]) -> None:
        self.visit(node.generators[0].iter, scope, loops)
        inside = (*loops, self._loop(node, scope))
        for at, one in enumerate(node.generators):
            if at:
                self.visit(one.iter, scope, inside)
            for test in one.ifs:
                self.visit(test, scope, inside)
        for part in elements(node):
            self.visit(part, scope, inside)

    def _loop(self, node: Loop, scope: Scope) -> LoopAt:
        loop = LoopAt(node, scope, contexts=self.contexts)
        self.found.loops.append(loop)
        return loop

    def with_(self, node: ast.With, scope: Scope, loops: tuple[LoopAt, ...]) -> None:
        for item in node.items:
            self.visit(item.context_expr, scope, loops)
            if item.optional_vars is not None:
                self.target(item.optional_vars, None, node, scope)
        kept = self.contexts
        self.contexts = (*kept, *(item.context_expr for item in node.items))
        self.statements(node.body, scope, loops)
        self.contexts = kept

    def handler(self, node: ast.ExceptHandler, scope: Scope, loops: tuple[LoopAt, ...]) -> None:
        if node.name:
            bind(scope, node.name, "other", None, node)
        self.statements(node.body, scope, loops)

    def global_(self, node: ast.Global, scope: Scope, loops: tuple[LoopAt, ...]) -> None:
        self.found.globals.update(node.names)


_VISIT: dict[type[ast.AST], Callable[[_Index, Any, Scope, tuple[LoopAt, ...]], None]] = {
    ast.Name: _Index.name,
    ast.Constant: _Index.name,
    ast.Call: _Index.call,
    ast.FunctionDef: _Index.function,
    ast.AsyncFunctionDef: _Index.function,
    ast.Lambda: _Index.lambda_,
    ast.ClassDef: _Index.class_,
    ast.Import: _Index.import_,
    ast.ImportFrom: _Index.import_from,
    ast.Assign: _Index.assign,
    ast.AnnAssign: _Index.annotated,
    ast.AugAssign: _Index.augmented,
    ast.NamedExpr: _Index.walrus,
    ast.For: _Index.for_,
    ast.AsyncFor: _Index.for_,
    ast.While: _Index.while_,
    ast.ListComp: _Index.comprehension,
    ast.SetComp: _Index.comprehension,
    ast.DictComp: _Index.comprehension,
    ast.GeneratorExp: _Index.comprehension,
    ast.With: _Index.with_,
    ast.AsyncWith: _Index.with_,
    ast.ExceptHandler: _Index.handler,
    ast.Global: _Index.global_,
    ast.Nonlocal: _Index.global_,
}
