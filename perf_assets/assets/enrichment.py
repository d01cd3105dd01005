"""Labels, links, and the close look at fixes, a partition per repository and month."""

from collections.abc import Iterable, Iterator

import dagster as dg

from perf_assets.assets.event_reporting import EventReporter
from perf_assets.assets.factory import PartitionedStep, Stored, stored, whole_asset
from perf_assets.assets.mining import by_repository
from perf_assets.assets.run_options import RunOptions
from perf_assets.config.study import Repository, Study
from perf_assets.stages.enrichment.details import TABLES as DETAIL_TABLES
from perf_assets.stages.enrichment.details import inspect_fixes
from perf_assets.stages.enrichment.labels import KINDS, label_cohorts, tell_label_kinds
from perf_assets.stages.enrichment.labels import TABLES as LABEL_TABLES
from perf_assets.stages.enrichment.links import TABLES as LINK_TABLES
from perf_assets.stages.enrichment.links import link_commits
from perf_assets.stages.lake_inputs import lake_inputs
from perf_assets.stages.transform.derivation import Derived
from perf_assets.storage.audited_writer import AuditedWriter, WriteOutcome
from perf_assets.storage.home import Home

LABELS = stored(
    "performance_labels",
    *LABEL_TABLES,
    kinds=["python"],
)
LABEL_KINDS = stored("label_kinds", KINDS, kinds=["python"])
LINKS = stored(
    "fix_links",
    *LINK_TABLES,
    kinds=["python"],
)
DETAILS = stored(
    "fix_details",
    *DETAIL_TABLES,
    kinds=["git", "python"],
)


def deciding_assets(study: Study, home: Home) -> list[dg.AssetsDefinition | dg.AssetSpec]:
    """What the study decides about issues and commits, and what is found of the fixes."""

    def labels(
        gate: AuditedWriter, repository: Repository, months: list[str], options: RunOptions
    ) -> list[WriteOutcome]:
        return label_cohorts(gate, study, repository.name, months, forced=options.is_forced)

    def links(
        gate: AuditedWriter, repository: Repository, months: list[str], options: RunOptions
    ) -> list[WriteOutcome]:
        return link_commits(gate, study, repository.name, months, forced=options.is_forced)

    def details(
        gate: AuditedWriter, repository: Repository, months: list[str], _: RunOptions
    ) -> Iterable[WriteOutcome]:
        return inspect_fixes(gate, repository, months)

    steps: tuple[tuple[Stored, PartitionedStep[Repository], str], ...] = (
        (LABELS, labels, "Which issues are performance bugs, by their labels and keywords."),
        (LINKS, links, "Which commits fixed which issues, by messages and by what GitHub says."),
        (DETAILS, details, "Methods, complexity and languages of each fix, and its lines' origin."),
    )
    return by_repository(study, home, [step for step in steps if step[0] in decided(study)])


def decided(study: Study) -> tuple[Stored, ...]:
    """What the study decides of each repository."""
    return (LABELS, LINKS, DETAILS) if study.close_look else (LABELS, LINKS)


def label_kinds_asset(study: Study, home: Home) -> dg.AssetsDefinition:
    """What each label means, of all repositories."""

    def kinds(gate: AuditedWriter, reporter: EventReporter) -> Iterator[Derived]:
        forced = reporter.options.is_forced or bool(reporter.never_reported([KINDS]))
        outcome = None
        with lake_inputs(gate, study) as elsewhere:
            for outcome in tell_label_kinds(gate, study, elsewhere, forced=forced):
                yield Derived(KINDS, is_new=True, outcome=outcome)
        if outcome is None:
            yield Derived(KINDS)

    return whole_asset("label_kinds", [LABEL_KINDS], home, kinds)
