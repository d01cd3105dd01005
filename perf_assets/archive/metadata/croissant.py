"""``croissant.json``: the tables as Croissant describes data sets for machine learning.

Source: https://docs.mlcommons.org/croissant/docs/croissant-spec-1.1.html
"""

from typing import Any

import polars as pl
from polars.datatypes import DataType, DataTypeClass

from perf_assets.archive.description import ArchivedTable, Description
from perf_assets.archive.metadata.texts import KEYWORDS, LICENCES, as_json, described
from perf_assets.schema import Column
from perf_assets.schema.types import polars_type

# What the words of the file mean, as the specification has it for all such files.
WORDS = (
    *("arrayShape", "citeAs", "column", "containedIn", "equivalentProperty", "extract", "field"),
    *("fileObject", "fileProperty", "fileSet", "format", "includes", "isArray", "isLiveDataset"),
    *("jsonPath", "key", "md5", "parentField", "path", "recordSet", "references", "regex"),
    *("repeated", "replace", "samplingRate", "separator", "source", "subField", "transform"),
)
CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "dct": "http://purl.org/dc/terms/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "sc": "https://schema.org/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "description": {"@container": "@language"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "name": {"@container": "@language"},
    **{word: f"cr:{word}" for word in WORDS},
}
CONFORMS_TO = "http://mlcommons.org/croissant/1.1"
TYPES: dict[Any, str] = {
    pl.String: "sc:Text",
    pl.Int32: "cr:Int32",
    pl.Int64: "cr:Int64",
    pl.Float64: "cr:Float64",
    pl.Boolean: "sc:Boolean",
    pl.Date: "sc:Date",
    pl.Datetime: "sc:DateTime",
}
PARQUET = "application/x-parquet"  # what Croissant calls it


def croissant(description: Description) -> str:
    """Return the text of ``croissant.json``."""
    return as_json(
        {
            "@context": CONTEXT,
            "@type": "sc:Dataset",
            "name": description.title,
            "description": description.abstract,
            "conformsTo": CONFORMS_TO,
            "citeAs": f"{', '.join(description.makers)}: {description.title}. "
            f"Version {description.edition}.",
            "creator": [{"@type": "sc:Person", "name": name} for name in description.makers],
            "datePublished": description.published,
            "version": description.edition,
            "keywords": list(KEYWORDS),
            "license": LICENCES,
            "isLiveDataset": False,
            "distribution": [_file(table) for table in description.tables],
            "recordSet": [_records(table) for table in description.tables],
        }
    )


def _file(archived: ArchivedTable) -> dict[str, Any]:
    file = archived.file
    return {
        "@type": "cr:FileObject",
        "@id": file.path,
        "name": file.path.rpartition("/")[2],
        "description": file.description,
        "contentUrl": file.path,
        "contentSize": f"{file.size} B",
        "encodingFormat": PARQUET,
        "sha256": file.sha256,
    }


def _records(archived: ArchivedTable) -> dict[str, Any]:
    table = archived.table
    return {
        "@type": "cr:RecordSet",
        "@id": table.name,
        "name": table.name,
        "description": table.description,
        "key": [{"@id": f"{table.name}/{name}"} for name in table.key],
        "field": [_field(archived, column) for column in table.columns],
    }


def _field(archived: ArchivedTable, column: Column) -> dict[str, Any]:
    kind = polars_type(column.type)
    name = f"{archived.table.name}/{column.name}"
    field: dict[str, Any] = {
        "@type": "cr:Field",
        "@id": name,
        "name": column.name,
        "description": described(column),
    }
    if isinstance(kind, pl.List):
        field |= {"isArray": True, "arrayShape": "-1"}
        kind = polars_type(column.type.removesuffix("[]"))
    source = {"fileObject": {"@id": archived.file.path}, "extract": {"column": column.name}}
    if isinstance(kind, pl.Struct):
        return {**field, "subField": [_part(name, part, source) for part in kind.fields]}
    return {**field, "dataType": _type(kind), "source": source}


def _part(name: str, part: pl.Field, source: dict[str, Any]) -> dict[str, Any]:
    """Return the part of an entry of a list that has several."""
    return {
        "@type": "cr:Field",
        "@id": f"{name}/{part.name}",
        "name": part.name,
        "dataType": _type(part.dtype),
        "source": {**source, "transform": {"jsonPath": part.name}},
    }


def _type(kind: DataType | DataTypeClass) -> str:
    return TYPES[kind.base_type()]
