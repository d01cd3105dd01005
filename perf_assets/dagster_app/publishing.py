"""The last assets: the report of the figures, and the analysts' database."""

from collections.abc import Iterator
from typing import Any

import dagster as dg

from perf_assets.config.study import Study
from perf_assets.dagster_app.asset_specs import inputs_of
from perf_assets.dagster_app.event_reporting import Event, EventReporter
from perf_assets.dagster_app.executor import POOL
from perf_assets.dagster_app.factory import open_writer, turn_to_write
from perf_assets.dagster_app.freshness import check_completeness, completeness_check
from perf_assets.dagster_app.keys import Place, asset_key
from perf_assets.dagster_app.runtime_metadata import figure_of
from perf_assets.reports.monthly import keep_report
from perf_assets.schema.models.asset_graph import PUBLISHED, REPORT
from perf_assets.stages.transform.about import store_database_facts
from perf_assets.stages.transform.models import describe_tables
from perf_assets.storage.publishing import publish
from perf_assets.storage.warehouse import reading

GROUP = "published"


def publishing_assets(study: Study | None, place: Place) -> list[dg.AssetsDefinition]:
    """Return the published database and the report; a study adds the check of its months."""
    data_dir = place.data_dir
    spec = published_spec(
        PUBLISHED,
        "duckdb",
        "The analysts' database: a consistent copy of all tables, replaced in one step. It can "
        "be opened at any time, whatever a run is doing.",
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
        with turn_to_write(data_dir):
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

    written = "What changed, the trend, comparisons, users' questions, how sure it is."

    @dg.multi_asset(
        name=place.named("published__report"),
        specs=[published_spec(REPORT, "html", written)],
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


def published_spec(name: str, kind: str, description: str) -> dg.AssetSpec:
    """Return the asset of a published file of this ``kind``."""
    return dg.AssetSpec(
        asset_key(name),
        deps=inputs_of(name),
        group_name=GROUP,
        kinds={kind},
        description=description,
    )
