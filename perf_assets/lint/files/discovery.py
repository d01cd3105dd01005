"""The files under some paths, and what is in them. Files are opened for reading alone."""

import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from perf_assets.lint.files.results import Budget, Skip, SourceFile
from perf_assets.lint.globs import is_meant

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


def find_files(
    given: Sequence[Path], root: Path, excluded: Sequence[str]
) -> Iterator[LintFile | Skip]:
    """Yield the Python files and notebooks under some paths, each once, folders in the order of
    names.

    A file that is given is among them whatever it is called. In folders, hidden ones, virtual
    environments, build caches (`PASSED_BY`) and links are passed by: what a link leads to is read
    where it stands. A folder that cannot be listed is a skip.

    Parameters
    ----------
    given
        Files and folders that exist.
    root
        The folder that the patterns are relative to.
    excluded
        Patterns (see `is_meant`) of what is passed by in folders.
    """
    seen: set[str] = set()
    for path in given:
        project = _project(path)
        found = _below(path, root, excluded) if path.is_dir() else [path]
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


def _below(folder: Path, root: Path, excluded: Sequence[str]) -> Iterator[Path | Skip]:
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
        inner: list[Path] = []
        for entry in entries:
            if not _is_meant(entry) or _is_excluded(entry, root, excluded):
                continue
            if entry.is_dir(follow_symlinks=False):
                inner.append(Path(entry.path))
            else:
                yield Path(entry.path)
        waiting += reversed(inner)


def _is_meant(entry: "os.DirEntry[str]") -> bool:
    if entry.is_dir(follow_symlinks=False):
        return not entry.name.startswith(".") and entry.name not in PASSED_BY
    return entry.name.endswith(SUFFIXES) and entry.is_file(follow_symlinks=False)


def _is_excluded(entry: "os.DirEntry[str]", root: Path, excluded: Sequence[str]) -> bool:
    return bool(excluded) and is_meant(os.path.relpath(entry.path, root), excluded)


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
