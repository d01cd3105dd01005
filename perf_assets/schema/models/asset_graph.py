"""Assets of the UI's graph: the tables of each, and the assets that each is made from.

A hundred tables are too many nodes. Tables that one step stores together, and views that are only
intermediate steps, belong to one asset. Arrows that follow from longer paths are left out.
"""

from collections.abc import Mapping
from functools import cache
from graphlib import TopologicalSorter

from perf_assets.schema.models.dependencies import made_from

SOURCES: Mapping[str, tuple[str, str]] = {
    "sources.GitHub": (
        "github",
        "Issues, comments, events and pull requests of the study's repositories, by GitHub's API.",
    ),
    "sources.git": (
        "git",
        "The repositories themselves: commits, files and trees, from a clone.",
    ),
    "sources.StackExchange": (
        "stackexchange",
        "Questions and answers of the study's forums, by a dump and Stack Exchange's API.",
    ),
    "sources.published_data": (
        "csv",
        "What the authors of the studies published, downloaded at pinned commits and checked.",
    ),
    "sources.people": ("csv", "Review sheets that raters filled in: perf-assets review."),
}
"""Where all comes from: kind and meaning of each."""

MEMBERS: Mapping[str, tuple[str, ...]] = {
    "raw.issues": (
        "raw.issue_comments",
        "raw.issue_events",
        "raw.issue_pull_requests",
        "raw.issue_gaps",
    ),
    "raw.commits": ("raw.branch_commits", "raw.commit_files", "raw.issue_templates"),
    "raw.static_findings": ("raw.scanned_trees", "raw.unparsed_files"),
    "raw.questions": ("raw.answers", "raw.question_comments", "raw.rejected_posts"),
    "replication.bugs": (
        "replication.fixes",
        "replication.fix_commits",
        "replication.paper_series",
        "replication.taxonomy",
        "replication.problems",
        "replication.rejected_rows",
    ),
    "reviews.verdicts": (
        "reviews.alert_states",
        "reviews.endorsement_verdicts",
        "reviews.finding_verdicts",
        "reviews.question_verdicts",
    ),
    "labels.performance_labels": (
        "labels.label_evidence",
        "labels.keyword_stems",
        "labels.environments",
        "labels.area_evidence",
        "labels.performance_probabilities",
    ),
    "links.fix_links": ("links.commit_relations", "links.fix_areas"),
    "labels.question_kinds": ("labels.question_word_weights", "reviews.labelled_questions"),
    "details.commit_metrics": ("details.introducing_commits",),
    "staging.issues": (
        "staging.accounts",
        "staging.bug_reports",
        "staging.issue_events",
        "staging.discussions",
        "staging.loaded_months",
        "staging.repositories",
    ),
    "staging.linked_commits": (
        "staging.fixed_issues",
        "staging.identities",
        "intermediate.reverted_links",
    ),
    "staging.questions": (
        "staging.forum_months",
        "staging.labelled_questions",
        "staging.question_verdicts",
    ),
    "staging.verdicts": ("staging.finding_verdicts",),
    "marts.bug_metrics": (
        "intermediate.counted_fixes",
        "intermediate.fixes",
        "intermediate.fix_contents",
        "intermediate.first_triage",
        "marts.bug_fixers",
        "marts.dataset_breakdown",
    ),
    "marts.bug_lifetimes": ("intermediate.bug_introductions",),
    "marts.bug_areas": (
        "intermediate.area_evidence",
        "marts.area_monthly",
        "marts.hot_spots",
    ),
    "marts.trend_monthly": (
        "intermediate.label_changes",
        "intermediate.label_spans",
        "intermediate.state_changes",
        "intermediate.issue_months",
        "intermediate.activity",
        "intermediate.months",
        "marts.activity",
        "marts.issue_history",
    ),
    "marts.fix_link_confidence": (
        "intermediate.compared_links",
        "intermediate.counted_links",
        "intermediate.link_warnings",
        "intermediate.link_confidence_levels",
        "intermediate.link_references",
        "marts.link_quality",
    ),
    "marts.volume_anomalies": ("marts.integrity_checks",),
    "marts.problem_distribution": (
        "intermediate.problem_symptoms",
        "marts.symptoms_by_cause",
        "marts.causes_by_stage",
        "staging.problems",
    ),
    "marts.root_causes": ("intermediate.bug_causes", "intermediate.reviewed_bugs"),
    "marts.question_difficulty": (
        "intermediate.framework_questions",
        "intermediate.question_groups",
        "intermediate.question_answer_times",
        "intermediate.question_endorsements",
    ),
    "analysis.trend_tests": ("analysis.open_share_changes",),
    "analysis.fix_incidence": ("analysis.fix_curves", "analysis.closing_rates"),
    "analysis.group_comparisons": (
        "analysis.fixing_concentration",
        "analysis.project_comparisons",
        "analysis.lifetime_comparisons",
    ),
    "analysis.effect_sizes": ("analysis.adjusted_tests", "analysis.pooled_effects"),
    "analysis.labelling_quality": (
        "intermediate.reviewed_labels",
        "intermediate.review_sampling_strata",
        "intermediate.rule_matches",
        "marts.performance_probability_monthly",
        "analysis.keyword_proposals",
        "analysis.rater_agreement",
        "analysis.rater_disagreements",
        "analysis.labelling_rule_agreement",
    ),
    "analysis.static_findings": (
        "analysis.finding_precision",
        "analysis.finding_agreement",
        "marts.finding_states",
    ),
    "analysis.question_kind_quality": (
        "intermediate.kind_methods",
        "intermediate.question_stems",
        "analysis.question_agreement",
        "analysis.endorsement_precision",
        "analysis.keyword_stem_hits",
    ),
}
"""The further tables and views of an asset that is called as its main table."""

FROM_OUTSIDE: Mapping[str, tuple[str, ...]] = {
    "raw.issues": ("sources.GitHub",),
    "raw.commits": ("sources.git",),
    "raw.static_findings": ("raw.commits",),  # the clone is brought up to date by who mines commits
    "raw.questions": ("sources.StackExchange",),
    "replication.bugs": ("sources.published_data",),
    "reviews.verdicts": ("sources.people",),
}

PUBLISHED = "published.perf_bugs"
REPORT = "published.report"
REPLICATION_REPORT = "published.replication_report"
VERDICTS = "reviews.verdicts"
LAST = ("marts", "analysis")
"""The schemas that the published database is there for."""


def asset_for_table(table: str) -> str:
    """Return the asset that ``table`` is reported with; its own where it is in no other."""
    return _assets().get(table, table)


def tables_of(asset: str) -> tuple[str, ...]:
    """Return the tables and views of ``asset``, the one it is called after first."""
    return (asset, *MEMBERS.get(asset, ()))


@cache
def assets_in_order() -> tuple[str, ...]:
    """Return all assets that have tables, each after those it is made from."""
    order = TopologicalSorter(_arrows()).static_order()
    return tuple(
        asset for asset in order if asset.partition(".")[0] not in ("sources", "published")
    )


@cache
def tables_in_order() -> tuple[str, ...]:
    """Return all tables and views, each after its inputs, grouped by asset."""
    tables = TopologicalSorter(made_from()).static_order()
    order = {asset: index for index, asset in enumerate(assets_in_order())}
    in_assets = [table for table in tables if asset_for_table(table) in order]
    return tuple(sorted(in_assets, key=lambda table: order[asset_for_table(table)]))


@cache
def upstream() -> Mapping[str, tuple[str, ...]]:
    """Return the inputs of each asset, without those that follow from other inputs."""
    arrows = _arrows()

    @cache
    def before(asset: str) -> frozenset[str]:
        direct = arrows.get(asset, frozenset())
        return direct.union(*map(before, direct))

    return {
        asset: tuple(sorted(direct - frozenset().union(*map(before, direct))))
        for asset, direct in arrows.items()
    }


def downstream_of(asset: str) -> tuple[str, ...]:
    """Return the assets that are made from ``asset``, directly or by others; sorted."""
    downstream, waiting = {asset}, {asset}
    while waiting:
        waiting = {target for target, inputs in _arrows().items() if waiting & inputs} - downstream
        downstream |= waiting
    return tuple(sorted(downstream - {asset}))


@cache
def _assets() -> Mapping[str, str]:
    return {table: asset for asset, tables in MEMBERS.items() for table in tables}


@cache
def _arrows() -> Mapping[str, frozenset[str]]:
    arrows: dict[str, set[str]] = {}
    for table, inputs in made_from().items():
        if not table.startswith("meta."):  # the bookkeeping of runs, which no asset makes
            sources = {
                asset_for_table(source) for source in inputs if not source.startswith("meta.")
            }
            arrows.setdefault(asset_for_table(table), set()).update(
                sources - {asset_for_table(table)}
            )
    for asset, inputs in FROM_OUTSIDE.items():
        arrows[asset].update(inputs)
    arrows[PUBLISHED] = {name for name in arrows if name.startswith(LAST)}
    arrows[REPORT] = arrows[REPLICATION_REPORT] = {PUBLISHED}
    return {asset: frozenset(inputs) for asset, inputs in arrows.items()}
