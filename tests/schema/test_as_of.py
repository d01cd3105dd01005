"""The past as it was: what happens later changes no month that is over."""

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from perf_assets.base.months import end_of, months_between, start_of
from perf_assets.schema.models.ddl import create_as_of_macro
from perf_assets.storage.migrations import create_tables
from tests.effort import examples
from tests.model_database import ModelDatabase, Tables, lay_models
from tests.rows import REPOSITORY, Row, commit, event, issue, label, link, loads, repository

pytestmark = pytest.mark.slow

START, LAST = "2020-01", "2020-06"
MONTHS = months_between(START, LAST)
KINDS = [
    {
        "repository": REPOSITORY,
        "label": name,
        "is_performance": name == "performance",
        "is_non_bug": name == "feature",
        "rule_version": "00000000",
    }
    for name in ("performance", "feature", "triaged")
]


@pytest.fixture(scope="module")
def database() -> ModelDatabase:
    return ModelDatabase()


def labelled(number: int, kind: str, name: str, at: str) -> Row:
    return event(number, kind, at, label=name, event_id=f"{number} {kind} {name} {at}")


def as_of(database: ModelDatabase, month: str, columns: str) -> list[tuple[Any, ...]]:
    return database.table(f"staging.bug_reports_as_of('{month}')", columns, "number")


def test_state_labels_and_fix_are_those_of_the_month(database: ModelDatabase) -> None:
    database.fill(
        {
            "meta.repositories": [repository()],
            "labels.label_kinds": KINDS,
            "raw.issues": [
                issue(1, "2020-01-05T00:00:00Z", "2020-04-02T00:00:00Z", labels=["performance"]),
                issue(2, "2020-01-06T00:00:00Z", labels=["feature"]),
            ],
            "labels.performance_labels": [
                label(1, is_performance=True, matched_labels=["performance"]),
                label(2, is_bug_report=False, non_bug_labels=["feature"]),
            ],
            "raw.issue_events": [
                event(1, "closed", "2020-02-02T00:00:00Z"),
                event(1, "reopened", "2020-03-02T00:00:00Z"),
                event(1, "closed", "2020-04-02T00:00:00Z"),
                labelled(1, "labeled", "performance", "2020-03-09T00:00:00Z"),
                labelled(1, "unlabeled", "triaged", "2020-02-28T00:00:00Z"),
                labelled(2, "labeled", "feature", "2020-02-01T00:00:00Z"),
            ],
            "raw.commits": [commit("a", "2020-04-30T23:59:59Z", 1, 1)],
            "links.fix_links": [link(1, "a")],
        }
    )
    columns = "number, state, labels, is_performance, is_fixed"
    assert as_of(database, "2019-12", columns) == []
    assert as_of(database, "2020-01", columns) == [
        (1, "open", ["triaged"], False, False),
        (2, "open", [], False, False),
    ]
    assert as_of(database, "2020-02", columns) == [(1, "closed", [], False, False)]
    assert as_of(database, "2020-03", columns) == [(1, "open", ["performance"], True, False)]
    assert as_of(database, "2020-04", columns) == [(1, "closed", ["performance"], True, True)]
    assert as_of(database, "2031-01", columns) == as_of(database, "2020-04", columns)
    (closed_at,) = as_of(database, "2020-02", "closed_at::date::text")
    assert closed_at == ("2020-02-02",)


@pytest.mark.parametrize(
    ("carried", "events", "expected"),
    [
        pytest.param(["triaged"], [], ["triaged"], id="carried without any event"),
        pytest.param([], [("unlabeled", "2020-03")], ["triaged"], id="first event takes it off"),
        pytest.param(["triaged"], [("labeled", "2020-03")], [], id="first event puts it on"),
        pytest.param(
            [], [("labeled", "2020-03"), ("unlabeled", "2020-03")], [], id="cancelled in a second"
        ),
        pytest.param([], [("labeled", "2020-01")], [], id="its removal left no event"),
        pytest.param(
            ["triaged"], [("unlabeled", "2020-01")], ["triaged"], id="its return left no event"
        ),
    ],
)
def test_a_label_was_there_as_its_events_say(
    database: ModelDatabase, carried: list[str], events: list[tuple[str, str]], expected: list[str]
) -> None:
    database.fill(
        {
            "meta.repositories": [repository()],
            "raw.issues": [issue(1, "2020-01-05T00:00:00Z", labels=carried)],
            "labels.performance_labels": [label(1)],
            "raw.issue_events": [
                labelled(1, kind, "triaged", f"{month}-09T00:00:00Z") for kind, month in events
            ],
        }
    )
    assert as_of(database, "2020-02", "labels") == [(expected,)]


def test_a_label_change_says_from_when_on_the_label_was_there(database: ModelDatabase) -> None:
    opened, later = "2020-01-05T00:00:00+00:00", "2020-03-09T00:00:00+00:00"
    database.fill(
        {
            "meta.repositories": [repository()],
            "labels.label_kinds": KINDS,
            "raw.issues": [issue(1, opened, labels=["carried", "early", "performance"])],
            "labels.performance_labels": [label(1)],
            "raw.issue_events": [
                labelled(1, "unlabeled", "feature", later),
                labelled(1, "labeled", "performance", later),
                labelled(1, "labeled", "early", "2019-12-31T00:00:00+00:00"),
            ],
        }
    )
    at_opening, at_change = (datetime.fromisoformat(text) for text in (opened, later))
    changes = "label, change, changed_at, is_on"
    assert database.table("intermediate.label_changes", changes) == [
        ("carried", 0, at_opening, True),
        ("early", 1, at_opening, True),
        ("feature", 0, at_opening, True),
        ("feature", 1, at_change, False),
        ("performance", 1, at_change, True),
    ]
    spans = "label, from_month, until_month, is_performance, is_non_bug"
    assert database.table("intermediate.label_spans", spans) == [
        ("carried", "2020-01", None, False, False),
        ("early", "2020-01", None, False, False),
        ("feature", "2020-01", "2020-03", False, True),
        ("performance", "2020-03", None, True, False),
    ]


RENAMED = [("performance", "area: speed"), ("feature", "Feature"), ("bug report", "Bug Report")]


def test_a_label_that_was_renamed_or_deleted_is_inferred_from_issues_that_disagree(
    database: ModelDatabase,
) -> None:
    """GitHub tells no event of either, and events keep the former name."""
    number = iter(range(1, 99))
    issues, events = [], []

    def add(labels: list[str], *told: str, day: int = 9) -> int:
        issues.append(issue(one := next(number), "2020-01-05T00:00:00Z", labels=labels))
        events.extend(
            labelled(one, "labeled", label, f"2020-0{day % 6 + 1}-09T00:00:00Z") for label in told
        )
        return one

    common = add(["bug"])  # as most issues: a label without an event says nothing of another one
    for _ in range(9):  # of which the case alone was changed, and few issues have an event
        add(["Bug Report"])
    renamed = [add([new, "bug"], old) for old, new in RENAMED for _ in range(3)]
    deleted = add(["bug"], "stale")
    taken_off = add(["bug"], "performance")  # by its new name, before that was deleted
    lost = add([], "triaged")
    add(["triaged"], "triaged")
    database.fill(
        {
            "meta.repositories": [repository()],
            "labels.label_kinds": KINDS,
            "raw.issues": issues,
            "labels.performance_labels": [label(one["number"]) for one in issues],
            "raw.issue_events": events,
        }
    )
    columns = "number, until_month, labels, inferred_labels"
    history = database.table("marts.issue_history", columns)
    at_last = {number: rest for number, until, *rest in history if until is None}
    assert at_last == {
        one["number"]: [
            sorted(one["labels"]),
            [new for _, new in RENAMED if new in one["labels"] and one["number"] in renamed],
        ]
        for one in issues
    }
    changes = database.table("intermediate.label_changes", "number, label, is_on, is_inferred")
    inferred = {tuple(change) for *change, is_inferred in changes if is_inferred}
    assert inferred == {
        *((one, RENAMED[index // 3][0], False) for index, one in enumerate(renamed)),
        *((one, RENAMED[index // 3][1], True) for index, one in enumerate(renamed)),
        (deleted, "stale", False),
        (taken_off, "performance", False),
        (lost, "triaged", False),
    }
    assert common not in {one for one, *_ in inferred}
    checks = dict(database.table("marts.integrity_checks", "question, failing_rows"))
    assert checks["histories_that_end_otherwise"] == 0
    assert checks["labels_without_an_event"] == len(inferred)


def test_an_issue_has_a_row_for_each_month_in_which_something_changed(
    database: ModelDatabase,
) -> None:
    closed, again = "2020-02-02T00:00:00+00:00", "2020-06-01T00:00:00+00:00"
    database.fill(
        {
            "meta.repositories": [repository()],
            "raw.issues": [issue(1, "2020-01-05T00:00:00Z", again, labels=["triaged"])],
            "labels.performance_labels": [label(1)],
            "raw.issue_events": [
                event(1, "closed", closed),
                event(1, "reopened", "2020-03-02T00:00:00Z"),
                labelled(1, "labeled", "triaged", "2020-05-09T00:00:00Z"),
            ],
            "raw.commits": [commit("a", "2020-04-30T23:59:59Z", 1, 1)],
            "links.fix_links": [link(1, "a")],
        }
    )
    first, last = (datetime.fromisoformat(text) for text in (closed, again))
    months = "month, until_month, is_open, closed_at"
    assert database.table("intermediate.issue_months", months) == [
        ("2020-01", "2020-02", True, None),
        ("2020-02", "2020-03", False, first),
        ("2020-03", "2020-04", True, first),
        ("2020-04", "2020-05", True, first),
        ("2020-05", "2020-06", True, first),
        ("2020-06", None, False, last),
    ]


# Random pasts, and what is added to them later


@st.composite
def lives(draw: st.DrawFn, number: int) -> list[tuple[int, str]]:
    """What happens on an issue, as seconds since the start of the study, none at the same time."""
    span = int((end_of(LAST) - start_of(START)).total_seconds())
    moments = draw(st.lists(st.integers(0, span - 1), min_size=1, max_size=9, unique=True))
    kinds = ("turn", "performance", "feature", "triaged", "commit")
    return [(at, draw(st.sampled_from(kinds))) for at in sorted(moments)]


def played(number: int, life: list[tuple[int, str]], until: int) -> Tables:
    """The rows in which a life shows whose events from ``until`` on are still to come."""
    moments = [
        ((start_of(START) + timedelta(seconds=at)).isoformat(), kind)
        for at, kind in life
        if at < until
    ]
    if not moments:
        return {}
    opened = moments[0][0]
    # Every other issue carries a label from the opening on, for which there is no event.
    on = {"performance"} if number % 2 else set()
    closed: str | None = None
    events, commits = [], []
    for at, kind in moments[1:]:
        if kind == "turn":
            events.append(event(number, "reopened" if closed else "closed", at))
            closed = None if closed else at
        elif kind == "commit":
            commits.append(commit(f"{number} {at[2:]}", at, 1, 1))
        else:
            events.append(labelled(number, "unlabeled" if kind in on else "labeled", kind, at))
            on ^= {kind}
    links = [
        link(number, row["message"]) | {"sha": row["sha"], "month": row["month"]} for row in commits
    ]
    decision = label(
        number,
        is_bug_report="feature" not in on,
        is_performance="performance" in on and "feature" not in on,
        matched_labels=["performance"] if "performance" in on else [],
        non_bug_labels=["feature"] if "feature" in on else [],
    )
    return {
        "raw.issues": [issue(number, opened, closed, labels=sorted(on))],
        "labels.performance_labels": [decision],
        "raw.issue_events": events,
        "raw.commits": commits,
        "links.fix_links": links,
    }


def tracker(stories: list[list[tuple[int, str]]], until: int) -> Tables:
    tables: dict[str, list[Row]] = {}
    for number, life in enumerate(stories, start=1):
        for name, rows in played(number, life, until).items():
            tables.setdefault(name, []).extend(rows)
    return {
        "meta.repositories": [repository(trend_start=START)],
        "meta.partition_loads": loads(*MONTHS),
        "labels.label_kinds": KINDS,
        **tables,
    }


@settings(max_examples=examples(5, 40), deadline=None, suppress_health_check=list(HealthCheck))
@given(stories=st.lists(lives(1), min_size=1, max_size=6), month=st.sampled_from(MONTHS))
def test_what_happens_after_a_month_leaves_its_row_and_all_before_it(
    database: ModelDatabase, stories: list[list[tuple[int, str]]], month: str
) -> None:
    end = int((end_of(month) - start_of(START)).total_seconds())
    past = f"(SELECT * FROM marts.trend_monthly WHERE month <= '{month}')"
    reports = f"staging.bug_reports_as_of('{month}')"
    database.fill(tracker(stories, end))
    rows, bugs = database.table(past), database.table(reports)
    assert len(rows) == len(months_between(START, month))
    database.fill(tracker(stories, 10**9))
    assert database.table(past) == rows
    assert database.table(reports) == bugs
    counted = database.table(
        reports,
        "count(*) FILTER (state = 'open' AND is_performance), count(*) FILTER (state = 'open'), "
        "count(*) FILTER (is_fixed AND is_performance), count(*) FILTER (is_fixed)",
    )
    columns = "open_performance, open_total, fixed_performance, fixed_total"
    assert counted == database.table(past, columns, "month DESC")[:1]


def test_the_macro_is_in_the_file_with_its_description_and_written_once(tmp_path: Path) -> None:
    file = tmp_path / "warehouse.duckdb"
    with duckdb.connect(str(file)) as connection:
        create_tables(connection)
        lay_models(connection)
        create_as_of_macro(connection)
    before = file.read_bytes()
    with duckdb.connect(str(file)) as connection:
        create_as_of_macro(connection)
    assert file.read_bytes() == before
    with duckdb.connect(str(file), read_only=True) as connection:
        assert connection.execute("FROM staging.bug_reports_as_of('2020-01')").fetchall() == []
        ((comment,),) = connection.execute(
            "SELECT comment FROM duckdb_functions() WHERE function_name = 'bug_reports_as_of'"
        ).fetchall()
    assert comment.startswith("The bug reports as they were at the end of a month")
