"""Who is who in the models: programs, members, addresses that are one person's, and who fixes."""

from typing import Any

import pytest

from tests.model_database import Build
from tests.rows import REPOSITORY, Row, bug, bugs, comment, commit, event, link, sha

pytestmark = pytest.mark.slow

OPENED = "2020-01-05T00:00:00Z"


def decision(account: str, what: str, other: str = "") -> Row:
    return {"account": account, "decision": what, "other": other}


def written(name: str, email: str, **changes: Any) -> Row:
    return commit(name, "2020-01-09T00:00:00Z", 1, 0, author_email=email, canonical_email=email) | (
        changes
    )


# staging.accounts


def replies(author: str, count: int, seconds: int, body: str = "Hello @x, see {}") -> list[Row]:
    return [
        comment(
            number,
            1000 * len(author) + number,
            f"2020-01-05T00:{seconds // 60:02}:{seconds % 60:02}Z",
            author,
            body=body.format(number),
        )
        for number in range(1, count + 1)
    ]


@pytest.mark.parametrize(
    ("login", "reason"),
    [
        ("facebook-github-bot", "name"),
        ("bot-of-somebody", "name"),
        ("k8s-ci-robot", "name"),
        ("pytorchBot", "name"),
        ("talbot", None),
        ("robotics-lab", None),
        ("abbott", None),
        ("ci[bot]", "github"),
    ],
)
def test_a_name_may_say_that_a_program_uses_the_account(
    build: Build, login: str, reason: str | None
) -> None:
    database = build({**bugs(bug(1, OPENED)), "raw.issue_comments": replies(login, 1, 600)})
    found = database.table("staging.accounts", "login, is_bot, bot_reason")
    assert (login, reason is not None, reason) in found


@pytest.mark.parametrize(
    ("count", "seconds", "body", "is_bot"),
    [
        pytest.param(10, 90, "Hello @x, see {}", True, id="one wording, at once"),
        pytest.param(9, 90, "Hello @x, see {}", False, id="too few"),
        pytest.param(10, 121, "Hello @x, see {}", False, id="later"),
        pytest.param(10, 90, "Build {0}: https://ci.org/{0}", True, id="numbers and addresses"),
        pytest.param(10, 90, None, False, id="words of its own each time"),
    ],
)
def test_behaviour_identifies_a_program_that_github_takes_for_a_user(
    build: Build, count: int, seconds: int, body: str | None, is_bot: bool
) -> None:
    rows = replies("greeter", count, seconds, body or "")
    if body is None:
        rows = [{**row, "body": chr(97 + index) * 9} for index, row in enumerate(rows)]
    reports = bugs(*(bug(number, OPENED) for number in range(1, count + 1)))
    database = build({**reports, "raw.issue_comments": rows})
    found = dict(database.table("staging.accounts", "login, bot_reason"))
    assert found["greeter"] == ("behaviour" if is_bot else None)
    metric = database.table("marts.bug_metrics", "sum(comments), sum(comments_with_bots)")
    assert metric == [(0 if is_bot else count, count)]


def test_the_study_file_goes_before_github_and_names(build: Build) -> None:
    rows = [*replies("Ci[bot]", 1, 5), *replies("some-bot", 1, 6), *replies("carol", 1, 7)]
    decisions = [decision("ci[bot]", "person"), decision("carol", "bot")]
    database = build(
        {
            **bugs(bug(1, OPENED)),
            "raw.issue_comments": rows,
            "meta.account_decisions": decisions,
        }
    )
    found = {
        name: rest
        for name, *rest in database.table("staging.accounts", "login, is_bot, bot_reason")
    }
    assert found["Ci[bot]"] == [False, "study_file"]
    assert found["carol"] == [True, "study_file"]
    assert found["some-bot"] == [True, "name"]


def test_an_account_is_what_it_was_at_its_closest(build: Build) -> None:
    rows = [
        comment(1, 1, "2020-01-06T00:00:00Z", "ada", author_association="NONE"),
        comment(1, 2, "2020-01-07T00:00:00Z", "ada", author_association="MEMBER"),
        comment(1, 3, "2020-01-08T00:00:00Z", "bob", author_association="CONTRIBUTOR"),
        comment(1, 4, "2020-01-09T00:00:00Z", "eve"),
    ]
    database = build({**bugs(bug(1, OPENED, author="ada")), "raw.issue_comments": rows})
    assert database.table("staging.accounts", "login, association, is_member, contributions") == [
        ("ada", "MEMBER", True, 3),
        ("bob", "CONTRIBUTOR", False, 1),
        ("eve", None, None, 1),
    ]


# marts.bug_metrics


@pytest.mark.parametrize(
    ("comments", "closed", "first", "of_member", "unanswered"),
    [
        pytest.param([], None, None, None, 240.0, id="nobody, still open"),
        pytest.param([], "2020-01-06T00:00:00Z", None, None, 24.0, id="nobody, closed"),
        pytest.param([("bob", "NONE", 7)], None, 48.0, None, 48.0, id="a stranger"),
        pytest.param(
            [("bob", "NONE", 7), ("mia", "MEMBER", 8)], None, 48.0, 72.0, 48.0, id="then a member"
        ),
        pytest.param(
            [("ada", "OWNER", 6), ("mia-bot", "MEMBER", 7)], None, None, None, 240.0,
            id="the author and a program",
        ),
        pytest.param(
            [("mia", "MEMBER", 9)], "2020-01-06T00:00:00Z", 96.0, 96.0, 24.0, id="after the close"
        ),
    ],
)  # fmt: skip
def test_answers_of_members_and_time_without_an_answer(
    build: Build,
    comments: list[tuple[str, str, int]],
    closed: str | None,
    first: float | None,
    of_member: float | None,
    unanswered: float,
) -> None:
    rows = [
        comment(1, index, f"2020-01-{day:02}T00:00:00Z", who, author_association=association)
        for index, (who, association, day) in enumerate(comments)
    ]
    reports = bugs(
        bug(1, OPENED, closed, author="ada", author_association="OWNER"),
        bug(2, OPENED, updated_at="2020-01-15T00:00:00Z"),
    )
    database = build({**reports, "raw.issue_comments": rows})
    columns = "hours_to_first_comment, hours_to_first_member_comment, hours_unanswered"
    found = database.table("marts.bug_metrics", f"number, author_association, {columns}")
    assert found[0] == (1, "OWNER", first, of_member, unanswered)


# staging.identities


def identities(build: Build, **tables: list[Row]) -> dict[str, tuple[Any, ...]]:
    names = {
        "commits": "raw.commits",
        "pulls": "raw.issue_pull_requests",
        "events": "raw.issue_events",
        "decisions": "meta.account_decisions",
    }
    database = build({names[name]: rows for name, rows in tables.items()})
    columns = "author_email, person, login, merge_evidence"
    return {email: rest for email, *rest in database.table("staging.identities", columns)}


def pull(name: str, login: str | None) -> Row:
    return {
        "repository": REPOSITORY,
        "number": 1,
        "pull_request_repository": REPOSITORY,
        "pull_request": 9,
        "relation": "linked",
        "is_merged": True,
        "merge_commit_sha": sha(name),
        "merge_commit_author": login,
        "month": "2020-01",
    }


def closing(name: str, login: str) -> Row:
    at = "2020-01-09T00:00:00Z"
    return event(1, "closed", at, event_id=name, commit_sha=sha(name), commit_author=login)


def test_each_exact_rule_merges_and_says_so(build: Build) -> None:
    found = identities(
        build,
        commits=[
            written("a", "hidden", author_login="Ada"),
            written("b", "work"),
            written("c", "old", canonical_email="work"),
            written("d", "stranger"),
        ],
        pulls=[pull("b", "ADA")],
    )
    assert found == {
        "hidden": ["ada", "ada", ["noreply_address"]],
        "work": ["ada", "ada", ["github_attribution"]],
        "old": ["ada", "ada", ["github_attribution", "mailmap"]],
        "stranger": ["stranger", None, []],
    }


def test_an_address_that_two_accounts_claim_stands_for_itself(build: Build) -> None:
    found = identities(
        build,
        commits=[written("a", "shared"), written("b", "shared")],
        pulls=[pull("a", "ada")],
        events=[closing("b", "bob")],
    )
    assert found == {"shared": ["shared", None, []]}


def test_a_line_of_the_study_file_merges_and_undoes(build: Build) -> None:
    commits = [
        written("a", "one", author_login="ada"),
        written("b", "two"),
        written("c", "old", canonical_email="one"),
        written("d", "hers", author_login="eve"),
    ]
    decisions = [
        decision("two", "same_as", "ada"),
        decision("eve", "same_as", "ada"),
        decision("old", "different_from", "one"),
        decision("one", "different_from", "ada"),
    ]
    found = identities(build, commits=commits, decisions=decisions)
    assert found == {
        "one": ["one", None, []],
        "two": ["ada", None, ["study_file"]],
        "old": ["old", None, []],
        "hers": ["ada", "eve", ["noreply_address", "study_file"]],
    }


def test_an_address_in_the_study_file_belongs_to_its_person(
    build: Build,
) -> None:
    commits = [
        written("a", "hers", author_login="ada"),
        written("b", "work"),
        written("c", "old", canonical_email="work"),
        written("d", "gone", canonical_email="hers"),
    ]
    decisions = [
        decision("work", "same_as", "hers"),
        decision("ada", "same_as", "carol"),
        decision("ada", "different_from", "gone"),
    ]
    found = identities(build, commits=commits, decisions=decisions)
    assert found == {
        "hers": ["carol", "ada", ["noreply_address", "study_file"]],
        "work": ["carol", None, ["study_file"]],
        "old": ["carol", None, ["mailmap", "study_file"]],
        "gone": ["gone", None, ["mailmap"]],
    }


def test_an_address_that_the_mail_map_takes_for_several_stands_for_itself(build: Build) -> None:
    commits = [
        written("a", "shared", canonical_email="joe"),
        written("b", "shared", canonical_email="other"),
        written("c", "joe", author_login="joe"),
    ]
    found = identities(build, commits=commits)
    assert found == {
        "shared": ["shared", None, []],
        "joe": ["joe", "joe", ["noreply_address"]],
    }


def test_two_statements_of_one_account_do_not_double_it(build: Build) -> None:
    decisions = [decision("two", "same_as", "ada"), decision("two", "same_as", "eve")]
    found = identities(build, commits=[written("b", "two")], decisions=decisions)
    assert found == {"two": ["ada", None, ["study_file"]]}


# marts.bug_fixers


def test_a_person_is_a_member_by_any_of_their_accounts(build: Build) -> None:
    fix = written("fix", "a", author_login="ada")
    database = build(
        {
            **bugs(
                bug(1, OPENED, "2020-01-09T00:00:00Z", author="Ada-At-Work",
                    author_association="MEMBER"),
            ),
            "raw.commits": [fix],
            "links.fix_links": [link(1, "fix")],
            "meta.account_decisions": [decision("ada-at-work", "same_as", "ada")],
        }
    )  # fmt: skip
    found = database.table("marts.bug_fixers", "person, is_member, is_bot")
    assert found == [("ada", True, False)]


def test_who_fixed_has_a_share_by_commits_and_is_a_newcomer_once(build: Build) -> None:
    commits = [
        commit("first", "2020-01-06T00:00:00Z", 1, 0, author_email="a", canonical_email="a",
               author_login="ada"),
        commit("second", "2020-01-07T00:00:00Z", 1, 0, author_email="a", canonical_email="a",
               author_login="ada"),
        commit("third", "2020-01-07T00:00:00Z", 1, 0, author_email="b", canonical_email="b"),
        commit("blank", "2020-01-07T00:00:00Z", 1, 0),
    ]  # fmt: skip
    database = build(
        {
            **bugs(
                bug(1, OPENED, "2020-01-09T00:00:00Z", is_performance=True, author="ada",
                    author_association="MEMBER"),
                bug(2, OPENED, "2020-01-09T00:00:00Z"),
            ),
            "raw.commits": commits,
            "links.fix_links": [
                link(1, "first"), link(1, "second"), link(1, "third"), link(1, "blank"),
                link(2, "second"), link(2, "blank"),
            ],
        }
    )  # fmt: skip
    columns = "number, person, commits, fixing_share, is_first_contribution, is_member"
    assert database.table("marts.bug_fixers", columns) == [
        (1, "ada", 2, pytest.approx(2 / 3), True, True),
        (1, "b", 1, pytest.approx(1 / 3), True, None),
        (2, "ada", 1, 1.0, False, True),
    ]
