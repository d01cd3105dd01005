"""What breaks each rule of each table: new values for the first of its good rows."""

import re
from datetime import timedelta
from typing import Any

from perf_assets.schema import Column, Table
from tests.rows import OTHER_SHA, Row, at

# What breaks a rule of a suite file: new values for the first row; or a copy of it (AGAIN), one row
# too few for what the source counted (COUNT), or no row but the first (ALONE).
AGAIN, COUNT, ALONE = object(), object(), object()

PARTITION = {
    "rows_are_of_the_repository": {"repository": "owner/other"},
    "rows_are_of_the_forum": {"forum": "superuser"},
    "rows_are_of_the_tag_set": {"tag_set": "pytorch"},
    "rows_are_of_the_month": {"month": "2020-03"},
}
BEFORE_THE_MONTH = at(31, hour=23, month=1)
UNREADABLE = {"unreadable": "git cannot read object 0"}
COMMIT_BREACHES: dict[str, Any] = {
    "most_commits_are_readable": UNREADABLE,
    "each_commit_is_readable": UNREADABLE,
    "row_count_is_gits": COUNT,
    "authored_not_after_committed": {"authored_at": at(3)},
    "author_time_is_set": {"authored_at": at(1, month=1, year=1970)},
    "merges_have_several_parents": {"is_merge": True},
    "other_commits_have_one_parent_at_most": {"parents": [OTHER_SHA, "d" * 40]},
    "no_lines_without_files": {"changed_files": 0},
    "size_is_below_a_million_lines": {"additions": 1_000_001},
}


BREAKING: dict[str, dict[str, Any]] = {
    "raw.questions": {
        "row_count_is_the_sources": COUNT,
        "most_owners_are_known": {"owner": None},
        "most_questions_say_something": {"text": ""},
    },
    "raw.answers": {
        "row_count_is_the_sources": COUNT,
        "answers_belong_to_the_partition": {"question_id": 99},
    },
    "raw.question_comments": {
        "row_count_is_the_sources": COUNT,
        "comments_belong_to_the_partition": {"post_id": 99},
    },
    "analysis.rater_disagreements": {
        "raters_are_in_order": {"rater_1": "Bob", "rater_2": "Ann"},
    },
    "marts.volume_anomalies": {
        "no_month_is_far_outside": {"is_anomaly": True},
    },
    "marts.alerts": {
        "no_alert_is_new": {"state": "new"},
    },
    "marts.benchmark_silences": {
        "nothing_fell_silent": {"is_recent": True},
    },
    "marts.integrity_checks": {
        "nothing_stands_alone": {"failing_rows": 1},
    },
    "replication.bugs": {
        "opened_in_the_time_of_the_study": {"month": "2014-12"},
        "commentators_not_more_than_comments": {"commentators": 4},
    },
    "analysis.effect_sizes": {
        "adjusted_p_value_not_below_the_raw_one": {"p_value_holm": 0.01},
    },
    "analysis.paper_comparison": {
        "what_was_derived_has_a_value": {"reproduced": None},
        "what_was_not_derived_has_no_value": {"verdict": "not_derivable"},
        "deviations_have_a_reason": {"verdict": "differs"},
        "coincidences_have_a_reason": {"verdict": "coincides"},
        "gaps_have_a_reason": {"verdict": "not_derivable", "reproduced": None},
    },
    "raw.issues": {
        "row_count_is_the_sources": COUNT,
        "closed_issues_have_a_closing_time": {"closed_at": None},
        "open_issues_have_no_closing_time": {"state": "open"},
        "updated_not_before_created": {"updated_at": at(8, month=1)},
        "title_is_not_blank": {"title": " \t"},
        "is_an_issue_not_a_pull_request": {"html_url": "https://github.com/owner/name/pull/7"},
        "state_reason_is_known": {"state_reason": "forgotten"},
    },
    "raw.issue_comments": {
        "comments_belong_to_the_cohort": {"number": 6},
        "row_count_is_the_sources": COUNT,
        "not_before_the_month": {"created_at": BEFORE_THE_MONTH},
        "most_authors_are_known": {"author": None},
    },
    "raw.issue_events": {
        "events_belong_to_the_cohort": {"number": 6},
        "closer_has_a_repository": {"closer_repository": None},
        "label_events_name_the_label": {"event": "unlabeled"},
        "renames_give_the_title_before": {"event": "renamed"},
        "row_count_is_the_sources": COUNT,
        "not_before_the_month": {"created_at": BEFORE_THE_MONTH},
    },
    "raw.issue_pull_requests": {
        "relations_belong_to_the_cohort": {"number": 6},
    },
    "raw.commits": COMMIT_BREACHES,
    "raw.branch_commits": {**COMMIT_BREACHES, "branch_is_named": {"branch": ""}},
    "raw.commit_files": {
        "files_belong_to_the_commits": {"sha": "e" * 40},
        "row_count_is_that_of_the_commits": COUNT,
        "renames_give_the_path_before": {"change_type": "renamed"},
        "binary_files_have_no_lines": {"is_binary": True},
    },
    "raw.issue_templates": {
        "path_is_a_templates": {"path": "docs/performance.md"},
        "body_is_not_blank": {"body": "\n"},
    },
    "labels.performance_labels": {
        "every_issue_is_labelled": COUNT,
        "labels_belong_to_the_cohort": {"number": 6},
        "performance_bugs_are_bug_reports": {"is_performance": True, "is_bug_report": False},
        "performance_bugs_have_a_reason": {"is_performance": True},
        "matching_bug_reports_are_performance_bugs": {"matched_keywords": ["slow"]},
        "other_issues_have_a_reason": {"is_bug_report": False},
        "keywords_are_located": {"matched_keywords": ["slow"], "matched_in": ["comment"]},
        "rows_are_of_the_rule_version": {"rule_version": "00000000"},
    },
    "labels.label_evidence": {
        "evidence_belongs_to_the_cohort": {"number": 6},
    },
    "labels.keyword_stems": {
        "stems_belong_to_the_cohort": {"number": 6},
    },
    "labels.performance_probabilities": {
        "every_issue_has_a_probability": COUNT,
        "probabilities_belong_to_the_cohort": {"number": 6},
    },
    "labels.performance_commits": {
        "every_commit_has_a_label": COUNT,
        "labels_are_of_the_month": {"sha": "e" * 40},
    },
    "labels.environments": {
        "environments_belong_to_the_cohort": {"number": 6},
    },
    "labels.report_forms": {
        "forms_belong_to_the_cohort": {"number": 6},
    },
    "labels.area_evidence": {
        "evidence_belongs_to_the_cohort": {"number": 6},
    },
    "links.commit_relations": {
        "commits_are_of_the_month": {"sha": "e" * 40},
        "evidence_is_present": {"evidence": " "},
    },
    "links.fix_areas": {
        "files_are_of_commits_of_the_month": {"sha": "e" * 40},
    },
    "labels.performance_questions": {
        "every_question_is_decided": COUNT,
        "rows_are_of_the_rule_version": {"rule_version": "00000000"},
    },
    "labels.label_kinds": {
        "label_is_not_blank": {"label": " "},
    },
    "links.fix_links": {
        "commits_are_of_the_month": {"sha": "e" * 40},
        "issues_are_known": {"number": 6},
        "evidence_is_present": {"evidence": " "},
        "pull_requests_are_named": {"approach": "closed_by_pull_request"},
        "other_branches_do_not_count": {"branch": "v1", "is_counted": True},
    },
    "details.commit_metrics": {
        "commits_are_fixes_of_the_month": {"sha": "e" * 40},
        "every_fix_has_a_row": COUNT,
        "analysed_commits_have_methods": {"methods_changed": None},
        "traced_commits_have_removed_lines": {"removed_lines": None},
    },
    "details.pull_requests": {
        "pull_requests_are_wanted": {"pull_request": 99},
        "every_wanted_pull_request_is_there": COUNT,
    },
    "details.introducing_commits": {
        "fixes_are_of_the_month": {"sha": "e" * 40},
    },
    "marts.bug_lifetimes": {
        "introduced_bugs_have_a_date": {"introduced_at": None},
    },
    "analysis.lifetime_comparisons": {
        "two_groups_give_an_effect": {"cliffs_delta": None},
    },
    "marts.bug_metrics": {
        "mined_fixes_have_files": {"fix_files": None},
        "bugs_without_fix_have_no_files": {"fix_commits": 0},
        "fixed_bugs_are_closed": {"state": "open"},
        "fixed_bugs_have_commits": {"fix_commits": 0},
        "closed_bugs_with_commits_are_fixed": {"is_fixed": False},
        "fixed_bugs_have_a_fix_time": {"fix_time_days": None},
        "other_bugs_have_no_fix_time": {"is_fixed": False},
        "fixes_have_a_size": {"fix_size": None},
        "bugs_without_fix_have_no_size": {"fix_commits": 0},
        "commentators_not_more_than_comments": {"commentators": 3},
        "first_comment_is_among_the_comments": {"comments": 0},
        "first_comment_not_before_opening": {"hours_to_first_comment": -1.0},
    },
    "marts.trend_monthly": {
        "open_percentage_where_bugs_are_open": {"open_percentage": None, "open_total": 4},
        "fixed_percentage_where_bugs_are_fixed": {"fixed_percentage": None, "fixed_total": 4},
        "no_open_percentage_of_nothing": {"open_percentage": 0.0},
        "no_fixed_percentage_of_nothing": {"fixed_percentage": 0.0},
        "months_are_complete": {"is_complete": False},
    },
    "marts.dataset_breakdown": {
        "both_groups_are_there": ALONE,
    },
    "analysis.trend_tests": {
        "pairs_not_above_months": {"n_pairs": 25},
        "pairs_give_a_p_value": {"p_value": None},
        "no_pairs_no_p_value": {"n_pairs": 0},
    },
    "analysis.group_comparisons": {
        "negligible_effects_are_below_0_147": {"cliffs_delta": 0.148},
        "two_groups_give_an_effect": {"cliffs_delta": None},
        "two_groups_give_a_p_value": {"p_value": None},
    },
}


def declared_breach(table: Table, rule: str, row: Row) -> Any:
    """What breaks a rule that follows from the declaration of ``table``, for a good ``row``."""
    if rule == "keys_are_unique":
        return AGAIN
    if rule == "nothing_is_missing":
        needed = next(column for column in table.columns if not column.nullable)
        return {needed.name: None}
    if rule.endswith("_is_within_the_month"):
        return {rule.removesuffix("_is_within_the_month"): at(1, month=3)}
    for column in table.columns:
        if rule.startswith(f"{column.name}_"):
            spoilt = _spoilt(column, rule.removeprefix(f"{column.name}_"), row)
            if spoilt is not None:
                return {column.name: spoilt}
    return PARTITION.get(rule)


def _spoilt(column: Column, limit: str, row: Row) -> object:
    if limit == "is_known":
        return "none of these"
    if limit == "has_its_form":
        pattern = column.pattern or ""
        return next(text for text in (" ", "(", "") if not re.fullmatch(pattern, text))
    if limit == "is_in_range":
        return column.min - 1 if isinstance(column.min, int | float) else column.max + 1
    if limit == f"is_not_below_{column.min}":
        return row[column.min] - _step(row[column.min])
    if limit == f"is_not_above_{column.max}":
        return row[column.max] + _step(row[column.max])
    return None


def _step(value: object) -> Any:
    return 1 if isinstance(value, int | float) else timedelta(seconds=1)
