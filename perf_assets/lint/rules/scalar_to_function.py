"""Python numbers that make a `tf.function` trace again for every value."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from perf_assets.lint.arguments import arguments
from perf_assets.lint.autograph import is_tf_function, may_have_functions
from perf_assets.lint.findings import Severity
from perf_assets.lint.loop_summary import Location
from perf_assets.lint.loops import is_small, repeated
from perf_assets.lint.module import Hit, Module
from perf_assets.lint.rules.rule import GRAPH, Rule
from perf_assets.lint.scopes import FUNCTIONS, Scope, decorators
from perf_assets.lint.variance import Run

NUMBERS = frozenset(("int", "float", "len", "round", "abs", "sum", "min", "max"))
SETTLES = frozenset(
    (
        "input_signature",
        "reduce_retracing",
        "experimental_relax_shapes",
        "experimental_follow_type_hints",
    )
)


def find(module: Module) -> Iterator[Hit]:
    """Yield calls of a `tf.function` in a loop with a Python number that changes."""
    if not may_have_functions(module):
        return
    reported: set[ast.Call] = set()
    for again in repeated(module, small=True):
        run = again.run
        for site in run.survey.sites:
            if (
                run.once(site)
                or site.call in reported
                or not _retraces(module, site.call, run.scope)
            ):
                continue
            given = arguments(site.call)
            numbers = [
                expression
                for expression in given
                if _changing_number(run, expression, site.location)
            ]
            if numbers:
                reported.add(site.call)
                names = " and ".join(ast.unparse(number) for number in numbers)
                yield Hit(
                    site.call,
                    Severity.NOTE if is_small(module, again.loop) else Severity.WARNING,
                    f"{names} is a Python number that changes in {again.path}: the tf.function is "
                    "traced again for every value; pass a tensor, or give it an input_signature",
                    again.related,
                )


def _retraces(module: Module, call: ast.Call, scope: Scope) -> bool:
    """Return whether a call runs a `tf.function` of this module that has no signature of its
    own.
    """
    callee = module.callee(call, scope)
    if callee is not None and isinstance(callee.node, FUNCTIONS) and callee.parent is not None:
        made = [
            decorator
            for decorator in decorators(callee)
            if is_tf_function(module, decorator, callee.parent)
        ]
        return bool(made) and not any(_settled(expression) for expression in made)
    if isinstance(call.func, ast.Name):
        found = scope.find(call.func.id)
        if found is not None and len(found[1]) == 1 and isinstance(found[1][0].value, ast.Call):
            maker = found[1][0].value
            return is_tf_function(module, maker, found[0]) and not _settled(maker)
    return False


def _settled(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and any(word.arg in SETTLES for word in node.keywords)


def _changing_number(run: Run, node: ast.expr, location: Location) -> bool:
    """Return whether an expression is a Python number, and another one in other iterations."""
    if isinstance(node, ast.Name):
        return _number_by_name(run, node.id, location)
    if isinstance(node, ast.BinOp):
        sides = (node.left, node.right)
        return any(_changing_number(run, side, location) for side in sides) and all(
            isinstance(side, ast.Constant)
            or _changing_number(run, side, location)
            or run.same(side, location)
            for side in sides
        )
    if isinstance(node, ast.UnaryOp):
        return _changing_number(run, node.operand, location)
    if not isinstance(node, ast.Call):
        return False
    func = node.func
    if isinstance(func, ast.Name) and func.id in NUMBERS and run.scope.find(func.id) is None:
        return not run.arguments_same(node, location)
    plain = isinstance(func, ast.Attribute) and func.attr == "item" and not node.args
    return plain and isinstance(func, ast.Attribute) and not run.same(func.value, location)


def _number_by_name(run: Run, name: str, location: Location) -> bool:
    bound = run.survey.bound.get(name)
    if not bound:
        given = run.given.get(name)
        outer, at = run.outer, run.called_at
        return (
            given is not None
            and outer is not None
            and at is not None
            and _changing_number(outer, given, at)
        )
    reaching = run.reaching(name, location)
    if reaching is not None and reaching.value is not None:
        return _changing_number(run, reaching.value, reaching.location)
    made = run.scope.find(name)
    tensors = made is not None and any(isinstance(entry.value, ast.Call) for entry in made[1])
    return name in run.survey.counters and not tensors


SCALAR_TO_FUNCTION = Rule(
    name="scalar-to-function",
    code="PA106",
    summary="a Python number that changes in a loop, passed to a tf.function",
    severity=Severity.NOTE,
    on=True,
    find=find,
    cause=GRAPH,
)
