"""The page of perf-assets docs: one file that opens offline, from declarations and cookbook."""

from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path

from perf_assets.errors import PerfAssetsError
from perf_assets.reports.dictionary import SCHEMAS, kind_of, meaning_of, schemas
from perf_assets.reports.pages.lineage import lineage_svg
from perf_assets.reports.pages.state import state_html
from perf_assets.reports.query_runner import published_database
from perf_assets.sql_models.cookbook import Query, cookbook
from perf_assets.sql_models.dependencies import made_from, origin_of, read_by
from perf_assets.sql_models.files import described_tables, load_models
from perf_assets.sql_models.parsing import ColumnSource
from perf_assets.tables import Table

HERE = Path(__file__).parent


def docs_html(published: Path | None) -> str:
    """The page; with the state of the ``published`` database where there is one.

    Raises
    ------
    PerfAssetsError
        That database is damaged, or of an older version.
    """
    state = ""
    if published is not None:
        try:
            with published_database(published) as connection:
                state = state_html(connection)
        except PerfAssetsError as error:
            raise PerfAssetsError(f"{error}; perf-assets run publishes it anew") from None
    style = (HERE / "page.css").read_text(encoding="utf-8")
    script = (HERE / "page.js").read_text(encoding="utf-8")
    sections = [
        ("tables", "Tables", "".join(_tables())),
        ("lineage", "Lineage", _lineage()),
        ("queries", "Queries", "".join(map(_query, cookbook().values()))),
        ("state", "State", state),
    ]
    shown = [section for section in sections if section[2]]
    links = "".join(f'<a href="#{name}">{title}</a>' for name, title, _ in shown)
    body = "".join(
        f'<section id="{name}"><h2>{title}</h2>{content}</section>'
        for name, title, content in shown
    )
    return (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>perf-assets: the database</title><style>{style}</style></head><body>"
        f"<header><h1>The database</h1><nav>{links}</nav>"
        '<input id="search" type="search" placeholder="Search tables, columns, queries  ( / )" '
        'aria-label="Search"><span id="found"></span></header>'
        f"<main>{body}</main><script>{script}</script></body></html>\n"
    )


def _tables() -> Iterator[str]:
    lineage = {model.name: model.column_lineage for model in load_models()}
    yield (
        "<p>What each table and column means. All timestamps are UTC, months are YYYY-MM, what is "
        "missing is NULL. The same texts are comments in the database.</p>"
    )
    for schema in schemas():
        tables = [one for one in described_tables().values() if one.schema_name == schema]
        index = " ".join(f'<a href="#{one.name}">{one.name.split(".")[1]}</a>' for one in tables)
        about = escape(SCHEMAS.get(schema, ""))
        yield f'<div class="schema"><h3 id="schema-{schema}">{schema}</h3><p>{about}</p>'
        yield f'<p class="index">{index}</p>'
        for table in tables:
            yield _table(table, lineage.get(table.name, {}))
        yield "</div>"


def _table(table: Table, sources: Mapping[str, tuple[ColumnSource, ...]]) -> str:
    has_sources = any(sources.values())
    rows = "".join(
        f'<tr id="{table.name}.{escape(column.name)}"><td><code>{escape(column.name)}</code></td>'
        f"<td>{escape(kind_of(column))}</td><td>{escape(meaning_of(column))}</td>"
        + (f"<td>{_sources(sources.get(column.name, ()))}</td>" if has_sources else "")
        + "</tr>"
        for column in table.columns
    )
    made = ", ".join(map(_link, made_from()[table.name])) or escape(origin_of(table.name))
    read = ", ".join(map(_link, read_by(table.name))) or "no other table"
    why = f" <small>{escape(table.key_why)}</small>" if table.key_why else ""
    key = ", ".join(f"<code>{escape(name)}</code>" for name in table.key)
    head = "<th>made from</th>" if has_sources else ""
    return (
        f'<article class="found" id="{table.name}"><h4>{table.name} '
        f"<small>{'view' if table.is_view else 'table'}</small></h4>"
        f"<p>{escape(table.description)}</p><dl><dt>Key</dt><dd>{key}{why}</dd>"
        f"<dt>Made from</dt><dd>{made}</dd><dt>Read by</dt><dd>{read}</dd></dl>"
        f"<details><summary>{len(table.columns)} columns</summary>"
        f"<table><tr><th>column</th><th>type</th><th>meaning</th>{head}</tr>{rows}</table>"
        "</details></article>"
    )


def _sources(sources: tuple[ColumnSource, ...]) -> str:
    return "<br>".join(
        f'<a href="#{escape(table)}.{escape(column)}">{escape(table)}.{escape(column)}</a>'
        for table, column in sources
    )


def _link(table: str) -> str:
    return f'<a href="#{escape(table)}">{escape(table)}</a>'


def _lineage() -> str:
    return (
        "<p>From what GitHub and git say, on the left, to the statistics, on the right. Point at a "
        "table to see what it is made from and what is made of it; click to read what it means.</p>"
        f'<div class="wide">{lineage_svg(made_from())}</div>'
    )


def _query(query: Query) -> str:
    parameters = "".join(
        f"<dt><code>--param {escape(one.assignment)}</code></dt><dd>{escape(one.meaning)}</dd>"
        for one in query.parameters.values()
    )
    _, _, sql = query.sql.partition("\n\n")
    return (
        f'<article class="found" id="query-{escape(query.name)}"><h4>{escape(query.question)}</h4>'
        f"<p>{escape(query.reading)}</p><p><code>perf-assets query {escape(query.name)}</code></p>"
        + (f"<dl>{parameters}</dl>" if parameters else "")
        + f"<details><summary>SQL</summary><pre>{escape(sql.strip())}</pre></details></article>"
    )
