"""A rule that misbehaves on demand: workers import it as they import the rules of the package."""

import ast
import ctypes
import itertools
import os
import time
from collections import deque
from collections.abc import Callable, Iterator

from perf_assets.lint.findings import Severity
from perf_assets.lint.module import Hit, Module
from perf_assets.lint.rules.rule import API_USAGE, Rule


def _hang() -> None:
    while True:
        pass


def _recurse() -> None:
    _recurse()


def _eat() -> None:
    kept = []
    while True:
        kept.append(bytearray(1 << 20))


def _leave_a_cycle() -> None:
    kept: list[object] = [bytearray(60 << 20)]
    kept.append(kept)


MISDEEDS: dict[str, Callable[[], object]] = {
    "hang": _hang,
    "hang in C": lambda: deque(itertools.repeat(0), maxlen=0),
    "sleep": lambda: time.sleep(1000),
    "eat": _eat,
    "leave a cycle": _leave_a_cycle,
    "eat at once": lambda: bytearray(1 << 40),
    "recurse": _recurse,
    "segfault": lambda: ctypes.string_at(0),
    "exit": lambda: os._exit(3),
    "fail": lambda: {}["a key"],
}


def find(module: Module) -> Iterator[Hit]:
    """Calls of `slow`; but first, what the strings of the module say is done."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            MISDEEDS.get(node.value, str)()
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "slow":
            yield Hit(node, Severity.WARNING, "this is slow")


OBEDIENT = Rule(
    name="obedient",
    code="PA999",
    summary="a call of slow",
    severity=Severity.WARNING,
    on=True,
    cause=API_USAGE,
    find=find,
    framework="torch",
)
