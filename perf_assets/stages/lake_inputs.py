"""With a lake: what workers released, brought to where models and statistics are computed.

With DuckDB that is the warehouse, which becomes what one machine would have mined. With Spark the
rows stay in the lake: the warehouse has the bookkeeping, and what is computed.
"""

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING

import polars as pl

from perf_assets.config.study import Study
from perf_assets.engines.remote import RemoteTables
from perf_assets.schema.models.files import load_models
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.forgetting import keep_out

if TYPE_CHECKING:
    import pyarrow as pa

    from perf_assets.engines.spark import Source, SparkEngine
    from perf_assets.lake.snapshots import Snapshot

COMPUTED = "computed"
"""The folder of the lake in which Spark keeps what several models read, and the marts."""


@contextmanager
def lake_inputs(writer: AuditedWriter, study: Study | None) -> Iterator[RemoteTables | None]:
    """Make the released rows of the study's repositories available to models and statistics.

    Rows are pulled into the warehouse, or read in the lake by the engine that the block gets. No-op
    without a lake.

    Raises
    ------
    TransientError
        The lake or the engine cannot be reached for the moment.
    """
    if study is None or study.lake is None:
        yield None
        return
    # Its libraries take long to import, and are there only where a lake is.
    from perf_assets.lake.location import Lake  # noqa: PLC0415
    from perf_assets.lake.pull import pull  # noqa: PLC0415
    from perf_assets.lake.snapshots import released  # noqa: PLC0415
    from perf_assets.lake.tables import lake_tables, tables_of_repositories  # noqa: PLC0415

    lake = Lake.of(study.lake.url, writer.data_dir)
    names = [repository.name for repository in study.repositories]
    far = set(tables_of_repositories() if study.lake.spark is not None else ())
    near = None if not far else sorted(set(lake_tables()) - far)
    # Questions of forums are here and nowhere else.
    pull(writer.database, lake, names, near, only=not study.forums)
    keep_out(writer.database, writer.data_dir)
    if not far:
        yield None
        return
    snapshot = released(lake, far)
    engine = _LazyEngine(writer, study.lake.spark or "", f"{lake.url}/{COMPUTED}", snapshot, names)
    try:
        fingerprints = {table: engine.fingerprint(table) for table in far}
        yield RemoteTables(engine, fingerprints, engine.query)
    finally:
        engine.close()


class _LazyEngine:
    """An engine that is connected to at its first query: where nothing is new, it never is."""

    def __init__(
        self,
        writer: AuditedWriter,
        url: str,
        scratch: str,
        snapshot: "Snapshot",
        subjects: Sequence[str],
    ) -> None:
        self._writer, self._url, self._scratch = writer, url, scratch
        self._snapshot, self._subjects = snapshot, subjects

    def fetch(self, table: str, columns: Sequence[str] | None = None) -> pl.DataFrame:
        """Return the rows of a table or model, by its key."""
        return self._with_tables_here.fetch(table, columns)

    def shares(self, mart: str, by: str | None) -> Iterator[pl.DataFrame]:
        """Return the rows of a mart, some at a time."""
        return self._with_tables_here.shares(mart, by)

    def query(self, sql: str) -> pl.DataFrame:
        """Return the result of a portable query over the lake."""
        return self._connected.query(sql)

    def counting(self, table: str) -> "pa.Table":
        """Return the releases of the study's repositories, whose rows of ``table`` count."""
        import pyarrow as pa  # noqa: PLC0415 - comes with the extra
        import pyarrow.compute as pc  # noqa: PLC0415

        releases = self._snapshot.tables[table].releases
        return releases.filter(pc.is_in(releases["lake_subject"], pa.array(self._subjects)))

    def fingerprint(self, table: str) -> str:
        """Return that of the rows that count: a month that changes has another release."""
        columns = ["lake_subject", "lake_month", "lake_release"]
        partitions = self.counting(table).select(columns).to_pylist()
        return hashlib.sha256(repr(sorted(map(repr, partitions))).encode()).hexdigest()[:32]

    def close(self) -> None:
        """End the session, if there is one."""
        if "_session" in vars(self):
            self._session.close()

    @cached_property
    def _session(self) -> "SparkEngine":
        from perf_assets.engines.spark import SparkEngine  # noqa: PLC0415

        return SparkEngine(self._url, self._scratch)

    @cached_property
    def _connected(self) -> "SparkEngine":
        from perf_assets.engines.spark import Source  # noqa: PLC0415

        self._session.bind(
            Source(table, stored.files, self.counting(table))
            for table, stored in self._snapshot.tables.items()
        )
        return self._session

    @cached_property
    def _with_tables_here(self) -> "SparkEngine":
        """The engine, with what the warehouse holds when models are computed."""
        self._connected.bind(self._sources_here())
        return self._connected

    def _sources_here(self) -> "Iterator[Source]":
        """Return the tables in the warehouse that models read and no model makes."""
        from perf_assets.engines.spark import Source  # noqa: PLC0415

        models = {model.name for model in load_models()}
        read = {table for model in load_models() for table in model.upstream}
        for table in sorted(read - models - set(self._snapshot.tables)):
            yield Source(table, rows=self._writer.database.frame(f"FROM {table}").to_arrow())
