"""The facts of one module that rules ask for."""

import ast
from dataclasses import dataclass
from typing import NamedTuple

from perf_assets.core.checks.findings import Related, Severity


class Hit(NamedTuple):
    """A place that a rule found: the call, how much it matters, what to say."""

    call: ast.Call
    severity: Severity
    message: str
    related: tuple[Related, ...] = ()


@dataclass(frozen=True)
class Module:
    """A module, parsed."""

    tree: ast.Module
