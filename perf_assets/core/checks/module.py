"""The facts of one module that rules ask for.

Built on `ast` with a resolver of its own. Measured on 1,300 files of tensorflow/agents, tensorforce
and OpenNMT-tf (8.6 kB on average; `tests/benchmarks/check_speed.py` measures it again): parsing with
`ast` alone does MEASURED.
"""

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, TypeVar

from perf_assets.core.checks.findings import Context, Related, Severity
from perf_assets.frameworks.operations import canonical

T = TypeVar("T")
Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Loop = (
    ast.For
    | ast.AsyncFor
    | ast.While
    | ast.ListComp
    | ast.SetComp
    | ast.DictComp
    | ast.GeneratorExp
)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
LONGEST_CHAIN = 8  # of names that stand for names


class Hit(NamedTuple):
    """A place that a rule found: the call or decorator, how much it matters, what to say."""

    node: ast.expr
    severity: Severity
    message: str
    related: tuple[Related, ...] = ()


class Binding(NamedTuple):
    """One way in which a name gets a value.

    `kind` is one of `import`, `assign`, `parameter`, `function`, `class`, `other`; `value` is the
    dotted name of an import, the expression of a plain assignment, or None.
    """

    kind: str
    value: "str | ast.expr | Scope | None"
    node: ast.AST


@dataclass(eq=False)
class Scope:
    """A module, class, function or lambda, with the names bound in it."""

    node: ast.Module | ast.ClassDef | Function
    parent: "Scope | None"
    bindings: dict[str, list[Binding]] = field(default_factory=dict)
    inner: dict[ast.AST, "Scope"] = field(default_factory=dict)
    attributes: dict[str, list[tuple["Scope", ast.expr | None]]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The name of the function or class."""
        return getattr(self.node, "name", "")

    @property
    def is_class(self) -> bool:
        """Whether this is the body of a class, whose names its methods do not see."""
        return isinstance(self.node, ast.ClassDef)

    @cached_property
    def owner(self) -> "Scope | None":
        """The class whose method this is."""
        return self.parent if self.parent is not None and self.parent.is_class else None

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """The names of the parameters by position, then those by keyword; `*args` and the like last."""
        if not isinstance(self.node, Function):
            return ()
        spec = self.node.args
        plain = [*spec.posonlyargs, *spec.args, *spec.kwonlyargs]
        rest = [one for one in (spec.vararg, spec.kwarg) if one is not None]
        return tuple(one.arg for one in (*plain, *rest))

    @cached_property
    def itself(self) -> str | None:
        """What a method calls its object: its first parameter."""
        static = any(
            isinstance(one, ast.Name) and one.id == "staticmethod" for one in decorators(self)
        )
        return (
            self.parameters[0]
            if self.owner is not None and self.parameters and not static
            else None
        )

    def find(self, name: str) -> "tuple[Scope, list[Binding]] | None":
        """Where a name that is used here is bound, and how."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.bindings and (scope is self or not scope.is_class):
                return scope, scope.bindings[name]
            scope = scope.parent
        return None


@dataclass(eq=False)
class LoopAt:
    """A loop, where it stands."""

    node: Loop
    scope: Scope
    calls: list[ast.Call] = field(default_factory=list)


def decorators(scope: Scope) -> list[ast.expr]:
    """The decorators of a function."""
    return scope.node.decorator_list if isinstance(scope.node, FUNCTIONS) else []


class Module:
    """A module: its scopes, its loops with the calls in them, its calls by name of what is called."""

    def __init__(self, tree: ast.Module, text: str, context: Context) -> None:
        self.tree = tree
        self.text = text
        self.context = context
        self.scope = Scope(tree, None)
        self.functions: dict[ast.AST, Scope] = {}
        self.loops: list[LoopAt] = []
        self.calls: list[tuple[ast.Call, Scope]] = []
        self.globals: set[str] = set()
        self.starred = False
        self._resolved: dict[tuple[str, Scope], str | None] = {}
        self._made: dict[object, object] = {}
        _Index(self).statements(tree.body, self.scope, ())

    def once(self, make: "Callable[[Module], T]") -> "T":
        """What a function makes of this module, made when it is first asked for."""
        if make not in self._made:
            self._made[make] = make(self)
        return self._made[make]  # type: ignore[return-value]

    def imports(self, root: str) -> bool:
        """Whether a package is imported anywhere in it."""
        scopes = (self.scope, *self.functions.values())
        bound = (one for scope in scopes for many in scope.bindings.values() for one in many)
        return any(
            one.kind == "import" and str(one.value).partition(".")[0] == root for one in bound
        )

    def resolve(self, node: ast.expr, scope: Scope, depth: int = 0) -> str | None:
        """The full name of what an expression names, as `tensorflow.zeros`; None where it names nothing.

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
        place, bindings = found
        imports = [one.value for one in bindings if one.kind == "import"]
        if imports:
            return next((one for one in imports if _of_framework(one)), imports[0])  # type: ignore[return-value]
        only = bindings[0]
        if (
            len(bindings) == 1
            and only.kind == "assign"
            and isinstance(only.value, ast.Name | ast.Attribute)
        ):
            return self.resolve(only.value, place, depth + 1) if depth < LONGEST_CHAIN else None
        return None

    def callee(self, call: ast.Call, scope: Scope) -> Scope | None:
        """The function of this module that a call runs; the `__init__` of a class that it makes."""
        return self._function(call.func, scope)

    def _function(self, func: ast.expr, scope: Scope) -> Scope | None:
        if isinstance(func, ast.Name):
            found = scope.find(func.id)
            target = _definition(found[1]) if found is not None else None
            if target is not None and target.is_class:
                return self.method(target, "__init__")
            return target
        if isinstance(func, ast.Attribute):
            owner = self.class_of(func.value, scope)
            return self.method(owner, func.attr) if owner is not None else None
        return None

    def class_of(self, node: ast.expr, scope: Scope) -> Scope | None:
        """The class of this module whose object, or which itself, an expression is."""
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name) and node.func.id == "super":
                return method_scope(scope).owner if method_scope(scope) is not None else None  # type: ignore[union-attr]
            node = node.func
        if not isinstance(node, ast.Name):
            return None
        found = scope.find(node.id)
        if found is None:
            return None
        place, bindings = found
        if node.id == place.itself and bindings[0].kind == "parameter":
            return place.owner
        target = _definition(bindings)
        if target is not None:
            return target if target.is_class else None
        if len(bindings) == 1 and isinstance(bindings[0].value, ast.Call):
            func = bindings[0].value.func
            inner = place.find(func.id) if isinstance(func, ast.Name) else None
            made = _definition(inner[1]) if inner is not None else None
            return made if made is not None and made.is_class else None
        return None

    def method(self, owner: Scope, name: str, depth: int = 0) -> Scope | None:
        """A method of a class, or of its bases where they stand in this module."""
        found = _definition(owner.bindings.get(name, []))
        if found is not None or depth > LONGEST_CHAIN:
            return found
        for base in self.bases(owner):
            found = self.method(base, name, depth + 1)
            if found is not None:
                return found
        return None

    def bases(self, owner: Scope) -> Iterator[Scope]:
        """The bases of a class that stand in this module."""
        for base in owner.node.bases if isinstance(owner.node, ast.ClassDef) else ():
            found = (
                owner.parent.find(base.id) if isinstance(base, ast.Name) and owner.parent else None
            )
            target = _definition(found[1]) if found is not None else None
            if target is not None and target.is_class and target is not owner:
                yield target

    def is_a(self, owner: Scope, names: tuple[str, ...], depth: int = 0) -> bool:
        """Whether a class has a base whose full name begins with one of some names."""
        if (
            not isinstance(owner.node, ast.ClassDef)
            or owner.parent is None
            or depth > LONGEST_CHAIN
        ):
            return False
        full = (self.resolve(base, owner.parent) or "" for base in owner.node.bases)
        return any(one.startswith(names) for one in full) or any(
            self.is_a(base, names, depth + 1) for base in self.bases(owner)
        )


def method_scope(scope: Scope) -> Scope | None:
    """The method around a place, the place's own function first."""
    at: Scope | None = scope
    while at is not None and at.owner is None:
        at = at.parent
    return at


def _definition(bindings: list[Binding]) -> Scope | None:
    found = [one.value for one in bindings if one.kind in ("function", "class")]
    return found[-1] if found and len(found) == len(bindings) else None  # type: ignore[return-value]


def _of_framework(name: object) -> bool:
    return isinstance(name, str) and name.partition(".")[0] in (
        "tensorflow",
        "keras",
        "torch",
        "tf_keras",
    )


class _Index:
    """One walk over a module that fills its scopes, loops and calls."""

    def __init__(self, module: Module) -> None:
        self.module = module

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
        self.module.calls.append((node, scope))
        for loop in loops:
            loop.calls.append(node)
        self.children(node, scope, loops)

    def function(self, node: ast.FunctionDef, scope: Scope, loops: tuple[LoopAt, ...]) -> None:
        inner = self._open(node, scope)
        bind(scope, node.name, "function", inner, node)
        for one in (*node.decorator_list, *node.args.defaults, *node.args.kw_defaults):
            if one is not None:
                self.visit(one, scope, loops)
        self.statements(node.body, inner, ())

    def lambda_(self, node: ast.Lambda, scope: Scope, loops: tuple[LoopAt, ...]) -> None:
        for one in (*node.args.defaults, *node.args.kw_defaults):
            if one is not None:
                self.visit(one, scope, loops)
        self.visit(node.body, self._open(node, scope), ())

    def _open(self, node: Function, scope: Scope) -> Scope:
        inner = Scope(node, scope)
        self.module.functions[node] = inner
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
        for one in node.names:
            if one.asname:
                bind(scope, one.asname, "import", one.name, node)
            else:
                root = one.name.partition(".")[0]
                bind(scope, root, "import", root, node)

    def import_from(self, node: ast.ImportFrom, scope: Scope, loops: tuple[LoopAt, ...]) -> None:
        base = "." * node.level + (node.module or "")
        for one in node.names:
            if one.name == "*":
                self.module.starred = True
                continue
            bind(scope, one.asname or one.name, "import", f"{base}.{one.name}", node)

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
        elif isinstance(node, ast.Tuple | ast.List):
            values: list[ast.expr | None] = [None] * len(node.elts)
            if isinstance(value, ast.Tuple | ast.List) and len(value.elts) == len(node.elts):
                values = [*value.elts]
            for one, part in zip(node.elts, values, strict=True):
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
        loop = LoopAt(node, scope)
        self.module.loops.append(loop)
        return loop

    def with_(self, node: ast.With, scope: Scope, loops: tuple[LoopAt, ...]) -> None:
        for item in node.items:
            self.visit(item.context_expr, scope, loops)
            if item.optional_vars is not None:
                self.target(item.optional_vars, None, node, scope)
        self.statements(node.body, scope, loops)

    def handler(self, node: ast.ExceptHandler, scope: Scope, loops: tuple[LoopAt, ...]) -> None:
        if node.name:
            bind(scope, node.name, "other", None, node)
        self.statements(node.body, scope, loops)

    def global_(self, node: ast.Global, scope: Scope, loops: tuple[LoopAt, ...]) -> None:
        self.module.globals.update(node.names)


def elements(
    node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp,
) -> tuple[ast.expr, ...]:
    """What a comprehension makes for each item."""
    return (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,)


def bind(
    scope: Scope, name: str, kind: str, value: "str | ast.expr | Scope | None", node: ast.AST
) -> None:
    """Note one more way in which a name gets a value."""
    scope.bindings.setdefault(name, []).append(Binding(kind, value, node))


_VISIT = {
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
