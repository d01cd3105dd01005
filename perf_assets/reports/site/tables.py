"""Tables of results on the site: a page with the first rows of each, and files of the whole."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import polars.selectors as cs

from perf_assets.reports.dictionary import SCHEMAS, first_sentence
from perf_assets.reports.directory import Entry, Facts, OwnDirectory, OwnFile
from perf_assets.reports.exporting import chosen_tables, file_name, quoted_table
from perf_assets.reports.formats import as_csv, as_parquet
from perf_assets.reports.query_result import QueryResult, typed_frame
from perf_assets.reports.site.pages import page
from perf_assets.schema.models.files import described_tables

RESULTS = ("marts", "analysis")
"""The schemas whose tables are on the site."""
FIRST_ROWS = 100
KINDS = ("parquet", "csv")
ROWS_AT_A_TIME = 20_000  # as rows of Python, which take many times the room of columns


def result_tables(connection: duckdb.DuckDBPyConnection) -> list[str]:
    """Return the tables of results that the database has, as schema.table."""
    return list(chosen_tables(connection, RESULTS))


def data_files(
    connection: duckdb.DuckDBPyConnection, table: str, made_from: str
) -> Iterator[OwnFile]:
    """Yield the whole of ``table``, as Parquet and as CSV."""
    whole = f"FROM {quoted_table(table)} ORDER BY ALL"

    def write_parquet(target: Path) -> Facts:
        frame = typed_frame(connection.sql(whole))
        target.write_bytes(as_parquet(frame))
        return {"rows": frame.height}

    def write_csv(target: Path) -> Facts:
        answered = connection.execute(whole)
        described = answered.description or []
        columns = [str(name) for name, *_ in described]
        types = [str(kind) for _, kind, *_ in described]
        head = as_csv(QueryResult(columns, types, []))
        with target.open("wb") as file:
            file.write(head)
            count = 0
            while rows := answered.fetchmany(ROWS_AT_A_TIME):
                file.write(as_csv(QueryResult(columns, types, rows)).removeprefix(head))
                count += len(rows)
        return {"rows": count}

    for kind, write in zip(KINDS, (write_parquet, write_csv), strict=True):
        yield OwnFile(data_path(table, kind), write, made_from)


def table_page(
    connection: duckdb.DuckDBPyConnection,
    table: str,
    site: OwnDirectory,
    made_from: str,
    *,
    has_console: bool,
) -> OwnFile:
    """Return the page with the first rows of ``table``, to be written once its files are there."""

    path = f"tables/{file_name(table)}.html"

    def write(target: Path) -> Facts:
        query = f"FROM {quoted_table(table)} ORDER BY ALL LIMIT {FIRST_ROWS}"
        first = typed_frame(connection.sql(query))
        text = page(
            "table.html",
            path,
            has_console=has_console,
            title=table,
            words=[_description(table)],
            # All moments are UTC, which need not stand in each cell.
            first=first.with_columns(cs.datetime().dt.replace_time_zone(None)),
            table=_facts(table, site.entries),
        )
        target.write_bytes(text.encode())
        return {}

    return OwnFile(path, write, f"{made_from}, {has_console}")


def tables_page(tables: list[str], site: OwnDirectory, *, has_console: bool) -> str:
    """Return the page that lists all tables of results."""
    listed = [
        {"sentence": first_sentence(_description(table)), **_facts(table, site.entries)}
        for table in tables
    ]
    return page(
        "tables.html",
        "tables.html",
        has_console=has_console,
        title="Tables of results",
        words=[
            f"Each has a page with its first {FIRST_ROWS} rows, and files of the whole: Parquet "
            "for programs, CSV for spreadsheets."
        ],
        schemas=[
            (
                name,
                SCHEMAS[name],
                [table for table in listed if table["name"].startswith(f"{name}.")],
            )
            for name in RESULTS
        ],
    )


def data_path(table: str, kind: str) -> str:
    """Return where the whole of ``table`` is on the site."""
    return f"data/{file_name(table)}.{kind}"


def _facts(table: str, entries: dict[str, Entry]) -> dict[str, Any]:
    files = {kind: entries[data_path(table, kind)] for kind in KINDS}
    return {
        "name": table,
        "file": file_name(table),
        "rows": files["parquet"].facts["rows"],
        "sizes": {kind: entry.size for kind, entry in files.items()},
    }


def _description(table: str) -> str:
    described = described_tables().get(table)
    return described.description if described is not None else ""
