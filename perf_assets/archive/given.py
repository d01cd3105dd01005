"""What an archive holds, held against itself: database, tables, bookkeeping, verdicts, study.

Its database is a file of somebody else: rows of its tables are read, and nothing in it is called.
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import duckdb
import polars as pl

from perf_assets.archive.differences import same_count
from perf_assets.archive.findings import Check
from perf_assets.archive.manifest import (
    DATABASE,
    LOCK,
    MANIFEST,
    REPORT,
    REPORT_PAGE,
    STUDY,
    TABLES,
    VERDICTS,
    Manifest,
)
from perf_assets.archive.software import wheel_of
from perf_assets.archive.study_copy import other_facts
from perf_assets.config.data_directory import DataDirectory
from perf_assets.config.study import Study
from perf_assets.schema import declared
from perf_assets.schema.ddl import quoted
from perf_assets.schema.frames import frame_of
from perf_assets.stages.study_loader import STUDY_NAME
from perf_assets.storage.confined import attach, confined
from perf_assets.storage.database_copy import columns_of
from perf_assets.storage.definitions import definitions_of
from perf_assets.storage.received import GIVEN, finish, known_tables, lay_rows, stored_tables
from perf_assets.storage.verdicts import VERDICT_KINDS, read_log

COUNTS = """
    SELECT repository, month, "table", row_count FROM meta.partition_loads
    WHERE is_stored AND starts_with("table", 'raw.')
"""
MINED = """
    SELECT DISTINCT repository FROM meta.partition_loads
    WHERE is_stored AND "table" IN ('raw.issues', 'raw.commits', 'raw.questions') ORDER BY ALL
"""


def missing_files(content: Path, manifest: Manifest) -> list[str]:
    """Return the files that an archive has, and this one lacks."""
    tables = (f"{TABLES}/{table}.parquet" for table in sorted(manifest.rows))
    missing = [
        name
        for name in (DATABASE, LOCK, REPORT, REPORT_PAGE, *tables)
        if not (content / name).is_file()
    ]
    return missing if wheel_of(content) else [*missing, "the wheel that made it"]


def lay_tables(
    content: Path, home: DataDirectory, version: int, *, is_described: bool = True
) -> tuple[str, ...]:
    """Make the warehouse of ``home`` of the Parquet files of an archive of format ``version``.

    is_described : whether its tables and columns get their comments.

    Returns
    -------
    The tables that are not as this version declares them.

    Raises
    ------
    duckdb.Error
        One of them is not a Parquet.
    """
    files = {path.stem: path for path in sorted((content / TABLES).glob("*.parquet"))}
    known = {name: path for name, path in files.items() if name in known_tables()}
    with confined(home.warehouse, *known.values()) as connection:
        rows = {name: parquet_file(content, name) for name in known}
        others = lay_rows(connection, rows, home.warehouse)
    finish(home.warehouse, version, is_described=is_described)
    return others


def compare_database(content: Path, check: Check) -> dict[str, str]:
    """Hold the database of an archive against its Parquet files; what it defines, by name."""
    paths = {path.stem: path for path in sorted((content / TABLES).glob("*.parquet"))}
    with confined(content / DATABASE, *paths.values()) as connection:
        attach(connection, content / DATABASE, GIVEN)
        stored = stored_tables(connection, GIVEN)
        faults = [
            fault
            for name in sorted(paths.keys() & stored.keys())
            if (fault := _fault(connection, content, name, stored, check.manifest.rows.get(name)))
        ]
        faults += [
            f"{name} is not as in {TABLES}/" for name in sorted(paths.keys() ^ stored.keys())
        ]
        if faults:
            check.add(DATABASE, "differs", *faults)
        else:
            check.add(f"{DATABASE} and {TABLES}/", "equal")
        return definitions_of(connection, GIVEN)


def compare_bookkeeping(
    connection: duckdb.DuckDBPyConnection, content: Path, study: Study, check: Check
) -> None:
    """Hold what an archive notes of its rows, its study and its verdicts against each other.

    connection : to the database that was made of its tables.
    """
    counts = list(_miscounted(connection, set(check.manifest.rows)))
    check.add("months read and their rows", "differs" if counts else "equal", *counts)
    others = list(_other_facts(connection, content, study))
    check.add("study and what meta.about says of it", "differs" if others else "equal", *others)
    for name in _not_of(connection, study):
        check.add(
            f"labels and links of {name}",
            "not recomputed",
            "the study has it no more: what was decided by it is taken as it is",
        )
    if (content / VERDICTS).exists():
        lost = list(_other_verdicts(connection, content / VERDICTS))
        check.add(VERDICTS, "differs" if lost else "equal", *lost)


def _fault(
    connection: duckdb.DuckDBPyConnection,
    content: Path,
    table: str,
    stored: Mapping[str, str],
    rows: int | None,
) -> str | None:
    """Return what is wrong with the Parquet file of a table of the database."""
    file, given = parquet_file(content, table), stored[table]
    try:
        kinds = [columns_of(connection, text) for text in (given, file)]
    except duckdb.Error:
        return f"{TABLES}/{table}.parquet cannot be read"
    if kinds[0] != kinds[1]:
        return f"{table} has other columns than in {TABLES}/"
    count, is_equal = same_count(connection, given, file)
    if rows is not None and rows != count:
        return f"{table} has {count:,} rows, and {MANIFEST} says {rows:,}"
    if not is_equal:
        return f"{table} is not as in {TABLES}/"
    return None


def _other_facts(
    connection: duckdb.DuckDBPyConnection, content: Path, study: Study
) -> Iterator[str]:
    """Yield where the study's file is another than the one by which the database was made."""
    if not (content / STUDY).exists():
        if connection.execute(STUDY_NAME).fetchall():
            yield f"{STUDY} is missing"
        return
    for fact, stored, now in other_facts(connection, study):
        yield f"{fact}: {now} in {STUDY}, {stored} in the database"


def _not_of(connection: duckdb.DuckDBPyConnection, study: Study) -> list[str]:
    """Repositories and tag sets that were mined, and are no longer studied."""
    studied = {subject.name for subject in (*study.repositories, *study.tag_sets)}
    return [name for (name,) in connection.execute(MINED).fetchall() if name not in studied]


def _other_verdicts(connection: duckdb.DuckDBPyConnection, path: Path) -> Iterator[str]:
    log = read_log(path)
    yield from (f"line {line} of {VERDICTS} is damaged" for line in log.damaged)
    for kind in VERDICT_KINDS:
        logged = log.rows[kind.table].drop("verdict_id", strict=False)
        stored = frame_of(connection.sql(f"FROM {kind.table}")).select(logged.columns)
        columns = stored.columns
        if stored.height != logged.height or (
            stored.height and stored.join(logged, on=columns, how="anti", nulls_equal=True).height
        ):
            yield f"{kind.table} has other verdicts than {VERDICTS}"


def _miscounted(connection: duckdb.DuckDBPyConnection, stored: set[str]) -> Iterable[str]:
    loads = pl.DataFrame(
        connection.execute(COUNTS).fetchall(),
        schema=["subject", "month", "table", "row_count"],
        orient="row",
    )
    for (table,), noted in sorted(loads.partition_by("table", as_dict=True).items()):
        if table not in stored:
            continue
        subject = " || ':' || ".join(declared()[str(table)].parts)
        rows = connection.execute(
            f"SELECT {subject}, month, count(*) FROM {table} GROUP BY ALL"
        ).fetchall()
        held = {(name, month): count for name, month, count in rows}
        for name, month, _, count in noted.iter_rows():
            if held.pop((name, month), 0) != count:
                yield f"{table}: {name} {month} has other than its {count:,} rows"
        for name, month in sorted(held):
            yield f"{table}: {name} {month} was never read"


def parquet_file(content: Path, table: str) -> str:
    """Return the rows of the Parquet file of ``table`` below ``content``, as a relation in SQL."""
    return f"read_parquet({quoted(str(content / TABLES / f'{table}.parquet'))})"
