"""Tensors that are made on the CPU and copied to the device where they are used."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from perf_assets.lint.devices import DEVICE, moved
from perf_assets.lint.findings import Context, Severity
from perf_assets.lint.loops import is_small
from perf_assets.lint.module import Hit, Module
from perf_assets.lint.rules.rule import TRANSMISSION, Rule
from perf_assets.lint.training import steps

FILLED = frozenset(
    f"torch.{name}"
    for name in ("arange", "empty", "eye", "full", "linspace", "logspace", "ones", "zeros")
)
DRAWN = frozenset(f"torch.{name}" for name in ("rand", "randint", "randn", "randperm"))
ON_THE_WAY = frozenset(
    (
        *("bool", "double", "expand", "fill_", "float", "half", "int", "long", "repeat"),
        *("requires_grad_", "reshape", "t", "type", "unsqueeze", "view", "byte"),
    )
)
"""Methods between making and moving that work on any device."""

DEFAULT = re.compile(r"set_default_device|set_default_tensor_type")
"""A program that says where tensors are made, for all of them."""

MISSING = re.compile(r"^not |is None|not in|== 0")
"""Tests of something that is not there yet."""


def find(module: Module) -> Iterator[Hit]:
    """`torch.zeros(...).to(device)`; a note where it runs once, or draws random numbers."""
    if module.context is Context.TEST or not module.imports("torch"):
        return
    if DEFAULT.search(module.text):
        return
    for call, scope in module.calls:
        made = moved(call, scope)
        while (
            isinstance(made, ast.Call)
            and isinstance(made.func, ast.Attribute)
            and made.func.attr in ON_THE_WAY
        ):
            made = made.func.value
        if not isinstance(made, ast.Call):
            continue
        name = module.resolve(made.func, scope)
        if name not in FILLED | DRAWN or {word.arg for word in made.keywords} & {
            "device",
            "pin_memory",
            "generator",
            None,
        }:
            continue
        if made in module.once(_on_a_device):
            continue
        drawn = name in DRAWN
        of_a_step = scope.name in ("forward", "training_step")
        is_often = of_a_step or call in module.once(_run_again)
        yield Hit(
            made,
            Severity.WARNING if is_often and not drawn else Severity.NOTE,
            f"{ast.unparse(made.func)} fills a tensor on the CPU, which is then copied to the "
            "device while Python waits: give device= to the call that makes the tensor"
            + (" (the device draws other random numbers for the same seed)" if drawn else ""),
        )


def _run_again(module: Module) -> set[ast.AST]:
    """Return the calls that a loop runs again, itself or in a function of a training step.

    What a loop makes where it was missing (`if not state`) it makes once.
    """
    found: set[ast.AST] = set()
    for loop in module.loops:
        if not is_small(module, loop):
            found |= set(loop.calls) - _where_missing(loop.node)
    for step in steps(module):
        found |= {part for statement in step.body for part in ast.walk(statement)}
    return found


def _on_a_device(module: Module) -> set[ast.AST]:
    """Return what stands under `with torch.device(...)`, where tensors are made on that device."""
    found: set[ast.AST] = set()
    for node in ast.walk(module.tree):
        if isinstance(node, (ast.With, ast.AsyncWith)) and any(
            DEVICE.search(ast.unparse(item.context_expr)) for item in node.items
        ):
            found.update(part for one in node.body for part in ast.walk(one))
    return found


def _where_missing(node: ast.AST) -> set[ast.AST]:
    return {
        part
        for item in ast.walk(node)
        if isinstance(item, ast.If) and MISSING.search(ast.unparse(item.test))
        for statement in item.body
        for part in ast.walk(statement)
    }


TENSOR_MADE_ON_CPU = Rule(
    name="tensor-made-on-cpu",
    code="PA203",
    summary="a torch tensor made on the CPU and moved to a device",
    severity=Severity.WARNING,
    on=True,
    find=find,
    cause=TRANSMISSION,
    framework="torch",
)
