"""From a data directory to the lake: the months of a subject that changed, and no others."""

import os
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import pyarrow.compute as pc
from deltalake.exceptions import CommitFailedError

from perf_assets.base.errors import TransientError
from perf_assets.base.processes.progress import phase
from perf_assets.lake import delta
from perf_assets.lake.address_keys import check_rows
from perf_assets.lake.contents import contents, create_missing, remember, remembered
from perf_assets.lake.errors import friendly_errors
from perf_assets.lake.leases import Lease
from perf_assets.lake.location import Lake, bucket_of
from perf_assets.lake.releases import Held, Part, Releases, made_releases, new_release
from perf_assets.lake.tables import LakeTable, chosen
from perf_assets.storage.warehouse import Database

ROWS_AT_ONCE = 20_000

Parts = Mapping[str, Mapping[str, tuple[int, str]]]


@dataclass(frozen=True)
class PushResult:
    """What a ship did.

    months : those that were released anew, months that left among them; '' has what is of none.
    tables, rows, commits, bytes : to how many tables how many rows were added, in how many commits
        (that of the release included), in files of how many bytes. All 0 where nothing changed.
    release : the release of the subject that its data directory is now as of; None where none ever
    was.
    """

    subject: str
    months: tuple[str, ...] = ()
    tables: int = 0
    rows: int = 0
    commits: int = 0
    bytes: int = 0
    release: str | None = None


class _Added(NamedTuple):
    """Rows that were added to a table: under which name, in which of its versions, how large."""

    release: str
    version: int
    bytes: int


def push(database: Database, lake: Lake, subject: str, lease: Lease | None = None) -> PushResult:
    """Release what ``database`` holds of ``subject``, as far as it differs from what is released.

    Only tables whose rows of a month differ are written, one commit each, and then all that changed
    is released by one more. Killed anywhere, readers see what was released before; the rows that
    were added for nothing leave with the next maintenance.

    Raises
    ------
    TransientError
        Another worker released the subject since this data directory was brought to what was
        released, or ``lease`` is lost; the storage does not answer. Nothing was released.
    PerfAssetsError
        The lake is full, may not be written, is of a newer format, has another address key, or is
        no lake.
    """
    with friendly_errors(lake), phase(f"shipping {subject}"):
        tables = chosen(None)
        create_missing(database, tables)
        releases = made_releases(lake)
        check_rows(database, lake, releases.address_key)
        return _shipped(database, releases, subject, tables, lease)


def _shipped(
    database: Database,
    releases: Releases,
    subject: str,
    tables: list[LakeTable],
    lease: Lease | None,
) -> PushResult:
    held = releases.of(database.connection, subject)
    here = contents(database, tables, subject)
    changed = _changed(held, here)
    if not changed:
        if held.release is not None:
            remember(database, {subject: held.release}, releases.identity)
        return PushResult(subject, release=held.release)
    _check(database, releases, subject, held, lease)
    release = new_release()
    by_name = {table.name: table for table in tables}
    added = {
        name: _add(database, releases, by_name[name], subject, joining)
        for name, joining in _by_table(changed, here).items()
    }
    _check(database, releases, subject, held, lease)
    # Where the process is killed right after the commit, the next ship knows it for its own.
    either = " ".join(filter(None, (held.release, release)))
    remember(database, {subject: either}, releases.identity)
    months = {
        month: {
            name: Part(added[name].release, *part, added[name].version)
            if name in names
            else held.months[month][name]
            for name, part in here.get(month, {}).items()
        }
        for month, names in changed.items()
    }
    if not releases.add(database.connection, subject, held, release, months, _worker(lease)):
        raise _refused(releases.lake, subject)
    remember(database, {subject: release}, releases.identity)
    own = {entry.release for entry in added.values()}
    return PushResult(
        subject,
        tuple(sorted(changed)),
        len(added),
        sum(
            part.rows for parts in months.values() for part in parts.values() if part.release in own
        ),
        len(added) + 1,
        sum(entry.bytes for entry in added.values()),
        release,
    )


def _changed(held: Held, here: Parts) -> dict[str, set[str]]:
    """Return the tables of each month whose rows are others than those that are released."""
    changed = {}
    for month in held.months.keys() | here.keys():
        released = {name: part.fingerprint for name, part in held.months.get(month, {}).items()}
        stored = {name: print_ for name, (_, print_) in here.get(month, {}).items()}
        if names := {name for name, _ in released.items() ^ stored.items()}:
            changed[month] = names
    return changed


def _by_table(changed: Mapping[str, set[str]], here: Parts) -> dict[str, list[str]]:
    """Return the months of which each table has rows to add."""
    found: dict[str, list[str]] = {}
    for month in sorted(changed):
        for name in changed[month] & here.get(month, {}).keys():
            found.setdefault(name, []).append(month)
    return dict(sorted(found.items()))


def _add(
    database: Database, releases: Releases, table: LakeTable, subject: str, months: list[str]
) -> _Added:
    """Add rows of ``months`` for a release to come.

    Each try has a name of its own: rows of one that failed, or seemed to, are nobody's.
    """
    query = (
        f"SELECT {bucket_of(subject, releases.buckets)}::INTEGER AS lake_bucket, "
        f"{table.subject} AS lake_subject, {table.month} AS lake_month, "
        f"$release AS lake_release, {table.columns} FROM {table.name} {table.where} "
        f"AND {table.subject} = $subject AND list_contains($months, {table.month})"
    )
    for _ in delta.COMMITS.tries():
        there = delta.ensured(releases.lake, table.name, table.schema)
        release = new_release()
        parameters = {"release": release, "subject": subject, "months": months}
        found = database.connection.sql(query, params=parameters).to_arrow_reader(ROWS_AT_ONCE)
        try:
            delta.append(there, delta.cast(found, table.schema), table.schema)
        except CommitFailedError:  # maintenance came between
            continue
        files = delta.files_of(there, releases.lake, table.name)
        own = files.filter(pc.equal(files["first_release"], release))
        return _Added(release, there.version(), int(pc.sum(own["bytes"]).as_py() or 0))
    raise CommitFailedError(f"{table.name} is changed again and again")


def _check(
    database: Database, releases: Releases, subject: str, held: Held, lease: Lease | None
) -> None:
    if lease is not None:
        lease.check()
    remembered_releases = remembered(database, subject, releases.identity)
    if held.release is not None and held.release not in remembered_releases:
        raise _refused(releases.lake, subject)


def _refused(lake: Lake, subject: str) -> TransientError:
    return TransientError(
        f"{subject}: another worker released it to {lake.url} meanwhile; nothing of this run was "
        "released: pull what is released (perf-assets lake pull) and run again"
    )


def _worker(lease: Lease | None) -> str:
    return lease.worker if lease is not None else f"{socket.gethostname()}:{os.getpid()}"
