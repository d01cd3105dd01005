"""The page of ``explore`` as an ASGI application, and what its cells need."""

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from socket import socket

import uvicorn
from starlette.types import ASGIApp

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.sanitize import escape_text
from perf_assets.reports.charts import Axes, chart
from perf_assets.reports.figures.drawing import Spec
from perf_assets.reports.query_result import QueryResult
from perf_assets.reports.query_runner import run_query
from perf_assets.schema.models.cookbook import Query, cookbook, parse_query_file, search
from perf_assets.web.guard import Guard

DATABASE = "PERF_ASSETS_PUBLISHED"  # where the published database is, for the page
# marimo shows a text that is the address of a picture as that picture: none is fetched.
POLICY = "default-src 'self' data: blob: 'unsafe-inline' 'unsafe-eval'; base-uri 'self'"
FIRST = "monthly_share_of_new_bugs"
COLUMNS = """
select schema_name || '.' || table_name as "table", column_name as "column", data_type as type,
    comment as meaning
from duckdb_columns() where not internal order by schema_name, table_name, column_index
"""


@dataclass(frozen=True)
class Answer:
    """The rows that a query gave, or the sentence that says why it gave none."""

    rows: QueryResult | None = None
    mistake: str = ""


def application() -> ASGIApp:
    """Return the page, for local users only.

    Raises
    ------
    PerfAssetsError
        What draws it is not installed.
    """
    try:
        import marimo  # noqa: PLC0415
    except ImportError:
        raise PerfAssetsError(
            "explore needs marimo, which is not installed: pip install 'perf-assets[explore]'"
        ) from None
    logging.getLogger("marimo").setLevel(logging.ERROR)
    page = Path(__file__).with_name("explore_page.py")
    server = marimo.create_asgi_app(quiet=True).with_app(path="", root=str(page))
    return Guard(server.build(), policy=POLICY)


def serve(app: ASGIApp, host: str, port: int, on_ready: Callable[[], None]) -> None:
    """Serve ``app``, and call ``on_ready`` when it can be used, until the process ends."""

    class Announced(uvicorn.Server):
        async def startup(self, sockets: list[socket] | None = None) -> None:
            await super().startup(sockets)
            on_ready()

    config = uvicorn.Config(app, host=host, port=port, log_level="warning")
    asyncio.run(Announced(config).serve())


def questions(searched: str) -> dict[str, str]:
    """Return the names of the queries that a search finds, by group and question as one reads them.

    All of them are found by an empty text.
    """
    return {
        f"{query.group.capitalize()}: {query.question} ({query.name})": query.name
        for query in search(cookbook().values(), searched)
    }


def answered(database: Path, query: Query, values: Mapping[str, str]) -> Answer:
    """Return the answer of ``database`` to ``query``; a parameter that is empty has its default."""
    given = {name: value.strip() for name, value in values.items() if value.strip()}
    try:
        return Answer(run_query(database, query, given))
    except PerfAssetsError as error:
        return Answer(mistake=escape_text(error))


def drawn(rows: QueryResult, title: str, axes: Axes) -> tuple[Spec | None, str]:
    """Return a Vega-Lite chart of rows, or the sentence that says why there is none."""
    try:
        return chart(rows, title, axes), ""
    except PerfAssetsError as error:
        return None, escape_text(error)


def columns_of(database: Path) -> Answer:
    """Return every column of every table that can be queried, with its type and meaning."""
    return answered(database, parse_query_file("columns", COLUMNS), {})
