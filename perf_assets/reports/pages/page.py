"""The page of perf-assets docs: one file that opens offline, from declarations and cookbook."""

from pathlib import Path

from perf_assets.base.errors import PerfAssetsError
from perf_assets.reports.dictionary import SCHEMAS, kind_of, meaning_of, schemas
from perf_assets.reports.document import Section
from perf_assets.reports.pages.lineage import draw_lineage
from perf_assets.reports.pages.state import read_state
from perf_assets.reports.query_runner import published_database
from perf_assets.reports.rendering import render
from perf_assets.schema.models.cookbook import cookbook
from perf_assets.schema.models.dependencies import made_from, origin_of, read_by
from perf_assets.schema.models.files import described_tables, load_models

WORDS = {
    "tables": "What each table and column means. All timestamps are UTC, months are YYYY-MM, what "
    "is missing is NULL. The same texts are comments in the database.",
    "lineage": "From what GitHub and git say, on the left, to the statistics, on the right. Point "
    "at a table to see what it is made from and what is made of it; click to read what it means.",
}


def docs_html(published: Path | None) -> str:
    """Return the page; with the state of the ``published`` database where there is one.

    Raises
    ------
    PerfAssetsError
        That database is damaged, or of an older version.
    """
    tables = described_tables().values()
    return render(
        "database/page.html",
        title="perf-assets: the database",
        sections=[
            Section("tables", "Tables", [WORDS["tables"]]),
            Section("lineage", "Lineage", [WORDS["lineage"]]),
            Section("queries", "Queries"),
            *([_state(published)] if published else []),
        ],
        schemas=[
            (name, SCHEMAS.get(name, ""), [table for table in tables if table.schema_name == name])
            for name in schemas()
        ],
        lineage={model.name: model.column_lineage for model in load_models()},
        drawing=draw_lineage(made_from()),
        queries=cookbook().values(),
        upstream=made_from(),
        origin_of=origin_of,
        read_by=read_by,
        kind_of=kind_of,
        meaning_of=meaning_of,
    )


def _state(published: Path) -> Section:
    try:
        with published_database(published) as connection:
            return read_state(connection)
    except PerfAssetsError as error:
        raise PerfAssetsError(f"{error}; perf-assets run publishes it anew") from None
