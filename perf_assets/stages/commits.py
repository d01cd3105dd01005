"""Loading commits: bring the tables that git fills up to what the clone says now.

A commit never changes, so what is stored of it stays: only commits with an unknown hash are mined.
"""

import logging
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property

import polars as pl

from perf_assets.sources.git import (
    RULE_VERSION,
    Clone,
    list_branch_commits,
    list_commits,
    months_of,
    read_commits,
    read_issue_templates,
)
from perf_assets.stages.branch_changes import note_branch
from perf_assets.storage.amending import Amendment, amend
from perf_assets.storage.gate import Candidate, Gate, Outcome, Provenance

log = logging.getLogger(__name__)

NO_COMMITS = f"{RULE_VERSION}-no commits"  # the fingerprint of a month without any
COMMITS_AT_ONCE = 2_000  # audited and stored together
COMMITS_TOLD = 5_000  # progress is told whenever so many more are mined

DEFAULT_BRANCH = ("raw.commits", "raw.commit_files", "raw.issue_templates")
OTHER_BRANCHES = ("raw.branch_commits",)


def load_commits(
    gate: Gate, clone: Clone, repository: str, months: Sequence[str]
) -> Iterator[Outcome]:
    """Bring the commits of ``months`` up to date: the default branch's, then those of all others.

    A month changes when the set of its commits is another than the one stored, whatever the
    cause: new commits, a force push, a commit with an old date, a branch that was merged. That
    the default branch was rewritten or is another is also recorded and logged.
    """
    with ThreadPoolExecutor(1) as pool:
        of_others = pool.submit(list_branch_commits, clone)
        branch = Listing(gate, clone, repository, DEFAULT_BRANCH, list_commits(clone))
        others = Listing(gate, clone, repository, OTHER_BRANCHES, of_others.result())
    note_branch(gate.database, clone, repository, branch.commits)
    yield from _load(branch, months)
    yield from _load(others, months)


@dataclass(frozen=True)
class Listing:
    """What git lists, and the tables to hold it; the first of them has a row per commit."""

    gate: Gate
    clone: Clone
    repository: str
    tables: Sequence[str]
    commits: pl.DataFrame

    @cached_property
    def empty(self) -> list[pl.DataFrame]:
        """A frame without rows for each table."""
        return [self.gate.database.frame(f"FROM {table} LIMIT 0") for table in self.tables]


@dataclass(frozen=True)
class Change:
    """A month whose commits changed.

    count, fingerprint : git's own.
    leaving : hashes of the stored commits that are no longer there.
    staying : how many rows of each table belong to the others.
    is_sound : whether those passed their audit without a finding.
    """

    month: str
    count: int
    fingerprint: str
    leaving: list[str]
    staying: Mapping[str, int]
    is_sound: bool


def _load(listing: Listing, months: Sequence[str]) -> Iterator[Outcome]:
    changes, kept = _changes(listing, months)
    if not changes:
        return
    of_changes = pl.col("month").is_in(list(changes))
    unknown = listing.commits.filter(of_changes).join(
        kept, on="sha", how="anti", maintain_order="left"
    )
    if unknown.height:
        which = "the default branch" if listing.tables == DEFAULT_BRANCH else "other branches"
        log.info("%s: mining %s commits of %s", listing.repository, f"{unknown.height:,}", which)
    waiting: list[tuple[Change, list[pl.DataFrame]]] = []
    for month, frames in _each_month(sorted(changes), _mine(listing, unknown), listing.empty):
        change = changes[month]
        if change.is_sound:
            waiting.append((change, frames))
        else:
            yield _store_whole(listing, change, frames, kept)
        if sum(frames[0].height for _, frames in waiting) >= COMMITS_AT_ONCE:
            yield from _amend(listing, waiting, kept)
            waiting = []
    yield from _amend(listing, waiting, kept)


def _changes(listing: Listing, months: Sequence[str]) -> tuple[dict[str, Change], pl.DataFrame]:
    """The months that changed, and the hashes of their commits whose stored rows are still good."""
    loads = pl.concat(
        [listing.gate.database.loads(table, listing.repository) for table in listing.tables]
    )
    done = loads.filter(pl.col("table") == listing.tables[0], pl.col("status") == "loaded")
    known = dict(done.select("month", "watermark").iter_rows())
    listed = {month: state for month, *state in months_of(listing.commits).iter_rows()}
    states = {month: listed.get(month, (0, NO_COMMITS)) for month in months}
    states = {month: state for month, state in states.items() if known.get(month) != state[1]}
    is_current = pl.col("watermark").str.starts_with(f"{RULE_VERSION}-")
    outdated = loads.filter(~is_current.fill_null(value=False) | (pl.col("status") != "loaded"))
    kept, left = _kept(listing, list(states), outdated["month"].unique().to_list())
    unsound = {*outdated["month"], *_with_findings(listing)}
    leaving = dict(left.group_by("month").agg("sha").iter_rows())
    rows = {(load["month"], load["table"]): load["row_count"] for load in loads.to_dicts()}
    dropped = {table: _count(listing, table, left["sha"].to_list()) for table in listing.tables}
    changes = {
        month: Change(
            month,
            count,
            fingerprint,
            leaving.get(month, []),
            {
                table: rows.get((month, table), 0) - dropped[table].get(month, 0)
                for table in listing.tables
            },
            month not in unsound,
        )
        for month, (count, fingerprint) in states.items()
    }
    return changes, kept


def _kept(
    listing: Listing, months: list[str], outdated: list[str]
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Hash and month of the stored commits of ``months``: those that stay, and those that leave."""
    identity = [name for name in ("sha", "branch") if name in listing.commits.columns]
    stored = listing.gate.database.frame(
        f"SELECT month, {', '.join(identity)} FROM {listing.tables[0]} "
        "WHERE repository = ? AND list_contains(?, month)",
        [listing.repository, months],
    )
    current = stored.filter(~pl.col("month").is_in(outdated))
    kept = current.join(listing.commits, on=identity, how="semi")
    return kept, stored.join(kept, on="sha", how="anti")


def _count(listing: Listing, table: str, shas: list[str]) -> dict[str, int]:
    """How many rows of ``table`` belong to the commits ``shas``, by month."""
    if not shas:
        return {}
    counted = listing.gate.database.frame(
        f"SELECT month, count(*) FROM {table} WHERE repository = ? AND list_contains(?, sha) "
        "GROUP BY month",
        [listing.repository, shas],
    )
    return dict(counted.iter_rows())


def _with_findings(listing: Listing) -> list[str]:
    """Months in which a rule is broken: only an audit of the whole month finds the same again."""
    found = listing.gate.database.frame(
        """
        SELECT DISTINCT month FROM meta.audit_findings
        WHERE repository = ? AND list_contains(?, "table")
        """,
        [listing.repository, list(listing.tables)],
    )
    return found["month"].to_list()


def _mine(listing: Listing, unknown: pl.DataFrame) -> Iterator[tuple[str, list[pl.DataFrame]]]:
    """The rows that the ``unknown`` commits give each table, month by month."""
    if unknown.is_empty():
        return
    templates = read_issue_templates(listing.clone, unknown.select("sha", "committed_at", "month"))
    told = 0

    def tell(done: int, total: int) -> None:
        nonlocal told
        if done - told >= COMMITS_TOLD and done < total:
            told = done
            log.info("%s: mined %s of %s commits", listing.repository, f"{done:,}", f"{total:,}")

    for month, commits, files in _by_month(read_commits(listing.clone, unknown, tell)):
        found = templates.filter(pl.col("month") == month)
        yield month, _shaped(listing, commits, files, found)


def _shaped(
    listing: Listing, commits: pl.DataFrame, files: pl.DataFrame, templates: pl.DataFrame
) -> list[pl.DataFrame]:
    """The frames of the listing's tables, with exactly their columns."""
    if "branch" in listing.commits.columns:
        branches = listing.commits.select("sha", "branch")
        commits = commits.join(branches, on="sha", maintain_order="left")
    frames = [commits, files, templates]
    return [
        frame.with_columns(repository=pl.lit(listing.repository))
        .select(empty.columns)
        .cast(dict(empty.schema))  # type: ignore[arg-type]
        for frame, empty in zip(frames, listing.empty, strict=False)
    ]


def _each_month(
    months: Sequence[str],
    mined: Iterator[tuple[str, list[pl.DataFrame]]],
    empty: list[pl.DataFrame],
) -> Iterator[tuple[str, list[pl.DataFrame]]]:
    """Every one of ``months`` with what was mined of it, or nothing."""
    following = next(mined, None)
    for month in months:
        if following is not None and following[0] == month:
            yield following
            following = next(mined, None)
        else:
            yield month, empty


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


def _amend(
    listing: Listing, changed: list[tuple[Change, list[pl.DataFrame]]], kept: pl.DataFrame
) -> Iterator[Outcome]:
    """Let rows join and leave what is stored; a month where that is refused is stored whole."""
    amendments = [
        Amendment(
            change.month,
            _candidates(listing, frames, frames[0].height),
            "sha",
            change.leaving,
            change.staying,
            Provenance(change.fingerprint),
        )
        for change, frames in changed
    ]
    outcomes = {one.month: one for one in amend(listing.gate, listing.repository, amendments)}
    for change, frames in changed:
        if change.month in outcomes:
            yield outcomes[change.month]
        else:
            yield _store_whole(listing, change, frames, kept)


def _store_whole(
    listing: Listing, change: Change, frames: list[pl.DataFrame], kept: pl.DataFrame
) -> Outcome:
    """Replace the month by what is good of the stored rows and the mined ``frames``."""
    shas = kept.select("sha")
    whole = []
    for table, mined in zip(listing.tables, frames, strict=True):
        stored = listing.gate.database.partition(table, listing.repository, change.month)
        whole.append(pl.concat([stored.join(shas, on="sha", how="semi"), mined]))
    # As git lists them, so that a report shows the same examples whatever was stored before.
    of_month = listing.commits.filter(pl.col("month") == change.month).select("sha")
    whole[0] = of_month.join(whole[0], on="sha", maintain_order="left").select(whole[0].columns)
    return listing.gate.store(
        listing.repository,
        change.month,
        _candidates(listing, whole, change.count),
        Provenance(change.fingerprint),
    )


def _candidates(listing: Listing, frames: list[pl.DataFrame], count: int) -> list[Candidate]:
    """``frames`` as rows for the tables; ``count`` is git's own of their commits."""
    commits, *rest = frames
    candidates = [Candidate(listing.tables[0], commits, source_count=count)]
    if rest:
        files, templates = rest
        shas = {"commit_shas": commits["sha"].to_list()}
        candidates += [
            Candidate("raw.commit_files", files, shas, int(commits["changed_files"].sum())),
            Candidate("raw.issue_templates", templates),
        ]
    return candidates
