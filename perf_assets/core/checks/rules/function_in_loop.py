"""`tf.function` made anew, and so traced anew, in every iteration."""

import ast
from collections.abc import Iterator

from perf_assets.core.checks.findings import Severity
from perf_assets.core.checks.loops import TF_FUNCTION, Again, is_small, is_tf_function, repeated
from perf_assets.core.checks.module import Hit, Module
from perf_assets.core.checks.rules.rule import Rule


def find(module: Module) -> Iterator[Hit]:
    """Functions that become a `tf.function` in a loop, or in a function that one calls."""
    if "function" not in module.text and "defun" not in module.text:
        return
    told: set[ast.AST] = set()
    for again in repeated(module, small=True):
        for made in _made(module, again):
            if made not in told:
                told.add(made)
                yield Hit(
                    made,
                    Severity.NOTE if is_small(module, again.loop) else Severity.WARNING,
                    f"this tf.function is made anew in every iteration of {again.path}, and each "
                    "is traced into a graph of its own: define it once, and pass it what changes",
                    again.related,
                )


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
        ):
            yield site.call


FUNCTION_IN_LOOP = Rule(
    name="function-in-loop",
    code="PA105",
    summary="a tf.function defined in a loop, or in a function called in one",
    severity=Severity.WARNING,
    on=True,
    find=find,
)
