"""One text in, its findings out."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from symtable import symtable

from perf_assets.lint.context import context_of
from perf_assets.lint.findings import Context, Finding, Severity, Unreadable
from perf_assets.lint.module import Definitions, Hit, Module
from perf_assets.lint.python_two import looks_like_python_two
from perf_assets.lint.rules import RULES
from perf_assets.lint.rules.rule import Rule

DEFAULT = tuple(rule for rule in RULES if rule.on)
# A text without one of these cannot use the framework.
NAMED = {"tensorflow": ("tensorflow", "keras", "tf."), "torch": ("torch",)}
MODULES = {"tensorflow": (b"tensorflow", b"keras"), "torch": (b"torch",)}
# A line that imports one of them, of a module or of a notebook.
_IMPORTS = {
    framework: re.compile(
        rb"(?:^|[\"';:])[ \t]*(?:import[ \t].{0,200}|from[ \t]+)\b(?:%b)\b" % b"|".join(modules),
        re.MULTILINE,
    )
    for framework, modules in MODULES.items()
}


def check(
    text: str,
    path: str,
    rules: Iterable[Rule] = DEFAULT,
    project: Definitions | None = None,
) -> list[Finding]:
    """Return the findings of some rules in one module, by line, column and rule.

    Parameters
    ----------
    text
        Source of the module, Python 3.
    path
        Its path within the project, with `/`: distinguishes tests and examples from library code.
    rules
        Which rules are checked.
    project
        Other modules of the project; None where the text is all that is known.

    Raises
    ------
    Unreadable
        When the text is not a Python 3, or nested more deeply than Python can follow.
    """
    applicable = [rule for rule in rules if _names(text, rule)]
    try:
        tree = _tree(text, path, is_needed=bool(applicable))
        if tree is None:
            return []
        module = Module(tree, text, context_of(path, tree), project)
        hits = ((rule, hit) for rule in applicable for hit in rule.find(module))
        return sorted({_finding(module.context, rule, hit, module.lines) for rule, hit in hits})
    except RecursionError:
        raise Unreadable("depth", "it is nested too deeply") from None
    except ValueError as error:
        # A hexadecimal number of any length is Python, but no text can be made of it.
        if "integer string conversion" not in str(error):
            raise
        raise Unreadable("syntax", "a number in it has too many digits") from None


def may_find(content: bytes, rules: Iterable[Rule] = DEFAULT) -> bool:
    """Return whether rules can find anything in a file: whether it names the framework of one of
    them.
    """
    text = content.decode("ascii", "ignore")
    return any(_names(text, rule) for rule in rules)


def frameworks_of(content: bytes) -> frozenset[str]:
    """Return the frameworks that a file imports, as far as a line of it shows."""
    return frozenset(
        framework
        for framework, modules in MODULES.items()
        # Most files name none of them, and the expression takes a hundred times as long.
        if any(module in content for module in modules) and _IMPORTS[framework].search(content)
    )


def _names(text: str, rule: Rule) -> bool:
    return any(word in text for word in NAMED[rule.framework])


def _tree(text: str, path: str, *, is_needed: bool) -> ast.Module | None:
    try:
        if is_needed:
            return ast.parse(text)
        symtable(text, path, "exec")  # says whether it is Python, in half the time of a tree
        return None
    except (SyntaxError, ValueError) as error:
        reason = "python_2" if looks_like_python_two(text) else "syntax"
        raise Unreadable(reason, _syntax_message(error)) from None


def _syntax_message(error: SyntaxError | ValueError) -> str:
    if isinstance(error, SyntaxError):
        return f"line {error.lineno}: {error.msg}" if error.lineno else str(error.msg)
    return str(error)


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
        hit.edits,
    )


def _span(node: ast.AST) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return where a call says its name, and where it ends; of a definition, its head: lines,
    bytes.
    """
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
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
    """Return a column of `ast`, which counts bytes, in characters."""
    if line > len(lines):
        return offset
    return len(lines[line - 1].encode()[:offset].decode(errors="replace"))
