"""Values that must be datasets of `tf.data` by what is done with them.

Where a dataset comes from another file, nothing says what it is but its use. `prefetch`,
`padded_batch`, `num_parallel_calls` and `drop_remainder` belong to `tf.data` alone in a module that
imports TensorFlow and no other library with pipelines; so does a value that is called a dataset,
with `batch` and `map`, `shuffle` or `repeat`, and one whose `map` is given a function that calls
TensorFlow's on its elements.
"""

from __future__ import annotations

import ast
import re

from perf_assets.lint.module import Module
from perf_assets.lint.scopes import Binding, Scope

ALONE = frozenset(
    (
        *("prefetch", "padded_batch", "interleave", "map_with_legacy_function", "with_options"),
        *("make_one_shot_iterator", "make_initializable_iterator", "as_numpy_iterator"),
    )
)
TOGETHER = frozenset(("map", "shuffle", "repeat", "take", "skip", "cache", "filter"))
WORDS = frozenset(("num_parallel_calls", "drop_remainder", "reshuffle_each_iteration"))
CALLED_SO = re.compile(r"(?:^|[_.\W])(?:ds|data_?sets?)(?:$|[_\W\d])", re.IGNORECASE)
METHODS = ALONE | TOGETHER | {"batch"}
OTHERS = frozenset(
    (
        "torch",
        "torchdata",
        "datasets",
        "grain",
        "ray",
        "pyspark",
        "apache_beam",
        "webdataset",
        "dask",
    )
)


def evident_names(module: Module, scope: Scope) -> frozenset[str]:
    """Return the names, attributes (`self.ds`) and calls (as text) of a function that must be
    datasets.
    """
    return module.once(_evident).get(scope, frozenset())


def _evident(module: Module) -> dict[Scope, frozenset[str]]:
    if not _only_tensorflow(module):
        return {}
    chains: dict[Scope, list[ast.Call]] = {}
    for call, scope in module.calls:
        if isinstance(call.func, ast.Attribute) and call.func.attr in METHODS:
            chains.setdefault(scope, []).append(call)
    return {scope: _by_use(module, scope, calls) for scope, calls in chains.items()}


def _by_use(module: Module, scope: Scope, calls: list[ast.Call]) -> frozenset[str]:
    uses: dict[str, set[str]] = {}
    sure: set[str] = set()
    for call in calls:
        func = call.func
        assert isinstance(func, ast.Attribute)
        for root in _roots(func.value):
            uses.setdefault(root, set()).add(func.attr)
            if func.attr in ("map", "batch", "shuffle") and WORDS & {
                word.arg for word in call.keywords
            }:
                sure.add(root)
            if func.attr == "map" and _maps_tensors(module, scope, call):
                sure.add(root)
    for name, bindings in scope.bindings.items():
        for binding in bindings:
            if isinstance(binding.value, ast.Call):  # one pipeline with the name that it gets
                for root in _roots(binding.value):
                    uses.setdefault(root, set()).update(uses.get(name, set()))
    found = sure | {
        name
        for name, methods in uses.items()
        if methods & ALONE or ("batch" in methods and methods & TOGETHER and CALLED_SO.search(name))
    }
    return frozenset(name for name in found if not _is_determined(module, name, scope))


def _maps_tensors(module: Module, scope: Scope, call: ast.Call) -> bool:
    """Return whether a call has one function as its argument, which gives its own to
    TensorFlow's.
    """
    if len(call.args) != 1 or call.keywords:
        return False
    node = call.args[0]
    inner = module.function(node, scope)
    where = (module, inner) if inner is not None else module.elsewhere(node, scope)
    return where is not None and _gives_to_tensorflow(*where)


def _gives_to_tensorflow(module: Module, function: Scope) -> bool:
    own = set(function.parameters)
    return any(
        isinstance(node, ast.Call)
        and (module.resolve(node.func, function) or "").startswith("tensorflow.")
        and any(isinstance(one, ast.Name) and one.id in own for one in ast.walk(node))
        for node in ast.walk(function.node)
    )


def _is_determined(module: Module, name: str, scope: Scope) -> bool:
    """Return whether it can be determined what a name or call is: a module, or an object of some
    class.
    """
    node = ast.parse(name, mode="eval").body
    if isinstance(node, ast.Call):
        return _makes_object(module, node, scope)
    if module.resolve(node, scope) is not None:
        return True
    values: list[object] = []
    if isinstance(node, ast.Name):
        where, bindings = scope.find(name) or (scope, [])
        values = [binding.value for binding in bindings]
        if any(binding.kind == "parameter" for binding in bindings) and _is_annotated(where, name):
            return True
    elif isinstance(node, ast.Attribute):
        owner = module.class_of(node.value, scope)
        values = [value for _, value in owner.attributes.get(node.attr, [])] if owner else []
    return any(isinstance(one, ast.Call) and _makes_object(module, one, scope) for one in values)


def _makes_object(module: Module, call: ast.Call, scope: Scope) -> bool:
    """Return whether a chain of calls begins with a class, seen by its capital, of another
    library.
    """
    node: ast.expr = call
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        inner = node.func.value
        if not isinstance(inner, ast.Call):
            break
        node = inner
    func = node.func if isinstance(node, ast.Call) else node
    name = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
    full = module.resolve(func, scope) or ""
    return name[:1].isupper() and not full.startswith(("tensorflow", "keras"))


def _is_annotated(where: Scope, name: str) -> bool:
    """Return whether a parameter has an annotation; datasets are recognised by it earlier."""
    spec = getattr(where.node, "args", None)
    for one in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs) if spec is not None else ():
        if one.arg == name and one.annotation is not None:
            return ast.unparse(one.annotation).rpartition(".")[2] not in ("Any", "object")
    return False


def _roots(node: ast.expr) -> list[str]:
    """Return what a chain of calls begins with: a name, an attribute, or an unknown call."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        inner = node.func.value
        if not isinstance(inner, ast.Call):
            if node.func.attr in METHODS:
                return _plain(inner)
            return [ast.unparse(node)]
        node = inner
    return [ast.unparse(node)] if isinstance(node, ast.Call) else _plain(node)


def _plain(node: ast.expr) -> list[str]:
    if isinstance(node, ast.Name):
        return [node.id]
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return [ast.unparse(node)]
    return []


def _only_tensorflow(module: Module) -> bool:
    bound: list[Binding] = [one for many in module.scope.bindings.values() for one in many]
    roots = {str(one.value).partition(".")[0] for one in bound if one.kind == "import"}
    return bool(roots & {"tensorflow", "keras"} or module.starred) and not roots & OTHERS
