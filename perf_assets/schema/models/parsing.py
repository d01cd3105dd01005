"""SQL text as sqlglot reads it: the one query of a file, what it reads, where columns come from."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TypeAlias

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.lineage import Node, lineage

from perf_assets.base.errors import PerfAssetsError
from perf_assets.schema import Table

# A column of a table: ("raw.issues", "created_at").
ColumnSource: TypeAlias = tuple[str, str]


def parse_query(path: Path, text: str) -> exp.Query:
    """Return the one SELECT that ``text``, the content of ``path``, consists of.

    Raises
    ------
    PerfAssetsError
        It does not parse, or is something else than a single SELECT.
    """
    try:
        statements = [part for part in sqlglot.parse(text, dialect="duckdb") if part is not None]
    except SqlglotError as error:
        problem = " ".join(_plain(error).split())
        raise PerfAssetsError(f"{path}: this does not parse as SQL: {problem}") from None
    if len(statements) != 1 or not isinstance(statements[0], exp.Query):
        raise PerfAssetsError(f"{path}: a model is a single SELECT; this holds something else")
    return statements[0]


def tables_read(query: exp.Query) -> tuple[str, ...]:
    """Return the tables that ``query`` reads, as ``schema.table``, sorted, without its steps."""
    steps = {step.alias for step in query.find_all(exp.CTE)}
    named = {
        ".".join(part.name for part in table.parts)
        for table in query.find_all(exp.Table)
        if isinstance(table.this, exp.Identifier)
    }
    return tuple(sorted(named - steps))


def column_lineage(
    path: Path, query: exp.Query, upstream: Iterable[Table]
) -> dict[str, tuple[ColumnSource, ...]]:
    """Return each column of ``query``, in order, with the columns of ``upstream`` that it is made
    from.

    Raises
    ------
    PerfAssetsError
        A column cannot be followed; the sentence names ``path``.
    """
    schema: dict[str, dict[str, dict[str, str]]] = {}
    for doc in upstream:
        layer, table = doc.name.split(".")
        schema.setdefault(layer, {})[table] = {column.name: column.type for column in doc.columns}
    try:
        # Trimming each step to one column makes pretty pictures, and takes most of the time.
        nodes = lineage(
            None, query, schema=dict(schema), dialect="duckdb", trim_selects=False, copy=False
        )
    except SqlglotError as error:
        raise PerfAssetsError(
            f"{path}: its columns cannot be followed to their sources: {_plain(error)}"
        ) from None
    return {column: tuple(sorted(set(_sources(node)))) for column, node in nodes.items()}


def _plain(error: SqlglotError) -> str:
    """Return the first of sqlglot's complaints, without the terminal's underlining."""
    details = getattr(error, "errors", None)
    if not details:
        return str(error)
    first = details[0]
    return f"{first['description']} (line {first['line']}, column {first['col']})"


def _sources(node: Node) -> Iterator[ColumnSource]:
    for leaf in node.walk():
        table = leaf.expression
        if isinstance(table, exp.Table) and table.db:
            column = exp.to_column(leaf.name, dialect="duckdb").name
            yield f"{table.db}.{table.name}", column
