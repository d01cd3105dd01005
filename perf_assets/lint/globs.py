"""Patterns of paths, as `exclude`, `per-file-ignores` and `.gitignore` have them.

Patterns come with the files that are checked, so matching takes no more than the product of their
lengths: `fnmatch` does so within a name, and :func:`matches` across folders.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from fnmatch import translate
from functools import lru_cache
from typing import Optional

Segment = Optional["re.Pattern[str]"]
"""What one part of a pattern means: a name; None any number of folders."""

_ANY = re.compile("")


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
    parts = path.split("/")
    return any(
        matches(parts if "/" in pattern.rstrip("/") else parts[-1:], _segments(pattern))
        for pattern in patterns
    )


def is_meant_or_within(path: str, patterns: Iterable[str]) -> bool:
    """Return whether one of some patterns means a path or one of the folders that it is in."""
    parts = path.split("/")
    chosen = tuple(patterns)
    return any(is_meant("/".join(parts[:end]), chosen) for end in range(1, len(parts) + 1))


def matches(parts: Sequence[str], segments: Sequence[Segment]) -> bool:
    """Return whether the parts of a path are what the segments of a pattern mean."""
    reached = _passed({0}, segments)
    for part in parts:
        following = set()
        for at in reached:
            if at < len(segments):
                segment = segments[at]
                if segment is None:
                    following.add(at)
                elif segment.match(part):
                    following.add(at + 1)
        reached = _passed(following, segments)
    return len(segments) in reached


def segments_of(names: Iterable[str]) -> tuple[Segment, ...]:
    """Return the segments of a pattern from its names, which are written as `fnmatch` has them.

    `**` stands for any number of folders, at the end for all that is in one.
    """
    segments = [None if name == "**" else re.compile(translate(name)) for name in names]
    if segments and segments[-1] is None:
        segments.append(_ANY)
    return tuple(segments)


def _passed(reached: set[int], segments: Sequence[Segment]) -> set[int]:
    """Return the places in a pattern that are reached, with those behind `**`."""
    return reached | {
        end
        for at in reached
        for end in range(at + 1, len(segments) + 1)
        if all(segment is None for segment in segments[at:end])
    }


@lru_cache(maxsize=1024)
def _segments(pattern: str) -> tuple[Segment, ...]:
    plain = pattern.rstrip("/")
    if plain.startswith("./"):
        plain = plain[2:]
    return segments_of(plain.lstrip("/").split("/"))
