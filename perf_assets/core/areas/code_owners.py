"""CODEOWNERS: whose a file is, and what that part of the code is called.

An area has no names of persons: it is the first team of the line (``@org/team`` gives ``team``),
or, where its owners are persons, the pattern of the line. Persons come and go, and the part of the
code that they had stays.
"""

import re
from collections.abc import Iterator
from functools import cached_property
from itertools import takewhile

from perf_assets.core.areas.path_patterns import PathPattern, path_pattern

LOCATIONS = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS")
"""Where GitHub looks for the file: the first that is there counts."""

LARGEST_FILE = 3_000_000
"""Bytes from which on GitHub does not read it."""

MOST_LINES = 10_000
"""Lines of rules that are read; more belong to no file that people write."""

_WORD = re.compile(r"(?:\\.|[^\s\\])+")
_TEAM = re.compile(r"@[\w.-]+/([\w.-]+)")
_OWNER = re.compile(r"@[\w.-]+(?:/[\w.-]+)?|[^@\s]+@[^@\s]+")


class CodeOwners:
    """The rules of one version of the file."""

    def __init__(self, content: bytes) -> None:
        """Read ``content``; of a file that is too large, and of wrong lines, nothing counts."""
        self._content = content
        self._known: dict[str, tuple[str, str] | None] = {}

    @cached_property
    def _rules(self) -> list[tuple[PathPattern, tuple[str, str] | None]]:
        if len(self._content) > LARGEST_FILE:
            return []
        rules = list(_rules(self._content.decode("utf-8", "replace")))
        return rules[::-1] if len(rules) <= MOST_LINES else []

    def area(self, path: str) -> tuple[str, str] | None:
        """Return the area of ``path`` and the pattern it follows from; None where nobody owns it.

        Examples
        --------
        >>> CodeOwners(b"* @ada\\n/src/nn/ @lab/networks\\n").area("src/nn/conv.py")
        ('networks', '/src/nn/')
        """
        if path not in self._known:
            names = path.split("/")
            areas = (area for rule, area in self._rules if rule.matches(names))
            self._known[path] = next(areas, None)
        return self._known[path]


def _rules(text: str) -> Iterator[tuple[PathPattern, tuple[str, str] | None]]:
    for line in text.split("\n"):
        words = _WORD.findall(line)
        if not words or words[0].startswith("#"):
            continue
        pattern, *rest = words
        owners = list(takewhile(lambda word: not word.startswith("#"), rest))
        read = path_pattern(pattern)
        if read is None or not all(_OWNER.fullmatch(owner) for owner in owners):
            continue  # GitHub passes over such a line too
        yield read, _area(pattern, owners)


def _area(pattern: str, owners: list[str]) -> tuple[str, str] | None:
    if not owners:
        return None
    teams = [team[1] for owner in owners if (team := _TEAM.fullmatch(owner))]
    if teams:
        return teams[0], pattern
    name = pattern.rstrip("/*")
    stars = pattern[len(name) :].partition("/")[0]  # a part of the name, as in src/a*/
    return (name + stars).lstrip("/") or pattern, pattern
