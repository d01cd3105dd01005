"""Rows that are too many for memory, a share at a time, each with all rows of some values."""

from collections.abc import Iterable, Iterator

import polars as pl

CHUNK_ROWS = 250_000


def in_chunks(
    batches: Iterable[pl.DataFrame], by: str, empty: pl.DataFrame
) -> Iterator[pl.DataFrame]:
    """Yield the rows of ``batches``, which are in the order of the column ``by``, as fewer frames.

    No value of ``by`` is in two of them, and any two that follow each other have ``SHARE_ROWS``
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
