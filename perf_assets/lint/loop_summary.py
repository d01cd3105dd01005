"""What happens in one run of a loop's body, or of a function that a loop calls."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import NamedTuple


class Location(NamedTuple):
    """Where something stands: line and column, the blocks around it and the loops around it."""

    position: tuple[int, int]
    blocks: tuple[int, ...]
    loops: tuple[ast.AST, ...]


class Bound(NamedTuple):
    """A value that a name gets; None where it differs by itself, or is unknown."""

    value: ast.expr | None
    location: Location


@dataclass(frozen=True)
class Site:
    """A call, and what stands around it.

    Attributes
    ----------
    once
        A guard, or a `break` or `return` behind it, lets it run once at most.
    guards
        It runs once as well if one of these names differs in each iteration.
    taped
        Under a `GradientTape`.
    deferred
        In a lambda, which runs when somebody calls it.
    pins
        What the devices and control dependencies around it depend on.
    """

    call: ast.Call
    location: Location
    once: bool
    guards: frozenset[str]
    taped: bool
    deferred: bool
    pins: tuple[ast.expr, ...]


@dataclass(eq=False)
class Survey:
    """The facts of one run of a body.

    Attributes
    ----------
    bound
        What each name gets, in order.
    changed
        Names of objects that are changed in place.
    counters
        Names that are Python numbers that count.
    attributes
        Names of attributes that are set.
    sites
        The calls.
    definitions
        The functions defined, each with its guards.
    returns
        What is returned.
    new_graph
        Whether a graph is begun.
    learns
        Whether variables of a model are changed.
    """

    bound: dict[str, list[Bound]] = field(default_factory=dict)
    changed: set[str] = field(default_factory=set)
    counters: set[str] = field(default_factory=set)
    attributes: set[str] = field(default_factory=set)
    sites: list[Site] = field(default_factory=list)
    definitions: list[tuple[ast.FunctionDef | ast.AsyncFunctionDef, frozenset[str]]] = field(
        default_factory=list
    )
    returns: list[tuple[ast.expr, Location]] = field(default_factory=list)
    new_graph: bool = False
    learns: bool = False
