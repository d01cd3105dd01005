"""Findings as a report of GitLab's Code Quality."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from perf_assets.base.sanitize import escape_text, whole_characters
from perf_assets.lint.files.results import FileResult
from perf_assets.lint.finding_id import identified, identity
from perf_assets.lint.findings import Severity
from perf_assets.lint.rules.rule import Rule

SEVERITIES = {Severity.WARNING: "minor", Severity.NOTE: "info"}


def as_gitlab(results: Sequence[FileResult], rules: Mapping[str, Rule]) -> str:
    """Return a list of objects, in the order of the results.

    The fingerprint is that of `finding_id`: it stays where lines move.
    """
    entries = [
        {
            # GitLab shows no check_name.
            "description": f"{rules[finding.rule].code}: {escape_text(finding.message)}",
            "check_name": finding.rule,
            "fingerprint": identity(result.path, finding.rule, code, earlier),
            "severity": SEVERITIES[finding.severity],
            "location": {"path": result.path, "lines": {"begin": finding.line}},
        }
        for result in results
        for finding, code, earlier in identified(result.findings, result.lines)
    ]
    return json.dumps(whole_characters(entries), indent=1).replace("\x7f", "\\u007f") + "\n"
