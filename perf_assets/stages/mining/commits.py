"""Loading commits: update the tables of git from the clone.

A commit never changes, so its stored rows are kept: only commits with an unknown hash are mined.
"""

import logging
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property

import polars as pl

from perf_assets.base.code_version import code_version
from perf_assets.base.processes.progress import Phase, phase
from perf_assets.config.repositories import Miner, Repository
from perf_assets.core.people.addresses import AddressPolicy
from perf_assets.sources.git.clone import Clone, update_clone
from perf_assets.sources.git.history import list_branch_commits, list_commits, months_of
from perf_assets.sources.git.mining import Frames, read_commits
from perf_assets.sources.git.templates import read_issue_templates
from perf_assets.sources.git.unreadable import fetch_missing, now_readable
from perf_assets.stages.mining.addresses import Addresses
from perf_assets.stages.mining.branch_changes import note_branch
from perf_assets.stages.preloading import preload
from perf_assets.storage.audit.parameters import Parameters
from perf_assets.storage.audited_writer import AuditedWriter
from perf_assets.storage.partition_write import (
    PartitionState,
    PartitionWrite,
    Provenance,
    StagedTable,
    WriteOutcome,
)

log = logging.getLogger(__name__)

NO_COMMITS = "no commits"  # the fingerprint of a month without any
POLICY = "((?: plain| none)?(?: pydriller)?)$"
"""How addresses are stored, and what read the commits, at the end of a fingerprint."""
MOST_UNREADABLE = 0.5  # of the commits of a month
FEW_UNREADABLE = 5  # commits of any month
COMMITS_AT_ONCE = 10_000  # of the months that are judged and stored together, at least

DEFAULT_BRANCH = ("raw.commits", "raw.commit_files", "raw.issue_templates")
OTHER_BRANCHES = ("raw.branch_commits",)
TABLES = (*DEFAULT_BRANCH, *OTHER_BRANCHES)

REASONS = """
    select unreadable as reason from raw.commits where repository = $1
    union
    select unreadable from raw.branch_commits where repository = $1
    union
    select unnest([not_analysed, not_traced]) from details.commit_metrics where repository = $1
"""


def mine_commits(
    writer: AuditedWriter,
    repository: Repository,
    months: Sequence[str],
    addresses: AddressPolicy = "hashed",
) -> Iterator[WriteOutcome]:
    """Bring the clone of ``repository`` up to date and load from it, see :func:`load_commits`."""
    clone = update_clone(repository.git, writer.data_dir.clone(repository.name))
    unreadable = writer.database.frame(REASONS, [repository.name])
    fetch_missing(clone.path, repository.git, unreadable["reason"].to_list())
    yield from load_commits(writer, clone, repository.name, months, addresses, repository.miner)


def load_commits(
    writer: AuditedWriter,
    clone: Clone,
    repository: str,
    months: Sequence[str],
    addresses: AddressPolicy = "hashed",
    miner: Miner = "git",
) -> Iterator[WriteOutcome]:
    """Bring the commits of ``months`` up to date: the default branch's, then those of all others.

    A month changes when the set of its commits differs from the stored one, whatever the cause:
    new commits, a force push, a commit with an old date, a branch that was merged. A rewritten or
    renamed default branch is also recorded and logged.
    """
    with phase(f"listing commits of {repository}"), ThreadPoolExecutor(1) as pool:
        of_others = pool.submit(list_branch_commits, clone)
        stored = Addresses(addresses, writer.data_dir)
        listed = list_commits(clone)
        branch = Listing(writer, clone, repository, DEFAULT_BRANCH, listed, stored, miner)
        unlisted = of_others.result()
        others = Listing(writer, clone, repository, OTHER_BRANCHES, unlisted, stored, miner)
    note_branch(writer, clone, repository, branch.commits)
    yield from _load(branch, months)
    yield from _load(others, months)


@dataclass(frozen=True)
class Listing:
    """What git lists, and the tables to hold it; the first of them has a row per commit."""

    writer: AuditedWriter
    clone: Clone
    repository: str
    tables: Sequence[str]
    commits: pl.DataFrame
    addresses: Addresses
    miner: Miner = "git"

    @property
    def policy(self) -> str:
        """End of the fingerprint of a month that is stored with unusual settings.

        A change of miner reads every month again, as miners may differ on failures and malformed
        commits.
        """
        has_usual = self.addresses.policy == "hashed" or self.tables != DEFAULT_BRANCH
        addresses = "" if has_usual else f" {self.addresses.policy}"
        return addresses if self.miner == "git" else f"{addresses} {self.miner}"

    def read(self, commits: pl.DataFrame, on_progress: Phase) -> Iterator[Frames]:
        """Yield the ``commits`` and their files, as the miner reads them."""
        if self.miner == "pydriller":
            # It takes a second to import.
            from perf_assets.sources.git import pydriller_mining  # noqa: PLC0415

            return pydriller_mining.read_commits(self.clone, commits, on_progress)
        return read_commits(self.clone, commits, on_progress)

    @cached_property
    def to_read_again(self) -> pl.DataFrame:
        """Stored commits (sha, month) that can be read now, or whose addresses mean another now."""
        database = self.writer.database
        if self.tables != DEFAULT_BRANCH:
            return self._ready
        outdated = self.addresses.outdated(database, self.repository, self.clone)
        return pl.concat([self._ready, outdated]).unique("sha", maintain_order=True)

    @cached_property
    def _ready(self) -> pl.DataFrame:
        """Stored commits (sha, month) that git could not read then, and can now."""
        stored = self.writer.database.frame(
            f"SELECT sha, month, unreadable FROM {self.tables[0]} "
            "WHERE repository = ? AND unreadable IS NOT NULL",
            [self.repository],
        )
        readable = now_readable(self.clone.path, stored["unreadable"])
        return stored.filter(pl.col("unreadable").is_in(readable)).select("sha", "month")

    @cached_property
    def empty(self) -> list[pl.DataFrame]:
        """A frame without rows for each table."""
        return [self.writer.database.frame(f"FROM {table} LIMIT 0") for table in self.tables]


@dataclass(frozen=True)
class ChangedMonth:
    """A month whose commits changed: git's own count of them, and their fingerprint."""

    month: str
    count: int
    fingerprint: str


def _load(listing: Listing, months: Sequence[str]) -> Iterator[WriteOutcome]:
    changes = _changes(listing, months)
    if not changes:
        return
    preload()
    kept = _kept(listing, changes)
    of_changes = pl.col("month").is_in([change.month for change in changes])
    unknown = listing.commits.filter(of_changes).join(
        kept, on="sha", how="anti", maintain_order="left"
    )
    if unknown.height:
        which = "the default branch" if listing.tables == DEFAULT_BRANCH else "other branches"
        log.info("%s: mining %s commits of %s", listing.repository, f"{unknown.height:,}", which)
    waiting: list[tuple[ChangedMonth, list[pl.DataFrame]]] = []
    title = f"mining commits of {listing.repository}"
    with phase(title, unknown.height or None, "commits") as progress:
        mined = _mine(listing, unknown, progress)
        following = next(mined, None)
        for change in changes:
            is_mined = following is not None and following[0] == change.month
            waiting.append((change, following[1] if is_mined and following else listing.empty))
            if sum(waited.count for waited, _ in waiting) >= COMMITS_AT_ONCE:
                yield from _store(listing, waiting, kept)
                waiting = []
            if is_mined:  # only now: what was read is stored before git can fail
                following = next(mined, None)
        yield from _store(listing, waiting, kept)


def _changes(listing: Listing, months: Sequence[str]) -> list[ChangedMonth]:
    """Return the months whose stored commits differ from those that git can read, in order."""
    loads = listing.writer.database.loads(listing.tables[0], listing.repository)
    done = loads.filter(pl.col("status") == "loaded")
    stored = dict(done.select("month", "fingerprint").iter_rows())
    listed = {month: state for month, *state in months_of(listing.commits).iter_rows()}
    again = set(listing.to_read_again["month"])
    changes = []
    for month in sorted(months):
        count, state = listed.get(month, (0, NO_COMMITS))
        fingerprint = f"{code_version(__name__)}-{state}{listing.policy}"
        if stored.get(month) != fingerprint or month in again:
            changes.append(ChangedMonth(month, count, fingerprint))
    return changes


def _kept(listing: Listing, changes: Sequence[ChangedMonth]) -> pl.DataFrame:
    """Return hashes of the stored commits that git still lists and whose rows are valid."""
    identity = [name for name in ("sha", "branch") if name in listing.commits.columns]
    loads = pl.concat(
        [listing.writer.database.loads(table, listing.repository) for table in listing.tables]
    )
    fingerprint = pl.col("fingerprint")
    is_current = fingerprint.str.starts_with(f"{code_version(__name__)}-") & (
        fingerprint.str.extract(POLICY).fill_null("") == listing.policy
    )
    outdated = loads.filter(~is_current.fill_null(value=False) | (pl.col("status") != "loaded"))
    stored = listing.writer.database.frame(
        f"SELECT month, {', '.join(identity)} FROM {listing.tables[0]} "
        "WHERE repository = ? AND list_contains(?, month)",
        [listing.repository, [change.month for change in changes]],
    )
    current = stored.join(outdated, on="month", how="anti")
    current = current.join(listing.to_read_again, on="sha", how="anti")
    return current.join(listing.commits, on=identity, how="semi").select("sha")


def _mine(
    listing: Listing, unknown: pl.DataFrame, progress: Phase
) -> Iterator[tuple[str, list[pl.DataFrame]]]:
    """Yield the rows that the ``unknown`` commits give each table, month by month."""
    if unknown.is_empty():
        return
    templates = read_issue_templates(listing.clone, unknown.select("sha", "committed_at", "month"))
    for month, commits, files in _by_month(listing.read(unknown, progress)):
        of_month = templates.filter(pl.col("month") == month)
        yield month, _shaped(listing, commits, files, of_month)


def _shaped(
    listing: Listing, commits: pl.DataFrame, files: pl.DataFrame, templates: pl.DataFrame
) -> list[pl.DataFrame]:
    """Return the frames of the listing's tables, with exactly their columns."""
    if "branch" in listing.commits.columns:
        branches = listing.commits.select("sha", "branch")
        commits = commits.join(branches, on="sha", maintain_order="left")
    frames = [listing.addresses.stored(commits), files, templates]
    return [
        frame.with_columns(repository=pl.lit(listing.repository))
        .select(empty.columns)
        .cast(dict(empty.schema))  # type: ignore[arg-type]
        for frame, empty in zip(frames, listing.empty, strict=False)
    ]


def _by_month(
    stream: Iterator[tuple[pl.DataFrame, pl.DataFrame]],
) -> Iterator[tuple[str, pl.DataFrame, pl.DataFrame]]:
    """Cut a stream of commits and files that comes in the order of months into its months."""
    held: tuple[pl.DataFrame, pl.DataFrame] | None = None
    for batch in stream:
        commits, files = batch if held is None else map(pl.concat, zip(held, batch, strict=True))
        *whole, last = commits["month"].unique().sort().to_list()
        for month in whole:
            of_month = pl.col("month") == month
            yield month, commits.filter(of_month), files.filter(of_month)
        still_open = pl.col("month") == last
        held = commits.filter(still_open), files.filter(still_open)
    if held is not None:
        yield held[0]["month"][0], *held


def _store(
    listing: Listing, changed: Sequence[tuple[ChangedMonth, list[pl.DataFrame]]], kept: pl.DataFrame
) -> list[WriteOutcome]:
    """Replace each month by its valid stored rows and the mined ones."""
    months = [change.month for change, _ in changed]
    stored = [
        listing.writer.database.frame(
            f"FROM {table} WHERE repository = ? AND list_contains(?, month) ORDER BY ALL",
            [listing.repository, months],
        ).join(kept, on="sha", how="semi", maintain_order="left")
        for table in listing.tables
    ]
    partitions = []
    for change, mined in changed:
        of_month = pl.col("month") == change.month
        frames = [
            pl.concat([before.filter(of_month), new])
            for before, new in zip(stored, mined, strict=True)
        ]
        # As git lists them, so that a report shows the same examples whatever was stored before.
        shas = listing.commits.filter(of_month).select("sha")
        columns = frames[0].columns
        frames[0] = shas.join(frames[0], on="sha", maintain_order="left").select(columns)
        partitions.append(
            PartitionWrite(
                _candidates(listing, frames, change.count),
                listing.repository,
                change.month,
                Provenance(PartitionState(fingerprint=change.fingerprint)),
            )
        )
    return listing.writer.store(partitions)


def _candidates(listing: Listing, frames: list[pl.DataFrame], count: int) -> list[StagedTable]:
    """Return ``frames`` as rows for the tables; ``count`` is git's count of their commits."""
    commits, *rest = frames
    readable: Parameters = {"least_readable_share": least_readable_share(commits.height)}
    candidates = [StagedTable(listing.tables[0], commits, readable, count)]
    if rest:
        files, templates = rest
        shas: Parameters = {"commit_shas": commits["sha"].to_list()}
        candidates += [
            StagedTable("raw.commit_files", files, shas, int(commits["changed_files"].sum())),
            StagedTable("raw.issue_templates", templates),
        ]
    return candidates


def least_readable_share(commits: int) -> float:
    """Return the share of a month's commits that git must be able to read, or the month is not
    stored.

    Half of them; but a handful that it cannot read is put up with in the quietest month, as public
    mirrors lack some objects for good.
    """
    return max(0.0, 1 - max(MOST_UNREADABLE, FEW_UNREADABLE / max(commits, 1)))
