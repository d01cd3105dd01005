"""What fixes touch and how long bugs lived: models on given rows, and the comparison."""

from datetime import UTC, datetime
from math import exp, log
from typing import Any

import duckdb
import pytest

from perf_assets.schema import schema_of, table_of
from tests.effort import some
from tests.model_database import ModelDatabase
from tests.rows import (
    REPOSITORY,
    Row,
    changed_file,
    commit,
    detail,
    issue,
    label,
    link,
    origin,
    repository,
    sha,
)

pytestmark = pytest.mark.slow

MERGE = {
    "analysed_files": None,
    "methods_changed": None,
    "changed_methods": None,
    "not_analysed": "a merge",
    "removed_lines": None,
    "not_traced": "a merge",
}


def language(name: str) -> Row:
    return {"language": name, "is_test": False, "files": 1, "additions": 1, "deletions": 0}


@pytest.fixture(scope="module", params=some("Asia/Tokyo", "UTC"))
def database(request: pytest.FixtureRequest) -> ModelDatabase:
    return ModelDatabase(request.param)


def fixed(*names: str, **tables: list[Row]) -> dict[str, list[Row]]:
    """Bug report 1, opened on the tenth of January, fixed by the commits ``names`` of 10 lines."""
    return {
        "meta.repositories": [repository()],
        "raw.issues": [issue(1, "2020-01-10T00:00:00Z")],
        "labels.performance_labels": [label(1, is_performance=True)],
        "raw.commits": [commit(name, "2020-01-20T00:00:00Z", 8, 2) for name in names],
        "links.fix_links": [link(1, name) for name in names],
        **{name.replace("__", "."): rows for name, rows in tables.items()},
    }


def contents(database: ModelDatabase) -> tuple[Any, ...]:
    columns = "fix_files, fix_methods, fix_languages, fix_test_share"
    (row,) = database.table("marts.bug_metrics", columns)
    return row


def test_contents_of_a_fix_are_those_of_its_commits_together(database: ModelDatabase) -> None:
    database.fill(
        fixed(
            "one",
            "two",
            raw__commit_files=[
                changed_file("one", "a.py"),
                changed_file("one", "b"),
                changed_file("two", "a.py"),
            ],
            details__commit_metrics=[
                detail(
                    "one",
                    methods_changed=2,
                    changed_methods=["a.py::f( x )", "a.py::g( )"],
                    languages=[language("Python"), language("Other")],
                    test_share=0.5,
                ),
                detail(
                    "two",
                    methods_changed=1,
                    changed_methods=["a.py::g( )"],
                    languages=[language("Python")],
                    test_share=0.0,
                ),
            ],
        )
    )
    assert contents(database) == (2, 2, ["Other", "Python"], 0.25)


def test_a_part_of_a_fix_does_not_pass_for_the_whole(database: ModelDatabase) -> None:
    one = detail("one", methods_changed=1, changed_methods=["a.py::f( x )"], test_share=1.0)
    merge = detail("two", languages=[language("C")], test_share=0.0, **MERGE)
    database.fill(fixed("one", "two", details__commit_metrics=[one, merge]))
    assert contents(database) == (0, None, ["C"], 0.5)
    database.fill(fixed("one", "two", details__commit_metrics=[one]))
    assert contents(database) == (0, None, None, None)
    database.fill(fixed())
    assert contents(database) == (None, None, None, None)


def test_candidates_are_not_merges_and_not_younger_than_the_report(database: ModelDatabase) -> None:
    early, latest, at_once = "2019-12-01", "2020-01-08", "2020-01-10T00:00:00Z"
    database.fill(
        fixed(
            "fix",
            details__commit_metrics=[detail("fix", removed_lines=9)],
            details__introducing_commits=[
                origin("fix", "early", f"{early}T00:00:00Z", 3),
                origin("fix", "late", f"{latest}T12:00:00Z", 1),
                origin("fix", "late", f"{latest}T12:00:00Z", 1, path="b.py"),
                origin("fix", "merge", at_once, 2, is_merge=True),
                origin("fix", "after", "2020-01-10T00:00:01Z", 2),
            ],
        )
    )
    found = database.table("intermediate.bug_introductions", "introducing_sha, path, is_candidate")
    assert {row[:2] for row in found if row[2]} == {
        (sha("early"), "a.py"),
        (sha("late"), "a.py"),
        (sha("late"), "b.py"),
    }
    (life,) = database.rows("FROM marts.bug_lifetimes")
    assert life["outcome"] == "introduced"
    assert (life["introducing_commits"], life["rejected_commits"]) == (2, 2)
    assert (life["removed_lines"], life["introduced_lines"]) == (9, 5)
    assert life["introduced_at"] == datetime(2020, 1, 8, 12, tzinfo=UTC)
    assert (life["lifetime_days"], life["longest_lifetime_days"]) == (1.5, 40.0)


def introductions(database: ModelDatabase) -> dict[tuple[str, str], Row]:
    rows = database.rows("FROM intermediate.bug_introductions")
    return {(row["introducing_sha"], row["path"]): row for row in rows}


def related(name: str, other: str, relation: str) -> Row:
    return {
        "repository": REPOSITORY,
        "sha": sha(name),
        "related_sha": sha(other),
        "relation": relation,
        "evidence": "This reverts commit",
        "month": "2020-01",
    }


def test_candidates_are_ranked_by_probability(database: ModelDatabase) -> None:
    database.fill(
        fixed(
            "fix",
            details__commit_metrics=[detail("fix", removed_lines=11)],
            details__introducing_commits=[
                origin("fix", "old", "2010-01-01T00:00:00Z", 3),
                origin("fix", "new", "2020-01-08T00:00:00Z", 6),
                origin("fix", "new", "2020-01-08T00:00:00Z", 1, path="b.py"),
                origin("fix", "listed", "2020-01-08T00:00:00Z", 1, is_ignored=True),
            ],
        )
    )
    found = introductions(database)
    new, old, listed = (found[sha(name), "a.py"] for name in ("new", "old", "listed"))
    logit = -0.211 + 3.692 * 0.7 - 0.587 * log(1 + 12)
    assert new["probability"] == pytest.approx(1 / (1 + exp(-logit)))
    assert found[sha("new"), "b.py"]["probability"] == new["probability"]
    assert 0 < old["probability"] < new["probability"] < 1
    assert (new["candidate_rank"], old["candidate_rank"]) == (1, 2)
    assert (listed["is_candidate"], listed["probability"], listed["candidate_rank"]) == (
        False,
        None,
        None,
    )


def test_what_a_fix_takes_back_is_its_only_candidate(database: ModelDatabase) -> None:
    tables = fixed(
        "fix",
        details__commit_metrics=[detail("fix", removed_lines=3)],
        details__introducing_commits=[
            origin("fix", "other", "2020-01-09T00:00:00Z", 2),
            origin("fix", "wrong", "2020-01-02T00:00:00Z", 1),
        ],
        links__commit_relations=[related("fix", "wrong", "reverts")],
        raw__commit_files=[
            changed_file(name, path)
            for name, paths in (("fix", ("a.py", "b.py")), ("wrong", ("a.py", "b.py", "c.py")))
            for path in paths
        ],
    )
    tables["raw.commits"].append(commit("wrong", "2020-01-02T00:00:00Z", 1, 1))
    database.fill(tables)
    found = introductions(database)
    assert {key: row["lines"] for key, row in found.items() if row["is_candidate"]} == {
        (sha("wrong"), "a.py"): 1,
        (sha("wrong"), "b.py"): 0,
    }
    assert {row["probability"] for row in found.values() if row["is_candidate"]} == {1.0}
    assert {row["candidate_rank"] for row in found.values() if row["is_candidate"]} == {1}
    assert not found[sha("other"), "a.py"]["is_candidate"]
    (life,) = database.rows("FROM marts.bug_lifetimes")
    assert life["introduced_at"] == datetime(2020, 1, 2, tzinfo=UTC)
    assert (life["introducing_commits"], life["introduced_lines"]) == (1, 1)
    # A fix that only adds lines has no origins, and takes the commit back all the same.
    database.fill({**tables, "details.introducing_commits": []})
    (life,) = database.rows("FROM marts.bug_lifetimes")
    assert (life["outcome"], life["introduced_lines"]) == ("introduced", 0)


def test_reverts_are_candidates_beside_no_other_and_copies_count_as_the_first(
    database: ModelDatabase,
) -> None:
    tables = fixed(
        "fix",
        details__commit_metrics=[detail("fix", removed_lines=4)],
        details__introducing_commits=[
            origin("fix", "revert", "2020-01-09T00:00:00Z", 2),
            origin("fix", "copy", "2020-01-11T00:00:00Z", 1),
            origin("fix", "original", "2020-01-05T00:00:00Z", 1),
        ],
        links__commit_relations=[
            related("revert", "gone", "reverts"),
            related("copy", "original", "copies"),
        ],
    )
    tables["raw.commits"].append(commit("original", "2020-01-05T00:00:00Z", 1, 1))
    database.fill(tables)
    found = introductions(database)
    copy, original = found[sha("copy"), "a.py"], found[sha("original"), "a.py"]
    assert not found[sha("revert"), "a.py"]["is_candidate"]
    assert copy["is_candidate"] and original["is_candidate"]
    assert copy["original_sha"] == sha("original")
    assert copy["introduced_at"] == original["introduced_at"]
    assert copy["probability"] == original["probability"]
    assert copy["candidate_rank"] == original["candidate_rank"] == 1
    (life,) = database.rows("FROM marts.bug_lifetimes")
    assert (life["introducing_commits"], life["rejected_commits"]) == (1, 1)
    database.fill(
        {
            **tables,
            "details.introducing_commits": [origin("fix", "revert", "2020-01-09T00:00:00Z", 2)],
        }
    )
    assert introductions(database)[sha("revert"), "a.py"]["is_candidate"]


def test_a_commit_that_the_message_names_is_certain(database: ModelDatabase) -> None:
    tables = fixed(
        "fix",
        details__commit_metrics=[detail("fix", removed_lines=2)],
        details__introducing_commits=[
            origin("fix", "named", "2012-01-01T00:00:00Z", 1),
            origin("fix", "other", "2020-01-09T00:00:00Z", 1),
        ],
    )
    tables["raw.commits"][0]["message"] = f"Handle zero\n\nFixes: {sha('named')[:12].upper()}"
    database.fill(tables)
    found = introductions(database)
    named, other = found[sha("named"), "a.py"], found[sha("other"), "a.py"]
    assert (named["is_stated"], named["probability"], named["candidate_rank"]) == (True, 1.0, 1)
    assert (other["is_stated"], other["candidate_rank"]) == (False, 2)


@pytest.mark.parametrize(
    ("details", "origins", "outcome"),
    [
        ([detail("fix")], [], "only_adds"),
        ([detail("fix", removed_lines=1)], ["2020-01-11T00:00:00Z"], "no_candidate"),
        ([detail("fix", **MERGE)], [], "not_traced"),
        ([], [], "not_looked_at"),
    ],
)
def test_a_fix_without_candidate_says_why(
    database: ModelDatabase, details: list[Row], origins: list[str], outcome: str
) -> None:
    found = [origin("fix", "one", at) for at in origins]
    database.fill(fixed("fix", details__commit_metrics=details, details__introducing_commits=found))
    (life,) = database.rows("FROM marts.bug_lifetimes")
    assert life["outcome"] == outcome
    assert life["introduced_at"] is life["lifetime_days"] is None


COUNTS = (
    "traced_commits",
    "removed_lines",
    "introduced_lines",
    "introducing_commits",
    "rejected_commits",
)


@pytest.mark.parametrize("is_half", [True, False])
def test_a_fix_that_nobody_looked_at_has_no_zeros(
    database: ModelDatabase, *, is_half: bool
) -> None:
    seen = [detail("one", removed_lines=3)] if is_half else []
    files = [changed_file("one", "a.py"), changed_file("two", "b.py")]
    tables = {"details__commit_metrics": seen, "raw__commit_files": files}
    database.fill(fixed("one", "two", **tables))
    assert contents(database) == (2, None, None, None)
    assert database.table("marts.bug_metrics", "fix_size, fix_commits, fix_not_analysed") == [
        (20, 2, "not_looked_at")
    ]
    (life,) = database.rows("FROM marts.bug_lifetimes")
    assert (life["outcome"], life["fix_commits"]) == ("not_looked_at", 2)
    assert [life[name] for name in COUNTS] == [None] * len(COUNTS)
    assert life["lifetime_days"] is life["longest_lifetime_days"] is None


def test_what_a_part_of_a_fix_shows_of_its_origin_is_reported(database: ModelDatabase) -> None:
    database.fill(
        fixed(
            "one",
            "two",
            details__commit_metrics=[detail("one", removed_lines=3)],
            details__introducing_commits=[origin("one", "early", "2020-01-09T00:00:00Z", 2)],
        )
    )
    (life,) = database.rows("FROM marts.bug_lifetimes")
    assert (life["outcome"], life["traced_commits"], life["lifetime_days"]) == ("introduced", 1, 1)


def test_why_methods_are_not_known_is_reported(database: ModelDatabase) -> None:
    def reason(*details: Row) -> object:
        database.fill(fixed("one", details__commit_metrics=list(details)))
        ((why,),) = database.table("marts.bug_metrics", "fix_not_analysed")
        return why

    assert reason(detail("one", **MERGE)) == "not_analysed"
    assert reason(detail("one", methods_changed=0, changed_methods=[])) is None
    assert reason() == "not_looked_at"
    database.fill(fixed())
    assert database.table("marts.bug_metrics", "fix_not_analysed") == [(None,)]


def test_documented_columns_of_the_comparison_are_those_computed() -> None:
    with duckdb.connect() as connection:
        connection.register(
            "computed", schema_of("analysis.lifetime_comparisons").to_frame().to_arrow()
        )
        described = connection.execute("DESCRIBE FROM computed").fetchall()
    documented = table_of("analysis.lifetime_comparisons").columns
    assert [(name, kind) for name, kind, *_ in described] == [(c.name, c.type) for c in documented]
