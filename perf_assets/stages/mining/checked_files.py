"""Files of a git tree, checked: what was found in each, or why it was not read."""

import os
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from perf_assets.lint.files.results import FileResult, Skip, SourceFile
from perf_assets.lint.files.scanning import scan
from perf_assets.lint.finding_id import identified, identity
from perf_assets.lint.linter import DEFAULT, frameworks_of, may_find
from perf_assets.lint.rules import CAUSES
from perf_assets.sources.git.trees import File, is_lfs_pointer, read_files

Row = dict[str, Any]


@dataclass(frozen=True)
class Found:
    """What came of one file: its findings from the top, or why it was not read.

    They are rows of ``raw.static_findings`` and ``raw.unparsed_files`` without what says of which
    tree they are. ``frameworks`` it imports; None where its text was not read in this run.
    """

    findings: list[Row] = field(default_factory=list)
    unread: Row | None = None
    frameworks: frozenset[str] | None = None


NOTHING = Found()
PROCESSES = min(8, os.cpu_count() or 1)  # more take memory, and git cannot feed them


def checked_files(clone: Path, files: Sequence[File]) -> Generator[Found]:
    """Yield the results of ``files``, in their order.

    A file that names no framework of the rules is not parsed: nothing can be found in it.

    Raises
    ------
    PerfAssetsError
        The clone lacks one of them, or no process can be started to check them in.
    """
    imported: deque[frozenset[str]] = deque()
    with (
        closing(_contents(clone, files, imported)) as contents,
        closing(scan(contents, DEFAULT, processes=PROCESSES)) as results,
    ):
        for result in results:
            frameworks = imported.popleft()
            if result.skipped is not None:
                path, reason, message = result.skipped
                unread = {"path": path, "reason": reason, "detail": message or None}
                yield Found(unread=unread, frameworks=frameworks)
            else:
                yield Found([*_rows(result)], frameworks=frameworks)


def _contents(
    clone: Path, files: Sequence[File], imported: deque[frozenset[str]]
) -> Generator[SourceFile | Skip | FileResult]:
    """Yield the files to check; what each imports is added to ``imported``."""
    with closing(read_files(clone, files)) as read:
        for file, content in read:
            imported.append(frameworks_of(content))
            if is_lfs_pointer(content):
                yield Skip(file.path, "lfs_pointer", "")
            elif may_find(content):
                yield SourceFile(file.path, content)
            else:
                yield FileResult(file.path, ())


def _rows(result: FileResult) -> Iterator[Row]:
    """Yield the rows of the findings of one file."""
    for finding, code, earlier_duplicates in identified(result.findings, result.lines):
        row = {
            "path": result.path,
            "line": finding.line,
            "start_column": finding.column,
            "end_line": finding.end_line,
            "end_column": finding.end_column,
            "rule": finding.rule,
            "cause_category": CAUSES[finding.rule][0],
            "cause_subcategory": CAUSES[finding.rule][1],
            "severity": str(finding.severity),
            "context": str(finding.context),
            "message": finding.message,
            "code": code,
            "earlier_duplicates": earlier_duplicates,
        }
        yield row | {"finding_id": identity_of(row, result.path)}


def identity_of(row: Row, path: str) -> str:
    """Return the id of the finding of ``row`` in the file ``path``."""
    return identity(path, row["rule"], row["code"], row["earlier_duplicates"])
