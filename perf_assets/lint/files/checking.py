"""What is found in the files of some paths, by the settings of a project."""

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from perf_assets.lint.files.discovery import LintFile, find_files, read, source_of
from perf_assets.lint.files.results import Budget, FileResult, Skip, SourceFile
from perf_assets.lint.files.scanning import scan
from perf_assets.lint.files.settings import Settings

STANDARD_INPUT = Path("-")


def files_of(paths: Sequence[Path], settings: Settings) -> list[LintFile | Skip | None]:
    """Return the files to check below some paths; None for the standard input."""
    on_disk = [path for path in paths if path != STANDARD_INPUT]
    files = find_files(on_disk, settings.root, settings.exclude)
    return [*([None] if len(on_disk) < len(paths) else []), *files]


def check(
    files: Sequence[LintFile | Skip | None], settings: Settings, processes: int
) -> Iterator[FileResult]:
    """Yield what is found in each file, without findings that are not to be reported."""
    found = scan(_contents(files), settings.rules, processes=processes)
    for file, result in zip(files, found, strict=True):
        path = ""
        if file is not None and not isinstance(file, Skip):
            path = os.path.relpath(file.path.absolute(), settings.root)
        kept = [
            (finding, line)
            for finding, line in zip(result.findings, result.lines, strict=True)
            if settings.is_reported(finding, path)
        ]
        yield result._replace(
            findings=tuple(finding for finding, _ in kept), lines=tuple(line for _, line in kept)
        )


def _contents(files: Sequence[LintFile | Skip | None]) -> Iterator[SourceFile | Skip]:
    for file in files:
        if file is None:
            yield source_of("-", sys.stdin.buffer.read(Budget().most_bytes + 1))
        else:
            yield file if isinstance(file, Skip) else read(file)
