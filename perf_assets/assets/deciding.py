"""Labels, links, and the close look at fixes, a partition per repository and month."""

from collections.abc import Iterable, Iterator

import dagster as dg

from perf_assets.assets.asking import Asked
from perf_assets.assets.factory import PartitionedStep, Stored, stored, whole_asset
from perf_assets.assets.mining import by_repository
from perf_assets.assets.telling import Teller
from perf_assets.config.study import Repository, Study
from perf_assets.stages.deciding.details import TABLES as DETAIL_TABLES
from perf_assets.stages.deciding.details import inspect_fixes
from perf_assets.stages.deciding.labels import KINDS, label_cohorts, tell_label_kinds
from perf_assets.stages.deciding.labels import TABLES as LABEL_TABLES
from perf_assets.stages.deciding.links import TABLES as LINK_TABLES
from perf_assets.stages.deciding.links import link_commits
from perf_assets.stages.deriving.derivation import Derived
from perf_assets.stages.gathering import gathered
from perf_assets.storage.gate import Gate, Outcome
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
        gate: Gate, repository: Repository, months: list[str], asked: Asked
    ) -> list[Outcome]:
        return label_cohorts(gate, study, repository.name, months, forced=asked.is_forced)

    def links(gate: Gate, repository: Repository, months: list[str], asked: Asked) -> list[Outcome]:
        return link_commits(gate, study, repository.name, months, forced=asked.is_forced)

    def details(
        gate: Gate, repository: Repository, months: list[str], _: Asked
    ) -> Iterable[Outcome]:
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

    def kinds(gate: Gate, teller: Teller) -> Iterator[Derived]:
        forced = teller.asked.is_forced or bool(teller.never_told([KINDS]))
        outcome = None
        with gathered(gate, study) as elsewhere:
            for outcome in tell_label_kinds(gate, study, elsewhere, forced=forced):
                yield Derived(KINDS, is_new=True, outcome=outcome)
        if outcome is None:
            yield Derived(KINDS)

    return whole_asset("label_kinds", [LABEL_KINDS], home, kinds)
