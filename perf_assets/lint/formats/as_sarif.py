"""Findings in the Static Analysis Results Interchange Format (SARIF) 2.1.0 of OASIS.

It is what GitHub's code scanning takes. Paths are relative to the folder that the command was
started in, which is to be the root of the repository.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from perf_assets import __version__
from perf_assets.base.sanitize import escape_text
from perf_assets.lint.files.results import FileResult
from perf_assets.lint.findings import Finding, Related, Severity
from perf_assets.lint.formats.pages import description_of, page_of, source_of
from perf_assets.lint.rules.rule import Rule

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
# The study whose checker this one succeeds; the project has no page of its own yet.
INFORMATION = "https://arxiv.org/abs/2112.01771"
ROOT = "SRCROOT"
FINGERPRINT = "perfAssetsFinding/v1"


def as_sarif(
    results: Sequence[FileResult],
    rules: Sequence[Rule],
    page: Callable[[Rule], str] = page_of,
) -> str:
    """Return a log with one run.

    Parameters
    ----------
    results
        What a scan gave.
    rules
        The rules that were checked, each with its page as help.
    page
        The page of a rule.
    """
    index_by_name = {rule.name: number for number, rule in enumerate(rules)}
    run = {
        "tool": {
            "driver": {
                "name": "perf-assets",
                "informationUri": INFORMATION,
                "semanticVersion": __version__,
                "rules": [_rule(rule, page(rule)) for rule in rules],
            }
        },
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {
            ROOT: {"description": {"text": "The folder that the command was started in."}}
        },
        "invocations": [
            {
                "executionSuccessful": True,
                "toolExecutionNotifications": [
                    notification for result in results for notification in _notifications(result)
                ],
            }
        ],
        "results": [
            entry for result in results for entry in _results(result, rules, index_by_name)
        ],
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, indent=1).replace("\x7f", "\\u007f") + "\n"


def address(path: str) -> str:
    """Return a path as a relative reference, or as the URI of a file where it is absolute."""
    quoted = quote(os.fsencode(path))
    return f"file://{quoted}" if path.startswith("/") else quoted


def _rule(rule: Rule, page: str) -> dict[str, Any]:
    source = source_of(page)
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": f"{rule.summary}."},
        "fullDescription": {"text": description_of(page) or f"{rule.summary}."},
        "help": {"text": page, "markdown": page},
        **({"helpUri": source} if source else {}),
        "defaultConfiguration": {"enabled": rule.on, "level": rule.severity.value},
        "properties": {
            "tags": ["performance"],
            **({"cause": " / ".join(rule.cause)} if any(rule.cause) else {}),
        },
    }


def _notifications(result: FileResult) -> Iterator[dict[str, Any]]:
    if result.skipped:
        yield _notification(result.path, result.skipped.reason, result.skipped.message)
    for cell in result.broken_cells:
        yield _notification(result.path, cell.reason, f"cell {cell.cell}, {cell.message}")


def _notification(path: str, reason: str, message: str) -> dict[str, Any]:
    return {
        "descriptor": {"id": reason},
        "level": "error" if reason == "error" else "warning",
        "message": {"text": f"not checked: {escape_text(message)}"},
        "locations": [{"physicalLocation": {"artifactLocation": _artifact(path)}}],
    }


def _results(
    result: FileResult, rules: Sequence[Rule], index_by_name: Mapping[str, int]
) -> Iterator[dict[str, Any]]:
    is_notebook = result.path.endswith(".ipynb")
    artifact = _artifact(result.path)
    seen: Counter[str] = Counter()
    for finding, line in zip(result.findings, result.lines):
        fingerprint = _hash(result.path, finding.rule, " ".join(line.split()))
        seen[fingerprint] += 1
        yield {
            "ruleId": rules[index_by_name[finding.rule]].code,
            "ruleIndex": index_by_name[finding.rule],
            "level": "warning" if finding.severity is Severity.WARNING else "note",
            "message": {"text": escape_text(finding.message)},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": artifact,
                        "region": _region(finding, is_notebook=is_notebook),
                    }
                }
            ],
            "relatedLocations": [
                {
                    "id": number,
                    "message": {"text": escape_text(_related(one))},
                    "physicalLocation": {
                        "artifactLocation": artifact,
                        "region": {"startLine": one.line},
                    },
                }
                for number, one in enumerate(finding.related)
            ],
            # Of the text and not of the line's number, so that it is the same where lines moved.
            "partialFingerprints": {FINGERPRINT: f"{fingerprint}:{seen[fingerprint]}"},
            "properties": {"context": finding.context.value},
        }


def _related(one: Related) -> str:
    return f"{one.message} ({one.cell_line})" if one.cell_line else one.message


def _region(finding: Finding, *, is_notebook: bool) -> dict[str, int]:
    # The columns of a line of a cell are not those of the line of the file, which is JSON.
    if is_notebook:
        return {"startLine": finding.line, "endLine": max(finding.line, finding.end_line)}
    return {
        "startLine": finding.line,
        "startColumn": finding.column,
        "endLine": finding.end_line,
        "endColumn": finding.end_column,
    }


def _artifact(path: str) -> dict[str, str]:
    uri = address(path)
    return {"uri": uri} if path.startswith("/") else {"uri": uri, "uriBaseId": ROOT}


def _hash(*parts: str) -> str:
    text = "\0".join(parts).encode(errors="surrogatepass")
    return hashlib.sha256(text).hexdigest()[:16]
