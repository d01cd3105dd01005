"""Comments that silence a rule that finds nothing there: what `RUF100` is in ruff.

It looks at the findings of the other rules, so `noqa.heard` finds what it reports.
"""

from __future__ import annotations

from perf_assets.lint.findings import Severity
from perf_assets.lint.module import Hit, Module
from perf_assets.lint.rules.rule import Rule


def find(_: Module) -> tuple[Hit, ...]:
    """Return nothing: a module alone does not say which comments are used."""
    return ()


UNUSED_NOQA = Rule(
    name="unused-noqa",
    code="PA901",
    summary="a noqa comment for a rule that finds nothing there",
    severity=Severity.NOTE,
    on=True,
    find=find,
    cause=("", ""),
)
