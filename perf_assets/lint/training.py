"""Training with PyTorch: the code of its steps, and what in them runs seldom."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from perf_assets.lint.module import Module
from perf_assets.lint.scopes import FUNCTIONS, LoopAt, Scope, name_called, names_in

SELDOM = re.compile(
    r"%|every|interval|freq|period|should_|is_last|last_(?:batch|step|iter)"
    r"|time\(\)|perf_counter|monotonic|elapsed"
)
"""Words of a test that holds every so many steps, or after some time."""

CLOCK = re.compile(r"time\(\)|perf_counter|monotonic|%")
WRAPPING = frozenset(("compile", "partial", "script", "jit", "wraps", "checkpoint"))
"""Functions that give back the function that they are given, in another form."""

LOOPS = (ast.For, ast.AsyncFor, ast.While)
BACKWARD = frozenset(("backward", "manual_backward"))
OPTIMIZER = re.compile(r"optim|(?:^|[._])opts?(?:$|[._])|_opt$|(?:^|[._])opt_|scaler")
"""Texts of what is an optimizer, or scales the gradients for one."""

STEPPING = re.compile(
    r"\w{0,30}optim\w{0,30}_step|optimize_parameters|train(?:ing)?_(?:one_)?(?:step|batch)|"
    r"forward_backward(?:_step|_func)?|update_params"
)
"""Names of functions that train for one step, wherever they stand."""

TRAINING = re.compile(r"backward|step|optimize_parameters|train_(?:one_)?batch|update_params|_loss")
"""Texts without one of which a module trains nothing."""

HOOKS = frozenset(("training_step", "train_step", "compute_loss"))
"""Methods that Lightning, Keras and Hugging Face's Trainer call for each batch."""

CALLED_FOR_STEPS = re.compile(
    r"(?:^|_)(?:step|batch|iter(?:ation)?|update|learn|optimi[sz]e)(?:_|$)"
)
DEEPEST = 3  # functions between a loop and what steps


@dataclass(frozen=True)
class Step:
    """The code of one step of training: of a loop, of a function that it runs, or of a hook.

    Attributes
    ----------
    loop
        The innermost loop that trains; None where it stands in another file.
    body
        What each step runs.
    scope
        The function it stands in.
    inner
        The loops within it that train themselves, which are steps of their own.
    losses
        What `backward` is called on, as text.
    is_hook
        Whether a framework calls it for each batch, which it has moved to the device.
    """

    loop: LoopAt | None
    body: list[ast.stmt]
    scope: Scope
    inner: frozenset[ast.AST]
    losses: frozenset[str]
    is_hook: bool = False

    @property
    def where(self) -> str:
        """Return whose step it is, in words: "the loop in line 3, which runs g"."""
        if self.loop is None:
            return f"the training that calls {self.scope.name}"
        runs = f", which runs {self.scope.name}" if self.scope is not self.loop.scope else ""
        return f"the loop in line {self.loop.node.lineno}{runs}"


def steps(module: Module) -> list[Step]:
    """Return the code of the steps of training.

    Of every loop that calls `backward` or steps an optimizer, itself or through functions: those
    that it defines, calls, or gives to an optimizer. And of functions that do so for loops of other
    files: the hooks of frameworks, and what is called after a step and called nowhere here.
    """
    return module.once(_steps)


def backward(call: ast.Call) -> frozenset[str] | None:
    """Return what `backward` is called on, as text: the loss, without what scales it."""
    func = call.func
    if not isinstance(func, ast.Attribute) or func.attr not in BACKWARD:
        return None
    return frozenset(name for loss in (func.value, *call.args[:1]) for name in _named(loss))


def _named(loss: ast.expr) -> Iterator[str]:
    """Yield the names of what a loss is made of, without what divides it and what a model gets."""
    parts: list[ast.expr] = []
    if isinstance(loss, (ast.Name, ast.Attribute)):
        yield ast.unparse(loss)
    elif isinstance(loss, ast.BinOp) and isinstance(loss.op, (ast.Div, ast.FloorDiv)):
        parts = [loss.left]
    elif isinstance(loss, ast.Call) and isinstance(loss.func, ast.Attribute):
        # scaler.scale(loss), torch.stack(losses) and loss.mean()
        held = loss.func.value
        of_tensors = loss.func.attr == "scale" or ast.unparse(held) == "torch"
        parts = loss.args if of_tensors else [held]
    elif isinstance(loss, ast.Call):
        is_sum = ast.unparse(loss.func) == "sum" and len(loss.args) == 1
        parts = loss.args if is_sum else []
    elif isinstance(loss, ast.Subscript):
        parts = [loss.value]
    elif isinstance(loss, (ast.BinOp, ast.UnaryOp, ast.Tuple, ast.List)):
        parts = [child for child in ast.iter_child_nodes(loss) if isinstance(child, ast.expr)]
    for part in parts:
        yield from _named(part)


def is_step(call: ast.Call, scope: Scope) -> bool:
    """Return whether a call lets an optimizer step."""
    func, name = call.func, name_called(call)
    if STEPPING.fullmatch(name):
        return True
    if name != "step" or not isinstance(func, ast.Attribute):
        return False
    text = ast.unparse(func.value)
    if "sched" in text.casefold():
        return False
    made = scope.values(text) if isinstance(func.value, ast.Name) else []
    return OPTIMIZER.search(text.casefold()) is not None or any(
        isinstance(value, ast.Call) and "optim." in ast.unparse(value.func) for value in made
    )


def trains(body: Iterable[ast.AST], scope: Scope) -> bool:
    """Return whether code lets an optimizer step."""
    return any(
        isinstance(node, ast.Call) and is_step(node, scope)
        for one in body
        for node in ast.walk(one)
    )


def leaves(body: list[ast.stmt]) -> bool:
    """Return whether a block ends its step."""
    return isinstance(body[-1], (ast.Continue, ast.Return))


def always(step: Step) -> Iterator[ast.Call]:
    """Yield the calls that each step makes, in no branch but that in which an optimizer steps."""
    for at, one in enumerate(step.body):
        yield from _always(one, step)
        if isinstance(one, ast.If) and leaves(one.body):
            is_part = isinstance(one.body[-1], ast.Continue)  # of a batch, before its step
            if not (is_part and trains(step.body[at + 1 :], step.scope)):
                return


def _always(node: ast.AST, step: Step) -> Iterator[ast.Call]:
    if node in step.inner or isinstance(node, (*FUNCTIONS, ast.ClassDef, ast.Lambda, *LOOPS)):
        return
    if isinstance(node, (ast.If, ast.IfExp)):
        if isinstance(node, ast.If) and trains(node.body, step.scope):
            for one in node.body:
                yield from _always(one, step)
        return
    if isinstance(node, ast.ExceptHandler):
        return
    if isinstance(node, ast.Call):
        yield node
    for child in ast.iter_child_nodes(node):
        yield from _always(child, step)


def is_seldom(test: ast.expr, scope: Scope, counters: frozenset[str]) -> bool:
    """Return whether a test holds now and then alone: every so many steps, for some values of a
    counter, or after some time.
    """
    if SELDOM.search(ast.unparse(test)):
        return True
    for node in ast.walk(test):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitAnd):
            return True
        if isinstance(node, ast.Compare) and any(
            isinstance(op, (ast.Eq, ast.In, ast.NotIn)) for op in node.ops
        ):
            sides = {
                comparator.id
                for comparator in (node.left, *node.comparators)
                if isinstance(comparator, ast.Name)
            }
            if sides & counters:
                return True
        if isinstance(node, ast.Name) and any(
            _is_of_time_or_rest(value) for value in scope.values(node.id)
        ):
            return True
    return False


def _is_of_time_or_rest(value: object) -> bool:
    """Return whether a value is a test of a remainder, or the time that has gone."""
    if isinstance(value, (ast.Compare, ast.BoolOp, ast.UnaryOp)):
        return SELDOM.search(ast.unparse(value)) is not None
    return isinstance(value, (ast.BinOp, ast.Call)) and CLOCK.search(ast.unparse(value)) is not None


def counters(node: ast.AST) -> frozenset[str]:
    """Return the names that count in a loop: its target, and what is raised by one."""
    target = names_in(node.target) if isinstance(node, (ast.For, ast.AsyncFor)) else set()
    raised = {
        one.target.id
        for one in ast.walk(node)
        if isinstance(one, ast.AugAssign)
        and isinstance(one.target, ast.Name)
        and isinstance(one.value, ast.Constant)
        and isinstance(one.value.value, int)
    }
    return frozenset(target | raised)


def _steps(module: Module) -> list[Step]:
    if not TRAINING.search(module.text):
        return []
    losses = _of_functions(module)
    training: dict[ast.AST, tuple[LoopAt, frozenset[str], list[Scope]]] = {}
    for loop in reversed(module.loops):  # inner ones before those around them
        if not isinstance(loop.node, LOOPS):
            continue
        nested = [inner for inner in training if _is_within(inner, loop.node)]
        taken = {part for inner in nested for part in ast.walk(inner)}
        calls = [call for call in loop.calls if call not in taken]
        functions = list(_functions(module, loop, calls, taken, losses))
        found = [base for call in calls if (base := backward(call)) is not None]
        found += [losses[function] for function in functions]
        if any(is_step(call, loop.scope) for call in calls):
            # Of parts whose gradients are added up the inner loop has the losses.
            found += [frozenset(), *(training[inner][1] for inner in nested)]
        if found:
            training[loop.node] = (loop, frozenset().union(*found), functions)
    nodes = frozenset(training)
    made: list[Step] = []
    for loop, bases, functions in reversed(training.values()):
        assert isinstance(loop.node, LOOPS)
        made.append(Step(loop, loop.node.body, loop.scope, nodes - {loop.node}, bases))
        made += [
            Step(loop, function.node.body, function, nodes, losses[function])
            for function in functions
            if isinstance(function.node, FUNCTIONS)
        ]
    known = {step.scope for step in made if step.loop and step.scope is not step.loop.scope}
    for scope in module.functions.values():
        if scope not in known and isinstance(scope.node, FUNCTIONS):
            is_hook = _is_hook(module, scope)
            if is_hook or _is_for_steps(module, scope, losses):
                bases = losses.get(scope, frozenset())
                made.append(Step(None, scope.node.body, scope, nodes, bases, is_hook))
    return made


def _of_functions(module: Module) -> dict[Scope, frozenset[str]]:
    """Return the functions that train for one step outside any loop of theirs, themselves or
    through others, with what they call `backward` on.
    """
    looped = module.once(_looped)
    found: dict[Scope, frozenset[str]] = {}
    for call, scope in module.calls:
        if call not in looped and isinstance(scope.node, FUNCTIONS):
            bases = backward(call)
            if bases is not None or is_step(call, scope):
                found[scope] = found.get(scope, frozenset()) | (bases or frozenset())
    # One that adds up the gradients of parts in a loop of its own has the losses of that.
    for loop in module.loops:
        if loop.scope in found:
            found[loop.scope] |= frozenset().union(*(backward(call) or () for call in loop.calls))
    callees = module.once(_callees)
    for _ in range(DEEPEST - 1):
        callers = [scope for scope, called in callees.items() if called.keys() & found.keys()]
        found = {**dict.fromkeys(callers, frozenset[str]()), **found}
    return found


def _functions(
    module: Module,
    loop: LoopAt,
    calls: list[ast.Call],
    taken: set[ast.AST],
    losses: dict[Scope, frozenset[str]],
) -> Iterator[Scope]:
    """Yield the functions that run in each step and train, each once."""
    found: dict[Scope, None] = {}
    for scope in losses:
        if scope.node not in taken and _is_within(scope.node, loop.node):
            found[scope] = None
    called = {one: None for call in calls for one in _called(module, call, loop.scope)}
    callees = module.once(_callees)
    for _ in range(DEEPEST):
        found |= called
        called = {inner: None for one in called if one in losses for inner in callees.get(one, ())}
    yield from (one for one in found if one in losses)


def _is_within(node: ast.AST, around: ast.AST) -> bool:
    """Return whether a piece of code stands within another, by where both begin and end."""
    begin, end = _span(node)
    first, last = _span(around)
    return first < begin and end <= last


def _span(node: ast.AST) -> tuple[tuple[int, int], tuple[int, int]]:
    return (
        (getattr(node, "lineno", 0), getattr(node, "col_offset", 0)),
        (getattr(node, "end_lineno", 0), getattr(node, "end_col_offset", 0)),
    )


def _looped(module: Module) -> set[ast.Call]:
    """Return the calls in loops, without comprehensions."""
    return {call for loop in module.loops if isinstance(loop.node, LOOPS) for call in loop.calls}


def _callees(module: Module) -> dict[Scope, dict[Scope, None]]:
    """Return the functions of the module that each of them calls outside loops."""
    looped = module.once(_looped)
    found: dict[Scope, dict[Scope, None]] = {}
    for call, scope in module.calls:
        if call not in looped and isinstance(scope.node, FUNCTIONS):
            found.setdefault(scope, {}).update(_called(module, call, scope))
    return found


def _called(module: Module, call: ast.Call, scope: Scope) -> dict[Scope, None]:
    """Return the functions of the module that a call runs, in order: its own, compiled or not, and
    those that it is given.
    """
    callee = module.callee(call, scope)
    found: dict[Scope, None] = {} if callee is None else {callee: None}
    for given in (call.func, *call.args):
        for value in scope.values(given.id) if isinstance(given, ast.Name) else ():
            values = [value]
            if isinstance(value, ast.Call) and value.args and isinstance(value.args[0], ast.Name):
                is_wrapped = name_called(value) in WRAPPING
                values = scope.values(value.args[0].id) if is_wrapped else []
            found |= {one: None for one in values if isinstance(one, Scope) and not one.is_class}
    return found


def _is_hook(module: Module, scope: Scope) -> bool:
    """Return whether a framework calls a function for each batch of training."""
    if scope.owner is not None and scope.name in HOOKS:
        node = scope.owner.node
        bases = [ast.unparse(base) for base in getattr(node, "bases", ())]
        if scope.name == "compute_loss":
            return any("Trainer" in base for base in bases)
        if scope.name == "train_step":  # with TensorFlow it is traced
            is_keras = any(base.endswith("Model") for base in bases) and "keras" in module.text
            return is_keras and not module.imports("tensorflow")
        return True
    return scope in module.once(_updates)


def _updates(module: Module) -> set[Scope]:
    """Return the functions that are given to an engine of ignite."""
    return {
        one
        for call, scope in module.calls
        if (module.resolve(call.func, scope) or "").startswith("ignite.")
        and name_called(call) == "Engine"
        for one in _called(module, call, scope)
    }


def _is_for_steps(module: Module, scope: Scope, losses: dict[Scope, frozenset[str]]) -> bool:
    """Return whether a function steps an optimizer for a loop of another file, by its name."""
    if scope not in losses or not CALLED_FOR_STEPS.search(scope.name):
        return False
    if not trains(getattr(scope.node, "body", ()), scope):
        return False
    return scope not in module.once(_called_here)


def _called_here(module: Module) -> set[Scope]:
    return {one for call, scope in module.calls for one in _called(module, call, scope)}
