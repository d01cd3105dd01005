"""The first release with a commit, by the graph and by copies."""

from datetime import UTC, datetime, timedelta

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from perf_assets.core.releases.containing import (
    RELEASES,
    Graph,
    Releases,
    first_releases,
    landed_by,
    with_bits,
)
from perf_assets.core.releases.copies import copies_of
from perf_assets.core.releases.versions import named_version

DAY = datetime(2020, 1, 1, tzinfo=UTC)
REPOSITORY = "owner/name"


def releases(*rows: tuple[str, str, int]) -> Releases:
    """Releases as (tag, sha, day)."""
    made = []
    for tag, sha, day in rows:
        named = named_version(tag)
        assert named is not None
        made.append((tag, *named[:3], sha, DAY + timedelta(days=day)))
    return Releases(pl.DataFrame(made, schema=RELEASES, orient="row"))


def graph(*lines: str) -> Graph:
    """Commits as "sha parents", parents first."""
    shas = [line.split()[0] for line in lines]
    return Graph(shas, [[shas.index(p) for p in line.split()[1:]] for line in lines])


def found(wanted, released, commits, copies=None) -> dict[tuple[str, str], dict]:
    frame = pl.DataFrame(
        [(*pair, "2020-01") for pair in wanted], schema=["fix_sha", "sha", "month"], orient="row"
    )
    rows = first_releases(REPOSITORY, frame, released, commits, copies or {})
    return {(row["fix_sha"], row["sha"]): row for row in rows.iter_rows(named=True)}


# a ── b ── c ── f ── g      main
#      └─── r ── p           release 1.0.x; p is a copy of f
HISTORY = graph("a", "b a", "c b", "f c", "g f", "r b", "p r")
LINE = releases(("v1.0", "b", 1), ("v1.1rc1", "c", 5), ("v1.1", "g", 20), ("v1.0.1", "r", 8))


def test_a_fix_is_in_the_first_release_by_time_that_reaches_it():
    rows = found([("f", "f"), ("f", "a"), ("c", "c"), ("x", "x")], LINE, HISTORY)
    assert rows["f", "f"]["first_release"] == "v1.1"
    assert rows["f", "f"]["exposed_releases"] is None
    assert (rows["f", "a"]["first_release"], rows["f", "a"]["exposed_releases"]) == ("v1.0", 2)
    assert rows["f", "a"]["next_release_at"] == DAY + timedelta(days=8)
    assert (rows["c", "c"]["first_pre_release"], rows["c", "c"]["first_release"]) == (
        "v1.1rc1",
        "v1.1",
    )
    assert rows["x", "x"]["first_release"] is None
    assert rows["f", "f"]["next_release_at"] is None


def test_a_copy_on_a_branch_of_releases_ships_the_fix():
    shipped = releases(
        *(("v1.0", "b", 1), ("v1.1rc1", "c", 5), ("v1.1", "g", 20)),
        *(("v1.0.1", "r", 8), ("v1.0.2", "p", 12)),
    )
    rows = found([("f", "f"), ("f", "a")], shipped, HISTORY, {"f": ["p"]})
    assert (rows["f", "f"]["first_release"], rows["f", "f"]["copied_as"]) == ("v1.0.2", "p")
    assert rows["f", "a"]["exposed_releases"] == 2


def test_a_release_of_an_older_branch_is_not_the_next_one():
    lines = releases(("v2.0", "c", 1), ("v1.0.1", "r", 2), ("v2.1", "g", 9))
    rows = found([("c", "c")], lines, HISTORY)
    assert rows["c", "c"]["next_release_at"] == DAY + timedelta(days=9)


def test_only_the_package_with_the_most_releases_counts():
    lines = releases(("sdk-v1.0", "a", 1), ("v1.0", "b", 2), ("v1.1", "c", 3))
    rows = found([("a", "a")], lines, HISTORY)
    assert rows["a", "a"]["first_release"] == "v1.0"


def test_several_tags_of_a_commit_are_one_release_and_variants_are_none():
    lines = releases(
        *(("v0.301.0", "b", 2), ("v3.1.0", "b", 2), ("v3.1.0+lite", "c", 2), ("v3.2.0", "f", 4)),
        ("v3.2.0-rc.0", "f", 3),
    )
    rows = found([("f", "b"), ("f", "f")], lines, HISTORY)
    assert (rows["f", "b"]["first_release"], rows["f", "b"]["exposed_releases"]) == ("v3.1.0", 1)
    assert rows["f", "f"]["first_pre_release"] == "v3.2.0-rc.0"


@st.composite
def histories(draw) -> Graph:
    count = draw(st.integers(1, 12))
    parents = [
        sorted(draw(st.sets(st.integers(0, place - 1), max_size=3)) if place else set())
        for place in range(count)
    ]
    return Graph([f"c{place}" for place in range(count)], parents)


def reached(commits: Graph, start: int) -> set[int]:
    waiting, seen = [start], set()
    while waiting:
        place = waiting.pop()
        seen.add(place)
        waiting += [parent for parent in commits.parents[place] if parent not in seen]
    return seen


@given(histories(), st.data())
def test_bits_are_those_of_all_releases_that_reach_a_commit(commits, data):
    places = st.integers(0, len(commits.shas) - 1)
    tags = data.draw(st.lists(places, max_size=6))
    tagged: dict[str, int] = {}
    for bit, place in enumerate(tags):
        tagged[commits.shas[place]] = tagged.get(commits.shas[place], 0) | 1 << bit
    bits = with_bits(commits, tagged, [*commits.shas, "absent"])
    assert bits.pop("absent") == 0
    for place, sha in enumerate(commits.shas):
        expected = {bit for bit, tag in enumerate(tags) if place in reached(commits, tag)}
        assert {bit for bit in range(len(tags)) if bits[sha] >> bit & 1} == expected


@given(histories())
def test_each_commit_landed_by_the_first_of_the_main_line_that_reaches_it(commits):
    tip = len(commits.shas) - 1
    line = [tip]
    while commits.parents[line[-1]]:
        line.append(commits.parents[line[-1]][0])
    landed = landed_by(commits, commits.shas[tip])
    assert landed.keys() == {commits.shas[place] for place in reached(commits, tip)}
    for sha, landing in landed.items():
        first = next(p for p in reversed(line) if commits.shas.index(sha) in reached(commits, p))
        assert landing == commits.shas[first]


def commit(sha: str, message: str, author: str = "Ann", day: int = 0) -> dict:
    return {
        "sha": sha,
        "author_name": author,
        "authored_at": DAY + timedelta(days=day),
        "message": message,
    }


def copied(original: dict, *others: dict, landing: dict | None = None) -> set[str]:
    landing = landing or original
    commits = pl.DataFrame([original, landing]).unique("sha")
    wanted = {original["sha"]: landing["sha"]}
    return copies_of(wanted, commits, pl.DataFrame(others)).get(original["sha"], set())


FIX = commit("f" * 40, "Speed up merge (#120)\n\nFixes #11")
MERGE = commit("e" * 40, "Merge pull request #120 from ann/fast\n\nSpeed up merge", "Bob", 3)
OTHER = {"author": "Cy", "day": 9}


def test_copies_are_known_by_what_they_keep_or_say():
    others = [
        commit("1" * 40, f"Faster\n\n(cherry picked from commit {'f' * 12})", **OTHER),
        commit("2" * 40, "Speed up merge (#120)", day=0),
        commit("3" * 40, "Backport PR #120: Speed up merge (#125)", **OTHER),
        commit("4" * 40, "Merge pull request #126 from cy/backport-120\n\nSpeed up merge", **OTHER),
        commit("5" * 40, "Speed up merge (#120) (#127)", **OTHER),
        commit("6" * 40, "Speed up merge", **OTHER),
        commit("7" * 40, 'Revert "Backport PR #120: Speed up merge (#125)"', **OTHER),
        commit("8" * 40, "Backport PR #12: another", **OTHER),
        commit("9" * 40, "Something else (#120)", **OTHER),
        commit("0" * 40, "", **OTHER),
        commit("a" * 40, "Several fixes (#130)\n\n* Speed up merge (#120)\n\n* x", **OTHER),
        commit("b" * 40, "Merge pull request #131 from cy/backport-1.9-gh-120", **OTHER),
        commit("c" * 40, "Merge pull request #132 from cy/backports-1.9.120", **OTHER),
    ]
    assert copied(FIX, *others) == {digit * 40 for digit in "12345ab"}


def test_a_copy_of_the_merge_brings_its_commits():
    own = commit("d" * 40, "Use a hash table")
    others = [
        commit("1" * 40, f"x\n\n(cherry picked from commit {'e' * 40})", **OTHER),
        commit("2" * 40, "Merge pull request #120 from ann/fast\n\nSpeed up merge", "Bob", 3),
        commit("3" * 40, "[1.x] backport #120", **OTHER),
        commit("4" * 40, "Use a hash table"),
        commit("5" * 40, "Use another table"),
    ]
    assert copied(own, *others, landing=MERGE) == {digit * 40 for digit in "1234"}


@given(st.text(), st.text())
def test_any_messages_are_read(one, two):
    assert copied(commit("a" * 40, one), commit("b" * 40, two, **OTHER)) in (set(), {"b" * 40})
