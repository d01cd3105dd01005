"""Rows between DuckDB and Polars, by Arrow's C interface, for which nothing need be installed.

DuckDB's own ``.pl()`` and its reading of Polars frames take pyarrow, which is as large as Polars.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress

import duckdb
import polars as pl

PASSED_ON = "got external error: "
ERRORS = {"IO Error": duckdb.IOException, "Conversion Error": duckdb.ConversionException}


def frame_of(relation: duckdb.DuckDBPyRelation) -> pl.DataFrame:
    """Return the rows of ``relation``; a column of integers that DuckDB sums is one of decimals.

    Raises
    ------
    duckdb.Error
        As where DuckDB fetches the rows itself.
    """
    try:
        return pl.DataFrame(relation)
    except pl.exceptions.ComputeError as error:  # in the middle of the stream
        kind, _, _ = (message := str(error).removeprefix(PASSED_ON)).partition(":")
        raise ERRORS.get(kind, duckdb.Error)(message) from None


@contextmanager
def registered(
    connection: duckdb.DuckDBPyConnection, name: str, rows: pl.DataFrame
) -> Iterator[None]:
    """Let queries of ``connection`` read ``rows`` under ``name`` inside the block.

    To the end of its transaction DuckDB holds what is registered; the rows are let go with the
    block.
    """
    stream = _Stream(rows)
    connection.register(name, stream)
    try:
        yield
    finally:
        stream.rows = rows.clear()
        # In a transaction that has failed this does too, and would hide why that one did.
        with suppress(duckdb.TransactionException):
            connection.unregister(name)


class _Stream:
    """Rows that show themselves to DuckDB as Arrow's C stream alone."""

    def __init__(self, rows: pl.DataFrame) -> None:
        self.rows = rows

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.rows.__arrow_c_stream__(requested_schema)
