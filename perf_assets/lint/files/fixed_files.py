"""Findings that mend themselves: the files with them, before and after."""

import difflib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from perf_assets.lint.files.decoding import decoded
from perf_assets.lint.files.results import FileResult
from perf_assets.lint.fixes import applied


class FixedFile(NamedTuple):
    """A file with findings that mend themselves.

    Attributes
    ----------
    path, shown
        Where it is, and the name it is reported by.
    before, after
        Its text as it is, and mended.
    fixes
        How many findings are mended.
    """

    path: Path
    shown: str
    before: str
    after: str
    fixes: int

    @property
    def diff(self) -> str:
        """Return what changes, as a unified diff."""
        lines = difflib.unified_diff(
            self.before.splitlines(keepends=True),
            self.after.splitlines(keepends=True),
            f"a/{self.shown}",
            f"b/{self.shown}",
        )
        return "".join(
            line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
            for line in lines
        )


def fixed_files(results: Sequence[FileResult], paths: Sequence[Path]) -> Iterator[FixedFile]:
    """Yield the files among some results that can be mended, each with its text before and after.

    A file that is not UTF-8, or not as it was when it was checked, is passed by.

    Parameters
    ----------
    results, paths
        What was found, and where the file of each result is.
    """
    for result, path in zip(results, paths, strict=True):
        found = [finding for finding in result.findings if finding.edits]
        if not found or result.path.endswith(".ipynb"):
            continue
        try:
            content = path.read_bytes()
            before = content.decode("utf-8")
            lines = decoded(content).split("\n")
        except (OSError, ValueError):
            continue
        if lines != before.removeprefix("\ufeff").replace("\r\n", "\n").split("\n") or any(
            lines[one.line - 1 : one.line] != [line]
            for one, line in zip(result.findings, result.lines, strict=True)
        ):
            continue
        mark = "\ufeff" if before.startswith("\ufeff") else ""
        text = before.removeprefix(mark)
        after = mark + applied(text, [edit for entry in found for edit in entry.edits])
        yield FixedFile(path, result.path, before, after, len(found))
