"""What a check finds, and where."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from perf_assets.lint.fixes import Edit


class Severity(str, Enum):
    """How much a finding matters, from low to high."""

    NOTE = "note"
    WARNING = "warning"

    def __str__(self) -> str:
        """Return the word."""
        return self.value

    @property
    def rank(self) -> int:
        """0 for a note, 1 for a warning: what `--severity` compares."""
        return list(Severity).index(self)


class Context(str, Enum):
    """What a file is for, by its path and by what it imports."""

    LIBRARY = "library"
    EXAMPLE = "example"
    TEST = "test"

    def __str__(self) -> str:
        """Return the word."""
        return self.value


class Related(NamedTuple):
    """A second location that belongs to a finding: the loop, the later `batch`, the caller.

    Attributes
    ----------
    line
        Line of the file.
    message
        What is there.
    cell_line
        In a notebook the line of the cell, and the cell: `line 2 of cell 3`.
    """

    line: int
    message: str
    cell_line: str = ""

    @property
    def place(self) -> str:
        """Return where it is, in words."""
        return self.cell_line or f"line {self.line}"


class Finding(NamedTuple):
    """One performance problem.

    Attributes
    ----------
    line, column
        Where the call that is to change says its name: 1-based, columns in characters.
    end_line, end_column
        Where that call ends; the column is the one after its last character.
    rule
        Name of the rule, as `loop-invariant-op`.
    severity
        See `Severity`; lower in examples and tests, and where the rule is less certain.
    context
        What the file is for.
    message
        One or two sentences for a person: what, and what to check.
    related
        Other locations of the same file that explain it.
    edits
        What mends it without changing what the program does; empty where nothing does.
    """

    line: int
    column: int
    end_line: int
    end_column: int
    rule: str
    severity: Severity
    context: Context
    message: str
    related: tuple[Related, ...] = ()
    edits: tuple[Edit, ...] = ()


class Unreadable(ValueError):  # noqa: N818 - it names what the text is, as a skip does
    """A text that is not a Python 3: its text says why, in a few words without the path.

    `reason` is one of `python_2`, `syntax`, `encoding`, `notebook`, `depth`.
    """

    def __init__(self, reason: str, detail: str) -> None:
        """Say in `detail` what is wrong."""
        super().__init__(detail)
        self.reason = reason
