"""Why an archive and what is computed of it today differ: what changed since it was made."""

from collections.abc import Iterator, Mapping

from perf_assets import __version__
from perf_assets.archive.findings import Check
from perf_assets.archive.software import code_versions
from perf_assets.schema.models.dependencies import analyses, made_from
from perf_assets.schema.models.files import models_by_name

STORES: Mapping[str, tuple[str, ...]] = {
    "commits": ("raw.commits", "raw.commit_files", "raw.branch_commits", "raw.issue_templates"),
    "fix analysis": ("details.commit_metrics", "details.introducing_commits"),
    "issue fields": ("raw.issues", "raw.issue_comments"),
    "labels": (
        "labels.performance_labels",
        "labels.label_evidence",
        "labels.label_kinds",
        "labels.keyword_stems",
        "labels.environments",
        "labels.area_evidence",
        "labels.performance_probabilities",
    ),
    "links": ("links.fix_links", "links.commit_relations", "links.fix_areas"),
    "question kinds": ("labels.question_kinds",),
    "questions": ("labels.performance_questions",),
    "static findings": ("raw.static_findings", "raw.scanned_trees"),
}
"""The tables that each stage stores; models and statistics follow."""


def changed_stages(before: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """Return the stages whose code, libraries or fields differ."""
    stages = (*STORES, "models", "statistics")
    return [name for name in stages if before.get(name) != now.get(name)]


def tables_of_stage(stage: str) -> set[str]:
    """Return the tables that follow from a stage."""
    of_all = {"models": models_by_name(), "statistics": analyses()}
    found = set(of_all.get(stage) or STORES[stage])
    while more := {table for table, inputs in made_from().items() if found & set(inputs)} - found:
        found |= more
    return found


def explanations(check: Check) -> Iterator[str]:
    """Yield what changed since the archive of ``check`` was made, and which tables follow it."""
    before, now = check.manifest.rules, code_versions()
    explained = set[str]()
    changed = changed_stages(before, now)
    if changed:
        yield (
            f"It was made by perf-assets {check.manifest.perf_assets}, this is {__version__}; the "
            "changelog says what changed between the two."
        )
    for stage in changed:
        yield f"{stage}: version {before.get(stage, 'unknown')} then, {now[stage]} now"
        if tables := sorted(tables_of_stage(stage) & set(check.tables)):
            yield f"    may explain {', '.join(tables)}"
            explained |= set(tables)
    if left := [table for table in check.tables if table not in explained]:
        yield (
            f"Code and libraries that compute {', '.join(left)} are those that made the archive: "
            "the archive was changed after they were computed."
        )
