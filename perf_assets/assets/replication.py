"""The study's published package, and the report on its reproduction: a group of their own."""

from collections.abc import Iterator
from pathlib import Path

import dagster as dg

from perf_assets.assets import wiring
from perf_assets.assets.publishing import PUBLISHED
from perf_assets.reports.summary import write_report
from perf_assets.sql_models.laying import table_docs
from perf_assets.stages.replication import TABLES, load_package
from perf_assets.storage.home import Home

GROUP = "replication"
REPORT = "replication.report"


class PackageConfig(dg.Config):
    """Where the package is: a folder, or nothing for the pinned download."""

    folder: str | None = None
    accept_changes: bool = False


def replication_assets(home: Home) -> list[dg.AssetsDefinition]:
    """The tables of the published package, all stored together, and the report on them."""

    @dg.multi_asset(
        name="published_package",
        specs=[wiring.table_spec(table_docs()[table], kinds={"csv"}) for table in TABLES],
        check_specs=[check for table in TABLES for check in wiring.rule_checks(table)],
    )
    def published_package(
        context: dg.AssetExecutionContext, config: PackageConfig
    ) -> Iterator[wiring.Event]:
        """The package as its authors published it: from a folder, or downloaded and checked."""
        folder = Path(config.folder) if config.folder is not None else None
        with wiring.open_gate(home) as gate:
            outcome = load_package(gate, folder, accept_changes=config.accept_changes)
        for table in TABLES:
            yield from wiring.report_whole(table, outcome)

    @dg.asset(
        key=wiring.asset_key(REPORT),
        deps=[wiring.asset_key(PUBLISHED)],
        group_name=GROUP,
        kinds={"html"},
    )
    def replication_report(context: dg.AssetExecutionContext) -> dg.MaterializeResult[None]:
        """The paper beside its reproduction: comparison, Figure 1, Table II and III as charts."""
        # Drawing takes a second to import; other jobs should not wait for it.
        from perf_assets.reports.replication.report import read_findings, report_html  # noqa: PLC0415

        findings = read_findings(home.published)
        path = write_report(home.replication_report, report_html(findings))
        return dg.MaterializeResult(
            metadata={"path": dg.MetadataValue.path(path), "figures": findings.comparison.height}
        )

    return [published_package, replication_report]
