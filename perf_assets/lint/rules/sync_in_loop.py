"""What makes a training loop of PyTorch wait for the device in every step."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from perf_assets.lint.findings import Related, Severity
from perf_assets.lint.module import Hit, Module
from perf_assets.lint.rules.rule import TRANSMISSION, Rule
from perf_assets.lint.scopes import FUNCTIONS, names_in
from perf_assets.lint.training import LOOPS, Step, backward, is_seldom, steps

READING = frozenset(("item", "cpu", "tolist"))
REPORTING = frozenset(
    ("set_postfix", "set_postfix_str", "set_description", "add_scalar", "add_scalars")
)
NUMBERS = frozenset(("float", "int", "bool"))
LIKENESS = frozenset(("shape", "size", "dim", "dtype", "device", "requires_grad", "ndim"))
ON_A_FLAG = re.compile(
    r"(?<![a-z])(?:verbose|log(?:ger|ging)?|debug|print|vis|plot|display|show|save|writer?|report)"
    r"(?![a-z])",
    re.IGNORECASE,
)
"""Words of tests that people switch off: such a wait is a note."""

ENVIRONMENT = re.compile(r"(?:^|\.)_?envs?\b")
"""Who acts in an environment needs the value of this very step."""

ON_A_GPU = re.compile(r"cuda|device|gpu|accelerat|\bmps\b|fabric", re.IGNORECASE)
MODEL = re.compile(r"nn\.(?:Module|Sequential|Linear|LSTM)|requires_grad=True")
"""A program that makes its model and says nothing of a GPU computes where nothing is queued."""

GUARD = re.compile(r"isnan|isfinite|isinf")
"""Tests that training must not go on without: what is read behind one finds nothing to wait for."""

BARRIER = re.compile(r"\bsynchronize$")
"""A wait that somebody asked for: there is nothing left to wait for behind it either."""

EPOCH = re.compile(r"epoch", re.IGNORECASE)

MOST_RELATED = 5


class _Wait(NamedTuple):
    """An expression that waits for the device."""

    node: ast.expr
    what: str
    is_flagged: bool


def find(module: Module) -> Iterator[Hit]:
    """Yield the first wait after each `backward` in a step: those that follow find nothing left to
    do.
    """
    if not module.imports("torch"):
        return
    reported: set[ast.expr] = set()
    on_a_gpu = ON_A_GPU.search(module.text) or not MODEL.search(module.text)
    for step in steps(module):
        for first, *others in _groups(_Walk(step).events()):
            if first.node in reported:
                continue
            reported.add(first.node)
            where = f"the loop in line {step.loop.node.lineno}"
            if isinstance(step.scope.node, FUNCTIONS) and step.scope is not step.loop.scope:
                where += f", which runs {step.scope.name}"
            yield Hit(
                first.node,
                _severity(step, first, is_on_a_gpu=bool(on_a_gpu)),
                f"{first.what} stops Python until the GPU has finished all queued work, in every "
                f"step of {where}, so that the GPU idles between steps: keep the detached tensor, "
                "and read its value every so many steps or after the loop",
                tuple(
                    Related(other.node.lineno, "read here too, when nothing is left to wait for")
                    for other in others[:MOST_RELATED]
                ),
            )


def _severity(step: Step, first: _Wait, *, is_on_a_gpu: bool) -> Severity:
    """Return a note where the wait can be switched off, or where an epoch is one step of all
    data.
    """
    node = step.loop.node
    is_epoch = isinstance(node, ast.For) and EPOCH.search(ast.unparse(node.target)) is not None
    seldom = first.is_flagged or is_epoch or not is_on_a_gpu
    return Severity.NOTE if seldom else Severity.WARNING


def _groups(events: Iterator[_Wait | None]) -> Iterator[list[_Wait]]:
    """Yield the waits between two calls of `backward`, the first that every run has in front."""
    group: list[_Wait] = []
    for event in events:
        if event is not None:
            group.append(event)
        elif group:
            yield sorted(group, key=lambda one: one.is_flagged)
            group = []
    if group:
        yield sorted(group, key=lambda one: one.is_flagged)


class _Walk:
    """Goes through one step in the order of the source."""

    def __init__(self, step: Step) -> None:
        self.step = step
        self.counters: frozenset[str] = frozenset()
        if isinstance(step.loop.node, (ast.For, ast.AsyncFor)):
            self.counters = frozenset(names_in(step.loop.node.target))
        self.tensors = _tensors(step)
        self.guarded = _guarded(step)
        self.has_waited = False

    def events(self) -> Iterator[_Wait | None]:
        """Yield the waits, and None for each call of `backward`."""
        yield from self.block(self.step.body, is_flagged=False)

    def block(self, body: list[ast.stmt], *, is_flagged: bool) -> Iterator[_Wait | None]:
        for one in body:
            yield from self.statement(one, is_flagged)
            if isinstance(one, ast.If) and self.is_seldom(one.test) and _leaves(one.body):
                return  # what follows runs as seldom as the test fails

    def is_seldom(self, test: ast.expr) -> bool:
        return is_seldom(test, self.step.scope, self.counters)

    def statement(self, node: ast.stmt, is_flagged: bool) -> Iterator[_Wait | None]:
        if node in self.step.inner or isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            return
        if isinstance(node, ast.If):
            # A value that decides how to go on is needed at once.
            self.has_waited |= self.guards(node.test)
            if not self.is_seldom(node.test):
                flagged = is_flagged or bool(ON_A_FLAG.search(ast.unparse(node.test)))
                yield from self.block(node.body, is_flagged=flagged)
            yield from self.block(node.orelse, is_flagged=is_flagged)
            return
        if isinstance(node, ast.Assign) and self.guarded & set(map(ast.unparse, node.targets)):
            self.has_waited = True
        for name in node._fields:
            value = getattr(node, name)
            if name == "test" or (name == "handlers" and isinstance(node, ast.Try)):
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

    def expression(self, node: ast.expr, is_flagged: bool) -> Iterator[_Wait | None]:
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
        what = self.waits(node)
        if what is not None:
            if not self.has_waited:
                yield _Wait(node, what, is_flagged)
            return
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                yield from self.expression(child, is_flagged)
            elif isinstance(child, ast.keyword):
                yield from self.expression(child.value, is_flagged)
            elif isinstance(child, ast.comprehension):
                yield from self.expression(child.iter, is_flagged)

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
        what = "a tensor in a text"
        if isinstance(node, ast.Call):
            held = node.func.value if isinstance(node.func, ast.Attribute) else None
            name = _name_called(node)
            if held is not None and name in READING and not node.args and not node.keywords:
                return f".{name}()" if name != "tolist" or self.is_tensor(held) else None
            if held is not None and name in (*REPORTING, "format"):
                shown = [*node.args, *(word.value for word in node.keywords)]
            elif held is None and (name == "print" or (name in NUMBERS and len(node.args) == 1)):
                shown = node.args
            what = f"{name}() of a tensor" if name in NUMBERS else f"{name} of a tensor"
        elif isinstance(node, ast.FormattedValue):
            shown = [node.value]
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
            is_text = isinstance(node.left, ast.Constant) and isinstance(node.left.value, str)
            shown = [node.right] if is_text else []
        return what if any(map(self.is_tensor, shown)) else None

    def is_tensor(self, node: ast.expr) -> bool:
        """Return whether an expression is made of losses and of what the step computes from
        them.
        """
        return _is_tensor(node, self.tensors)


def _name_called(call: ast.Call) -> str:
    """Return the name of a function, or of a method without its object."""
    if isinstance(call.func, ast.Attribute):
        return call.func.attr
    return call.func.id if isinstance(call.func, ast.Name) else ""


def _asked(node: ast.AST) -> Iterator[ast.expr]:
    """Yield what an expression asks whether it is a number."""
    for one in ast.walk(node):
        if isinstance(one, ast.Call) and GUARD.search(ast.unparse(one.func)):
            yield from one.args


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


def _is_tensor(node: ast.expr, tensors: set[str]) -> bool:
    parts: list[ast.expr] = []
    if isinstance(node, ast.Name):
        return node.id in tensors
    if isinstance(node, ast.Attribute) and node.attr not in LIKENESS:
        if ast.unparse(node) in tensors:
            return True
        parts = [node.value] if node.attr in ("data", "grad") else []
    elif isinstance(node, ast.BinOp):
        parts = [node.left, node.right]
    elif isinstance(node, ast.UnaryOp):
        parts = [node.operand]
    elif isinstance(node, (ast.Subscript, ast.Starred)):
        parts = [node.value]
    elif isinstance(node, (ast.Tuple, ast.List)):
        parts = node.elts
    elif isinstance(node, ast.Dict):
        parts = node.values
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        is_like = node.func.attr not in READING | LIKENESS | {"numpy"}
        parts = [node.func.value] if is_like else []
    return any(_is_tensor(part, tensors) for part in parts)


def _tensors(step: Step) -> set[str]:
    """Return the losses of a step, what came with them from one call, and what is computed from
    them.
    """
    found = set(step.losses)
    assigned = [one for part in step.body for one in ast.walk(part) if isinstance(one, ast.Assign)]
    for node in assigned:
        for target in node.targets:
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Call):
                names = {ast.unparse(elt) for elt in target.elts}
                if names & step.losses:
                    found |= {name for name in names if "loss" in name}
    for node in assigned:
        if _is_tensor(node.value, found):
            found |= {ast.unparse(one) for one in node.targets if isinstance(one, ast.Name)}
    return found


def _leaves(body: list[ast.stmt]) -> bool:
    return isinstance(body[-1], (ast.Continue, ast.Return))


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
