"""Tables that lie elsewhere than in the warehouse, and the engine that reads them there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import polars as pl


class Engine(Protocol):
    """What computes the models, where the tables lie."""

    def fetch(
        self, table: str, columns: Sequence[str] | None = None, *, ordered: bool = True
    ) -> pl.DataFrame:
        """The rows of a table or model, by its key if ``ordered``."""

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
