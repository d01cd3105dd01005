"""The declarations of the project's tables, found by their names."""

import os
from collections.abc import Mapping
from contextlib import nullcontext
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import polars as pl
import yaml

from perf_assets.base.config_files import nearest, validate
from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.paths import models_dir
from perf_assets.schema.declaration import Table, read_table

SHARED = "columns.yml"


def table_of(name: str) -> Table:
    """Return the table called ``name`` (``schema.table``).

    Raises
    ------
    PerfAssetsError
        No file declares it, or the file has a mistake.
    """
    return _read(models_dir(), name)


def schema_of(name: str) -> pl.Schema:
    """Return names and types of the columns of the table ``name``, as in a frame of its rows."""
    return table_of(name).frame_schema


def declared(directory: Path | None = None) -> Mapping[str, Table]:
    """Return every table below ``directory`` (default: the project's), by name, sorted."""
    root = directory or models_dir()
    return dict(_declared(root, _changed_at(root)))


def _changed_at(root: Path) -> tuple[tuple[str, int], ...]:
    """Return the folders below ``root`` with the time of the last added or removed file."""
    with os.scandir(root) if root.is_dir() else nullcontext(()) as entries:
        folders = [(entry.name, entry.stat().st_mtime_ns) for entry in entries if entry.is_dir()]
    return tuple(sorted(folders))


@lru_cache(maxsize=8)
def _declared(root: Path, _: tuple[tuple[str, int], ...]) -> Mapping[str, Table]:
    # It is asked hundreds of times in a run: to list a hundred files each time takes seconds.
    names = sorted(f"{path.parent.name}.{path.stem}" for path in root.glob("*/*.yml"))
    return {name: _read(root, name) for name in names}


# The loader in C is ten times as fast; some builds of the library lack it.
class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """A loader that refuses a key which stands twice: the first would be lost without a word."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        for key in keys:
            if keys.count(key) > 1:
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key {key} occurs twice", node.start_mark
                )
        content: dict[Any, Any] = super().construct_mapping(node, deep)
        return content


@cache
def _read(root: Path, name: str) -> Table:
    path = root / Path(*name.split(".")).with_suffix(".yml")
    if not path.is_file():
        names = (f"{found.parent.name}.{found.stem}" for found in root.glob("*/*.yml"))
        raise PerfAssetsError(f"{path}: {name} is not declared; {nearest(name, sorted(names))}")
    return read_table(name, load_yaml(path), _shared(root), str(path))


@cache
def _shared(root: Path) -> Mapping[str, Mapping[str, Any]]:
    path = root / SHARED
    if not path.is_file():
        return {}
    return validate(dict[str, dict[str, Any]], load_yaml(path), path)


def load_yaml(path: Path) -> object:
    """Return the content of the YAML file at ``path``; PerfAssetsError where it cannot be read."""
    try:
        return yaml.load(path.read_text(encoding="utf-8"), _Loader)
    except OSError as error:
        raise PerfAssetsError(f"{path}: this cannot be read: {error.strerror}") from None
    except yaml.YAMLError as error:
        problem = " ".join(str(error).split())
        raise PerfAssetsError(f"{path}: this is not valid YAML: {problem}") from None
