"""The files under some paths, and what is in them. Files are opened for reading alone."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from perf_assets.lint.files.gitignore import GitIgnore
from perf_assets.lint.files.results import Budget, Skip, SourceFile
from perf_assets.lint.globs import is_meant, is_meant_or_within

SUFFIXES = (".py", ".ipynb")
# What ruff passes by, too; folders whose names begin with a dot are passed by anyway.
PASSED_BY = frozenset(
    [
        *("__pycache__", "__pypackages__", "_build", "buck-out", "build", "dist"),
        *("node_modules", "site-packages", "venv"),
    ]
)
ENVIRONMENT = "pyvenv.cfg"  # what a virtual environment of any name has
ROOTS = (".git", "pyproject.toml", "setup.py", "setup.cfg", "WORKSPACE")


class LintFile(NamedTuple):
    """A file that is to be checked.

    Attributes
    ----------
    path
        Where it is.
    shown
        The name it is reported by: relative to the working directory where it is below that.
    within
        Its path within its project, with `/`.
    """

    path: Path
    shown: str
    within: str


class Exclusion(NamedTuple):
    """What is passed by.

    Attributes
    ----------
    root
        The folder that the patterns are relative to.
    patterns
        Patterns (see `is_meant`) of files and folders.
    is_forced
        Whether they count for what is given, too, and so do the folders that are always passed by.
    is_git_respected
        Whether what git ignores is passed by in folders.
    """

    root: Path
    patterns: Sequence[str] = ()
    is_forced: bool = False
    is_git_respected: bool = True

    def covers(self, path: str) -> bool:
        """Return whether a pattern means the path of a file or folder."""
        return bool(self.patterns) and is_meant(os.path.relpath(path, self.root), self.patterns)

    def covers_given(self, path: Path) -> bool:
        """Return whether a path that is given is passed by, as it would be in a folder."""
        if not self.is_forced:
            return False
        within = os.path.relpath(path, self.root)
        parts = PurePosixPath(within).parts
        folders = parts if path.is_dir() else parts[:-1]
        return is_meant_or_within(within, self.patterns) or any(map(_is_passed_by, folders))


def find_files(given: Sequence[Path], exclusion: Exclusion) -> Iterator[LintFile | Skip]:
    """Yield the Python files and notebooks under some paths, each once, folders in the order of
    names.

    A file that is given is among them whatever it is called. In folders, hidden ones, virtual
    environments, build caches (`PASSED_BY`) and links are passed by: what a link leads to is read
    where it stands. A folder that cannot be listed is a skip.

    Parameters
    ----------
    given
        Files and folders that exist.
    exclusion
        What else is passed by.
    """
    seen: set[str] = set()
    for path in given:
        if exclusion.covers_given(path):
            continue
        project = _project(path)
        found = _below(path, exclusion) if path.is_dir() else [path]
        for file in found:
            absolute = os.path.abspath(file.path if isinstance(file, Skip) else file)  # noqa: PTH100
            if absolute in seen:
                continue
            seen.add(absolute)
            if isinstance(file, Skip):
                yield file._replace(path=shown(Path(file.path)))
            else:
                yield LintFile(file, shown(file), os.path.relpath(absolute, project))


def read(found: LintFile, budget: Budget = Budget()) -> SourceFile | Skip:  # noqa: B008
    """Return what is in a file, or why it cannot be read; a pipe and a file too large are not
    read.
    """
    try:
        with open(found.path, "rb", opener=_at_once) as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                return Skip(
                    found.shown, "read", "it is not a file: pass it as standard input, with -"
                )
            content = file.read(min(status.st_size, budget.most_bytes) + 1)
    except OSError as error:
        return Skip(found.shown, "read", _reason(error))
    source = source_of(found.shown, content, found.within, budget)
    if isinstance(source, Skip):
        return source
    folders = len(PurePosixPath(found.within).parts)
    parents = Path(os.path.abspath(found.path)).parents  # noqa: PTH100
    return source._replace(root=str(parents[folders - 1])) if folders <= len(parents) else source


def within_project(path: Path) -> tuple[str, str]:
    """Return the folder of the project of a file, which need not exist, and its path within."""
    project = _project(path.parent)
    return project, os.path.relpath(os.path.abspath(path), project)  # noqa: PTH100


def source_of(
    shown: str,
    content: bytes,
    within: str = "",
    budget: Budget = Budget(),  # noqa: B008
) -> SourceFile | Skip:
    """Return a file with this content; a skip where that is more than `Budget.most_bytes`."""
    if len(content) > budget.most_bytes:
        return Skip(shown, "memory", budget.exceeded)
    return SourceFile(shown, content, within)


def _at_once(path: str, flags: int) -> int:
    """Open without waiting for a writer of a pipe."""
    return os.open(path, flags | os.O_NONBLOCK)


def shown(path: Path) -> str:
    """Return the name in reports: relative to the working directory where it is below that."""
    absolute = os.path.abspath(path)  # noqa: PTH100
    here = Path.cwd()
    if Path(absolute).is_relative_to(here):
        return os.path.relpath(absolute, here)
    return os.path.normpath(path)


def _project(path: Path) -> str:
    """Return the folder of the project that a path belongs to; where none is found, of the path."""
    folder = Path(os.path.abspath(path))  # noqa: PTH100
    if not folder.is_dir():
        folder = folder.parent
    for parent in (folder, *folder.parents):
        if any((parent / name).exists() for name in ROOTS):
            return str(parent)
    return str(folder)


def _below(folder: Path, exclusion: Exclusion) -> Iterator[Path | Skip]:
    absolute = os.path.abspath(folder)  # noqa: PTH100
    ignored = GitIgnore(absolute) if exclusion.is_git_respected else None
    waiting = [folder]
    while waiting:
        entered = waiting.pop()
        try:
            with os.scandir(entered) as listed:
                entries = sorted(listed, key=lambda entry: entry.name)
        except OSError as error:
            yield Skip(str(entered), "read", _reason(error))
            continue
        if entered != folder and any(entry.name == ENVIRONMENT for entry in entries):
            continue
        here = os.path.normpath(os.path.join(absolute, os.path.relpath(entered, folder)))  # noqa: PTH118
        inner: list[Path] = []
        for entry in entries:
            if not _is_meant(entry) or exclusion.covers(entry.path):
                continue
            is_folder = entry.is_dir(follow_symlinks=False)
            if ignored and ignored.covers(f"{here}/{entry.name}", is_folder=is_folder):
                continue
            if is_folder:
                inner.append(Path(entry.path))
            else:
                yield Path(entry.path)
        waiting += reversed(inner)


def _is_meant(entry: os.DirEntry[str]) -> bool:
    if entry.is_dir(follow_symlinks=False):
        return not _is_passed_by(entry.name)
    return entry.name.endswith(SUFFIXES) and entry.is_file(follow_symlinks=False)


def _is_passed_by(folder: str) -> bool:
    is_hidden = folder.startswith(".") and folder not in (".", "..")
    return is_hidden or folder in PASSED_BY


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
