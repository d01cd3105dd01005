"""Comments that silence findings: `# noqa`, `# noqa: PA103`, `# noqa: PA, sequential-map`.

As ruff and flake8 have them, whose comments stand in the same lines:

- A comment counts for the findings of its line, which is the line that a finding names. In a line
  that ends within a string of several lines, or with a backslash, nothing can be written: there the
  comment behind the string, or at the end of the last line that is so joined, counts.
- Without a colon it silences all rules. With one it silences those that are named, by code
  (`PA103`), by the beginning of codes (`PA`) or by name (`sequential-map`); a list ends at the
  first word that is none of these, so that a reason may follow. Codes of other tools mean nothing.
- Where a colon is followed by no code at all, nothing is silenced (as ruff; flake8 silences all).
- What looks like such a comment within a string is none.
- `# perf-assets: noqa`, or with codes behind it, in a line of its own counts for the whole file.
"""

from __future__ import annotations

import re
import tokenize
from ast import Module as Tree
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from perf_assets.lint.context import context_of
from perf_assets.lint.findings import Finding
from perf_assets.lint.fixes import Edit
from perf_assets.lint.rules import REPORTED
from perf_assets.lint.rules.rule import Rule
from perf_assets.lint.rules.unused_noqa import UNUSED_NOQA

WORD = "noqa"
_COMMENT = re.compile(r"#\s*noqa(?P<colon>\s*:)?(?P<rest>.*)", re.IGNORECASE | re.DOTALL)
_OF_FILE = re.compile(r"#\s*perf-assets\s*:\s*(?i:noqa)(?P<colon>\s*:)?(?P<rest>.*)", re.DOTALL)
_CODE = re.compile(r"[\s,]*(?P<code>[A-Za-z]+[0-9]+|[A-Z]+|[a-z]+(?:-[a-z]+)+)(?![\w-])")
# TorchFix has codes that begin so, and finds more with them: a comment may be for that.
_SHARED = "TOR"
# Only where one of ours is named can a comment be unused: to find the others takes its time.
_OURS = re.compile("|".join([r"\bpa[0-9]*\b", *(rule.name for rule in REPORTED)]))


class _Comment(NamedTuple):
    """A comment that silences.

    line, column, end_column : where it is; lines from 1, columns in characters from 0.
    codes : what it names, None where it silences all.
    codes_end : the column behind the last code, or behind the colon.
    """

    line: int
    column: int
    end_column: int
    codes: tuple[str, ...] | None
    codes_end: int

    def silencing(self, rule: Rule) -> str | None:
        """Return the code that means a rule; empty without codes, None if it is not meant."""
        if self.codes is None:
            return ""
        return next((code for code in self.codes if _means(code, rule)), None)


class _Comments(NamedTuple):
    """The comments of a text: of lines, of the file; and the line whose comment counts for one."""

    lines: Mapping[int, _Comment]
    file: Sequence[_Comment]
    ends: Mapping[int, int]

    def of(self, line: int) -> Iterator[_Comment]:
        """Yield those that count for the findings of a line."""
        yield from self.file
        comment = self.lines.get(self.ends.get(line, line))
        if comment is not None:
            yield comment


def heard(
    findings: Iterable[Finding], text: str, rules: Iterable[Rule], path: str = ""
) -> list[Finding]:
    """Return the findings that no comment silences; with them the comments that silence nothing,
    where `UNUSED_NOQA` is among the rules.

    Parameters
    ----------
    findings
        What was found in the text, by line.
    text
        Source of a module that parses, lines ended by newlines alone.
    rules
        The rules that were checked.
    path
        Of the file, within its project.
    """
    found, checked = list(findings), list(rules)
    lowered = text.lower()
    is_searched = UNUSED_NOQA in checked and WORD in lowered and _names_ours(lowered)
    if WORD not in lowered or not (found or is_searched):
        return found
    by_name = {rule.name: rule for rule in checked}
    comments = _comments(text)
    used: set[tuple[_Comment, str]] = set()
    kept: list[Finding] = []
    for entry in found:
        silencing = [
            (comment, code)
            for comment in comments.of(entry.line)
            if (code := comment.silencing(by_name[entry.rule])) is not None
        ]
        used.update(silencing)
        if not silencing:
            kept.append(entry)
    if not is_searched:
        return kept
    unused = (
        _finding(comment, codes, path)
        for comment in (*comments.file, *comments.lines.values())
        if (codes := [code for code in _own(comment, checked) if (comment, code) not in used])
    )
    return sorted([*kept, *unused])


def comments_added(findings: Iterable[Finding], text: str, rules: Iterable[Rule]) -> list[Edit]:
    """Return the edits that silence findings of a text, each by its code in its line."""
    comments, lines = _comments(text), text.split("\n")
    by_name = {rule.name: rule for rule in rules}
    codes: dict[int, set[str]] = {}
    for entry in findings:
        if entry.rule != UNUSED_NOQA.name:
            end = comments.ends.get(entry.line, entry.line)
            codes.setdefault(end, set()).add(by_name[entry.rule].code)
    edits = []
    for line, added in sorted(codes.items()):
        listed = ", ".join(sorted(added))
        comment = comments.lines.get(line)
        if comment is None:
            end = len(lines[line - 1].rstrip())
            edits.append(Edit(line, end, line, len(lines[line - 1]), f"  # noqa: {listed}"))
        else:
            end = comment.codes_end
            edits.append(
                Edit(line, end, line, end, f", {listed}" if comment.codes else f" {listed}")
            )
    return edits


def _names_ours(text: str) -> bool:
    return any(WORD in line and _OURS.search(line) for line in text.split("\n"))


def _own(comment: _Comment, checked: Sequence[Rule]) -> Iterator[str]:
    """Yield the codes of a comment that mean rules of ours alone, all of which were checked."""
    if {UNUSED_NOQA.code, UNUSED_NOQA.name} & {*(comment.codes or ())}:
        return
    known = {rule.code: rule for rule in (*REPORTED, *checked)}.values()
    for code in comment.codes or ():
        meant = [rule for rule in known if rule != UNUSED_NOQA and _means(code, rule)]
        is_shared = any(rule.code.startswith(_SHARED) for rule in meant) and "-" not in code
        if meant and not is_shared and all(rule in checked for rule in meant):
            yield code


def _finding(comment: _Comment, codes: Sequence[str], path: str) -> Finding:
    return Finding(
        comment.line,
        comment.column + 1,
        comment.line,
        comment.end_column + 1,
        UNUSED_NOQA.name,
        UNUSED_NOQA.severity,
        context_of(path, Tree([], [])),
        f"this comment silences nothing (unused: {', '.join(codes)}): remove what is unused",
    )


def _codes(rest: str) -> list[re.Match[str]]:
    """Return the codes at the beginning of what follows the colon."""
    found = []
    position = 0
    while code := _CODE.match(rest, position):
        found.append(code)
        position = code.end()
    return found


def _means(code: str, rule: Rule) -> bool:
    return code == rule.name or ("-" not in code and rule.code.startswith(code.upper()))


def _comments(text: str) -> _Comments:
    """Return the comments that silence.

    `ends` has the lines at whose end none can stand, with the line whose comment counts.
    """
    # Only a newline ends a line of Python; splitlines() splits at form feeds and others too.
    lines = [f"{line}\n" for line in text.split("\n")]
    comments: dict[int, _Comment] = {}
    of_file: list[_Comment] = []
    ends: dict[int, int] = {}
    following = iter(lines)
    previous, last_comment = 0, 0
    for token in tokenize.generate_tokens(lambda: next(following, "")):
        start, end = token.start[0], token.end[0]
        if token.type == tokenize.COMMENT:
            last_comment = start
            is_alone = not token.line[: token.start[1]].strip()
            if is_alone and (comment := _comment(token, _OF_FILE)):
                of_file.append(comment)
            elif comment := _comment(token, _COMMENT):
                comments[start] = comment
        is_joined = start > previous > 0 and lines[previous - 1].endswith("\\\n")
        if is_joined and previous != last_comment:
            _join(ends, previous, start)
        _join(ends, start, end)
        previous = end
    return _Comments(comments, of_file, _followed(ends))


def _comment(token: tokenize.TokenInfo, form: re.Pattern[str]) -> _Comment | None:
    """Return the comment that a token is; None where it silences nothing by its form."""
    found = form.search(token.string)
    if found is None or (not found["colon"] and re.match(r"[\w-]", found["rest"])):
        return None
    (line, start), end = token.start, token.end[1]
    if not found["colon"]:
        return _Comment(line, start, end, None, end)
    codes = _codes(found["rest"])
    behind = start + found.start("rest") + (codes[-1].end() if codes else 0)
    return _Comment(line, start, end, tuple(code["code"] for code in codes), behind)


def _join(ends: dict[int, int], first: int, last: int) -> None:
    for line in range(first, last):
        ends[line] = last


def _followed(ends: Mapping[int, int]) -> dict[int, int]:
    """Return joined lines may end where others begin."""
    result: dict[int, int] = {}
    for line in sorted(ends, reverse=True):
        result[line] = result.get(ends[line], ends[line])
    return result
