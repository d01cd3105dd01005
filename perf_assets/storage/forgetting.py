"""People who want to be forgotten: taken out of all that is stored, and kept out from then on."""

import shutil
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, suppress

import duckdb
import polars as pl

from perf_assets.base.files import remove_unfinished, set_in_place, temporary_beside
from perf_assets.base.processes.progress import phase
from perf_assets.config.data_directory import DataDirectory
from perf_assets.core.people.addresses import hashed_address
from perf_assets.core.people.forgetting import NAMES, PREFIX, Forgotten
from perf_assets.schema.ddl import quoted_name
from perf_assets.schema.frames import frame_of, registered
from perf_assets.storage.address_key import address_key
from perf_assets.storage.database_copy import copy_database
from perf_assets.storage.forgotten import read_forgotten, write_forgotten
from perf_assets.storage.lock import writing
from perf_assets.storage.publishing import publish
from perf_assets.storage.verdicts import read_log, write_log
from perf_assets.storage.warehouse import Database, let_go, open_warehouse

TEXT_COLUMNS = """
    SELECT schema_name || '.' || table_name, column_name, data_type FROM duckdb_columns()
    WHERE database_name = current_database() AND NOT internal
        AND data_type IN ('VARCHAR', 'VARCHAR[]')
        AND schema_name || '.' || table_name IN (
            SELECT schema_name || '.' || table_name FROM duckdb_tables()
        )
    ORDER BY ALL
"""
OF_COMMITS = """
    SELECT DISTINCT author_email, canonical_email, author_name FROM raw.commits
    WHERE lower(author_login) = $1 OR list_contains($2, author_email)
"""
OF_IDENTITIES = """
    SELECT DISTINCT author_email, canonical_email, author_name FROM raw.commits
    WHERE author_email IN (
        SELECT author_email FROM staging.identities WHERE person = $1 OR login = $1
    )
"""


def forget(
    data_dir: DataDirectory, login: str, emails: Iterable[str] = ()
) -> tuple[int, dict[str, int]]:
    """Take a person out of all tables, of what is published, and of the log of verdicts.

    The data directories of workers are among them. What stands for the person is the same
    everywhere, so that all counts stay. Killed at any moment and run again it ends the same.

    Returns
    -------
    How many addresses of theirs are known, and how many values of each table changed.

    Raises
    ------
    PerfAssetsError
        Another process writes to the data directory, or the disk is full.
    """
    with phase(f"forgetting in {data_dir.path}"), ExitStack() as locks:
        for each in (data_dir, *data_dir.workers):
            locks.enter_context(writing(each.path))
        every = [each for each in (data_dir, *data_dir.workers) if each.warehouse.exists()]
        before = read_forgotten(data_dir) or Forgotten(address_key(data_dir))
        given = frozenset(emails)
        known, names = set(given), set[str]()
        for each in every:
            own, of_commits = _of_person(each, login, before.key, given)
            known |= own
            names |= of_commits
        forgotten = before.adding(login, known, names)
        write_forgotten(data_dir, forgotten)
        changed: Counter[str] = Counter()
        for each in every:
            changed.update(take_out(each, forgotten))
        if data_dir.warehouse.exists():
            publish(data_dir)
    return len(known), dict(changed)


def take_out(data_dir: DataDirectory, forgotten: Forgotten) -> dict[str, int]:
    """Take everybody who is forgotten out of the warehouse, what was refused, and verdicts."""
    log = read_log(data_dir.verdicts)
    cleaned = {table: forgotten.frame(rows) for table, rows in log.rows.items()}
    if any(not rows.equals(cleaned[table]) for table, rows in log.rows.items()):
        write_log(data_dir.verdicts, cleaned)
    # What was refused is refused again where it is still wrong, and then without them.
    shutil.rmtree(data_dir.quarantine, ignore_errors=True)
    remove_unfinished(data_dir.warehouse, data_dir.published, data_dir.verdicts)
    with temporary_beside(data_dir.warehouse) as unfinished:
        with open_warehouse(data_dir.warehouse) as database:
            with database.transaction():
                changed = dict(_clean(database.connection, forgotten))
            # What was replaced would stay in unused blocks of the file; where nothing was replaced
            # now, it may have been before this was killed.
            database.connection.execute("CHECKPOINT")
            copy_database(database.connection, unfinished)
        let_go(data_dir.warehouse)
        set_in_place(unfinished, data_dir.warehouse)
    return changed


def keep_out(database: Database, data_dir: DataDirectory) -> None:
    """Take the people who are forgotten in ``data_dir`` out of rows that came from elsewhere.

    Another machine may have shipped them to a lake since; they leave it with the next that ships
    from here. All is looked at each time, as what was brought before may not have been.
    """
    forgotten = read_forgotten(data_dir)
    if forgotten:
        with database.transaction():
            deque(_clean(database.connection, forgotten), maxlen=0)


def replace_values(
    connection: duckdb.DuckDBPyConnection, table: str, column: str, pairs: pl.DataFrame
) -> int:
    """Replace values of ``column``, ``old`` by ``new`` of ``pairs``; return how many."""
    pairs = pairs.filter(pl.col("old").ne_missing(pl.col("new")))
    if pairs.is_empty():
        return 0
    name = quoted_name(column)
    with registered(connection, "pairs", pairs):
        ((count,),) = connection.execute(
            f"UPDATE {table} SET {name} = pairs.new FROM pairs WHERE {table}.{name} = pairs.old"
        ).fetchall()
    return int(count)


def _of_person(
    data_dir: DataDirectory, login: str, key: bytes, emails: Iterable[str]
) -> tuple[set[str], set[str]]:
    """Return the addresses and names of commits that are known as the person's."""
    given = [stored for text in emails for stored in (text.casefold(), hashed_address(text, key))]
    found: set[tuple[str | None, str | None, str | None]] = set()
    with open_warehouse(data_dir.warehouse) as database:
        for query, values in (
            (OF_COMMITS, [login.casefold(), given]),
            (OF_IDENTITIES, [login.casefold()]),
        ):
            with suppress(duckdb.CatalogException):  # nothing was computed yet
                found.update(database.frame(query, values).iter_rows())
    own = {email for *both, _ in found for email in both if email is not None}
    return own - set(given), {name for *_, name in found if name is not None}


def _clean(
    connection: duckdb.DuckDBPyConnection, forgotten: Forgotten
) -> Iterator[tuple[str, int]]:
    """Replace values of all tables; each table that changed, and how many values of it."""
    counts: dict[str, int] = {}
    columns = connection.execute(TEXT_COLUMNS).fetchall()
    with_emails = {table for table, column, _ in columns if column == "author_email"}
    has_rows = {
        table: bool(connection.execute(f"SELECT 1 FROM {table} LIMIT 1").fetchall())
        for table in dict.fromkeys(table for table, *_ in columns)
    }
    for table, column, _ in columns:
        if not has_rows[table]:  # as most are, and each query takes a millisecond
            continue
        if column in NAMES and table in with_emails:
            continue
        name = quoted_name(column)
        values = frame_of(
            connection.sql(f"SELECT DISTINCT {name} AS old FROM {table} WHERE {name} IS NOT NULL")
        )
        new = forgotten.frame(values.rename({"old": column})).rename({column: "new"})
        pairs = pl.concat([values, new], how="horizontal")
        if count := replace_values(connection, table, column, pairs):
            counts[table] = counts.get(table, 0) + count
    for table in with_emails & counts.keys():
        connection.execute(
            f"UPDATE {table} SET author_name = NULL "
            "WHERE starts_with(author_email, $1) OR starts_with(author_login, $1)",
            [PREFIX],
        )
    yield from counts.items()
