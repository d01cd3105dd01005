"""What commits do to others: reverts in all common words, reverts of reverts, and copies."""

from datetime import UTC, datetime, timedelta
from hashlib import sha1
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perf_assets.core.linking.commit_graph import CommitGraph
from perf_assets.core.linking.links import link_fixes
from perf_assets.core.linking.pull_requests import History
from perf_assets.core.linking.relations import relate_commits
from perf_assets.core.linking.revert_words import taken_back
from perf_assets.schema import schema_of
from tests.link_traps import LINE, NO_REVERTS, OWN, REVERTS

DAY = datetime(2020, 5, 10, tzinfo=UTC)
NONE = pl.DataFrame(schema=schema_of("raw.issue_pull_requests"))


def sha(name: str) -> str:
    """A hash that begins with digits and letters, and is the same in each run."""
    return "1a" + sha1(name.encode()).hexdigest()[2:]


def commits(*rows: tuple[Any, ...]) -> pl.DataFrame:
    """Commits as (name, parents, message, changed columns), an hour apart; {name} is its hash."""
    names = {row[0]: sha(row[0]) for row in rows}
    shorts = {f"{name}_7": value[:7] for name, value in names.items()}
    table = []
    for place, (name, parents, message, *changes) in enumerate(rows):
        when = DAY + timedelta(hours=place)
        row = {
            "repository": OWN,
            "sha": names[name],
            "parents": [names[parent] for parent in parents.split()],
            "message": message.format(**names, **shorts),
            "author_name": "Ann",
            "authored_at": when,
            "committed_at": when,
            "additions": 3,
            "deletions": place,
            "changed_files": 1,
            "is_merge": " " in parents,
            "month": "2020-05",
            "branch": None,
        }
        table.append(row | (changes[0] if changes else {}))
    return pl.DataFrame(table, schema_overrides={"branch": pl.String})


def related(
    *rows: tuple[Any, ...], pulls: pl.DataFrame = NONE, tip: str | None = None
) -> set[tuple[str, str, str]]:
    """What the last commit does to which others: (relation, name); and what all others do."""
    table = commits(*rows)
    history = History(table, [], (), None if tip is None else sha(tip))
    found = relate_commits(table, history, pulls)
    assert dict(found.schema) == schema_of("links.commit_relations")
    assert found["evidence"].str.len_chars().min() != 0
    names = {sha(row[0]): row[0] for row in rows}
    columns = found.select("sha", "relation", "related_sha").iter_rows()
    return {(names[one], relation, names[other]) for one, relation, other in columns}


@pytest.mark.parametrize(("message", "names"), REVERTS)
def test_sees_a_revert_in_all_common_words(message: str, names: str) -> None:
    found = related(*LINE, ("back", "last", message))
    assert found == {("back", "reverts", name) for name in names.split()}


@pytest.mark.parametrize("message", NO_REVERTS)
def test_takes_nothing_back_where_no_whole_commit_of_the_history_is_named(message: str) -> None:
    assert related(*LINE, ("back", "last", message)) == set()


def test_an_abbreviated_hash_that_two_commits_begin_with_names_none() -> None:
    pair = [("a", "", "A"), ("b", "a", "B", {"sha": sha("a")[:12] + "0" * 28})]
    table = commits(*pair, ("r", "a", f"This reverts commit {sha('a')[:10]}."))
    assert relate_commits(table, History(table, []), NONE).is_empty()


def test_a_revert_of_a_revert_restores_and_the_next_one_takes_back_again() -> None:
    first = ("r1", "last", 'Revert "Fix the crash (#210)"\n\nThis reverts commit {fix}.')
    second = ("r2", "r1", 'Revert "Revert "Fix the crash (#210)""\n\nThis reverts commit {r1}.')
    third = ("r3", "r2", "Undo\n\nThis reverts commit {r2}.")
    assert related(*LINE, first, second, third) == {
        ("r1", "reverts", "fix"),
        ("r2", "reverts", "r1"),
        ("r2", "restores", "fix"),
        ("r3", "reverts", "r2"),
        ("r3", "restores", "r1"),
        ("r3", "reverts", "fix"),
    }


@pytest.mark.parametrize(
    "message",
    [
        'Reapply "Fix the crash (#210)" (#215)',
        'Revert "Revert "Fix the crash (#210)" (#211)" (#215)',
        "Reland #210",
        'Re-land "Fix the crash"',
        "Relands commit {fix}",
    ],
)
def test_what_is_applied_again_is_restored(message: str) -> None:
    back = ("r1", "last", 'Revert "Fix the crash (#210)" (#211)\n\nReverts owner/name#210')
    found = related(*LINE, back, ("again", "r1", message))
    assert found == {
        ("r1", "reverts", "fix"),
        ("again", "reverts", "r1"),
        ("again", "restores", "fix"),
    }


MERGED = (
    ("root", "", "Start"),
    ("s1", "root", "Fix the crash\n\nFixes #110"),
    ("s2", "s1", "Test it"),
    ("m", "root s2", "Merge pull request #12 from ann/topic\n\nNo more crash"),
    ("next", "m", "Handle views"),
)


@pytest.mark.parametrize(
    "message",
    [
        "Undo\n\nThis reverts commit {m}, reversing\nchanges made to {root}.",
        'Revert "No more crash"',
        'Revert "Merge pull request #12 from ann/topic"',
        "Reverts owner/name#12",
    ],
)
def test_a_reverted_merge_takes_back_what_it_brought(message: str) -> None:
    found = related(*MERGED, ("r", "next", message))
    assert found == {("r", "reverts", name) for name in ("m", "s1", "s2")}


def test_the_branch_of_the_revert_button_names_the_pull_request() -> None:
    rows = (
        *MERGED,
        ("r", "next", "Undo it all"),
        ("rm", "next r", "Merge pull request #13 from owner/revert-12-topic\n\nUndo it all"),
    )
    assert related(*rows) == {("rm", "reverts", name) for name in ("m", "s1", "s2")}


def test_github_says_by_which_commit_a_pull_request_landed() -> None:
    pulls = pl.DataFrame(
        [
            {"repository": OWN, "number": 110, "pull_request_repository": OWN}
            | {"pull_request": 77, "relation": "closer", "is_merged": True}
            | {"merge_commit_sha": sha("more"), "month": "2020-05"}
        ],
        schema=schema_of("raw.issue_pull_requests"),
    )
    found = related(*LINE, ("back", "last", "Reverts owner/name#77"), pulls=pulls)
    assert found == {("back", "reverts", "more")}


def test_of_several_commits_with_a_subject_the_latest_on_the_line_is_taken_back() -> None:
    rows = (
        ("root", "", "Start"),
        ("a", "root", "fix"),
        ("b", "a", "fix"),
        ("other", "root", "fix"),
        ("r", "b", 'Revert "fix"'),
        ("m", "r other", "Merge branch 'other'"),
    )
    assert related(*rows) == {("r", "reverts", "b")}


def test_other_branches_take_nothing_back() -> None:
    back = ("back", "last", "This reverts commit {fix}.", {"branch": "v1"})
    assert related(*LINE, back) == set()


def test_a_picked_commit_is_a_copy() -> None:
    picked = ("copy", "last", "Fix the crash\n\n(cherry picked from commit {fix})")
    assert related(*LINE, picked) == {("copy", "copies", "fix")}
    again = ("again", "copy", "{fix}\n\n(cherry picked from commit {fix})\n"
             "(cherry picked from commit {copy})")  # fmt: skip
    assert related(*LINE, picked, again) >= {
        ("again", "copies", "fix"),
        ("again", "copies", "copy"),
    }


SAME = {"authored_at": DAY, "deletions": 1}


@pytest.mark.parametrize(
    ("changes", "is_copy"),
    [
        ({}, True),
        ({"message": "Fix it\n\nSigned-off-by: Bob <bob@example.org>"}, True),
        ({"message": "Fix it, too"}, False),
        ({"authored_at": DAY + timedelta(seconds=1)}, False),
        ({"author_name": "Bob"}, False),
        ({"additions": 4}, False),
    ],
)
def test_an_equal_patch_is_a_copy(changes: dict[str, Any], is_copy: bool) -> None:
    rows = (
        ("root", "", "Start"),
        ("a", "root", "Fix it", SAME),
        ("b", "root", "Fix it", SAME | changes),
        ("m", "a b", "Merge branch 'b'"),
    )
    assert {(relation, one) for one, relation, _ in related(*rows)} == (
        {("copies", "b")}
        if is_copy and sha("a") < sha("b")
        else {("copies", "a")}
        if is_copy
        else set()
    )


@given(st.text(max_size=300))
def test_any_text_can_be_read(message: str) -> None:
    for text in (message, f"Revert {message}", f"This reverts commit {message}"):
        assert all(named.name and named.words for named in taken_back(text))


# The main line, and what is not part of it


def test_the_main_line_are_the_first_parents_of_the_tip() -> None:
    parents = {
        "root": [], "a": ["root"], "s1": ["root"], "s2": ["s1"], "s3": ["s2"],
        "tip": ["a", "s3"],
    }  # fmt: skip
    assert CommitGraph(parents, parents, "tip").main_line == {"tip", "a", "root"}
    longer = {**parents, "s4": ["s3"], "tip": ["a", "s4"]}
    assert CommitGraph(longer, longer, "a").main_line == {"a", "root"}


def test_without_the_tip_the_longest_line_is_the_main_line() -> None:
    parents = {"root": [], "a": ["root"], "b": ["a"], "s": ["root"]}
    assert CommitGraph(parents, parents, "newer").main_line == {"b", "a", "root"}


IMPORTED = {
    "root": [], "a": ["root"], "x1": [], "x2": ["x1"], "old": ["gone"], "s": ["old"],
    "in": ["a", "x2"], "tip": ["in", "s"],
}  # fmt: skip


def test_a_merged_history_with_a_first_commit_of_its_own_is_unrelated() -> None:
    graph = CommitGraph(IMPORTED, IMPORTED, "tip")
    assert graph.unrelated == {"x1", "x2"}
    # What was made on top of both is ours, and what is not reachable nobody can judge.
    more = {**IMPORTED, "y": ["x2", "a"], "top": ["tip", "y"], "lone": []}
    assert CommitGraph(more, more, "top").unrelated == {"x1", "x2"}


def test_numbers_of_an_unrelated_history_are_of_another_tracker() -> None:
    rows = (
        ("root", "", "Start"),
        ("x1", "", "Fix #7"),
        ("x2", "x1", "Fix owner/name#7"),
        ("s", "root", "Fix #7"),
        ("m", "root x2", "Merge their history"),
        ("tip", "m s", "Merge branch 's'"),
    )
    issues = pl.DataFrame({"number": [7], "created_at": [DAY - timedelta(days=1)]})
    events = pl.DataFrame(schema=schema_of("raw.issue_events"))
    table = commits(*rows)
    history = History(table, [7], (), sha("tip"))
    found = link_fixes(table, issues, events, NONE, ["id"], history=history)
    assert set(found["sha"]) == {sha("x2"), sha("s")}


@given(st.data())
def test_a_commit_is_on_the_line_of_those_that_reach_it_by_first_parents(
    data: st.DataObject,
) -> None:
    parents: dict[str, list[str]] = {}
    for place in range(data.draw(st.integers(1, 12))):
        chosen = data.draw(st.lists(st.sampled_from([*parents, "beyond"]), max_size=2, unique=True))
        parents[f"c{place}"] = chosen
    graph = CommitGraph(parents, parents)
    for later in parents:
        line, here = set(), later
        while here in parents:
            line.add(here)
            here = graph.first_parent(here) or ""
        assert {one for one in parents if graph.is_on_line(one, later)} == line
