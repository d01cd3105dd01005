"""Databases that this process did not write: their rows are copied, and nothing else of them.

A data directory may come from elsewhere, as an archive or a backup may. Where all that a database
defines is what this version declares, it is used as it is; otherwise the rows of its tables are
copied to a database that is made here, with the tables, views and macros of this version. What the
file defines is listed by name, and never called.
"""

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.files import new_file
from perf_assets.base.sanitize import shortened
from perf_assets.schema import LAYERS, declared
from perf_assets.schema.ddl import quoted_name, table_definition
from perf_assets.schema.models.ddl import AS_OF_SOURCE, comment_statements, create_as_of_macro
from perf_assets.schema.models.files import load_models
from perf_assets.storage import migrations
from perf_assets.storage.confined import attach, confined
from perf_assets.storage.database_copy import (
    attached_as_copy,
    columns_of,
    content,
    journal_of,
    tables_of,
)
from perf_assets.storage.definitions import declared_definitions, definitions_of

log = logging.getLogger(__name__)

GIVEN = "given"
SHOWN = 5
LONGEST = 100
# A column that is computed as it is read would call what the file says.
STORED = """
    SELECT schema_name, table_name FROM system.main.duckdb_tables()
    WHERE database_name = $1 AND NOT contains(sql, 'GENERATED ALWAYS AS') ORDER BY ALL
"""
# Files that were looked through, for as long as nobody changes them.
_as_declared: dict[Path, tuple[int, int, int]] = {}


def undeclared(path: Path) -> tuple[str, ...]:
    """Return the names of what a database defines otherwise than this version, as ``macro
    main.sum``.

    Raises
    ------
    duckdb.Error
        It is not a database, damaged, or another process writes to it.
    """
    if path.exists() and _as_declared.get(path) == _state(path):
        return ()
    with confined(path) as connection:
        attach(connection, path, GIVEN)
        found = definitions_of(connection, GIVEN)
    names = tuple(sorted(dict(found.items() - declared_definitions().items())))
    if not names:
        note_own(path)
    return names


def note_own(path: Path) -> None:
    """Note that this process knows all that the database at ``path`` defines."""
    if path.exists():
        _as_declared[path] = _state(path)


def admit(path: Path) -> tuple[str, ...]:
    """Make the database at ``path`` one of this version, where it is none.

    Returns
    -------
    What it defined otherwise, by name.

    Raises
    ------
    duckdb.Error, PerfAssetsError
        As of :func:`renew`.
    """
    names = undeclared(path)
    if names:
        renew(path)
    return names


def renew(path: Path) -> None:
    """Replace the database at ``path`` by a copy of its rows in one step.

    Raises
    ------
    duckdb.Error
        It is not a database, damaged, or the disk is full; it stays as it is.
    PerfAssetsError
        It is of a format that is not read.
    """
    names = undeclared(path)
    end_journal(path)
    with new_file(path) as unfinished:
        copy_rows(path, unfinished)
    note_own(path)
    _tell(path, names)


@contextmanager
def as_declared(path: Path) -> Iterator[Path]:
    """Provide the database at ``path``, or a copy of its rows where it defines anything otherwise.

    The copy goes with the block; who has it open reads on. Of an older format it has the tables
    and columns of then.

    Raises
    ------
    duckdb.Error
        It is not a database, damaged, or the disk is full.
    """
    names = undeclared(path)
    if not names:
        yield path
        return
    _tell(path, names)
    with TemporaryDirectory() as folder:
        copy = Path(folder) / path.name
        copy_rows(path, copy, is_migrated=False)
        yield copy


def copy_rows(path: Path, target: Path, *, is_migrated: bool = True) -> None:
    """Write the rows of the tables at ``path`` to a new database of this version at ``target``.

    is_migrated : whether tables of an older format get the shape of this one.
    """
    with stored_rows(path, target) as (connection, rows):
        version = migrations.stored_format(connection, rows)
        _check_format(path, version)
        lay_rows(connection, rows, target)
    finish(target, version, is_migrated=is_migrated)


@contextmanager
def stored_rows(
    path: Path, *written: Path
) -> Iterator[tuple[duckdb.DuckDBPyConnection, dict[str, str]]]:
    """Provide a confined connection to the database at ``path``, and its tables as relations in
    SQL.

    Those alone that this version declares. No other file but ``written`` can
    be opened.

    Raises
    ------
    duckdb.Error
        It is not a database, or damaged.
    """
    with confined(path, *written) as connection:
        attach(connection, path, GIVEN)
        known = known_tables()
        stored = stored_tables(connection, GIVEN)
        yield connection, {name: one for name, one in stored.items() if name in known}


def known_tables() -> set[str]:
    """Return the names of the tables that this version declares."""
    return {name for name, table in declared().items() if not table.is_view}


def stored_tables(connection: duckdb.DuckDBPyConnection, database: str) -> dict[str, str]:
    """Return the tables of the attached ``database``, as relations in SQL by their names.

    Those alone whose rows are read without a call of what it defines.
    """
    found = connection.execute(STORED, [database]).fetchall()
    return {
        f"{schema}.{table}": f"{database}.{quoted_name(schema)}.{quoted_name(table)}"
        for schema, table in found
    }


def format_of(path: Path) -> int | None:
    """Return the format of the database at ``path``; None where nothing was made yet.

    Raises
    ------
    duckdb.Error
        It is not a database, or damaged.
    """
    with stored_rows(path) as (connection, rows):
        return migrations.stored_format(connection, rows)


def lay_rows(
    connection: duckdb.DuckDBPyConnection, rows: Mapping[str, str], target: Path
) -> tuple[str, ...]:
    """Write ``rows``, relations in SQL by the name of their table, to a new database at ``target``.

    Returns
    -------
    The tables that are not as declared now: of other columns, or their rows break a condition.
    """
    others: set[str] = set()
    connection.execute(attached_as_copy(target))
    try:
        while (broken := _lay(connection, rows, others)) is not None:
            others.add(broken)
    finally:
        connection.execute("DETACH copy")
    return tuple(sorted(others))


def _lay(
    connection: duckdb.DuckDBPyConnection, rows: Mapping[str, str], others: set[str]
) -> str | None:
    """Write all ``rows`` in one transaction; the table whose rows break a condition, if one does.

    ``others`` are written without conditions; those of other columns than declared are added.
    """
    connection.execute("BEGIN")
    for name, relation in rows.items():
        schema, _, table = name.partition(".")
        made = f"copy.{schema}.{table}"
        connection.execute(f"CREATE SCHEMA IF NOT EXISTS copy.{schema}")
        if name not in others and not _is_in_shape(connection, name, relation):
            others.add(name)
        if name in others:
            connection.execute(f"CREATE TABLE {made} AS FROM {relation}")
            continue
        connection.execute(f"CREATE TABLE {made} {table_definition(declared()[name])}")
        try:
            connection.execute(f"INSERT INTO {made} BY NAME FROM {relation}")
        except duckdb.ConstraintException:
            connection.execute("ROLLBACK")
            return name
    connection.execute("COMMIT")
    return None


def finish(
    target: Path, version: int | None, *, is_migrated: bool = True, is_described: bool = True
) -> None:
    """Make the tables at ``target`` those of this version, and lay its views on them.

    version : the format of the rows.
    is_migrated : whether tables of an older format get the shape of this one.
    is_described : whether its tables and columns get their comments.

    Views whose tables are not there are left out: rows may lie in a lake.
    """
    with duckdb.connect(str(target)) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        if version == migrations.FORMAT:
            migrations.empty_other_shapes(connection)
        elif is_migrated:
            migrations.migrate(connection)
            migrations.reshape(connection)
        migrations.create_schemas(connection, LAYERS)
        there = set(tables_of(connection))
        for model in load_models():
            if model.table.is_view and there.issuperset(model.upstream):
                with suppress(duckdb.BinderException):  # of an older format, read as it is
                    connection.execute(f"CREATE VIEW {model.name} AS {model.sql}")
                    there.add(model.name)
        if AS_OF_SOURCE in there:
            with suppress(duckdb.CatalogException):
                create_as_of_macro(connection)
        if is_described:  # with one wait for the disk
            connection.execute("; ".join(["BEGIN", *comment_statements(connection), "COMMIT"]))
        connection.execute("CHECKPOINT")


def read_whole(path: Path) -> dict[str, int]:
    """Read every value of every stored table of the database at ``path``; the rows of each.

    Raises
    ------
    duckdb.Error
        It is not a database, or damaged.
    """
    with stored_rows(path) as (connection, rows):
        return {name: content(connection, f"FROM {one}")[0] for name, one in rows.items()}


def before_the_first_release(path: Path, version: int) -> str:
    """Return that what is at ``path`` is too old, and how to go on."""
    return (
        f"{path} was written before the first release (format {version}), which is not read any "
        "more: move warehouse.duckdb and perf_bugs.duckdb elsewhere and run again; everything is "
        "mined anew, and verdicts of people come back from verdicts.jsonl"
    )


def end_journal(path: Path) -> None:
    """Bring what DuckDB wrote to its journal alone into the file at ``path``."""
    if journal_of(path).exists():
        with confined(path) as connection:
            attach(connection, path, GIVEN, is_written=True)
            connection.execute(f"DETACH {GIVEN}")


def _tell(path: Path, names: tuple[str, ...]) -> None:
    """Say what nobody declares; what this version declares otherwise is made anew in any case."""
    strange = [shortened(name, LONGEST) for name in names if name not in declared_definitions()]
    if strange:
        more = f" and {len(strange) - SHOWN} more" if len(strange) > SHOWN else ""
        log.warning(
            "%s: %s%s: this version of perf-assets knows no such thing; rows of its tables are "
            "read, and it is left out",
            path,
            ", ".join(strange[:SHOWN]),
            more,
        )


def _is_in_shape(connection: duckdb.DuckDBPyConnection, name: str, relation: str) -> bool:
    """Return whether ``relation`` has the columns that the table ``name`` is declared with."""
    if name not in declared():
        return False
    columns = {column.name: column.type for column in declared()[name].columns}
    return columns_of(connection, relation) == columns


def _check_format(path: Path, version: int | None) -> None:
    if version is not None and version > migrations.FORMAT:
        raise PerfAssetsError(
            f"{path.parent} was written by a newer perf-assets (format {version}, this one "
            f"knows {migrations.FORMAT}): upgrade perf-assets, or choose another --data-dir"
        )
    if version is not None and version < migrations.OLDEST:
        raise PerfAssetsError(before_the_first_release(path.parent, version))


def _state(path: Path) -> tuple[int, int, int]:
    found = path.stat()
    return found.st_ino, found.st_mtime_ns, found.st_size
