"""Exporting the published database: a file for each table and repository."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb

from perf_assets.base.config_files import nearest
from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.files import write_output_file
from perf_assets.reports.formats import FORMATS, as_parquet
from perf_assets.reports.query_result import fetch_result, typed_frame
from perf_assets.reports.query_runner import published_database
from perf_assets.schema.ddl import quoted_name
from perf_assets.storage.lake_rows import lake_rows, sentence

EXPORTED = ("marts", "analysis", "labels", "links", "details", "reviews", "raw", "meta")
UNSAFE = re.compile(r"[^A-Za-z0-9._+-]")
TABLES = """
select schema_name || '.' || table_name as name from duckdb_tables()
where database_name = current_database() and not internal
union all
select schema_name || '.' || view_name from duckdb_views()
where database_name = current_database() and not internal
order by name
"""


@dataclass(frozen=True)
class Exported:
    """A file that was written: its path, and how many rows it has."""

    path: Path
    rows: int


def export(
    published: Path,
    output: Path,
    kind: str,
    tables: Collection[str] = (),
    repositories: Collection[str] = (),
) -> Iterator[Exported]:
    """Write ``tables`` (names or schemas; default: all that are stored) below ``output``.

    A table with a column for the repository has a file for each: ``schema.table/owner+name.kind``;
    the others are ``schema.table.kind``, and left out where ``repositories`` are requested. Each
    file is replaced in one step.

    Raises
    ------
    PerfAssetsError
        There is no such table or repository, or a file cannot be written.
    """
    with published_database(published) as connection:
        chosen = chosen_tables(connection, tables)
        held = [(table, _repositories(connection, table)) for table in chosen]
        present = {name for _, found in held for name in found or ()} - {None}
        for name in repositories:
            if name not in present:
                raise PerfAssetsError(
                    f"{published}: these tables have no repository {name}; "
                    f"{nearest(name, sorted(map(str, present)))}"
                )
        for table, found in held:
            for repository in [None] if found is None else found:
                if repositories and repository not in repositories:
                    continue
                yield _written(connection, table, repository, output, kind)


def _written(
    connection: duckdb.DuckDBPyConnection,
    table: str,
    repository: str | None,
    output: Path,
    kind: str,
) -> Exported:
    path, condition, values = output / f"{file_name(table)}.{kind}", "", {}
    if repository is not None:
        path = output / file_name(table) / f"{file_name(repository)}.{kind}"
        condition, values = "WHERE repository = $repository", {"repository": repository}
    query = f"FROM {quoted_table(table)} {condition} ORDER BY ALL"
    relation = connection.sql(query, params=values)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise PerfAssetsError(f"{path.parent}: {error.strerror}; choose another --output") from None
    if kind == "parquet":
        frame = typed_frame(relation)
        write_output_file(path, as_parquet(frame))
        return Exported(path, frame.height)
    answer = fetch_result(relation)
    write_output_file(path, FORMATS[kind](answer))
    return Exported(path, len(answer.rows))


def file_name(text: str) -> str:
    """``text`` as the name of a file, ``owner+name`` of a repository; it leads nowhere else."""
    name = UNSAFE.sub("_", text.replace("/", "+"))
    return f"_{name[1:]}" if name.startswith(".") else name


def chosen_tables(connection: duckdb.DuckDBPyConnection, tables: Collection[str]) -> Sequence[str]:
    """Return the tables and views of these names, or of schemas of these names; default: as
    exported.

    Raises
    ------
    PerfAssetsError
        There is no such table or schema.
    """
    there = [name for (name,) in connection.execute(TABLES).fetchall()]
    schemas = {name.partition(".")[0] for name in there}
    stored = {name for (name,) in connection.execute(TABLES.partition("union")[0]).fetchall()}
    if not tables:
        return [name for name in there if name in stored and name.split(".")[0] in EXPORTED]
    chosen: list[str] = []
    for table in tables:
        if table in (elsewhere := lake_rows(connection)):
            raise PerfAssetsError(f"--tables {table}: {sentence(table, elsewhere)}")
        if table not in schemas and table not in there:
            raise PerfAssetsError(
                f"--tables {table}: the database has no such table or schema; "
                f"{nearest(table, [*there, *sorted(schemas)])}"
            )
        chosen += [name for name in there if table in (name, name.partition(".")[0])]
    return list(dict.fromkeys(chosen))


def _repositories(connection: duckdb.DuckDBPyConnection, table: str) -> list[str | None] | None:
    """Return the repositories in ``table``; None if it has no column for them."""
    rows = connection.sql(f"FROM {quoted_table(table)}")
    if "repository" not in rows.columns:
        return None
    names = rows.filter("repository IS NOT NULL").project("repository").distinct()
    return [repository for (repository,) in names.order("repository").fetchall()]


def quoted_table(table: str) -> str:
    """Return ``schema.table`` as SQL."""
    return ".".join(map(quoted_name, table.split(".", 1)))
