"""Events from the history of a bug, of which each field has a known meaning."""

from typing import Any

import pytest

from perf_assets.sources.bugzilla.rows import record_of
from perf_assets.sources.bugzilla.shapes import Bug
from perf_assets.sources.bugzilla.spot import spot_of
from perf_assets.sources.issues.records import IssueRecord

OPENED = "2020-01-01T00:00:00Z"
BUG: Bug = {
    "id": 12,
    "creation_time": OPENED,
    "last_change_time": "2020-03-01T00:00:00Z",
    "product": "Core",
    "component": "Layout",
    "groups": [],
    "summary": "Slow",
    "creator": "ann@example.org",
    "is_open": True,
    "resolution": "",
    "keywords": [],
}


def entry(day: int, *changes: tuple[str, str, str]) -> dict[str, Any]:
    keys = ("field_name", "removed", "added")
    return {
        "when": f"2020-02-{day:02}T00:00:00Z",
        "who": "bob@example.org",
        "changes": [dict(zip(keys, change, strict=True)) for change in changes],
    }


def note(day: int, other: int) -> dict[str, Any]:
    return {
        "id": 100 + day,
        "creator": "bob@example.org",
        "creation_time": f"2020-02-{day:02}T00:00:00Z",
        "text": f"*** This bug has been marked as a duplicate of bug {other} ***",
        "is_private": False,
        "count": day,
    }


def record(
    *history: dict[str, Any], comments: tuple[dict[str, Any], ...] = (), **bug: Any
) -> IssueRecord:
    name = "bugs.example.org/Core/Layout"
    spot = spot_of(name, "https://bugs.example.org/rest")
    return record_of({**BUG, **bug}, comments, history, spot)  # type: ignore[typeddict-item]


def told(found: IssueRecord) -> list[tuple[int, str, Any]]:
    """Day, kind and the value that matters of each event."""
    keys = ("label", "current_title", "canonical_number", "from_repository")
    return [
        (
            int(row["created_at"][8:10]),
            row["event"],
            next((row[key] for key in keys if row.get(key) is not None), None),
        )
        for row in found.events
    ]


FIXED = entry(1, ("status", "NEW", "RESOLVED"), ("resolution", "", "FIXED"))
VERIFIED = entry(2, ("status", "RESOLVED", "VERIFIED"))
REOPENED = entry(3, ("status", "VERIFIED", "REOPENED"), ("resolution", "FIXED", ""))


def test_a_bug_is_closed_while_it_has_a_resolution() -> None:
    found = record(FIXED, VERIFIED, REOPENED)
    assert told(found) == [(1, "closed", None), (3, "reopened", None)]
    assert found.issue["state_reason"] == "reopened"
    assert found.issue["closed_at"] is None


def test_another_resolution_does_not_close_it_again() -> None:
    found = record(
        FIXED, entry(5, ("resolution", "FIXED", "INVALID")), is_open=False, resolution="INVALID"
    )
    assert told(found) == [(1, "closed", None)]
    assert found.issue["state_reason"] == "not_planned"
    assert found.issue["closed_at"] == "2020-02-01T00:00:00Z"


def test_a_bug_that_was_opened_closed_was_closed_then() -> None:
    found = record(is_open=False, resolution="FIXED")
    assert found.issue["closed_at"] == OPENED
    assert told(record(REOPENED)) == [(3, "reopened", None)]


def test_an_old_change_of_the_status_alone_counts() -> None:
    found = record(entry(4, ("status", "NEW", "CLOSED")), is_open=False, resolution="FIXED")
    assert told(found) == [(4, "closed", None)]


def test_each_keyword_is_an_event() -> None:
    found = record(
        entry(2, ("keywords", "crash", "perf, regression")), keywords=["regression", "perf"]
    )
    assert told(found) == [
        (2, "unlabeled", "crash"),
        (2, "labeled", "perf"),
        (2, "labeled", "regression"),
    ]
    assert found.issue["labels"] == ["perf", "regression"]


def test_a_new_summary_is_a_new_title() -> None:
    (row,) = record(entry(2, ("summary", "Slow", "Slower"))).events
    assert (row["previous_title"], row["current_title"]) == ("Slow", "Slower")


def test_a_duplicate_names_the_report_in_its_comment_and_the_last_one_in_its_field() -> None:
    mark = ("resolution", "", "DUPLICATE")
    found = record(
        entry(1, ("status", "NEW", "RESOLVED"), mark),
        entry(2, ("status", "RESOLVED", "REOPENED"), ("resolution", "DUPLICATE", "")),
        entry(3, ("status", "REOPENED", "RESOLVED"), mark),
        comments=(note(1, 5),),
        is_open=False,
        resolution="DUPLICATE",
        dupe_of=7,
    )
    assert told(found) == [
        (1, "closed", None),
        (1, "marked_as_duplicate", 5),
        (2, "reopened", None),
        (2, "unmarked_as_duplicate", 5),
        (3, "closed", None),
        (3, "marked_as_duplicate", 7),
    ]
    assert found.issue["state_reason"] == "duplicate"
    assert {row.get("canonical_repository") for row in found.events} == {
        None,
        "bugs.example.org/Core/Layout",
    }


def test_a_bug_from_another_component_was_transferred() -> None:
    found = record(
        entry(1, ("component", "General", "Style")),
        entry(2, ("component", "Style", "Layout"), ("product", "Firefox", "Core")),
        entry(3, ("component", "Layout", "Graphics")),
        entry(4, ("component", "Graphics", "Layout")),
    )
    assert told(found) == [
        (2, "transferred", "bugs.example.org/Firefox/Style"),
        (4, "transferred", "bugs.example.org/Core/Graphics"),
    ]


def test_ids_of_events_are_places_in_the_history() -> None:
    found = record(
        entry(1, ("cc", "", "ann")), entry(2, ("priority", "--", "P1"), ("keywords", "", "a, b"))
    )
    assert [row["event_id"] for row in found.events] == ["12-1-1-0", "12-1-1-1"]


@pytest.mark.parametrize("milestone", ["---", "", None])
def test_no_milestone_is_null(milestone: str | None) -> None:
    assert record(target_milestone=milestone).issue["milestone"] is None
    assert record(target_milestone="mozilla80").issue["milestone"] == "mozilla80"


def test_a_hidden_description_is_not_replaced_by_a_comment() -> None:
    found = record(comments=(note(3, 5),))
    assert found.issue["body"] is None
    assert len(found.comments) == 1


def test_what_brought_a_bug_is_a_mark_when_it_was_filed_or_changed() -> None:
    found = record(
        entry(3, ("regressed_by", "", "7, 8")),
        entry(4, ("regressed_by", "7", "")),
        regressed_by=[8, 9],
    )
    end = ("bugs.example.org/Core/Layout", "bob")
    keys = ("created_at", "event", "canonical_number", "canonical_repository", "actor")
    assert [tuple(row[key] for key in keys) for row in found.events] == [
        (OPENED, "marked_as_regression", 9, "bugs.example.org/Core/Layout", None),
        ("2020-02-03T00:00:00Z", "marked_as_regression", 7, *end),
        ("2020-02-03T00:00:00Z", "marked_as_regression", 8, *end),
        ("2020-02-04T00:00:00Z", "unmarked_as_regression", 7, *end),
    ]
