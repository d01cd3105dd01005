"""Which functions TensorFlow traces into graphs, and which loops AutoGraph makes one node of."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from perf_assets.lint.module import Module
from perf_assets.lint.scopes import FUNCTIONS, LoopAt, Scope, decorators, method_scope

KERAS_TRACED = (
    "keras.layers.",
    "keras.Model",
    "keras.models.Model",
    "keras.Layer",
    "tensorflow.Module",
    "keras.losses",
)

DEEPEST = 4  # names that stand for names
LISTS = re.compile(
    r"tensorflow\.(?:unstack|split|meshgrid|nest\.|config\.|io\.|compat\.v1\.trainable|trainable)"
)
"""Functions of TensorFlow that return a list of Python, over which a loop is unrolled."""

OF_PYTHON = re.compile(
    r"(?:list|tuple|dict|set|sequence|iterable|collection|int|float|bool|str)\b", re.IGNORECASE
)
DATASET = re.compile(r"(?:^|[._])(?:ds|dataset|datasets|data_?set)(?:$|[._])|_(?:ds|dataset)$")
"""Names of data sets: `train_ds`, `self.dataset`."""

PASSING = frozenset(("enumerate", "zip", "iter", "reversed"))


def is_traced_loop(module: Module, loop: LoopAt) -> bool:
    """Return whether AutoGraph makes one node of a loop, however often it runs: in a function that
    is traced, over a tensor or a data set, or while a tensor says so.

    What a traced function is given is a tensor, unless its annotation says that it is a list.
    """
    node = loop.node
    if isinstance(node, ast.For):
        decides = node.iter
    elif isinstance(node, ast.While):
        decides = node.test
    else:
        return False
    if module.once(traced_functions).isdisjoint(loop.scope.outwards()):
        return False
    if isinstance(node, ast.While):
        return any(
            _is_tensor(module, part, loop.scope)
            for part in ast.walk(decides)
            if isinstance(part, (ast.Name, ast.Call))
        )
    while (
        isinstance(decides, ast.Call)
        and isinstance(decides.func, ast.Name)
        and decides.func.id in PASSING
        and decides.args
    ):
        decides = decides.args[0]
    return _is_tensor(module, decides, loop.scope)


def _is_tensor(module: Module, node: ast.expr, scope: Scope, depth: int = 0) -> bool:
    """Return whether an expression is a tensor or a data set in a function that is traced."""
    if depth > DEEPEST:
        return False
    parts: list[ast.expr] = []
    if isinstance(node, ast.Name):
        return _is_named_tensor(module, node, scope, depth)
    if isinstance(node, ast.Attribute):
        return DATASET.search(ast.unparse(node)) is not None
    if isinstance(node, ast.Call):
        name = module.resolve(node.func, scope) or ""
        if name.startswith("tensorflow."):
            return LISTS.match(name) is None
        if isinstance(node.func, ast.Attribute):
            parts = [node.func.value]
        elif ast.unparse(node.func) in ("range", "xrange"):
            parts = [one for one in node.args if isinstance(one, (ast.Call, ast.Subscript))]
    elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.Call):
        parts = [node.value]
    return any(_is_tensor(module, part, scope, depth + 1) for part in parts)


def _is_named_tensor(module: Module, node: ast.Name, scope: Scope, depth: int) -> bool:
    found = scope.find(node.id)
    if found is None:
        return False
    owner, bindings = found
    if any(binding.kind == "parameter" for binding in bindings):
        return owner in module.once(traced_functions) and not _is_of_python(owner, node.id)
    return DATASET.search(node.id) is not None or any(
        isinstance(binding.value, ast.expr)
        and not isinstance(binding.value, ast.Name)
        and _is_tensor(module, binding.value, owner, depth + 1)
        for binding in bindings
    )


def _is_of_python(scope: Scope, name: str) -> bool:
    """Return whether a parameter is a list or the like by its annotation, or takes what is left."""
    spec = scope.node.args if isinstance(scope.node, FUNCTIONS) else None
    if spec is None:
        return True
    for one in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs):
        if one.arg == name:
            note = one.annotation
            return note is not None and OF_PYTHON.search(ast.unparse(note)) is not None
    return True


def is_tf_function(module: Module, decorator: ast.expr, scope: Scope) -> bool:
    """Return whether a decorator, or what is called, is `tf.function`, bare or with arguments."""
    if isinstance(decorator, ast.Call):
        name = module.resolve(decorator.func, scope) or ""
        if name == "functools.partial" and decorator.args:
            return is_tf_function(module, decorator.args[0], scope)
        return name in TF_FUNCTION
    return module.resolve(decorator, scope) in TF_FUNCTION


TF_FUNCTION = (
    "tensorflow.function",
    "tensorflow.contrib.eager.defun",
    "tensorflow.contrib.eager.function",
    "tensorflow.python.eager.def_function.function",
    "tensorflow.python.eager.polymorphic_function.polymorphic_function.function",
)


def may_have_functions(module: Module) -> bool:
    """Return whether the text of a module names `tf.function` in any way."""
    return any(name in module.text for name in (".function", "import function", "defun"))


def is_traced(module: Module, scope: Scope) -> bool:
    """Return whether a function is a `tf.function`: decorated so, or given to it."""
    if not isinstance(scope.node, FUNCTIONS) or scope.parent is None:
        return False
    decorated = any(
        is_tf_function(module, decorator, scope.parent) for decorator in decorators(scope)
    )
    return decorated or scope in module.once(_wrapped)


def _wrapped(module: Module) -> set[Scope]:
    """Return the functions that are given to `tf.function` by name."""
    found = set()
    for call, scope in module.calls:
        if call.args and module.resolve(call.func, scope) in TF_FUNCTION:
            found |= set(_named(module, call.args[0], scope))
    return found


def _named(module: Module, node: ast.expr, scope: Scope) -> Iterator[Scope]:
    if isinstance(node, ast.Name):
        found = scope.find(node.id)
        bindings = found[1] if found is not None else []
        yield from (binding.value for binding in bindings if isinstance(binding.value, Scope))
    elif isinstance(node, ast.Attribute):
        owner = module.class_of(node.value, scope)
        method = module.method(owner, node.attr) if owner is not None else None
        if method is not None:
            yield method


def traced_functions(module: Module) -> set[Scope]:
    """Return the functions that are traced into a graph, or are called by one that is."""
    found = {
        scope
        for scope in module.functions.values()
        if is_traced(module, scope) or _traced_by_keras(module, scope)
    }
    calls: dict[Scope, list[Scope]] = {}
    for call, scope in module.calls:
        callee = module.callee(call, scope)
        if callee is not None:
            calls.setdefault(scope, []).append(callee)
    edge = list(found)
    while edge:
        edge = [one for scope in edge for one in calls.get(scope, ()) if one not in found]
        found.update(edge)
    return found


def _traced_by_keras(module: Module, scope: Scope) -> bool:
    method = method_scope(scope)
    return (
        method is not None
        and method.owner is not None
        and method.name in ("call", "train_step", "test_step", "predict_step", "__call__")
        and module.is_a(method.owner, KERAS_TRACED)
    )
