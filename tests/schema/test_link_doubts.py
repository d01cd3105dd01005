"""The SQL models of doubts about links, and of the commits that count as fixes."""

from typing import Any

import pytest

from tests.model_database import Build
from tests.rows import (
    PYTORCH,
    Row,
    commit,
    issue,
    label,
    link,
    listed_bug,
    listed_commit,
    listed_fix,
    sha,
)
from tests.rows import repository as studied
from tests.schema.link_rows import CLOSED, OPENED, bugs, done, through

pytestmark = pytest.mark.slow


def doubts(build: Build, commits: list[Row], links: list[Row], *numbers: int) -> dict[Any, Any]:
    tables = {**bugs(*(numbers or (200,))), "raw.commits": commits, "links.fix_links": links}
    rows = build(tables).table("intermediate.link_warnings", "number, sha, doubts")
    return {(number, name): found for number, name, found in rows}


# Doubts


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, []),
        ({"authored_at": "2020-01-08T23:59:59Z"}, ["written_a_day_before_report"]),
        ({"authored_at": "2020-01-09T00:00:00Z"}, []),
        ({"committed_at": "2020-04-19T00:00:01Z"}, ["commit_90_days_after_close"]),
        ({"committed_at": "2020-04-19T00:00:00Z"}, []),
        ({"message": 'Revert "Fix it"'}, ["is_a_revert"]),
    ],
)
def test_a_commit_is_doubted_beyond_the_bound_of_a_rule(
    build: Build, change: Row, expected: list[str]
) -> None:
    found = doubts(build, [done("a", **change)], [link(200, "a"), link(200, "a", "url")])
    assert found == {(200, sha("a")): expected}


def test_low_numbers_and_commits_that_serve_five_bugs_are_doubted(build: Build) -> None:
    numbers = (99, 100, 101, 102, 103)
    links = [link(number, "a") for number in numbers] + [link(n, "b") for n in numbers[1:]]
    found = doubts(build, [done("a"), done("b")], links, *numbers)
    assert found[99, sha("a")] == ["issue_number_below_100", "commit_serves_five_bugs"]
    assert found[100, sha("a")] == ["commit_serves_five_bugs"]
    assert found[100, sha("b")] == []


def relation(name: str, does: str, other: str) -> Row:
    return {
        "repository": "owner/name",
        "sha": sha(name),
        "related_sha": sha(other),
        "relation": does,
        "evidence": "This reverts commit",
        "month": "2020-01",
    }


def hourly(*names: str) -> list[Row]:
    """Commits an hour apart, of 1, 2, 4, 8 ... lines, so that a sum says which were added."""
    return [
        commit(name, f"2020-01-15T{hour:02}:00:00Z", 2**hour, 0) for hour, name in enumerate(names)
    ]


def size_of(build: Build, commits: list[Row], links: list[Row], relations: list[Row]) -> Any:
    """The size of the fix of bug 200."""
    tables = {**bugs(200), "raw.commits": commits, "links.fix_links": links}
    database = build(tables | {"links.commit_relations": relations})
    ((size,),) = database.table("intermediate.fixes", "fix_size")
    return size


def test_what_was_taken_back_last_is_doubted_and_what_was_restored_is_not(build: Build) -> None:
    commits = hourly("fix", "back", "again", "never")
    relations = [relation("back", "reverts", "fix"), relation("again", "reverts", "back")]
    links = [link(200, name) for name in ("fix", "back", "never")]

    def found(*more: Row) -> dict[str, list[str]]:
        tables = {**bugs(200), "raw.commits": commits, "links.fix_links": links}
        database = build(tables | {"links.commit_relations": [*relations, *more]})
        return dict(database.table("intermediate.link_warnings", "sha, doubts"))

    assert found() == {
        sha("fix"): ["reverted_later"],
        sha("back"): ["reverted_later", "is_a_revert"],
        sha("never"): [],
    }
    assert found(relation("again", "restores", "fix"))[sha("fix")] == []
    third = relation("never", "reverts", "fix")
    assert found(relation("again", "restores", "fix"), third)[sha("fix")] == ["reverted_later"]


def test_a_fix_is_what_stays_of_fix_revert_and_second_fix(build: Build) -> None:
    commits = hourly("fix", "back", "second", "again")
    links = [link(200, name) for name in ("fix", "back", "second")]
    back = relation("back", "reverts", "fix")
    assert size_of(build, commits, links, [back]) == 4
    again = [relation("again", "reverts", "back"), relation("again", "restores", "fix")]
    assert size_of(build, commits, links, [back, *again]) == 1 + 4
    # What applies it again shows its lines again.
    assert size_of(build, commits, [*links, link(200, "again")], [back, *again]) == 1 + 4
    # With nothing in its place the fix that was taken back counts, with its doubt.
    assert size_of(build, commits, links[:2], [back]) == 1


def test_a_revert_can_fix_another_issue(build: Build) -> None:
    commits = hourly("change", "back")
    back = relation("back", "reverts", "change")
    assert size_of(build, commits, [link(200, "back")], [back]) == 2


@pytest.mark.parametrize(("is_linked", "size"), [(True, 1), (False, 2)])
def test_a_copy_counts_only_without_its_original(build: Build, is_linked: bool, size: int) -> None:
    commits = hourly("fix", "copy")
    links = [link(200, "fix", is_counted=is_linked), link(200, "copy")]
    copies = relation("copy", "copies", "fix")
    assert size_of(build, commits, links, [copies]) == size
    tables = {**bugs(200), "raw.commits": commits, "links.fix_links": links}
    database = build(tables | {"links.commit_relations": [copies]})
    found = dict(database.table("intermediate.link_warnings", "sha, doubts"))
    assert found[sha("copy")] == ["is_a_copy"]


def test_a_copy_of_what_was_taken_back_is_the_fix(build: Build) -> None:
    commits = hourly("fix", "back", "copy")
    links = [link(200, "fix"), link(200, "copy")]
    relations = [relation("back", "reverts", "fix"), relation("copy", "copies", "fix")]
    assert size_of(build, commits, links, relations) == 4


@pytest.mark.parametrize(
    ("links", "expected"),
    [
        ([link(200, "a") | {"evidence": "Closes #200"}], []),
        ([link(200, "a", "plain_id")], []),
        ([link(200, "a", "closed_by_commit")], []),
        ([through(200, "a", 9)], []),
        ([link(200, "a") | {"evidence": "#200"}], ["only_mentioned"]),
        ([through(200, "a", 9, "named_by_pull_request")], ["only_named_by_merge"]),
        ([through(200, "a", 9, "named_in_comment")], ["only_named_in_comment"]),
        (
            [link(200, "a") | {"evidence": "#200"}, through(200, "a", 9, "named_in_comment")],
            ["only_mentioned"],
        ),
        ([link(200, "a") | {"evidence": "#200"}, through(200, "a", 9)], []),
    ],
)
def test_a_link_that_is_not_certain_says_what_it_rests_on(
    build: Build, links: list[Row], expected: list[str]
) -> None:
    assert doubts(build, [done("a")], links) == {(200, sha("a")): expected}


def test_published_links_are_doubted_by_the_times_and_numbers_that_are_known(build: Build) -> None:
    bugs_served = range(300, 305)
    database = build(
        {
            "replication.bugs": [
                listed_bug(99, "2020-01-10T00:00:00+00:00", 1440.0),
                *(listed_bug(number, "2020-01-10T00:00:00+00:00") for number in bugs_served),
            ],
            "replication.fixes": [listed_fix(number) for number in (99, *bugs_served)],
            "replication.fix_commits": [
                listed_commit(99, "early", "2020-01-08T23:59:59Z"),
                listed_commit(99, "late", "2020-04-10T00:00:01Z", 2),
                *(listed_commit(number, "tidy", "2020-01-11T00:00:00Z") for number in bugs_served),
            ],
        }
    )
    rows = database.table("intermediate.link_warnings", "number, sha, doubts")
    found = {(number, name): doubts for number, name, doubts in rows}
    assert found[99, sha("early")] == ["issue_number_below_100", "written_a_day_before_report"]
    assert found[99, sha("late")] == ["issue_number_below_100", "commit_90_days_after_close"]
    assert found[300, sha("tidy")] == ["commit_serves_five_bugs"]


def test_doubts_of_the_same_commit_differ_by_dataset_and_issue(build: Build) -> None:
    mined = {"repository": PYTORCH}
    database = build(
        {
            "meta.repositories": [studied(PYTORCH)],
            "raw.issues": [issue(number, OPENED, CLOSED, **mined) for number in (200, 201)],
            "labels.performance_labels": [label(number, **mined) for number in (200, 201)],
            "raw.commits": [done("a", "2020-01-08T00:00:00Z", **mined)],
            "links.fix_links": [
                link(200, "a") | mined,
                link(201, "a", is_counted=False) | mined,
            ],
            "replication.bugs": [listed_bug(200, "2020-01-08T00:00:00+00:00")],
            "replication.fixes": [listed_fix(200)],
            "replication.fix_commits": [listed_commit(200, "a", "2020-01-08T00:00:00Z")],
        }
    )
    columns = "dataset, number, is_performance, additions, deletions, doubts"
    assert database.table("intermediate.counted_links", columns, "dataset") == [
        ("live", 200, False, 1, 0, ["written_a_day_before_report"]),
        ("replication", 200, False, 3, 1, []),
    ]
    # What does not count is doubted all the same.
    assert len(database.table("intermediate.link_warnings")) == 3


# Fixes without a line


@pytest.mark.parametrize(("lines", "expected"), [((0, 0), ["changes_no_line"]), ((0, 1), [])])
def test_a_commit_that_changes_no_line_is_doubted(
    build: Build, lines: tuple[int, int], expected: list[str]
) -> None:
    additions, deletions = lines
    commits = [commit("a", "2020-01-15T00:00:00Z", additions, deletions)]
    assert doubts(build, commits, [link(200, "a")])[200, sha("a")] == expected


# Fixes of many commits


@pytest.mark.parametrize(("size", "is_doubted"), [(49, False), (50, True)])
def test_a_fix_of_fifty_commits_is_doubted(build: Build, size: int, is_doubted: bool) -> None:
    names = [f"n{index}" for index in range(size)]
    links = [link(200, name) for name in names]
    # What does not count makes no fix larger.
    links += [link(200, name, "named_in_comment", is_counted=False) for name in ("y", "z")]
    commits = [done(name) for name in (*names, "y", "z")]
    found = doubts(build, commits, links)
    assert {tuple(found[200, sha(name)]) for name in names} == {
        ("fix_of_50_commits",) if is_doubted else ()
    }
    assert found[200, sha("y")] == ["only_named_in_comment"]
