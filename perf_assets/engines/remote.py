"""Tables that lie elsewhere than in the warehouse, and the engine that reads them there."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import polars as pl


class Engine(Protocol):
    """What computes the models, where the tables lie."""

    def fetch(self, table: str, columns: Sequence[str] | None = None) -> pl.DataFrame:
        """Return the rows of a table or model, of ``columns`` (default: all), by its key."""

    def shares(self, mart: str, by: str | None) -> Iterator[pl.DataFrame]:
        """Return all rows of a mart, in the order of the column ``by``, see ``engines.chunks``.

        Without ``by`` they are one frame. Each frame has the declared columns.
        """


@dataclass(frozen=True)
class RemoteTables:
    """An engine, and what it reads.

    fingerprints : of each stored table that lies there, of the rows that count; a table without
        one lies in the warehouse.
    query : answers a portable query over these tables; None where all lie in the warehouse.
    """

    engine: Engine
    fingerprints: Mapping[str, str]
    query: Callable[[str], pl.DataFrame] | None = None
