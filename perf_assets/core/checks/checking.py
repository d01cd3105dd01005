"""One text in, its findings out."""

import ast
from collections.abc import Iterable

from perf_assets.core.checks.findings import Context, Finding, Severity, Unreadable
from perf_assets.core.checks.module import Hit, Module
from perf_assets.core.checks.rules import RULES
from perf_assets.core.checks.rules.rule import Rule

DEFAULT = tuple(rule for rule in RULES if rule.on)


def check(text: str, path: str, rules: Iterable[Rule] = DEFAULT) -> list[Finding]:
    """The findings of some rules in one module, by line, column and rule.

    Parameters
    ----------
    text
        Source of the module, Python 3.
    path
        Its path within the project, with `/`: tells tests and examples from library code.
    rules
        Which rules are asked.

    Raises
    ------
    Unreadable
        When the text is no Python 3.
    """
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError) as error:
        raise Unreadable("syntax", str(error)) from None
    module = Module(tree)
    return sorted(_finding(rule, hit) for rule in rules for hit in rule.find(module))


def _finding(rule: Rule, hit: Hit) -> Finding:
    name = hit.call.func
    line, column = name.end_lineno or name.lineno, name.col_offset + 1
    end_line, end_column = hit.call.end_lineno or line, (hit.call.end_col_offset or 0) + 1
    severity = min(rule.severity, hit.severity, key=lambda one: one.rank)
    return Finding(line, column, end_line, end_column, rule.name, severity, Context.LIBRARY, hit.message, hit.related)


__all__ = ["DEFAULT", "Severity", "check"]
