"""Operations that add the same nodes to a graph in every iteration."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from perf_assets.lint.arguments import arguments
from perf_assets.lint.context import makes_nodes
from perf_assets.lint.findings import Severity
from perf_assets.lint.loop_summary import Site
from perf_assets.lint.loops import Again, repeated
from perf_assets.lint.module import Hit, Module
from perf_assets.lint.rules.rule import GRAPH, Rule
from perf_assets.lint.tensorflow_api.operations import is_description, is_operation
from perf_assets.lint.variance import Run

OWNERS = ("Variable", "get_variable", "from_tensor_slices", "from_tensors")
CASTS = ("to_float", "to_int32", "to_int64", "to_double")
# What these are given are shapes, numbers and types, which no training changes.
CREATING = frozenset(("constant", "eye", "fill", "linspace", "ones", "range", "zeros"))


def find(module: Module) -> Iterator[Hit]:
    """Operations whose arguments are the same in every iteration; the outermost of nested ones."""
    if not any(_counts(module.resolve(call.func, scope)) for call, scope in module.calls):
        return
    covered: set[ast.AST] = set()
    for again in repeated(module):
        run = again.run
        if run.new_graph or again.pinned:
            continue
        starts = _starts(module, run)
        for site in run.survey.sites:
            name = module.resolve(site.call.func, run.scope)
            if name is None or site.call in covered | starts or not _counts(name):
                continue
            if again.callers and is_description(name):
                continue
            nodes = is_operation(name) and makes_nodes(module, run, again.loop)
            if _can_move(run, site, name, nodes):
                covered.update(part for part in ast.walk(site.call) if isinstance(part, ast.Call))
                yield _hit(again, site, nodes)


def _counts(name: str | None) -> bool:
    return name is not None and (is_operation(name) or is_description(name))


def _starts(module: Module, run: Run) -> set[ast.AST]:
    """Return what variables begin with, and what is given to what makes a data set: each its
    own.
    """
    return {
        part
        for site in run.survey.sites
        if (module.resolve(site.call.func, run.scope) or "").endswith(OWNERS)
        for argument in arguments(site.call)
        for part in ast.walk(argument)
    }


def _can_move(run: Run, site: Site, name: str, nodes: bool) -> bool:
    if run.once(site) or site.taped or site.deferred or _changes_no_type(run, site, name):
        return False
    # A node reads a variable each time that it runs; what was computed at once does not.
    change = run.learns and not nodes and name.rpartition(".")[2] not in CREATING
    pinned = all(run.same(pin, site.location) for pin in site.pins)
    return pinned and run.arguments_same(site.call, site.location, variables_change=change)


def _changes_no_type(run: Run, site: Site, name: str) -> bool:
    """Return whether a cast is to the type that its argument has, which TensorFlow passes
    through.
    """
    short, given = name.rpartition(".")[2], site.call.args
    if short not in ("cast", *CASTS) or not given or not isinstance(given[0], ast.Name):
        return False
    kinds = (
        [short.removeprefix("to_")]
        if short in CASTS
        else [_kind(expression) for expression in given[1:2]]
    )
    values = run.scope.values(given[0].id)
    return bool(values) and all(
        isinstance(value, ast.Call) and any(_kind(part) in kinds for part in arguments(value))
        for value in values
    )


def _kind(node: ast.expr) -> str:
    """Return the name of a type, be it written as `tf.int32` or as a text."""
    return ast.unparse(node).rpartition(".")[2].strip("'\"")


def _hit(again: Again, site: Site, nodes: bool) -> Hit:
    called = ast.unparse(site.call.func)
    cost = (
        "the graph grows by the same nodes each time, and so do the time to build it and its memory"
        if nodes
        else "the same value is computed each time"
    )
    return Hit(
        site.call,
        Severity.WARNING if nodes else Severity.NOTE,
        f"{called} gets the same arguments in every iteration of {again.path}: {cost}; call "
        f"{called} once before the loop, unless each iteration needs a tensor of its own",
        again.related,
    )


LOOP_INVARIANT_OP = Rule(
    name="loop-invariant-op",
    code="PA101",
    summary="an operation in a loop whose arguments do not depend on the iteration",
    severity=Severity.WARNING,
    on=True,
    find=find,
    cause=GRAPH,
)
