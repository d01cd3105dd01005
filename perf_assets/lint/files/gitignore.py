"""Files that git ignores: `.gitignore` of each folder, and `.git/info/exclude`.

Git itself is not started: the configuration of a repository can name programs that it runs. The
patterns of the user's own `core.excludesFile` do not count, so that everybody has the same files.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from perf_assets.lint.globs import Segment, matches, segments_of

NAME = ".gitignore"
MOST_BYTES = 1 << 17


class _Line(NamedTuple):
    """A line of such a file.

    segments : what it means (see `globs.matches`).
    is_path : whether that is a path from the folder of the file; else a name anywhere below it.
    is_folder : whether only folders are meant.
    is_kept : whether it takes back what lines before it, and files of folders around, ignore.
    """

    segments: tuple[Segment, ...]
    is_path: bool
    is_folder: bool
    is_kept: bool


class GitIgnore:
    """What git ignores below a folder.

    The files of the folders around it count up to the root of its repository.
    """

    def __init__(self, folder: str) -> None:
        """Read nothing yet."""
        path = Path(folder)
        around = [path, *path.parents]
        self._root = next((str(one) for one in around if (one / ".git").exists()), folder)
        self._lines: dict[str, list[_Line]] = {}

    def covers(self, path: str, *, is_folder: bool) -> bool:
        """Return whether the absolute path of a file or folder is ignored by itself."""
        parts: list[str] = []
        while path != self._root and len(path) > 1:
            path, _, name = path.rpartition(os.sep)
            parts.insert(0, name)
            for line in reversed(self._of(path)):
                meant = parts if line.is_path else parts[-1:]
                if (is_folder or not line.is_folder) and matches(meant, line.segments):
                    return not line.is_kept
        return False

    def _of(self, folder: str) -> list[_Line]:
        if folder not in self._lines:
            files = [f"{folder}/{NAME}"]
            if folder == self._root:  # what is written in the tree counts more
                files.insert(0, f"{folder}/.git/info/exclude")
            self._lines[folder] = [line for file in files for line in _lines(_text(file))]
        return self._lines[folder]


def _text(file: str) -> str:
    """Return what is in a file; nothing where it cannot be read or is a link, as git has it."""
    try:
        if not stat.S_ISREG(os.lstat(file).st_mode):
            return ""
        with open(file, "rb") as opened:  # noqa: PTH123 - no path is needed for it
            return os.fsdecode(opened.read(MOST_BYTES))
    except OSError:
        return ""


def _lines(text: str) -> Iterator[_Line]:
    for written in text.removeprefix("\ufeff").split("\n"):
        line = _stripped(written.removesuffix("\r"))
        is_kept = line.startswith("!")
        pattern = line[is_kept:]
        plain = pattern.removesuffix("/")
        if plain and not line.startswith("#"):
            yield _Line(
                segments_of(_name(name) for name in plain.removeprefix("/").split("/")),
                "/" in plain,
                pattern.endswith("/"),
                is_kept,
            )


def _stripped(line: str) -> str:
    r"""Return a line without the spaces at its end that no ``\`` is before."""
    bare = line.rstrip(" ")
    escapes = len(bare) - len(bare.rstrip("\\"))
    return bare + " " if escapes % 2 and len(bare) < len(line) else bare


def _name(name: str) -> str:
    r"""Return a name as `fnmatch` has it, where `\` escapes nothing and `^` is a sign."""
    parts: list[str] = []
    at, last_bracket = 0, name.rfind("]")
    while at < len(name):
        sign, end = name[at], at + 1
        if sign == "\\" and end < len(name):
            sign, end = name[end], end + 1
            parts.append(f"[{sign}]" if sign in "*?[" else sign)
        elif sign == "[" and at + 2 <= last_bracket:
            start = end + (name[end] in "!^")
            end = name.find("]", start + 1) + 1  # a "]" at the start is one of the characters
            if not end:
                return f"{''.join(parts)}[[]{name[at + 1 :]}"
            inner = name[start : end - 1].replace("\\", "")
            parts.append(f"[{'!' if start > at + 1 else ''}{inner}]")
        else:
            parts.append("[[]" if sign == "[" else sign)
        at = end
    return "".join(parts)
