"""The models run where the data lie: the same SQL texts as on DuckDB, on Spark."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from perf_assets.base.processes.progress import phase
from perf_assets.engines.connection import Connection
from perf_assets.engines.remote import in_chunks
from perf_assets.schema import table_of
from perf_assets.schema.models.files import Model, models_by_name, read_by_several
from perf_assets.schema.models.transpiling import (
    cast_columns,
    spark_columns,
    tables_of_query,
    transpiled,
    view_name,
)

if TYPE_CHECKING:
    import pyarrow as pa

RELEASE = ("lake_subject", "lake_month", "lake_release")


@dataclass(frozen=True)
class Source:
    """Rows of a table that no model makes: files that Spark can read, or rows that are sent to it.

    files : addresses of Parquet files; beside the declared columns they have those of ``RELEASE``.
    releases : of the files' rows those count whose ``RELEASE`` is among these; None for all.
    rows : the rows themselves, of a small table.
    """

    table: str
    files: Sequence[str] = ()
    releases: "pa.Table | None" = None
    rows: "pa.Table | None" = None


class SparkEngine:
    """The models as views of a session of Spark, over the tables that are bound to it."""

    def __init__(self, url: str, scratch: str | None = None) -> None:
        """Connect to ``url``, ``sc://host:port``; see ``Connection``, also for what is raised.

        scratch : address of a folder into which Spark writes what several models read; without one
            it is computed for each of them.
        """
        self.scratch = scratch
        self._sources: dict[str, Source] = {}
        self._laid: set[str] = set()
        with phase(f"connecting to Spark at {url}"):
            self._connection = Connection(url)

    def bind(self, sources: Iterable[Source]) -> None:
        """Make these what the models read; what was made of others before is made again."""
        self._sources |= {source.table: source for source in sources}
        self._laid.clear()

    def batches(
        self, table: str, columns: Sequence[str] | None = None, by: str | None = None
    ) -> "Iterator[pa.RecordBatch]":
        """Return the rows of a table, in any order or that of the column ``by``, in their declared
        types.

        However many they are, no more than a few batches are held here.

        Raises
        ------
        TransientError
            Spark went away.
        PerfAssetsError
            Spark could not compute them.
        """
        empty = _empty(table, columns)
        schema = empty.to_arrow().schema
        self._lay(table)
        listed = ", ".join(f"`{name}`" for name in empty.columns)
        with phase(f"reading {table} from Spark"):
            order = "" if by is None else f" ORDER BY `{by}`"
            query = f"SELECT {listed} FROM {view_name(table)}{order}"
            for piece in self._connection.stream(query, table):
                yield from piece.cast(schema).to_batches()

    def fetch(self, table: str, columns: Sequence[str] | None = None) -> pl.DataFrame:
        """Return the rows of a table as a frame, by its key; errors as in ``batches``."""
        rows = self._whole(table, self.batches(table, columns), columns)
        key = [name for name in table_of(table).key if name in rows.columns]
        return rows.sort(key) if key else rows

    def shares(self, mart: str, by: str | None) -> Iterator[pl.DataFrame]:
        """Yield the rows of a mart in the order of ``by``; errors as in ``batches``."""
        if by is None:
            yield self._whole(mart, self.batches(mart))
            return
        frames = map(pl.DataFrame, self.batches(mart, by=by))
        yield from in_chunks(frames, by, _empty(mart, None))

    def query(self, sql: str, parameters: Mapping[str, str] | None = None) -> pl.DataFrame:
        """Return the answer to a portable ``sql`` over tables; errors as in ``batches``."""
        for table in tables_of_query(sql):
            self._lay(table)
        return pl.DataFrame(self._connection.table(transpiled(sql, parameters), "a query"))

    def close(self) -> None:
        """End the session."""
        self._connection.close()

    def _whole(
        self, table: str, batches: "Iterator[pa.RecordBatch]", columns: Sequence[str] | None = None
    ) -> pl.DataFrame:
        return pl.concat([_empty(table, columns), *map(pl.DataFrame, batches)])

    def _lay(self, name: str) -> None:
        """Make ``name`` a view, after those that it is made from."""
        if name in self._laid:
            return
        model = models_by_name().get(name)
        if model is None:
            self._lay_source(self._sources[name])
        else:
            for upstream in model.upstream:
                self._lay(upstream)
            self._lay_model(model)
        self._laid.add(name)

    def _lay_model(self, model: Model) -> None:
        view = view_name(model.name)
        query = f"SELECT {', '.join(cast_columns(model.table))} FROM ({transpiled(model.sql)})"
        is_kept = not model.table.is_view or model.name in read_by_several()
        if self.scratch is None or not is_kept:
            self._connection.lay(view, query)
            return
        with phase(f"computing {model.name} on Spark"):
            folder = f"{self.scratch.rstrip('/')}/{view}"
            self._connection.write(query, folder, model.name)
            self._connection.lay_files(view, [folder], spark_columns(model.table))

    def _lay_source(self, source: Source) -> None:
        view, columns = view_name(source.table), spark_columns(table_of(source.table))
        if source.rows is not None:
            names = list(table_of(source.table).column)
            self._connection.lay_rows(view, source.rows.select(names), columns)
            return
        if source.releases is None:
            self._connection.lay_files(view, source.files, columns)
            return
        release = ", ".join(f"`{name}` STRING" for name in RELEASE)
        self._connection.lay_files(f"{view}__files", source.files, f"{columns}, {release}")
        self._connection.lay_rows(f"{view}__releases", source.releases.select(RELEASE), release)
        listed = ", ".join(f"`{name}`" for name in table_of(source.table).column)
        self._connection.lay(
            view,
            f"SELECT {listed} FROM {view}__files "
            f"LEFT SEMI JOIN {view}__releases USING ({', '.join(RELEASE)})",
        )


def _empty(table: str, columns: Sequence[str] | None) -> pl.DataFrame:
    """Return no rows of ``columns`` (default: all) of a table."""
    types = table_of(table).frame_schema
    return pl.DataFrame(schema={name: types[name] for name in columns or types})
