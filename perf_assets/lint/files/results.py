"""What goes into a scan and what comes out of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from perf_assets.lint.findings import Finding
from perf_assets.lint.notebooks import BrokenCell


class SourceFile(NamedTuple):
    """A Python file or a notebook.

    Attributes
    ----------
    path
        The name it is reported by. A notebook is one that ends in `.ipynb`.
    content
        Its bytes.
    within
        Its path within its project, with `/`, which distinguishes tests and examples from library
        code; empty where that is `path`.
    root
        The folder of its project, whose other modules may be read; empty where they may not.
    """

    path: str
    content: bytes
    within: str = ""
    root: str = ""


class Skip(NamedTuple):
    """A file that was not checked.

    Attributes
    ----------
    path
        As that of the file.
    reason
        `python_2`, `syntax`, `encoding`, `notebook` or `depth`: what it holds (see `Unreadable`);
        `time`, `memory` or `crash`: it was more than its budget, or than Python itself, bears;
        `read`: it could not be read; `error`: a mistake of a rule.
    message
        What is the matter, in a few words, without the path.
    """

    path: str
    reason: str
    message: str


class FileResult(NamedTuple):
    """What was found in one file.

    Attributes
    ----------
    path
        As that of the file.
    findings
        By line, column and rule; none where it was skipped.
    skipped
        Why it was not checked; None where it was.
    lines
        The source line of each finding, in the order of `findings`. In a notebook it is that of
        the cell.
    broken_cells
        The cells of a notebook that were left out.
    """

    path: str
    findings: tuple[Finding, ...]
    skipped: Skip | None = None
    lines: tuple[str, ...] = ()
    broken_cells: tuple[BrokenCell, ...] = ()


@dataclass(frozen=True)
class Budget:
    """What one file may take.

    Attributes
    ----------
    seconds
        Processor time. By the clock it may be `PATIENCE` times that, for a machine that is busy.
    megabytes
        Memory beyond that of a worker that has read nothing yet, in MiB.
    depth
        Calls within calls: about a third as many levels of nested code.
    """

    seconds: float = 10.0
    megabytes: int = 512
    depth: int = 10_000

    @property
    def most_bytes(self) -> int:
        """Return of content: it is copied, decoded and cut into lines before anything can be
        checked.
        """
        return (self.megabytes << 20) // COPIES

    @property
    def exceeded(self) -> str:
        """The message for a file that takes more memory."""
        return f"it takes more than {self.megabytes} MB"


PATIENCE = 6
COPIES = 4
