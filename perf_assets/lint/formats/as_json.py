"""Findings for programs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from perf_assets.base.sanitize import whole_characters
from perf_assets.lint.files.results import FileResult
from perf_assets.lint.rules.rule import Rule


def as_json(results: Sequence[FileResult], rules: Mapping[str, Rule]) -> str:
    """Return one object: `findings`, `skipped` and `skipped_cells`, lists of objects, in the order
    of the files.

    A finding has `path`, `line` and `column` (of the call's name, from 1; a column counts
    characters), `code` and `rule`, `severity` (`note`, `warning`), `message`, `fixable` (by
    `--fix`), `context` (`library`, `example`, `test`), `cause` (root cause, category / sub-category
    of the codebook of Cao et al., ESEC/FSE 2022; null for a comment). What
    was skipped has `path`, `reason` (see `Skip`) and `message`, a cell `cell` too. All characters
    beyond ASCII are escaped; halves of characters, as undecodable names have them, are U+FFFD.
    """
    findings = [
        {
            "path": result.path,
            "line": finding.line,
            "column": finding.column,
            "code": rules[finding.rule].code,
            "rule": finding.rule,
            "severity": finding.severity.value,
            "cause": " / ".join(filter(None, rules[finding.rule].cause)) or None,
            "message": finding.message,
            "fixable": bool(finding.edits),
            "context": finding.context.value,
        }
        for result in results
        for finding in result.findings
    ]
    skipped = [result.skipped._asdict() for result in results if result.skipped is not None]
    cells = [
        {"path": result.path, **cell._asdict()}
        for result in results
        for cell in result.broken_cells
    ]
    content = whole_characters({"findings": findings, "skipped": skipped, "skipped_cells": cells})
    return json.dumps(content, indent=1).replace("\x7f", "\\u007f") + "\n"
