"""The version of code: a fingerprint of modules, of what they import, and of their libraries."""

import hashlib
import re
import sys
from collections.abc import Iterator
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from perf_assets.base.paths import PACKAGE

NAME = PACKAGE.name

# What moves rows and decides nothing of what they hold. What a study chooses, and how a table is
# declared, has a fingerprint by its values.
NOT_DECIDING = (
    *("base.code_version", "base.errors", "base.files", "base.paths", "base.pids"),
    *("base.processes", "base.retry", "config", "schema", "storage"),
    *("sources.git.clone", "sources.git.command", "sources.rate_limit"),
)

# Of libraries that are imported by another name than they are installed by.
INSTALLED_AS = {
    "git": "GitPython",
    "github": "PyGithub",
    "sklearn": "scikit-learn",
    "yaml": "PyYAML",
}

DATA = (".sql", ".toml", ".txt", ".yml")  # files that code reads beside itself, or in folders there

IMPORT = re.compile(
    r"^[ ]*(?:from[ ]+([\w.]+)[ ]+import[ ]+(\([^)]*\)|[^\n]*)|import[ ]+([\w.]+))", re.MULTILINE
)
# Of a module, class or function: the text between three quotes that follows its first line.
DOCSTRING = re.compile(r'(\A|:\n+)[ ]*r?"""(?:[^\\]|\\.)*?"""[ ]*\n', re.DOTALL)


@cache
def code_version(*modules: str) -> str:
    """Return the fingerprint of ``modules``, of all that they import, and of libraries.

    It has sixteen hexadecimal digits. Modules have full names, such as
    ``perf_assets.core.labelling.labels``. Docstrings and the modules in ``NOT_DECIDING`` are not
    part of it. Data files count as part of the folder that they are in.
    """
    names, libraries = imported_by(*modules)
    folders = sorted({_path(name).parent for name in names})
    data = sorted(
        {file for folder in folders for file in folder.rglob("*.*") if file.suffix in DATA}
    )
    parts = [
        *(f"{library} {_version(library)}" for library in libraries),
        *(f"{name} {_digest(_code(name).encode())}" for name in names),
        *(f"{file.relative_to(PACKAGE)} {_digest(file.read_bytes())}" for file in data),
    ]
    return _digest("\n".join(parts).encode())[:16]


@cache
def files_version(*folders: str | Path) -> str:
    """Return the fingerprint of all files of these folders, in the package or elsewhere."""
    files = sorted(
        path
        for folder in folders
        for path in (PACKAGE / folder).rglob("*")
        if path.is_file() and path.parent.name != "__pycache__"
    )
    named = (f"{path.name} {_digest(path.read_bytes())}" for path in files)
    return _digest("\n".join(named).encode())[:16]


def imported_by(*modules: str) -> tuple[list[str], list[str]]:
    """Return the modules that ``modules`` import, near or far, with themselves; and libraries.

    Modules have names below ``perf_assets``, libraries those of imports; both are sorted.
    """
    names, libraries = set[str](), set[str]()
    waiting = [module.removeprefix(f"{NAME}.") for module in modules]
    while waiting:
        name = waiting.pop()
        if name in names:
            continue
        names.add(name)
        for target in _imports(name):
            root, _, below = target.partition(".")
            if root != NAME:
                libraries.add(root)
            elif below and not f"{below}.".startswith(
                tuple(f"{module}." for module in NOT_DECIDING)
            ):
                waiting.append(below)
    return sorted(names), sorted(libraries - sys.stdlib_module_names)


def libraries_of(*modules: str) -> list[str]:
    """Return the libraries that ``modules`` import, near or far, as they are installed."""
    return [INSTALLED_AS.get(name, name) for name in imported_by(*modules)[1]]


@cache
def _imports(module: str) -> tuple[str, ...]:
    """Return the imports of a module: full names in the package, top-level names of libraries."""
    return tuple(_found_imports(module))


def _found_imports(module: str) -> Iterator[str]:
    for origin, names, plain in IMPORT.findall(_code(module)):
        if not (origin or plain).startswith(f"{NAME}."):
            yield (origin or plain).partition(".")[0]
            continue
        if _is_module(origin.partition(".")[2]):
            yield origin
        for name in re.findall(r"\w+", re.sub(r"#.*| as \w+", "", names)):
            if _is_module(f"{origin}.{name}".partition(".")[2]):
                yield f"{origin}.{name}"


def _is_module(name: str) -> bool:
    return bool(name) and _path(name).is_file()


def _path(name: str) -> Path:
    path = PACKAGE.joinpath(*name.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def _version(library: str) -> str:
    try:
        return version(INSTALLED_AS.get(library, library))
    except PackageNotFoundError:  # of an extra that is not installed
        return "none"


@cache
def _code(name: str) -> str:
    """Return the text of a module without docstrings."""
    return DOCSTRING.sub(r"\1", _path(name).read_text(encoding="utf-8"))


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
