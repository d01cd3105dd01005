"""Tables that lie elsewhere than in the warehouse, and the engine that reads them in chunks."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import polars as pl

CHUNK_ROWS = 250_000


class Engine(Protocol):
    """What computes the models, where the tables lie."""

    def fetch(self, table: str, columns: Sequence[str] | None = None) -> pl.DataFrame:
        """Return the rows of a table or model, of ``columns`` (default: all), by its key."""

    def shares(self, mart: str, by: str | None) -> Iterator[pl.DataFrame]:
        """Return all rows of a mart, in the order of the column ``by``, see ``in_chunks``.

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


def in_chunks(
    batches: Iterable[pl.DataFrame], by: str, empty: pl.DataFrame
) -> Iterator[pl.DataFrame]:
    """Yield the rows of ``batches``, which are in the order of the column ``by``, as fewer frames.

    No value of ``by`` is in two of them, and any two that follow each other have ``CHUNK_ROWS``
    rows or more. Where there is no row, there is one frame, ``empty``.
    """
    held, rows, enough = [empty], 0, CHUNK_ROWS
    for batch in batches:
        held.append(batch)
        rows += batch.height
        if rows < enough:
            continue
        whole = pl.concat(held)
        of_last = pl.col(by).eq_missing(pl.lit(whole[by][-1], pl.String))
        done, whole = whole.filter(~of_last), whole.filter(of_last)
        if done.height:
            yield done
        held, rows = [whole], whole.height
        # A value with very many rows is not looked through again with each batch.
        enough = max(CHUNK_ROWS, 2 * rows)
    if rows or len(held) == 1:
        yield pl.concat(held)
