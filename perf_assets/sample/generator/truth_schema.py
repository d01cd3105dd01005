"""Columns of the truth tables; lists are joined by ``|``, moments are ISO 8601 in UTC."""

import polars as pl

KEY = {"repository": pl.String, "number": pl.Int64}
OPEN_FIXED = [
    f"{state}_{column}"
    for state in ("open", "fixed")
    for column in ("performance", "total", "percentage")
]
FLOW = [
    f"{flow}_{column}" for flow in ("opened", "newly_fixed") for column in ("performance", "total")
]
SCHEMAS: dict[str, dict[str, pl.DataType | type[pl.DataType]]] = {
    "performance_labels": {
        **KEY,
        "is_bug_report": pl.Boolean,
        "is_performance": pl.Boolean,
        "matched_labels": pl.String,
        "matched_keywords": pl.String,
        "matched_in": pl.String,
    },
    "fix_links": {
        **KEY,
        "sha": pl.String,
        "approach": pl.String,
        "is_counted": pl.Boolean,
        "is_repeated": pl.Boolean,
    },
    "bug_metrics": {
        "dataset": pl.String,
        **KEY,
        "month": pl.String,
        "state": pl.String,
        "is_performance": pl.Boolean,
        "is_fixed": pl.Boolean,
        "opened_at": pl.String,
        "closed_at": pl.String,
        "fix_time_days": pl.Float64,
        "fix_size": pl.Int64,
        "fix_commits": pl.Int64,
        "fix_files": pl.Int64,
        "fix_methods": pl.Int64,
        "fix_languages": pl.String,
        "fix_test_share": pl.Float64,
        "hours_to_first_comment": pl.Float64,
        "comments": pl.Int64,
        "commentators": pl.Int64,
        "hours_to_first_comment_with_bots": pl.Float64,
        "comments_with_bots": pl.Int64,
        "commentators_with_bots": pl.Int64,
        "reopenings": pl.Int64,
    },
    "introducing_commits": {
        "repository": pl.String,
        "sha": pl.String,
        "path": pl.String,
        "introducing_sha": pl.String,
        "introduced_at": pl.String,
        "lines": pl.Int64,
    },
    "bug_lifetimes": {
        "dataset": pl.String,
        **KEY,
        "is_performance": pl.Boolean,
        "outcome": pl.String,
        "removed_lines": pl.Int64,
        "introducing_commits": pl.Int64,
        "introduced_at": pl.String,
        "lifetime_days": pl.Float64,
        "longest_lifetime_days": pl.Float64,
    },
    "trend_monthly": {
        "dataset": pl.String,
        "repository": pl.String,
        "month": pl.String,
        **{name: pl.Float64 if name.endswith("age") else pl.Int64 for name in OPEN_FIXED},
        **dict.fromkeys(FLOW, pl.Int64),
        "is_complete": pl.Boolean,
    },
    "dataset_breakdown": {
        "dataset": pl.String,
        "repository": pl.String,
        "is_performance": pl.Boolean,
        **dict.fromkeys(("open", "closed", "fixed"), pl.Int64),
    },
    "commits": {
        "repository": pl.String,
        "sha": pl.String,
        "committed_at": pl.String,
        "authored_at": pl.String,
        "is_merge": pl.Boolean,
        **dict.fromkeys(("additions", "deletions", "changed_files"), pl.Int64),
        "month": pl.String,
    },
    "static_findings": {
        "repository": pl.String,
        "quarter": pl.String,
        "sha": pl.String,
        "path": pl.String,
        "line": pl.Int64,
        "rule": pl.String,
    },
}
