"""What makes a training loop of PyTorch wait for the device in every step."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from perf_assets.lint.findings import Context, Related, Severity
from perf_assets.lint.module import Hit, Module
from perf_assets.lint.rules.rule import TRANSMISSION, Rule
from perf_assets.lint.training import Step, steps
from perf_assets.lint.waits import Wait, waits_of

ON_A_GPU = re.compile(r"cuda|device|gpu|accelerat|\bmps\b|fabric", re.IGNORECASE)
MODEL = re.compile(r"nn\.(?:Module|Sequential|Linear|LSTM)|requires_grad=True")
"""A program that makes its model and says nothing of a GPU computes where nothing is queued."""

EPOCH = re.compile(r"epoch", re.IGNORECASE)

MOST_RELATED = 5


def find(module: Module) -> Iterator[Hit]:
    """Yield the first wait after each `backward` in a step: those that follow find nothing left to
    do.
    """
    if module.context is Context.TEST or not module.imports("torch"):
        return
    reported: set[ast.expr] = set()
    on_a_gpu = ON_A_GPU.search(module.text) or not MODEL.search(module.text)
    for step in steps(module):
        for first, *others in _groups(waits_of(module, step)):
            if first.node in reported:
                continue
            reported.add(first.node)
            yield Hit(
                first.node,
                _severity(step, first, is_on_a_gpu=bool(on_a_gpu)),
                f"{first.what} stops Python until the GPU has finished all queued work, in every "
                f"step of {step.where}, so that the GPU idles between steps: keep the detached "
                "tensor, and read its value every so many steps or after the loop",
                tuple(
                    Related(other.node.lineno, "read here too, when nothing is left to wait for")
                    for other in others[:MOST_RELATED]
                ),
            )


def _severity(step: Step, first: Wait, *, is_on_a_gpu: bool) -> Severity:
    """Return a note where the wait can be switched off, or where an epoch is one step of all
    data.
    """
    node = step.loop.node if step.loop is not None else None
    is_epoch = isinstance(node, ast.For) and EPOCH.search(ast.unparse(node.target)) is not None
    seldom = first.is_flagged or is_epoch or not (is_on_a_gpu or step.is_hook)
    return Severity.NOTE if seldom else Severity.WARNING


def _groups(events: Iterator[Wait | None]) -> Iterator[list[Wait]]:
    """Yield the waits between two calls of `backward`, the first that every run has in front."""
    group: list[Wait] = []
    for event in events:
        if event is not None:
            group.append(event)
        elif group:
            yield sorted(group, key=lambda one: one.is_flagged)
            group = []
    if group:
        yield sorted(group, key=lambda one: one.is_flagged)


SYNC_IN_LOOP = Rule(
    name="sync-in-loop",
    code="PA201",
    summary="a value of a tensor read or shown in every step of a training loop",
    severity=Severity.WARNING,
    on=True,
    find=find,
    cause=TRANSMISSION,
    framework="torch",
)
