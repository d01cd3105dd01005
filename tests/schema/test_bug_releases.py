"""Releases of bugs: the first affected and the first fixed one, on given rows."""

from typing import Any

import pytest

from tests.effort import some
from tests.model_database import ModelDatabase
from tests.rows import REPOSITORY, Row, commit, detail, issue, label, link, origin, repository, sha

pytestmark = pytest.mark.slow

COLUMNS = "outcome, first_affected_release, first_fixed_release, exposed_releases"


@pytest.fixture(scope="module", params=some("Asia/Tokyo", "UTC"))
def database(request: pytest.FixtureRequest) -> ModelDatabase:
    return ModelDatabase(request.param)


def released(fix: str, name: str, tag: str | None, day: int = 1, **changes: Any) -> Row:
    """The first release with a commit, on a day of February."""
    row = {
        "repository": REPOSITORY,
        "fix_sha": sha(fix),
        "sha": sha(name),
        "first_release": tag,
        "released_at": f"2020-02-{day:02}T00:00:00Z" if tag else None,
        "exposed_releases": None if fix == name else 1,
        "month": "2020-01",
    }
    return {**row, **changes}


def fixed(*fixes: str, **tables: list[Row]) -> dict[str, list[Row]]:
    """Bug report 1, opened on the tenth of January, fixed by the commits from the twentieth on.

    What each removes was introduced on the second and third.
    """
    return {
        "meta.repositories": [repository()],
        "raw.issues": [issue(1, "2020-01-10T00:00:00Z")],
        "labels.performance_labels": [label(1, is_performance=True)],
        "raw.commits": [
            commit(name, f"2020-01-{20 + place}T00:00:00Z", 8, 2)
            for place, name in enumerate(fixes)
        ],
        "links.fix_links": [link(1, name) for name in fixes],
        "details.commit_metrics": [detail(name, removed_lines=2) for name in fixes],
        "details.introducing_commits": [
            origin(name, brought, f"2020-01-0{day}T00:00:00Z")
            for name in fixes
            for brought, day in (("early", 2), ("late", 3))
        ],
        **{name.replace("__", "."): rows for name, rows in tables.items()},
    }


def row_of(database: ModelDatabase, columns: str = COLUMNS) -> tuple[Any, ...]:
    (row,) = database.table("marts.bug_releases", columns)
    return row


def test_the_latest_candidate_and_the_last_commit_of_the_fix_decide(
    database: ModelDatabase,
) -> None:
    looked_up = [
        released("one", "one", "v1.1", 5),
        released("two", "two", "v1.2", 9, copied_as=sha("copy")),
        released("one", "early", "v0.9", 1),
        released("one", "late", "v1.0", 2),
        released("two", "late", "v1.0", 2, exposed_releases=3),
    ]
    database.fill(fixed("one", "two", details__commit_releases=looked_up))
    assert row_of(database) == ("released", "v1.0", "v1.2", 3)
    assert row_of(database, "exposure_days, days_to_release, fix_copied_as") == (
        7.0,
        19.0,
        sha("copy"),
    )
    assert row_of(database, "fix_sha, introducing_sha") == (sha("two"), sha("late"))


@pytest.mark.parametrize(
    ("looked_up", "expected"),
    [
        ([], ("not_looked_at", None, None, None)),
        (
            [released("fix", "fix", None), released("fix", "late", None, exposed_releases=0)],
            ("no_releases", None, None, 0),
        ),
        (
            [released("fix", "fix", None), released("fix", "late", "v1.0", exposed_releases=2)],
            ("not_released", "v1.0", None, 2),
        ),
        (
            [released("fix", "fix", "v1.0"), released("fix", "late", "v1.0", exposed_releases=0)],
            ("never_released", None, "v1.0", 0),
        ),
    ],
)
def test_an_outcome_says_what_is_missing(
    database: ModelDatabase, looked_up: list[Row], expected: tuple[Any, ...]
) -> None:
    database.fill(fixed("fix", details__commit_releases=looked_up))
    assert row_of(database) == expected
    is_counted = expected[0] not in ("not_looked_at", "no_releases")
    assert (row_of(database, "is_against_last_release")[0] is not None) == is_counted


def test_without_an_introducing_commit_the_release_of_the_fix_is_known(
    database: ModelDatabase,
) -> None:
    rows = {
        "details__introducing_commits": [],
        "details__commit_releases": [released("fix", "fix", "v1.0", 3)],
    }
    database.fill(fixed("fix", **rows))
    assert row_of(database) == ("no_introducing_commit", None, "v1.0", None)
    assert row_of(database, "days_to_release, is_against_last_release") == (14.0, None)


def test_tags_without_a_fix_show_that_a_project_has_releases(database: ModelDatabase) -> None:
    tag = {"repository": REPOSITORY, "tag": "v1.0", "release_version": "1.0", "sha": sha("x")}
    tag |= {"release_kind": "final", "released_at": "2020-01-05T00:00:00Z", "month": "2020-01"}
    tag |= {"is_on_default_branch": True}
    looked_up = [released("fix", "fix", None), released("fix", "late", None, exposed_releases=0)]
    database.fill(fixed("fix", details__commit_releases=looked_up, raw__releases=[tag]))
    assert row_of(database)[0] == "not_released"
    database.fill(
        fixed(
            "fix",
            details__commit_releases=looked_up,
            raw__releases=[tag | {"release_kind": "nightly"}],
        )
    )
    assert row_of(database)[0] == "no_releases"


@pytest.mark.parametrize(
    ("released_at", "next_at", "expected"),
    [
        ("2020-01-05T00:00:00Z", "2020-01-11T00:00:00Z", True),
        ("2020-01-05T00:00:00Z", None, True),
        ("2020-01-05T00:00:00Z", "2020-01-09T00:00:00Z", False),
        ("2020-02-05T00:00:00Z", "2020-02-09T00:00:00Z", True),  # reported before any release
    ],
)
def test_a_report_before_the_next_release_is_against_the_last_one(
    database: ModelDatabase, released_at: str, next_at: str | None, expected: bool
) -> None:
    times = {"released_at": released_at, "next_release_at": next_at}
    looked_up = [
        released("fix", "fix", "v1.1", 20),
        released("fix", "late", "v1.0", **times),
    ]
    database.fill(fixed("fix", details__commit_releases=looked_up))
    assert row_of(database, "is_against_last_release") == (expected,)


def test_a_fix_that_a_release_had_first_waits_no_days(database: ModelDatabase) -> None:
    earlier = {"released_at": "2020-01-15T00:00:00Z"}
    looked_up = [
        released("fix", "fix", "v0.9.1", **earlier),
        released("fix", "late", "v1.0", 2),
    ]
    database.fill(fixed("fix", details__commit_releases=looked_up))
    assert row_of(database, "days_to_release, exposure_days") == (0.0, 0.0)


def test_what_the_report_states_stands_beside(database: ModelDatabase) -> None:
    stated = {
        "repository": REPOSITORY,
        "number": 1,
        "stated_release": "v1.0",
        "unaffected_release": "v0.9",
        "statement": "slower in 1.0 than 0.9",
        "month": "2020-01",
    }
    database.fill(fixed("fix", details__stated_releases=[stated]))
    assert row_of(database, "stated_release, unaffected_release") == ("v1.0", "v0.9")
