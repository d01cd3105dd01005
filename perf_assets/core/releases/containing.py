"""The first release with each commit, in one walk over a commit graph.

Each release is a bit, in the order of the releases' times. A walk from children to parents gives
each commit the bits of all releases that reach it: linear in commits, whatever the branches. So the
first release is the lowest bit, and the releases with a commit and without its fix are a difference
of bits.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from heapq import heappop, heappush
from typing import NamedTuple

import polars as pl
from packaging.version import Version

from perf_assets.core.releases.versions import COUNTED, Kind, main_package, named_version
from perf_assets.schema import schema_of
from perf_assets.schema.types import TIME, Columns

RELEASES: Columns = {
    "tag": pl.String,
    "release_version": pl.String,
    "package": pl.String,
    "release_kind": pl.String,
    "sha": pl.String,
    "released_at": TIME,
}
"""The columns of raw.releases that follow from git's tags alone."""


EARLY: tuple[Kind, ...] = ("rc", "nightly")
"""The kinds of releases that come before one for users."""


class Graph(NamedTuple):
    """Commits and the places of their parents among them; parents come first."""

    shas: Sequence[str]
    parents: Sequence[Sequence[int]]


class _Release(NamedTuple):
    at: datetime
    order: Version
    tag: str
    sha: str
    kind: Kind

    @property
    def is_counted(self) -> bool:
        """Return whether it is a release for users."""
        return self.kind in COUNTED


@dataclass(frozen=True)
class Releases:
    """The releases of one repository's main package, by their times; of one time, by versions.

    Of several releases of one commit the highest version stays (``v0.301.0`` is ``v3.1.0`` for
    programs that import it). Variants of a version (``2.43.0+stringlabels``) are left out.

    rows : columns as ``RELEASES``.
    """

    rows: pl.DataFrame

    @cached_property
    def ordered(self) -> list[_Release]:
        """The releases, in order."""
        is_counted = pl.col("release_kind").is_in(COUNTED)
        package = main_package(self.rows.filter(is_counted)["package"])
        own = self.rows.filter(pl.col("package").eq_missing(package))
        columns = ("released_at", "tag", "sha", "release_kind")
        highest: dict[tuple[str, bool], _Release] = {}
        for at, tag, sha, kind in own.select(columns).iter_rows():
            named = named_version(tag)
            if named is None or named.order.local is not None:
                continue
            release = _Release(at, named.order, tag, sha, kind)
            other = highest.setdefault((sha, release.is_counted), release)
            if (release.order, tag) > (other.order, other.tag):
                highest[sha, release.is_counted] = release
        return sorted(highest.values())

    @cached_property
    def counted(self) -> int:
        """The bits of the releases for users: final ones, and those with corrections."""
        return self._bits(COUNTED)

    @cached_property
    def early(self) -> int:
        """The bits of the releases for those who try what comes: candidates and nightly builds."""
        return self._bits(EARLY)

    def _bits(self, kinds: Collection[Kind]) -> int:
        return sum(1 << place for place, row in enumerate(self.ordered) if row.kind in kinds)

    @cached_property
    def following(self) -> dict[int, datetime]:
        """When, after the release of each place, the next one with a higher version came out."""
        found: dict[int, datetime] = {}
        waiting: list[tuple[Version, int]] = []
        for place, row in enumerate(self.ordered):
            if row.is_counted:
                while waiting and waiting[0][0] < row.order:
                    found[heappop(waiting)[1]] = row.at
                heappush(waiting, (row.order, place))
        return found


def with_bits(graph: Graph, tagged: Mapping[str, int], wanted: Collection[str]) -> dict[str, int]:
    """Return the bits of the releases that reach each of the ``wanted`` commits; 0 for none.

    tagged : the bits of the releases that point to a commit.
    """
    bits = [tagged.get(sha, 0) for sha in graph.shas]
    found = dict.fromkeys(wanted, 0)
    for place in range(len(bits) - 1, -1, -1):
        mask = bits[place]
        bits[place] = 0  # a long history has few open branches at a time
        for parent in graph.parents[place]:
            bits[parent] |= mask
        if graph.shas[place] in found:
            found[graph.shas[place]] = mask
    return found


def first_releases(
    repository: str,
    wanted: pl.DataFrame,
    releases: Releases,
    graph: Graph,
    copies: Mapping[str, Collection[str]],
) -> pl.DataFrame:
    """Return the first release with each wanted commit, by itself or by a copy of it.

    Parameters
    ----------
    wanted : columns fix_sha, sha, month: a commit, and the fix for which it is looked up.
    graph : everything that the releases reach.
    copies : the copies of a commit on branches of releases.

    Returns
    -------
    Columns as ``details.commit_releases``.
    """
    tagged: dict[str, int] = {}
    for place, release in enumerate(releases.ordered):
        tagged[release.sha] = tagged.get(release.sha, 0) | 1 << place
    shas = {*wanted["sha"], *wanted["fix_sha"]}
    others = (copy for sha in shas for copy in copies.get(sha, ()))
    found = with_bits(graph, tagged, {*shas, *others})
    rows = []
    for fix, sha, month in wanted.select("fix_sha", "sha", "month").iter_rows():
        bits = _with_copies(found, copies, sha)
        first = _first(bits & releases.counted)
        shipped = None if first is None else releases.ordered[first]
        early = _first(bits & releases.early)
        exposed = bits & releases.counted & ~_with_copies(found, copies, fix)
        rows.append(
            {
                "repository": repository,
                "fix_sha": fix,
                "sha": sha,
                "first_release": shipped and shipped.tag,
                "released_at": shipped and shipped.at,
                "copied_as": _copy_in(first, found, copies, sha),
                "next_release_at": None if first is None else releases.following.get(first),
                "first_pre_release": None if early is None else releases.ordered[early].tag,
                "exposed_releases": None if sha == fix else exposed.bit_count(),
                "month": month,
            }
        )
    return pl.DataFrame(rows, schema=schema_of("details.commit_releases"))


def landed_by(graph: Graph, tip: str) -> dict[str, str]:
    """Return the commit of the main line that brought each commit; itself for one of the line.

    Commits that the tip does not reach are left out. The main line are the first parents of the
    ``tip``.
    """
    number = {sha: place for place, sha in enumerate(graph.shas)}
    line = []
    place: int | None = number.get(tip)
    while place is not None:
        line.append(place)
        place = graph.parents[place][0] if graph.parents[place] else None
    brought: dict[str, str] = {}
    for start in reversed(line):
        waiting = [start]
        while waiting:
            commit = waiting.pop()
            if graph.shas[commit] not in brought:
                brought[graph.shas[commit]] = graph.shas[start]
                waiting += graph.parents[commit]
    return brought


def beside_the_line(graph: Graph, landed: Mapping[str, str], tagged: Collection[str]) -> list[str]:
    """Return the commits of branches of releases, where copies of the main line's commits are.

    They are all that the tip does not reach, and what came by the same merges as the first parents
    of a tagged commit: some projects merge their branches of releases back, once or many times.
    """
    number = {sha: place for place, sha in enumerate(graph.shas)}
    seen: set[str] = set()
    merges: set[str] = set()
    for tip in tagged:
        sha: str | None = tip
        while sha is not None and sha not in seen and landed.get(sha) != sha:
            seen.add(sha)
            if sha in landed:
                merges.add(landed[sha])
            parents = graph.parents[number[sha]]
            sha = graph.shas[parents[0]] if parents else None
    return [sha for sha in graph.shas if sha not in landed or landed[sha] in merges]


def _with_copies(found: Mapping[str, int], copies: Mapping[str, Collection[str]], sha: str) -> int:
    bits = found[sha]
    for copy in copies.get(sha, ()):
        bits |= found[copy]
    return bits


def _copy_in(
    first: int | None, found: Mapping[str, int], copies: Mapping[str, Collection[str]], sha: str
) -> str | None:
    """Return the copy that the release has instead of the commit itself."""
    if first is None or found[sha] >> first & 1:
        return None
    return min(copy for copy in copies.get(sha, ()) if found[copy] >> first & 1)


def _first(bits: int) -> int | None:
    return (bits & -bits).bit_length() - 1 if bits else None
