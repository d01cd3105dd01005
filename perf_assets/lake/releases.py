"""What is released: for each month of a subject, which rows of which tables are the ones to read.

A row of the Delta table ``releases`` is a month of a subject as a ship left it; the newest of them
counts, by ``generation``. Rows are only ever added, each ship in one commit, with the subject and
the number of its generation as Delta's application transaction: of two ships that began from the
same generation one is refused, while those of other subjects never come in each other's way.
"""

import json
import secrets
import time
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import duckdb
import pyarrow as pa
from deltalake import DeltaTable
from deltalake.exceptions import CommitFailedError

from perf_assets.base.errors import PerfAssetsError
from perf_assets.lake import delta
from perf_assets.lake.address_keys import check_fingerprint, fingerprint_here
from perf_assets.lake.location import Lake, bucket_of
from perf_assets.storage.address_key import FINGERPRINT
from perf_assets.storage.migrations import FORMAT

NAME = "lake.releases"
BUCKETS = 64
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
SCHEMA = pa.schema(
    [
        ("lake_bucket", pa.int32()),
        ("lake_subject", pa.string()),
        ("lake_month", pa.string()),
        ("lake_release", pa.string()),  # of the ship that decided about the month last
        ("generation", pa.int64()),
        ("supersedes", pa.string()),  # the release of the subject before
        ("released_at", pa.timestamp("us", "UTC")),
        ("worker", pa.string()),
        (
            "tables",
            pa.list_(
                pa.struct(
                    [
                        ("table", pa.string()),
                        ("release", pa.string()),
                        ("rows", pa.int64()),
                        ("fingerprint", pa.string()),
                        ("version", pa.int64()),
                    ]
                )
            ),
        ),
        ("address_key", pa.string()),  # the fingerprint of the key that hashed its rows
    ]
)
NEWEST = "QUALIFY generation = max(generation) OVER (PARTITION BY lake_subject, lake_month)"


class Part(NamedTuple):
    """The rows of one month of a subject in one table.

    release : the release in which they were shipped. version : of the Delta table that has them.
    """

    release: str
    rows: int
    fingerprint: str
    version: int


@dataclass(frozen=True)
class Held:
    """What is released of one subject.

    release : the newest of the subject; None where nothing ever was.
    months : the parts of each month by table; months that left are not among them.
    """

    release: str | None
    generation: int
    months: Mapping[str, Mapping[str, Part]]


@dataclass(frozen=True)
class Releases:
    """All releases of a lake, as of the moment when they were opened.

    address_key : the fingerprint of the key by which all addresses in the lake are hashed; None of
        a lake that an older version made.
    """

    lake: Lake
    table: DeltaTable
    buckets: int
    format: int
    address_key: str | None = None

    @property
    def identity(self) -> str:
        """The identity of this lake, wherever it is."""
        return str(self.table.metadata().id)

    @property
    def schema(self) -> pa.Schema:
        """The columns of ``SCHEMA`` that the table has; an older version made it without some."""
        names = {field.name for field in self.table.schema().fields}
        return pa.schema([field for field in SCHEMA if field.name in names])

    def files(self, subjects: Iterable[str] | None = None) -> list[str]:
        """Return the files that may list ``subjects``; of all where none are given."""
        files = delta.files_of(self.table, self.lake, NAME)
        named = None if subjects is None else sorted(subjects)
        bounds = ("uri", "first_subject", "last_subject")
        return [
            uri
            for uri, first, last in zip(*(files[name].to_pylist() for name in bounds), strict=True)
            if named is None
            or None in (first, last)
            or bisect_left(named, first) < bisect_right(named, last)
        ]

    def of(self, connection: duckdb.DuckDBPyConnection, subject: str) -> Held:
        """Return what is released of ``subject``, as ``connection`` reads it."""
        with delta.source_of(
            connection,
            self.table,
            self.lake,
            self.schema,
            self.files([subject]),
            delta.in_bucket(bucket_of(subject, self.buckets), "lake_subject", [subject]),
        ) as source:
            rows = connection.execute(
                f"SELECT lake_month, lake_release, generation, tables FROM {source} "
                f"WHERE lake_subject = ? {NEWEST} ORDER BY generation",
                [subject],
            ).fetchall()
        if not rows:
            return Held(None, 0, {})
        months = {
            month: {
                table["table"]: Part(*(table[name] for name in Part._fields)) for table in tables
            }
            for month, _, _, tables in rows
            if tables
        }
        return Held(rows[-1][1], rows[-1][2], months)

    def lay(self, connection: duckdb.DuckDBPyConnection, subjects: Sequence[str] | None) -> None:
        """Make the temporary tables ``lake_released`` and ``lake_newest`` of ``connection``.

        lake_released : subject, month, table, release, rows, fingerprint of each part.
        lake_newest : subject, release of each subject, of those that ever were released.
        """
        schema = self.schema
        key = "address_key" if "address_key" in schema.names else "NULL::VARCHAR"
        where, named = "true", []
        if subjects is not None:
            where, named = "lake_subject IN (SELECT unnest(?::VARCHAR[]))", [list(subjects)]
        with delta.source_of(
            connection, self.table, self.lake, schema, self.files(subjects)
        ) as source:
            connection.execute(
                f"CREATE OR REPLACE TEMP TABLE lake_newest_sets AS "
                f"SELECT lake_subject AS subject, lake_month AS month, "
                f"lake_release AS release, generation, {key} AS address_key, tables "
                f"FROM {source} WHERE {where} {NEWEST}",
                named,
            )
        self._check_keys(connection)
        connection.execute(
            """
            CREATE OR REPLACE TEMP TABLE lake_released AS
            SELECT subject, month, part."table", part.release, part.rows, part.fingerprint
            FROM (SELECT subject, month, unnest(tables) AS part FROM lake_newest_sets)
            """
        )
        connection.execute(
            """
            CREATE OR REPLACE TEMP TABLE lake_newest AS
            SELECT subject, arg_max(release, generation) AS release
            FROM lake_newest_sets GROUP BY ALL
            """
        )
        connection.execute("DROP TABLE lake_newest_sets")
        self._check(connection)

    def _check_keys(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Refuse releases that were shipped by another address key than that of the lake."""
        if (
            self.lake.data_dir is not None
            and connection.execute(
                "SELECT 1 FROM lake_newest_sets WHERE address_key <> ? LIMIT 1",
                [self.address_key or ""],
            ).fetchall()
        ):
            raise PerfAssetsError(
                f"{self.lake.url}: months of this lake are hashed by several address keys, so that "
                "one person would become two; nothing was pulled: ship to a new lake (another "
                "--lake)"
            )

    def _check(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Refuse what was laid where a part of it is NULL, as no ship writes it."""
        for table in ("lake_newest", "lake_released"):
            names = connection.execute(f"SELECT * FROM {table} LIMIT 0").description or []
            is_incomplete = " OR ".join(f'"{name[0]}" IS NULL' for name in names)
            if connection.execute(
                f"SELECT 1 FROM {table} WHERE {is_incomplete} LIMIT 1"
            ).fetchall():
                raise PerfAssetsError(
                    f"{self.lake.url}: its list of releases is damaged: a month lacks what "
                    "identifies it; bring the lake back from a backup, or ship to a new one "
                    "(another --lake)"
                )

    def add(
        self,
        connection: duckdb.DuckDBPyConnection,
        subject: str,
        held: Held,
        release: str,
        months: Mapping[str, Mapping[str, Part]],
        worker: str,
    ) -> bool:
        """Release ``months`` of ``subject`` in one commit; False where another came between.

        held : what was released when these months were compared, out of this very ``Releases``.
        """
        generation = held.generation + 1
        moment = datetime.now(UTC)
        rows = [
            {
                "lake_bucket": bucket_of(subject, self.buckets),
                "lake_subject": subject,
                "lake_month": month,
                "lake_release": release,
                "generation": generation,
                "supersedes": held.release,
                "released_at": moment,
                "worker": worker,
                "address_key": self.address_key,
                "tables": [{"table": name, **part._asdict()} for name, part in parts.items()],
            }
            for month, parts in sorted(months.items())
        ]
        batches = pa.Table.from_pylist(rows, SCHEMA).to_batches()
        releases = self
        for is_last in delta.COMMITS.tries():
            try:
                delta.append(releases.table, batches, SCHEMA, (subject, generation))
                return True
            except CommitFailedError:
                # Maintenance may have come between; and where storage answers too late, a commit
                # of one's own looks like that of another.
                releases = needed(self.lake)
                newest = releases.of(connection, subject).release
                if newest != held.release:
                    return newest == release
                if is_last:
                    raise
        return False


def releases_of(lake: Lake) -> Releases | None:
    """Return what is released now; None where no lake is there yet.

    Raises
    ------
    PerfAssetsError
        The lake is of a newer format, it has another address key than the data directory, or what
        is there is no lake of ours.
    """
    table = delta.opened(lake, NAME)
    if table is None:
        return None
    releases = _read(lake, table)
    check_fingerprint(lake, releases.address_key, lambda: not releases.files())
    return releases


def made_releases(lake: Lake, buckets: int = BUCKETS) -> Releases:
    """Return what is released now; the lake is made, with so many ``buckets``, where it is missing.

    The commit that makes the lake stores the fingerprint of the address key of the data directory.
    Of several workers that make the lake at once, those with another key are refused.

    Raises
    ------
    PerfAssetsError
        As of ``releases_of``.
    """
    for is_last in delta.COMMITS.tries():
        releases = releases_of(lake)
        if releases is None:
            delta.ensured(lake, NAME, SCHEMA, _described(buckets, fingerprint_here(lake)))
            continue
        key = releases.address_key or fingerprint_here(lake)
        try:
            if releases.schema != SCHEMA:
                delta.ensured(lake, NAME, SCHEMA)
            elif (releases.format, releases.address_key) != (FORMAT, key):
                # Another worker may have stored its key since this one looked: then it fails.
                releases.table.alter.set_table_description(_described(releases.buckets, key))
            else:
                return releases
        except CommitFailedError:
            if is_last:
                raise
    raise CommitFailedError(f"{NAME} is changed again and again")


def needed(lake: Lake) -> Releases:
    """Return what is released now.

    Raises
    ------
    PerfAssetsError
        No lake is there yet, or one that cannot be read.
    """
    found = releases_of(lake)
    if found is None:
        raise PerfAssetsError(
            f"{lake.url}: there is no lake yet; perf-assets lake push makes one, or look whether "
            "--lake is right"
        )
    return found


def new_release(moment: datetime | None = None) -> str:
    """Return a name that no release has, sorted by the time when it was given."""
    return f"{_milliseconds(moment):012x}-{secrets.token_hex(8)}"


def moment_of(release: str) -> datetime:
    """When ``release`` was begun."""
    return EPOCH + timedelta(milliseconds=int(release.partition("-")[0], 16))


def releases_before(moment: datetime) -> str:
    """Return the least text above the names of all releases given before ``moment``."""
    return f"{_milliseconds(moment):012x}-"


def _milliseconds(moment: datetime | None) -> int:
    if moment is None:
        return time.time_ns() // 1_000_000
    return (moment - EPOCH) // timedelta(milliseconds=1)


def _described(buckets: int, key: str | None) -> str:
    described: dict[str, object] = {"perf_assets_lake": FORMAT, "buckets": buckets}
    return json.dumps(described if key is None else {**described, "address_key": key})


def _read(lake: Lake, table: DeltaTable) -> Releases:
    try:
        described = json.loads(table.metadata().description or "")
        version, buckets = int(described["perf_assets_lake"]), int(described["buckets"])
        key = described.get("address_key")
        if key is not None and FINGERPRINT.fullmatch(key) is None:
            raise ValueError("no fingerprint")
    except (ValueError, KeyError, TypeError):
        raise PerfAssetsError(
            f"{lake.url}: there is something else than a lake of perf-assets; choose another --lake"
        ) from None
    if version > FORMAT:
        raise PerfAssetsError(
            f"{lake.url} was written by a newer perf-assets (format {version}, this one knows "
            f"{FORMAT}): upgrade perf-assets, or choose another --lake"
        )
    return Releases(lake, table, buckets, version, key)
