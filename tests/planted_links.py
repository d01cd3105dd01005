"""One history with every kind of link and every trap, and the links that are right."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import polars as pl

from perf_assets.core.linking.links import APPROACHES, link_fixes
from perf_assets.core.linking.mentions import CLOSING
from perf_assets.core.linking.pull_requests import History
from perf_assets.schema import schema_of
from tests.link_traps import OWN, planted

DAY = datetime(2020, 5, 10, tzinfo=UTC)
MOST_ISSUES = 10_000  # all numbers below are issues, but for those of the pull requests
PULLS = range(5_000, 5_100)

Key = tuple[int, str, str]

# Name, parents ("-" is the commit before), message.
DELIVERIES = (
    ("s1", "-", "Handle scalars"),
    ("s2", "s1", "Test scalars"),
    ("m1", "base s2", "Merge pull request #5001 from ann/scalars\n\nHandle scalars (#701)"),
    ("s3", "m1", "Handle views"),
    ("s4", "s3", "Test views"),
    ("m2", "m1 s4", "Merge pull request #5002 from ann/views\n\nHandle views"),
    ("squash", "-", "Handle lists (#5003)"),
    ("r1", "-", "Handle sets"),
    ("r2", "-", "Test sets"),
    (
        "import",
        "-",
        "Handle maps\n\nPull Request resolved: https://github.com/owner/name/pull/5005",
    ),
    ("plain", "-", "Handle strings"),
    ("named", "-", "Handle bytes (#5006)"),
    ("other", "-", "Cache the result (#5007)"),
    ("x1", "", "Fix #721"),
    ("x2", "x1", "Fix #722 (#5008)"),
    ("mx", "other x2", "Merge their history"),
)
# Issue, pull request, relation, merge commit, commits.
RELATED = (
    (702, 5002, "closer", "m2", 2),
    (703, 5003, "linked", None, 1),
    (704, 5004, "closer", "r2", 2),
    (705, 5005, "linked", None, 1),
)
# Issue, commit, pull request, repository of what closed it.
CLOSED = (
    (702, "m2", 5002, OWN),
    (706, "plain", None, OWN),
    (723, "plain", None, "other/repo"),
)
COMMENTS = (
    (707, "Fixed by #5006"),
    (724, "#5007 introduced this"),
    (724, "Similar to #5007, which does not fix it"),
    (724, "> fixed by #5007"),
    (724, "See https://github.com/owner/name/pull/5007#issuecomment-1"),
    (724, "Fixed by other/repo#5007"),
)
RIGHT: tuple[tuple[int, str, tuple[str, ...]], ...] = (
    (701, "id", ("m1",)),
    (701, "named_by_pull_request", ("s1", "s2")),
    (702, "pull_request", ("s3", "s4")),
    (702, "closed_by_pull_request", ("m2",)),
    (703, "pull_request", ("squash",)),
    (704, "pull_request", ("r1", "r2")),
    (705, "pull_request", ("import",)),
    (706, "closed_by_commit", ("plain",)),
    (707, "named_in_comment", ("named",)),
)


def truth() -> set[Key]:
    """Return the right links: issue, commit, and the approach that must find the link."""
    by_messages = {
        (number, f"message{place}", case.kind.partition(",")[0])
        for place, case in enumerate(planted())
        for number in case.fixed
    }
    return by_messages | {
        (number, name, approach) for number, approach, names in RIGHT for name in names
    }


def found() -> dict[Key, bool]:
    """Return the links that are found, and whether their words close the issue."""
    commits = _commits()
    numbers = [number for number in range(1, MOST_ISSUES) if number not in PULLS]
    issues = pl.DataFrame(
        {"number": numbers, "created_at": [DAY - timedelta(days=1)] * len(numbers)}
    )
    events = [
        {"number": number, "event_id": str(place), "commit_sha": name, "pull_request": pull}
        | {"closer_repository": home, "created_at": DAY}
        for place, (number, name, pull, home) in enumerate(CLOSED)
    ]
    pulls = [
        {"number": number, "pull_request_repository": OWN, "pull_request": pull}
        | {"relation": relation, "is_merged": True, "merge_commit_sha": merge, "commits": size}
        for number, pull, relation, merge, size in RELATED
    ]
    links = link_fixes(
        commits,
        issues,
        _frame("raw.issue_events", events),
        _frame("raw.issue_pull_requests", pulls),
        APPROACHES,
        comments=pl.DataFrame(
            [(place, *comment) for place, comment in enumerate(COMMENTS)],
            ["comment_id", "number", "body"],
            orient="row",
        ),
        history=History(commits, numbers, (), commits["sha"][-1]),
    )
    return {
        (number, name, approach): CLOSING.match(evidence) is not None
        for number, name, approach, evidence in links.select(
            "number", "sha", "approach", "evidence"
        ).iter_rows()
    }


def _frame(table: str, rows: list[dict[str, Any]]) -> pl.DataFrame:
    schema = schema_of(table)
    return pl.DataFrame(rows, schema=list(schema), schema_overrides=schema)


def _commits() -> pl.DataFrame:
    rows = [
        {
            "repository": OWN,
            "sha": name,
            "parents": parents,
            "message": message,
            "committed_at": DAY + timedelta(seconds=20 * place),
            "month": "2020-05",
            "branch": None,
        }
        for place, (name, parents, message) in enumerate(_rows())
    ]
    return pl.DataFrame(rows, schema_overrides={"branch": pl.String})


def _rows() -> Iterator[tuple[str, list[str], str]]:
    before = "base"
    yield before, [], "Start"
    for name, parents, message in DELIVERIES:
        yield name, parents.replace("-", before).split(), message
        before = name
    for place, case in enumerate(planted()):
        yield f"message{place}", [before], case.message
        before = f"message{place}"
