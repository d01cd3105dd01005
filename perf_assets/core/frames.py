"""Words for the shapes of frames."""

import polars as pl
from polars.datatypes import DataType, DataTypeClass

# Column names and types, in order.
Columns = dict[str, DataType | DataTypeClass]

# A moment in UTC, as every timestamp is stored.
TIME = pl.Datetime("us", "UTC")
TEXTS = pl.List(pl.String)
