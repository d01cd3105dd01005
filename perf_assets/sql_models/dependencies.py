"""What each table is made from: models say it themselves, and here is the rest."""

from collections.abc import Mapping
from functools import cache

from perf_assets.sql_models.files import described_tables, load_models

LABELS = ("raw.issues", "raw.issue_templates")
DETAILS = ("links.fix_links", "labels.performance_labels", "raw.commits", "raw.commit_files")

# What labels, links and details are decided from.
DECIDED: dict[str, tuple[str, ...]] = {
    "labels.performance_labels": LABELS,
    "labels.label_evidence": LABELS,
    "labels.performance_stems": LABELS,
    "labels.performance_questions": ("raw.questions",),
    "labels.label_kinds": ("raw.issues", "raw.issue_events"),
    "links.fix_links": (
        "raw.commits",
        "raw.branch_commits",
        "raw.issues",
        "raw.issue_events",
        "raw.issue_pull_requests",
        "raw.issue_comments",
    ),
    "labels.question_kinds": (
        "raw.questions",
        "reviews.labelled_questions",
        "reviews.question_verdicts",
    ),
    "details.commit_details": DETAILS,
    "details.introducing_commits": DETAILS,
}

# The tables of statistics, each with the tables it is computed from.
ANALYSES: dict[str, tuple[str, ...]] = {
    "analysis.trend_tests": ("marts.trend_monthly", "marts.issue_history"),
    "analysis.open_share_changes": ("marts.trend_monthly", "marts.issue_history"),
    "analysis.closing_rates": ("marts.bug_metrics", "marts.trend_monthly"),
    "analysis.fix_incidence": ("marts.bug_metrics", "marts.trend_monthly"),
    "analysis.fix_curves": ("marts.bug_metrics", "marts.trend_monthly"),
    "analysis.group_comparisons": ("marts.bug_metrics", "intermediate.counted_fixes"),
    "analysis.test_family": (
        "analysis.trend_tests",
        "analysis.open_share_changes",
        "analysis.closing_rates",
        "analysis.fix_incidence",
        "analysis.group_comparisons",
    ),
    "analysis.effect_sizes": (
        "marts.bug_metrics",
        "intermediate.counted_fixes",
        "analysis.test_family",
    ),
    "analysis.lifetime_comparisons": ("marts.bug_lifetimes",),
    "analysis.link_sensitivity": ("intermediate.counted_links",),
    "analysis.bot_sensitivity": ("marts.bug_metrics",),
    "analysis.label_sensitivity": (
        "staging.bug_reports",
        "marts.bug_metrics",
        "intermediate.counted_fixes",
        "marts.trend_monthly",
        "marts.issue_history",
    ),
    "analysis.rule_agreement": ("intermediate.rule_matches",),
    "analysis.stem_sets": ("intermediate.question_stems",),
    "analysis.labelling_quality": (
        "intermediate.judgements",
        "intermediate.review_strata",
        "staging.bug_reports",
    ),
    "analysis.keyword_proposals": ("staging.bug_reports",),
    "analysis.rater_agreement": ("staging.verdicts",),
    "analysis.rater_disagreements": ("staging.verdicts",),
    "analysis.question_agreement": ("staging.question_verdicts",),
    "analysis.static_findings": ("raw.static_findings", "raw.scanned_trees"),
    "analysis.finding_precision": ("staging.finding_verdicts",),
    "analysis.finding_agreement": ("staging.finding_verdicts",),
    "analysis.both_sides": ("marts.both_sides",),
    "analysis.question_kind_quality": (
        "staging.labelled_questions",
        "intermediate.kind_methods",
    ),
    "analysis.paper_comparison": (
        "marts.bug_metrics",
        "marts.paper_trend",
        "replication.taxonomy",
        "replication.problems",
        "marts.problem_distribution",
        "intermediate.question_groups",
        "intermediate.question_waits",
        "analysis.question_kind_quality",
    ),
    "analysis.question_difficulty": (
        "intermediate.question_groups",
        "intermediate.question_waits",
    ),
}

# Where the other tables come from, by their schema or their name.
ORIGINS = {
    "raw.issue_templates": "git, the clone of the repository",
    "raw.issue": "GitHub's API",
    "raw.question": "a forum: its dump, or its API",
    "raw.answers": "a forum: its dump, or its API",
    "raw.post_rejects": "a forum: its dump",
    "raw": "git, the clone of the repository",
    "replication": "the published data of the studies",
    "reviews.labelled_questions": "the files of classified questions that the study names",
    "reviews": "review sheets that raters filled in",
    "intermediate.link_grades": "a sample of links that was read, counted in the model itself",
    "meta": "the runs themselves: their bookkeeping",
}


@cache
def made_from() -> Mapping[str, tuple[str, ...]]:
    """Every table and view with the tables it is made from; none where it comes from outside."""
    models = {model.name: model.upstream for model in load_models()}
    return {name: (models | DECIDED | ANALYSES).get(name, ()) for name in described_tables()}


def read_by(table: str) -> tuple[str, ...]:
    """The tables and views that are made from ``table``, sorted."""
    return tuple(sorted(name for name, upstream in made_from().items() if table in upstream))


def origin_of(table: str) -> str:
    """In words, where a table comes from that is made from no other."""
    return next((words for place, words in ORIGINS.items() if table.startswith(place)), "")
