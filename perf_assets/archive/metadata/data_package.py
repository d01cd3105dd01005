"""``datapackage.json``: the tables as Frictionless Data describes them.

Source: https://datapackage.org (version 1, which its validators read in full).
"""

from typing import Any

import polars as pl

from perf_assets.archive.description import ArchivedTable, Description
from perf_assets.archive.metadata.citation import PAPERS
from perf_assets.archive.metadata.texts import KEYWORDS, LICENCES, as_json, described
from perf_assets.schema import Column, Table
from perf_assets.schema.types import polars_type

# Frictionless reads Parquet by way of pandas: there a missing number is nan, a missing moment NaT,
# and a list what it takes for no array.
TYPES: dict[Any, tuple[str, list[str]]] = {
    pl.String: ("string", []),
    pl.Int32: ("integer", ["nan"]),
    pl.Int64: ("integer", ["nan"]),
    pl.Float64: ("number", ["nan"]),
    pl.Boolean: ("boolean", ["nan"]),
    pl.Date: ("date", ["NaT"]),
    pl.Datetime: ("datetime", ["NaT"]),
    pl.List: ("any", []),
}
NUMBERS = ("integer", "number")


def data_package(description: Description) -> str:
    """Return the text of ``datapackage.json``."""
    return as_json(
        {
            "profile": "data-package",
            "name": "perf-assets-archive",
            "title": description.title,
            "description": description.abstract,
            "version": description.edition,
            "created": description.published,
            "keywords": list(KEYWORDS),
            "licenses": [{"path": LICENCES, "title": "By part, see LICENSES.md"}],
            "contributors": [{"title": name, "role": "author"} for name in description.makers],
            "sources": [
                *({"title": source.name, "path": source.url} for source in description.sources),
                *({"title": paper.citation, "path": paper.url} for paper in PAPERS),
            ],
            "resources": [_resource(table) for table in description.tables],
        }
    )


def _resource(archived: ArchivedTable) -> dict[str, Any]:
    table, file = archived.table, archived.file
    return {
        "name": table.name,
        "title": table.name,
        "description": table.description,
        "path": file.path,
        "format": "parquet",
        "mediatype": file.media_type,
        "hash": f"sha256:{file.sha256}",
        "rows": archived.rows,
        "profile": "tabular-data-resource",
        "schema": _schema(table),
    }


def _schema(table: Table) -> dict[str, Any]:
    fields = [_field(column) for column in table.columns]
    # A key with empty parts tells rows apart in a database, and is none in a data package.
    if any(table.column[name].nullable for name in table.key):
        return {"fields": fields}
    return {"fields": fields, "primaryKey": list(table.key)}


def _field(column: Column) -> dict[str, Any]:
    kind, missing = TYPES[polars_type(column.type).base_type()]
    field: dict[str, Any] = {
        "name": column.name,
        "type": kind,
        "description": described(column),
        "missingValues": missing,
        "sqlType": column.type,
    }
    if column.unit is not None:
        field["unit"] = column.unit
    if constraints := _constraints(column, kind):
        field["constraints"] = constraints
    return field


def _constraints(column: Column, kind: str) -> dict[str, Any]:
    """Return what a declaration says of values, as far as a data package can say it."""
    constraints: dict[str, Any] = {} if column.nullable else {"required": True}
    if column.values is not None and kind != "any":
        constraints["enum"] = list(column.values)
    for name, bound in (("minimum", column.min), ("maximum", column.max)):
        if kind in NUMBERS and isinstance(bound, int | float):
            constraints[name] = bound
    return constraints
