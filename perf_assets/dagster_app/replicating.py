"""The paper's published data, and the report on their reproduction."""

from collections.abc import Iterator
from pathlib import Path

import dagster as dg

from perf_assets.base.files import write_file
from perf_assets.dagster_app.checks import check_specs
from perf_assets.dagster_app.event_reporting import (
    Event,
    EventReporter,
    broken_rules,
    failure,
)
from perf_assets.dagster_app.executor import POOL
from perf_assets.dagster_app.factory import Stored, open_writer, specs_together
from perf_assets.dagster_app.keys import Place
from perf_assets.dagster_app.publishing import published_spec
from perf_assets.dagster_app.runtime_metadata import runtime_metadata
from perf_assets.schema.models.asset_graph import REPLICATION_REPORT as REPORT
from perf_assets.stages.replicating import TABLES, load_package


class PackageConfig(dg.Config):
    """Where the published data are: a folder and a file, or nothing for the pinned downloads."""

    folder: str | None = None
    problems: str | None = None
    accept_changes: bool = False


def replication_assets(place: Place) -> list[dg.AssetsDefinition]:
    """Return the tables of the published data, all stored together, and the report on them."""
    package = Stored("paper_package", TABLES, frozenset({"csv"}))

    @dg.multi_asset(
        name=place.named(package.name),
        specs=specs_together([package]),
        check_specs=check_specs(TABLES),
        can_subset=True,
        pool=place.named(POOL),
    )
    def paper_package(context: dg.AssetExecutionContext, config: PackageConfig) -> Iterator[Event]:
        """Load what the authors of the studies published: from files, or downloaded and checked."""
        folder, problems = (
            Path(path) if path is not None else None for path in (config.folder, config.problems)
        )
        reporter = EventReporter(context)
        with open_writer(place.data_dir) as writer:
            outcome = load_package(writer, folder, problems, accept_changes=config.accept_changes)
            yield from reporter.report_checks(
                {table: broken_rules(table, outcome) for table in TABLES}
            )
            if outcome.failure is not None:
                raise failure(outcome.failure, "audit")
            for asset, metadata in runtime_metadata(writer, package.assets):
                yield from reporter.report_materialization(asset, metadata)

    written = "The paper beside its reproduction: comparison, Figure 1, Tables II and III."

    @dg.multi_asset(
        name=place.named("published__replication_report"),
        specs=[published_spec(REPORT, "html", written)],
        pool=place.named(POOL),
    )
    def replication_report(context: dg.AssetExecutionContext) -> Iterator[Event]:
        # It takes what computes, which other jobs should not wait for.
        from perf_assets.reports.document import html  # noqa: PLC0415
        from perf_assets.reports.replication import read_replication  # noqa: PLC0415

        page = html(read_replication(place.data_dir.published))
        path = write_file(place.data_dir.replication_report, page)
        shown = {"path": dg.MetadataValue.path(path)}
        reporter = EventReporter(context)
        yield from reporter.report_file(REPORT, shown, is_new=True)
        reporter.conclude(REPORT)

    return [paper_package, replication_report]
