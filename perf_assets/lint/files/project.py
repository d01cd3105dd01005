"""Other modules of the same project: what a file imports from them, read when it is needed."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path, PurePosixPath

from perf_assets.lint.files.decoding import decoded
from perf_assets.lint.findings import Context, Unreadable
from perf_assets.lint.module import Module
from perf_assets.lint.scopes import Scope

MOST_FILES = 12
"""Other modules that are read for one file."""

MOST_BYTES = 200_000
"""A module that is larger is not read."""

LONGEST_WAY = 3
"""Modules through which a name is handed on, as a package does what its modules define."""


class Project:
    """The modules beside one file, found as Python finds them.

    A name is looked for from the folder of the file on, and from each folder around it, up to the
    root of the project: projects have their packages in folders of any depth, and scripts beside
    their modules.

    Parameters
    ----------
    root
        Folder of the project. Nothing outside of it is read.
    within
        Path of the file below that, with `/`.
    """

    def __init__(self, root: Path, within: str) -> None:
        """Read nothing yet."""
        self.root = root.resolve()
        self.folders = PurePosixPath(within).parent.parts
        self.read: dict[Path, Module | None] = {}

    def definition(self, name: str, way: int = 0) -> tuple[Module, Scope] | None:
        """Return where a function or class is defined that a file names, as
        `package.module.function`.

        A name that begins with dots is relative to the folder of the file, as in an import.
        """
        dots = len(name) - len(name.lstrip("."))
        parts = tuple(part for part in name.split(".") if part)
        if not parts or dots > len(self.folders) + 1 or way > LONGEST_WAY:
            return None
        for depth in self._depths(dots):
            folder = self.root.joinpath(*self.folders[:depth])
            for length in range(len(parts) - 1, -1 if dots else 0, -1):
                path = _module_at(folder, parts[:length])
                module = None if path is None else self._module(path)
                if module is not None and path is not None:
                    found = self._within(module, path, parts[length:], way)
                    if found is not None or not dots:
                        return found
        return None

    def _depths(self, dots: int) -> Iterator[int]:
        """From which of the folders on the way to the file a name may be meant.

        `from . import x` and `from ..x import y` give names with as many dots.
        """
        here = len(self.folders)
        if dots:
            yield from (depth for depth in (here + 1 - dots, here + 2 - dots) if depth <= here)
        else:
            yield from range(here, -1, -1)

    def _within(
        self, module: Module, path: Path, rest: tuple[str, ...], way: int
    ) -> tuple[Module, Scope] | None:
        """Return what a module defines under a name, or hands on from another one."""
        if len(rest) != 1:
            return None
        bindings = module.scope.bindings.get(rest[0], [])
        if len(bindings) != 1:
            return None
        value = bindings[0].value
        if isinstance(value, Scope):
            return module, value
        if bindings[0].kind != "import" or not isinstance(value, str):
            return None
        beside = Project(self.root, path.relative_to(self.root).as_posix())
        beside.read = self.read  # one budget
        return beside.definition(value, way + 1)

    def _module(self, path: Path) -> Module | None:
        if path not in self.read:
            if len(self.read) >= MOST_FILES:
                return None
            self.read[path] = None
            try:
                inside = path.resolve().is_relative_to(self.root)
                status = path.stat()
                if inside and status.st_size <= MOST_BYTES:
                    self.read[path] = _parsed(str(path), status.st_mtime_ns, status.st_size)
            except (OSError, ValueError, SyntaxError, RecursionError, Unreadable):
                pass
        return self.read[path]


def _module_at(folder: Path, parts: tuple[str, ...]) -> Path | None:
    """Return the file of a module in a folder."""
    at = folder.joinpath(*parts)
    candidates = [at / "__init__.py", *([at.with_name(f"{at.name}.py")] if parts else [])]
    return next((path for path in candidates if path.is_file()), None)


@lru_cache(maxsize=64)
def _parsed(path: str, changed: int, size: int) -> Module:
    """Return a module, parsed once for as long as its file stays as it is."""
    with open(path, "rb") as file:  # noqa: PTH123 - a path as text is what the cache holds
        text = decoded(file.read(MOST_BYTES + 1))
    return Module(ast.parse(text), text, Context.LIBRARY)
