"""Pull requests that comments and merges name, and names that a repository had before."""

from datetime import UTC, datetime, timedelta

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perf_assets.core.linking.links import APPROACHES, link_fixes
from perf_assets.core.linking.mentions import mentions, named_pull_requests
from perf_assets.schema import schema_of

OWN, OLD = "owner/name", "Former/Name"
DAY = datetime(2020, 5, 10, tzinfo=UTC)


def history(*rows: tuple[str, str, str]) -> pl.DataFrame:
    """Commits as (sha, parents, message), an hour apart."""
    return pl.DataFrame(
        [
            {
                "repository": OWN,
                "sha": sha,
                "parents": parents.split(),
                "message": message,
                "committed_at": DAY + timedelta(hours=index + 1),
                "month": "2020-05",
                "branch": None,
            }
            for index, (sha, parents, message) in enumerate(rows)
        ],
        schema_overrides={"parents": pl.List(pl.String), "branch": pl.String},
    )


MERGED = (
    ("a", "", "Start"),
    ("s1", "a", "Work"),
    ("s2", "s1", "Tidy"),
    ("m", "a s2", "Merge pull request #12 from ann/topic\n\nHandle scalars (#7)"),
    ("q", "m", "Handle views (#13)"),
    ("z", "q", "Unrelated"),
)


def link(
    rows: pl.DataFrame,
    comments: dict[int, str] | None = None,
    aliases: tuple[str, ...] = (),
    pulls: pl.DataFrame | None = None,
    events: pl.DataFrame | None = None,
    count: tuple[str, ...] = APPROACHES,
) -> pl.DataFrame:
    comment_rows = [
        (index, number, body) for index, (number, body) in enumerate((comments or {}).items())
    ]
    return link_fixes(
        rows,
        pl.DataFrame({"number": [7, 20], "created_at": [DAY, DAY]}),
        pl.DataFrame(schema=schema_of("raw.issue_events")) if events is None else events,
        pl.DataFrame(schema=schema_of("raw.issue_pull_requests")) if pulls is None else pulls,
        count,
        comments=pl.DataFrame(comment_rows, ["comment_id", "number", "body"], orient="row")
        if comment_rows
        else None,
        aliases=aliases,
    )


def found(links: pl.DataFrame, approach: str) -> dict[tuple[int, str], bool]:
    """Issue and commit of the links of an approach, and whether each is repeated."""
    rows = links.filter(approach=approach)
    return {(n, s): r for n, s, r in rows.select("number", "sha", "is_repeated").iter_rows()}


def test_commits_that_a_merge_brought_are_linked_to_the_issue_that_it_names() -> None:
    links = link(history(*MERGED))
    assert found(links, "named_by_pull_request") == {(7, "s1"): False, (7, "s2"): False}
    assert found(links, "id") == {(7, "m"): True}
    (evidence,) = links.filter(approach="named_by_pull_request", sha="s1")["evidence"]
    assert evidence == (
        "pull request #12 (named '#7' by its merge), merged as m, which brought this commit"
    )
    by_rule = link(history(*MERGED), count=("url", "id"))
    assert by_rule.filter("is_counted").select("sha", "is_repeated").rows() == [("m", False)]


def test_a_merge_without_a_pull_request_brings_no_links() -> None:
    rows = (*MERGED[:3], ("m", "a s2", "Merge branch 'topic'\n\nFixes #7"))
    assert found(link(history(*rows)), "named_by_pull_request") == {}


@pytest.mark.parametrize(
    "comment",
    [
        "Fixed by #13.",
        "see owner/name#13",
        "https://github.com/OWNER/name/pull/13",
        "https://www.github.com/owner/name/pull/13/files",
        "I made a pull request (#13). It is similar to what you had.",
    ],
)
def test_a_pull_request_that_a_comment_names_is_linked(comment: str) -> None:
    assert found(link(history(*MERGED), {7: comment}), "named_in_comment") == {(7, "q"): False}


@pytest.mark.parametrize(
    "comment",
    [
        "#14 is not there",
        "see #20",
        "other/name#13",
        "https://github.com/owner/name/issues/13",
        "https://github.com/owner/name/pull/13#issuecomment-4021",
        "#13 (comment)",
        "> Fixed by #13",
        "`#13` and\n\n    #13\n\n```\n#13\n```",
        "This was caused by #13.",
        "It is blocked on #13, sorry",
        "That is still so after #13, which did not fix it",
        "#13 doesn't solve it",
        "#130",
    ],
)
def test_a_comment_that_names_no_fix_links_nothing(comment: str) -> None:
    assert found(link(history(*MERGED), {7: comment}), "named_in_comment") == {}


def test_a_pull_request_older_than_the_issue_is_not_a_fix() -> None:
    assert found(link(history(*MERGED), {20: "#13"}), "named_in_comment") == {}


def test_the_merge_of_a_pull_request_that_a_comment_names_adds_no_size() -> None:
    links = link(history(*MERGED), {7: "Fixed by #12"})
    assert found(links, "named_in_comment") == {
        (7, "s1"): False,
        (7, "s2"): False,
        (7, "m"): True,
    }
    assert set(links.filter(approach="named_in_comment")["pull_request"]) == {12}


@given(st.text(max_size=200))
def test_any_comment_can_be_read(comment: str) -> None:
    assert all(words for words in named_pull_requests(comment, OWN).values())


# Names before


def test_what_is_said_of_a_former_name_is_said_of_the_repository() -> None:
    rows = history(
        ("a", "", "Fix https://github.com/former/name/issues/7"),
        ("b", "a", "former/name#7"),
        ("c", "b", "Land\n\nPull Request resolved: https://github.com/former/name/pull/30"),
    )
    events = pl.DataFrame(
        [
            {
                "number": 20,
                "event_id": "1",
                "commit_sha": "b",
                "closer_repository": "FORMER/name",
                "created_at": DAY,
            }
        ],
        schema_overrides=schema_of("raw.issue_events"),
    ).with_columns(pull_request=pl.lit(None, pl.Int64))
    pulls = pl.DataFrame(
        [
            {
                "number": 20,
                "pull_request": 30,
                "pull_request_repository": "former/Name",
                "relation": "linked",
                "is_merged": False,
            }
        ],
        schema_overrides=schema_of("raw.issue_pull_requests"),
    ).with_columns(merge_commit_sha=pl.lit(None, pl.String), commits=pl.lit(None, pl.Int64))
    comment_rows = {7: "https://github.com/former/name/pull/30"}
    known = link(rows, comment_rows, (OLD,), pulls, events)
    assert {(n, s, a) for n, s, a, *_ in known.select("number", "sha", "approach").iter_rows()} == {
        (7, "a", "url"),
        (7, "b", "id"),
        (20, "b", "closed_by_commit"),
        (20, "c", "pull_request"),
        (7, "c", "named_in_comment"),
    }
    assert set(known["repository"]) == {OWN}
    assert link(rows, comment_rows, (), pulls, events).is_empty()


@given(st.sampled_from(["owner/name", "former/name", "third/name"]), st.integers(1, 10**6))
def test_every_name_of_a_repository_is_as_good_as_another(name: str, number: int) -> None:
    message = f"Fix https://github.com/{name}/issues/{number}, {name}#{number}"
    names = (OWN, OLD)
    is_own = name.casefold() in {one.casefold() for one in names}
    assert {one.approach for one in mentions(message, *names)} == (
        {"url", "id"} if is_own else set()
    )
