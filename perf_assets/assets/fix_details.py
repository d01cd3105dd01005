"""The close look at fixes: PyDriller's details and SZZ, a partition per repository and month."""

from collections.abc import Iterator

import dagster as dg

from perf_assets.assets import wiring
from perf_assets.sources.git import update_clone
from perf_assets.sql_models.laying import table_docs
from perf_assets.stages.details import TABLES, detail_fixes
from perf_assets.storage.gate import Gate, Outcome
from perf_assets.storage.home import Home
from perf_assets.study import Repository, Study

UPSTREAM = ("links.fix_links", "labels.performance_labels", "raw.commits", "raw.commit_files")


def fix_detail_assets(
    study: Study, home: Home, partitions: dg.MultiPartitionsDefinition
) -> list[dg.AssetsDefinition]:
    """What is found of each commit that fixes a bug report, by month of the commit."""
    docs = table_docs()

    @dg.multi_asset(
        name="fix_details",
        specs=[
            wiring.table_spec(
                docs[table], kinds={"git", "python"}, deps=UPSTREAM, partitions=partitions
            )
            for table in TABLES
        ],
        check_specs=[check for table in TABLES for check in wiring.rule_checks(table)],
        partitions_def=partitions,
        backfill_policy=wiring.SINGLE_RUN,
    )
    def fix_details(context: dg.AssetExecutionContext) -> Iterator[wiring.Event]:
        """Methods, complexity and languages of each fix, and where its removed lines come from."""
        yield from wiring.bring_up_to_date(context, home, study, tuple(TABLES), _detail)

    return [fix_details]


def _detail(gate: Gate, repository: Repository, months: list[str]) -> Iterator[Outcome]:
    clone = gate.home.clone(repository.name)
    if not clone.exists():  # mining made it; whoever deleted it gets it back
        update_clone(repository.git, clone)
    yield from detail_fixes(gate, clone, repository.name, months)
