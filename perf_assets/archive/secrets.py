"""Secrets that people pasted into issues and commits: found, shown masked, and taken out."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import polars as pl

from perf_assets.archive.secret_kinds import hints, kinds

REMOVED = "[secret removed]"
MOST_SHOWN, HIDDEN_PARTS = 4, 4  # characters of a secret, and no more than one of so many
TEXTS = (pl.String(), pl.List(pl.String()))

FOUND = pl.Schema(
    {
        **dict.fromkeys(("table", "key", "column", "kind", "masked"), pl.String()),
        "count": pl.Int64(),
    }
)
"""The columns of what :func:`find_secrets` returns."""


def find_secrets(table: str, rows: pl.DataFrame, key: Sequence[str]) -> pl.DataFrame:
    """Return the secrets in all texts, and lists of texts, of ``rows``, which are of ``table``.

    key : the columns that tell its rows apart.

    Returns
    -------
    A frame with a row for each row, column and secret of ``rows``: ``table``; ``key``, the values
    of the key with a colon between them; ``column``; ``kind`` of secret; ``masked``, at most its
    first four characters; and ``count``, how often it is there. It is in order, and has no secret
    in it.
    """
    counts: Counter[tuple[str, str, str, str]] = Counter()
    for column in text_columns(rows):
        suspects = rows.filter(_suspicious(rows, column))
        for name, value in zip(_keys(suspects, key), suspects[column], strict=True):
            counts.update(
                (name, column, kind, masked(text[begin:end]))
                for text in _texts(value)
                for begin, end, kind in _secrets(text)
            )
    return pl.DataFrame(
        [(table, *found, count) for found, count in counts.items()], schema=FOUND, orient="row"
    ).sort(pl.all())


def remove_secrets(rows: pl.DataFrame, columns: Iterable[str]) -> pl.DataFrame:
    """``rows`` with :func:`without_secrets` of each text in ``columns``."""
    return rows.with_columns(_cleaned(rows, column) for column in columns)


def without_secrets(text: str) -> str:
    """``text`` with ``[secret removed]`` in place of each secret; none is found in it any more."""
    while secrets := _secrets(text):
        ends = [0, *(end for _, end, _ in secrets)]
        begins = [*(begin for begin, _, _ in secrets), len(text)]
        # What stood beside a secret may be one now.
        text = REMOVED.join(text[end:begin] for end, begin in zip(ends, begins, strict=True))
    return text


def masked(secret: str) -> str:
    """Return the first characters of ``secret``, by which its owner knows it."""
    return f"{secret[: min(MOST_SHOWN, len(secret) // HIDDEN_PARTS)]}…"


def text_columns(rows: pl.DataFrame) -> tuple[str, ...]:
    """Return the columns of ``rows`` that are texts or lists of texts."""
    return tuple(name for name, kind in rows.schema.items() if kind in TEXTS)


def _suspicious(rows: pl.DataFrame, column: str) -> pl.Expr:
    """Return whether texts of ``column`` may have a secret, by the patterns of Polars."""
    texts = pl.col(column)
    if rows.schema[column] == pl.List(pl.String()):
        texts = texts.list.join("\n")
    return pl.any_horizontal(texts.str.contains(hint) for hint in hints()).fill_null(value=False)


def _texts(value: str | pl.Series) -> Iterable[str]:
    return (value,) if isinstance(value, str) else value.drop_nulls()


def _keys(rows: pl.DataFrame, key: Sequence[str]) -> Iterator[str]:
    for values in rows.select(key).iter_rows():
        yield without_secrets(":".join("" if value is None else str(value) for value in values))


def _cleaned(rows: pl.DataFrame, column: str) -> pl.Series:
    suspects = rows.select(_suspicious(rows, column)).to_series().arg_true()
    values = rows[column]
    if suspects.is_empty():
        return values
    cleaned = values.to_list()
    for index in suspects:
        cleaned[index] = _without(cleaned[index])
    return pl.Series(column, cleaned, values.dtype)


def _without(value: str | list[str | None]) -> str | list[str | None]:
    if isinstance(value, str):
        return without_secrets(value)
    return [None if text is None else without_secrets(text) for text in value]


def _secrets(text: str) -> list[tuple[int, int, str]]:
    """Begin, end and kind of each secret in ``text``, in order; those that overlap are one.

    Of overlapping secrets the kind is the one that is first among the kinds.
    """
    places = [(*span, rank) for rank, kind in enumerate(kinds()) for span in kind.spans(text)]
    secrets: list[tuple[int, int, int]] = []
    for begin, end, rank in sorted(places):
        if secrets and begin < secrets[-1][1]:
            first, first_end, first_rank = secrets[-1]
            secrets[-1] = (first, max(end, first_end), min(rank, first_rank))
        else:
            secrets.append((begin, end, rank))
    return [(begin, end, kinds()[rank].name) for begin, end, rank in secrets]
