"""Sessions that are opened again and again."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from perf_assets.lint.findings import Context, Severity
from perf_assets.lint.loop_summary import Site
from perf_assets.lint.loops import is_small, repeated
from perf_assets.lint.module import Hit, Module
from perf_assets.lint.rules.rule import GRAPH, Rule
from perf_assets.lint.variance import Run

SESSIONS = frozenset(("tensorflow.Session", "tensorflow.InteractiveSession"))
POSITIONS = ("target", "graph", "config")


def find(module: Module) -> Iterator[Hit]:
    """Sessions opened in a loop, or in a function that one calls, unless each has a new graph."""
    if module.context is Context.TEST or not any(
        module.resolve(call.func, scope) in SESSIONS for call, scope in module.calls
    ):
        return
    reported: set[ast.Call] = set()
    for again in repeated(module, small=True):
        run = again.run
        for site in run.survey.sites:
            opens = module.resolve(site.call.func, run.scope) in SESSIONS
            if (
                not opens
                or run.new_graph
                or run.once(site)
                or site.deferred
                or site.call in reported
                or not _same_target(run, site)
            ):
                continue
            reported.add(site.call)
            yield Hit(
                site.call,
                Severity.NOTE if is_small(module, again.loop) else Severity.WARNING,
                f"a session is opened in every iteration of {again.path}, and each sets up its "
                "devices and copies the graph anew: open one session before the loop and pass it "
                "on",
                again.related,
            )


def _same_target(run: Run, site: Site) -> bool:
    """Return whether the sessions of all iterations are for one graph and one target."""
    given = [
        *zip(POSITIONS, site.call.args),
        *((keyword.arg, keyword.value) for keyword in site.call.keywords),
    ]
    return all(name == "config" or run.same(value, site.location) for name, value in given)


SESSION_IN_LOOP = Rule(
    name="session-in-loop",
    code="PA104",
    summary="a tf.Session opened in a loop",
    severity=Severity.NOTE,
    on=True,
    find=find,
    cause=GRAPH,
)
