"""The audit: what it reports, what it refuses to take for a pass, and how suites are read."""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.months import month_of
from perf_assets.schema import read_table
from perf_assets.sources.github.rows import REACTIONS
from perf_assets.storage.audit import suites
from perf_assets.storage.audit.auditing import AuditReport, audit, audit_together
from perf_assets.storage.audit.parameters import Parameters
from perf_assets.storage.audit.records import quarantine
from perf_assets.storage.audit.suites import load_suite, read_rules
from tests.effort import examples
from tests.paths import ROOT

pytestmark = pytest.mark.slow

MONTH = "2020-02"
PARAMETERS = {"repository": "owner/name", "month": MONTH}
SHA = "a" * 40
AROUND_THE_BORDERS = [
    datetime(2020, month, 1, tzinfo=UTC) + timedelta(microseconds=micros)
    for month in (2, 3)
    for micros in (-1, 0, 1)
]


def links(numbers: list[int], **changes: Any) -> pl.DataFrame:
    rows = {
        "repository": "owner/name",
        "number": numbers,
        "sha": SHA,
        "approach": "id",
        "evidence": "fixes it",
        "pull_request": None,
        "branch": None,
        "is_counted": True,
        "is_repeated": False,
        "month": MONTH,
    }
    return pl.DataFrame({**rows, **changes}, schema_overrides={"number": pl.Int64})


def audit_links(frame: pl.DataFrame, **changes: Any) -> AuditReport:
    parameters = {**PARAMETERS, "issue_numbers": list(range(1000)), "commit_shas": [SHA]}
    return audit("links.fix_links", frame, {**parameters, **changes})


def issues(created: list[datetime]) -> pl.DataFrame:
    numbers = range(1, len(created) + 1)
    return pl.DataFrame(
        {
            "repository": "owner/name",
            "month": MONTH,
            "number": numbers,
            "title": "slow",
            "author_type": "User",
            "author_association": "NONE",
            **dict.fromkeys(REACTIONS.values(), 0),
            "state": "open",
            "state_reason": None,
            "created_at": created,
            "updated_at": created,
            "closed_at": None,
            "comments": 0,
            "html_url": [f"https://github.com/owner/name/issues/{number}" for number in numbers],
        },
        schema_overrides={
            "state_reason": pl.String,
            "closed_at": pl.Datetime("us", "UTC"),
            "created_at": pl.Datetime("us", "UTC"),
        },
    )


def test_the_sentence_names_table_partition_rule_rows_and_three_examples() -> None:
    report = audit_links(links([1, 2001, 2002, 2003, 2004]))
    assert report.ok and report.set_aside == (1, 2, 3, 4)
    assert report.sentence() == (
        "links.fix_links of owner/name 2020-02: 4 of 5 rows set aside (80.00%): "
        "issues_are_known is broken by 4 of 5 rows ("
        f"number 2001, sha '{SHA}', approach 'id'; number 2002, sha '{SHA}', approach 'id'; "
        f"number 2003, sha '{SHA}', approach 'id')"
    )
    (failure,) = report.failures
    assert failure.sentence().startswith("owner/name 2020-02: issues_are_known is broken by 4 of 5")


def test_of_many_rows_a_share_may_be_set_aside_and_of_few_rows_some() -> None:
    for known, odd, is_stored in [(0, 10, True), (0, 11, False), (285, 15, True), (285, 16, False)]:
        report = audit_links(links([*range(1, known + 1), *range(2001, 2001 + odd)]))
        assert report.ok is is_stored, (known, odd)
        assert len(report.set_aside) == (odd if is_stored else 0)


def test_of_rows_with_one_key_the_first_stays() -> None:
    report = audit_links(links([1, 2, 1, 3, 2, 1]))
    assert report.set_aside == (2, 4, 5)
    assert [failure.rule for failure in report.failures] == ["keys_are_unique"]


def test_a_passed_audit_says_so() -> None:
    report = audit_links(links([1, 2]))
    assert report.ok
    assert report.sentence() == (
        "links.fix_links of owner/name 2020-02: all 13 rules hold for 2 rows"
    )


def test_rows_that_are_missing_are_counted_against_the_source() -> None:
    report = audit(
        "raw.issues", issues([datetime(2020, 2, 3, tzinfo=UTC)]), PARAMETERS | {"source_count": 4}
    )
    (failure,) = report.failures
    assert (failure.rule, failure.failing_rows) == ("row_count_is_the_sources", 3)
    assert failure.examples == ("1 instead of 4",)


def test_a_warning_is_reported_and_does_not_stop_the_rows() -> None:
    frame = issues([datetime(2020, 2, 3, tzinfo=UTC)]).with_columns(title=pl.lit(" "))
    report = audit("raw.issues", frame, PARAMETERS | {"source_count": 1})
    assert report.ok
    assert [result.rule for result in report.warnings] == ["title_is_not_blank"]
    assert "title_is_not_blank is broken by 1 of 1 rows (number 1, title ' ')" in report.sentence()


def test_a_table_that_is_computed_whole_has_no_partition_in_its_sentence() -> None:
    row = {"dataset": "live", "repository": "owner/name", "is_performance": [True, False]}
    frame = pl.DataFrame({**row, "open": 1, "closed": 1, "fixed": 2})
    report = audit("marts.dataset_breakdown", frame, {})
    assert report.sentence().startswith(
        "marts.dataset_breakdown: 2 of 2 rows set aside (100.00%): closed_is_not_below_fixed is "
    )


def test_long_text_is_cut_in_an_example() -> None:
    report = audit_links(links([1]).with_columns(approach=pl.lit("x" * 500)))
    assert len(report.sentence()) < 500


@pytest.mark.parametrize("count", [0, 3])
def test_a_candidate_without_rows_is_held_against_the_count_of_the_source(count: int) -> None:
    report = audit("raw.issues", issues([]), PARAMETERS | {"source_count": count})
    assert report.ok == (count == 0)
    assert len(report.results) == len(load_suite("raw.issues").rules)
    assert [result.rule for result in report.failures] == ["row_count_is_the_sources"] * (count > 0)
    assert [result.failing_rows for result in report.failures] == [count] * (count > 0)


@pytest.mark.parametrize("rows", [0, 1])
@pytest.mark.parametrize("parameters", [{}, {"source_count": None}])
def test_a_count_that_the_source_did_not_give_is_not_a_pass(
    rows: int, parameters: dict[str, None]
) -> None:
    frame = issues([datetime(2020, 2, 3, tzinfo=UTC)] * rows)
    (failure,) = audit("raw.issues", frame, PARAMETERS | parameters).failures
    assert failure.sentence() == (
        "owner/name 2020-02: row_count_is_the_sources could not be checked "
        "(source_count is not known)"
    )


def test_a_rule_that_cannot_be_checked_is_critical_even_if_a_breach_were_a_warning() -> None:
    frame = issues([datetime(2020, 2, 3, tzinfo=UTC)]).drop("updated_at")
    report = audit("raw.issues", frame, PARAMETERS | {"source_count": 1})
    (failure,) = report.failures
    assert failure.rule == "updated_not_before_created"
    assert "updated_at" in str(failure.problem)
    assert "\n" not in report.sentence()


def test_values_of_another_type_than_the_rules_do_not_pass() -> None:
    frame = issues([datetime(2020, 2, 3, tzinfo=UTC)]).with_columns(pl.col("created_at").cast(str))
    report = audit("raw.issues", frame, PARAMETERS | {"source_count": 1})
    assert "created_at_is_within_the_month" in {result.rule for result in report.failures}


def test_nulls_break_only_the_rules_that_ask_for_a_value() -> None:
    frame = issues([datetime(2020, 2, 3, tzinfo=UTC)] * 2).with_columns(
        title=pl.lit(None, pl.String), state_reason=pl.lit(None, pl.String)
    )
    report = audit("raw.issues", frame, PARAMETERS | {"source_count": 2})
    assert [result.rule for result in report.failures] == ["nothing_is_missing"]
    assert report.failures[0].examples == ("number 1, title missing", "number 2, title missing")
    assert report.warnings == []


def test_a_condition_keeps_the_place_of_the_failing_row() -> None:
    frame = issues([datetime(2020, 2, 3, tzinfo=UTC)] * 4).with_columns(
        state=pl.Series(["open", "open", "open", "closed"])
    )
    report = audit("raw.issues", frame, PARAMETERS | {"source_count": 4})
    (failure,) = report.failures
    assert failure.examples == ("number 4, closed_at missing, state 'closed'",)


@settings(max_examples=examples(12))
@given(
    numbers=st.lists(st.integers(1, 40), min_size=1, max_size=30, unique=True),
    allowed=st.sets(st.integers(1, 40)),
)
def test_exactly_the_rows_outside_a_set_of_values_fail(
    numbers: list[int], allowed: set[int]
) -> None:
    result = audit_links(links(numbers), issue_numbers=allowed).results["issues_are_known"]
    assert result.failing_rows == sum(number not in allowed for number in numbers)
    assert result.success == (result.failing_rows == 0)


@settings(max_examples=examples(12))
@given(st.lists(st.sampled_from(AROUND_THE_BORDERS), min_size=1, max_size=8))
def test_exactly_the_issues_of_another_month_fail(created: list[datetime]) -> None:
    result = audit(
        "raw.issues", issues(created), PARAMETERS | {"source_count": len(created)}
    ).results["created_at_is_within_the_month"]
    assert result.problem is None
    assert result.failing_rows == sum(month_of(moment) != MONTH for moment in created)


DAY = datetime(2020, 2, 3, tzinfo=UTC)
ODDITIES: dict[str, dict[str, Any]] = {
    "good": {},
    "another month": {"created_at": datetime(2020, 3, 1, tzinfo=UTC)},
    "another repository": {"repository": "owner/other"},
    "another partition": {"month": "2020-03"},
    "no title": {"title": None},
    "a blank title": {"title": " "},
    "closed without a time": {"state": "closed"},
    "closed before it was opened": {
        "state": "closed",
        "closed_at": datetime(2019, 1, 1, tzinfo=UTC),
    },
    "an unknown state": {"state": "merged"},
    "no number": {"number": 0},
    "of a pull request": {"html_url": "https://github.com/owner/name/pull/7"},
}


@settings(max_examples=examples(10), deadline=None)
@given(
    st.lists(
        st.tuples(
            st.lists(st.tuples(st.integers(1, 4), st.sampled_from(sorted(ODDITIES))), max_size=6),
            st.sampled_from([None, 0, 1, 2, 3]),
            st.sampled_from(["owner/name", None]),
        ),
        min_size=1,
        max_size=4,
    )
)
def test_partitions_that_are_judged_together_get_the_verdict_they_would_get_alone(
    partitions: list[tuple[list[tuple[int, str]], int | None, str | None]],
) -> None:
    candidates = []
    for index, (rows, announced, repository) in enumerate(partitions):
        frame = issues([DAY] * len(rows)).with_columns(
            number=pl.Series([number for number, _ in rows], dtype=pl.Int64)
        )
        spoilt = [
            {**row, **ODDITIES[what]} for row, (_, what) in zip(frame.to_dicts(), rows, strict=True)
        ]
        known = {"source_count": announced, "repository": repository}
        parameters: Parameters = {**PARAMETERS, **known}
        if index % 2:
            parameters["month"] = "2020-03"
        candidates.append((pl.DataFrame(spoilt, schema=frame.schema), parameters))
    together = audit_together("raw.issues", candidates)
    alone = [audit("raw.issues", frame, parameters) for frame, parameters in candidates]
    assert [report.to_dict() for report in together] == [report.to_dict() for report in alone]


def test_of_a_rule_that_most_rows_keep_the_share_of_each_partition_counts() -> None:
    def comments(authors: list[str | None]) -> pl.DataFrame:
        row = {"repository": "owner/name", "number": 1, "created_at": DAY, "month": MONTH}
        row |= {
            "author_type": "User",
            "author_association": "NONE",
            **dict.fromkeys(REACTIONS.values(), 0),
        }
        frame = pl.DataFrame({"author": authors}, schema={"author": pl.String})
        numbers = pl.int_range(1, pl.len() + 1)
        return frame.with_columns(comment_id=numbers, **{k: pl.lit(v) for k, v in row.items()})

    parameters: Parameters = {**PARAMETERS, "issue_numbers": [1]}
    many, half, few = ["a"] * 9 + [None], ["a", None], ["a", None, None]
    reports = audit_together(
        "raw.issue_comments",
        [(comments(each), {**parameters, "source_count": len(each)}) for each in (many, half, few)],
    )
    results = [report.results["most_authors_are_known"] for report in reports]
    assert [(result.success, result.failing_rows) for result in results] == [
        (True, 0),
        (True, 0),
        (False, 2),
    ]


def test_audits_in_several_threads_do_not_mix() -> None:
    def failing(count: int) -> int:
        frame = links([*range(1, 4), *range(2000, 2000 + count)])
        return audit_links(frame).results["issues_are_known"].failing_rows

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(failing, range(12))) == list(range(12))


def test_quarantine_keeps_the_candidate_and_the_report(tmp_path: Path) -> None:
    frame = links([1, 2001]).with_columns(labels=pl.lit(["a", "b"]))
    report = audit_links(frame)
    directory = tmp_path / "owner+name" / MONTH / "links.fix_links"
    assert quarantine(report, frame, directory) == directory
    assert pl.read_parquet(directory / "candidate.parquet").equals(frame)
    parameters = json.loads((directory / "report.json").read_text(encoding="utf-8"))
    assert parameters == json.loads(json.dumps(report.to_dict()))
    assert (parameters["table"], parameters["ok"], parameters["rows"]) == (
        "links.fix_links",
        True,
        2,
    )
    assert parameters["sentence"] == report.sentence()
    failing = [result["rule"] for result in parameters["results"] if not result["success"]]
    assert failing == ["issues_are_known"]
    assert sorted(path.name for path in directory.iterdir()) == ["candidate.parquet", "report.json"]


def test_quarantine_replaces_what_an_earlier_run_left(tmp_path: Path) -> None:
    for frame in (links([2001, 2002]), links([2003])):
        quarantine(audit_links(frame), frame, tmp_path)
    assert pl.read_parquet(tmp_path / "candidate.parquet").equals(links([2003]))


def test_a_quarantine_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    blocked = tmp_path / "quarantine"
    blocked.write_text("a file")
    with pytest.raises(PerfAssetsError, match="cannot be kept there: "):
        quarantine(audit_links(links([1])), links([1]), blocked / "raw.issues")


RULE: dict[str, Any] = {
    "type": "expect_column_values_to_not_be_null",
    "kwargs": {"column": "number"},
    "severity": "critical",
    "notes": "A note that says why.",
    "meta": {"rule": "number_is_present"},
}


def suite_file(directory: Path, *rules: object, **changes: Any) -> Path:
    path = directory / "test.numbers.json"
    content = {"name": "test.numbers", "expectations": list(rules)}
    path.write_text(json.dumps({**content, **changes}))
    return path


def without(name: str) -> dict[str, Any]:
    return {key: value for key, value in RULE.items() if key != name}


def test_a_suite_file_is_read_as_it_stands(tmp_path: Path) -> None:
    (rule,) = read_rules(suite_file(tmp_path, RULE))
    assert (rule.name, rule.severity, rule.note) == (
        "number_is_present",
        "critical",
        "A note that says why.",
    )


@pytest.mark.parametrize(
    ("rules", "complaint"),
    [
        (
            [RULE | {"type": "expect_column_values_to_be_nul"}],
            "rule number_is_present: type: Great Expectations has no such type; "
            "did you mean expect_column_values_to_be_null?",
        ),
        ([without("type")], "rule number_is_present: type: this key is missing"),
        ([RULE | {"severity": "fatal"}], "'fatal' is not a known value; known are critical"),
        ([RULE | {"severity": "warn"}], "did you mean warning?"),
        ([without("severity")], "severity: this key is missing"),
        ([without("notes")], "rule number_is_present: notes: this key is missing"),
        ([RULE | {"notes": " "}], "rule number_is_present: notes: "),
        ([RULE | {"kwargs": None}], "rule number_is_present: kwargs: a table of keys and values"),
        ([RULE | {"mostly": 0.5}], "rule number_is_present: mostly: unknown key"),
        ([RULE | {"note": "x"}], "note: unknown key; did you mean notes?"),
        ([RULE, without("meta")], "rule 2: meta: this key is missing"),
        ([RULE | {"meta": {"rule": "number is present"}}], "rule number is present: meta.rule: "),
        (["expect"], "expectations[1]: a table of keys and values is needed here ('expect')"),
        ([RULE, RULE], "two rules are called number_is_present"),
    ],
)
def test_a_malformed_rule_is_refused_with_file_and_rule(
    tmp_path: Path, rules: list[object], complaint: str
) -> None:
    path = suite_file(tmp_path, *rules)
    with pytest.raises(PerfAssetsError) as error:
        read_rules(path)
    assert str(error.value).startswith(f"{path}: ")
    assert complaint in str(error.value)


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"expectations": None}, "expectations: a list is needed here"),
        ({"name": "raw.issues"}, "name: a suite is called as its table, test.numbers"),
        ({"meta": {}}, "meta: unknown key"),
    ],
)
def test_a_malformed_suite_is_refused(
    tmp_path: Path, changes: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(PerfAssetsError, match=complaint):
        read_rules(suite_file(tmp_path, RULE, **changes))


def test_a_suite_that_is_not_json_is_refused_with_line_and_column(tmp_path: Path) -> None:
    path = tmp_path / "test.numbers.json"
    path.write_text('{"name": "test.numbers",\n "rules": none}')
    with pytest.raises(PerfAssetsError, match=r"test\.numbers\.json: .*not valid JSON.*line 2"):
        read_rules(path)


def test_a_table_that_is_not_declared_is_refused() -> None:
    with pytest.raises(
        PerfAssetsError, match=r"raw\.isues is not declared; did you mean raw\.issues"
    ):
        load_suite("raw.isues")


def test_arguments_that_great_expectations_refuses_are_reported_with_file_and_rule(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = suite_file(tmp_path, RULE | {"kwargs": {"colunm": "number"}})
    content = {"key": ["number"], "columns": {"number": {"type": "BIGINT", "description": "One."}}}
    table = read_table("test.numbers", content, {}, "numbers.yml")
    monkeypatch.setattr(suites, "expectations_dir", lambda: tmp_path)
    monkeypatch.setattr(suites, "table_of", lambda name: table)
    with pytest.raises(PerfAssetsError) as error:
        audit("test.numbers", pl.DataFrame({"number": [1]}), {})
    assert str(error.value).startswith(f"{path}: rule number_is_present is malformed: ")
    assert "\n" not in str(error.value)


def test_suites_are_read_without_importing_great_expectations_and_audits_write_no_file(
    tmp_path: Path,
) -> None:
    program = """
import os, sys
from perf_assets.base.processes.child import descendants
from perf_assets.storage.audit.auditing import audit
from perf_assets.storage.audit.suites import load_suite
import polars as pl
load_suite("raw.issues")
audit("raw.issue_templates", pl.DataFrame({"sha": []}), {"repository": "o/n", "month": "2020-01"})
assert not descendants(os.getpid())
frame = pl.DataFrame({"number": [1], "sha": "x", "approach": "id", "evidence": "a", "month": "m"})
report = audit("links.fix_links", frame, {"repository": "o/n", "month": "2020-01"})
assert descendants(os.getpid()) and not report.ok
assert "great_expectations" not in sys.modules
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={**os.environ, "HOME": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
        | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert list(tmp_path.iterdir()) == []
