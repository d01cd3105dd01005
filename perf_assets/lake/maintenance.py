"""What keeps a lake small and quick: rows that no longer count leave, and small files become few.

Safe beside workers that ship and engines that read. What was superseded stays for the retention,
and rows of a ship that may still be under way are left alone. Where a worker is faster, a bucket
is left for the next time, and that is reported.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
from deltalake.exceptions import CommitFailedError

from perf_assets.base.processes.progress import phase
from perf_assets.lake import delta, leases
from perf_assets.lake import releases as released
from perf_assets.lake.errors import friendly_errors
from perf_assets.lake.location import Lake
from perf_assets.lake.releases import Releases, needed, releases_before
from perf_assets.lake.tables import lake_tables
from perf_assets.schema.ddl import quoted

RETENTION = timedelta(days=7)
UNDERWAY = timedelta(days=1)  # longer than any ship takes
SMALL_BYTES = 32 << 20
SMALL_FILES = 8
DEAD_SHARE = 0.05  # of the rows of a bucket: below, writing the others anew costs more
TRIES = 3
ROWS_AT_ONCE = 50_000

KEYS = "lake_subject, lake_month, lake_release"
# Of each release of a month, the one that replaced it; none for the newest.
HISTORY = """
CREATE TEMP TABLE history AS
SELECT *, lead(lake_release) OVER (PARTITION BY lake_subject, lake_month ORDER BY generation)
    AS superseded_by
FROM (SELECT lake_subject, lake_month, lake_release, generation, tables FROM {source})
"""
KEPT = """
CREATE TEMP TABLE kept AS
SELECT DISTINCT lake_subject, lake_month, part."table" AS name, part.release AS lake_release
FROM (
    SELECT lake_subject, lake_month, unnest(tables) AS part FROM history
    WHERE superseded_by IS NULL OR superseded_by >= ?
)
"""


@dataclass(frozen=True)
class Maintained:
    """What was done to one Delta table.

    dropped : rows that left, as nobody reads them any more. buckets : how many were written anew.
    left : buckets in which a worker was faster; the next time does them. deleted : files that were
        taken away after the retention, those of workers that were killed among them.
    """

    table: str
    files_before: int
    files_after: int
    bytes_before: int
    bytes_after: int
    dropped: int = 0
    buckets: int = 0
    left: int = 0
    deleted: int = 0


@dataclass(frozen=True)
class Size:
    """How large a Delta table is.

    rows : those that count. stored : those that stand in its files, superseded ones too.
    versions : how many commits it has had. newest : when the newest of what counts was shipped.
    """

    table: str
    files: int
    bytes: int
    rows: int
    stored: int
    versions: int
    newest: datetime | None


def maintain(
    lake: Lake,
    retention: timedelta = RETENTION,
    underway: timedelta = UNDERWAY,
    *,
    dead_share: float = DEAD_SHARE,
    small_files: int = SMALL_FILES,
) -> list[Maintained]:
    """Drop what no longer counts, join small files, delete what nobody reads: for each table.

    retention : how long what was superseded can still be read. underway : how long rows that are
        not released may belong to a ship that goes on. dead_share : of the rows of a bucket, and
        small_files : how many below 32 MB, from which on it is written anew.

    Raises
    ------
    TransientError
        The storage does not answer.
    PerfAssetsError
        There is no lake, or it may not be written.
    """
    now = datetime.now(UTC)
    readable, young = releases_before(now - retention), releases_before(now - underway)
    hours = math.ceil(max(retention, underway).total_seconds() / 3600)
    limits = _Limits(hours, dead_share, small_files)
    with friendly_errors(lake), duckdb.connect() as connection:
        releases = needed(lake)
        files = releases.files()
        with delta.source_of(connection, releases.table, lake, releases.schema, files) as source:
            connection.execute(HISTORY.format(source=source))
        connection.execute(KEPT, [readable])
        plans = list(_plans(releases, readable, young))
        done = []
        with phase("maintaining the lake", len(plans), "tables") as progress:
            for index, plan in enumerate(plans):
                done.append(_maintained(connection, lake, plan, limits))
                progress(index + 1)
        return [maintained for maintained in done if maintained is not None]


def sizes(lake: Lake) -> list[Size]:
    """Return how large each table of ``lake`` is, those of its own bookkeeping last.

    Raises
    ------
    TransientError
        The storage does not answer.
    PerfAssetsError
        There is no lake.
    """
    with friendly_errors(lake), duckdb.connect() as connection:
        releases = needed(lake)
        releases.lay(connection, None)
        counted = connection.execute(
            'SELECT "table", sum(rows), max(release) FROM lake_released GROUP BY ALL'
        ).fetchall()
        rows = {name: (number, newest) for name, number, newest in counted}
        found = []
        for name in [*lake_tables(), released.NAME]:
            table = releases.table if name == released.NAME else delta.opened(lake, name)
            if table is not None:
                files = delta.files_of(table, lake, name)
                number, newest = rows.get(name, (0, None))
                stored = _sum(files, "rows")
                found.append(
                    Size(
                        name,
                        files.num_rows,
                        _sum(files, "bytes"),
                        stored if name == released.NAME else int(number),
                        stored,
                        table.version() + 1,
                        None if newest is None else released.moment_of(newest),
                    )
                )
        return found


@dataclass(frozen=True)
class _Limits:
    """How long files stay that nobody reads, and when a bucket is written anew."""

    hours: int
    dead_share: float
    small_files: int


@dataclass(frozen=True)
class _Plan:
    """A Delta table, and which of its rows stay: what follows FROM in SQL."""

    name: str
    schema: pa.Schema
    staying: str


def _plans(releases: Releases, readable: str, young: str) -> Iterator[_Plan]:
    """Tables in the order in which they may be maintained: what releases tell of goes before."""
    for table in lake_tables().values():
        yield _Plan(
            table.name,
            table.schema,
            f"WHERE lake_release >= {quoted(young)} OR ({KEYS}) IN "
            f"(SELECT ({KEYS}) FROM kept WHERE name = {quoted(table.name)})",
        )
    yield _Plan(
        released.NAME,
        releases.schema,
        f"WHERE ({KEYS}) NOT IN "
        f"(SELECT ({KEYS}) FROM history WHERE superseded_by < {quoted(readable)})",
    )
    newest = "QUALIFY generation = max(generation) OVER (PARTITION BY lake_subject)"
    for bucket in range(releases.buckets):
        yield _Plan(leases.table_of_leases(bucket), leases.SCHEMA, newest)


def _maintained(
    connection: duckdb.DuckDBPyConnection, lake: Lake, plan: _Plan, limits: _Limits
) -> Maintained | None:
    table = delta.opened(lake, plan.name)
    if table is None:
        return None
    before = delta.files_of(table, lake, plan.name)
    dropped = buckets = left = 0
    for bucket in sorted(set(before["bucket"].to_pylist())):
        for attempt in range(TRIES):
            try:
                gone = _mended(connection, lake, plan, bucket, limits)
            except CommitFailedError:
                left += attempt == TRIES - 1
                continue
            buckets += gone is not None
            dropped += gone or 0
            break
    deleted = delta.tidied(lake, plan.name, limits.hours)
    after = delta.files_of(delta.needed(lake, plan.name), lake, plan.name)
    return Maintained(
        plan.name,
        before.num_rows,
        after.num_rows,
        _sum(before, "bytes"),
        _sum(after, "bytes"),
        dropped,
        buckets,
        left,
        deleted,
    )


def _mended(
    connection: duckdb.DuckDBPyConnection, lake: Lake, plan: _Plan, bucket: int, limits: _Limits
) -> int | None:
    """Write ``bucket`` anew where that pays: how many rows left; None where nothing was done."""
    table = delta.needed(lake, plan.name)
    files = delta.files_of(table, lake, plan.name)
    files = files.filter(pc.equal(files["bucket"], bucket))
    stored, condition = _sum(files, "rows"), delta.in_bucket(bucket)
    looked_at = pa.schema(
        [field for field in plan.schema if field.name in (*KEYS.split(", "), "generation")]
    )
    uris = files["uri"].to_pylist()
    with delta.source_of(connection, table, lake, looked_at, uris, condition) as source:
        ((staying,),) = connection.execute(
            f"SELECT count(*) FROM (FROM {source} {plan.staying})"
        ).fetchall()
    dead = stored - int(staying)
    if dead and dead >= limits.dead_share * stored:
        with delta.source_of(connection, table, lake, plan.schema, uris, condition) as source:
            rows = connection.sql(
                f"SELECT {bucket}::INTEGER AS lake_bucket, * FROM {source} {plan.staying}"
            ).to_arrow_reader(ROWS_AT_ONCE)
            delta.replace_bucket(table, bucket, delta.cast(rows, plan.schema), plan.schema)
        return dead
    small = pc.sum(pc.less(files["bytes"], SMALL_BYTES)).as_py() or 0
    if small >= limits.small_files:
        delta.join_files(table, bucket)
        return 0
    return None


def _sum(files: pa.Table, column: str) -> int:
    return int(pc.sum(files[column]).as_py() or 0)
