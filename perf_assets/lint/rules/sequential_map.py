"""`map` and `interleave` of a dataset that use one core."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from enum import IntEnum

from perf_assets.lint.arguments import argument, arguments, unpacks
from perf_assets.lint.context import is_graph_code
from perf_assets.lint.effects import PURE_BUILTINS
from perf_assets.lint.findings import Severity
from perf_assets.lint.fixes import Edit, argument_added
from perf_assets.lint.module import Hit, Module
from perf_assets.lint.pipelines import mapped_function, pipelines
from perf_assets.lint.rules.rule import API_USAGE, Rule
from perf_assets.lint.scopes import Scope

# Where num_parallel_calls stands by position, counted from one.
POSITION = {"map": 2, "map_with_legacy_function": 2, "interleave": 4}
GIVEN = frozenset(
    ("num_parallel_calls", "num_threads")
)  # num_threads: tf.contrib.data of TensorFlow 1.2
FUSED = frozenset(
    f"tensorflow.{module}.map_and_batch" for module in ("data.experimental", "contrib.data")
)
FUSED_GIVEN = frozenset(("num_parallel_calls", "num_parallel_batches"))
DEEPEST = 3  # functions within functions

WORK = re.compile(
    r"(?:^|[._])(?:decode|parse|read|load|open|resiz|augment|preprocess|process|distort|rotate"
    r"|warp|jitter|adjust_|tokeni[sz]|extract|transform|featuri[sz]|spectrogram|stft|mfcc"
    r"|numpy_function|py_func|string_split"
    r"|regex_replace|lookup|encode|to_tensor|from_string)",
    re.IGNORECASE,
)
"""Names of functions that take long enough for one core to be too slow."""

MODULES = ("image", "audio", "signal", "io", "strings")
"""Modules of TensorFlow whose functions do, but for some that only cut or turn."""

LIGHT = re.compile(
    r"crop|flip|transpose|convert_image_dtype|rot90|reshape"
    r"|strings\.(?:join|length|substr|bytes_split|to_hash_bucket|to_number|as_string|lower|upper|strip)"
)

IN_TURN = re.compile(r"\bget_next(?:_\w+)?\b|\bnext\(|\biter\(")
"""What gives another value each time, so that elements must be made in turn."""

HANDLE = re.compile(r"(?:^|[._])(?:resource|handle|reader|cursor|connection)$")
"""What is open outside of a function that reads from it: reads of one may have to wait in turn."""


CHANCE = re.compile(
    r"random|shuffle|py_func|numpy_function|print|Variable|assign|summary|lookup|queue|contrib|cond"
    r"|while_loop|map_fn|scan|fold|keras|uniform|normal|dropout",
    re.IGNORECASE,
)
"""Functions of TensorFlow that give another value each time, change something, or may."""


class Work(IntEnum):
    """What a function that is mapped does."""

    LITTLE = 0
    MUCH = 1
    IN_TURN = 2


def find(module: Module) -> Iterator[Hit]:
    """Yield calls without `num_parallel_calls`; notes where the function does little, or may."""
    scopes = dict(module.calls)
    for call, describes in module.once(pipelines).calls.items():
        name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        if name not in POSITION or _is_parallel(call, POSITION[name]):
            continue
        work = max(
            (
                _work(module, expression, scopes.get(call, module.scope))
                for expression in argument(call, ("map_func",), 1)
            ),
            default=Work.LITTLE,
        )
        if name == "interleave":  # it opens files
            work = max(work, Work.MUCH)
        if work is not Work.IN_TURN:
            is_said = bool(argument(call, GIVEN, POSITION[name]))  # that there is to be none
            warns = work is Work.MUCH and not describes and not is_said
            severity = Severity.WARNING if warns else Severity.NOTE
            yield _hit(call, name, severity, _parallel(module, call, scopes[call]))
    for call, scope in module.calls:
        if module.resolve(call.func, scope) in FUSED and not unpacks(call):
            given = argument(call, FUSED_GIVEN, 3)
            if not given and not argument(call, FUSED_GIVEN, 5):
                yield _hit(call, "map_and_batch", Severity.WARNING)


def _hit(call: ast.Call, name: str, severity: Severity, edits: tuple[Edit, ...] = ()) -> Hit:
    return Hit(
        call,
        severity,
        f"{name} prepares one element after the other on one core, while the others and the GPU "
        f"wait: give {name} num_parallel_calls=tf.data.AUTOTUNE",
        edits=edits,
    )


def _parallel(module: Module, call: ast.Call, scope: Scope) -> tuple[Edit, ...]:
    """Return what lets a `map` run in parallel, where its function is known to be a function of its
    input.

    Elements keep their order; what draws random numbers or counts would give them other ones.
    """
    alias = next(
        (
            name
            for name, bindings in module.scope.bindings.items()
            if any(
                binding.kind == "import" and binding.value == "tensorflow" for binding in bindings
            )
        ),
        None,
    )
    if alias is None or not _is_pure(module, next(iter(call.args), None), scope):
        return ()
    old = "experimental.AUTOTUNE" in module.text or module.once(is_graph_code)
    parent = f"{alias}.data.experimental" if old else f"{alias}.data"
    return argument_added(module.lines, call, f"num_parallel_calls={parent}.AUTOTUNE")


def _is_pure(module: Module, node: ast.expr | None, scope: Scope, depth: int = 0) -> bool:
    """Return whether all that a function calls is known to give the same for the same input."""
    function = None if node is None else mapped_function(module, node, scope)
    if function is None:
        name = None if node is None else module.resolve(node, scope)
        return name is not None and _is_pure_name(name)
    changes = (ast.Global, ast.Nonlocal, ast.Yield, ast.YieldFrom, ast.Await)
    if depth > DEEPEST or any(isinstance(item, changes) for item in ast.walk(function.node)):
        return False
    return all(
        _is_pure_call(module, one, where, depth) for one, where in _calls_in(module, function)
    )


def _is_pure_call(module: Module, call: ast.Call, scope: Scope, depth: int) -> bool:
    name = module.resolve(call.func, scope)
    if name is not None:
        return _is_pure_name(name)
    if isinstance(call.func, ast.Name) and scope.find(call.func.id) is None:
        return call.func.id in PURE_BUILTINS
    return _is_pure(module, call.func, scope, depth + 1)


def _is_pure_name(name: str) -> bool:
    return name.startswith("tensorflow.") and not CHANCE.search(name)


def _is_parallel(call: ast.Call, position: int) -> bool:
    """Return whether the number of parallel calls is given, or may be in what is unpacked."""
    given = argument(call, GIVEN, position)
    return unpacks(call) or any(
        not (isinstance(expression, ast.Constant) and expression.value is None)
        for expression in given
    )


def _work(module: Module, node: ast.expr, scope: Scope, depth: int = 0) -> Work:
    """Return what a function does, followed through those of the module; judged by name beyond."""
    inner = mapped_function(module, node, scope)
    if inner is not None:
        return _work_of(module, inner, depth)
    other = module.elsewhere(node, scope)
    if other is not None:
        return _work_of(*other, depth + 1)
    if isinstance(node, ast.Call) and node.args:  # functools.partial(f, ...), make_parser(...)
        made = module.resolve(node.func, scope)
        if made == "functools.partial":
            return _work(module, node.args[0], scope, depth)
    values = scope.values(node.id) if isinstance(node, ast.Name) else []
    texts = [ast.unparse(value) for value in (node, *values) if isinstance(value, ast.expr)]
    return Work.MUCH if any(_is_much(text.partition("(")[0]) for text in texts) else Work.LITTLE


def _work_of(module: Module, function: Scope, depth: int) -> Work:
    if any(_gives_in_turn(function, node) for node in ast.walk(function.node)):
        return Work.IN_TURN
    most = Work.LITTLE
    for call, scope in _calls_in(module, function):
        if any(HANDLE.search(ast.unparse(expression)) for expression in arguments(call)):
            continue
        inner = module.callee(call, scope) if depth < DEEPEST else None
        other = module.elsewhere(call.func, scope) if depth < DEEPEST and inner is None else None
        if inner is not None and inner is not function:
            most = max(most, _work_of(module, inner, depth + 1))
        elif other is not None:
            most = max(most, _work_of(*other, depth + 1))
        elif _is_much(module.resolve(call.func, scope) or ast.unparse(call.func)):
            most = max(most, Work.MUCH)
    return most


def _is_much(name: str) -> bool:
    """Return whether a function, known by name alone, does much."""
    root, _, rest = name.partition(".")
    of_framework = root == "tensorflow" and rest.partition(".")[0] in MODULES
    last = name.rpartition(".")[2]
    return not LIGHT.search(rest if of_framework else last) and (
        of_framework or WORK.search(last) is not None
    )


def _calls_in(module: Module, function: Scope) -> list[tuple[ast.Call, Scope]]:
    nodes = set(ast.walk(function.node))
    return [(call, scope) for call, scope in module.calls if call in nodes]


def _gives_in_turn(function: Scope, node: ast.AST) -> bool:
    """Return whether a node draws from an iterator that is made outside of the function."""
    if isinstance(node, ast.Call):
        return bool(IN_TURN.search(ast.unparse(node.func) + "("))
    if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load):
        return False
    found = function.find(node.id)
    if found is None or found[0] is function or isinstance(found[0].node, ast.Module):
        return False
    return any(
        isinstance(entry.value, ast.expr) and IN_TURN.search(ast.unparse(entry.value))
        for entry in found[1]
    )


SEQUENTIAL_MAP = Rule(
    name="sequential-map",
    code="PA103",
    summary="map or interleave of a tf.data.Dataset without num_parallel_calls",
    severity=Severity.WARNING,
    on=True,
    find=find,
    cause=API_USAGE,
)
