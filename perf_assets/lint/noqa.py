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
"""

import re
import tokenize
from collections.abc import Iterable, Mapping

from perf_assets.lint.findings import Finding
from perf_assets.lint.rules.rule import Rule

WORD = "noqa"
_COMMENT = re.compile(r"#\s*noqa(?P<colon>\s*:)?(?P<rest>.*)", re.IGNORECASE | re.DOTALL)
_CODE = re.compile(r"[\s,]*(?P<code>[A-Za-z]+[0-9]+|[A-Z]+|[a-z]+(?:-[a-z]+)+)(?![\w-])")


def heard(findings: Iterable[Finding], text: str, rules: Iterable[Rule]) -> list[Finding]:
    """Return the findings that no comment silences, in their order.

    Parameters
    ----------
    findings
        What was found in the text.
    text
        Source of a module that parses, lines ended by newlines alone.
    rules
        The rules whose findings they are.
    """
    found = list(findings)
    if not found or WORD not in text.lower():
        return found
    by_name = {rule.name: rule for rule in rules}
    comments, ends = _comments(text)
    return [
        entry
        for entry in found
        if not _is_silenced(by_name[entry.rule], entry.line, comments, ends)
    ]


def _is_silenced(
    rule: Rule, line: int, comments: Mapping[int, str], ends: Mapping[int, int]
) -> bool:
    comment = comments.get(ends.get(line, line))
    found = comment and _COMMENT.search(comment)
    if not found:
        return False
    if not found["colon"]:
        return not re.match(r"[\w-]", found["rest"])
    return any(_means(code, rule) for code in _codes(found["rest"]))


def _codes(rest: str) -> Iterable[str]:
    position = 0
    while found := _CODE.match(rest, position):
        yield found["code"]
        position = found.end()


def _means(code: str, rule: Rule) -> bool:
    return code == rule.name or ("-" not in code and rule.code.startswith(code.upper()))


def _comments(text: str) -> tuple[dict[int, str], dict[int, int]]:
    """Return the comments by line; and for lines at whose end none can stand, the line whose
    counts.
    """
    # Only a newline ends a line of Python; splitlines() splits at form feeds and others too.
    lines = [f"{line}\n" for line in text.split("\n")]
    comments: dict[int, str] = {}
    ends: dict[int, int] = {}
    following = iter(lines)
    previous = 0
    for token in tokenize.generate_tokens(lambda: next(following, "")):
        start, end = token.start[0], token.end[0]
        if token.type == tokenize.COMMENT:
            comments[start] = token.string
        is_joined = start > previous > 0 and lines[previous - 1].endswith("\\\n")
        if is_joined and previous not in comments:
            _join(ends, previous, start)
        _join(ends, start, end)
        previous = end
    return comments, _followed(ends)


def _join(ends: dict[int, int], first: int, last: int) -> None:
    for line in range(first, last):
        ends[line] = last


def _followed(ends: Mapping[int, int]) -> dict[int, int]:
    """Return joined lines may end where others begin."""
    result: dict[int, int] = {}
    for line in sorted(ends, reverse=True):
        result[line] = result.get(ends[line], ends[line])
    return result
