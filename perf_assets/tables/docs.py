"""What is known of each table in words: the YAML files of dbt_like_models, read and checked."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from perf_assets.errors import PerfAssetsError

TABLE_KEYS = ("name", "description", "key", "constraints", "columns")
COLUMN_KEYS = ("name", "type", "description", "unit", "nullable")


@dataclass(frozen=True)
class ColumnDoc:
    """A column: its DuckDB type, what it means, its unit if any, and if it may be NULL."""

    name: str
    type: str
    description: str
    unit: str | None = None
    is_nullable: bool = False

    @property
    def comment(self) -> str:
        """Meaning and unit as one text."""
        return self.description if self.unit is None else f"{self.description} Unit: {self.unit}."


@dataclass(frozen=True)
class TableDoc:
    """A table or view called ``schema.table``.

    ``key`` names the columns that tell its rows apart; ``constraints`` are SQL conditions that no
    row breaks (as in a CHECK, NULL passes).
    """

    name: str
    description: str
    columns: tuple[ColumnDoc, ...]
    key: tuple[str, ...]
    constraints: tuple[str, ...]

    @property
    def schema(self) -> str:
        """The part of the name before the dot: the layer of a model."""
        return self.name.split(".")[0]


def read_table_docs(path: Path) -> list[TableDoc]:
    """The tables that one YAML file documents; a model's description may be left to its SQL file.

    Raises
    ------
    PerfAssetsError
        The file is no YAML, or an entry lacks something, has a key that means nothing, or names a
        key column that it does not document.
    """
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except yaml.YAMLError as error:
        problem = " ".join(str(error).split())
        raise PerfAssetsError(f"{path}: this is not valid YAML: {problem}") from None
    if not isinstance(content, Mapping) or not isinstance(content.get("tables"), list):
        raise PerfAssetsError(f"{path}: a list called tables is needed")
    return [_table(path, entry) for entry in content["tables"]]


def _table(path: Path, entry: object) -> TableDoc:
    table = _checked(path, "a table", entry, TABLE_KEYS, ("name", "key", "columns"))
    name = str(table["name"])
    if name.count(".") != 1:
        raise PerfAssetsError(f"{path}: {name} is no table name; write schema.table")
    columns = tuple(_column(path, name, column) for column in table["columns"])
    names = [column.name for column in columns]
    key = tuple(table["key"])
    for column_name in [*key, *names]:
        if names.count(column_name) != 1:
            raise PerfAssetsError(f"{path}: {name}: document the column {column_name} once")
    constraints = tuple(str(constraint) for constraint in table.get("constraints", ()))
    return TableDoc(name, str(table.get("description", "")), columns, key, constraints)


def _column(path: Path, table: str, entry: object) -> ColumnDoc:
    place = f"a column of {table}"
    column = _checked(path, place, entry, COLUMN_KEYS, ("name", "type", "description"))
    return ColumnDoc(
        str(column["name"]),
        str(column["type"]),
        str(column["description"]),
        column.get("unit"),
        bool(column.get("nullable", False)),
    )


def _checked(
    path: Path, place: str, entry: object, known: Collection[str], needed: Collection[str]
) -> Mapping[str, Any]:
    if not isinstance(entry, Mapping):
        raise PerfAssetsError(f"{path}: {place} needs the keys {', '.join(needed)}")
    named = entry.get("name", place)
    for key in entry:
        if key not in known:
            listed = ", ".join(known)
            raise PerfAssetsError(f"{path}: {named}: unknown key {key}; known are {listed}")
    for key in needed:
        if not entry.get(key):
            raise PerfAssetsError(f"{path}: {named}: {key} is missing in {place}")
    return entry
