"""Patterns of paths as CODEOWNERS files have them; the last one that matches a path wins.

As GitHub documents it (About code owners): ``/`` at the beginning or in the middle ties a pattern
to the root, else it means any folder; ``*`` and ``?`` stay within a name, ``**`` does not; ``x/*``
means the files of ``x`` and not those of its folders; a folder means all that is in it.
"""

import re
from collections.abc import Sequence
from fnmatch import translate
from functools import lru_cache

LONGEST_PATTERN = 4_096
"""Characters: no path is longer."""

ANY_DEPTH = "**"
_WILD = re.compile(r"[*?]")


class PathPattern:
    """A pattern, ready to be compared with paths."""

    __slots__ = ("_parts",)

    def __init__(self, pattern: str) -> None:
        """Read ``pattern``.

        Raises
        ------
        ValueError
            It is blank, too long, or has what no such pattern has: ``!`` before it, or ``[``.
        """
        if len(pattern) > LONGEST_PATTERN:
            raise ValueError(f"a pattern of at most {LONGEST_PATTERN:,} characters is needed here")
        if pattern.startswith("!") or "[" in pattern or "\0" in pattern:
            raise ValueError("a pattern of paths has neither ! before it nor [ ] in it")
        plain = re.sub(r"\\(.)", r"\1", pattern)
        names = [name for name in plain.split("/") if name]
        if not names:
            raise ValueError("a pattern of paths needs a name, as in src/")
        is_tied = "/" in plain.rstrip("/")
        is_folder = plain.endswith("/")
        ends_at_files = names[-1] == "*" and is_tied and not is_folder
        below = [ANY_DEPTH] if not is_folder else ["*", ANY_DEPTH]
        if ends_at_files or names[-1] == ANY_DEPTH:
            below = []
        elif names == ["*"]:
            below = [ANY_DEPTH]
        first = [] if is_tied else [ANY_DEPTH]
        self._parts = tuple(
            part
            if part == ANY_DEPTH or not _WILD.search(part)
            else re.compile(translate(part.replace("**", "*")))
            for part in (*first, *names, *below)
        )

    def matches(self, names: Sequence[str]) -> bool:
        """Return whether it means the path whose folders and file are called ``names``.

        The time is bounded by the product of both lengths, whatever the pattern is.
        """
        parts = self._parts
        part = name = 0
        resumed_part = resumed_name = -1
        while name < len(names):
            if part < len(parts) and parts[part] == ANY_DEPTH:
                resumed_part, resumed_name = part, name
                part += 1
            elif part < len(parts) and _is_called(parts[part], names[name]):
                part += 1
                name += 1
            elif resumed_part >= 0:
                part, resumed_name = resumed_part + 1, resumed_name + 1
                name = resumed_name
            else:
                return False
        return all(rest == ANY_DEPTH for rest in parts[part:])


def _is_called(part: str | re.Pattern[str], name: str) -> bool:
    return part == name if isinstance(part, str) else part.match(name) is not None


@lru_cache(maxsize=100_000)
def path_pattern(pattern: str) -> PathPattern | None:
    """Return the pattern, read once; None for what is none."""
    try:
        return PathPattern(pattern)
    except ValueError:
        return None


def last_match(path: str, patterns: Sequence[PathPattern]) -> int | None:
    """Return the index of the last of ``patterns`` that means ``path``."""
    names = path.split("/")
    backwards = reversed(range(len(patterns)))
    return next((index for index in backwards if patterns[index].matches(names)), None)
