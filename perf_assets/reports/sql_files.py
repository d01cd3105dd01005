"""The SQL of reports, read from files: one query a file, with the macros written out."""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from textwrap import indent

import duckdb
import polars as pl

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.paths import models_dir
from perf_assets.schema.frames import frame_of
from perf_assets.storage.warehouse import reading

QUERIES = Path(__file__).with_name("queries")
MACROS = Path(__file__).with_name("macros.sql")
GROUP = r"\((?:[^()]|\([^()]*\))*\)"
"""What parentheses hold, up to those within these."""


def rows_of(
    connection: duckdb.DuckDBPyConnection, name: str, *, is_optional: bool = False
) -> pl.DataFrame:
    """Return the rows of :func:`sql_of` this name.

    ``is_optional`` ones are none where an older version published without their tables or columns.
    """
    try:
        return frame_of(connection.sql(sql_of(name)))
    except (duckdb.CatalogException, duckdb.BinderException):
        if not is_optional:
            raise
        return pl.DataFrame()


def published_rows(published: Path, query: str, subject: str) -> pl.DataFrame:
    """Return the rows of ``query`` in the published database.

    Raises
    ------
    PerfAssetsError
        Nothing is published yet, or by an older version that knew no ``subject``.
    """
    with reading(published) as connection:
        try:
            return frame_of(connection.sql(query))
        except duckdb.CatalogException:
            raise PerfAssetsError(
                f"{published} was published by an older perf-assets, which knew no {subject}: "
                "perf-assets run publishes it anew"
            ) from None


@cache
def sql_of(name: str) -> str:
    """Return the query ``queries/<name>.sql``, or the rows of the figure ``<schema>.<name>``."""
    schema, _, figure = name.rpartition(".")
    folder = models_dir() / schema / "figures" if schema else QUERIES
    return read_sql(folder / f"{figure}.sql")


def read_sql(path: Path) -> str:
    """Return the query in a file, as it runs over a database without the macros.

    ``from queries.<name>`` reads the rows of the query ``<name>``.
    """
    text = path.read_text(encoding="utf-8").strip()
    text = re.sub(r"from queries\.(\w+)", lambda found: from_rows_of(sql_of(found[1])), text)
    call = rf"\b({'|'.join(_macros())})\(((?:[^()]|{GROUP})*)\)"
    return re.sub(call, lambda found: _written_out(found[1], found[2].strip()), text)


def from_rows_of(query: str) -> str:
    """Return the clause that reads the rows of ``query``."""
    return f"from (\n{indent(query, '    ')}\n)"


def _written_out(macro: str, arguments: str) -> str:
    parameters, body = _macros()[macro]
    parts = (
        argument if re.fullmatch(rf"[\w.]+|{GROUP}", argument) else f"({argument})"
        for argument in re.split(r",\s+", arguments)
    )
    values = dict(zip(parameters, parts, strict=True))
    return re.sub(r"\w+", lambda word: values.get(word[0], word[0]), body)


@cache
def _macros() -> Mapping[str, tuple[list[str], str]]:
    """Return the parameters and the expression of each macro."""
    macros = {}
    for statement in MACROS.read_text(encoding="utf-8").split(";")[:-1]:
        head, _, body = statement.partition(") as\n")
        name, _, parameters = head.partition("create macro ")[2].partition("(")
        macros[name] = (parameters.split(", "), " ".join(body.split()))
    return macros
