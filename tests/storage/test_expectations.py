"""Every rule of every suite: good rows keep it, and a row made for it breaks it."""

import gzip
import json
from collections.abc import Mapping
from copy import deepcopy
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest
import yaml

from perf_assets.months import month_of
from perf_assets.paths import PACKAGE, expectations_dir, models_dir
from perf_assets.storage.audit import AuditReport, audit
from perf_assets.storage.suites import load_suite
from tests.places import CHAINER

REPOSITORY, MONTH = "owner/name", "2020-02"
SHA, OTHER_SHA = "a" * 40, "b" * 40
TABLES = sorted(path.name.removesuffix(".json") for path in expectations_dir().glob("*.json"))

Row = dict[str, Any]


def at(day: int, hour: int = 0, month: int = 2, year: int = 2020) -> datetime:
    return datetime(year, month, day, hour, tzinfo=UTC)


def of_partition(**row: Any) -> Row:
    return {"repository": REPOSITORY, "month": MONTH, **row}


def closed_issue(number: int) -> Row:
    return of_partition(
        number=number,
        title="It is slow",
        state="closed",
        state_reason="completed",
        created_at=at(1),
        updated_at=at(9),
        closed_at=at(8),
        html_url=f"https://github.com/owner/name/issues/{number}",
    )


def commit(sha: str, **changes: Any) -> Row:
    row = of_partition(
        sha=sha,
        parents=["c" * 40],
        authored_at=at(1),
        committed_at=at(2),
        is_merge=False,
        additions=3,
        deletions=1,
        changed_files=1,
    )
    return {**row, **changes}


def changed_file(path: str, **changes: Any) -> Row:
    row = of_partition(
        sha=SHA,
        path=path,
        old_path=None,
        change_type="modified",
        additions=3,
        deletions=1,
        is_binary=False,
    )
    return {**row, **changes}


def event(kind: str, event_id: str, **changes: Any) -> Row:
    row = of_partition(
        event_id=event_id,
        number=7,
        event=kind,
        created_at=at(3),
        label=None,
        commit_sha=None,
        closer_repository=None,
        previous_title=None,
    )
    return {**row, **changes}


def label(number: int, **changes: Any) -> Row:
    row = of_partition(
        number=number,
        is_bug_report=True,
        is_performance=False,
        matched_labels=[],
        matched_keywords=[],
        matched_in=[],
        non_bug_labels=[],
        rule_version="1-3f2a9c0b",
    )
    return {**row, **changes}


def label_kind(name: str, **changes: Any) -> Row:
    row = {
        "repository": REPOSITORY,
        "label": name,
        "is_performance": False,
        "is_non_bug": False,
        "rule_version": "1-3f2a9c0b",
    }
    return {**row, **changes}


def bug(number: int, **changes: Any) -> Row:
    row = {
        "dataset": "live",
        "repository": REPOSITORY,
        "number": number,
        "state": "closed",
        "is_fixed": True,
        "fix_time_days": 2.5,
        "fix_size": 0,
        "fix_commits": 1,
        "fix_files": 2,
        "fix_test_share": 0.5,
        "hours_to_first_comment": 1.0,
        "comments": 2,
        "commentators": 2,
    }
    return {**row, **changes}


UNFIXED = {
    "is_fixed": False,
    "fix_time_days": None,
    "fix_size": None,
    "fix_commits": 0,
    "fix_files": None,
    "fix_test_share": None,
}
FLOWS = ("open", "fixed", "opened", "newly_fixed")


def detail(sha: str, **changes: Any) -> Row:
    row = of_partition(
        sha=sha,
        methods_changed=2,
        test_share=0.25,
        not_analysed=None,
        removed_lines=3,
        not_traced=None,
    )
    return {**row, **changes}


def lifetime(number: int, **changes: Any) -> Row:
    row = {
        "dataset": "live",
        "repository": REPOSITORY,
        "number": number,
        "outcome": "introduced",
        "removed_lines": 4,
        "introduced_lines": 4,
        "introduced_at": at(1),
        "lifetime_days": 2.0,
        "longest_lifetime_days": 9.0,
    }
    return {**row, **changes}


def trend(month: str, **changes: Any) -> Row:
    counts = {
        f"{flow}_{what}": n for flow in FLOWS for what, n in (("performance", 1), ("total", 4))
    }
    row = {
        "dataset": "live",
        "repository": REPOSITORY,
        "month": month,
        "is_complete": True,
        "open_percentage": 25.0,
        "fixed_percentage": 25.0,
        **counts,
    }
    return {**row, **changes}


NOTHING_YET = {
    "open_percentage": None,
    "fixed_percentage": None,
    **{f"{flow}_{what}": 0 for flow in FLOWS for what in ("performance", "total")},
}


def trend_test(series: str, **changes: Any) -> Row:
    row = {
        "dataset": "live",
        "repository": REPOSITORY,
        "series": series,
        "method": "cox_stuart",
        "n": 24,
        "n_pairs": 12,
        "n_positive": 10,
        "p_value": 0.019,
        "alternative": "increasing",
    }
    return {**row, **changes}


def comparison(metric: str, **changes: Any) -> Row:
    row = {
        "dataset": "live",
        "repository": REPOSITORY,
        "metric": metric,
        "n_performance": 5,
        "n_other": 9,
        "p_value": 0.5,
        "cliffs_delta": 0.1,
        "magnitude": "negligible",
    }
    return {**row, **changes}


PYTORCH = "pytorch/pytorch"


def published_bug(number: int, **changes: Any) -> Row:
    row = {
        "repository": PYTORCH,
        "number": number,
        "month": "2020-02",
        "opened_at": at(1),
        "first_comment_at": at(2),
        "closed_at": at(3),
        "minutes_to_first_comment": 1440.0,
        "minutes_to_close": 2880.0,
        "comments": 3,
        "commentators": 2,
    }
    return {**row, **changes}


def published_commit(place: int, **changes: Any) -> Row:
    row = {"repository": PYTORCH, "number": 7, "place": place, "sha": SHA, "approach": "url"}
    return {**row, "additions": 3, "changes": 4, **changes}


def published_month(month: str, **changes: Any) -> Row:
    row = {"repository": PYTORCH, "series": "open", "month": month, "performance": 1, "total": 4}
    return {**row, "percentage": 25.0, **changes}


def taxonomy_row(number: int, **changes: Any) -> Row:
    row = {"repository": PYTORCH, "number": number, "occurrence": 1, "category": "Other"}
    return {**row, "subcategory": None, **changes}


def statistic(**changes: Any) -> Row:
    row = {
        "dataset": "replication",
        "repository": "pooled",
        "parameters": "{}",
        "n": 9,
        "p_value": 0.02,
        "result": "p = 0.020",
    }
    return {**row, **changes}


def effect(metric: str, **changes: Any) -> Row:
    interval = {"cliffs_delta": 0.2, "cliffs_delta_low": 0.1, "cliffs_delta_high": 0.3}
    return statistic(metric=metric, p_value_holm=0.04, **interval, **changes)


def survival(parameters: str, **changes: Any) -> Row:
    row = {
        "n_performance": 5,
        "n_other": 4,
        "events_performance": 3,
        "events_other": 2,
        "median_performance": 20.0,
        "median_performance_low": 10.0,
    }
    return {**statistic(parameters=parameters), **row, **changes}


def figure(name: str, **changes: Any) -> Row:
    row = {
        "dataset": "replication",
        "figure": name,
        "place": "Table I",
        "verdict": "exact",
        "reproduced": 4.0,
        "reason": None,
    }
    return {**row, **changes}


def verdict(verdict_id: int, **changes: Any) -> Row:
    row = {
        "verdict_id": verdict_id,
        "rater": "Ann",
        "repository": REPOSITORY,
        "number": 7,
        "verdict": "yes",
        "category": "Other",
        "subcategory": None,
        "impact": "speed",
        "file_sha256": "a" * 64,
        "line": 2,
    }
    return {**row, **changes}


def quality(rule: str, **changes: Any) -> Row:
    row = {"dataset": "live", "repository": REPOSITORY, "rater": "Ann", "measure": "precision"}
    counts = {"n": 160, "successes": 141, "estimate": 88.125, "low": 82.2, "high": 92.2}
    return {**row, "rule": rule, **counts, **changes}


def raters(question: str, **changes: Any) -> Row:
    row = {"dataset": "live", "repository": REPOSITORY, "raters": "Ann, Bob", "method": "cohen"}
    return {**row, "question": question, "n": 9, "kappa": 0.92, **changes}


def disagreement(question: str) -> Row:
    row = {"dataset": "live", "repository": REPOSITORY, "number": 7, "question": question}
    return {**row, "rater_1": "Ann", "rater_2": "Bob"}


def root_cause(cause: str) -> Row:
    row = {"dataset": "live", "repository": REPOSITORY, "cause": cause}
    return {**row, "bugs": 3, "total": 4, "percentage": 75.0}


GOOD: dict[str, list[Row]] = {
    "reviews.verdicts": [
        verdict(1),
        verdict(2, verdict="no", category=None, impact=None),
    ],
    "analysis.labelling_quality": [
        quality("all"),
        quality("keyword: slow", n=0, successes=0, estimate=None, low=None, high=None),
    ],
    "analysis.rater_agreement": [raters("is_performance"), raters("impact", kappa=None)],
    "analysis.rater_disagreements": [disagreement("is_performance"), disagreement("cause")],
    "marts.root_causes": [root_cause("Other"), root_cause("Inefficient caching")],
    "replication.bugs": [published_bug(7), published_bug(8, closed_at=None, minutes_to_close=None)],
    "replication.fixes": [
        {"repository": PYTORCH, "number": n, "commits": 1, "additions": 3, "deletions": 1}
        | {"changes": 4}
        for n in (7, 8)
    ],
    "replication.fix_commits": [published_commit(1), published_commit(2, approach="id")],
    "replication.published_series": [published_month("2020-01"), published_month("2020-02")],
    "replication.taxonomy": [taxonomy_row(7, subcategory="Slow"), taxonomy_row(8)],
    "replication.rejects": [
        {"file": "a.csv", "line": line, "part": 0, "reason": "'x' is no number"} for line in (2, 3)
    ],
    "marts.published_trend": [
        {
            "dataset": "replication",
            "repository": PYTORCH,
            "series": "open",
            "month": month,
            "published_performance": 1,
            "published_total": 4,
            "reproduced_performance": 1,
            "reproduced_total": 4,
            "reproduced_percentage": 25.0,
        }
        for month in ("2020-01", "2020-02")
    ],
    "analysis.trend_robustness": [
        statistic(series="open", method="mann_kendall"),
        statistic(series="opened", method="cox_stuart", p_value=None),
    ],
    "analysis.effect_sizes": [effect("comments"), effect("fix_size")],
    "analysis.fix_time_survival": [
        survival('{"event": "fixed"}'),
        survival('{"event": "closed"}', median_performance=None, median_performance_low=None),
    ],
    "analysis.link_sensitivity": [
        statistic(metric=metric, links=9, links_left_out=2, cliffs_delta=0.2)
        for metric in ("fix_size", "fix_time_days")
    ],
    "analysis.paper_comparison": [
        figure("a"),
        figure("b", verdict="differs", reason="The package tells of no reopening."),
        figure("c", verdict="not derivable", reproduced=None, reason="It is not in the data."),
    ],
    "raw.issues": [
        closed_issue(7),
        {**closed_issue(8), "state": "open", "state_reason": None, "closed_at": None},
    ],
    "raw.issue_comments": [
        of_partition(comment_id=1, number=7, author="ann", created_at=at(3)),
        of_partition(comment_id=2, number=8, author=None, created_at=at(1, month=5)),
    ],
    "raw.issue_events": [
        event("closed", "E1", commit_sha=SHA, closer_repository=REPOSITORY),
        event("labeled", "E2", label="bug"),
        event("renamed", "E3", previous_title="Slow"),
        event("reopened", "E4"),
    ],
    "raw.issue_pull_requests": [
        of_partition(
            number=7,
            pull_request_repository=REPOSITORY,
            pull_request=9,
            relation=relation,
            merge_commit_sha=SHA,
        )
        for relation in ("closer", "linked")
    ],
    "raw.branch_commits": [
        commit(SHA, branch="release-1"),
        commit(OTHER_SHA, branch="a/b", is_merge=True, parents=[SHA, "d" * 40]),
        commit("e" * 40, branch="a/b", parents=[], additions=0, deletions=0, changed_files=0),
    ],
    "raw.commits": [
        commit(SHA),
        commit(OTHER_SHA, is_merge=True, parents=[SHA, "d" * 40]),
        commit("e" * 40, parents=[], additions=0, deletions=0, changed_files=0),
    ],
    "raw.commit_files": [
        changed_file("a.py"),
        changed_file("b.py", change_type="renamed", old_path="c.py"),
        changed_file("d.png", is_binary=True, additions=0, deletions=0),
    ],
    "raw.issue_templates": [
        of_partition(
            sha=SHA, path=".github/ISSUE_TEMPLATE/bug.md", committed_at=at(4), body="What happened?"
        ),
        of_partition(sha=OTHER_SHA, path="issue_template.md", committed_at=at(5), body="Steps"),
        of_partition(sha=SHA, path="docs/ISSUE_TEMPLATE", committed_at=at(4), body="Version"),
    ],
    "labels.performance_labels": [
        label(7),
        label(8, is_performance=True, matched_keywords=["slow"], matched_in=["title", "body"]),
        label(9, is_performance=True, matched_labels=["performance"]),
        label(10, is_bug_report=False, non_bug_labels=["feature"], matched_labels=["performance"]),
    ],
    "labels.label_kinds": [
        label_kind("performance", is_performance=True),
        label_kind("feature", is_non_bug=True),
    ],
    "links.fix_links": [
        of_partition(
            number=7, sha=SHA, approach="id", evidence="fixes #7", is_counted=True, branch=None
        ),
        of_partition(number=7, sha=SHA, approach="closed_by_commit", evidence="closed by commit"),
        of_partition(number=7, sha=SHA, approach="pull_request", evidence="merged", pull_request=9),
    ],
    "marts.link_quality": [
        {
            "dataset": "live",
            "repository": REPOSITORY,
            "approach": approach,
            "comparable": 40,
            "agreeing": 30,
            "precision": 0.75,
            "precision_low": 0.6,
            "precision_high": 0.86,
            "known_issues": 50,
            "found_issues": 25,
            "recall": 0.5,
        }
        for approach in ("id", "pull_request")
    ],
    "marts.rated_links": [
        {
            "dataset": "live",
            "repository": REPOSITORY,
            "number": number,
            "sha": SHA,
            "approach": "id",
            "confidence": 0.75,
            "confidence_links": 40,
        }
        for number in (7, 8)
    ],
    "raw.commit_details": [
        detail(SHA),
        detail(
            OTHER_SHA,
            methods_changed=None,
            test_share=None,
            not_analysed="a merge commit",
            removed_lines=None,
            not_traced="a merge commit",
        ),
    ],
    "links.introducing_commits": [
        of_partition(sha=SHA, path="a.py", introducing_sha=OTHER_SHA, lines=2),
        of_partition(sha=SHA, path="b.py", introducing_sha="d" * 40, lines=1),
    ],
    "marts.bug_lifetimes": [
        lifetime(7),
        lifetime(
            8,
            outcome="only adds",
            removed_lines=0,
            introduced_lines=0,
            introduced_at=None,
            lifetime_days=None,
            longest_lifetime_days=None,
        ),
    ],
    "analysis.lifetime_comparisons": [
        {
            "dataset": "live",
            "repository": REPOSITORY,
            "introducer": introducer,
            "introduced_performance": 2,
            "introduced_other": 3,
            "p_value": 0.2,
            "cliffs_delta": 0.4,
            "magnitude": "medium",
        }
        for introducer in ("latest", "earliest")
    ],
    "marts.bug_metrics": [
        bug(7),
        bug(8, **UNFIXED),
        bug(9, **UNFIXED, state="open"),
        bug(10, comments=0, commentators=0, hours_to_first_comment=None),
        bug(11, state="open", is_fixed=False, fix_time_days=None),
    ],
    "marts.trend_monthly": [trend("2020-01", **NOTHING_YET), trend("2020-02"), trend("2020-03")],
    "marts.dataset_breakdown": [
        {
            "dataset": "live",
            "repository": REPOSITORY,
            "is_performance": is_performance,
            "open": 0,
            "closed": 3,
            "fixed": 2,
        }
        for is_performance in (True, False)
    ],
    "analysis.trend_tests": [
        trend_test("open"),
        trend_test("fixed", n=1, n_pairs=0, n_positive=0, p_value=None),
        trend_test("open", method="mann_kendall", n=4, n_pairs=6, n_positive=6),
    ],
    "analysis.group_comparisons": [
        comparison("fix_size"),
        comparison("comments", cliffs_delta=-0.4, magnitude="medium"),
        comparison(
            "fix_time_days", n_performance=0, p_value=None, cliffs_delta=None, magnitude=None
        ),
    ],
}

PARAMETERS: dict[str, Any] = {
    "repository": REPOSITORY,
    "month": MONTH,
    "issue_numbers": [7, 8, 9, 10],
    "commit_shas": [SHA, OTHER_SHA],
}

TYPES: dict[str, Any] = {
    **dict.fromkeys(("opened_at", "first_comment_at"), pl.Datetime("us", "UTC")),
    **dict.fromkeys(("subcategory", "reason"), pl.String),
    **dict.fromkeys(("reproduced", "median_performance"), pl.Float64),
    **dict.fromkeys(("parents", "non_bug_labels"), pl.List(pl.String)),
    **{f"matched_{what}": pl.List(pl.String) for what in ("labels", "keywords", "in")},
    **dict.fromkeys(("created_at", "updated_at", "closed_at"), pl.Datetime("us", "UTC")),
    **dict.fromkeys(("authored_at", "committed_at"), pl.Datetime("us", "UTC")),
    **dict.fromkeys(("commit_sha", "closer_repository", "old_path", "previous_title"), pl.String),
    **dict.fromkeys(("author", "label", "magnitude"), pl.String),
    **dict.fromkeys(("not_analysed", "not_traced"), pl.String),
    "introduced_at": pl.Datetime("us", "UTC"),
    **dict.fromkeys(("fix_size", "n_pairs"), pl.Int64),
    **dict.fromkeys(("fix_time_days", "p_value", "cliffs_delta", "open_percentage"), pl.Float64),
}

# What breaks each rule: new values for the row of that place; or a copy of the row (AGAIN), one
# row too few for what the source counted (COUNT), or no row but the first (ALONE).
AGAIN, COUNT, ALONE = object(), object(), object()

PARTITION = {
    "rows_are_of_the_repository": {"repository": "owner/other"},
    "rows_are_of_the_month": {"month": "2020-03"},
}
AFTER_THE_MONTH, BEFORE_THE_MONTH = at(1, month=3), at(31, hour=23, month=1)
COMMIT_BREACHES: dict[str, Any] = {
    **PARTITION,
    "shas_are_unique": AGAIN,
    "sha_is_whole": {"sha": "abc1234"},
    "row_count_is_gits": COUNT,
    "committed_within_the_month": {"committed_at": AFTER_THE_MONTH},
    "authored_not_after_committed": {"authored_at": at(3)},
    "author_time_is_set": {"authored_at": at(1, month=1, year=1970)},
    "merges_have_several_parents": {"is_merge": True},
    "other_commits_have_one_parent_at_most": {"parents": [OTHER_SHA, "d" * 40]},
    "no_lines_without_files": {"changed_files": 0},
    "size_is_below_a_million_lines": {"additions": 1_000_001},
}

SERIES_UNKNOWN = {"series_is_open_or_fixed": {"series": "opened"}}
FOREIGN = {"keys_are_unique": AGAIN, "repository_is_of_the_study": {"repository": REPOSITORY}}
STATISTIC = {
    "keys_are_unique": AGAIN,
    "dataset_is_known": {"dataset": "test"},
    "p_value_is_a_probability": {"p_value": 1.1},
    "parameters_are_json": {"parameters": "alternative=increasing"},
    "result_is_said_in_words": {"result": " "},
}

BREAKING: dict[str, dict[str, Any]] = {
    "reviews.verdicts": {
        "verdict_ids_are_unique": AGAIN,
        "rater_is_named": {"rater": " "},
        "verdict_is_known": {"verdict": "perhaps"},
        "impact_is_known": {"impact": "power"},
        "category_is_not_blank": {"category": " "},
        "checksum_is_whole": {"file_sha256": "abc1234"},
        "line_is_below_the_header": {"line": 1},
    },
    "analysis.labelling_quality": {
        "keys_are_unique": AGAIN,
        "dataset_is_known": {"dataset": "test"},
        "measure_is_known": {"measure": "accuracy"},
        "estimate_is_a_percentage": {"estimate": 100.1, "high": 100.2},
        "estimate_not_below_its_lower_limit": {"low": 88.2},
        "estimate_not_above_its_upper_limit": {"high": 88.0},
        "successes_not_above_n": {"successes": 161},
    },
    "analysis.rater_agreement": {
        "keys_are_unique": AGAIN,
        "dataset_is_known": {"dataset": "test"},
        "question_is_known": {"question": "severity"},
        "method_is_known": {"method": "krippendorff"},
        "kappa_is_within_one": {"kappa": 1.1},
        "n_is_positive": {"n": 0},
    },
    "analysis.rater_disagreements": {
        "keys_are_unique": AGAIN,
        "dataset_is_known": {"dataset": "test"},
        "question_is_known": {"question": "severity"},
        "raters_are_in_order": {"rater_1": "Bob", "rater_2": "Ann"},
    },
    "marts.root_causes": {
        "keys_are_unique": AGAIN,
        "dataset_is_known": {"dataset": "test"},
        "percentage_is_a_percentage": {"percentage": 100.1},
        "bugs_not_above_total": {"bugs": 5},
    },
    "replication.bugs": {
        **FOREIGN,
        "closed_not_before_opened": {"closed_at": at(1, month=1)},
        "first_comment_not_before_opened": {"first_comment_at": at(1, month=1)},
        "time_to_close_is_not_negative": {"minutes_to_close": -1.0},
        "time_to_first_comment_is_not_negative": {"minutes_to_first_comment": -1.0},
        "opened_in_the_time_of_the_study": {"month": "2014-12"},
        "commentators_not_more_than_comments": {"commentators": 4},
    },
    "replication.fixes": {
        **FOREIGN,
        "fixes_have_commits": {"commits": 0},
        "changes_hold_the_additions": {"additions": 5},
        "changes_hold_the_deletions": {"deletions": 5},
    },
    "replication.fix_commits": {
        **FOREIGN,
        "sha_is_whole": {"sha": "abc1234"},
        "approach_is_known": {"approach": "LINK"},
        "changes_hold_the_additions": {"additions": 5},
    },
    "replication.published_series": {
        **FOREIGN,
        **SERIES_UNKNOWN,
        "month_is_a_calendar_month": {"month": "2020-13"},
        "performance_not_above_total": {"performance": 5},
        "percentage_is_a_percentage": {"percentage": 100.1},
    },
    "replication.taxonomy": {
        **FOREIGN,
        "category_is_not_blank": {"category": " "},
        "subcategory_stands_without_brackets": {"subcategory": "Slow (very)"},
    },
    "replication.rejects": {"keys_are_unique": AGAIN, "reason_is_given": {"reason": " "}},
    "marts.published_trend": {
        "keys_are_unique": AGAIN,
        **SERIES_UNKNOWN,
        "published_performance_not_above_total": {"published_performance": 5},
        "reproduced_performance_not_above_total": {"reproduced_performance": 5},
        "reproduced_percentage_is_a_percentage": {"reproduced_percentage": -0.1},
    },
    "analysis.trend_robustness": {
        **STATISTIC,
        "series_is_known": {"series": "closed"},
        "method_is_known": {"method": "spearman"},
        "n_is_not_negative": {"n": -1},
    },
    "analysis.effect_sizes": {
        **STATISTIC,
        "metric_is_known": {"metric": "reopenings"},
        "cliffs_delta_is_within_one": {"cliffs_delta": 1.1},
        "delta_not_below_its_lower_limit": {"cliffs_delta_low": 0.21},
        "delta_not_above_its_upper_limit": {"cliffs_delta_high": 0.19},
        "adjusted_p_value_is_a_probability": {"p_value_holm": 1.1},
        "adjusted_p_value_not_below_the_raw_one": {"p_value_holm": 0.01},
    },
    "analysis.fix_time_survival": {
        **STATISTIC,
        "events_not_above_performance_bugs": {"events_performance": 6},
        "events_not_above_other_bugs": {"events_other": 5},
        "median_is_not_negative": {"median_performance": -1.0},
        "median_not_below_its_lower_limit": {"median_performance_low": 21.0},
    },
    "analysis.link_sensitivity": {
        **STATISTIC,
        "metric_is_known": {"metric": "comments"},
        "links_left_out_are_some_of_the_links": {"links_left_out": 10},
        "cliffs_delta_is_within_one": {"cliffs_delta": -1.1},
    },
    "analysis.paper_comparison": {
        "keys_are_unique": AGAIN,
        "dataset_is_replication": {"dataset": "live"},
        "verdict_is_known": {"verdict": "nearly"},
        "what_was_derived_has_a_value": {"reproduced": None},
        "what_was_not_derived_has_no_value": {"verdict": "not derivable"},
        "deviations_have_a_reason": {"verdict": "differs"},
        "gaps_have_a_reason": {"verdict": "not derivable", "reproduced": None},
        "place_is_given": {"place": " "},
    },
    "raw.issues": {
        **PARTITION,
        "numbers_are_unique": AGAIN,
        "row_count_is_githubs": COUNT,
        "created_within_the_month": {"created_at": AFTER_THE_MONTH, "closed_at": at(8, month=3)},
        "state_is_open_or_closed": {"state": "merged"},
        "closed_issues_have_a_closing_time": {"closed_at": None},
        "open_issues_have_no_closing_time": {"state": "open"},
        "closed_not_before_created": {"closed_at": at(8, month=1)},
        "updated_not_before_created": {"updated_at": at(8, month=1)},
        "title_is_present": {"title": None},
        "title_is_not_blank": {"title": " \t"},
        "is_an_issue_not_a_pull_request": {"html_url": "https://github.com/owner/name/pull/7"},
        "state_reason_is_known": {"state_reason": "forgotten"},
    },
    "raw.issue_comments": {
        **PARTITION,
        "comment_ids_are_unique": AGAIN,
        "comments_belong_to_the_cohort": {"number": 6},
        "row_count_is_githubs": COUNT,
        "not_before_the_month": {"created_at": BEFORE_THE_MONTH},
        "most_authors_are_known": {"author": None},
    },
    "raw.issue_events": {
        **PARTITION,
        "event_ids_are_unique": AGAIN,
        "events_belong_to_the_cohort": {"number": 6},
        "event_kind_is_known": {"event": "closed_as_duplicate"},
        "closing_commit_is_a_whole_sha": {"commit_sha": "abc1234"},
        "closer_has_a_repository": {"closer_repository": None},
        "label_events_name_the_label": {"event": "unlabeled"},
        "renames_give_the_title_before": {"event": "renamed"},
        "row_count_is_githubs": COUNT,
        "not_before_the_month": {"created_at": BEFORE_THE_MONTH},
    },
    "raw.issue_pull_requests": {
        **PARTITION,
        "relations_are_unique": AGAIN,
        "relations_belong_to_the_cohort": {"number": 6},
        "relation_is_known": {"relation": "mentioned"},
        "merge_commit_is_a_whole_sha": {"merge_commit_sha": "abc1234"},
        "pull_request_has_a_repository": {"pull_request_repository": "name"},
    },
    "raw.commits": COMMIT_BREACHES,
    "raw.branch_commits": {**COMMIT_BREACHES, "branch_is_named": {"branch": ""}},
    "raw.commit_files": {
        **PARTITION,
        "sha_and_path_are_unique": AGAIN,
        "files_belong_to_the_commits": {"sha": "e" * 40},
        "row_count_is_that_of_the_commits": COUNT,
        "change_type_is_known": {"change_type": "copied"},
        "renames_give_the_path_before": {"change_type": "renamed"},
        "binary_files_have_no_lines": {"is_binary": True},
    },
    "raw.issue_templates": {
        **PARTITION,
        "sha_and_path_are_unique": AGAIN,
        "sha_is_whole": {"sha": "abc1234"},
        "committed_within_the_month": {"committed_at": BEFORE_THE_MONTH},
        "path_is_a_templates": {"path": "docs/performance.md"},
        "body_is_not_blank": {"body": "\n"},
    },
    "labels.performance_labels": {
        **PARTITION,
        "numbers_are_unique": AGAIN,
        "every_issue_is_labelled": COUNT,
        "labels_belong_to_the_cohort": {"number": 6},
        "performance_bugs_are_bug_reports": {"is_performance": True, "is_bug_report": False},
        "performance_bugs_have_a_reason": {"is_performance": True},
        "matching_bug_reports_are_performance_bugs": {"matched_keywords": ["slow"]},
        "other_issues_have_a_reason": {"is_bug_report": False},
        "keywords_are_located": {"matched_keywords": ["slow"], "matched_in": ["comment"]},
        "one_rule_version": {"rule_version": "1-00000000"},
    },
    "labels.label_kinds": {
        "keys_are_unique": {"label": "feature"},
        "label_is_not_blank": {"label": " "},
        "rule_version_is_known": {"rule_version": "1"},
    },
    "links.fix_links": {
        **PARTITION,
        "links_are_unique": AGAIN,
        "commits_are_of_the_month": {"sha": "e" * 40},
        "issues_are_known": {"number": 6},
        "approach_is_known": {"approach": "guess"},
        "evidence_is_present": {"evidence": " "},
        "pull_requests_are_named": {"approach": "closed_by_pull_request"},
        "other_branches_do_not_count": {"branch": "v1", "is_counted": True},
    },
    "marts.link_quality": {
        "keys_are_unique": AGAIN,
        "approach_is_known": {"approach": "guess"},
        "agreeing_not_above_comparable": {"agreeing": 41},
        "found_not_above_known": {"found_issues": 51},
        "precision_not_below_its_lower_limit": {"precision": 0.5},
        "precision_not_above_its_upper_limit": {"precision": 0.9},
        "recall_is_a_share": {"recall": 1.1},
    },
    "marts.rated_links": {
        "keys_are_unique": AGAIN,
        "approach_is_known": {"approach": "guess"},
        "confidence_is_a_share": {"confidence": 1.1},
        "confidence_rests_on_enough_links": {"confidence_links": 19},
    },
    "raw.commit_details": {
        **PARTITION,
        "commits_are_unique": AGAIN,
        "commits_are_fixes_of_the_month": {"sha": "e" * 40},
        "every_fix_has_a_row": COUNT,
        "analysed_commits_have_methods": {"methods_changed": None},
        "traced_commits_have_removed_lines": {"removed_lines": None},
        "test_share_is_a_share": {"test_share": 1.5},
    },
    "links.introducing_commits": {
        **PARTITION,
        "origins_are_unique": AGAIN,
        "fixes_are_of_the_month": {"sha": "e" * 40},
        "introducing_sha_is_a_full_hash": {"introducing_sha": "abc1234"},
        "origins_have_lines": {"lines": 0},
    },
    "marts.bug_lifetimes": {
        "keys_are_unique": AGAIN,
        "dataset_is_live": {"dataset": "replication"},
        "outcome_is_known": {"outcome": "guessed"},
        "introduced_bugs_have_a_date": {"introduced_at": None},
        "introduced_before_the_report": {"lifetime_days": -1.0},
        "earliest_is_not_after_latest": {"longest_lifetime_days": 1.0},
        "lines_are_among_the_removed": {"introduced_lines": 5},
    },
    "analysis.lifetime_comparisons": {
        "keys_are_unique": AGAIN,
        "introducer_is_known": {"introducer": "last"},
        "p_value_is_a_probability": {"p_value": 1.1},
        "cliffs_delta_is_within_one": {"cliffs_delta": 1.1},
        "magnitude_is_known": {"magnitude": "huge"},
        "two_groups_give_an_effect": {"cliffs_delta": None},
    },
    "marts.bug_metrics": {
        "mined_fixes_have_files": {"fix_files": None},
        "bugs_without_fix_have_no_files": {"fix_commits": 0},
        "fix_test_share_is_a_share": {"fix_test_share": 1.5},
        "keys_are_unique": AGAIN,
        "dataset_is_known": {"dataset": "test"},
        "fixed_bugs_are_closed": {"state": "open"},
        "fixed_bugs_have_commits": {"fix_commits": 0},
        "closed_bugs_with_commits_are_fixed": {"is_fixed": False},
        "fixed_bugs_have_a_fix_time": {"fix_time_days": None},
        "other_bugs_have_no_fix_time": {"is_fixed": False},
        "fix_time_is_not_negative": {"fix_time_days": -0.1},
        "fixes_have_a_size": {"fix_size": None},
        "bugs_without_fix_have_no_size": {"fix_commits": 0},
        "fix_size_is_not_negative": {"fix_size": -1},
        "commentators_not_more_than_comments": {"commentators": 3},
        "first_comment_is_among_the_comments": {"comments": 0},
        "first_comment_not_before_opening": {"hours_to_first_comment": -1.0},
    },
    "marts.trend_monthly": {
        "keys_are_unique": AGAIN,
        "month_is_a_calendar_month": {"month": "2020-13"},
        **{
            f"{flow}_performance_not_above_{flow}_total": {f"{flow}_performance": 5}
            for flow in FLOWS
        },
        "newly_fixed_total_not_above_fixed_total": {"newly_fixed_total": 5},
        "open_performance_is_not_negative": {"open_performance": -1},
        "open_percentage_is_a_percentage": {"open_percentage": 100.1},
        "fixed_percentage_is_a_percentage": {"fixed_percentage": -0.1},
        "open_percentage_where_bugs_are_open": {"open_percentage": None, "open_total": 4},
        "fixed_percentage_where_bugs_are_fixed": {"fixed_percentage": None, "fixed_total": 4},
        "no_open_percentage_of_nothing": {"open_percentage": 0.0},
        "no_fixed_percentage_of_nothing": {"fixed_percentage": 0.0},
        "months_are_complete": {"is_complete": False},
    },
    "marts.dataset_breakdown": {
        "keys_are_unique": AGAIN,
        "both_groups_are_there": ALONE,
        "fixed_not_above_closed": {"fixed": 4},
        "open_is_not_negative": {"open": -1},
        "fixed_is_not_negative": {"fixed": -1},
    },
    "analysis.trend_tests": {
        "keys_are_unique": AGAIN,
        "series_is_open_or_fixed": {"series": "opened"},
        "alternative_is_known": {"alternative": "greater"},
        "p_value_is_a_probability": {"p_value": 1.1},
        "pairs_not_above_months": {"n_pairs": 25},
        "rising_pairs_are_among_the_pairs": {"n_positive": 13},
        "pairs_give_a_p_value": {"p_value": None},
        "no_pairs_no_p_value": {"n_pairs": 0},
    },
    "analysis.group_comparisons": {
        "keys_are_unique": AGAIN,
        "metric_is_known": {"metric": "reopenings"},
        "p_value_is_a_probability": {"p_value": -0.1},
        "cliffs_delta_is_within_one": {"cliffs_delta": -1.1},
        "magnitude_is_known": {"magnitude": "huge"},
        "negligible_effects_are_below_0_147": {"cliffs_delta": 0.148},
        "two_groups_give_an_effect": {"cliffs_delta": None},
        "two_groups_give_a_p_value": {"p_value": None},
    },
}


def frame(rows: list[Row]) -> pl.DataFrame:
    overrides = {name: kind for name, kind in TYPES.items() if name in rows[0]}
    return pl.DataFrame(rows, schema_overrides=overrides)


def run(table: str, rows: list[Row], **changes: Any) -> AuditReport:
    return audit(table, frame(rows), {**PARAMETERS, "source_count": len(rows), **changes})


def broken(table: str, breaking: Any) -> AuditReport:
    """The audit of the good rows of ``table`` of which the first is spoilt."""
    rows = deepcopy(GOOD[table])
    if breaking is COUNT:
        return run(table, rows, source_count=len(rows) + 2)
    if breaking is AGAIN:
        return run(table, [*rows, rows[0]])
    if breaking is ALONE:
        return run(table, rows[:1])
    return run(table, [{**rows[0], **breaking}, *rows[1:]])


@cache
def table_columns() -> Mapping[str, set[str]]:
    """The columns of each stored table: of the DDL, and of the models' documentation."""
    columns: dict[str, set[str]] = {}
    with duckdb.connect() as connection:
        connection.execute((PACKAGE / "schema.sql").read_text())
        for table, column in connection.execute(
            "SELECT schema_name || '.' || table_name, column_name FROM duckdb_columns()"
        ).fetchall():
            columns.setdefault(table, set()).add(column)
    for path in models_dir().rglob("*.yml"):
        for table in yaml.safe_load(path.read_text())["tables"]:
            columns[table["name"]] = {column["name"] for column in table["columns"]}
    return columns


RULES = [(table, rule.name) for table in TABLES for rule in load_suite(table).rules]


@pytest.mark.parametrize("table", TABLES)
def test_good_rows_keep_every_rule_of_their_table(table: str) -> None:
    report = run(table, GOOD[table])
    assert [result.sentence() for result in report.results.values() if not result.success] == []
    assert report.results.keys() == {rule.name for rule in load_suite(table).rules}
    assert report.ok


@pytest.mark.parametrize(("table", "rule"), RULES)
def test_a_row_made_to_break_a_rule_breaks_it(table: str, rule: str) -> None:
    assert rule in BREAKING[table], f"{table} has a new rule {rule}: give an example that breaks it"
    report = broken(table, BREAKING[table][rule])
    result = report.results[rule]
    assert not result.success
    assert result.problem is None
    assert result.failing_rows >= 1
    assert result.examples
    assert result.severity == {rule.name: rule for rule in load_suite(table).rules}[rule].severity


@pytest.mark.parametrize("table", TABLES)
def test_no_example_speaks_of_a_rule_that_is_gone(table: str) -> None:
    assert BREAKING[table].keys() == {rule.name for rule in load_suite(table).rules}


@pytest.mark.parametrize("table", TABLES)
def test_rules_and_keys_speak_of_columns_that_the_table_has(table: str) -> None:
    suite = load_suite(table)
    named = {name for rule in suite.rules for name in (*rule.columns, *rule.condition_columns)}
    assert named | set(suite.key) <= table_columns()[table]


@pytest.mark.parametrize("table", TABLES)
def test_a_note_says_why_in_a_sentence_of_its_own(table: str) -> None:
    for rule in load_suite(table).rules:
        assert rule.note.endswith(".")
        assert len(rule.note.split()) >= 4


@pytest.mark.parametrize(
    ("table", "oddity"),
    [
        ("raw.issues", {"title": "  ", "updated_at": at(1, year=2019), "state_reason": "new"}),
        ("raw.issues", {"closed_at": at(1), "updated_at": at(1)}),
        ("raw.issue_comments", {"created_at": at(1, year=2009), "author": None}),
        ("raw.issue_events", {"created_at": at(1, year=2009), "closer_repository": None}),
        ("raw.issue_events", {"event": "labeled", "label": None, "commit_sha": None}),
        ("raw.commits", {"authored_at": at(1, month=1, year=1970)}),
        ("raw.commits", {"authored_at": at(1, month=1, year=1)}),
        ("raw.commits", {"authored_at": at(31, month=12, year=9999)}),
        ("raw.commits", {"additions": 40_000_000}),
        ("raw.commits", {"committed_at": at(29, hour=23)}),
        ("raw.commit_files", {"path": " ", "additions": 0, "deletions": 0}),
        ("raw.commit_files", {"path": "a,\t\udcff.py".encode("utf-8", "replace").decode()}),
        ("marts.bug_metrics", {"hours_to_first_comment": -8.0}),
        ("marts.bug_metrics", {"fix_time_days": 0.0, "fix_size": 0}),
        ("marts.trend_monthly", {"is_complete": False}),
    ],
)
def test_what_real_data_does_breaks_no_critical_rule(table: str, oddity: Row) -> None:
    assert [result.breach() for result in broken(table, oddity).failures] == []


def test_real_issues_and_comments_break_no_critical_rule() -> None:
    if not CHAINER.is_dir():
        pytest.skip(f"the real corpus is not at {CHAINER}")
    issues = [real_issue(entry) for entry in lines(CHAINER / "issues.jsonl.gz")]
    comments = lines(CHAINER / "comments.jsonl.gz")
    for month in sorted({issue["month"] for issue in issues})[::9]:
        cohort = [issue for issue in issues if issue["month"] == month]
        numbers = [issue["number"] for issue in cohort]
        told = {"repository": "chainer/chainer", "month": month, "issue_numbers": numbers}
        theirs = [entry for entry in comments if entry["issue_number"] in numbers]
        stored = [real_comment(entry, month) for entry in theirs]
        announced = sum(issue["comments"] for issue in cohort)
        assert run("raw.issues", cohort, **told).failures == []
        report = run("raw.issue_comments", stored, **told, source_count=announced)
        # The data set lost the authors of the comments.
        assert [result.rule for result in report.warnings] == ["most_authors_are_known"]
        assert report.ok


def lines(path: Path) -> list[Row]:
    with gzip.open(path, "rt", encoding="utf-8") as text:
        return [json.loads(line) for line in text]


def real_issue(entry: Row) -> Row:
    times = {name: datetime.fromisoformat(entry[name]) for name in entry if name.endswith("_at")}
    row = {name: entry[name] for name in ("number", "title", "state", "comments", "html_url")}
    month = month_of(times["created_at"])
    return {**row, **times, "repository": "chainer/chainer", "month": month, "state_reason": None}


def real_comment(entry: Row, month: str) -> Row:
    return {
        "repository": "chainer/chainer",
        "month": month,
        "comment_id": entry["id"],
        "number": entry["issue_number"],
        "author": None,
        "created_at": datetime.fromisoformat(entry["created_at"]),
    }
