"""The last assets: the report of the figures, and the analysts' database."""

import dagster as dg

from perf_assets.assets import wiring
from perf_assets.reports.summary import summary_markdown, write_report
from perf_assets.stages.deriving import ANALYSES, describe_tables
from perf_assets.storage.home import Home
from perf_assets.storage.warehouse import publish

PUBLISHED = "published.perf_bugs"
FIGURES = (
    "marts.bug_metrics",
    "marts.bug_lifetimes",
    "marts.dataset_breakdown",
    "marts.trend_monthly",
    "marts.published_trend",
    "marts.root_causes",
    *ANALYSES,
)


def publishing_assets(home: Home) -> list[dg.AssetsDefinition]:
    """The published database and the report."""

    @dg.asset(
        key=wiring.asset_key(PUBLISHED),
        deps=[wiring.asset_key(table) for table in FIGURES],
        group_name="published",
        kinds={"duckdb"},
    )
    def published(context: dg.AssetExecutionContext) -> dg.MaterializeResult[None]:
        """The analysts' database: a consistent copy of all tables, replaced in one step.

        It can be opened at any time, whatever a run is doing.
        """
        with wiring.open_gate(home) as gate:
            describe_tables(gate)
        is_new = publish(home.warehouse, home.published)
        return dg.MaterializeResult(
            metadata={
                "path": dg.MetadataValue.path(home.published),
                "bytes": home.published.stat().st_size,
                "is_new": is_new,
            }
        )

    @dg.asset(
        key=wiring.asset_key("published.report"),
        deps=[wiring.asset_key(PUBLISHED)],
        group_name="published",
        kinds={"markdown"},
    )
    def report(context: dg.AssetExecutionContext) -> dg.MaterializeResult[None]:
        """The figures of the study at a glance: breakdown, trend tests, group comparisons."""
        text = summary_markdown(home.published)
        path = write_report(home.report, text)
        return dg.MaterializeResult(
            metadata={"report": dg.MetadataValue.md(text), "path": dg.MetadataValue.path(path)}
        )

    return [published, report]
