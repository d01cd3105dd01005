"""Rows of the tables, made by hand: each is good, and takes what a test wants otherwise.

A moment may be a text (2020-01-05, with or without a time) or a datetime.
"""

from datetime import UTC, datetime, timedelta
from typing import Any

REPOSITORY, PYTORCH = "owner/name", "pytorch/pytorch"
SHA, OTHER_SHA = "a" * 40, "b" * 40
LOADED = ("raw.issues", "raw.commits")

Row = dict[str, Any]
Moment = str | datetime


def at(day: int, hour: int = 0, month: int = 2, year: int = 2020) -> datetime:
    return datetime(year, month, day, hour, tzinfo=UTC)


def sha(name: str) -> str:
    """A commit hash that is the same for the same name."""
    return name.encode().hex().ljust(40, "0")[:40]


def repository(name: str = REPOSITORY, start: str = "2020-01", trend_start: str = "2020-02") -> Row:
    return {
        "repository": name,
        "start_month": start,
        "trend_start_month": trend_start,
        "study": "test",
        "source": "github",
        "change_url": f"https://github.com/{name}/pull/",
        "commit_url": f"https://github.com/{name}/commit/",
        "file_url": f"https://github.com/{name}/blob/",
    }


def load(month: str, table: str = "raw.issues", **changes: Any) -> Row:
    row = {
        "repository": REPOSITORY,
        "month": month,
        "table": table,
        "loaded_at": "2021-01-01T00:00:00Z",
        "row_count": 1,
        "requests": 0,
        "points": 0,
        "status": "loaded",
        "is_stored": True,
        "updated_at": "2021-01-01T00:00:00Z",
    }
    return {**row, **changes}


def loads(*months: str, **changes: Any) -> list[Row]:
    """Loads of issues and commits of each month."""
    return [load(month, table, **changes) for month in months for table in LOADED]


def issue(number: int, opened: Moment, closed: Moment | None = None, **changes: Any) -> Row:
    row = {
        "repository": REPOSITORY,
        "number": number,
        "title": f"Issue {number}",
        "author": "reporter",
        "state": "open" if closed is None else "closed",
        "labels": [],
        "created_at": opened,
        "updated_at": closed or opened,
        "closed_at": closed,
        "comments": 0,
        "html_url": f"https://github.com/{REPOSITORY}/issues/{number}",
        "month": str(opened)[:7],
        "loaded_at": "2021-01-01T00:00:00Z",
    }
    return {**row, **changes}


def pull_request(number: int, pull: int, **changes: Any) -> Row:
    row = {
        "repository": REPOSITORY,
        "number": number,
        "pull_request_repository": REPOSITORY,
        "pull_request": pull,
        "relation": "linked",
        "is_merged": True,
        "month": "2020-01",
    }
    return {**row, **changes}


def probability(number: int, *, speed: float, memory: float) -> Row:
    return {
        "repository": REPOSITORY,
        "number": number,
        "probability": max(speed, memory),
        "is_performance": max(speed, memory) > 0.5,
        "speed_probability": speed,
        "memory_probability": memory,
        "hang_probability": 0.0,
        "quality_probability": 0.0,
        "deciding_words": [],
        "trained_share": 0.12,
        "model_version": "00000000",
        "month": "2020-01",
    }


RULES = "3f2a9c0b"


def label(number: int, *, is_performance: bool = False, **changes: Any) -> Row:
    row = {
        "repository": REPOSITORY,
        "number": number,
        "is_bug_report": True,
        "is_performance": is_performance,
        "strength": "strong" if is_performance else None,
        "widened_keywords": [],
        "matched_labels": [],
        "matched_keywords": [],
        "matched_in": [],
        "non_bug_labels": [],
        "ignored_keywords": [],
        "ignored_lines": [],
        "rule_version": RULES,
        "month": "2020-01",
    }
    is_bug_report = changes.get("is_bug_report", True)
    return {**row, "not_a_bug_by": None if is_bug_report else "label", **changes}


def bug(number: int, opened: str, closed: str | None = None, **changes: Any) -> tuple[Row, Row]:
    """An issue with its decision: a bug report, by default not of performance."""
    is_performance = changes.pop("is_performance", False)
    return issue(number, opened, closed, **changes), label(number, is_performance=is_performance)


def bugs(*pairs: tuple[Row, Row]) -> dict[str, list[Row]]:
    return {
        "raw.issues": [pair[0] for pair in pairs],
        "labels.performance_labels": [pair[1] for pair in pairs],
    }


def event(number: int, kind: str, at: Moment, **changes: Any) -> Row:
    row = {
        "repository": REPOSITORY,
        "event_id": f"{number} {kind} {at}",
        "number": number,
        "event": kind,
        "created_at": at,
        "label": None,
        "commit_sha": None,
        "closer_repository": None,
        "previous_title": None,
        "month": "2020-01",
    }
    return {**row, **changes}


def comment(
    number: int, comment_id: int, at: Moment, author: str | None = "helper", **changes: Any
) -> Row:
    row = {
        "repository": REPOSITORY,
        "comment_id": comment_id,
        "number": number,
        "author": author,
        "author_type": None if author is None else "Bot" if author.endswith("[bot]") else "User",
        "created_at": at,
        "month": "2020-01",
    }
    return {**row, **changes}


def commit(name: str, at: Moment, additions: int, deletions: int, **changes: Any) -> Row:
    row = {
        "repository": REPOSITORY,
        "sha": sha(name),
        "parents": [],
        "author_name": "Committer",
        "authored_at": at,
        "committed_at": at,
        "message": name,
        "is_merge": False,
        "additions": additions,
        "deletions": deletions,
        "changed_files": 1,
        "month": str(at)[:7],
    }
    return {**row, **changes}


def work_label(name: str, work: str = "none", **changes: Any) -> Row:
    """Return a row of labels.performance_commits."""
    row = {
        "repository": REPOSITORY,
        "sha": sha(name),
        "landed_by": None,
        "pull_request": None,
        "work": work,
        "strength": None if work == "none" else "strong",
        "signs": [] if work == "none" else ["title: speed up"],
        "probability": 0.0 if work == "none" else 0.9,
        "model_version": "00000000",
        "month": "2020-02",
    }
    return {**row, **changes}


def link(
    number: int,
    name: str,
    approach: str = "id",
    *,
    is_counted: bool = True,
    is_repeated: bool = False,
) -> Row:
    return {
        "repository": REPOSITORY,
        "number": number,
        "sha": sha(name),
        "approach": approach,
        "evidence": f"fixes #{number}",
        "is_counted": is_counted,
        "is_repeated": is_repeated,
        "month": "2020-01",
    }


# What fixes touch, and who introduced what they remove


def detail(name: str, **changes: Any) -> Row:
    row = {
        "repository": REPOSITORY,
        "sha": sha(name),
        "analysed_files": 1,
        "methods_changed": 0,
        "changed_methods": [],
        "languages": [],
        "test_share": None,
        "not_analysed": None,
        "removed_lines": 0,
        "not_traced": None,
        "month": "2020-01",
    }
    return {**row, **changes}


def changed_file(name: str, path: str, **changes: Any) -> Row:
    row = {
        "repository": REPOSITORY,
        "sha": sha(name),
        "path": path,
        "old_path": None,
        "change_type": "modified",
        "additions": 1,
        "deletions": 0,
        "is_binary": False,
        "month": "2020-01",
    }
    return {**row, **changes}


def origin(fix: str, name: str, at: str, lines: int = 1, **changes: Any) -> Row:
    row = {
        "repository": REPOSITORY,
        "sha": sha(fix),
        "path": "a.py",
        "introducing_sha": sha(name),
        "introduced_at": at,
        "is_merge": False,
        "is_ignored": False,
        "lines": lines,
        "month": "2020-01",
    }
    return {**row, **changes}


# What is computed


def environment(
    number: int, environment_value: str, stated_in: str = "text", **more: object
) -> dict[str, object]:
    """What an issue states of its environment."""
    return {
        "repository": REPOSITORY,
        "number": number,
        "environment_aspect": "device",
        "environment_value": environment_value,
        "stated_in": stated_in,
        "statement": f"on {environment_value}",
        "month": "2020-01",
        **more,
    }


def label_kind(name: str, **changes: Any) -> Row:
    row = {
        "repository": REPOSITORY,
        "label": name,
        "is_performance": False,
        "is_non_bug": False,
        "rule_version": "3f2a9c0b",
    }
    return {**row, **changes}


def bug_metrics(number: int, **changes: Any) -> Row:
    row = {
        "dataset": "live",
        "repository": REPOSITORY,
        "number": number,
        "html_url": f"https://github.com/{REPOSITORY}/issues/{number}",
        "labels": [],
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
        "has_author_types": True,
        **changes,
    }
    talk = ("hours_to_first_comment", "comments", "commentators")
    if row["dataset"] == "live":
        ended = "fixed" if row["is_fixed"] else "closed_without_fix"
        outcome = "open" if row["state"] == "open" else ended
        by = "commit" if outcome == "fixed" else "state"
        row = {"outcome": outcome, "outcome_by": by, "is_rejected": False} | row
    return {**{f"{name}_with_bots": row[name] for name in talk}, **row}


def fixer(number: int, person: str, **changes: Any) -> Row:
    row = {
        "dataset": "live",
        "repository": REPOSITORY,
        "number": number,
        "person": person,
        "month": "2020-01",
        "is_performance": False,
        "is_fixed": True,
        "commits": 1,
        "fixing_share": 1.0,
        "is_first_contribution": False,
        "is_member": False,
        "is_bot": False,
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


def bug_release(number: int, **changes: Any) -> Row:
    """Return a bug that the release of the tenth had and that of the twentieth did not."""
    row = {
        "dataset": "live",
        "repository": REPOSITORY,
        "number": number,
        "outcome": "released",
        "introducing_sha": sha("brought"),
        "introduced_at": at(1),
        "first_affected_release": "v1.0",
        "affected_at": at(10),
        "fix_sha": sha("fix"),
        "fix_committed_at": at(15),
        "first_fixed_release": "v1.1",
        "fixed_release_at": at(20),
        "exposed_releases": 1,
        "exposure_days": 10.0,
        "days_to_release": 5.0,
        "is_against_last_release": True,
    }
    return {**row, **changes}


def activity(last_month: str, last_active_month: str, **changes: Any) -> Row:
    """Until when the repository is active, where it is not at rest."""
    row = {
        "dataset": "live",
        "repository": REPOSITORY,
        "last_month": last_month,
        "last_active_month": last_active_month,
        "is_at_rest": False,
        "last_series_month": last_month,
        "archived_month": None,
    }
    return {**row, **changes}


def trend_month(month: str, **changes: Any) -> Row:
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
        "false_alarm_share": 0.3,
        "permutations": 9_999,
        "odds_ratio_per_year": 1.2,
        "odds_ratio_low": 1.1,
        "odds_ratio_high": 1.4,
        "dispersion": 1.5,
        "heterogeneity_p_value": 0.5,
        "is_too_few": False,
        "result": "p = 0.019",
    }
    return {**row, **changes}


def flow_test(series: str, **changes: Any) -> Row:
    """A binomial regression of a flow."""
    row = {
        "method": "binomial_regression",
        "n_pairs": None,
        "n_positive": None,
        "alternative": "two_sided",
    }
    return trend_test(series, **{**row, **changes})


def comparison(metric: str, **changes: Any) -> Row:
    row = {
        "dataset": "live",
        "repository": REPOSITORY,
        "metric": metric,
        "method": "mann_whitney_u",
        "n_performance": 6,
        "n_other": 9,
        "p_value": 0.5,
        "p_value_clustered": 0.5,
        "cliffs_delta": 0.1,
        "magnitude": "negligible",
        "is_too_few": False,
    }
    return {**row, **changes}


# What the paper published


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


def published_commit(position: int, **changes: Any) -> Row:
    row = {"repository": PYTORCH, "number": 7, "position": position, "sha": SHA, "approach": "url"}
    return {**row, "additions": 3, "changes": 4, **changes}


def published_month(month: str, **changes: Any) -> Row:
    row = {
        "repository": PYTORCH,
        "series": "open",
        "month": month,
        "performance": 1,
        "bug_reports": 4,
    }
    return {**row, "percent": 25.0, **changes}


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
    return statistic(metric=metric, p_value_holm=0.04, is_too_few=False, **interval, **changes)


def incidence(event: str, days: int, **changes: Any) -> Row:
    row = {
        "event": event,
        "days": days,
        "n_performance": 5,
        "n_other": 4,
        "events_performance": 3,
        "events_other": 2,
        "percent_performance": 60.0,
        "percent_performance_low": 30.0,
        "percent_performance_high": 80.0,
        "percent_other": 50.0,
        "percent_other_low": 20.0,
        "percent_other_high": 70.0,
        "is_too_few": False,
    }
    return {**statistic(), **row, **changes}


def closing_rate(kind: str, **changes: Any) -> Row:
    row = {
        "repository": REPOSITORY,
        "kind": kind,
        "closes": 4,
        "open_years": 3.5,
        "closes_per_open_year": 1.1,
        "rate_ratio": 0.7,
        "rate_ratio_low": 0.6,
        "rate_ratio_high": 0.8,
        "rate_ratio_p_value": 0.01,
        "rate_ratio_per_year": 0.9,
        "rate_ratio_per_year_low": 0.8,
        "rate_ratio_per_year_high": 1.1,
        "dispersion": 1.2,
        "is_too_few": False,
    }
    return {**statistic(), **row, **changes}


def figure(name: str, **changes: Any) -> Row:
    row = {
        "dataset": "replication",
        "study": "performance_bugs",
        "figure": name,
        "location": "Table I",
        "verdict": "exact",
        "reproduced": 4.0,
        "reason": None,
    }
    return {**row, **changes}


def published_problem(problem: str, **changes: Any) -> Row:
    question = problem.partition("_")[0]
    row = {
        "problem_id": problem,
        "forum": "stackoverflow",
        "question_id": int(question),
        "created_at": "2020-12-06T01:43:50Z",
        "title": "Why is it slow?",
        "html_url": f"https://stackoverflow.com/questions/{question}",
        "introducing_stage": "Data preparation",
        "exposing_stage": "Training",
        "symptom_1_category": "Time",
        "symptom_1_subcategory": "Slow execution time",
        "symptom_2_category": None,
        "symptom_2_subcategory": None,
        "cause_category": "API",
        "cause_subcategory": "Not using batch API",
        "published_introducing_stage": "data preparation",
        "published_exposing_stage": "training",
        "published_symptom1": "Time: slow execution time",
        "published_root_cause": "API: not using batch API",
        "file": "problems.csv",
        "line": 2,
    }
    return {**row, **changes}


def counted_problems(**changes: Any) -> Row:
    row = {"problems": 4, "posts": 3, "total_problems": 9, "total_posts": 8, "percentage": 44.4}
    return {**row, **changes}


# The same in full, as the package's tables hold it


def listed_bug(number: int, opened: str, minutes_to_close: float | None = None, **rest: Any) -> Row:
    opened_at = datetime.fromisoformat(opened)
    closed = None if minutes_to_close is None else opened_at + timedelta(minutes=minutes_to_close)
    row = {
        "repository": PYTORCH,
        "number": number,
        "is_performance": False,
        "author": "reporter",
        "opened_at": opened_at,
        "closed_at": closed,
        "minutes_to_close": minutes_to_close,
        "comments": 0,
        "participants": 1,
        "commentators": 0,
        "commentator_names": [],
        "commentator_comments": [],
        "labels": [],
        "month": opened[:7],
        "file": "bugs.csv",
        "line": number,
    }
    return {**row, **rest}


def listed_fix(number: int, commits: int = 1, changes: int = 5, **rest: Any) -> Row:
    totals = {"commits": commits, "additions": changes, "deletions": 0, "changes": changes}
    row = {"repository": PYTORCH, "number": number, "is_performance": False, **totals}
    return {**row, "file": "fixes.csv", "line": number, **rest}


def listed_commit(number: int, name: str, at: Moment, position: int = 1, **rest: Any) -> Row:
    row = published_commit(position, number=number, sha=sha(name), committed_at=at)
    return {**row, "deletions": 1, "file": "fixes.csv", "line": number, **rest}


def listed_month(month: str, **rest: Any) -> Row:
    row = published_month(month, cut_off=f"{month}-01T00:00:00Z", file="series.csv", line=2)
    return {**row, **rest}


def listed_cause(number: int, **rest: Any) -> Row:
    row = taxonomy_row(number, published_category="Other", file="taxonomy.csv", line=number)
    return {**row, **rest}


# What raters judged


def verdict(verdict_id: int, rater: str, number: int, word: str, **changes: Any) -> Row:
    row = {
        "verdict_id": verdict_id,
        "rater": rater,
        "repository": REPOSITORY,
        "number": number,
        "verdict": word,
        "category": None,
        "subcategory": None,
        "impact": None,
        "imported_at": "2021-01-01T00:00:00Z",
        "file": "sheet.csv",
        "file_sha256": "a" * 64,
        "line": 2,
    }
    return {**row, **changes}


def quality(rule: str, **changes: Any) -> Row:
    row = {"dataset": "live", "repository": REPOSITORY, "rater": "Ann", "measure": "precision"}
    counts = {"n": 160, "successes": 141, "estimate_percent": 88.125}
    counts |= {"low_percent": 82.2, "high_percent": 92.2}
    return {**row, "rule": rule, **counts, **changes}


def raters(question: str, **changes: Any) -> Row:
    row = {"dataset": "live", "repository": REPOSITORY, "raters": "Ann, Bob", "method": "cohen"}
    return {**row, "question": question, "n": 9, "kappa": 0.92, **changes}


def disagreement(question: str) -> Row:
    row = {"dataset": "live", "repository": REPOSITORY, "number": 7, "question": question}
    return {**row, "rater_1": "Ann", "rater_2": "Bob"}


def root_cause(cause: str) -> Row:
    row = {"dataset": "live", "repository": REPOSITORY, "cause": cause}
    return {**row, "bugs": 3, "all_bugs": 4, "percent": 75.0}


def scanned_tree(month: str, quarter: str, **changes: Any) -> Row:
    """A tree that the static checks went through."""
    row = {
        "repository": REPOSITORY,
        "month": month,
        "quarter": quarter,
        "sha": SHA,
        "committed_at": f"{month}-05",
        "files": 9,
        "unparsed_files": 0,
        "rules": ["sequential-map", "loop-invariant-op"],
        "rule_version": "1",
    }
    return {**row, **changes}


def static_finding(number: int, month: str, quarter: str, **changes: Any) -> Row:
    """What the static checks found in a file of its own, of that ``number``."""
    row = {
        "repository": REPOSITORY,
        "month": month,
        "quarter": quarter,
        "sha": SHA,
        "path": f"src/file {number}.py",
        "line": number,
        "start_column": 1,
        "end_line": number,
        "end_column": 9,
        "rule": "sequential-map",
        "cause_category": "API",
        "cause_subcategory": "Inefficient API usage",
        "severity": "warning",
        "context": "library",
        "message": "map runs on one core",
        "code": "ds.map(parse)",
        "earlier_duplicates": 0,
        "finding_id": f"f{number:016d}",
        "previous_path": f"src/file {number}.py",
        "previous_id": f"f{number:016d}",
    }
    return {**row, **changes}


SUM = "bench_nn.Sum.time_sum"
SERIES = {
    "repository": REPOSITORY,
    "benchmark": SUM,
    "benchmark_parameters": "",
    "machine": "i7",
    "environment": "py3.9",
    "unit": "seconds",
    "benchmark_version": "1",
}


def benchmark_result(name: str, month: str, value: float, **changes: Any) -> Row:
    """A result of a benchmark on the commit ``name``, measured in ``month``."""
    moment = f"{month}-28T12:00:00Z"
    row = {
        **SERIES,
        "sha": sha(name),
        "committed_at": moment,
        "measured_at": moment,
        "measured_value": value,
        "is_higher_better": False,
        "month": month,
    }
    return row | changes


def benchmark_change(
    before: str, name: str, position: int, ratio: float, regression_id: str, **changes: Any
) -> Row:
    """A step of a benchmark from commit ``before`` to ``name``, which is at ``position``."""
    row = {
        **SERIES,
        "sha": sha(name),
        "last_sha_before": sha(before),
        "committed_at": "2020-02-28T00:00:00Z",
        "month": "2020-02",
        "first_position": position,
        "last_position": position,
        "value_before": 1.0,
        "value_after": ratio,
        "ratio": ratio,
        "ratio_low": ratio,
        "ratio_high": ratio,
        "is_regression": True,
        "regression_id": regression_id,
        "results_before": 3,
        "results_after": 3,
    }
    return row | changes
