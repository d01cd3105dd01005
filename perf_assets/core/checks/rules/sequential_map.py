"""`map` and `interleave` of a dataset that use one core."""

import ast
from collections.abc import Iterator

from perf_assets.core.checks.findings import Severity
from perf_assets.core.checks.module import Hit, Module
from perf_assets.core.checks.rules.rule import Rule


def find(module: Module) -> Iterator[Hit]:
    """Calls without `num_parallel_calls`."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "map":
            if not any(word.arg in (None, "num_parallel_calls") for word in node.keywords):
                yield Hit(node, Severity.WARNING, "map runs on one core: pass num_parallel_calls=tf.data.AUTOTUNE")


SEQUENTIAL_MAP = Rule(
    name="sequential-map",
    code="PA103",
    summary="map or interleave of a tf.data.Dataset without num_parallel_calls",
    severity=Severity.WARNING,
    on=True,
    find=find,
)
