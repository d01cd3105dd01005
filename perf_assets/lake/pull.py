"""From the lake to a warehouse: what is released, and only as far as the warehouse differs."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import duckdb
import polars as pl
import pyarrow as pa
from deltalake import DeltaTable

from perf_assets.base.errors import PerfAssetsError, TransientError
from perf_assets.base.processes.progress import phase
from perf_assets.base.repository_names import forum_of
from perf_assets.lake import delta
from perf_assets.lake.address_keys import check_rows
from perf_assets.lake.contents import (
    content_query,
    create_missing,
    hashing,
    remember,
    remembered,
    united,
)
from perf_assets.lake.errors import friendly_errors
from perf_assets.lake.location import Lake, bucket_of
from perf_assets.lake.releases import Releases, needed, releases_of
from perf_assets.lake.tables import LakeTable, chosen
from perf_assets.schema.frames import registered
from perf_assets.storage.warehouse import Database

TRIES = 3


@dataclass(frozen=True)
class PullResult:
    """What a warehouse needed to be as the lake: months written, months removed, and rows.

    months, removed : how many pairs of subject and month were written, and taken away.
    tables, rows : how many tables were written to, and how many rows were brought.
    """

    subjects: int
    months: int = 0
    removed: int = 0
    tables: int = 0
    rows: int = 0


class _SupersededError(Exception):
    """Rows that were released are gone: a newer release replaced them meanwhile."""


def pull(
    database: Database,
    lake: Lake,
    subjects: Sequence[str],
    tables: Collection[str] | None = None,
    *,
    only: bool = True,
) -> PullResult:
    """Make ``database`` hold what is released of ``subjects``, and nothing of any other.

    tables : those that are brought; all that a lake holds where none are given.
    only : whether the rows of other subjects leave, in these tables; else they stay.

    Only what differs is read and written: a transaction for each bucket that has differences, so
    that a month changes in all its tables at once. What was written is compared with the
    fingerprints of the release before it counts.

    Raises
    ------
    TransientError
        The lake changes faster than it can be read, or its storage does not answer.
    PerfAssetsError
        There is no lake; it has another address key; rows that are released cannot be read; or two
        subjects claim the same row.
    """
    subject_names = sorted({*subjects, *(forum_of(subject) or subject for subject in subjects)})
    with friendly_errors(lake), phase("bringing what is released", len(subject_names), "subjects"):
        held = chosen(tables)
        create_missing(database, held)
        for _ in range(TRIES):
            releases = needed(lake)
            check_rows(database, lake, releases.address_key)
            try:
                brought = _brought(database, releases, subject_names, held, only=only)
            except _SupersededError as error:
                message = str(error)
            else:
                if tables is None:
                    newest = database.connection.execute("FROM lake_newest").fetchall()
                    remember(database, dict(newest), releases.identity)
                return brought
    raise TransientError(
        f"{lake.url}: {message} is not as it was released; run it again, and where that does not "
        "help, have a worker ship it again from a new data directory"
    )


def restore(database: Database, lake: Lake, subject: str) -> PullResult | None:
    """Pull ``subject`` where another data directory released it last; None where this one did.

    A data directory that goes on from the newest release may hold what it mined since, and keeps
    it. Where nothing is released (or there is no lake yet), the data directory stays as it is.
    """
    with friendly_errors(lake):
        if (releases := releases_of(lake)) is None:
            return None
        create_missing(database, chosen(None))
        check_rows(database, lake, releases.address_key)
        newest = releases.of(database.connection, subject).release
        if newest is None:
            return None
        if newest in remembered(database, subject, releases.identity):
            return None
    return pull(database, lake, [subject], only=False)


def subjects_of(lake: Lake) -> list[str]:
    """Return every subject of which anything is released, sorted.

    Raises
    ------
    PerfAssetsError
        There is no lake, or it cannot be read.
    """
    with friendly_errors(lake), duckdb.connect() as connection:
        needed(lake).lay(connection, None)
        found = connection.execute("SELECT DISTINCT subject FROM lake_released ORDER BY 1")
        return [subject for (subject,) in found.fetchall()]


def _brought(
    database: Database,
    releases: Releases,
    subjects: Sequence[str],
    tables: Sequence[LakeTable],
    *,
    only: bool,
) -> PullResult:
    releases.lay(database.connection, subjects)
    _lay_here(database, tables)
    differences = _differences(database, releases)
    if not only:
        differences = differences.filter(pl.col("lake_subject").is_in(subjects))
    by_name = {table.name: table for table in tables}
    reader = _Reader(releases.lake)
    for (_,), parts in differences.partition_by("lake_bucket", as_dict=True).items():
        with _explained_claims(releases.lake), database.transaction():
            _bring_bucket(database, reader, [by_name[name] for name in _tables_of(parts)], parts)
    stays = differences.filter(pl.col("lake_rows") > 0)
    key = ["lake_subject", "lake_month"]
    written = stays.select(key).unique()
    return PullResult(
        len(subjects),
        written.height,
        differences.select(key).unique().join(written, on=key, how="anti").height,
        len(_tables_of(stays)),
        int(stays["lake_rows"].sum()),
    )


def _lay_here(database: Database, tables: Sequence[LakeTable]) -> None:
    """Make the temporary table of what is stored, a row for each table of a month of a subject."""
    each = united(tables, hashing(database.connection))
    database.connection.execute(f"CREATE OR REPLACE TEMP TABLE lake_here AS {each}")
    database.connection.execute(
        'DELETE FROM lake_released WHERE NOT list_contains(?, "table")',
        [[table.name for table in tables]],
    )


def _differences(database: Database, releases: Releases) -> pl.DataFrame:
    """Return the parts to change: bucket, subject, month, table, release, rows, fingerprint,
    is_here.

    Rows of 0, without release and fingerprint, are to leave.
    """
    frame = database.frame(
        """
        SELECT
            subject AS lake_subject,
            month AS lake_month,
            "table" AS lake_table,
            released.release AS lake_release,
            coalesce(released.rows, 0) AS lake_rows,
            released.fingerprint AS lake_fingerprint,
            here.rows IS NOT NULL AS is_here
        FROM lake_released AS released
        FULL JOIN lake_here AS here USING (subject, month, "table")
        WHERE here.fingerprint IS DISTINCT FROM released.fingerprint
        ORDER BY ALL
        """
    )
    buckets = {
        subject: bucket_of(subject, releases.buckets) for subject in set(frame["lake_subject"])
    }
    return frame.with_columns(
        lake_bucket=pl.col("lake_subject").replace_strict(buckets, return_dtype=pl.Int64)
    ).sort("lake_bucket", maintain_order=True)


class _Reader:
    """The Delta tables of a lake, each opened once, when it is needed."""

    def __init__(self, lake: Lake) -> None:
        self.lake = lake
        self._opened: dict[str, tuple[DeltaTable, pa.Table]] = {}

    def opened(self, name: str) -> tuple[DeltaTable, pa.Table]:
        """Return the Delta table ``name``, and its files."""
        if name not in self._opened:
            table = delta.needed(self.lake, name)
            self._opened[name] = (table, delta.files_of(table, self.lake, name))
        return self._opened[name]


def _bring_bucket(
    database: Database, reader: _Reader, tables: Sequence[LakeTable], parts: pl.DataFrame
) -> None:
    """Change all ``parts``, which are of one bucket. Call it inside a transaction.

    All rows leave before any join: a question may move from one tag set to another.
    """
    for table in tables:
        own = parts.filter(pl.col("lake_table") == table.name, pl.col("is_here"))
        if own.height:
            with registered(database.connection, "lake_parts", own):
                database.connection.execute(
                    f"DELETE FROM {table.name} USING lake_parts {table.where} AND {_same(table)}"
                )
    for table in tables:
        own = parts.filter(pl.col("lake_table") == table.name, pl.col("lake_rows") > 0)
        if own.height:
            with registered(database.connection, "lake_parts", own):
                _insert(database, reader, table, own)
                _verify(database, table)


def _insert(database: Database, reader: _Reader, table: LakeTable, parts: pl.DataFrame) -> None:
    opened, files = reader.opened(table.name)
    bucket = int(parts["lake_bucket"][0])
    releases = set(parts["lake_release"])
    with delta.source_of(
        database.connection,
        opened,
        reader.lake,
        table.schema,
        delta.files_with(files, releases, bucket),
        delta.in_bucket(bucket, "lake_release", releases),
    ) as source:
        database.connection.execute(
            f"INSERT INTO {table.name} BY NAME SELECT {table.columns} FROM {source} "
            "SEMI JOIN lake_parts USING (lake_subject, lake_month, lake_release)"
        )


def _verify(database: Database, table: LakeTable) -> None:
    """Compare what was written with what was released; where DuckDB hashes otherwise, the number.

    Raises
    ------
    _SupersededError
        It differs.
    """
    way = hashing(database.connection)
    own = f"(SELECT {table.columns} FROM {table.name} SEMI JOIN lake_parts ON {_same(table)})"
    wrong = database.connection.execute(
        f"""
        SELECT lake_subject || ' ' || lake_month FROM lake_parts
        LEFT JOIN ({content_query(table, way, own)}) AS here
        ON subject = lake_subject AND month = lake_month
        WHERE here.rows IS DISTINCT FROM lake_rows
            OR (here.fingerprint <> lake_fingerprint AND starts_with(lake_fingerprint, '{way}-'))
        ORDER BY ALL LIMIT 1
        """
    ).fetchall()
    for (partition,) in wrong:
        raise _SupersededError(f"{table.name} of {partition.strip()}")


def _same(table: LakeTable) -> str:
    return f"{table.subject} = lake_subject AND {table.month} = lake_month"


def _tables_of(parts: pl.DataFrame) -> list[str]:
    return sorted(set(parts["lake_table"]))


@contextmanager
def _explained_claims(lake: Lake) -> Iterator[None]:
    try:
        yield
    except duckdb.ConstraintException as error:
        raise PerfAssetsError(
            f"{lake.url}: what is released cannot be stored ({str(error).splitlines()[0]}): two "
            "subjects claim the same row, or it was shipped by an older version; run their workers "
            "again, so that they ship both anew"
        ) from None
