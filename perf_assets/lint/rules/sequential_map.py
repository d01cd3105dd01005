"""`map` and `interleave` of a dataset that use one core."""

import ast
from collections.abc import Iterator

from perf_assets.lint.arguments import argument, unpacks
from perf_assets.lint.findings import Severity
from perf_assets.lint.module import Hit, Module
from perf_assets.lint.pipelines import pipelines
from perf_assets.lint.rules.rule import Rule

# Where num_parallel_calls stands by position, counted from one.
POSITION = {"map": 2, "map_with_legacy_function": 2, "interleave": 4}
GIVEN = frozenset(
    ("num_parallel_calls", "num_threads")
)  # num_threads: tf.contrib.data of TensorFlow 1.2


def find(module: Module) -> Iterator[Hit]:
    """Calls without `num_parallel_calls`."""
    for call, describes in module.once(pipelines).calls.items():
        name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        if name in POSITION and not _parallel(call, POSITION[name]):
            yield Hit(
                call,
                Severity.NOTE if describes or _is_cheap(call) else Severity.WARNING,
                f"{name} works on one element at a time: give it num_parallel_calls "
                "(tf.data.AUTOTUNE lets tf.data choose)",
            )


def _parallel(call: ast.Call, position: int) -> bool:
    """Whether the number of parallel calls is given, or may be in what is unpacked."""
    given = argument(call, GIVEN, position)
    return unpacks(call) or any(
        not (isinstance(one, ast.Constant) and one.value is None) for one in given
    )


def _is_cheap(call: ast.Call) -> bool:
    """Whether the function only picks and orders what it is given."""
    first = call.args[0] if call.args else None
    if not isinstance(first, ast.Lambda):
        return False
    cheap = (
        ast.Name,
        ast.Tuple,
        ast.List,
        ast.Dict,
        ast.Subscript,
        ast.Constant,
        ast.Slice,
        ast.expr_context,
    )
    return all(isinstance(one, cheap) for one in ast.walk(first.body))


SEQUENTIAL_MAP = Rule(
    name="sequential-map",
    code="PA103",
    summary="map or interleave of a tf.data.Dataset without num_parallel_calls",
    severity=Severity.WARNING,
    on=True,
    find=find,
)
