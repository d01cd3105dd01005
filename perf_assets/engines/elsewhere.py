"""Tables that lie elsewhere than in the warehouse, and the engine that reads them there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import polars as pl


class Engine(Protocol):
    """What runs the models where the tables lie; :class:`perf_assets.engines.spark.SparkEngine`."""

    def fetch(self, table: str, columns: Sequence[str] | None = None) -> pl.DataFrame:
        """The rows of a table or model, ordered by its key, in the declared types."""

    def query(self, sql: str) -> pl.DataFrame:
        """The answer to a portable ``sql`` over tables and models, in no order."""


@dataclass(frozen=True)
class Elsewhere:
    """An engine, and what it reads.

    fingerprints : of each stored table that lies there, of the rows that count; a table without
        one lies in the warehouse.
    """

    engine: Engine
    fingerprints: Mapping[str, str]
