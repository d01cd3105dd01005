"""The findings of one file, from its bytes."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from pathlib import Path
from symtable import symtable

from perf_assets.lint.files.decoding import decoded, decoded_notebook
from perf_assets.lint.files.project import Project
from perf_assets.lint.files.results import Budget, FileResult, Skip, SourceFile
from perf_assets.lint.findings import Finding, Unreadable
from perf_assets.lint.linter import check, may_find
from perf_assets.lint.noqa import heard
from perf_assets.lint.notebooks import Notebook, python_of
from perf_assets.lint.rules.rule import Rule
from perf_assets.lint.rules.unused_noqa import UNUSED_NOQA

PARSERS = (ast.parse.__code__, symtable.__code__)
# A tree takes far less than that for each character of its text. Where the parser wants for memory
# with so little to read, it is the depth: it says so in the same way.
BYTES_A_CHARACTER = 1000


def result_of(file: SourceFile, rules: Sequence[Rule], megabytes: int) -> FileResult:
    """Return what some rules find in a file, without what its comments silence; or why nothing was
    tried.

    Nothing is raised: the mistake of a rule is a reason too.
    """
    try:
        return _found(file, rules)
    except Unreadable as error:
        return _skipped(file, error.reason, str(error))
    except RecursionError:
        return _skipped(file, "depth", "it is nested too deeply")
    except MemoryError as error:
        if _is_in_parser(error) and len(file.content) * BYTES_A_CHARACTER < megabytes << 20:
            return _skipped(file, "depth", "it is nested too deeply for Python's parser")
        return _skipped(file, "memory", Budget(megabytes=megabytes).exceeded)
    except Exception as error:
        return _skipped(file, "error", f"a mistake of ours: {type(error).__name__}: {error}")


def _found(file: SourceFile, rules: Sequence[Rule]) -> FileResult:
    notebook: Notebook | None = None
    if file.path.endswith(".ipynb"):
        notebook = python_of(decoded_notebook(file.content))
        text = notebook.text
    else:
        text = decoded(file.content)
    path = file.within or file.path
    searched = [rule for rule in rules if rule != UNUSED_NOQA]
    found: list[Finding] = []
    # Each cell was parsed; what is said of their text as a whole would be of no cell.
    if notebook is None or may_find(text.encode(errors="replace"), searched):
        project = Project(Path(file.root), file.within) if file.root and notebook is None else None
        found = check(text, path, searched, project)
    findings = heard(found, text, rules, path)
    lines = text.split("\n")
    sources = tuple(lines[finding.line - 1] for finding in findings)
    if notebook is not None:
        findings = [notebook.located(finding) for finding in findings]
    elif not _is_mendable(file.content):
        findings = [finding._replace(edits=()) for finding in findings]
    broken = notebook.broken if notebook is not None else ()
    return FileResult(file.path, tuple(findings), None, sources, broken)


def _is_mendable(content: bytes) -> bool:
    """Return whether an edit of the text is one of the file: UTF-8, without lone returns."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return False
    return "\r" not in text.replace("\r\n", "\n") and decoded(content) == text.replace("\r\n", "\n")


def _skipped(file: SourceFile, reason: str, message: str) -> FileResult:
    return FileResult(file.path, (), Skip(file.path, reason, message))


def _is_in_parser(error: MemoryError) -> bool:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is not None and trace.tb_frame.f_code in PARSERS
