"""What the files of metadata say alike: keywords, folders, and what columns mean."""

import json

import polars as pl

from perf_assets.schema import Column
from perf_assets.schema.types import polars_type

LICENCES = "LICENSES.md"
READ_ME = "README.md"
CITATION = "CITATION.cff"
KEYWORDS = (
    *("performance bugs", "deep learning frameworks", "mining software repositories"),
    *("empirical software engineering", "replication"),
)
FOLDERS = {
    "tables": "The tables, a Parquet file each.",
    "report": "The report as a page that opens offline.",
    "study": "The study file, and the files that it names: what was mined, and by which rules.",
    "codebooks": "By which questions and categories people judged.",
    "rules": "The SQL models, the rules of the audits, and the queries of the cookbook.",
    "software": "perf-assets as it was, and the versions and sums of all that it needs.",
}
"""What the folders of an archive have."""


def as_json(content: object) -> str:
    """``content`` as JSON that people can read, and that is the same whenever it is written."""
    return json.dumps(content, ensure_ascii=False, indent=2) + "\n"


def folder_of(path: str) -> str | None:
    """Return the folder at the top of the archive that has ``path``; None without one."""
    folder, separator, _ = path.partition("/")
    return folder if separator else None


def described(column: Column) -> str:
    """Return what ``column`` means, with its unit, and what a list is a list of."""
    kind = polars_type(column.type)
    if not isinstance(kind, pl.List):
        return column.comment
    if isinstance(kind.inner, pl.Struct):
        names = ", ".join(field.name for field in kind.inner.fields)
        return f"{column.comment} A list; each entry has {names}."
    return f"{column.comment} A list."
