"""DuckDB's types as those of Polars."""

import re

import polars as pl
from polars.datatypes import DataType, DataTypeClass

# Names and types of columns, in order.
Columns = dict[str, DataType | DataTypeClass]

TEXTS = pl.List(pl.String)
# A moment in UTC, as every timestamp is stored.
TIME = pl.Datetime("us", "UTC")

PLAIN: dict[str, DataType] = {
    "VARCHAR": pl.String(),
    "INTEGER": pl.Int32(),
    "BIGINT": pl.Int64(),
    "DOUBLE": pl.Float64(),
    "BOOLEAN": pl.Boolean(),
    "DATE": pl.Date(),
    "TIMESTAMP WITH TIME ZONE": TIME,
}
FIELD = re.compile(r'"?(?<!\w)(\w++)"?\s+([^,]++)')


def polars_type(name: str) -> DataType:
    """Return the Polars type of the DuckDB type ``name``: a plain one, a list, or a struct of plain
    ones.

    Raises
    ------
    ValueError
        No table has such a type.
    """
    if name.endswith("[]"):
        return pl.List(polars_type(name.removesuffix("[]")))
    if struct := re.fullmatch(r"STRUCT\((.*)\)", name):
        fields = FIELD.findall(struct.group(1))
        return pl.Struct({field: polars_type(kind.strip()) for field, kind in fields})
    if name not in PLAIN:
        names = ", ".join(PLAIN)
        raise ValueError(f"unknown type; known are {names}, X[], STRUCT(a X, b Y)")
    return PLAIN[name]
