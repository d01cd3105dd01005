"""What a warehouse holds of each subject and month, by fingerprints of the rows.

All columns count, the moment of storing too: what is brought is equal to what was shipped. Rows
that did not change keep that moment, so it never makes a month differ by itself.
"""

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime

import duckdb
import polars as pl

from perf_assets.lake.tables import LakeTable, chosen
from perf_assets.schema import table_of
from perf_assets.schema.ddl import quoted
from perf_assets.storage import fingerprints
from perf_assets.storage.database_copy import tables_of
from perf_assets.storage.migrations import create
from perf_assets.storage.warehouse import Database

# What a data directory remembers of a lake, in meta.build_state: which release it goes on from.
REMEMBERED = "lake"
PROBE = """
SELECT hash(1::BIGINT, 2::INTEGER, 'x', ['y', NULL], true, 1.5::DOUBLE, DATE '2020-02-29', NULL,
    TIMESTAMPTZ '2020-01-01 00:00:00.000001+00', [{'a': 'z', 'b': 3::BIGINT}])
"""


def create_missing(database: Database, tables: Iterable[LakeTable]) -> None:
    """Make those of ``tables`` that a warehouse of an older version does not have."""
    there = set(tables_of(database.connection))
    for name in {fingerprints.NAME, *(table.name for table in tables)} - there:
        create(database.connection, table_of(name))


def hashing(connection: duckdb.DuckDBPyConnection) -> str:
    """Return how DuckDB hashes; fingerprints of two ways cannot be compared."""
    ((found,),) = connection.execute(PROBE).fetchall()
    return f"{int(found) % 16**8:08x}"


def content_query(table: LakeTable, way: str, source: str | None = None, where: str = "") -> str:
    """Return the SELECT of subject, month, rows, fingerprint of each part of ``table``.

    source : another relation with its columns; where : a further condition.
    """
    columns = table.columns
    condition = f"{table.where} AND {where}" if where else table.where
    return (
        f"SELECT {table.subject} AS subject, {table.month} AS month, count(*) AS rows, "
        f"'{way}-' || sum(hash({columns})) AS fingerprint "
        f"FROM {source or table.name} {condition} GROUP BY ALL"
    )


def contents(
    database: Database, tables: Iterable[LakeTable], subject: str
) -> dict[str, dict[str, tuple[int, str]]]:
    """Return of ``subject``, by month and table: how many rows there are, and their fingerprint."""
    way = hashing(database.connection)
    found: dict[str, dict[str, tuple[int, str]]] = {}
    query = united(tables, way, lambda table: f"{table.subject} = {quoted(subject)}")
    for name, _, month, rows, print_ in database.frame(query).iter_rows():
        found.setdefault(month, {})[name] = (rows, print_)
    return found


def united(
    tables: Iterable[LakeTable], way: str, where: Callable[[LakeTable], str] = lambda _: ""
) -> str:
    """Return the SELECT of table, subject, month, rows, fingerprint of all ``tables``."""
    return " UNION ALL ".join(
        f'SELECT {quoted(table.name)} AS "table", * '
        f"FROM ({content_query(table, way, where=where(table))})"
        for table in tables
    )


def subjects_in(database: Database) -> list[str]:
    """Return the subjects of which ``database`` holds anything that a lake would hold, sorted."""
    tables = chosen(None)
    create_missing(database, tables)
    each = [
        f"SELECT {table.subject} AS subject FROM {table.name} {table.where}" for table in tables
    ]
    frame = database.frame(f"SELECT DISTINCT subject FROM ({' UNION ALL '.join(each)}) ORDER BY 1")
    return frame["subject"].to_list()


def remembered(database: Database, subject: str, lake: str) -> list[str]:
    """Return the releases of the lake ``lake`` from which the rows of ``subject`` go on.

    The release they were brought or shipped as; and one that was about to be made when the process
    ended, which may have been.
    """
    rows = database.connection.execute(
        f'SELECT content FROM {fingerprints.NAME} WHERE "table" = ? AND scope = ? AND basis = ?',
        [REMEMBERED, subject, lake],
    ).fetchall()
    return rows[0][0].split() if rows else []


def remember(database: Database, releases: Mapping[str, str], lake: str) -> None:
    """Note which releases of ``lake`` the rows of subjects go on from."""
    moment = datetime.now(UTC)
    rows = [(REMEMBERED, subject, lake, release, moment) for subject, release in releases.items()]
    columns = table_of(fingerprints.NAME).frame_schema
    names = ("table", "scope", "basis", "content", "computed_at")
    schema = {name: columns[name] for name in names}
    database.upsert(fingerprints.NAME, pl.DataFrame(rows, schema=schema, orient="row"))
