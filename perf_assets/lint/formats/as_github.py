"""Findings as annotations of GitHub: lines that its runner takes from a step's standard output."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from perf_assets.base.sanitize import escape_text
from perf_assets.lint.files.results import FileResult
from perf_assets.lint.findings import Finding, Severity
from perf_assets.lint.rules.rule import Rule

COMMANDS = {Severity.WARNING: "warning", Severity.NOTE: "notice"}
# As the runner's toolkit escapes them: a value of a property may hold neither of its separators.
_DATA = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"})


def as_github(results: Sequence[FileResult], rules: Mapping[str, Rule]) -> str:
    """Return a line for each finding, in the order of the results."""
    return "".join(
        f"::{COMMANDS[finding.severity]} "
        f"{','.join(_properties(result.path, finding, rules[finding.rule]))}"
        f"::{escape_text(finding.message).translate(_DATA)}\n"
        for result in results
        for finding in result.findings
    )


def _properties(path: str, finding: Finding, rule: Rule) -> Iterator[str]:
    yield f"file={escape_text(path).translate(_PROPERTY)}"
    yield f"line={finding.line}"
    yield f"endLine={finding.end_line}"
    # The runner refuses columns where the lines differ.
    if finding.end_line == finding.line:
        yield f"col={finding.column}"
        if not path.endswith(".ipynb"):
            yield f"endColumn={finding.end_column}"
    yield f"title={f'{rule.code} {rule.name}'.translate(_PROPERTY)}"
