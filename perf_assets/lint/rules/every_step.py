"""What a step of training does each time, and should do seldom or never."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from perf_assets.lint.findings import Context, Severity
from perf_assets.lint.module import Hit, Module
from perf_assets.lint.rules.rule import API_USAGE, TRANSMISSION, Rule
from perf_assets.lint.training import Step, always, steps

EMPTYING = (
    "gc.collect",
    *(f"torch.{device}.empty_cache" for device in ("cuda", "mps", "xpu", "npu", "accelerator")),
)
WAITING = tuple(
    f"torch.{device}.synchronize" for device in ("cuda", "mps", "xpu", "npu", "accelerator")
)


def find_emptied(module: Module) -> Iterator[Hit]:
    """Yield calls that give memory back in every step."""
    for step, call, name in _called(module, EMPTYING):
        cost = (
            "looks at every object of Python"
            if name == "gc.collect"
            else "waits for the device, and lets the next step ask for the same memory again"
        )
        yield Hit(
            call,
            Severity.WARNING,
            f"{name}() {cost}, in every step of {step.where}: call it every so many steps, or "
            "where memory was missing",
        )


def find_waiting(module: Module) -> Iterator[Hit]:
    """Yield calls that wait for the device in every step."""
    for step, call, name in _called(module, WAITING):
        yield Hit(
            call,
            Severity.NOTE,
            f"{name}() stops Python until the device has finished, in every step of {step.where}: "
            "measure with events (torch.cuda.Event), and leave it out where nothing is measured",
        )


def _called(module: Module, names: tuple[str, ...]) -> Iterator[tuple[Step, ast.Call, str]]:
    """Yield the calls of some functions that a step makes each time, each once."""
    if module.context is Context.TEST or not module.imports("torch"):
        return
    seen: set[ast.Call] = set()
    for step in steps(module):
        for call in always(step):
            name = module.resolve(call.func, step.scope)
            if name in names and call not in seen:
                seen.add(call)
                yield step, call, name


CACHE_EMPTIED_IN_LOOP = Rule(
    name="cache-emptied-in-loop",
    code="PA207",
    summary="memory given back in every step of training",
    severity=Severity.WARNING,
    on=True,
    find=find_emptied,
    cause=API_USAGE,
    framework="torch",
)
SYNCHRONIZE_IN_LOOP = Rule(
    name="synchronize-in-loop",
    code="PA210",
    summary="a wait for the device in every step of training",
    severity=Severity.NOTE,
    on=True,
    find=find_waiting,
    cause=TRANSMISSION,
    framework="torch",
)
