"""The SQL models about links: agreement between approaches, confidence."""

from typing import Any

import pytest
from scipy.stats import binomtest

from perf_assets.core.linking.links import APPROACHES
from tests.benchmarks.link_calibration import VERDICTS, counts, read
from tests.model_database import Build, ModelDatabase
from tests.rows import (
    Row,
    link,
    sha,
)
from tests.rows import repository as studied
from tests.schema.link_rows import bugs, done, through

pytestmark = pytest.mark.slow

# Agreement and confidence


def quality(database: ModelDatabase, approach: str, repository: str = "owner/name") -> Row:
    (row,) = database.rows(
        f"SELECT * FROM marts.link_quality "
        f"WHERE approach = '{approach}' AND repository = '{repository}'"
    )
    return row


def test_approaches_are_measured_where_both_kinds_of_evidence_exist(build: Build) -> None:
    links = [
        # Confirmed: the message of a commit of the pull request's branch names the issue.
        link(201, "a1"),
        through(201, "a1", 1),
        through(201, "a2", 1),
        through(201, "am", 1, "closed_by_pull_request"),
        # Not confirmed: message and GitHub name different commits.
        link(202, "b"),
        link(202, "c", "closed_by_commit"),
        # Not comparable: one kind only.
        link(203, "d"),
        through(204, "e", 2),
        # Another branch.
        link(204, "f", is_counted=False) | {"branch": "v1"},
    ]
    commits = [done(name) for name in ("a1", "a2", "am", "b", "c", "d", "e")]
    database = build({**bugs(201, 202, 203, 204), "raw.commits": commits, "links.fix_links": links})
    figures = ("comparable", "agreeing", "known_issues", "found_issues", "reference")
    assert [quality(database, "id")[name] for name in figures] == [2, 1, 3, 1, "github"]
    compared = "number, approach, delivery, agrees"
    assert database.table("intermediate.compared_links", compared) == [
        (201, "closed_by_pull_request", "1", True),
        (201, "id", sha("a1"), True),
        (201, "pull_request", "1", True),
        (202, "closed_by_commit", sha("c"), False),
        (202, "id", sha("b"), False),
    ]
    assert database.table("intermediate.link_references", "reference, known_issues") == [
        ("github", 3),
        ("messages", 3),
    ]
    # Its commits are one pull request.
    found = quality(database, "pull_request")
    assert [found[name] for name in figures] == [1, 1, 3, 1, "messages"]
    assert [quality(database, "closed_by_pull_request")[n] for n in figures[:2]] == [1, 1]
    assert [quality(database, "closed_by_commit")[n] for n in figures[:2]] == [1, 0]
    nothing = quality(database, "url")
    assert [nothing[name] for name in figures[:4]] == [0, 0, 3, 0]
    assert [nothing[n] for n in ("agreement", "agreement_low", "agreement_high", "recall")] == [
        None,
        None,
        None,
        0,
    ]
    assert quality(database, "id", "pooled")["comparable"] == 2


def measured(right: int, wrong: int) -> tuple[dict[str, list[Row]], list[Row], list[Row]]:
    """Issues whose link by number GitHub confirms, and others whose link it does not."""
    numbers = range(300, 300 + right + wrong)
    links = [link(number, f"a{number}") for number in numbers]
    for index, number in enumerate(numbers):
        name = f"a{number}" if index < right else f"b{number}"
        links.append(link(number, name, "closed_by_commit"))
    commits = [done(f"{kind}{number}") for number in numbers for kind in "ab"]
    return bugs(*numbers), commits, links


def test_the_interval_is_wilsons(build: Build) -> None:
    issues, commits, links = measured(16, 4)
    found = quality(build({**issues, "raw.commits": commits, "links.fix_links": links}), "id")
    assert found["agreement"] == 0.8
    # scipy.stats.binomtest(16, 20).proportion_ci(method="wilson")
    assert found["agreement_low"] == pytest.approx(0.583983, abs=1e-6)
    assert found["agreement_high"] == pytest.approx(0.919342, abs=1e-6)


@pytest.mark.parametrize(("right", "agreement"), [(15, None), (16, 0.8)])
def test_agreement_is_reported_where_enough_links_of_the_approach_were_compared(
    build: Build, right: int, agreement: float | None
) -> None:
    issues, commits, links = measured(right, 4)
    database = build({**issues, "raw.commits": commits, "links.fix_links": links})
    rated = database.rows("SELECT * FROM marts.fix_link_confidence ORDER BY number, approach")
    assert len(rated) == len(links)
    assert {row["agreement"] for row in rated if row["approach"] == "id"} == {agreement}
    assert all(row["evidence"] and row["doubts"] == [] for row in rated)


def of_another(rows: list[Row]) -> list[Row]:
    return [row | {"repository": "other/name"} for row in rows]


@pytest.mark.parametrize(("right", "agreement", "links"), [(16, 0.8, 20), (15, 0.915254, 59)])
def test_a_repository_goes_by_its_own_links_where_it_has_twenty_else_by_those_of_all(
    build: Build, right: int, agreement: float, links: int
) -> None:
    issues, commits, own = measured(right, 4)
    _, _, others = measured(39, 1)
    theirs, their_commits, _ = measured(39, 1)
    database = build(
        {
            "meta.repositories": [studied(), studied("other/name")],
            **{table: [*rows, *of_another(theirs[table])] for table, rows in issues.items()},
            "raw.commits": [*commits, *of_another(their_commits)],
            "links.fix_links": [*own, *of_another(others)],
        }
    )
    rated = database.rows("SELECT * FROM marts.fix_link_confidence WHERE approach = 'id'")
    here = [row for row in rated if row["repository"] == "owner/name"]
    assert {round(row["agreement"], 6) for row in here} == {agreement}
    assert {row["agreement_links"] for row in here} == {links}
    assert {row["agreement"] for row in rated if row not in here} == {39 / 40}


@pytest.mark.parametrize(("right", "is_known"), [(9, False), (10, True)])
def test_two_repositories_with_few_links_know_enough_together(
    build: Build, right: int, is_known: bool
) -> None:
    issues, commits, links = measured(right, 0)
    database = build(
        {
            "meta.repositories": [studied(), studied("other/name")],
            **{table: [*rows, *of_another(rows)] for table, rows in issues.items()},
            "raw.commits": [*commits, *of_another(commits)],
            "links.fix_links": [*links, *of_another(links)],
        }
    )
    rated = database.rows("SELECT * FROM marts.fix_link_confidence WHERE approach = 'id'")
    assert len(rated) == 2 * right
    assert {row["agreement"] for row in rated} == {1.0 if is_known else None}
    assert {row["agreement_links"] for row in rated} == {2 * right if is_known else None}


# Grades and confidence


def grades(build: Build, *links: Row) -> dict[tuple[Any, ...], str]:
    names = {row["sha"] for row in links}
    commits = [done("x") | {"sha": name} for name in sorted(names)]
    tables = {**bugs(200, 201, 99), "raw.commits": commits, "links.fix_links": list(links)}
    rows = build(tables).table("marts.fix_link_confidence", "number, approach, grade")
    return {(number, approach): grade for number, approach, grade in rows}


def test_what_closes_an_issue_is_more_than_a_mention_and_a_doubt_takes_that_away(
    build: Build,
) -> None:
    found = grades(
        build,
        link(200, "a") | {"evidence": "Fixes #200"},
        link(201, "b") | {"evidence": "#201"},
        link(201, "b", "url") | {"evidence": "closes https://github.com/owner/name/issues/201"},
        link(99, "c") | {"evidence": "Resolves #99"},
        link(99, "c", "closed_by_commit"),
        through(200, "d", 9, "closed_by_pull_request"),
        through(200, "d", 9),
        through(200, "d", 9, "named_by_pull_request"),
        through(200, "d", 9, "named_in_comment"),
        link(200, "e", "plain_id"),
    )
    assert found == {
        (200, "id"): "closing_words",
        (201, "id"): "mention",
        (201, "url"): "closing_words",
        (99, "id"): "doubted_mention",
        (99, "closed_by_commit"): "closing_words",
        (200, "closed_by_pull_request"): "closing_words",
        (200, "pull_request"): "closing_merge",
        (200, "named_by_pull_request"): "merge_title",
        (200, "named_in_comment"): "comment",
        (200, "plain_id"): "plain_number",
    }


def test_every_approach_has_a_grade_and_a_confidence(build: Build) -> None:
    links = [
        link(200, "a", approach) | {"pull_request": None if approach in ("url", "id") else 9}
        for approach in APPROACHES
    ]
    tables = {**bugs(200), "raw.commits": [done("a")], "links.fix_links": links}
    rated = build(tables).rows("SELECT * FROM marts.fix_link_confidence")
    assert {row["approach"] for row in rated} == set(APPROACHES)
    for row in rated:
        assert 0.8 < row["confidence"] < 1
        assert row["confidence_low"] < row["confidence"] <= row["confidence_high"] <= 1


def test_the_counts_behind_the_confidence_are_those_of_the_verdicts(build: Build) -> None:
    rows = build({}).rows("SELECT * FROM intermediate.link_confidence_levels")
    stated = {row["grade"]: (row["read_links"], row["right_links"]) for row in rows}
    assert stated == counts(read(VERDICTS))


def test_a_confidence_is_the_mean_after_the_reading_with_wilsons_interval(build: Build) -> None:
    rows = build({}).rows(
        "SELECT * FROM intermediate.link_confidence_levels WHERE grade = 'mention'"
    )
    (row,) = rows
    assert (row["read_links"], row["right_links"]) == (115, 98)
    assert row["confidence"] == pytest.approx(98.5 / 116)

    interval = binomtest(98, 115).proportion_ci(method="wilson")
    assert (row["confidence_low"], row["confidence_high"]) == pytest.approx(
        (interval.low, interval.high), abs=1e-6
    )
