"""What tables were made from: where that is the same, and their rows are there, they are current.

Rows are compared by what they hold, not by when they were stored: when they change, for whatever
reason, what is made of them is made again. Reading all rows of a study for that takes a fraction of
a second.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import chain, groupby
from operator import itemgetter

from perf_assets.schema import Table, table_of
from perf_assets.storage import database_copy
from perf_assets.storage.audit.suites import load_suite
from perf_assets.storage.warehouse import Database, subject_of

NAME = "meta.build_state"
WHOLE = "all"

# Each look at a source changes the rest of it; which months are stored is what models read.
COLUMNS_READ = {"meta.partition_loads": ("repository", "month", "table", "is_stored")}


def columns_read(table: str) -> tuple[str, ...]:
    """Return the columns of ``table`` that decide what is made of it, without times of storing."""
    columns = table_of(table).columns
    return COLUMNS_READ.get(table, tuple(column.name for column in columns if not column.stamped))


def content(database: Database, table: str) -> str:
    """Return the fingerprint of the rows of ``table``."""
    columns = ", ".join(f'"{name}"' for name in columns_read(table))
    return content_of(database, f"SELECT {columns} FROM {table}")


def content_of(database: Database, query: str, parameters: Sequence[object] = ()) -> str:
    """Return the fingerprint of the rows of ``query``, whatever their order."""
    rows, digest = database_copy.content(database.connection, query, parameters)
    return f"{rows}-{digest}"


def basis_of(*parts: object) -> str:
    """Return the fingerprint of what a table is made from: code, rules, rows."""
    return _digest([*map(repr, parts)])


def rules_of(table: Table) -> str:
    """Return the fingerprint of the declaration of ``table`` and of the rules of its audit."""
    return _digest([repr(table), *map(repr, load_suite(table.name).rules)])


def is_current(
    database: Database, tables: Sequence[str], basis: str, repository: str | None = None
) -> bool:
    """Return whether ``tables`` still hold what was made from ``basis`` (of ``repository``)."""
    database.ensure(NAME)
    found = database.connection.execute(
        f'SELECT "table", basis, content FROM {NAME} WHERE list_contains(?, "table") AND scope = ?',
        [list(tables), repository or WHOLE],
    ).fetchall()
    held = {table: content for table, made_from, content in found if made_from == basis}
    return held.keys() >= {*tables} and all(
        held[table] == _held(database, table, repository) for table in tables
    )


def note(
    database: Database, tables: Sequence[str], basis: str, repository: str | None = None
) -> None:
    """Note that what ``tables`` hold now (of ``repository``) was made from ``basis``."""
    scope = repository or WHOLE
    _note(database, scope, ((table, basis, _held(database, table, repository)) for table in tables))


def laid(database: Database, texts: Mapping[str, str]) -> set[str]:
    """Return those of the views in ``texts`` that were laid by their text, and have the columns of
    then.

    How DuckDB spells a view differs from what it was given, and again once it was read from a file.
    """
    database.ensure(NAME)
    found = database.connection.execute(
        f'SELECT "table", basis, content FROM {NAME} WHERE scope = ?', [WHOLE]
    ).fetchall()
    noted = {name: (basis, content) for name, basis, content in found}
    shapes = _shapes(database, texts)
    return {
        view
        for view, text in texts.items()
        if noted.get(view) == (_digest([text]), shapes.get(view, _digest([])))
    }


def note_laid(database: Database, texts: Mapping[str, str]) -> None:
    """Note that the views in ``texts``, which store no rows, were laid by their text."""
    shapes = _shapes(database, texts)
    _note(
        database,
        WHOLE,
        ((view, _digest([text]), shapes.get(view, _digest([]))) for view, text in texts.items()),
    )


def _note(database: Database, scope: str, made: Iterable[tuple[str, str, str]]) -> None:
    """Note of tables or views what each was made from, and what it holds."""
    database.ensure(NAME)
    rows = [(table, scope, *parts, datetime.now(UTC)) for table, *parts in made]
    values = ", ".join("(?, ?, ?, ?, ?)" for _ in rows)
    database.connection.execute(f"INSERT OR REPLACE INTO {NAME} VALUES {values}", [*chain(*rows)])


def _shapes(database: Database, views: Iterable[str]) -> dict[str, str]:
    """Return fingerprints of the columns, with their types, of the ``views`` that exist."""
    columns = database.connection.execute(
        """
        SELECT schema_name || '.' || table_name AS name, column_name, data_type
        FROM duckdb_columns()
        WHERE database_name = current_database()
            AND list_contains(?, schema_name || '.' || table_name)
        ORDER BY name, column_index
        """,
        [list(views)],
    ).fetchall()
    return {
        name: _digest([repr((column, kind)) for _, column, kind in group])
        for name, group in groupby(columns, itemgetter(0))
    }


def _digest(parts: Sequence[str]) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:32]


def _held(database: Database, table: str, repository: str | None) -> str:
    """Return the fingerprint of the rows of ``table``, and of the loads of a repository."""
    if repository is None:
        return content(database, table)
    rows = content_of(database, f"FROM {table} WHERE {subject_of(table)} = ?", [repository])
    loads = content_of(
        database,
        """
        SELECT month, row_count, status, is_stored, rule_version FROM meta.partition_loads
        WHERE repository = ? AND "table" = ?
        """,
        [repository, table],
    )
    return f"{rows} {loads}"
