"""What is found in the files of some paths, by the settings of a project."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from perf_assets.lint.files.discovery import (
    LintFile,
    find_files,
    read,
    shown,
    source_of,
    within_project,
)
from perf_assets.lint.files.results import Budget, FileResult, Skip, SourceFile
from perf_assets.lint.files.scanning import scan
from perf_assets.lint.files.settings import Settings

STANDARD_INPUT = Path("-")


class Piped(NamedTuple):
    """The standard input, as the file whose content it is.

    path : of that file, which need not exist; `-` where none is named.
    """

    path: Path = STANDARD_INPUT

    @property
    def is_named(self) -> bool:
        """Return whether it is the content of a file."""
        return self.path != STANDARD_INPUT


def files_of(
    paths: Sequence[Path], settings: Settings, piped: Path = STANDARD_INPUT
) -> list[LintFile | Skip | Piped]:
    """Return the files to check below some paths, among which may be the standard input.

    Parameters
    ----------
    paths
        Files and folders that exist, and `-`.
    settings
        What is passed by.
    piped
        The file whose content the standard input is.
    """
    on_disk = [path for path in paths if path != STANDARD_INPUT]
    files = find_files(on_disk, settings.exclusion)
    is_piped = len(on_disk) < len(paths) and (
        piped == STANDARD_INPUT or not settings.exclusion.covers_given(piped)
    )
    return [*([Piped(piped)] if is_piped else []), *files]


def check(
    files: Sequence[LintFile | Skip | Piped], settings: Settings, processes: int
) -> Iterator[FileResult]:
    """Yield what is found in each file, without findings that are not to be reported."""
    found = scan(_contents(files), settings.rules, processes=processes)
    for file, result in zip(files, found):
        is_on_disk = isinstance(file, LintFile)
        is_file = is_on_disk or (isinstance(file, Piped) and file.is_named)
        path = os.path.relpath(file.path, settings.root) if is_file else ""
        kept = [
            (finding if is_on_disk else finding._replace(edits=()), line)
            for finding, line in zip(result.findings, result.lines)
            if settings.is_reported(finding, path)
        ]
        yield result._replace(
            findings=tuple(finding for finding, _ in kept), lines=tuple(line for _, line in kept)
        )


def _contents(files: Sequence[LintFile | Skip | Piped]) -> Iterator[SourceFile | Skip]:
    for file in files:
        if isinstance(file, Piped):
            content = sys.stdin.buffer.read(Budget().most_bytes + 1)
            source = source_of(shown(file.path) if file.is_named else "-", content)
            if file.is_named and isinstance(source, SourceFile):
                root, within = within_project(file.path)
                source = source._replace(within=within, root=root)
            yield source
        else:
            yield file if isinstance(file, Skip) else read(file)
