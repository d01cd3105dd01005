"""Reads of tensors in loops that evaluate a model, or decode with one."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from perf_assets.lint.findings import Context, Severity
from perf_assets.lint.module import Hit, Module
from perf_assets.lint.rules.model_with_gradients import OFF
from perf_assets.lint.rules.rule import TRANSMISSION, Rule
from perf_assets.lint.scopes import LoopAt, decorators, name_called
from perf_assets.lint.training import LOOPS, Step, steps
from perf_assets.lint.waits import Wait, waits_of

MODEL = re.compile(
    r"(?:^|[._])(?:model|net|network|module|generator|(?:de|en)coder|transformer|policy|llm|lm)\w{0,40}$"
    r"|(?:^|[._])forward$"
)
"""Texts of what runs a model."""

CHOOSING = frozenset(("argmax", "multinomial", "topk", "sample", "sample_token"))
COLLECTING = ".cpu()"
"""What is collected on the CPU so that the device keeps room: no wait that can be left out."""


def find(module: Module) -> Iterator[Hit]:
    """Yield the first read in each step of a loop that runs a model without gradients."""
    if module.context is Context.TEST or not module.imports("torch"):
        return
    seen: set[ast.AST] = set()
    for loop in reversed(module.loops):  # inner ones first
        node = loop.node
        if not isinstance(node, LOOPS) or node in seen:
            continue
        if not _is_without_gradients(loop) or not _runs_a_model(loop):
            continue
        if node in module.once(_training):
            continue
        inner = frozenset(seen)
        step = Step(loop, node.body, loop.scope, inner, _chosen(loop))
        reads = [one for one in waits_of(module, step) if isinstance(one, Wait)]
        first = next((one for one in reads if one.what != COLLECTING and not one.is_flagged), None)
        if first is None:
            continue
        seen.update(part for part in ast.walk(node) if isinstance(part, LOOPS))
        yield Hit(
            first.node,
            Severity.NOTE,
            f"{first.what} stops Python until the GPU has finished all queued work, in every step "
            f"of {step.where}, which runs a model: add up on the device, and read the result after "
            "the loop",
        )


def _training(module: Module) -> set[ast.AST]:
    """Return the loops that train, and all that a step of training runs."""
    found: set[ast.AST] = {step.loop.node for step in steps(module) if step.loop is not None}
    return found | {part for step in steps(module) for one in step.body for part in ast.walk(one)}


def _runs_a_model(loop: LoopAt) -> bool:
    return any(MODEL.search(ast.unparse(call.func)) for call in loop.calls)


def _chosen(loop: LoopAt) -> frozenset[str]:
    """Return the names that get what a model gives, or what is chosen from it."""
    assert isinstance(loop.node, LOOPS)
    found: set[str] = set()
    for part in (one for statement in loop.node.body for one in ast.walk(statement)):
        if isinstance(part, ast.Assign) and isinstance(part.value, ast.Call):
            is_run = MODEL.search(ast.unparse(part.value.func)) is not None
            if is_run or name_called(part.value) in CHOOSING:
                found.update(one.id for one in part.targets if isinstance(one, ast.Name))
    return frozenset(found)


def _is_without_gradients(loop: LoopAt) -> bool:
    """Return whether a loop stands, or begins, where no gradients are recorded."""
    around = (one for scope in loop.scope.outwards() for one in decorators(scope))
    assert isinstance(loop.node, LOOPS)
    inside = [
        item.context_expr
        for one in loop.node.body
        if isinstance(one, ast.With)
        for item in one.items
    ]
    return any(OFF.search(ast.unparse(one)) for one in (*around, *loop.contexts, *inside))


SYNC_IN_EVALUATION = Rule(
    name="sync-in-evaluation",
    code="PA208",
    summary="a value of a tensor read in every step of evaluating or decoding",
    severity=Severity.NOTE,
    on=True,
    find=find,
    cause=TRANSMISSION,
    framework="torch",
)
