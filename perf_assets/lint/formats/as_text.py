"""Findings for a terminal: where, what, and the line of the source with the call marked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from rich.cells import cell_len

from perf_assets.base.sanitize import escape_text
from perf_assets.lint.files.results import FileResult
from perf_assets.lint.findings import Finding, Severity
from perf_assets.lint.rules.rule import Rule

WIDEST = 120  # characters of a source line that are shown
BEFORE = 40  # of them before the call, where the line is longer
BOLD, RED, YELLOW, CYAN, DIM, END = (f"\x1b[{number}m" for number in (1, 31, 33, 36, 2, 0))
COLOURS = {Severity.WARNING: RED, Severity.NOTE: YELLOW}


def as_text(
    results: Sequence[FileResult],
    rules: Mapping[str, Rule],
    *,
    is_coloured: bool = False,
    is_concise: bool = False,
) -> str:
    """Return the findings in the order of the results, and a line that counts them.

    Whatever stands in a path or a file, nothing in the text is more than a visible character but
    its line ends and, where requested, our own colours.

    Parameters
    ----------
    results
        What a scan gave.
    rules
        The rules by name.
    is_coloured
        Whether the terminal's codes for colours are in it.
    is_concise
        Whether each finding is one line, without its source.
    """
    lines = [
        line
        for result in results
        for finding, source in zip(result.findings, result.lines)
        for line in (
            _head(result.path, finding, rules[finding.rule]),
            *(() if is_concise else _details(finding, source)),
        )
    ]
    text = "".join(f"{line}\n" for line in [*lines, *closing(results)])
    return text if is_coloured else _uncoloured(text)


def closing(results: Sequence[FileResult]) -> list[str]:
    """Return the line that says how much was found and read."""
    checked = sum(result.skipped is None for result in results)
    found = Counter(finding.severity for result in results for finding in result.findings)
    if not found:
        return [f"No findings in {counted(checked, 'file')}"]
    severities = ", ".join(
        counted(found[severity], severity.value)
        for severity in reversed(Severity)
        if found[severity]
    )
    holding = sum(bool(result.findings) for result in results)
    mended = sum(bool(finding.edits) for result in results for finding in result.findings)
    hint = [f"[*] {mended:,} fixable with --fix; --diff shows the changes"]
    return [
        f"{counted(sum(found.values()), 'finding')} ({severities}) in {holding:,} of "
        f"{counted(checked, 'file')}",
        *(hint if mended else []),
    ]


def counted(number: int, noun: str) -> str:
    """``1 file`` or ``1,234 files``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _head(path: str, finding: Finding, rule: Rule) -> str:
    colour = COLOURS[finding.severity]
    location = (
        f"{BOLD}{escape_text(path)}{END}{CYAN}:{END}{finding.line}{CYAN}:{END}{finding.column}"
    )
    kind = rule.name if finding.severity is Severity.WARNING else f"{rule.name}, note"
    mark = f"[{CYAN}*{END}] " if finding.edits else ""
    return (
        f"{location}{CYAN}:{END} {colour}{BOLD}{rule.code}{END} {mark}"
        f"{escape_text(finding.message)} {DIM}[{kind}]{END}"
    )


def _details(finding: Finding, source: str) -> Iterator[str]:
    colour = COLOURS[finding.severity]
    shown, indent, width = _excerpt(finding, source)
    if shown.strip():
        yield f"    {shown}"
        yield f"    {' ' * indent}{colour}^{'~' * (width - 1)}{END}"
    for related in finding.related:
        yield f"    {DIM}{related.place}: {escape_text(related.message)}{END}"


def _excerpt(finding: Finding, source: str) -> tuple[str, int, int]:
    """Return the part of a line around a call, where in it the call begins, and how wide it is."""
    first = max(0, min(finding.column - 1, len(source)))
    is_one_line = finding.end_line == finding.line and finding.end_column > finding.column
    last = min(finding.end_column - 1 if is_one_line else len(source), len(source))
    begin = len(source) - len(source.lstrip())
    begin = min(begin, first)
    cut = ""
    if len(source) - begin > WIDEST and first - begin > BEFORE:
        begin, cut = first - BEFORE, "…"
    end = begin + WIDEST
    rest = "…" if len(source) > end else ""
    before = cut + escape_text(source[begin:first])
    marked = escape_text(source[first : min(last, end)])
    after = escape_text(source[min(last, end) : end].rstrip())
    text = f"{before}{marked}{after}{rest}".rstrip()
    return text, cell_len(before), max(1, cell_len(marked.rstrip()))


def _uncoloured(text: str) -> str:
    for code in (BOLD, RED, YELLOW, CYAN, DIM, END):
        text = text.replace(code, "")
    return text
