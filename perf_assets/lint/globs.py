"""Patterns of paths, as `exclude` and `per-file-ignores` have them."""

import re
from collections.abc import Iterable
from functools import cache

_PARTS = re.compile(r"\*\*/|/\*\*$|\*\*|\*|\?|\[!?\]?[^\]/]*\]|.", re.DOTALL)
_MEANINGS = {"**/": "(?:.*/)?", "/**": "/.+", "**": ".*", "*": "[^/]*", "?": "[^/]"}


def is_meant(path: str, patterns: Iterable[str]) -> bool:
    """Return whether one of some patterns means a path.

    A pattern without `/` means the name of a file or folder, wherever it is; one with it the whole
    path. `*` stands for any part of a name, `?` for one character, `[ab]` for one of those, `**`
    for any number of folders.

    Parameters
    ----------
    path
        Path of a file or folder, relative to where the patterns are written, with `/`.
    patterns
        The patterns.
    """
    name = path.rpartition("/")[2]
    return any(
        _expression(pattern).fullmatch(path if _is_path(pattern) else name) is not None
        for pattern in patterns
    )


def is_meant_or_within(path: str, patterns: Iterable[str]) -> bool:
    """Return whether one of some patterns means a path or one of the folders that it is in."""
    parts = path.split("/")
    chosen = tuple(patterns)
    return any(is_meant("/".join(parts[:end]), chosen) for end in range(1, len(parts) + 1))


def _is_path(pattern: str) -> bool:
    return "/" in pattern.rstrip("/")


@cache
def _expression(pattern: str) -> re.Pattern[str]:
    plain = pattern.rstrip("/").removeprefix("./").lstrip("/")
    return re.compile("".join(_meaning(part) for part in _PARTS.findall(plain)), re.DOTALL)


def _meaning(part: str) -> str:
    if part in _MEANINGS:
        return _MEANINGS[part]
    if len(part) > 1:
        inner = part[1:-1].replace("\\", r"\\").replace("[", r"\[")
        return f"[^{inner[1:]}]" if inner.startswith("!") else f"[{inner}]"
    return re.escape(part)
