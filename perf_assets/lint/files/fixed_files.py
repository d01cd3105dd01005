"""Files with findings that are mended or silenced, before and after."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from perf_assets.lint.files.decoding import decoded
from perf_assets.lint.files.results import FileResult
from perf_assets.lint.findings import Finding
from perf_assets.lint.fixes import Edit, applied
from perf_assets.lint.noqa import comments_added
from perf_assets.lint.rules.rule import Rule


class FixedFile(NamedTuple):
    """A file that is to be changed.

    Attributes
    ----------
    path, shown
        Where it is, and the name it is reported by.
    before, after
        Its text as it is, and changed.
    fixes
        How many findings are gone then; of comments, how many lines have a new one.
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

    def mending(findings: Sequence[Finding], _: str) -> tuple[list[Edit], int]:
        edits = [edit for entry in findings for edit in entry.edits]
        return edits, sum(bool(entry.edits) for entry in findings)

    return _changed_files(results, paths, mending)


def silenced_files(
    results: Sequence[FileResult], paths: Sequence[Path], rules: Sequence[Rule]
) -> Iterator[FixedFile]:
    """Yield the files of some results with a comment for each finding that silences it.

    Files are passed by as in `fixed_files`; so are notebooks.
    """

    def silencing(findings: Sequence[Finding], text: str) -> tuple[list[Edit], int]:
        edits = comments_added(findings, text, rules)
        return edits, len(edits)

    return _changed_files(results, paths, silencing)


def _changed_files(
    results: Sequence[FileResult],
    paths: Sequence[Path],
    change: Callable[[Sequence[Finding], str], tuple[list[Edit], int]],
) -> Iterator[FixedFile]:
    for result, path in zip(results, paths):
        if not result.findings or result.path.endswith(".ipynb"):
            continue
        try:
            content = path.read_bytes()
            before = content.decode("utf-8")
            plain = decoded(content)
        except (OSError, ValueError):
            continue
        lines = plain.split("\n")
        if plain != before.removeprefix("\ufeff").replace("\r\n", "\n") or any(
            lines[one.line - 1 : one.line] != [line]
            for one, line in zip(result.findings, result.lines)
        ):
            continue
        edits, fixes = change(result.findings, plain)
        if edits:
            mark = "\ufeff" if before.startswith("\ufeff") else ""
            after = mark + applied(before.removeprefix(mark), edits)
            yield FixedFile(path, result.path, before, after, fixes)
