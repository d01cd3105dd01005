"""One worker for a subject: a lease that ends by itself, renewed while its worker lives.

Each bucket has a Delta table of leases, to which rows are only added; the newest of a subject
counts. Who takes or renews one says so in Delta's application transaction, so that of two who saw
the same lease one is refused. A lease is a courtesy: work is not done twice. What keeps a release
right is the release itself, also where clocks differ and leases are lost.
"""

import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import duckdb
import pyarrow as pa
from deltalake import DeltaTable
from deltalake.exceptions import CommitFailedError

from perf_assets.base.errors import PerfAssetsError, TransientError
from perf_assets.lake import delta
from perf_assets.lake.errors import friendly_errors
from perf_assets.lake.location import Lake, bucket_of
from perf_assets.lake.releases import made_releases, needed

SECONDS = 180.0
SECONDS_BETWEEN_LOOKS = 1.0
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
SCHEMA = pa.schema(
    [
        ("lake_bucket", pa.int32()),
        ("lake_subject", pa.string()),
        ("lake_month", pa.string()),
        ("lake_release", pa.string()),  # the token of who took it
        ("generation", pa.int64()),
        ("worker", pa.string()),
        ("until", pa.timestamp("us", "UTC")),
    ]
)


def table_of_leases(bucket: int) -> str:
    """Return the Delta table of the leases of a bucket."""
    return f"lake.leases_{bucket}"


@dataclass
class Lease:
    """A subject that is ``worker``'s until it is given back, or was not renewed in time."""

    lake: Lake
    subject: str
    worker: str
    seconds: float
    token: str
    deadline: float  # by the monotonic clock of this machine
    loss: str | None = None
    _over: threading.Event = field(default_factory=threading.Event)

    def check(self) -> None:
        """Raise TransientError where the subject may be another's by now."""
        if self.loss is None and time.monotonic() >= self.deadline:
            self.loss = "it could not be renewed in time"
        if self.loss is not None:
            raise TransientError(
                f"{self.subject}: the lease of {self.worker} at {self.lake.url} is lost "
                f"({self.loss}); nothing of this run is released: run it again"
            )


@dataclass(frozen=True)
class _Entry:
    generation: int
    worker: str
    token: str
    until: datetime


@contextmanager
def leased(
    lake: Lake, subject: str, worker: str, *, seconds: float = SECONDS, wait_seconds: float = 0.0
) -> Iterator[Lease]:
    """Have ``subject`` for ``worker`` alone, for as long as the block takes.

    worker : a name that the same worker has again when it is started anew, such as the host's; it
        takes its own lease back at once. seconds : after which a lease ends that is not renewed.
    wait_seconds : how long to wait for another worker.

    Raises
    ------
    TransientError
        Another worker has it: which, and until when at least.
    """
    lease = _taken(lake, subject, worker, seconds, wait_seconds)
    renewal = threading.Thread(target=_renew_until_over, args=(lease,), daemon=True)
    renewal.start()
    try:
        yield lease
    finally:
        lease._over.set()
        renewal.join(lease.seconds)
        _give_back(lease)


def _taken(lake: Lake, subject: str, worker: str, seconds: float, wait_seconds: float) -> Lease:
    token, give_up = secrets.token_hex(8), time.monotonic() + wait_seconds
    with friendly_errors(lake):
        made_releases(lake)
        while True:
            began = time.monotonic()
            holder = _noted(lake, subject, worker, token, seconds)
            if holder is None:
                return Lease(lake, subject, worker, seconds, token, began + seconds)
            if time.monotonic() >= give_up:
                raise TransientError(
                    f"{subject} is being mined by {holder.worker} at least until "
                    f"{holder.until:%Y-%m-%d %H:%M:%S} UTC: wait until it is done, and run again"
                )
            time.sleep(SECONDS_BETWEEN_LOOKS)


def _noted(lake: Lake, subject: str, worker: str, token: str, seconds: float) -> _Entry | None:
    """Note that the lease is the ``worker``'s; who has it where that is another."""
    for _ in delta.COMMITS.tries():
        bucket, table = _opened(lake, subject)
        entry = _newest(lake, table, bucket, subject)
        is_free = entry is None or entry.worker == worker or entry.until <= datetime.now(UTC)
        if entry is not None and not is_free:
            return entry
        if _write(table, bucket, subject, entry, (worker, token), seconds):
            return None
    raise CommitFailedError(f"the lease of {subject} is taken again and again")


def _renew_until_over(lease: Lease) -> None:
    while not lease._over.wait(lease.seconds / 3):
        try:
            began = time.monotonic()
            with friendly_errors(lease.lake):
                if not _renewed(lease, lease.seconds):
                    return
            lease.deadline = began + lease.seconds
        except PerfAssetsError:
            continue  # it may answer the next time; if not, the deadline says so


def _give_back(lease: Lease) -> None:
    if lease.loss is None:
        try:
            with friendly_errors(lease.lake):
                _renewed(lease, 0.0)
        except PerfAssetsError:
            return  # it ends by itself


def _renewed(lease: Lease, seconds: float) -> bool:
    """Note that the lease goes on for ``seconds``; False where it is no longer this one's."""
    for _ in delta.COMMITS.tries():
        bucket, table = _opened(lease.lake, lease.subject)
        entry = _newest(lease.lake, table, bucket, lease.subject)
        if entry is None or entry.token != lease.token:
            lease.loss = "another worker has it" if entry is None else f"{entry.worker} has it"
            return False
        if _write(table, bucket, lease.subject, entry, (lease.worker, lease.token), seconds):
            return True
    return True


def _opened(lake: Lake, subject: str) -> tuple[int, DeltaTable]:
    releases = needed(lake)  # a lake that is gone meanwhile is not made anew
    bucket = bucket_of(subject, releases.buckets)
    return bucket, delta.ensured(lake, table_of_leases(bucket), SCHEMA)


def _newest(lake: Lake, table: DeltaTable, bucket: int, subject: str) -> _Entry | None:
    name = table_of_leases(bucket)
    files = list(delta.files_of(table, lake, name)["uri"].to_pylist())
    with (
        duckdb.connect() as connection,
        delta.source_of(connection, table, lake, SCHEMA, files) as source,
    ):
        rows = connection.execute(
            f"SELECT generation, worker, lake_release, epoch_us(until) FROM {source} "
            "WHERE lake_subject = ? ORDER BY generation DESC LIMIT 1",
            [subject],
        ).fetchall()
    for generation, worker, token, until in rows:
        return _Entry(generation, worker, token, EPOCH + timedelta(microseconds=until))
    return None


def _write(
    table: DeltaTable,
    bucket: int,
    subject: str,
    before: _Entry | None,
    holder: tuple[str, str],
    seconds: float,
) -> bool:
    """Add the next entry of ``subject``; False where another came between."""
    generation = 1 if before is None else before.generation + 1
    row = {
        "lake_bucket": bucket,
        "lake_subject": subject,
        "lake_month": "",
        "lake_release": holder[1],
        "generation": generation,
        "worker": holder[0],
        "until": datetime.now(UTC) + timedelta(seconds=seconds),
    }
    batches = pa.Table.from_pylist([row], SCHEMA).to_batches()
    try:
        delta.append(table, batches, SCHEMA, (subject, generation))
    except CommitFailedError:
        return False
    return True
