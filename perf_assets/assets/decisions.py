"""The labels and links: what the study decides about issues and commits, by its own rules."""

from collections.abc import Callable, Iterator, Sequence

import dagster as dg

from perf_assets.assets import wiring
from perf_assets.sql_models.laying import table_docs
from perf_assets.stages.deriving import label_cohorts, link_commits, tell_label_kinds
from perf_assets.storage.gate import Gate, Outcome
from perf_assets.storage.home import Home
from perf_assets.study import Study

Decide = Callable[[Gate, Study, str, Sequence[str]], Iterator[Outcome]]


def decision_assets(
    study: Study, home: Home, partitions: dg.MultiPartitionsDefinition
) -> list[dg.AssetsDefinition]:
    """Performance labels by cohort, what each label means, and fix links by month of the commit."""
    return [
        _label_kinds(study, home),
        _decision(
            study,
            home,
            partitions,
            "labels.performance_labels",
            ("raw.issues", "raw.issue_templates"),
            label_cohorts,
        ),
        _decision(
            study,
            home,
            partitions,
            "links.fix_links",
            (
                "raw.commits",
                "raw.branch_commits",
                "raw.issues",
                "raw.issue_events",
                "raw.issue_pull_requests",
            ),
            link_commits,
        ),
    ]


def _label_kinds(study: Study, home: Home) -> dg.AssetsDefinition:
    table = "labels.label_kinds"

    @dg.multi_asset(
        name="label_kinds",
        specs=[
            wiring.table_spec(
                table_docs()[table], kinds={"python"}, deps=("raw.issues", "raw.issue_events")
            )
        ],
        check_specs=wiring.rule_checks(table),
    )
    def kinds(context: dg.AssetExecutionContext) -> Iterator[wiring.Event]:
        with wiring.open_gate(home) as gate:
            outcome = tell_label_kinds(gate, study)
        yield from wiring.report_whole(table, outcome)

    return kinds


def _decision(
    study: Study,
    home: Home,
    partitions: dg.MultiPartitionsDefinition,
    table: str,
    deps: Sequence[str],
    decide: Decide,
) -> dg.AssetsDefinition:
    @dg.multi_asset(
        name=table.split(".")[1],
        specs=[
            wiring.table_spec(
                table_docs()[table], kinds={"python"}, deps=deps, partitions=partitions
            )
        ],
        check_specs=wiring.rule_checks(table),
        partitions_def=partitions,
        backfill_policy=wiring.SINGLE_RUN,
    )
    def decisions(context: dg.AssetExecutionContext) -> Iterator[wiring.Event]:
        yield from wiring.bring_up_to_date(
            context,
            home,
            study,
            [table],
            lambda gate, repository, months: decide(gate, study, repository.name, months),
        )

    return decisions
