"""`tf.function` made anew, and so traced anew, in every iteration."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from perf_assets.lint.autograph import TF_FUNCTION, is_tf_function, may_have_functions
from perf_assets.lint.findings import Severity
from perf_assets.lint.loop_summary import Site
from perf_assets.lint.loops import Again, is_small, repeated
from perf_assets.lint.module import Hit, Module
from perf_assets.lint.rules.rule import GRAPH, Rule
from perf_assets.lint.variance import Run


def find(module: Module) -> Iterator[Hit]:
    """Functions that become a `tf.function` in a loop, or in a function that one calls."""
    if not may_have_functions(module):
        return
    reported: set[ast.AST] = set()
    for again in repeated(module, small=True, deferred=True):
        for made in _made(module, again):
            if made not in reported:
                reported.add(made)
                yield Hit(
                    made,
                    Severity.NOTE if _is_rare(module, again) else Severity.WARNING,
                    f"this tf.function is made anew in every iteration of {again.path}, and each "
                    "is traced into a graph of its own: define it once, and pass it what changes",
                    again.related,
                )


def _is_rare(module: Module, again: Again) -> bool:
    """Return whether there are few, or one for each object that is made, which may need its own."""
    return is_small(module, again.loop) or again.run.scope.name == "__init__"


def _made(module: Module, again: Again) -> Iterator[ast.AST]:
    run = again.run
    for node, guards in run.survey.definitions:
        if run.differs_in_each(guards):
            continue
        for decorator in node.decorator_list:
            if is_tf_function(module, decorator, run.scope):
                yield node
    for site in run.survey.sites:
        if (
            not run.once(site)
            and not site.deferred
            and module.resolve(site.call.func, run.scope) in TF_FUNCTION
            and not _of_another(run, site)
        ):
            yield site.call


def _of_another(run: Run, site: Site) -> bool:
    """Return whether each iteration makes one of another function, so that none is traced twice."""
    first = site.call.args[0] if site.call.args else None
    if first is None or isinstance(first, ast.Lambda):
        return False
    defined = {node.name for node, _ in run.survey.definitions}
    return ast.unparse(first) not in defined and not run.same(first, site.location)


FUNCTION_IN_LOOP = Rule(
    name="function-in-loop",
    code="PA105",
    summary="a tf.function defined in a loop, or in a function called in one",
    severity=Severity.NOTE,
    on=True,
    find=find,
    cause=GRAPH,
)
