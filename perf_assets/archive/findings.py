"""What a check of an archive finds, and what changed since the archive was made."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from perf_assets import __version__
from perf_assets.archive.manifest import Manifest
from perf_assets.archive.software import code_versions
from perf_assets.schema.models.dependencies import analyses, following
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
        "labels.report_forms",
        "labels.area_evidence",
        "labels.performance_probabilities",
        "labels.performance_commits",
    ),
    "links": ("links.fix_links", "links.commit_relations", "links.fix_areas"),
    "question kinds": ("labels.question_kinds",),
    "questions": ("labels.performance_questions",),
    "releases": ("raw.releases", "details.commit_releases", "details.stated_releases"),
    "static findings": ("raw.static_findings", "raw.scanned_trees"),
}
"""The tables that each stage stores; models and statistics follow."""


@dataclass(frozen=True)
class Finding:
    """What the check says of a file, table or figure.

    state : ``equal``, ``differs``, or ``not recomputed``.
    """

    subject: str
    state: str
    details: tuple[str, ...] = ()


@dataclass
class Check:
    """What a check found.

    findings : on files, tables and figures, in this order.
    notes : what to know of it, a sentence each.
    tables : the tables that differ.
    """

    manifest: Manifest
    findings: list[Finding] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    tables: list[str] = field(default_factory=list)

    @property
    def is_equal(self) -> bool:
        """Return whether all that can be computed again is equal."""
        return all(finding.state != "differs" for finding in self.findings)

    def add(self, subject: str, state: str, *details: str) -> None:
        """Note what was found of ``subject``."""
        self.findings.append(Finding(subject, state, details))


def changed_stages(before: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """Return the stages whose code, libraries or fields differ."""
    stages = (*STORES, "models", "statistics")
    return [name for name in stages if before.get(name) != now.get(name)]


def tables_of_stage(stage: str) -> frozenset[str]:
    """Return the tables that follow from a stage."""
    of_all = {"models": models_by_name(), "statistics": analyses()}
    return following(of_all.get(stage) or STORES[stage])


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
