"""Read-only queries of the published database, with errors in one sentence."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import duckdb
import polars as pl

from perf_assets.base.config_files import nearest
from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.sanitize import escape_text, is_utf8
from perf_assets.reports.query_result import QueryResult, fetch_result, typed_frame
from perf_assets.schema.ddl import quoted
from perf_assets.schema.models.cookbook import Query
from perf_assets.storage.confined import attach
from perf_assets.storage.lake_rows import where_rows_are
from perf_assets.storage.warehouse import readable

Fetched = TypeVar("Fetched")

NAME = "perf_bugs"
CONFINED = (
    f"USE {NAME}",
    "SET TimeZone = 'UTC'",
    "SET enable_external_access = false",
    "SET disabled_filesystems = 'LocalFileSystem'",
    "SET lock_configuration = true",
)


@contextmanager
def published_database(path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """Provide the published database at ``path``, read only; its times are shown in UTC.

    Whatever SQL it is given reaches nothing else: no file, no other database, no network, and no
    setting that would allow it.

    Raises
    ------
    PerfAssetsError
        There is none, it is damaged, or the request cannot work.
    """
    try:
        # An instance of its own, as settings and locks belong to the instance. DuckDB lets a query
        # write to a database that it has open, read only or not, unless there are no files at all.
        with readable(path) as own, duckdb.connect() as connection:
            attach(connection, own, NAME)
            for setting in CONFINED:
                connection.execute(setting)
            yield connection
    except duckdb.Error as error:
        raise PerfAssetsError(f"{path}: {duckdb_message(error)}") from None


def run_query(path: Path, query: Query, values: Mapping[str, str]) -> QueryResult:
    """Return the answer of the database at ``path`` to ``query``, its parameters set to ``values``.

    Columns of the same name get a number as suffix.

    Raises
    ------
    PerfAssetsError
        A parameter is unknown or has another type, or DuckDB refuses the query: its words, and
        the line. Or the answer has a value that Python does not have.
    """
    return _run(path, query, values, lambda connection, sql: fetch_result(connection.execute(sql)))


def query_frame(path: Path, query: Query, values: Mapping[str, str]) -> pl.DataFrame:
    """As ``run_query``, as a frame, which can be written as Parquet.

    Raises
    ------
    PerfAssetsError
        Also where a column has a type that Parquet does not have.
    """
    return _run(path, query, values, _fetch_frame)


def _run(
    path: Path,
    query: Query,
    values: Mapping[str, str],
    fetch: Callable[[duckdb.DuckDBPyConnection, duckdb.Statement], Fetched | None],
) -> Fetched:
    if not all(map(is_utf8, (query.sql, *values.values()))):
        raise PerfAssetsError(f"{query.name}: this query, or a value of it, is not UTF-8")
    unknown = [name for name in values if name not in query.variables]
    if unknown:
        hint = nearest(unknown[0], query.variables) if query.variables else "it has none"
        raise PerfAssetsError(f"{query.name}: there is no parameter {unknown[0]}; {hint}")
    for name, value in values.items():
        parameter = query.parameters.get(name)
        if parameter and (mistake := parameter.mistake_of_form(value)):
            raise PerfAssetsError(f"{query.name}: {mistake}")
    with published_database(path) as connection:
        set_parameters(connection, query, values)
        try:
            *before, last = connection.extract_statements(query.sql) or [None]
            for statement in before:
                connection.execute(statement).fetchall()
            answer = None if last is None else fetch(connection, last)
        except duckdb.PermissionException as error:
            raise PerfAssetsError(
                f"{query.name}: {duckdb_message(error)}; a query reads the published database and "
                "nothing else, and --output writes its answer to a file"
            ) from None
        except duckdb.InvalidInputException as error:
            if "read-only" not in str(error):
                raise PerfAssetsError(f"{query.name}: {duckdb_message(error)}") from None
            raise PerfAssetsError(
                f"{query.name}: this writes, and the published database is read-only: ask with a "
                "SELECT"
            ) from None
        except (OverflowError, ValueError) as error:
            raise PerfAssetsError(
                f"{query.name}: the answer has a value that cannot be shown ({error}): cast its "
                "column to VARCHAR"
            ) from None
        except duckdb.Error as error:
            where = where_rows_are(connection, query.sql, str(error))
            raise PerfAssetsError(f"{query.name}: {where or duckdb_message(error)}") from None
    if answer is None:
        raise PerfAssetsError(f"{query.name}: this is not a query; a SELECT is needed")
    return answer


def duckdb_message(error: duckdb.Error) -> str:
    """DuckDB's error message as one line, with the line of the query it names."""
    message, _, location = str(error).partition("\n\nLINE ")
    where = f" (line {location.partition(':')[0]})" if location else ""
    return escape_text(" ".join(message.split())) + where


def set_parameters(
    connection: duckdb.DuckDBPyConnection, query: Query, values: Mapping[str, str]
) -> None:
    """Set the parameters of ``query``; PerfAssetsError if the data do not have the value of one."""
    for name, value in values.items():
        _set(connection, query, name, value)
    for name, value in values.items():
        parameter = query.parameters.get(name)
        if parameter is None or parameter.check is None:
            continue
        try:
            ((is_there, *known),) = connection.execute(parameter.check).fetchall()
        except duckdb.Error as error:
            raise PerfAssetsError(f"{query.name}: {name}: {duckdb_message(error)}") from None
        if not is_there:
            raise PerfAssetsError(f"{query.name}: {parameter.mistake_of_data(value, *known)}")


def _set(connection: duckdb.DuckDBPyConnection, query: Query, name: str, value: str) -> None:
    parameter = query.parameters.get(name)
    kind = "VARCHAR"
    try:
        if parameter is not None:
            ((name_of_type,),) = connection.execute(
                f"SELECT typeof({parameter.default})"
            ).fetchall()
            kind = str(name_of_type).strip('"')
        kind = "VARCHAR" if kind == "NULL" else kind
        connection.execute(f'SET VARIABLE "{name}" = CAST({quoted(value)} AS {kind})')
    except duckdb.ConversionException:
        raise PerfAssetsError(
            f"{query.name}: {name}={value}: a value like {query.parameters[name].default} is "
            f"needed here ({kind})"
        ) from None
    except duckdb.Error as error:
        raise PerfAssetsError(f"{query.name}: {name}={value}: {duckdb_message(error)}") from None


def _fetch_frame(
    connection: duckdb.DuckDBPyConnection, statement: duckdb.Statement
) -> pl.DataFrame | None:
    relation = connection.sql(statement)
    return None if relation is None else typed_frame(relation)
