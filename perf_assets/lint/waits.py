"""What of one step waits for the device: reads of tensors, in the order of the source."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from perf_assets.lint.module import Module
from perf_assets.lint.origins import Origins
from perf_assets.lint.scopes import FUNCTIONS, Scope, name_called, names_in
from perf_assets.lint.tensors import READING, is_tensor, tensors_of
from perf_assets.lint.training import (
    LOOPS,
    Step,
    backward,
    counters,
    is_seldom,
    leaves,
    steps,
    trains,
)

REPORTING = frozenset(
    ("set_postfix", "set_postfix_str", "set_description", "add_scalar", "add_scalars")
)
TRACKERS = frozenset(("wandb.log", "mlflow.log_metric", "mlflow.log_metrics", "trackio.log"))
DEBUGGING = "logging of a tensor for debugging"
LOGGING = frozenset(("debug", "info", "warning", "error", "critical", "log"))
NUMBERS = frozenset(("float", "int", "bool", "min", "max"))
ON_A_FLAG = re.compile(
    r"(?<![a-z])(?:verbose|log(?:ger|ging)?|debug|print|vis|plot|display|show|save|writer?|report)"
    r"(?![a-z])",
    re.IGNORECASE,
)
"""Words of tests that people switch off: such a wait is a note."""

ENVIRONMENT = re.compile(r"(?:^|\.)_?envs?\b")
"""Who acts in an environment needs the value of this very step."""

GUARD = re.compile(r"isnan|isfinite|isinf")
"""Tests that training must not go on without: what is read behind one finds nothing to wait for."""

BARRIER = re.compile(r"\bsynchronize$")
"""A wait that somebody asked for: there is nothing left to wait for behind it either."""

LOSS = re.compile(r"(?:^|_)loss(?:es)?$")

DEEPEST = 2  # functions between a step and a read


class Wait(NamedTuple):
    """An expression that waits for the device."""

    node: ast.expr
    what: str
    is_flagged: bool


def waits_of(module: Module, step: Step) -> Iterator[Wait | None]:
    """Yield the waits of a step, and of the functions of its file that it calls, and None for each
    call of `backward`.
    """
    return _Walk(module, step, ()).events()


class _Walk:
    """Goes through one step in the order of the source."""

    def __init__(
        self, module: Module, step: Step, callers: tuple[Scope, ...], data: set[str] | None = None
    ) -> None:
        self.module, self.step, self.callers = module, step, (*callers, step.scope)
        self.counters: frozenset[str] = frozenset()
        data = set() if data is None else data
        if step.loop is not None and not callers:
            node = step.loop.node
            self.counters = counters(node)
            if isinstance(node, (ast.For, ast.AsyncFor)) and step.scope is step.loop.scope:
                data = names_in(node.target)
        self.origins = Origins(module, step.scope, step.body, data)
        self.tensors = tensors_of(step, step.losses or self.named_losses())
        self.guarded = _guarded(step)
        self.has_waited = False

    def named_losses(self) -> set[str]:
        """Return what is called a loss, where `backward` is called in another file."""
        return {
            target.id
            for part in self.step.body
            for one in ast.walk(part)
            if isinstance(one, ast.Assign) and isinstance(one.value, ast.Call)
            for target in one.targets
            if isinstance(target, ast.Name)
            and LOSS.search(target.id)
            and not self.origins.is_beside(one.value)
        }

    def events(self) -> Iterator[Wait | None]:
        """Yield the waits, and None for each call of `backward`."""
        yield from self.block(self.step.body, is_flagged=False)
        if len(self.callers) > 1:
            return
        if self.step.loop is not None and isinstance(self.step.loop.node, ast.While):
            yield from self.test(self.step.loop.node.test, is_flagged=False)

    def block(self, body: list[ast.stmt], *, is_flagged: bool) -> Iterator[Wait | None]:
        for at, one in enumerate(body):
            yield from self.statement(one, is_flagged)
            if not isinstance(one, ast.If) or not leaves(one.body):
                continue
            # What follows runs as seldom as the test fails, unless it is the step itself.
            if self.is_seldom(one.test, body[at + 1 :]):
                return

    def is_seldom(self, test: ast.expr, then: list[ast.stmt]) -> bool:
        """Return whether a test lets code run now and then alone; not where an optimizer steps
        there, as what comes before it is a part of its step.
        """
        seldom = is_seldom(test, self.step.scope, self.counters)
        return seldom and not trains(then, self.step.scope)

    def statement(self, node: ast.stmt, is_flagged: bool) -> Iterator[Wait | None]:
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            return
        if node in self.step.inner:
            self.has_waited = False
            yield None
            return
        if isinstance(node, ast.If):
            yield from self.branches(node, is_flagged)
            return
        if isinstance(node, ast.Assign) and self.guarded & set(map(ast.unparse, node.targets)):
            self.has_waited = True
        for name in node._fields:
            value = getattr(node, name)
            if name == "handlers" and isinstance(node, ast.Try):
                continue
            if name == "test":
                yield from self.test(value, is_flagged)
                continue
            if name == "orelse" and isinstance(node, LOOPS):
                continue
            if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                yield from self.block(value, is_flagged=is_flagged)
                continue
            for one in value if isinstance(value, list) else [value]:
                if isinstance(one, ast.withitem):
                    one = one.context_expr  # noqa: PLW2901
                if isinstance(one, ast.expr):
                    yield from self.expression(one, is_flagged)

    def branches(self, node: ast.If, is_flagged: bool) -> Iterator[Wait | None]:
        # A value that decides how to go on is needed at once.
        self.has_waited |= self.guards(node.test)
        if not self.is_seldom(node.test, node.body):
            yield from self.test(node.test, is_flagged)
            flagged = is_flagged or bool(ON_A_FLAG.search(ast.unparse(node.test)))
            yield from self.block(node.body, is_flagged=flagged)
        yield from self.block(node.orelse, is_flagged=is_flagged)

    def test(self, node: ast.expr, is_flagged: bool) -> Iterator[Wait | None]:
        """Yield the waits of what decides how to go on, for which Python needs a number."""
        if isinstance(node, ast.BoolOp):
            for part in node.values:
                yield from self.test(part, is_flagged)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            yield from self.test(node.operand, is_flagged)
        elif self.is_tensor(node):
            what = "comparison" if isinstance(node, ast.Compare) else "test"
            if not self.has_waited:
                yield Wait(node, f"a {what} of a tensor", is_flagged)
        else:
            yield from self.expression(node, is_flagged)

    def expression(self, node: ast.expr, is_flagged: bool) -> Iterator[Wait | None]:
        if isinstance(node, ast.Lambda):
            return
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            if ENVIRONMENT.search(name):
                return
            self.has_waited |= BARRIER.search(name) is not None
            if backward(node) is not None:
                self.has_waited = False
                yield None
                return
        if isinstance(node, ast.IfExp):
            yield from self.test(node.test, is_flagged)
            yield from self.expression(node.body, is_flagged)
            yield from self.expression(node.orelse, is_flagged)
            return
        what = self.waits(node)
        if what is not None:
            if not self.has_waited:
                yield Wait(node, what, is_flagged or what == DEBUGGING)
            return
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                yield from self.expression(child, is_flagged)
            elif isinstance(child, ast.keyword):
                yield from self.expression(child.value, is_flagged)
            elif isinstance(child, ast.comprehension):
                yield from self.expression(child.iter, is_flagged)
        if isinstance(node, ast.Call):
            yield from self.called(node, is_flagged)

    def called(self, node: ast.Call, is_flagged: bool) -> Iterator[Wait | None]:
        """Yield the waits of a function of the module that the step calls, one that does not train
        itself, as that is a step of its own.
        """
        callee = self.module.callee(node, self.step.scope)
        if (
            callee is None
            or callee in self.callers
            or len(self.callers) > DEEPEST
            or not isinstance(callee.node, FUNCTIONS)
            or callee.name in ("__init__", "forward")
            or callee in self.module.once(_scopes)
        ):
            return
        given = [*zip(callee.own_parameters, node.args)]
        given += [(word.arg, word.value) for word in node.keywords if word.arg is not None]
        beside = {name for name, one in given if self.origins.is_beside(one)}
        tensors = frozenset(name for name, one in given if self.is_tensor(one))
        step = Step(self.step.loop, callee.node.body, callee, self.step.inner, tensors)
        walk = _Walk(self.module, step, self.callers, beside)
        walk.has_waited = self.has_waited
        for event in walk.events():
            yield event._replace(is_flagged=True) if event is not None and is_flagged else event
        self.has_waited = walk.has_waited

    def guards(self, test: ast.expr) -> bool:
        """Return whether a test asks for each loss whether it is a number, and so waits."""
        return any(
            isinstance(part, ast.expr) and self.is_tensor(part)
            for given in _asked(test)
            for part in ast.walk(given)
        )

    def waits(self, node: ast.expr) -> str | None:
        """Return what an expression does that waits, in words."""
        shown: list[ast.expr] = []
        if isinstance(node, ast.Call):
            return self.call_waits(node)
        if isinstance(node, ast.FormattedValue):
            shown = [node.value]
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
            is_text = isinstance(node.left, ast.Constant) and isinstance(node.left.value, str)
            shown = [node.right] if is_text else []
        return "a tensor in a text" if any(map(self.is_tensor, shown)) else None

    def call_waits(self, node: ast.Call) -> str | None:
        """Return what a call does that waits, in words."""
        name, given = name_called(node), node.args
        held = node.func.value if isinstance(node.func, ast.Attribute) else None
        if held is not None and name in READING and not given and not node.keywords:
            is_read = self.is_tensor(held) or (
                name != "tolist"
                and not self.origins.is_beside(held)
                and not (name == "cpu" and _is_result(held))
            )
            return f".{name}()" if is_read else None
        if held is not None and name == "to" and _is_only_cpu(node):
            return '.to("cpu")' if self.is_tensor(held) or "detach" in ast.unparse(held) else None
        shown: list[ast.expr] = []
        what = f"{name} of a tensor"
        if held is None and name in NUMBERS:
            shown, what = given, f"{name}() of a tensor"
        elif held is None and name == "print":
            shown = given
        elif held is not None and name in (*REPORTING, "format"):
            shown = [*given, *(word.value for word in node.keywords)]
        elif held is not None and name in LOGGING and "log" in ast.unparse(held).casefold():
            shown, what = given[1:], DEBUGGING if name == "debug" else "logging of a tensor"
        elif ast.unparse(node.func) in TRACKERS:
            shown = [*given, *(word.value for word in node.keywords)]
            what = f"{ast.unparse(node.func)} of a tensor"
        return what if any(map(self.is_tensor, shown)) else None

    def is_tensor(self, node: ast.expr) -> bool:
        """Return whether an expression is made of losses and of what the step computes from
        them.
        """
        return is_tensor(node, self.tensors)


def _scopes(module: Module) -> set[Scope]:
    """Return the functions that are steps of their own."""
    return {one.scope for one in steps(module)}


def _is_result(node: ast.expr) -> bool:
    """Return whether a method of the same object made a value, which may be anything."""
    func = node.func if isinstance(node, ast.Call) else None
    return isinstance(func, ast.Attribute) and ast.unparse(func.value) == "self"


def _asked(node: ast.AST) -> Iterator[ast.expr]:
    """Yield what an expression asks whether it is a number."""
    for one in ast.walk(node):
        if isinstance(one, ast.Call) and GUARD.search(ast.unparse(one.func)):
            yield from one.args or ([one.func.value] if isinstance(one.func, ast.Attribute) else [])


def _guarded(step: Step) -> set[str]:
    """Return the names whose value every step needs: for such a test, or for what an environment
    does.
    """
    needed: list[ast.expr] = []
    for node in (one for part in step.body for one in ast.walk(part)):
        if isinstance(node, ast.If):
            needed += _asked(node.test)
        elif isinstance(node, ast.Call) and ENVIRONMENT.search(ast.unparse(node.func)):
            needed += node.args
    return {part.id for given in needed for part in ast.walk(given) if isinstance(part, ast.Name)}


def _is_only_cpu(call: ast.Call) -> bool:
    """Return whether the text `cpu` is all that a call is given."""
    only = call.args[0] if len(call.args) == 1 and not call.keywords else None
    return isinstance(only, ast.Constant) and only.value == "cpu"
