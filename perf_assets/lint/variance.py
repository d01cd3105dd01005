"""Whether an expression has the same value in every iteration: data flow, a variable at a time.

Everything is taken to change unless it is known to stay the same: loop targets, names bound in the
loop to what changes, objects changed in place, attributes set in the loop or in a function that it
calls, what unknown functions give (they may read files, the clock or a random number).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Any, NamedTuple

from perf_assets.lint.arguments import arguments
from perf_assets.lint.effects import (
    COUNTING,
    IMPURE,
    LIKENESS,
    PURE_BUILTINS,
    PURE_MODULES,
    PURE_OF_TENSORFLOW,
    READING_METHODS,
    VARIABLES,
)
from perf_assets.lint.loop_summary import Bound, Location, Site, Survey
from perf_assets.lint.loop_visitor import survey_function, survey_loop
from perf_assets.lint.module import Module
from perf_assets.lint.scopes import LoopAt, Scope
from perf_assets.lint.tensorflow_api.operations import is_operation

DEEPEST = 3  # calls away from the loop, as in the published tool


class Run:
    """One run of a loop's body, or of a function called from a loop.

    Parameters
    ----------
    module, scope
        Where names are looked up.
    survey
        What happens in the run.
    changing
        Names that differ from run to run by themselves: parameters given something that does.
    outer
        The run from which the function was called.
    depth
        How many calls away from the loop.
    """

    def __init__(
        self,
        module: Module,
        scope: Scope,
        survey: Survey,
        changing: frozenset[str] = frozenset(),
        outer: Run | None = None,
        depth: int = 0,
    ) -> None:
        """Keep the parameters; nothing is computed yet."""
        self.module, self.scope, self.survey = module, scope, survey
        self.changing, self.outer, self.depth = changing, outer, depth
        self._variables_change = False
        self.given: dict[str, ast.expr] = {}
        self.called_at: Location | None = None
        self._pending: set[tuple[str, Location]] = set()

    @classmethod
    def of_loop(cls, module: Module, loop: LoopAt) -> Run:
        """Return one iteration of a loop."""
        return cls(module, loop.scope, survey_loop(module, loop))

    def of_call(self, site: Site, callee: Scope) -> Run:
        """Return the run of a function that a call of this run makes."""
        given = dict(_given(site.call, callee))
        with self._variables_changing(variables_change=self.learns):
            same = {name for name, one in given.items() if self.same(one, site.location)}
        changing = frozenset(given) - same
        inner = Run(
            self.module,
            callee,
            survey_function(self.module, callee),
            changing,
            self,
            self.depth + 1,
        )
        inner.given, inner.called_at = given, site.location
        return inner

    @cached_property
    def changed(self) -> set[str]:
        """The names of what is changed in place, here or by a function of the module."""
        found = set(self.survey.changed)
        for site in self.survey.sites:
            callee = self.module.callee(site.call, self.scope)
            inner = survey_function(self.module, callee).changed if callee is not None else ()
            for name, given in _given(site.call, callee) if callee is not None and inner else ():
                if name in inner and isinstance(given, ast.Name):
                    found.add(given.id)
        return found

    @cached_property
    def set_attributes(self) -> frozenset[str]:
        """The attributes that this run sets, or a function called in it, or the run around it."""
        own = _reach(self.module, self.scope, self.survey).attributes
        return own | (self.outer.set_attributes if self.outer is not None else frozenset())

    @cached_property
    def new_graph(self) -> bool:
        """Return whether each run begins a new graph, so that its nodes have to be made again."""
        own = _reach(self.module, self.scope, self.survey).new_graph
        return own or (self.outer is not None and self.outer.new_graph)

    @cached_property
    def learns(self) -> bool:
        """Return whether each run changes variables of a model, which attributes may hold."""
        own = _reach(self.module, self.scope, self.survey).learns
        return own or (self.outer is not None and self.outer.learns)

    def same(self, node: ast.expr, location: Location) -> bool:
        """Return whether an expression at a location has the same value in every iteration."""
        special = _SAME.get(type(node))
        if special is not None:
            return special(self, node, location)
        parts = [one for one in ast.iter_child_nodes(node) if isinstance(one, ast.expr)]
        return all(self.same(part, location) for part in parts)

    def _always(self, node: ast.expr, location: Location) -> bool:
        return True

    def _never(self, node: ast.expr, location: Location) -> bool:
        return False

    def _same_attribute(self, node: ast.Attribute, location: Location) -> bool:
        if node.attr in self.set_attributes or node.attr in COUNTING:
            return False
        if self._variables_change and node.attr not in LIKENESS and self._is_held(node):
            return False
        return self.same(node.value, location)

    def _is_held(self, node: ast.Attribute) -> bool:
        """Return whether an attribute is one of an object rather than a name in a module or a
        class.
        """
        return self.module.resolve(node, self.scope) is None

    def once(self, site: Site) -> bool:
        """Return whether a call runs once, however often the loop does."""
        return site.once or self.differs_in_each(site.guards)

    def differs_in_each(self, names: frozenset[str]) -> bool:
        """Return whether one of some names is a target of the loop, or a parameter that is given
        one.
        """
        return any(name in self.survey.bound or name in self.changing for name in names)

    def arguments_same(
        self, call: ast.Call, location: Location, *, variables_change: bool | None = None
    ) -> bool:
        """Return whether all that a call is given is the same in every iteration.

        With `variables_change` what may be a variable of a model counts as changing; without a
        word, as in the question that this one is part of.
        """
        change = self._variables_change if variables_change is None else variables_change
        with self._variables_changing(variables_change=change):
            return all(self.same(argument, location) for argument in arguments(call))

    @contextmanager
    def _variables_changing(self, *, variables_change: bool) -> Iterator[None]:
        kept, self._variables_change = self._variables_change, variables_change
        try:
            yield
        finally:
            self._variables_change = kept

    def _same_name(self, node: ast.Name, location: Location) -> bool:
        return self._keeps(node.id, location)

    def _keeps(self, name: str, location: Location) -> bool:
        if self.survey.bound.get(name) and name not in self.changed:
            return self._same_bound(name, location)
        if name in self.changed or name in self.changing or name in self.module.globals:
            return False
        if self._variables_change and self._holds_variable(name):
            return False
        return self.outer is None or name in self.scope.bindings or self._kept_outside(name)

    def _kept_outside(self, name: str) -> bool:
        """Return whether the runs around this one keep a name that it reads from outside."""
        assert self.outer is not None
        found = self.scope.find(name)
        if found is not None and found[0] is self.outer.scope:
            return self.outer.leaves_alone(name, found)
        return self.outer.outer is None or self.outer.outer.leaves_alone(name, found)

    def _holds_variable(self, name: str) -> bool:
        """Return whether a name was given a variable of a model, or an attribute that may be
        one.
        """
        found = self.scope.find(name)
        values = [one.value for one in found[1]] if found is not None else []
        return any(
            (isinstance(value, ast.Attribute) and self._is_held(value))
            or (
                isinstance(value, ast.Call)
                and self.module.resolve(value.func, self.scope) in VARIABLES
            )
            for value in values
        )

    def leaves_alone(self, name: str, found: tuple[Scope, object] | None) -> bool:
        """Return whether the run keeps a name of its own scope that an inner function reads."""
        if found is not None and found[0] is self.scope:
            return not (name in self.survey.bound or name in self.changed or name in self.changing)
        return self.outer is None or self.outer.leaves_alone(name, found)

    def _same_bound(self, name: str, location: Location) -> bool:
        key = (name, location)
        reaching = self.reaching(name, location)
        if key in self._pending or reaching is None or reaching.value is None:
            return False
        self._pending.add(key)
        try:
            return self.same(reaching.value, reaching.location)
        finally:
            self._pending.discard(key)

    def reaching(self, name: str, location: Location) -> Bound | None:
        """Return the only binding of this run that gives a name its value at a location, if any."""
        bound = self.survey.bound.get(name, [])
        before = [one for one in bound if one.location.position < location.position]
        last = max(before, key=lambda one: one.location.position, default=None)
        if last is None or last.location.blocks != location.blocks[: len(last.location.blocks)]:
            return None
        carried = location.loops[len(last.location.loops) :]
        if any(loop in other.location.loops for loop in carried for other in bound):
            return None
        return last

    def _same_comprehension(self, node: ast.expr, location: Location) -> bool:
        generators: list[ast.comprehension] = node.generators  # type: ignore[attr-defined]
        own = {
            one.id
            for part in generators
            for one in ast.walk(part.target)
            if isinstance(one, ast.Name)
        }
        names = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)} - own
        calls = [one for one in ast.walk(node) if isinstance(one, ast.Call)]
        pure = all(self._pure(call) or self._reading(call) for call in calls)
        attributes = {one.attr for one in ast.walk(node) if isinstance(one, ast.Attribute)}
        return (
            pure
            and not attributes & self.set_attributes
            and all(name in PURE_BUILTINS or self._keeps(name, location) for name in names)
        )

    def _same_call(self, call: ast.Call, location: Location) -> bool:
        if self._pure(call):
            return self.arguments_same(call, location)
        if self._reading(call) and isinstance(call.func, ast.Attribute):
            return self.same(call.func.value, location) and self.arguments_same(call, location)
        callee = self.module.callee(call, self.scope)
        if callee is None or self.depth >= DEEPEST or callee.name == "__init__":
            return False
        site = Site(
            call, location, once=False, guards=frozenset(), taped=False, deferred=False, pins=()
        )
        inner = self.of_call(site, callee)
        returns = inner.survey.returns
        return bool(returns) and all(inner.same(value, at) for value, at in returns)

    def _reading(self, call: ast.Call) -> bool:
        func = call.func
        return (
            isinstance(func, ast.Attribute)
            and func.attr in READING_METHODS - {"run", "eval"}
            and self.module.resolve(func, self.scope) is None
        )

    def _pure(self, call: ast.Call) -> bool:
        name = self.module.resolve(call.func, self.scope)
        if name is None:
            is_builtin = isinstance(call.func, ast.Name) and self.scope.find(call.func.id) is None
            return is_builtin and isinstance(call.func, ast.Name) and call.func.id in PURE_BUILTINS
        if name.startswith(PURE_MODULES):
            return not name.startswith(IMPURE)
        return is_operation(name) or name in PURE_OF_TENSORFLOW


def _given(call: ast.Call, callee: Scope) -> Iterator[tuple[str, ast.expr]]:
    """Yield the parameters with what a call gives them; those left to their defaults are not
    there.
    """
    names = list(callee.parameters)
    if callee.itself is not None and names:
        first = names.pop(0)
        if isinstance(call.func, ast.Attribute) and not isinstance(call.func.value, ast.Call):
            yield first, call.func.value
    rest = names[-1:]  # *args or **kwargs, where there are any
    for index, one in enumerate(call.args):
        if isinstance(one, ast.Starred):
            yield from ((name, one.value) for name in names[index:])
            return
        yield from ((name, one) for name in (names[index : index + 1] or rest))
    named = {*names[: len(call.args)], *(word.arg for word in call.keywords)}
    for word in call.keywords:
        if word.arg is None:
            yield from ((name, word.value) for name in names if name not in named)
        else:
            yield from ((name, word.value) for name in ([word.arg] if word.arg in names else rest))


class _Reach(NamedTuple):
    """What a run does together with the functions of the module that it calls."""

    attributes: frozenset[str]
    new_graph: bool
    learns: bool


def _reach(module: Module, scope: Scope, survey: Survey) -> _Reach:
    reached = module.once(_reached)
    key = id(survey)
    if key not in reached:
        surveys = [survey, *_called(module, scope, survey)]
        reached[key] = _Reach(
            frozenset().union(*(one.attributes for one in surveys)),
            any(one.new_graph for one in surveys),
            any(one.learns for one in surveys),
        )
    return reached[key]


def _reached(module: Module) -> dict[int, _Reach]:
    return {}


def _called(module: Module, scope: Scope, survey: Survey) -> Iterator[Survey]:
    """Yield the surveys of the functions that a run calls, themselves or on the way."""
    seen: set[Scope] = set()
    edge = [(scope, survey)]
    for _ in range(DEEPEST):
        following = []
        for at, found in edge:
            for site in found.sites:
                callee = module.callee(site.call, at)
                if callee is not None and callee not in seen:
                    seen.add(callee)
                    following.append((callee, survey_function(module, callee)))
        yield from (inner for _, inner in following)
        edge = following


_SAME: dict[type[ast.AST], Callable[[Run, Any, Location], bool]] = {
    ast.Constant: Run._always,
    ast.Name: Run._same_name,
    ast.Attribute: Run._same_attribute,
    ast.Call: Run._same_call,
    ast.ListComp: Run._same_comprehension,
    ast.SetComp: Run._same_comprehension,
    ast.DictComp: Run._same_comprehension,
    ast.GeneratorExp: Run._same_comprehension,
    ast.Lambda: Run._never,
    ast.NamedExpr: Run._never,
    ast.Await: Run._never,
    ast.Yield: Run._never,
    ast.YieldFrom: Run._never,
}
