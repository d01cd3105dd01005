"""What became of bug reports, which repeat others, and who labelled them."""

from typing import Any

import pytest

from tests.model_database import ModelDatabase
from tests.rows import (
    REPOSITORY,
    comment,
    commit,
    event,
    issue,
    label,
    label_kind,
    link,
    repository,
)

OPENED, CLOSED = "2020-01-01T00:00:00Z", "2020-01-10T00:00:00Z"
SOON, LATER, LATE = "2020-01-02T00:00:00Z", "2020-01-03T00:00:00Z", "2020-01-10T00:30:00Z"
MEMBER = {"author_association": "MEMBER"}
THIS = f"https://github.com/{REPOSITORY}/issues/"


def database(**tables: list[dict[str, Any]]) -> ModelDatabase:
    filled = ModelDatabase()
    named = {name.replace("__", "."): rows for name, rows in tables.items()}
    issues = named["raw.issues"]
    named.setdefault("labels.performance_labels", [label(row["number"]) for row in issues])
    filled.fill({"meta.repositories": [repository()], **named})
    return filled


def outcomes(**tables: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    query = """
        SELECT number, outcome, outcome_by, outcome_evidence, repeats, is_rejected
        FROM marts.bug_metrics ORDER BY number
    """
    return database(**tables).connection.execute(query).fetchall()


def marked(number: int, canonical: int, at: str, *, off: bool = False, **changes: Any) -> Any:
    kind = "unmarked_as_duplicate" if off else "marked_as_duplicate"
    where = {"canonical_number": canonical, "canonical_repository": REPOSITORY}
    return event(number, kind, at, **{**where, **changes})


@pytest.mark.parametrize(
    ("closed", "found"),
    [
        ({}, ("closed_without_fix", "state", None, None, False)),
        (
            {"state_reason": "not_planned"},
            ("not_planned", "state_reason", "not_planned", None, True),
        ),
        ({"state_reason": "duplicate"}, ("duplicate", "state_reason", "duplicate", None, False)),
        ({"labels": ["wontfix"]}, ("not_planned", "label", "wontfix", None, True)),
        ({"labels": ["R: Won't Fix"]}, ("not_planned", "label", "R: Won't Fix", None, True)),
        ({"labels": ["status: invalid"]}, ("invalid", "label", "status: invalid", None, True)),
        ({"labels": ["is/duplicate"]}, ("duplicate", "label", "is/duplicate", None, False)),
        ({"labels": ["stale"]}, ("not_planned", "inactivity", "stale", None, False)),
        ({"labels": ["invalid access"]}, ("closed_without_fix", "state", None, None, False)),
    ],
)
def test_what_github_and_labels_say_of_a_closed_report(
    closed: dict[str, Any], found: tuple[Any, ...]
) -> None:
    assert outcomes(raw__issues=[issue(1, OPENED, CLOSED, **closed)]) == [(1, *found)]


@pytest.mark.parametrize(
    ("words", "at", "author", "outcome"),
    [
        ("This is not a bug: it works as intended.", CLOSED, "ann", "invalid"),
        ("Sorry, my mistake, I used the old wheel.", SOON, "reporter", "closed_without_fix"),
        ("Sorry, my mistake, I used the old wheel.", CLOSED, "reporter", "invalid"),
        ("We won't fix this in 1.x.", LATE, "ann", "not_planned"),
        ("> This is not a bug\n\nI disagree.", CLOSED, "ann", "closed_without_fix"),
        ("```\nthis is not a bug\n```", CLOSED, "ann", "closed_without_fix"),
        ("This is not a bug.", CLOSED, "passerby", "closed_without_fix"),
        ("Duplicate of #2", CLOSED, "ann", "duplicate"),
        ("Closing in favor of #2.", CLOSED, "ann", "duplicate"),
        (f"Closed in favour of {THIS}2", CLOSED, "ann", "duplicate"),
        ("It is a duplicate of https://github.com/owner/name/issues/2", CLOSED, "ann", "duplicate"),
        ("Is it a duplicate of #2?", CLOSED, "passerby", "closed_without_fix"),
        ("If this is a duplicate of #2, close it.", CLOSED, "stale[bot]", "closed_without_fix"),
    ],
)
def test_what_is_said_about_the_close(words: str, at: str, author: str, outcome: str) -> None:
    association = MEMBER if author == "ann" else {}
    bot = {"author_type": "Bot"} if author.endswith("[bot]") else {}
    found = outcomes(
        raw__issues=[issue(1, OPENED, CLOSED), issue(2, OPENED)],
        raw__issue_comments=[comment(1, 5, at, author, body=words, **association, **bot)],
    )
    assert found[0][1] == outcome
    if outcome in ("invalid", "not_planned"):
        assert found[0][2:4] == ("comment", f"{THIS}1#issuecomment-5")
    assert found[0][4] == (f"{REPOSITORY}#2" if outcome == "duplicate" else None)


def test_a_fix_comes_before_what_is_said_and_an_open_report_is_open() -> None:
    found = outcomes(
        raw__issues=[
            issue(1, OPENED, CLOSED, state_reason="not_planned"),
            issue(2, OPENED, labels=["invalid"], state_reason="reopened"),
        ],
        raw__commits=[commit("a", SOON, 1, 1)],
        links__fix_links=[link(1, "a")],
    )
    assert [row[1:3] for row in found] == [("fixed", "commit"), ("open", "state")]


def test_a_program_that_closes_rejects_nothing() -> None:
    found = outcomes(
        raw__issues=[issue(1, OPENED, CLOSED, state_reason="not_planned")],
        raw__issue_events=[event(1, "closed", CLOSED, actor="stale[bot]")],
    )
    assert found == [(1, "not_planned", "inactivity", "closed by a program", None, False)]


def test_marks_that_were_taken_back_or_name_the_report_itself_do_not_count() -> None:
    found = outcomes(
        raw__issues=[issue(number, OPENED, CLOSED) for number in (1, 2, 3, 4)],
        raw__issue_events=[
            marked(1, 2, SOON),
            marked(1, 2, LATER, off=True),
            marked(2, 2, SOON),
            marked(3, 9, SOON),  # which is gone
            marked(4, 1, SOON),
            marked(4, 1, SOON, off=True, event_id="off"),
        ],
    )
    assert [(row[1], row[4]) for row in found] == [
        ("closed_without_fix", None),
        ("closed_without_fix", None),
        ("duplicate", f"{REPOSITORY}#9"),
        ("closed_without_fix", None),
    ]


def acts(*events: dict[str, Any], **tables: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    query = """
        SELECT number, labeller, microseconds_to_label / 3600000000, undone_by
        FROM intermediate.label_acts
        ORDER BY number, labelled_at
    """
    numbers = sorted({row["number"] for row in events})
    filled = database(
        raw__issues=[issue(number, OPENED) for number in numbers],
        raw__issue_events=list(events),
        labels__label_kinds=[label_kind("speed", is_performance=True), label_kind("gpu")],
        **tables,
    )
    return filled.connection.execute(query).fetchall()


def labelled(number: int, at: str, actor: str | None, kind: str = "labeled") -> dict[str, Any]:
    return event(number, kind, at, actor=actor, label="speed", event_id=f"{number} {kind} {at}")


def test_labels_are_put_on_by_authors_members_bots_and_nobody_known() -> None:
    found = acts(
        labelled(1, OPENED, "reporter"),
        labelled(2, SOON, "ann"),
        labelled(2, LATER, "ann", "unlabeled"),
        labelled(3, OPENED, "triage[bot]"),
        labelled(3, OPENED, "bob", "unlabeled"),  # within the same second
        labelled(4, SOON, None),
        event(5, "labeled", SOON, actor="ann", label="gpu"),  # decides nothing
    )
    assert found == [
        (1, "author", 0.0, None),
        (2, "member", 24.0, "ann"),
        (3, "automation", 0.0, "bob"),
        (4, "unknown", 24.0, None),
    ]


def test_a_form_labels_in_the_name_of_the_author() -> None:
    form = {"repository": REPOSITORY, "number": 1, "form_path": ".github/ISSUE_TEMPLATE/slow.yml"}
    form |= {"form_name": "Slow", "template_sha": "a" * 40, "month": "2020-01"}
    form |= {"headings_matched": 1, "headings_of_form": 1, "filled_fields": ["What"]}
    form |= {"empty_fields": [], "is_performance_form": True, "performance_fields": []}
    found = acts(
        labelled(1, OPENED, "reporter"),
        labelled(2, OPENED, "reporter"),
        labels__report_forms=[form],
    )
    assert [row[1] for row in found] == ["form", "author"]


@pytest.mark.parametrize(("number", "labeller"), [(9, "member"), (10, "automation")])
def test_an_account_that_labels_ten_issues_at_once_is_an_automation(
    number: int, labeller: str
) -> None:
    found = acts(
        *(labelled(place, "2020-01-01T00:01:00Z", "ann") for place in range(1, number + 1))
    )
    assert {row[1] for row in found} == {labeller}
