"""The last assets: the report of the figures, and the analysts' database."""

from collections.abc import Iterator
from typing import Any

import dagster as dg

from perf_assets.config.study import Study
from perf_assets.dagster_app.asset_specs import inputs_of
from perf_assets.dagster_app.event_reporting import Event, EventReporter
from perf_assets.dagster_app.executor import PATIENCE, POOL
from perf_assets.dagster_app.factory import open_writer
from perf_assets.dagster_app.freshness import check_completeness, completeness_check
from perf_assets.dagster_app.keys import Place, asset_key
from perf_assets.dagster_app.runtime_metadata import figure_of
from perf_assets.reports.monthly import keep_report
from perf_assets.schema.models.asset_graph import PUBLISHED, REPORT
from perf_assets.stages.transform.about import store_database_facts
from perf_assets.stages.transform.models import describe_tables
from perf_assets.storage.lock import writing
from perf_assets.storage.publishing import publish
from perf_assets.storage.warehouse import reading

GROUP = "published"


def publishing_assets(study: Study | None, place: Place) -> list[dg.AssetsDefinition]:
    """Return the published database and the report; a study adds the check of its months."""
    data_dir = place.data_dir
    spec = dg.AssetSpec(
        asset_key(PUBLISHED),
        deps=inputs_of(PUBLISHED),
        group_name=GROUP,
        kinds={"duckdb"},
        description=(
            "The analysts' database: a consistent copy of all tables, replaced in one step. It can "
            "be opened at any time, whatever a run is doing."
        ),
    )

    @dg.multi_asset(
        name=place.named("published_database"),
        specs=[spec],
        check_specs=[] if study is None else [completeness_check()],
        backfill_policy=dg.BackfillPolicy.single_run(),
        can_subset=True,  # so that a refresh need not tell the check again
        pool=place.named(POOL),
    )
    def published(context: dg.AssetExecutionContext) -> Iterator[Event]:
        reporter = EventReporter(context)
        with writing(data_dir.path, PATIENCE):
            with open_writer(data_dir) as writer:
                store_database_facts(writer)
                describe_tables(writer)
                complete = None if study is None else check_completeness(study, writer)
            is_new = publish(data_dir)
        is_news = reporter.has_changes(PUBLISHED, is_new=is_new)
        audits: dict[str, Any] = {}
        if is_news:
            with reading(data_dir.published) as connection:
                audits = figure_of(connection, "meta.partition_loads")
        metadata = {
            **audits,
            "path": dg.MetadataValue.path(data_dir.published),
            "bytes": data_dir.published.stat().st_size,
            "is_new": is_new,
        }
        yield from reporter.report_file(PUBLISHED, metadata, is_new=is_new)
        if complete is not None and is_news:
            yield from reporter.checked([complete])

    page = dg.AssetSpec(
        asset_key(REPORT),
        deps=inputs_of(REPORT),
        group_name=GROUP,
        kinds={"html"},
        description="What changed, the trend, comparisons, users' questions, how sure it is.",
    )

    @dg.multi_asset(
        name=place.named("published__report"),
        specs=[page],
        backfill_policy=dg.BackfillPolicy.single_run(),
        pool=place.named(POOL),
    )
    def report(context: dg.AssetExecutionContext) -> Iterator[Event]:
        is_new = keep_report(data_dir)
        shown = {
            "report": dg.MetadataValue.md(data_dir.report.read_text(encoding="utf-8")),
            "path": dg.MetadataValue.path(data_dir.report_page),
        }
        reporter = EventReporter(context)
        yield from reporter.report_file(REPORT, shown, is_new=is_new)
        reporter.conclude(REPORT)

    return [published, report]
