"""Files of a git tree, checked: what was found in each, or why it was not read."""

import re
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from perf_assets.core.checks.checking import DEFAULT, check
from perf_assets.core.checks.findings import Finding, Unreadable
from perf_assets.core.checks.tracking import identified, identity
from perf_assets.sources.git.trees import File, is_lfs_pointer, read_files

Row = dict[str, Any]


@dataclass(frozen=True)
class Found:
    """What came of one file: its findings from the top, or why it was not read.

    They are rows of ``raw.static_findings`` and ``raw.unread_files`` without what says of which
    tree they are.
    """

    findings: list[Row] = field(default_factory=list)
    unread: Row | None = None


NOTHING = Found()


def checked_files(clone: Path, files: Sequence[File]) -> Generator[Found]:
    """What came of each of ``files``, in their order.

    Raises
    ------
    PerfAssetsError
        The clone lacks one of them.
    """
    contents: deque[bytes] = deque()

    def sources() -> Iterator[SourceFile]:
        with closing(read_files(clone, files)) as read:
            for file, content in read:
                contents.append(content)
                yield SourceFile(file.path, content)

    with closing(scan(sources(), DEFAULT)) as results:
        for result in results:
            content = contents.popleft()
            if result.skipped is not None:
                reason = "lfs pointer" if is_lfs_pointer(content) else result.skipped.reason
                detail = None if reason == "lfs pointer" else result.skipped.message
                yield Found(unread={"path": result.path, "reason": reason, "detail": detail})
            elif result.findings:
                yield Found([*_rows(result.path, result.findings, content)])
            else:
                yield NOTHING


def _rows(path: str, findings: Sequence[Finding], content: bytes) -> Iterator[Row]:
    """The rows of the findings of one file."""
    lines = re.split(r"\r\n|\r|\n", decoded(content))
    for finding, code, place in identified(findings, lines):
        row = {
            "path": path,
            "line": finding.line,
            "start_column": finding.column,
            "end_line": finding.end_line,
            "end_column": finding.end_column,
            "rule": finding.rule,
            "severity": str(finding.severity),
            "context": str(finding.context),
            "message": finding.message,
            "code": code,
            "place": place,
        }
        yield row | {"finding_id": identity_of(row, path)}


def identity_of(row: Row, path: str) -> str:
    """What the finding of ``row`` is known by in the file ``path``."""
    return identity(path, row["rule"], row["code"], row["place"])


class SourceFile(NamedTuple):
    path: str
    content: bytes


class Skip(NamedTuple):
    path: str
    reason: str
    message: str


class FileResult(NamedTuple):
    path: str
    findings: list[Finding]
    skipped: Skip | None


def decoded(content: bytes) -> str:
    return content.decode("utf-8", "replace")


def scan(files, rules):
    for f in files:
        try:
            yield FileResult(f.path, check(f.content.decode("utf-8"), f.path, rules), None)
        except UnicodeDecodeError:
            yield FileResult(f.path, [], Skip(f.path, "encoding", "not UTF-8"))
        except Unreadable as e:
            yield FileResult(f.path, [], Skip(f.path, e.reason, str(e)))
