"""One text in, its findings out."""

import ast
import re
from collections.abc import Iterable

from perf_assets.core.checks.context import context_of
from perf_assets.core.checks.findings import Context, Finding, Severity, Unreadable
from perf_assets.core.checks.module import Hit, Module
from perf_assets.core.checks.rules import RULES
from perf_assets.core.checks.rules.rule import Rule

DEFAULT = tuple(rule for rule in RULES if rule.on)
# A text that names none of these cannot import a framework.
FRAMEWORKS = re.compile(r"tensorflow|keras|torch|\btf\.")


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
    if not FRAMEWORKS.search(text):
        return []
    module = Module(tree, text, context_of(path, tree))
    lines = text.splitlines()
    return sorted(
        {_finding(module.context, rule, hit, lines) for rule in rules for hit in rule.find(module)}
    )


def _finding(context: Context, rule: Rule, hit: Hit, lines: list[str]) -> Finding:
    start, end = _span(hit.node)
    highest = rule.severity if context is Context.LIBRARY else Severity.NOTE
    return Finding(
        start[0],
        _characters(lines, *start) + 1,
        end[0],
        _characters(lines, *end) + 1,
        rule.name,
        min(highest, hit.severity, key=lambda one: one.rank),
        context,
        hit.message,
        hit.related,
    )


def _span(node: ast.AST) -> tuple[tuple[int, int], tuple[int, int]]:
    """Where a call says its name, and where it ends; of a definition, its head: lines, bytes."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        head = node.col_offset + len("def ") + len(node.name.encode())
        return (node.lineno, node.col_offset), (node.lineno, head)
    assert isinstance(node, ast.expr)
    func = node.func if isinstance(node, ast.Call) else node
    line = func.end_lineno or func.lineno
    at = func.col_offset
    if func.lineno != line:
        name = func.attr if isinstance(func, ast.Attribute) else ""
        at = (func.end_col_offset or 0) - len(name.encode())
    return (line, at), (node.end_lineno or line, node.end_col_offset or 0)


def _characters(lines: list[str], line: int, offset: int) -> int:
    """A column of `ast`, which counts bytes, in characters."""
    if line > len(lines):
        return offset
    return len(lines[line - 1].encode()[:offset].decode(errors="replace"))
