"""`map` on single elements where a `batch` follows."""

import ast
from collections.abc import Iterator

from perf_assets.lint.arguments import argument
from perf_assets.lint.findings import Related, Severity
from perf_assets.lint.module import Hit, Module
from perf_assets.lint.pipelines import pipelines
from perf_assets.lint.rules.rule import Rule


def find(module: Module) -> Iterator[Hit]:
    """Calls of `map` on a dataset before its `batch`."""
    for call, batch in module.once(pipelines).late.items():
        line = _line(batch)
        first = next(iter(argument(call, ("map_func",), 1)), None)
        function = (
            ast.unparse(first) if isinstance(first, ast.Name | ast.Attribute) else "its function"
        )
        yield Hit(
            call,
            Severity.NOTE,
            f"map runs {function} on each element, and {_name(batch)} in line {line} follows: "
            "if it can work on batches (check the shapes it expects), batch first",
            (Related(line, "batched here"),),
        )


def _line(call: ast.Call) -> int:
    return call.func.end_lineno or call.lineno


def _name(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else "batch"


MAP_BEFORE_BATCH = Rule(
    name="map-before-batch",
    code="PA102",
    summary="map of a tf.data.Dataset before its batch",
    severity=Severity.NOTE,
    on=True,
    find=find,
)
