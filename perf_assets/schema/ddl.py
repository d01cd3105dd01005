"""A declaration as DDL of DuckDB: the columns of a table, and the conditions on its rows."""

from collections.abc import Iterator

from perf_assets.schema.declaration import Bound, Column, Table


def table_definition(table: Table) -> str:
    """Return the part of CREATE TABLE after the name: columns, primary key and CHECKs.

    DuckDB cannot open a table again after a crash whose CHECKs call a function that it loads late;
    regexp_full_match, comparisons and IN are safe.
    """
    lines = [
        f'"{column.name}" {column.type}{"" if column.nullable else " NOT NULL"}'
        for column in table.columns
    ]
    key = ", ".join(f'"{name}"' for name in table.key)
    lines.append(f"PRIMARY KEY ({key})")
    lines += [f"CHECK ({condition})" for condition in conditions(table)]
    return f"({', '.join(lines)})"


def conditions(table: Table) -> Iterator[str]:
    """Yield the SQL conditions that no row of ``table`` breaks; NULL passes, as in a CHECK."""
    for column in table.columns:
        yield from _limits(column)
    yield from table.constraints


def quoted(text: str) -> str:
    """Return ``text`` as a SQL literal."""
    escaped = text.replace("'", "''")
    return f"'{escaped}'"


def quoted_name(name: str) -> str:
    """Return ``name`` as a SQL identifier."""
    escaped = name.replace('"', '""')
    return f'"{escaped}"'


def _limits(column: Column) -> Iterator[str]:
    name = f'"{column.name}"'
    if column.values is not None and not column.type.endswith("[]"):
        yield f"{name} IN ({', '.join(map(quoted, column.values))})"
    if column.min is not None:
        yield f"{name} >= {_bound(column.min)}"
    if column.max is not None:
        yield f"{name} <= {_bound(column.max)}"
    if column.pattern is not None:
        yield f"regexp_full_match({name}, {quoted(column.pattern)})"


def _bound(bound: Bound) -> str:
    return f'"{bound}"' if isinstance(bound, str) else str(bound)
