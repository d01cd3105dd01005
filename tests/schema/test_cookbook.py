"""The analysts' cookbook: every query of sql/ answers as it should on a small filled database."""

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import duckdb
import pytest

from perf_assets.base.errors import PerfAssetsError
from perf_assets.reports.query_runner import set_parameters
from perf_assets.schema.models.cookbook import Query, cookbook
from perf_assets.schema.models.parameters import Parameter
from tests.effort import some
from tests.model_database import ModelDatabase
from tests.paths import ROOT
from tests.question_rows import (
    FORUM,
    PERFORMANCE,
    TAG_SET,
    answer,
    performance_question,
    question,
    question_kind,
    question_verdict,
    tag_set,
    word_weight,
)
from tests.rows import (
    REPOSITORY,
    SUM,
    benchmark_change,
    benchmark_result,
    bug,
    bugs,
    changed_file,
    comment,
    commit,
    environment,
    event,
    issue,
    label,
    label_kind,
    link,
    load,
    loads,
    probability,
    published_problem,
    pull_request,
    repository,
    scanned_tree,
    sha,
    static_finding,
    verdict,
    work_label,
)

pytestmark = pytest.mark.slow

COOKBOOK = ROOT / "sql"
QUERIES = sorted(COOKBOOK.glob("*.sql"))
ISSUE = f"https://github.com/{REPOSITORY}/issues/"
NEW_YEAR = datetime(2020, 1, 1, tzinfo=UTC)
COMMIT = f"https://github.com/{REPOSITORY}/commit/"

REACTIONS = (
    *("thumbs_up", "thumbs_down", "laugh", "hooray", "confused", "heart", "rocket", "eyes"),
)
REPRODUCED = {
    "library": "tensorflow",
    "profiler_status": "not_solved",
    "xla_status": "not_applied",
    "documentation_status": "applied",
}
LOAD = "bench_io.Load.time_load"

FILLED = {
    "meta.repositories": [repository()],
    "meta.partition_loads": [
        *loads("2020-01", "2020-02", "2020-03", row_count=2, requests=3, points=5),
        load("2020-05", row_count=1),
        load("2020-02", "raw.questions", repository=f"{FORUM}:{TAG_SET}", row_count=4),
        load(
            "2020-06",
            status="failed",
            is_stored=False,
            row_count=0,
            message="2 rows without a title",
        ),
    ],
    "raw.benchmark_results": [
        benchmark_result("c", "2020-02", 2.0),
        benchmark_result("a", "2020-02", 4.0),
        benchmark_result("b", "2021-01", 6.0),
        benchmark_result("a", "2020-02", 0.5, benchmark=LOAD),
    ],
    "raw.benchmark_files": [
        {
            "repository": REPOSITORY,
            "file": "asv/a.json",
            "file_id": "1",
            "file_months": 1,
            "other_months_results": 0,
            "results": 4,
            "unusable_results": 0,
            "month": "2020-02",
        }
    ],
    "marts.benchmark_changes": [
        benchmark_change("c", "a", 2, 2.0, "r1111111111"),
        benchmark_change("a", "b", 3, 1.5, "r2222222222"),
        benchmark_change(
            "b",
            "c",
            2,
            0.25,
            "r3333333333",
            benchmark=LOAD,
            is_regression=False,
        ),
    ],
    "marts.benchmark_areas": [
        {"repository": REPOSITORY, "benchmark": SUM, "area": "nn"},
    ],
    "marts.regression_reports": [
        {
            "repository": REPOSITORY,
            "regression_id": "r2222222222",
            "number": 2,
            "evidence_kinds": ["benchmark"],
            "named_words": [SUM],
            "is_reported": True,
            "told_at": "2021-02-01T00:00:00Z",
        }
    ],
    "raw.scanned_trees": [
        scanned_tree("2020-03", "2020-Q1"),
        scanned_tree("2020-06", "2020-Q2"),
    ],
    "raw.static_findings": [
        static_finding(1, "2020-03", "2020-Q1"),
        static_finding(2, "2020-03", "2020-Q1"),
        static_finding(2, "2020-06", "2020-Q2"),
        static_finding(3, "2020-06", "2020-Q2", rule="loop-invariant-op", severity="note"),
    ],
    "analysis.adjusted_tests": [
        {
            "dataset": "live",
            "repository": REPOSITORY,
            "source": "trend_tests",
            "result_of": series,
            "method": method,
            "p_value": p,
            "p_value_holm": adjusted,
            "tests": 2,
        }
        for series, method, p, adjusted in (
            ("open", "permutation", 0.03, 0.06),
            ("opened", "binomial_regression", 0.01, 0.02),
            ("fixed", "permutation", None, None),
        )
    ],
    "labels.question_word_weights": [
        word_weight("gpu", word_rank=2),
        word_weight("slow", keywords=["slow"]),
    ],
    "reviews.question_verdicts": [
        question_verdict(1, "Ann", 1, kinds=["performance"], challenge="API misuse"),
        question_verdict(2, "Bob", 1, kinds=["performance"], challenge="Static graphs"),
        question_verdict(
            3,
            "Ann",
            2,
            kinds=["program_crash", "shape_inconsistency"],
            challenge="API misuse",
        ),
    ],
    "analysis.label_sensitivity": [
        {
            "dataset": "live",
            "repository": REPOSITORY,
            "label_rule": labels,
            "result_of": "share",
            "n_performance": 1,
            "n_other": 2,
            "is_too_few": False,
            "result": f"{labels}: 33.3 %",
        }
        for labels in ("study", "without_weak", "widened")
    ],
    "analysis.static_findings": [
        {
            "repository": REPOSITORY,
            "quarter": quarter,
            "month": month,
            "sha": sha("a"),
            "rule": "sequential-map",
            "findings": findings,
            "new": new,
            "gone": gone,
            "rewritten": new,
            "warnings": findings,
            "in_library_code": findings,
            "files_with_findings": findings,
            "files_scanned": 9,
            "per_1000_files": findings / 0.009,
        }
        for quarter, month, findings, new, gone in (
            ("2020-Q2", "2020-06", 1, 0, 1),
            ("2020-Q1", "2020-03", 2, None, None),
        )
    ],
    "meta.reconciliation_differences": [
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
        issue(
            2,
            "2020-01-02T00:00:00Z",
            title="Throughput regression",
            **dict.fromkeys(REACTIONS, 1),
        ),
        issue(
            3,
            "2020-02-01T00:00:00Z",
            "2020-02-02T12:00:00Z",
            title="Leak",
            labels=["gpu", "speed"],
            milestone="1.1",
            state_reason="completed",
        ),
        issue(4, "2020-02-03T00:00:00Z", title="Crash", labels=["gpu"]),
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
    "labels.environments": [
        environment(1, "gpu", "form_field"),
        environment(1, "cpu", "text"),
        environment(3, "gpu"),
        environment(4, "gpu"),
        environment(5, "linux", environment_aspect="operating_system"),
        environment(2, "1.0", environment_aspect="framework_version"),
    ],
    "labels.performance_probabilities": [
        probability(1, speed=0.8, memory=0.1),
        probability(3, speed=0.2, memory=0.7),
    ],
    "raw.issue_pull_requests": [
        pull_request(2, 21, is_merged=False),
        pull_request(2, 20, is_merged=True),
        pull_request(3, 22, is_merged=False),
    ],
    "labels.area_evidence": [
        {
            "repository": REPOSITORY,
            "number": number,
            "area": area,
            "area_source": "label",
            "evidence": f"module: {area}",
            "area_rule": "pattern",
            "rule_version": "00000000",
            "month": "2020-01",
        }
        for number, area in ((1, "nn"), (1, "cuda"), (3, "cuda"))
    ],
    "raw.issue_comments": [
        comment(1, 1, "2020-01-01T06:00:00Z", "helper", author_association="MEMBER"),
        comment(1, 2, "2020-01-01T01:00:00Z", "welcome[bot]"),
        comment(5, 3, "2020-02-04T03:00:00Z", "welcome[bot]"),
    ],
    "raw.issue_events": [
        event(1, "closed", "2020-03-01T00:00:00Z", actor="helper", commit_sha=sha("b")),
        event(5, "closed", "2020-02-04T06:00:00Z"),
        event(5, "reopened", "2020-02-04T12:00:00Z"),
        event(6, "closed", "2020-02-04T06:00:00Z"),
        event(3, "labeled", "2020-02-01T02:00:00Z", actor="triage[bot]", label="speed"),
        event(3, "unlabeled", "2020-02-01T03:00:00Z", actor="helper", label="speed"),
        event(3, "labeled", "2020-02-01T04:00:00Z", actor="helper", label="speed"),
        event(
            3,
            "marked_as_regression",
            "2020-02-01T05:00:00Z",
            canonical_number=4,
            canonical_repository=REPOSITORY,
        ),
    ],
    "marts.duplicate_groups": [
        {"repository": REPOSITORY, "number": number, "first_number": 2}
        | {"is_first": number == 2, "group_size": 2}
        for number in (1, 2)
    ],
    "marts.instrument_changes": [
        {"repository": REPOSITORY, "month": "2020-02", "instrument": "label", "name": "speed"}
        | {"begins": True, "used_on": 12, "result": "the label speed began to be used"}
    ],
    "analysis.project_comparisons": [
        {"dataset": "live", "compared": "repositories", "repository": f"{REPOSITORY} and x/y"}
        | {"first": REPOSITORY, "second": "x/y", "metric": "comments", "result": "delta = 0.100"}
        | {"n_first": 9, "n_second": 20, "level_first": 2.0, "level_second": 1.0}
        | {"cliffs_delta": 0.2, "adjusted_cliffs_delta": 0.1, "adjusted_p_value_holm": 0.04}
        | {"strata": 1, "n_matched_first": 9, "n_matched_second": 9, "is_too_few": False}
    ],
    "labels.label_evidence": [
        {"repository": REPOSITORY, "number": 1, "rule": "keyword", "field": "first_paragraph"}
        | {"match": "slow", "month": "2020-01"}
    ],
    "labels.label_kinds": [label_kind("speed", is_performance=True), label_kind("gpu")],
    "raw.commit_files": [
        changed_file("a", "engine.py"),
        changed_file("b", "engine.py"),
        changed_file("b", "guide.md"),
        changed_file("c", "guide.md"),
        changed_file("e", "guide.md"),
    ],
    "reviews.verdicts": [
        verdict(1, "Ann", 1, "yes", category="inefficient algorithm"),
        verdict(2, "Ann", 2, "no"),
        verdict(3, "Bob", 2, "unsure"),
    ],
    "meta.audit_findings": [
        {
            "repository": REPOSITORY,
            "month": month,
            "table": "raw.commits",
            "rule": "author_time_is_set",
            "severity": "warning",
            "failing_rows": 2,
            "examples": [f"row of {month}"],
        }
        for month in ("2020-02", "2020-01")
    ],
    "meta.source_requests": [
        {
            "repository": REPOSITORY,
            "started_at": "2021-01-02T00:00:00Z",
            "requests": 1,
            "points": 1,
        }
    ],
    "raw.commits": [
        commit(
            "a",
            "2020-02-20T00:00:00Z",
            5,
            1,
            message="Fix https://github.com/Former/name/issues/1, github.com/former/name/pull/2\n\n"
            "See https://github.com/former/name/issues/77 and https://github.com/o/r/issues/1",
        ),
        commit(
            "b",
            "2020-02-29T00:00:00Z",
            30,
            4,
            author_email="helper@x.org",
            canonical_email="helper@x.org",
            author_login="Helper",
        ),
        commit(
            "c",
            "2020-02-02T00:00:00Z",
            2,
            0,
            author_name="Other",
            author_email="o@x.org",
            canonical_email="o@x.org",
        ),
        commit("e", "2020-01-20T00:00:00Z", 1, 1),
    ],
    "details.commit_metrics": [
        {
            "repository": REPOSITORY,
            "sha": sha("c"),
            "analysed_files": 1,
            "methods_changed": 0,
            "changed_methods": [],
            "languages": [
                {"language": "Python", "is_test": True, "files": 1, "additions": 2, "deletions": 0}
            ],
            "test_share": 1.0,
            "removed_lines": 2,
            "month": "2020-02",
        }
    ],
    "details.pull_requests": [
        {
            "repository": REPOSITORY,
            "pull_request": 20,
            "author": "ann",
            "opened_at": "2020-01-03T00:00:00Z",
            "first_review_at": "2020-01-03T02:00:00Z",
            "merged_at": "2020-01-03T10:00:00Z",
            "closed_at": "2020-01-03T10:00:00Z",
            "is_merged": True,
            "additions": 3,
            "deletions": 1,
            "changed_files": 1,
            "reviews": 1,
            "reviewers": ["bob"],
            "is_review_list_complete": True,
            "month": "2020-01",
        }
    ],
    "details.introducing_commits": [
        {
            "repository": REPOSITORY,
            "sha": sha("c"),
            "path": "a.py",
            "introducing_sha": sha("e"),
            "introduced_at": "2020-01-31T00:00:00Z",
            "is_merge": False,
            "is_ignored": False,
            "lines": 2,
            "month": "2020-02",
        }
    ],
    "details.commit_releases": [
        {
            "repository": REPOSITORY,
            "fix_sha": sha("c"),
            "month": "2020-02",
            "sha": sha(name),
            "first_release": tag,
            "released_at": at,
            "next_release_at": next_at,
            "exposed_releases": exposed,
            "copied_as": copy,
        }
        for name, tag, at, next_at, exposed, copy in (
            ("c", "v1.1", "2020-03-01T12:00:00Z", None, None, sha("copy")),
            ("e", "v1.0", "2020-01-31T12:00:00Z", "2020-03-01T12:00:00Z", 1, None),
        )
    ],
    "details.stated_releases": [
        {
            "repository": REPOSITORY,
            "number": 3,
            "stated_release": "v1.0",
            "statement": "leaks since 1.0",
            "month": "2020-02",
        }
    ],
    "meta.tag_sets": [tag_set(repository=REPOSITORY)],
    "raw.questions": [
        question(1, "2020-02-01T00:00:00Z", accepted_answer_id=11),
        question(2, "2020-02-02T00:00:00Z", accepted_answer_id=12),
        question(3, "2020-02-03T00:00:00Z", views=500, title="Slow?"),
        question(4, "2020-02-04T00:00:00Z", closed_at="2020-02-05T00:00:00Z"),
    ],
    "raw.answers": [
        answer(11, 1, "2020-02-01T02:00:00Z", is_accepted=True),
        answer(12, 2, "2020-02-02T06:00:00Z", is_accepted=True),
    ],
    "labels.performance_questions": [
        performance_question(1),
        performance_question(2, is_performance=False),
        performance_question(3),
        performance_question(4),
    ],
    "labels.question_kinds": [question_kind(1, PERFORMANCE), question_kind(3, PERFORMANCE)],
    "replication.problems": [
        published_problem("1_1", **REPRODUCED),
        published_problem("1_2"),
        published_problem("2", cause_category="Data"),
        published_problem("3", symptom_1_category="Memory"),
    ],
    "labels.performance_commits": [
        work_label("a"),
        work_label("b"),
        work_label("c", "optimisation", pull_request=12),
        work_label("e", "fix", month="2020-01"),
    ],
    "links.fix_links": [
        link(1, "a"),
        link(1, "b"),
        link(1, "b", "closed_by_commit", is_counted=False),
        link(3, "c"),
        link(4, "e"),
    ],
}

FACTS: dict[str, list[tuple[Any, ...]]] = {
    "report": [
        ("address", f"{ISSUE}1"),
        ("author", "reporter"),
        ("closed_at_utc", "2020-03-01 00:00"),
        ("commentators", "1"),
        ("comments", "1"),
        ("fix_commits", "2"),
        ("fix_files", "2"),
        ("fix_size_lines", "40"),
        ("fix_time_days", "60.0"),
        ("hours_to_first_comment", "6.0"),
        ("is_fixed", "true"),
        ("is_performance", "true"),
        ("opened_at_utc", "2020-01-01 00:00"),
        ("outcome", "fixed"),
        ("outcome_by", "commit"),
        ("reopenings", "0"),
        ("state", "closed"),
        ("title", "Slow start"),
    ],
    "label": [
        ("keyword", "slow", "in first paragraph"),
        ("probability of the classifier", "0.8", ""),
        ("strength", "strong"),
    ],
    "link": [
        (approach, sha(commit), "fixes #1; doubts: issue_number_below_100", confidence, counted)
        for approach, commit, confidence, counted in (
            ("closed_by_commit", "b", 0.984, False),
            ("id", "a", 0.5, True),
            ("id", "b", 0.5, True),
        )
    ],
    "commit": [
        (
            *("2020-02-20 00:00", sha("a")),
            "+5 -1 Fix https://github.com/Former/name/issues/1, github.com/former/name/pull/2",
            *(None, True),
        ),
        ("2020-02-29 00:00", sha("b"), "+30 -4 b", None, True),
    ],
    "release": [("outcome", "not_looked_at")],
    "duplicate": [("reported first", f"{REPOSITORY}#2")],
    "cause": [("inefficient algorithm", "inefficient algorithm")],
    "verdict": [("yes", "inefficient algorithm")],
    "lifetime": [("outcome", "not_looked_at")],
    "area": [("label", "cuda", "module: cuda"), ("label", "nn", "module: nn")],
    "environment": [("device", "cpu", "on cpu"), ("device", "gpu", "on gpu")],
}
"""What the query about one bug says of the first, by topic."""

EXPECTED: dict[str, list[tuple[Any, ...]]] = {
    "repositories_compared": [
        (REPOSITORY, "x/y", "comments", 9, 20, 2.0, 1.0, 0.2, 0.1, 0.04, False, "delta = 0.100")
    ],
    "one_month_summed_up": [
        (REPOSITORY, "2020-03", True, 0, 0, None, 1, 1, 2, 1, 50.0, 3, 1, 1, [], [], 0)
    ],
    "everything_about_one_bug": [
        (REPOSITORY, 1, topic, *row, *(None,) * (5 - len(row)))
        for topic, rows in FACTS.items()
        for row in rows
    ],
    "reports_against_work": [(REPOSITORY, "all", "2020", 1, 3, 0, 0, 0, 3, 100.0)],
    "who_works_on_performance": [
        (REPOSITORY, "helper", 0, 1, 0, 1, 100.0, datetime(2020, 2, 29, tzinfo=UTC)),
        (REPOSITORY, "o@x.org", 0, 1, 0, 1, 100.0, datetime(2020, 2, 2, tzinfo=UTC)),
    ],
    "work_that_nobody_reported": [
        (
            *(REPOSITORY, sha("e"), datetime(2020, 1, 20, tzinfo=UTC), None),
            *("fix_without_report", "strong", "e", ["title: speed up"], None),
        ),
    ],
    "bugs_by_version_and_milestone": [
        (REPOSITORY, "stated version", "1.0", 1, 1, 100.0, date(2020, 1, 2), date(2020, 1, 2)),
        (REPOSITORY, "milestone", "1.1", 1, 1, 100.0, date(2020, 2, 1), date(2020, 2, 1)),
    ],
    "fix_time_by_label": [
        (REPOSITORY, "gpu", 2, 1, 1, 1.5, None),
        (REPOSITORY, "speed", 1, 1, 1, 1.5, None),
    ],
    "members_on_open_bugs": [],
    "memory_or_speed_by_month": [
        (REPOSITORY, "2020-01", 2, 1, 0, 0, 1, 0, 1, 1),
        (REPOSITORY, "2020-02", 1, 0, 1, 0, 0, 0, 1, 0),
    ],
    "most_discussed_open_bugs": [
        (REPOSITORY, 2, "Throughput regression", [], 365, 0, 8, 1, f"{ISSUE}2"),
    ],
    "performance_regressions": [
        (
            *(REPOSITORY, 2, "Throughput regression", "open", date(2020, 1, 2), "title"),
            *(["1.0"], None, f"{ISSUE}2"),
        ),
    ],
    "pull_requests_for_open_bugs": [
        (
            *(REPOSITORY, 2, "Throughput regression", 365),
            *(f"https://github.com/{REPOSITORY}/pull/21", f"{ISSUE}2"),
        ),
    ],
    "share_by_labels_alone": [
        (REPOSITORY, "2020-01", 2, 0, 0.0, 2, 100.0),
        (REPOSITORY, "2020-02", 3, 1, 33.3, 1, 33.3),
    ],
    "two_spans_side_by_side": [
        (REPOSITORY, figure, first, second, "2020-01 to 2020-01", "2019-09 to 2020-02")
        for figure, first, second in (
            ("bug_reports", 2.0, 5.0),
            ("bug_reports_fixed_percentage", 50.0, 40.0),
            ("performance_bugs", 2.0, 3.0),
            ("performance_bugs_fixed_percentage", 50.0, 66.7),
            ("performance_bugs_median_fix_time_days", 60.0, 30.8),
            ("performance_bugs_median_hours_to_first_comment", 6.0, 6.0),
            ("performance_percentage", 100.0, 60.0),
        )
    ],
    "rejected_reports": [],
    "review_times_of_performance_work": [
        (REPOSITORY, 2020, 1, 0, 2.0, None, 10.0, None, 4.0, None),
    ],
    "measured_regressions": [
        (REPOSITORY, "2020-02", sha("b"), sha("b"), 1, 1, 1, 1.5, SUM, 1.5),
        (REPOSITORY, "2020-02", sha("a"), sha("a"), 1, 1, 1, 2.0, SUM, 2.0),
    ],
    "commits_that_changed_most": [
        (REPOSITORY, "2020-02", True, sha("a"), sha("a"), 1, 1, 1, 1, 2.0),
        (REPOSITORY, "2020-02", False, sha("a"), sha("a"), 1, 1, 1, 1, 0.25),
        (REPOSITORY, "2020-02", True, sha("b"), sha("b"), 1, 1, 1, 1, 1.5),
    ],
    "regressions_nobody_reported": [
        (REPOSITORY, "2020-02", "r1111111111", 1, 1, 1, 2.0, SUM, 0, None),
    ],
    "lives_of_regressions": [
        (REPOSITORY, 2, 1, 50.0, 338.0, 0, None, 16.7),
    ],
    "history_of_the_slowest_benchmarks": [
        (REPOSITORY, "i7", "py3.9", SUM, "", "2020", "seconds", 3.0, 1.0, 2),
        (REPOSITORY, "i7", "py3.9", SUM, "", "2021", "seconds", 6.0, 2.0, 1),
        (REPOSITORY, "i7", "py3.9", LOAD, "", "2020", "seconds", 0.5, 1.0, 1),
    ],
    "coverage_of_areas_by_benchmarks": [
        (REPOSITORY, "cuda", 2, 50.0, 0),
        (REPOSITORY, "nn", 1, 16.7, 1),
        (REPOSITORY, "unknown", 1, 33.3, 0),
    ],
    "numbers_without_rejected": [
        (REPOSITORY, "all", 5, 3, 60.0, 1, 2, "2020-02", 1, 1),
        (REPOSITORY, "not_rejected", 5, 3, 60.0, 1, 2, "2020-02", 1, 1),
        (REPOSITORY, "duplicates_folded", 4, 2, 50.0, 1, 1, "2020-02", 1, 1),
        (REPOSITORY, "both", 4, 2, 50.0, 1, 1, "2020-02", 1, 1),
    ],
    "most_reported_bugs": [
        (REPOSITORY, 2, "Throughput regression", 2, 2, "1.0", NEW_YEAR, True, f"{ISSUE}2"),
    ],
    "who_labels": [
        (REPOSITORY, "automation", "triage[bot]", 1, "2020-02", "2020-02", 2.0, 1, 100.0),
        (REPOSITORY, "member", "", 1, "2020-02", "2020-02", 4.0, 0, 0.0),
    ],
    "labels_undone": [
        (
            *(REPOSITORY, 3, "Leak", "speed", "automation", "triage[bot]"),
            *(datetime(2020, 2, 1, hour, tzinfo=UTC) for hour in (2, 3)),
            "helper",
        ),
    ],
    "waiting_without_a_label": [
        (REPOSITORY, 2, "Throughput regression", 59.0, True, f"{ISSUE}2"),
    ],
    "labelling_changes": [(REPOSITORY, "2020-02", "the label speed began to be used", 12)],
    "why_bugs_were_closed": [
        (REPOSITORY, "performance", "completed", 1, 50.0, 1, 0, 0, 1.5),
        (REPOSITORY, "performance", "unknown", 1, 50.0, 1, 0, 0, 60.0),
        (REPOSITORY, "other", "unknown", 1, 100.0, 0, 0, 0, 1.0),
    ],
    "questions_vs_bugs_by_year": [
        (REPOSITORY, FORUM, "2020", 1, 3, 1, 1, 75.0, 33.3, 1, 33.3, 1),
    ],
    "former_names": [
        (
            REPOSITORY,
            "former/name",
            3,
            2,
            True,
        ),
    ],
    "causes_by_kind_of_question": [
        (FORUM, "performance", "API misuse", 1, 0),
        (FORUM, "performance", "Static graph computation", 1, 0),
        (FORUM, "program_crash", "API misuse", 1, 1),
        (FORUM, "shape_inconsistency", "API misuse", 1, 1),
    ],
    "question_keyword_candidates": [
        (FORUM, PERFORMANCE, "slow", 1, 3, 4, 0.25, True, "packaged", 0.01),
        (FORUM, PERFORMANCE, "gpu", 2, 3, 4, 0.25, False, "packaged", 0.01),
    ],
    "hardest_kinds_of_questions": [
        (FORUM, TAG_SET, "all", 4, 50.0, 0.0),
        (FORUM, TAG_SET, PERFORMANCE, 2, 50.0, 0.0),
    ],
    "how_long_questions_wait": [
        (FORUM, TAG_SET, "2020", 4, 50.0, 4.0, 5.0),
    ],
    "unanswered_performance_questions": [
        (FORUM, "Slow?", 500, 1, "2020-02", "https://stackoverflow.com/q/3"),
    ],
    "age_of_the_backlog": [
        (
            REPOSITORY,
            "other",
            1,
            0,
            1,
            0,
            333.0,
            333.0,
        ),
        (
            REPOSITORY,
            "performance",
            1,
            0,
            0,
            1,
            365.0,
            365.0,
        ),
    ],
    "areas_by_labels": [
        (
            REPOSITORY,
            "gpu",
            2,
            1,
            50.0,
            60.0,
        ),
    ],
    "areas_of_performance_bugs": [
        (REPOSITORY, "unknown", 3, 1, 33.3, 1, None, None, None),
        (REPOSITORY, "cuda", 2, 2, 100.0, 0, 4.0, 6.0, 30.8),
        (REPOSITORY, "nn", 1, 1, 100.0, 0, None, 6.0, 60.0),
    ],
    "audits_with_warnings": [
        (
            REPOSITORY,
            "raw.commits",
            "author_time_is_set",
            "warning",
            2,
            4,
            "2020-01",
            "2020-02",
            "row of 2020-01",
        ),
    ],
    "counted_links_with_warnings": [
        (
            REPOSITORY,
            "issue_number_below_100",
            4,
            3,
            0.5,
        ),
        (
            REPOSITORY,
            "written_a_day_before_report",
            1,
            1,
            0.5,
        ),
    ],
    "files_most_often_fixed": [
        (
            REPOSITORY,
            "guide.md",
            2,
            3,
            66.7,
        ),
        (
            REPOSITORY,
            "engine.py",
            1,
            1,
            100.0,
        ),
    ],
    "fix_time_by_cause": [
        (
            "live",
            REPOSITORY,
            "inefficient algorithm",
            1,
            1,
            60.0,
            40.0,
        ),
    ],
    "fix_time_by_keyword": [
        (
            REPOSITORY,
            "slow",
            2,
            30.8,
            54.2,
        ),
    ],
    "causes_and_their_stages": [
        ("replication", FORUM, "API", "Data preparation", "Training", 3, 2, 100.0),
        ("replication", FORUM, "Data", "Data preparation", "Training", 1, 1, 100.0),
    ],
    "problems_down_to_the_subcategory": [
        ("replication", FORUM, "exposing_stage", "Training", 4, 3, 100.0),
        ("replication", FORUM, "introducing_stage", "Data preparation", 4, 3, 100.0),
        ("replication", FORUM, "root_cause", "API", 3, 2, 75.0),
        ("replication", FORUM, "root_cause", "API (Not using batch API)", 3, 2, 75.0),
        ("replication", FORUM, "root_cause", "Data", 1, 1, 25.0),
        ("replication", FORUM, "root_cause", "Data (Not using batch API)", 1, 1, 25.0),
        ("replication", FORUM, "symptom", "Time", 3, 2, 75.0),
        ("replication", FORUM, "symptom", "Time (Slow execution time)", 3, 2, 75.0),
        ("replication", FORUM, "symptom", "Memory", 1, 1, 25.0),
        ("replication", FORUM, "symptom", "Memory (Slow execution time)", 1, 1, 25.0),
    ],
    "from_findings_to_fixes": [
        (REPOSITORY, "sequential-map", 2, 1, 0, 0, 0, 0),
        (REPOSITORY, "loop-invariant-op", 1, 0, 0, 0, 0, 0),
        ("all", "all", 3, 1, 0, 0, 0, 0),
    ],
    "from_issues_to_fixed_bugs": [
        ("live", REPOSITORY, "issues", 5, 3, 60.0, None, None, None),
        ("live", REPOSITORY, "bug reports", 5, 3, 60.0, 100.0, None, None),
        ("live", REPOSITORY, "closed", 3, 2, 66.7, 60.0, None, None),
        ("live", REPOSITORY, "fixed", 2, 2, 100.0, 66.7, 1, 1),
    ],
    "root_causes_by_impact": [
        ("live", "pooled", "inefficient algorithm", 1, 100.0, None, None, None),
        ("live", REPOSITORY, "inefficient algorithm", 1, 100.0, None, None, None),
    ],
    "origins_named_by_the_tracker": [
        (REPOSITORY, 3, "Leak", True, f"{REPOSITORY}#4", 1, 0),
    ],
    "fixes_that_brought_bugs": [
        (
            REPOSITORY,
            sha("e"),
            4,
            3,
            True,
            2,
        ),
    ],
    "fixes_with_tests": [
        (
            REPOSITORY,
            "other",
            0,
            0,
            None,
            None,
        ),
        (
            REPOSITORY,
            "performance",
            1,
            1,
            100.0,
            1.0,
        ),
    ],
    "findings_there_longest": [
        (
            *(REPOSITORY, "2020-Q1", "sequential-map", "warning"),
            *("src/file 2.py", 2, "ds.map(parse)"),
        ),
        (
            *(REPOSITORY, "2020-Q2", "loop-invariant-op", "note"),
            *("src/file 3.py", 3, "ds.map(parse)"),
        ),
    ],
    "what_the_tests_say": [
        ("live", REPOSITORY, "trend_tests", *row)
        for row in (
            ("opened", "binomial regression", 0.01, 0.02, 2, True),
            ("open", "permutation", 0.03, 0.06, 2, False),
            ("fixed", "permutation", None, None, 2, False),
        )
    ],
    "results_by_other_labels": [
        (
            *("live", REPOSITORY, "share"),
            *("study: 33.3 %", "without_weak: 33.3 %", None, "widened: 33.3 %"),
        )
    ],
    "findings_and_problems_by_cause": [
        ("API", "Inefficient API usage", 2, 1, 0, 0),
        ("API", "Not using batch API", 0, 0, 0, 3),
        ("Data", "Not using batch API", 0, 0, 0, 1),
    ],
    "static_findings_by_quarter": [
        (REPOSITORY, "2020-Q1", "sequential-map", 2, None, None, None, 9, 222.2),
        (REPOSITORY, "2020-Q2", "sequential-map", 1, 0, 1, 0, 9, 111.1),
    ],
    "how_fresh_is_it": [
        (
            REPOSITORY,
            3,
            4,
            datetime(2021, 1, 1),
            "2020-05",
            "2020-03",
        ),
    ],
    "how_links_were_found": [
        (
            REPOSITORY,
            "id",
            4,
            4,
            3,
            0.5,
            0.5,
            0.09,
            0.91,
        ),
        (
            REPOSITORY,
            "closed_by_commit",
            1,
            0,
            1,
            0.98,
            1.0,
            0.21,
            1.0,
        ),
    ],
    "languages_touched": [
        (
            REPOSITORY,
            "Python",
            1,
            1,
            100.0,
            1,
        ),
    ],
    "anomalous_months": [],
    "raters_against_labels": [
        (
            REPOSITORY,
            2,
            "Ann",
            "no",
            True,
            ["slow", "throughput"],
            "Throughput regression",
            f"{ISSUE}2",
        ),
    ],
    "symptoms_and_their_causes": [
        ("replication", FORUM, "Memory", "API", 1, 1, 100.0),
        ("replication", FORUM, "Time", "API", 2, 1, 66.7),
        ("replication", FORUM, "Time", "Data", 1, 1, 33.3),
    ],
    "reopening_rates": [
        (
            REPOSITORY,
            "other",
            1,
            1,
            100.0,
            1.0,
        ),
        (
            REPOSITORY,
            "performance",
            2,
            0,
            0.0,
            None,
        ),
    ],
    "response_by_quarter": [
        (
            REPOSITORY,
            "2020-Q1",
            "other",
            2,
            None,
            1.0,
            50.0,
        ),
        (
            REPOSITORY,
            "2020-Q1",
            "performance",
            3,
            6.0,
            30.8,
            66.7,
        ),
    ],
    "rows_that_do_not_fit": [
        (
            REPOSITORY,
            "events_without_issue",
            8,
            1,
            12.5,
            "#6",
        ),
        (
            REPOSITORY,
            "fixes_before_their_bug",
            4,
            1,
            25.0,
            "#4 by " + sha("e"),
        ),
        (
            REPOSITORY,
            "comments_before_their_issue",
            3,
            0,
            0.0,
            None,
        ),
        (
            REPOSITORY,
            "comments_by_accounts_of_unknown_type",
            3,
            0,
            0.0,
            None,
        ),
        (
            REPOSITORY,
            "comments_without_issue",
            3,
            0,
            0.0,
            None,
        ),
        (
            REPOSITORY,
            "files_without_commit",
            5,
            0,
            0.0,
            None,
        ),
        (
            REPOSITORY,
            "histories_that_end_otherwise",
            5,
            0,
            0.0,
            None,
        ),
        (
            REPOSITORY,
            "issues_without_label_decision",
            5,
            0,
            0.0,
            None,
        ),
        (
            REPOSITORY,
            "labels_without_an_event",
            5,
            0,
            0.0,
            None,
        ),
        (
            REPOSITORY,
            "links_without_commit",
            5,
            0,
            0.0,
            None,
        ),
        (
            REPOSITORY,
            "links_without_issue",
            5,
            0,
            0.0,
            None,
        ),
    ],
    "sensitivity_to_keywords": [
        (
            REPOSITORY,
            "slow",
            1,
            60.0,
            40.0,
            20.0,
        ),
    ],
    "two_repositories_side_by_side": [
        (figure, amount, None, REPOSITORY, None)
        for figure, amount in (
            ("bug_reports", 5.0),
            ("bug_reports_fixed_percentage", 40.0),
            ("performance_bugs", 3.0),
            ("performance_bugs_fixed_percentage", 66.7),
            ("performance_bugs_median_fix_size", 21.0),
            ("performance_bugs_median_fix_time_days", 30.8),
            ("performance_bugs_median_hours_to_first_comment", 6.0),
            ("performance_percentage", 60.0),
        )
    ],
    "what_changed_since": [
        (
            REPOSITORY,
            5,
            0,
            0,
            3,
            2,
            datetime(2020, 3, 1),
        ),
    ],
    "answers_by_association": [
        (REPOSITORY, None, "performance", 3, 1, 1, 6.0, 6.0, 36.0),
        (REPOSITORY, None, "other", 2, 0, 0, None, None, 336.0),
    ],
    "who_fixes": [
        (REPOSITORY, "helper", True, 1.0, 1.0, 1),
        (REPOSITORY, "o@x.org", None, 1.0, 1.0, 1),
    ],
    "who_reports": [
        (
            REPOSITORY,
            "reporter",
            3,
            2,
            5,
        ),
    ],
    "biggest_fixes": [
        (REPOSITORY, 1, 35, 5, 40, [COMMIT + sha("b"), COMMIT + sha("a")]),
        (REPOSITORY, 3, 2, 0, 2, [COMMIT + sha("c")]),
    ],
    "bug_reports_as_of_a_month": [(REPOSITORY, 3, 2, 1, 1)],
    "bugs_open_at_the_end_of_a_month": [
        (REPOSITORY, "2020-05", 2, "Throughput regression", datetime(2020, 1, 2), f"{ISSUE}2"),
    ],
    "environments_of_bugs": [
        (REPOSITORY, "device", "gpu", 3, 1, 2, 66.7, 66.7),
        (REPOSITORY, "device", "cpu", 1, 0, 1, 100.0, 66.7),
        (REPOSITORY, "framework_version", "1.0", 1, 0, 1, 100.0, 100.0),
        (REPOSITORY, "operating_system", "linux", 1, 0, 0, 0.0, 0.0),
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
    "bots_in_discussions": [
        (REPOSITORY, 2020, "other", 2, 50.0, 100.0, None, 3.0),
        (REPOSITORY, 2020, "performance", 3, 33.3, 50.0, 6.0, 1.0),
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
        (REPOSITORY, 2020, "other", 1, 0, None, None, None),
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
        (REPOSITORY, 1, datetime(2020, 1, 1, 1), "commented", "welcome[bot]", None),
        (REPOSITORY, 1, datetime(2020, 1, 1, 6), "commented", "helper", None),
        (
            REPOSITORY,
            1,
            datetime(2020, 2, 20),
            "linked by id",
            "Committer",
            f"{sha('a')} +5 -1 fixes #1",
        ),
        (
            REPOSITORY,
            1,
            datetime(2020, 2, 29),
            "linked by closed_by_commit, not counted",
            "Committer",
            f"{sha('b')} +30 -4 fixes #1",
        ),
        (
            REPOSITORY,
            1,
            datetime(2020, 2, 29),
            "linked by id",
            "Committer",
            f"{sha('b')} +30 -4 fixes #1",
        ),
        (REPOSITORY, 1, datetime(2020, 3, 1), "closed", "helper", sha("b")),
    ],
    "open_performance_bugs": [
        (
            REPOSITORY,
            2,
            "Throughput regression",
            365,
            0,
            ["slow", "throughput"],
            f"{ISSUE}2",
        ),
    ],
    "regressions_against_the_last_release": [
        (REPOSITORY, 3, date(2020, 2, 1), "v1.0", "v1.1", "v1.0", True),
    ],
    "releases_of_performance_bugs": [
        (REPOSITORY, 3, "released", "v1.0", "v1.1", 1, 30.0, 28.5, "v1.0"),
        (REPOSITORY, 1, "not_looked_at", None, None, None, None, None, None),
    ],
    "time_from_fix_to_release": [(REPOSITORY, True, 1, 1, 0, 1, 28.5, 1.0)],
    "slowest_fixes": [
        (REPOSITORY, 1, "Slow start", 60.0, 2, 40, 0, f"{ISSUE}1"),
        (REPOSITORY, 3, "Leak", 1.5, 1, 2, 0, f"{ISSUE}3"),
    ],
    "what_helped_with_reproduced_problems": [
        ("profiler", "API", 1, 0, 1, 0),
        ("XLA", "API", 1, 1, 0, 0),
        ("documentation", "API", 1, 0, 0, 1),
    ],
    "what_was_loaded_when": [
        (REPOSITORY, "raw.commits", "2020-01", "2020-03", 3, 0, 6, 9, 15, datetime(2021, 1, 1)),
        (REPOSITORY, "raw.issues", "2020-01", "2020-05", 4, 1, 7, 9, 15, datetime(2021, 1, 1)),
        (
            *(f"{FORUM}:{TAG_SET}", "raw.questions", "2020-02", "2020-02"),
            *(1, 0, 4, 0, 0, datetime(2021, 1, 1)),
        ),
    ],
}


# What is chosen of the parameters; the defaults of others are tried.
CHOSEN = {
    "how_fresh_is_it": {"today": "2021-01-05"},
    "two_spans_side_by_side": {"first_from": "2020-01", "first_until": "2020-01"},
}


@pytest.fixture(scope="module", params=some("America/St_Johns", "UTC", "Asia/Tokyo"))
def database(request: pytest.FixtureRequest) -> ModelDatabase:
    database = ModelDatabase(request.param)
    database.fill(FILLED)
    return database


def test_every_query_of_the_cookbook_has_an_expected_answer() -> None:
    assert [path.stem for path in QUERIES] == sorted(EXPECTED)


@pytest.mark.parametrize("path", QUERIES, ids=lambda path: path.stem)
def test_a_query_answers_the_same_in_every_time_zone(database: ModelDatabase, path: Path) -> None:
    for name, value in CHOSEN.get(path.stem, {}).items():
        database.connection.execute(f"SET VARIABLE {name} = '{value}'")
    answer = database.connection.execute(path.read_text(encoding="utf-8")).fetchall()
    assert answer == EXPECTED[path.stem]


@pytest.mark.parametrize("path", QUERIES, ids=lambda path: path.stem)
def test_a_query_says_what_it_asks_and_how_to_read_the_answer(path: Path) -> None:
    head = path.read_text(encoding="utf-8").split("\n\n")[0]
    assert head.startswith("-- Question: ")
    assert "?\n-- How to read: " in head


def test_a_query_answers_nothing_where_nothing_is_stored() -> None:
    empty = ModelDatabase()
    empty.fill({})
    for path in QUERIES:
        answer = empty.connection.execute(path.read_text(encoding="utf-8")).fetchall()
        assert answer == [], path.stem


def test_a_bot_is_not_a_reporter() -> None:
    database = ModelDatabase()
    bot = {"author": "ci[bot]", "author_type": "Bot"}
    database.fill(
        {
            "meta.repositories": [repository()],
            "raw.issues": [
                issue(1, "2020-02-01T00:00:00Z", **bot),
                issue(2, "2020-02-01T00:00:00Z", author="ci"),
            ],
            "labels.performance_labels": [
                label(number, is_performance=True, matched_keywords=["slow"]) for number in (1, 2)
            ],
        }
    )
    query = (COOKBOOK / "who_reports.sql").read_text(encoding="utf-8")
    assert database.connection.execute(query).fetchall() == [(REPOSITORY, "ci", 1, 0, 1)]


def test_members_are_listed_with_the_open_performance_bugs_that_they_comment_on() -> None:
    database = ModelDatabase()
    texts = [(1, "ann", "MEMBER"), (1, "ann", "MEMBER"), (2, "ann", "MEMBER"), (1, "bob", "NONE")]
    pairs = [
        bug(1, "2020-02-01T00:00:00Z", is_performance=True),
        bug(2, "2020-02-01T00:00:00Z", "2020-02-02T00:00:00Z", is_performance=True),
    ]
    database.fill(
        {
            "meta.repositories": [repository()],
            **bugs(*pairs),
            "raw.issue_comments": [
                comment(number, place, "2020-02-01T06:00:00Z", login, author_association=what)
                for place, (number, login, what) in enumerate(texts)
            ],
        }
    )
    query = (COOKBOOK / "members_on_open_bugs.sql").read_text(encoding="utf-8")
    assert database.connection.execute(query).fetchall() == [
        (REPOSITORY, "ann", 1, 2, date(2020, 2, 1), [1])
    ]


def test_there_are_thirty_queries_and_each_is_one_statement() -> None:
    assert len(QUERIES) >= 30
    for path in QUERIES:
        assert len(duckdb.extract_statements(path.read_text(encoding="utf-8"))) == 1, path.stem


PARAMETERS = [
    pytest.param(query, parameter, id=f"{query.name}-{parameter.name}")
    for query in cookbook().values()
    for parameter in query.parameters.values()
]


@pytest.mark.parametrize(("query", "parameter"), PARAMETERS)
def test_refuses_values_that_a_parameter_cannot_have(
    database: ModelDatabase, query: Query, parameter: Parameter
) -> None:
    assert parameter.kind
    for value in ("foo", "2020-3", "2030-13", "-1", "2020-02-31", ""):
        mistake = parameter.mistake_of_form(value)
        if mistake is None:
            with pytest.raises(PerfAssetsError) as error:
                set_parameters(database.connection, query, {parameter.name: value})
            database.connection.execute(f"RESET VARIABLE {parameter.name}")
            mistake = str(error.value).removeprefix(f"{query.name}: ")
        assert mistake.startswith(f"{parameter.name}: {value!r}")
        assert "\n" not in mistake


@pytest.mark.parametrize(
    ("name", "values", "sentence"),
    [
        ("bug_reports_as_of_a_month", {"month": "2030-01"}, "which have 2020-01 to 2020-05"),
        ("bugs_open_at_the_end_of_a_month", {"month": "2019-01"}, "which have 2020-0"),
        ("unanswered_performance_questions", {"since": "2030-01"}, "which have 2020-02 to 2020-02"),
        ("biggest_fixes", {"repository": f"{REPOSITORY}x"}, f"did you mean {REPOSITORY}"),
        ("one_bug_traced", {"number": "999"}, "which have 1 to"),
    ],
)
def test_says_what_the_data_have(
    database: ModelDatabase, name: str, values: dict[str, str], sentence: str
) -> None:
    with pytest.raises(PerfAssetsError) as error:
        set_parameters(database.connection, cookbook()[name], values)
    for parameter in values:
        database.connection.execute(f"RESET VARIABLE {parameter}")
    assert sentence in str(error.value)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("bug_reports_as_of_a_month", {"month": "2020-01"}),
        ("unanswered_performance_questions", {"since": "1999-01"}),
        ("biggest_fixes", {"repository": "%", "rows": "1"}),
        ("one_bug_traced", {"number": "0"}),
        ("one_bug_traced", {"number": "1", "repository": REPOSITORY}),
        ("how_long_questions_wait", {"kind": "all"}),
        ("causes_and_their_stages", {"code_level": "subcategory"}),
        ("what_changed_since", {"since": "2020-01-01 10:00:00+00"}),
        ("what_changed_since", {"since": "2020-01-01"}),
        ("how_fresh_is_it", {"today": "2021-01-05"}),
        ("two_repositories_side_by_side", {"first": REPOSITORY}),
    ],
)
def test_accepts_a_value_of_the_data(
    database: ModelDatabase, name: str, values: dict[str, str]
) -> None:
    query = cookbook()[name]
    for parameter, value in values.items():
        assert query.parameters[parameter].mistake_of_form(value) is None
    set_parameters(database.connection, query, values)
    for parameter in values:
        database.connection.execute(f"RESET VARIABLE {parameter}")


@pytest.mark.parametrize("month", ["2020-3", "2020-13", "foo", "2020", ""])
def test_the_past_of_no_month_has_no_rows(database: ModelDatabase, month: str) -> None:
    try:
        rows = database.table(f"staging.bug_reports_as_of('{month}')")
    except duckdb.InvalidInputException as error:
        assert f"{month} is not a month: write it as YYYY-MM" in str(error)
    else:
        assert rows == []


@pytest.mark.parametrize("query", cookbook().values(), ids=lambda query: query.name)
def test_every_variable_of_a_query_has_a_default_and_a_meaning(query: Query) -> None:
    assert set(query.variables) == set(query.parameters)
    for parameter in query.parameters.values():
        assert parameter.meaning
    assert f"{query.question} {query.reading}".count("?") >= 1
