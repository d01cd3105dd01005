"""Nodes of `ast` that older versions of Python do not have: the linter runs on 3.9, too."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import TypeVar

T = TypeVar("T")


def by_node(values: Mapping[str, T]) -> dict[type[ast.AST], T]:
    """Return values by the classes of nodes that have these names; without those that are newer."""
    return {getattr(ast, name): value for name, value in values.items() if hasattr(ast, name)}
