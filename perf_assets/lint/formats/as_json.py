"""Findings for programs."""

import json
from collections.abc import Sequence

from perf_assets.base.sanitize import whole_characters
from perf_assets.lint.files.results import FileResult
from perf_assets.lint.rules import CAUSES


def as_json(results: Sequence[FileResult]) -> str:
    """Return one object: `findings` and `skipped`, lists of objects, in the order of the files.

    A finding has `path`, `line` and `column` (of the call's name, from 1; a column counts
    characters), `rule`, `severity` (`note`, `warning`), `message`, and `context` (`library`,
    `example`, `test`), `cause` (root cause, category / sub-category of the codebook of Cao et al.,
    ESEC/FSE 2022). What was skipped has `path`, `reason` (see `Skip`) and `message`. All
    characters beyond ASCII are escaped; halves of characters, as undecodable names have them, are
    U+FFFD.
    """
    findings = [
        {
            "path": result.path,
            "line": finding.line,
            "column": finding.column,
            "rule": finding.rule,
            "severity": finding.severity.value,
            "cause": " / ".join(CAUSES[finding.rule]),
            "message": finding.message,
            "context": finding.context.value,
        }
        for result in results
        for finding in result.findings
    ]
    skipped = [result.skipped._asdict() for result in results if result.skipped is not None]
    content = whole_characters({"findings": findings, "skipped": skipped})
    return json.dumps(content, indent=1).replace("\x7f", "\\u007f") + "\n"
