"""Where DuckDB computes the models: beside the warehouse, with what several read computed once.

As views of views of views a plan grows until DuckDB joins in an order that never ends; and what ten
models read is computed ten times. Tables of the warehouse would have to be kept in step and
published; these are gone when the models are computed.
"""

from collections.abc import Iterator, Sequence

import polars as pl

from perf_assets.base.processes.progress import phase
from perf_assets.engines.remote import CHUNK_ROWS, in_chunks
from perf_assets.schema import table_of
from perf_assets.schema.frames import frame_of
from perf_assets.schema.models.files import models_by_name, read_by_several
from perf_assets.storage.warehouse import Database

ORDERED = "main.rows_in_order"


class Workspace:
    """The models over the tables of a warehouse, in memory; DuckDB spills what is too much."""

    def __init__(self, database: Database) -> None:
        """Compute from what ``database`` holds; nothing is done before the first ``fetch``."""
        self._connection = database.connection.cursor()
        self._laid: set[str] = set()
        self._name = f"workspace_{id(self)}"
        self._is_open = False
        ((self._warehouse,),) = self._connection.execute("SELECT current_database()").fetchall()

    def fetch(self, table: str, columns: Sequence[str] | None = None) -> pl.DataFrame:
        """Return the rows of ``columns`` (default: all) of a table or model, by its key.

        A mart is what it would be now, whatever is stored of it.
        """
        listed = ", ".join(f'"{name}"' for name in columns) if columns else "*"
        key = ", ".join(table_of(table).key)
        query = f"SELECT {listed} FROM {self._source(table)} ORDER BY {key}"
        return frame_of(self._connection.sql(query))

    def shares(self, mart: str, by: str | None) -> Iterator[pl.DataFrame]:
        """Yield the rows of a mart in the order of ``by``, in chunks; without it at once."""
        source = self._source(mart)
        if by is None:
            yield frame_of(self._connection.sql(f"FROM {source}"))
            return
        self._open()
        self._connection.execute(
            f'CREATE OR REPLACE TABLE {ORDERED} AS FROM {source} ORDER BY "{by}"'
        )
        empty = frame_of(self._connection.sql(f"FROM {ORDERED} LIMIT 0"))
        yield from in_chunks(self._batches(), by, empty)
        self._connection.execute(f"DROP TABLE {ORDERED}")

    def _batches(self) -> Iterator[pl.DataFrame]:
        """Yield the rows of the table in order, some at a time."""
        ((rows,),) = self._connection.execute(f"SELECT count(*) FROM {ORDERED}").fetchall()
        for start in range(0, rows, CHUNK_ROWS):
            part = f"FROM {ORDERED} WHERE rowid >= {start} AND rowid < {start + CHUNK_ROWS}"
            yield frame_of(self._connection.sql(f"{part} ORDER BY rowid"))

    def _source(self, table: str) -> str:
        """Return the relation to select from, after all input is read."""
        model = models_by_name().get(table)
        if model is None or model.table.is_view:
            self._lay(table)
            return table
        for upstream in model.upstream:
            self._lay(upstream)
        return f"({model.sql})"

    def close(self) -> None:
        """Forget all of it."""
        if self._is_open:
            self._connection.execute(f'USE "{self._warehouse}"; DETACH {self._name}')
            self._is_open = False
        self._connection.close()

    def _open(self) -> None:
        if not self._is_open:
            self._connection.execute(
                f"SET TimeZone = 'UTC'; ATTACH ':memory:' AS {self._name}; USE {self._name}"
            )
            self._is_open = True

    def _lay(self, name: str) -> None:
        """Make ``name`` there to be read, after those that it is made from."""
        if name in self._laid:
            return
        self._open()
        schema, _, own_name = name.partition(".")
        model = models_by_name().get(name)
        kind, query = "VIEW", f'FROM "{self._warehouse}".{schema}."{own_name}"'
        if model is not None and model.table.is_view:
            for upstream in model.upstream:
                self._lay(upstream)
            kind, query = "TABLE" if name in read_by_several() else "VIEW", model.sql
        self._laid.add(name)
        self._connection.execute(f"CREATE SCHEMA IF NOT EXISTS {schema}")
        with phase(f"computing {name}"):
            self._connection.execute(f'CREATE {kind} {schema}."{own_name}" AS {query}')
