"""Values that must be datasets of `tf.data` by what is done with them.

Where a dataset comes from another file, nothing says what it is but its use. `prefetch`,
`padded_batch`, `num_parallel_calls` and `drop_remainder` belong to `tf.data` alone among what a module
that imports TensorFlow, and no other library with pipelines, works with; so does one value with `batch`
and `map`, `shuffle` or `repeat`.
"""

import ast

from perf_assets.core.checks.module import FUNCTIONS, Binding, Module, Scope

ALONE = frozenset(
    [
        "prefetch",
        "padded_batch",
        "interleave",
        "map_with_legacy_function",
        "make_one_shot_iterator",
        "with_options",
        "make_initializable_iterator",
        "as_numpy_iterator",
    ]
)
TOGETHER = frozenset(("map", "shuffle", "repeat", "take", "skip", "cache", "filter"))
WORDS = frozenset(("num_parallel_calls", "drop_remainder", "reshuffle_each_iteration"))
OTHERS = frozenset(
    [
        "torch",
        "torchdata",
        "datasets",
        "grain",
        "ray",
        "pyspark",
        "apache_beam",
        "webdataset",
        "dask",
        "jax_datasets",
        "multiprocessing_on_dill",
        "petastorm",
        "tensorflow_transform",
        "tensorpack",
        "dataflow",
    ]
)


def evident_names(module: Module, scope: Scope) -> frozenset[str]:
    """The names, attributes (`self.ds`) and calls (as text) of a function that must be datasets."""
    if not isinstance(scope.node, (*FUNCTIONS, ast.Module)) or not _only_tensorflow(module):
        return frozenset()
    uses: dict[str, set[str]] = {}
    sure: set[str] = set()
    for node in _own(scope.node):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            for root in _roots(node.func.value):
                uses.setdefault(root, set()).add(node.func.attr)
                if any(word.arg in WORDS for word in node.keywords) and node.func.attr in (
                    "map",
                    "batch",
                    "shuffle",
                ):
                    sure.add(root)
        elif isinstance(node, ast.Assign) and len(node.targets) == 1:
            _join(uses, sure, node)
    found = {
        name
        for name, methods in uses.items()
        if methods & ALONE or ("batch" in methods and methods & TOGETHER)
    }
    known = {
        name
        for name in found | sure
        if module.resolve(ast.parse(name, mode="eval").body, scope) is None
    }
    return frozenset(known)


def _join(uses: dict[str, set[str]], sure: set[str], node: ast.Assign) -> None:
    """Let the value of `x = call().map(…)` have the uses of `x` too: they are one pipeline."""
    if isinstance(node.targets[0], ast.Name | ast.Attribute) and isinstance(node.value, ast.Call):
        target = ast.unparse(node.targets[0])
        for root in _roots(node.value):
            if root != target:
                uses.setdefault(root, set()).update(uses.get(target, set()))


def _roots(node: ast.expr) -> list[str]:
    """What a chain of calls begins with: a name, an attribute of a name, or a call of something unknown."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        inner = node.func.value
        if not isinstance(inner, ast.Call):
            if node.func.attr in ALONE | TOGETHER | {"batch"}:
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


def _own(node: ast.AST) -> list[ast.AST]:
    """The nodes of a function in the order of the source, without those of functions in it."""
    found: list[ast.AST] = []
    for child in ast.iter_child_nodes(node):
        found.append(child)
        if not isinstance(child, (*FUNCTIONS, ast.ClassDef, ast.Lambda)):
            found += _own(child)
    return found


def _only_tensorflow(module: Module) -> bool:
    bound: list[Binding] = [one for many in module.scope.bindings.values() for one in many]
    roots = {str(one.value).partition(".")[0] for one in bound if one.kind == "import"}
    return bool(roots & {"tensorflow", "keras"} or module.starred) and not roots & OTHERS
