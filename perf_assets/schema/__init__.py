"""The tables, each declared once: a file of dbt_like_models/<schema>/, read and checked.

A declaration gives the table in DuckDB, its comments, the schema of its frames, the data
dictionary, and the rules that follow from it (:mod:`perf_assets.schema.rules`).
"""

from perf_assets.schema.declaration import (
    LAYERS,
    Analysis,
    Column,
    FigureDeclaration,
    Table,
    read_table,
)
from perf_assets.schema.reading import declared, schema_of, table_of

__all__ = [
    "LAYERS",
    "Analysis",
    "Column",
    "FigureDeclaration",
    "Table",
    "declared",
    "read_table",
    "schema_of",
    "table_of",
]
