"""Findings as test cases of JUnit's XML: a file of the project is a suite, a finding a case."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from xml.sax.saxutils import quoteattr

from perf_assets.base.sanitize import escape_text
from perf_assets.lint.files.results import FileResult
from perf_assets.lint.findings import Finding, Severity
from perf_assets.lint.rules.rule import Rule

_NO_CHARACTER = re.compile("[\ufffe\uffff]")  # what XML may not have, and escape_text leaves


def as_junit(results: Sequence[FileResult], rules: Mapping[str, Rule], error_on: Severity) -> str:
    """Return the document of all suites.

    A finding of at least ``error_on`` is a failure. Another one is a skipped case, which tools show
    without a failure. Where nothing was found there is one case that passes.
    """
    with_findings = [result for result in results if result.findings]
    found = [finding for result in with_findings for finding in result.findings]
    failures = sum(finding.severity.rank >= error_on.rank for finding in found)
    suites = [
        line
        for result in with_findings
        for line in _suite(result.path, result.findings, rules, error_on)
    ] or [
        '  <testsuite name="perf-assets" tests="1" failures="0" errors="0" skipped="0">',
        '    <testcase name="No findings" classname="perf-assets"/>',
        "  </testsuite>",
    ]
    head = (
        f'<testsuites name="perf-assets" tests="{max(1, len(found))}" failures="{failures}" '
        'errors="0">'
    )
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', head, *suites, "</testsuites>"]
    return "".join(f"{line}\n" for line in lines)


def _suite(
    path: str, findings: Sequence[Finding], rules: Mapping[str, Rule], error_on: Severity
) -> Iterator[str]:
    failing = [finding.severity.rank >= error_on.rank for finding in findings]
    yield (
        f'  <testsuite name={_quoted(path)} tests="{len(findings)}" failures="{sum(failing)}" '
        f'errors="0" skipped="{len(failing) - sum(failing)}">'
    )
    for finding, fails in zip(findings, failing):
        where = f"line {finding.line}, column {finding.column}: {finding.message}"
        yield (
            f"    <testcase name={_quoted(rules[finding.rule].code + ' ' + finding.rule)} "
            f'classname={_quoted(path)} line="{finding.line}" column="{finding.column}">'
        )
        yield f"      <{'failure' if fails else 'skipped'} message={_quoted(where)}/>"
        yield "    </testcase>"
    yield "  </testsuite>"


def _quoted(text: str) -> str:
    return quoteattr(_NO_CHARACTER.sub("", escape_text(text)))
