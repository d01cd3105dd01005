"""Operations that add the same nodes to a graph in every iteration."""

import ast
from collections.abc import Iterator

from perf_assets.core.checks.context import makes_nodes
from perf_assets.core.checks.findings import Severity
from perf_assets.core.checks.loops import Again, repeated
from perf_assets.core.checks.module import Hit, Module
from perf_assets.core.checks.rules.rule import Rule
from perf_assets.core.checks.survey import Site
from perf_assets.core.checks.variance import Run
from perf_assets.frameworks.operations import is_description, is_operation


def find(module: Module) -> Iterator[Hit]:
    """Operations whose arguments are the same in every iteration; the outermost of nested ones."""
    if not any(_counts(module.resolve(call.func, scope)) for call, scope in module.calls):
        return
    covered: set[ast.AST] = set()
    for again in repeated(module):
        if again.run.new_graph:
            continue
        for site in again.run.survey.sites:
            name = module.resolve(site.call.func, again.run.scope)
            if site.call in covered or not _counts(name) or not _can_move(again.run, site):
                continue
            if name is None or (again.callers and is_description(name)):
                continue
            covered.update(part for part in ast.walk(site.call) if isinstance(part, ast.Call))
            yield _hit(module, again, site, name)


def _counts(name: str | None) -> bool:
    return name is not None and (is_operation(name) or is_description(name))


def _hit(module: Module, again: Again, site: Site, name: str) -> Hit:
    called = ast.unparse(site.call.func)
    nodes = is_operation(name) and makes_nodes(module, again.run)
    cost = "each adds its nodes to the graph again" if nodes else "each computes it again"
    return Hit(
        site.call,
        Severity.WARNING if nodes else Severity.NOTE,
        f"{called} gets the same arguments in every iteration of {again.path}: {cost}; call it "
        "once before the loop, unless each needs a tensor of its own",
        again.related,
    )


def _can_move(run: Run, site: Site) -> bool:
    if (
        run.once(site)
        or site.taped
        or site.deferred
        or not all(run.same(pin, site.place) for pin in site.pins)
    ):
        return False
    return run.arguments_same(site.call, site.place)


LOOP_INVARIANT_OP = Rule(
    name="loop-invariant-op",
    code="PA101",
    summary="an operation in a loop whose arguments do not depend on the iteration",
    severity=Severity.WARNING,
    on=True,
    find=find,
)
