"""Fix links: what a commit message names, and what counts as an issue."""

from datetime import UTC, datetime, timedelta

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perf_assets.core.linking.links import APPROACHES, link_fixes
from perf_assets.core.linking.mentions import mentions
from perf_assets.schema import schema_of

OWN = "Owner/Name"


def named(message: str) -> set[tuple[int, str]]:
    return {(mention.number, mention.approach) for mention in mentions(message, OWN)}


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("Fix crash (#12)", {(12, "id")}),
        ("fixes #12", {(12, "id")}),
        ("Closes: GH-12 and gh-13.", {(12, "id"), (13, "id")}),
        ("owner/name#12", {(12, "id")}),
        ("see https://github.com/owner/NAME/issues/12#issuecomment-34", {(12, "url")}),
        ("http://www.github.com/Owner/Name/issues/12, #12", {(12, "url"), (12, "id")}),
        ("[#12] subject", {(12, "id")}),
        ("Merge pull request #9 from x/fix-7\n\nFix weight decay (#12)", {(12, "id")}),
        ("Fixes:\n- #12\n- #15 and more", {(12, "id"), (15, "id")}),
        ("#1 fix the first bug", {(1, "id")}),
    ],
)
def test_a_message_names_an_issue_by_url_or_number(
    message: str, expected: set[tuple[int, str]]
) -> None:
    assert named(message) == expected


@pytest.mark.parametrize(
    "message",
    [
        "other/repo#12",
        "Merge pull request #12 from other/branch",
        "see PR #12, #13 and #14",
        "https://github.com/other/repo/issues/12",
        "https://github.com/owner/name/pull/12",
        "https://github.com/owner/name-fork/issues/12",
        "https://example.org/page#12",
        "PR #12: cap it\n\nImported from GitHub PR https://github.com/other/repo/pull/12\n\n"
        "Merging this change closes #12",
        "text\n\n```\nfixes #12\n```\n",
        "text\n\n~~~\n#12",
        "text `#12` and ``#13``",
        "text\n\n    fixes #12\n\tfixes #13",
        "Tidy up\n\n#1 remove this\n#2 rename that\n#3 test",
        "Tidy up\n\n* #1 remove this\n* #2 rename that",
        "Tidy up\n\n- #1 remove this",
        "a#12 #12abc &#39; ##12 C-GH-12",
        "Bump x from 1 to 2\n\nBumps [x](https://github.com/o/x) from 1 to 2.\n- Fix leak (#12)",
        "Bump x from 1 to 2\n\nBumps\r\n[x](https://github.com/o/x) from 1 to 2.\r\n- Fix (#12)",
        "Bump the ci group\n\nBumps the ci group with 1 update: x.\n\n* Fix leak by @ann in #12",
        "",
    ],
)
def test_other_repositories_code_and_counted_items_name_nothing(message: str) -> None:
    assert named(message) == set()


def test_what_a_project_says_of_its_own_new_version_is_read() -> None:
    assert named("Bump version from 1.2 to 1.3\n\n* fixes #12") == {(12, "id")}
    message = "Bump x, fixes #12\n\nBumps [x](https://github.com/o/x) from 1 to 2.\n- Leak (#13)"
    assert named(message) == {(12, "id")}


def test_of_several_mentions_one_that_closes_the_issue_is_reported() -> None:
    texts = ("#7, fixes #7, resolves #7", "See https://github.com/owner/name/issues/7\n\nfix #7")
    assert [[m.evidence for m in mentions(text, OWN)] for text in texts] == [
        ["fixes #7"],
        ["https://github.com/owner/name/issues/7", "fix #7"],
    ]
    (closing,) = mentions("Closes: https://github.com/owner/name/issues/7", OWN)
    assert closing.evidence == "Closes: https://github.com/owner/name/issues/7"


def test_an_issue_in_a_message_that_also_counts_items_is_found() -> None:
    assert named("Tidy up\n\n#1 remove this\n#2 rename that\nFixes #7") == {(7, "id")}


def test_the_evidence_is_the_words_of_the_message() -> None:
    assert [m.evidence for m in mentions("This resolves issue #7 for good", OWN)] == [
        "resolves issue #7"
    ]


@given(st.text(max_size=300))
def test_any_text_can_be_read(message: str) -> None:
    assert all(mention.number >= 0 and mention.evidence for mention in mentions(message, OWN))


DAY = datetime(2020, 5, 10, tzinfo=UTC)


def commits(*rows: tuple[str, str | None, int]) -> pl.DataFrame:
    return pl.DataFrame(
        [
            {
                "repository": OWN,
                "sha": sha,
                "parents": [],
                "message": message,
                "committed_at": DAY + timedelta(days=day),
                "month": "2020-05",
                "branch": None,
            }
            for sha, message, day in rows
        ],
        schema_overrides={"parents": pl.List(pl.String), "branch": pl.String},
    )


def closed(*rows: tuple[int, str | None, int | None, str | None]) -> pl.DataFrame:
    schema = {
        "number": pl.Int64,
        "commit_sha": pl.String,
        "pull_request": pl.Int64,
        "closer_repository": pl.String,
    }
    return pl.DataFrame(rows, schema=schema, orient="row").with_columns(
        event_id=pl.int_range(pl.len()).cast(pl.String), created_at=DAY
    )


ISSUES = pl.DataFrame({"number": [7, 8], "created_at": [DAY, DAY + timedelta(days=5)]})


def link(
    commits: pl.DataFrame, closed_events: pl.DataFrame | None = None
) -> set[tuple[object, ...]]:
    events = closed() if closed_events is None else closed_events
    none = pl.DataFrame(schema=schema_of("raw.issue_pull_requests"))
    links = link_fixes(commits, ISSUES, events, none, ["url", "id"])
    assert dict(links.schema) == schema_of("links.fix_links")
    return set(links.select("number", "sha", "approach", "is_counted").iter_rows())


def test_only_issues_opened_before_the_commit_are_linked() -> None:
    rows = commits(("a", "fix #7 and #8 and #9", 1), ("b", "fix #8", 6), ("c", None, 7))
    assert link(rows) == {(7, "a", "id", True), (8, "b", "id", True)}


def test_a_closing_event_links_commits_of_the_repository_itself() -> None:
    events = closed(
        (7, "a", None, "owner/name"),
        (7, "b", 30, OWN),
        (7, "a", None, "other/fork"),
        (7, "unknown", None, OWN),
        (7, None, 31, OWN),
    )
    assert link(commits(("a", "x", 1), ("b", "y", 1)), events) == {
        (7, "a", "closed_by_commit", False),
        (7, "b", "closed_by_pull_request", False),
    }


def test_the_evidence_of_a_close_says_what_closed_it() -> None:
    events = closed((7, "a", None, OWN), (7, "b", 30, OWN))
    found = link_fixes(
        commits(("a", "x", 1), ("b", "y", 1)),
        ISSUES,
        events,
        pl.DataFrame(schema=schema_of("raw.issue_pull_requests")),
        APPROACHES,
    )
    assert dict(found.select("sha", "evidence").iter_rows()) == {
        "a": "closed by commit a",
        "b": "closed by pull request #30",
    }


def test_no_commits_give_an_empty_table() -> None:
    assert link(commits(("a", "x", 1)).clear()) == set()
