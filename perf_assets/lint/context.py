"""What a file is for, and whether its operations become nodes of a graph."""

from __future__ import annotations

import ast
import re
from pathlib import PurePosixPath

from perf_assets.lint.autograph import traced_functions
from perf_assets.lint.findings import Context
from perf_assets.lint.module import Module
from perf_assets.lint.scopes import LoopAt, Scope, constant
from perf_assets.lint.variance import Run

TEST_FOLDERS = frozenset(
    ("test", "tests", "testing", "unittests", "unit_tests", "integration_tests")
)
TEST_FILE = re.compile(r"^(?:test_.*|.*_tests?|conftest)\.(?:py|ipynb)$")
TEST_MODULES = frozenset(("unittest", "pytest", "absl.testing", "nose"))
EXAMPLE_FOLDERS = re.compile(
    r"^(?=.*$)(?:.*[_-])?(?:examples?|demos?|tutorials?|samples?|notebooks|docs?|labs?|benchmarks?)(?:[_-]|$)"
)
EXAMPLE_FILE = re.compile(
    r"^(?:.*[_-])?(?:demo|tutorial|bench|benchmark)s?\.py$|^bench(?:mark)?_.*\.py$|^examples?\.py$|.*\.ipynb$"
)
GRAPH_ONLY = re.compile(
    r"^tensorflow\.(?:contrib|layers|placeholder|Session|InteractiveSession|"
    r"get_variable|variable_scope|global_variables_initializer|initialize_all_variables|"
    r"reset_default_graph|disable_eager_execution|disable_v2_behavior|train\.Saver|"
    r"truncated_normal|random_normal|random_uniform|to_float|to_int32|log|"
    r"train\.(?:\w+Optimizer|MonitoredTrainingSession)|summary\.merge_all|trainable_variables|"
    r"train\.get_or_create_global_step|estimator|local_variables_initializer|get_collection)\b"
)
EAGER = frozenset(("tensorflow.enable_eager_execution", "tensorflow.enable_v2_behavior"))


def context_of(path: str, tree: ast.Module) -> Context:
    """Tell library code, examples and tests apart, by path in the project and by imports."""
    pure = PurePosixPath(path)
    folders = [part.lower() for part in pure.parts[:-1]]
    if TEST_FILE.match(pure.name) or TEST_FOLDERS & set(folders) or _imports_tests(tree):
        return Context.TEST
    if EXAMPLE_FILE.match(pure.name.lower()) or any(
        EXAMPLE_FOLDERS.match(folder) for folder in folders
    ):
        return Context.EXAMPLE
    return Context.LIBRARY


def _imports_tests(tree: ast.Module) -> bool:
    for node in tree.body:
        if isinstance(node, ast.Import) and any(name.name in TEST_MODULES for name in node.names):
            return True
        if isinstance(node, ast.ImportFrom) and node.module in TEST_MODULES:
            return True
    return False


def is_graph_code(module: Module) -> bool:
    """Return whether a module builds graphs as TensorFlow 1 did: it uses what only that has."""
    names = {module.resolve(call.func, scope) or "" for call, scope in module.calls}
    return not names & EAGER and any(GRAPH_ONLY.match(name) for name in names)


def makes_nodes(module: Module, run: Run, loop: LoopAt) -> bool:
    """Return whether a repeated call adds a node each time, rather than computing at once.

    It does in graph code, where a graph is entered around the loop, inside `tf.function`, and in
    the methods of layers and models that Keras traces, be it around the call or around one that
    leads to it.
    """
    if any(_enters_graph(module, context, loop.scope) for context in loop.contexts):
        return True
    scopes: list[Scope] = [run.scope]
    while run.outer is not None:
        run = run.outer
        scopes.append(run.scope)
    traced = module.once(traced_functions)
    if any(around in traced for scope in scopes for around in scope.outwards()):
        return True
    return module.once(is_graph_code)


def _enters_graph(module: Module, node: ast.expr, scope: Scope) -> bool:
    """Return whether a context is that of a graph: `tf.Graph().as_default()`,
    `graph.as_default()`.
    """
    func = node.func if isinstance(node, ast.Call) else None
    if not isinstance(func, ast.Attribute) or func.attr != "as_default":
        return False
    made = constant(func.value.id, scope) if isinstance(func.value, ast.Name) else None
    is_graph = isinstance(made, ast.Call) and module.resolve(made.func, scope) == "tensorflow.Graph"
    return is_graph or "raph" in ast.unparse(func)
