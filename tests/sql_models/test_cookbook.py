"""The analysts' cookbook: every query of sql/ answers as it should on a small filled database."""

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from tests.model_database import ModelDatabase
from tests.places import ROOT
from tests.rows import (
    REPOSITORY,
    comment,
    commit,
    event,
    issue,
    label,
    link,
    load,
    loads,
    repository,
    sha,
)

COOKBOOK = ROOT / "sql"
QUERIES = sorted(COOKBOOK.glob("*.sql"))
ISSUE = f"https://github.com/{REPOSITORY}/issues/"
COMMIT = f"https://github.com/{REPOSITORY}/commit/"

FILLED = {
    "meta.repositories": [repository()],
    "meta.partition_loads": [
        *loads("2020-01", "2020-02", "2020-03", row_count=2, requests=3, points=5),
        load("2020-05", row_count=1),
        load(
            "2020-06",
            status="failed",
            is_stored=False,
            row_count=0,
            message="2 rows without a title",
        ),
    ],
    "meta.count_differences": [
        {
            "repository": REPOSITORY,
            "month": "2020-02",
            "number": 9,
            "reason": "transferred",
            "moved_to": "owner/other#3",
            "noticed_at": "2021-01-01T00:00:00Z",
        }
    ],
    "raw.issues": [
        issue(1, "2020-01-01T00:00:00Z", "2020-03-01T00:00:00Z", title="Slow start"),
        issue(2, "2020-01-02T00:00:00Z", title="Throughput is bad"),
        issue(3, "2020-02-01T00:00:00Z", "2020-02-02T12:00:00Z", title="Leak"),
        issue(4, "2020-02-03T00:00:00Z", title="Crash"),
        issue(5, "2020-02-04T00:00:00Z", "2020-02-05T00:00:00Z", title="Typo"),
    ],
    "labels.performance_labels": [
        label(1, is_performance=True, matched_keywords=["slow"], matched_in=["title"]),
        label(2, is_performance=True, matched_keywords=["slow", "throughput"]),
        label(3, is_performance=True, matched_labels=["performance"], matched_keywords=["slow"]),
        label(
            4,
            ignored_keywords=["slower"],
            ignored_lines=["Is it slower than before? (issue template)"],
        ),
        label(5),
    ],
    "raw.issue_comments": [comment(1, 1, "2020-01-01T06:00:00Z", "helper")],
    "raw.issue_events": [
        event(1, "closed", "2020-03-01T00:00:00Z", actor="helper", commit_sha=sha("b"))
    ],
    "raw.commits": [
        commit("a", "2020-02-20T00:00:00Z", 5, 1),
        commit("b", "2020-02-29T00:00:00Z", 30, 4),
        commit("c", "2020-02-02T00:00:00Z", 2, 0),
    ],
    "details.commit_details": [
        {
            "repository": REPOSITORY,
            "sha": sha("c"),
            "analysed_files": 1,
            "methods_changed": 0,
            "changed_methods": [],
            "languages": [],
            "removed_lines": 2,
            "month": "2020-02",
        }
    ],
    "details.introducing_commits": [
        {
            "repository": REPOSITORY,
            "sha": sha("c"),
            "path": "a.py",
            "introducing_sha": sha("z"),
            "introduced_at": "2020-01-31T00:00:00Z",
            "is_merge": False,
            "lines": 2,
            "month": "2020-02",
        }
    ],
    "links.fix_links": [
        link(1, "a"),
        link(1, "b"),
        link(1, "b", "closed_by_commit", is_counted=False),
        link(3, "c"),
    ],
}

EXPECTED: dict[str, list[tuple[Any, ...]]] = {
    "biggest_fixes": [
        (REPOSITORY, 1, 35, 5, 40, [COMMIT + sha("b"), COMMIT + sha("a")]),
        (REPOSITORY, 3, 2, 0, 2, [COMMIT + sha("c")]),
    ],
    "bug_reports_as_of_a_month": [(REPOSITORY, 3, 2, 1, 1)],
    "bugs_open_at_the_end_of_a_month": [
        (REPOSITORY, "2020-05", 2, "Throughput is bad", datetime(2020, 1, 2), f"{ISSUE}2"),
    ],
    "failed_audits": [
        (
            REPOSITORY,
            "2020-06",
            "raw.issues",
            "2 rows without a title",
            0,
            datetime(2021, 1, 1),
        ),
    ],
    "first_comment_by_year": [
        (REPOSITORY, 2020, "other", 2, 0.0, None),
        (REPOSITORY, 2020, "performance", 3, 33.3, 6.0),
    ],
    "fix_coverage": [(REPOSITORY, 2020, 3, 2, 66.7)],
    "issues_that_left": [
        (
            REPOSITORY,
            "2020-02",
            9,
            "transferred",
            "owner/other#3",
            datetime(2021, 1, 1),
            None,
            2,
        ),
    ],
    "how_long_bugs_lived": [
        (REPOSITORY, 2020, "performance", 2, 1, 1, 100.0, 1.0),
    ],
    "keyword_frequency": [("slow", 3, 1, 1), ("throughput", 1, 0, 1)],
    "keywords_that_do_not_count": [
        (
            REPOSITORY,
            4,
            "Crash",
            ["slower"],
            ["Is it slower than before? (issue template)"],
            f"{ISSUE}4",
        ),
    ],
    "labels_and_keywords": [(REPOSITORY, 3, 1, 0, 2)],
    "monthly_share_of_new_bugs": [
        (REPOSITORY, "2020-02", 1, 3, 33.3, 1, 1, 100.0),
        (REPOSITORY, "2020-03", 0, 0, None, 1, 1, 100.0),
    ],
    "one_bug_traced": [
        (REPOSITORY, 1, datetime(2020, 1, 1), "opened", "reporter", "Slow start"),
        (REPOSITORY, 1, datetime(2020, 1, 1, 6), "commented", "helper", None),
        (
            REPOSITORY,
            1,
            datetime(2020, 2, 20),
            "linked by id",
            "Committer",
            f"{sha('a')} +5 -1 #1",
        ),
        (
            REPOSITORY,
            1,
            datetime(2020, 2, 29),
            "linked by closed_by_commit, not counted",
            "Committer",
            f"{sha('b')} +30 -4 #1",
        ),
        (
            REPOSITORY,
            1,
            datetime(2020, 2, 29),
            "linked by id",
            "Committer",
            f"{sha('b')} +30 -4 #1",
        ),
        (REPOSITORY, 1, datetime(2020, 3, 1), "closed", "helper", sha("b")),
    ],
    "open_performance_bugs": [
        (
            REPOSITORY,
            2,
            "Throughput is bad",
            365,
            0,
            ["slow", "throughput"],
            f"{ISSUE}2",
        ),
    ],
    "slowest_fixes": [
        (REPOSITORY, 1, "Slow start", 60.0, 2, 40, 0, f"{ISSUE}1"),
        (REPOSITORY, 3, "Leak", 1.5, 1, 2, 0, f"{ISSUE}3"),
    ],
    "what_was_loaded_when": [
        (REPOSITORY, "raw.commits", "2020-01", "2020-03", 3, 0, 6, 9, 15, datetime(2021, 1, 1)),
        (REPOSITORY, "raw.issues", "2020-01", "2020-05", 4, 1, 7, 9, 15, datetime(2021, 1, 1)),
    ],
}


@pytest.fixture(scope="module", params=["UTC", "Asia/Tokyo", "America/St_Johns"])
def database(request: pytest.FixtureRequest) -> ModelDatabase:
    database = ModelDatabase(request.param)
    database.fill(FILLED)
    return database


def test_every_query_of_the_cookbook_has_an_expected_answer() -> None:
    assert [path.stem for path in QUERIES] == sorted(EXPECTED)


@pytest.mark.parametrize("path", QUERIES, ids=lambda path: path.stem)
def test_a_query_answers_the_same_in_every_time_zone(database: ModelDatabase, path: Path) -> None:
    answer = database.connection.execute(path.read_text(encoding="utf-8")).fetchall()
    assert answer == EXPECTED[path.stem]


@pytest.mark.parametrize("path", QUERIES, ids=lambda path: path.stem)
def test_a_query_says_what_it_asks_and_how_to_read_the_answer(path: Path) -> None:
    head = path.read_text(encoding="utf-8").split("\n\n")[0]
    assert head.startswith("-- Question: ")
    assert "?\n-- How to read: " in head
