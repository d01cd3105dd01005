"""From an issue to its commits through a pull request: what a merge brought, what landed how."""

from datetime import UTC, datetime, timedelta
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perf_assets.core.linking.commit_graph import CommitGraph
from perf_assets.core.linking.links import APPROACHES, link_fixes
from perf_assets.core.linking.pull_requests import (
    History,
    PullRequest,
    foreign_numbers,
    landed_numbers,
)
from perf_assets.schema import schema_of

OWN = "owner/name"
DAY = datetime(2020, 5, 10, tzinfo=UTC)

# What a merge brought


@st.composite
def graphs(draw: st.DrawFn) -> dict[str, list[str]]:
    """Commits with up to three parents, some of them beyond the history."""
    parents: dict[str, list[str]] = {}
    for place in range(draw(st.integers(2, 14))):
        known = [*parents, "beyond"]
        size = draw(st.integers(0, 3))
        chosen = draw(st.lists(st.sampled_from(known), max_size=size, unique=True))
        parents[f"c{place}"] = chosen
    return parents


def reachable(parents: dict[str, list[str]], starts: list[str]) -> set[str]:
    seen: set[str] = set()
    left = list(starts)
    while left:
        sha = left.pop()
        if sha in parents and sha not in seen:
            seen.add(sha)
            left += parents[sha]
    return seen


@given(graphs())
def test_a_merge_brought_what_only_its_further_parents_reach(parents: dict[str, list[str]]) -> None:
    graph = CommitGraph(parents, parents)
    for sha, (first, *others) in ((s, p) for s, p in parents.items() if len(p) > 1):
        brought = graph.brought_by(sha)
        assert len(brought) == len(set(brought))
        assert set(brought) == reachable(parents, others) - reachable(parents, [first])


@given(graphs())
def test_the_main_line_is_one_line_of_first_parents(parents: dict[str, list[str]]) -> None:
    line = CommitGraph(parents, parents).main_line
    assert line
    tips = [sha for sha in line if all(parents[other][:1] != [sha] for other in line)]
    assert len(tips) == 1
    roots = [sha for sha in line if not parents[sha] or parents[sha][0] not in parents]
    assert len(roots) == 1


# What a message says to land


@pytest.mark.parametrize(
    ("message", "numbers"),
    [
        ("Merge pull request #12 from ann/topic\n\nFix the check", {12}),
        ("Squash pull request #12 from ann/topic", {12}),
        ("Fix the check (#12)", {12}),
        ("Fix the check (#12) (#34)", {34}),
        ("Fix\n\nPull Request resolved: https://github.com/Owner/Name/pull/12\n", {12}),
        ("Fix\n\nPR-URL: https://github.com/owner/name/pull/12", {12}),
        ("Fix\n\nCloses https://github.com/owner/name/pull/12\n", {12}),
        ("Fix\n\nCloses #12\n\nPiperOrigin-RevId: 995686296", {12}),
        (
            "PR #12: Fix\n\nImported from GitHub PR https://github.com/owner/name/pull/12\n\n"
            "COPYBARA_INTEGRATE_REVIEW=https://github.com/owner/name/pull/12 from ann:fix 0a1b",
            {12},
        ),
    ],
)
def test_a_landed_pull_request_is_read_from_the_message(message: str, numbers: set[int]) -> None:
    assert landed_numbers(message, OWN) == numbers


@pytest.mark.parametrize(
    "message",
    [
        "Fix the check, see #12",
        "Fix\n\nCloses #12",
        'Revert "Fix the check (#12)"\n\nThis reverts commit 0a1b.\n\n'
        "Reverted https://github.com/owner/name/pull/12 on behalf of ann",
        'Revert "Merge pull request #12 from ann/topic"',
        "PR #12: Fix\n\nImported from GitHub PR https://github.com/other/repo/pull/12\n\n"
        "Merging this change closes #12\n\nPiperOrigin-RevId: 995686296",
        "Fix\n\nPull Request resolved: https://github.com/owner/name-fork/pull/12",
    ],
)
def test_a_mention_a_revert_and_another_repository_land_nothing(message: str) -> None:
    assert landed_numbers(message, OWN) == set()


def test_a_number_with_an_address_here_is_not_foreign() -> None:
    message = "https://github.com/x/y/issues/3 https://github.com/x/y/pull/4 " * 2
    assert foreign_numbers(message + "https://github.com/owner/name/issues/4", OWN) == {3}


# How a pull request landed


def history(*rows: tuple[Any, ...], issues: tuple[int, ...] = ()) -> History:
    return History(commits(*rows), issues)


def commits(*rows: tuple[Any, ...]) -> pl.DataFrame:
    """Commits as (sha, parents, message, seconds, branch), the last three as far as given."""
    columns = ("sha", "parents", "message", "second", "branch")
    defaults = {"message": "Work", "second": 0, "branch": None}
    entries = [{**defaults, **dict(zip(columns, row, strict=False))} for row in rows]
    return pl.DataFrame(
        [
            {
                "repository": OWN,
                "sha": entry["sha"],
                "parents": entry["parents"].split(),
                "message": entry["message"],
                "committed_at": DAY + timedelta(seconds=entry["second"]),
                "month": "2020-05",
                "branch": entry["branch"],
            }
            for entry in entries
        ],
        schema_overrides={"branch": pl.String},
    )


def own(found: History, pull: PullRequest) -> list[set[str]]:
    return [set(landing.own) for landing in found.landings(pull)]


MERGE = (
    ("root", ""),
    ("a", "root"),
    ("s1", "root"),
    ("s2", "s1"),
    ("m", "a s2", "Merge pull request #12 from ann/topic"),
    ("tip", "m"),
)


def timed(row: tuple[str, ...], second: int) -> tuple[Any, ...]:
    """A row of (sha, parents, message) as committed so many seconds after the day began."""
    return (*(*row, "Work")[:3], second)


def test_a_merge_lands_the_commits_of_its_branch() -> None:
    (landing,) = history(*MERGE).landings(PullRequest(12))
    assert (landing.sha, set(landing.own), landing.is_merge) == ("m", {"s1", "s2"}, True)


def test_the_commit_that_github_names_wins_over_what_messages_say() -> None:
    found = history(*MERGE, ("top", "tip", "Fix (#12)"))
    assert own(found, PullRequest(12, merge_commit_sha="m")) == [{"s1", "s2"}]
    assert own(found, PullRequest(12, merge_commit_sha="top")) == [{"top"}]
    # A force push took the commit away: the messages are all there is.
    assert own(found, PullRequest(12, merge_commit_sha="gone")) == [{"s1", "s2"}, {"top"}]


def test_a_merge_that_brings_more_than_the_pull_request_has_counts_itself() -> None:
    assert own(history(*MERGE), PullRequest(12, merge_commit_sha="m", commits=1)) == [{"m"}]
    assert own(history(*MERGE), PullRequest(12, merge_commit_sha="m", commits=2)) == [{"s1", "s2"}]


LINE = [("r0", "")] + [(f"r{n}", f"r{n - 1}", f"Step {n}", n) for n in range(1, 5)]


def test_a_rebased_pull_request_is_as_many_commits_as_it_has() -> None:
    pull = PullRequest(12, merge_commit_sha="r4", commits=3)
    assert own(history(*LINE), pull) == [{"r2", "r3", "r4"}]


def test_two_commits_are_enough_for_a_rebase() -> None:
    pull = PullRequest(12, merge_commit_sha="r4", commits=2)
    assert own(history(*LINE), pull) == [{"r3", "r4"}]


@pytest.mark.parametrize(
    "change",
    [
        ("r4", "r3", "Step 4 (#12)", 4),  # squashed, as its message says
        ("r3", "r2", "Step 3 (#11)", 3),  # another squash just before
        ("r3", "r2", "Step 3", -3600),  # an hour before
        ("r3", "r2 x", "Merge branch x", 3),
    ],
)
def test_what_looks_otherwise_than_a_rebase_is_one_commit(change: tuple[Any, ...]) -> None:
    rows = [change if row[0] == change[0] else row for row in LINE]
    pull = PullRequest(12, merge_commit_sha="r4", commits=3)
    assert own(history(*rows, ("x", "r0")), pull) == [{"r4"}]


@pytest.mark.parametrize(
    ("seconds", "own_commits"),
    [
        ((0, 30, 60), {"r2", "r3", "r4"}),
        ((0, 30, 61), {"r4"}),  # the first of them is more than a minute older than the last
        ((0, 40, 80), {"r4"}),  # however near each of them is to the next
        ((60, 30, 0), {"r2", "r3", "r4"}),  # a clock that was set back
        ((61, 30, 0), {"r4"}),
    ],
)
def test_a_rebase_takes_a_minute_at_most(
    seconds: tuple[int, int, int], own_commits: set[str]
) -> None:
    line = [(f"r{n}", f"r{n - 1}", "Step", second) for n, second in enumerate(seconds, 2)]
    found = history(*LINE[:2], *line)
    assert own(found, PullRequest(12, merge_commit_sha="r4", commits=3)) == [own_commits]


FOREIGN = (
    *MERGE[:-1],
    ("f0", ""),
    ("f1", "f0"),
    ("f2", "f0 f1", "Merge pull request #7 from bob/theirs"),
    ("big", "m f2", "Merge pull request #30 from ann/import-their-history"),
)


def test_numbers_of_a_history_that_was_merged_in_land_nothing_here() -> None:
    found = history(*FOREIGN, issues=(7,))
    assert found.landings(PullRequest(7)) == []
    assert history(*FOREIGN).landings(PullRequest(7, is_merged=False)) == []
    assert own(history(*FOREIGN), PullRequest(30)) == [{"f0", "f1", "f2"}]


def test_off_the_main_line_a_message_counts_only_where_it_is_the_only_one() -> None:
    assert history(*FOREIGN).landings(PullRequest(7)) == []
    fork = [("f0", "root") if row == ("f0", "") else row for row in FOREIGN]
    assert own(history(*fork), PullRequest(7)) == [{"f1"}]
    twice = [*fork[:-1], ("f3", "f2", "More (#7)"), ("big", "m f3", "Merge branch 'theirs'")]
    assert history(*twice).landings(PullRequest(7)) == []


def test_a_cherry_pick_with_the_same_words_is_not_how_it_landed() -> None:
    rows = [*LINE[:2], ("r2", "r1", "Fix (#12)"), ("pick", "r0", "Fix (#12)", 5, "v1")]
    assert own(history(*rows), PullRequest(12)) == [{"r2"}]


# Issue to pull request to commits


def related(*rows: tuple[Any, ...]) -> pl.DataFrame:
    """Relations as (issue, pull request, relation, merge commit, commits, repository)."""
    defaults = (None, None, "linked", None, None, OWN)
    names = ("number", "pull_request", "relation", "merge_commit_sha", "commits")
    entries = [
        {
            **dict(
                zip((*names, "pull_request_repository"), row + defaults[len(row) :], strict=True)
            ),
            "is_merged": True,
        }
        for row in rows
    ]
    return pl.DataFrame(entries, schema_overrides=schema_of("raw.issue_pull_requests"))


def links(
    rows: pl.DataFrame, pulls: pl.DataFrame, count: tuple[str, ...] = APPROACHES
) -> dict[tuple[str, str], str]:
    """What becomes of each commit and approach: sized, repeated, or not counted."""
    issues = pl.DataFrame({"number": [7], "created_at": [DAY]})
    found = link_fixes(
        rows, issues, pl.DataFrame(schema=schema_of("raw.issue_events")), pulls, count
    )
    assert found["pull_request"].is_null().eq(found["approach"].is_in(["id", "url"])).all()
    found = found.filter(pl.col("approach") != "named_by_pull_request")
    return {
        (row["sha"], row["approach"]): "not counted"
        if not row["is_counted"]
        else "repeated"
        if row["is_repeated"]
        else "sized"
        for row in found.iter_rows(named=True)
    }


def test_the_commits_of_a_branch_make_the_size_and_no_merge_repeats_them() -> None:
    rows = commits(
        *MERGE[:4],
        ("s3", "s2 a", "Merge branch 'main' into topic"),
        ("m", "a s3", "Merge pull request #12 from ann/topic\n\nFixes #7"),
    )
    pulls = related((7, 12, "closer"), (7, 12))
    assert links(rows, pulls) == {
        ("s1", "pull_request"): "sized",
        ("s2", "pull_request"): "sized",
        ("s3", "pull_request"): "repeated",
        ("m", "pull_request"): "repeated",
        ("m", "id"): "repeated",
    }
    # The paper's rule knows messages only: the merge whose message names the issue is the fix.
    found = links(rows, pulls, ("url", "id"))
    assert {key for key, fate in found.items() if fate != "not counted"} == {("m", "id")}
    assert found["m", "id"] == "sized"


def test_a_merge_counts_where_none_of_its_commits_can() -> None:
    late = [timed(row, 60 if row[0] == "m" else -60) for row in MERGE[:5]]
    assert links(commits(*late), related((7, 12))) == {("m", "pull_request"): "sized"}


@pytest.mark.parametrize("early", ["s1", "s2"])
def test_one_commit_that_counts_is_enough_for_the_merge_to_be_a_repetition(early: str) -> None:
    rows = [timed(row, -60 if row[0] == early else 0) for row in MERGE[:5]]
    late = ({"s1", "s2"} - {early}).pop()
    assert links(commits(*rows), related((7, 12))) == {
        (late, "pull_request"): "sized",
        ("m", "pull_request"): "repeated",
    }


def test_a_merge_is_not_a_repetition_of_the_merges_that_it_brought() -> None:
    rows = commits(
        ("root", "", "Root", -90),
        ("a", "root", "Work", -90),
        ("s1", "root", "Work", -60),
        ("s2", "s1 a", "Merge branch 'main' into topic", 30),
        ("m", "a s2", "Merge pull request #12 from ann/topic", 60),
    )
    assert links(rows, related((7, 12))) == {
        ("s2", "pull_request"): "sized",
        ("m", "pull_request"): "sized",
    }


def test_a_merge_repeats_the_fix_of_one_issue_and_is_that_of_another() -> None:
    """The second issue was opened between the commits of the branch and their merge."""
    rows = commits(*[timed(row, 60 if row[0] == "m" else 0) for row in MERGE[:5]])
    issues = pl.DataFrame({"number": [7, 8], "created_at": [DAY, DAY + timedelta(seconds=30)]})
    events = pl.DataFrame(schema=schema_of("raw.issue_events"))
    found = link_fixes(rows, issues, events, related((7, 12), (8, 12)), APPROACHES)
    merges = found.filter(sha="m")
    assert merges.select("number", "is_repeated").rows() == [(7, True), (8, False)]


def test_pull_requests_of_other_repositories_and_commits_of_other_branches_do_not_count() -> None:
    rows = commits(*MERGE, ("b", "root", "Fix the check (#12)", 0, "v1"))
    assert links(rows, related((7, 12, "linked", "m", 2, "other/name"))) == {}
    assert links(rows, related((7, 12, "linked", "b", 1))) == {("b", "pull_request"): "not counted"}


def test_the_evidence_shows_the_whole_chain() -> None:
    issues = pl.DataFrame({"number": [7], "created_at": [DAY]})
    events = pl.DataFrame(schema=schema_of("raw.issue_events"))
    pulls = related((7, 12, "closer", "m"), (7, 12, "linked", "m", 2))
    found = link_fixes(commits(*MERGE), issues, events, pulls, APPROACHES)
    assert dict(found.select("sha", "evidence").iter_rows()) == {
        "m": "pull request #12 (closer, linked on GitHub), merged as m, this commit",
        "s1": "pull request #12 (closer, linked on GitHub), merged as m, which brought this commit",
        "s2": "pull request #12 (closer, linked on GitHub), merged as m, which brought this commit",
    }
