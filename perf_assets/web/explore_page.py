# /// script
# [tool.marimo.display]
# theme = "system"
# ///
"""The page of ``explore``, a marimo notebook: choose a query, change it, see rows and a picture.

Each function is a cell: marimo runs it when what it takes has changed. What stands in the database
was written by strangers, and is shown in tables and pictures, as text alone.
"""

import marimo

app = marimo.App(width="full", app_title="perf-assets explore")


@app.cell
def _():
    import os
    from pathlib import Path

    import altair as alt
    import marimo as mo

    from perf_assets.reports.charts import Axes
    from perf_assets.reports.formats import FORMATS
    from perf_assets.schema.models.cookbook import cookbook, parse_query_file
    from perf_assets.web.explore import DATABASE, FIRST, answered, columns_of, drawn, questions

    database = Path(os.environ[DATABASE])
    return (
        Axes,
        FIRST,
        FORMATS,
        alt,
        answered,
        columns_of,
        cookbook,
        database,
        drawn,
        mo,
        parse_query_file,
        questions,
    )


@app.cell
def _(columns_of, database, mo):
    searched = mo.ui.text(label="Search the questions", placeholder="slow, regression, GPU")
    columns = columns_of(database)
    tables = mo.plain_text(columns.mistake)
    if columns.rows is not None:
        tables = mo.ui.table(
            columns.rows.by_column(), selection=None, page_size=10, show_download=False
        )
    mo.vstack(
        [
            mo.hstack(
                [mo.md("# perf-assets explore"), searched], justify="space-between", align="center"
            ),
            mo.accordion({"Tables and columns that can be queried": tables}),
        ]
    )
    return (searched,)


@app.cell
def _(FIRST, mo, questions, searched):
    found = questions(searched.value)
    mo.stop(not found, mo.callout(mo.plain_text("No question has these words."), kind="warn"))
    chosen = mo.ui.dropdown(
        found,
        value=next((label for label, name in found.items() if name == FIRST), next(iter(found))),
        label="Question",
        searchable=True,
        allow_select_none=False,
        full_width=True,
    )
    chosen
    return (chosen,)


@app.cell
def _(chosen, cookbook, mo):
    template = cookbook()[chosen.value]
    sql = mo.ui.code_editor(
        template.statement,
        language="sql",
        debounce=True,
        max_height=300,
        label="The query; a change counts when you leave the field",
    )
    mo.vstack([mo.callout(mo.md(f"**{template.question}** {template.reading}")), sql])
    return sql, template


@app.cell
def _(mo, parse_query_file, sql, template):
    query = parse_query_file(template.name, sql.value)
    given = mo.ui.dictionary(
        {
            name: mo.ui.text(placeholder=one.default, label=f"{name}, {one.meaning}")
            for name, one in query.parameters.items()
        }
    )
    mo.hstack(list(given.values()), justify="start", wrap=True) if query.parameters else None
    return given, query


@app.cell
def _(FORMATS, answered, database, given, mo, query):
    answer = answered(database, query, given.value)
    mo.stop(answer.rows is None, mo.callout(mo.plain_text(answer.mistake), kind="danger"))
    rows = answer.rows
    csv = mo.download(
        lambda: FORMATS["csv"](rows), f"{query.name}.csv", "text/csv", label="Download as CSV"
    )
    table = mo.ui.table(
        rows.by_column(), selection=None, page_size=10, show_download=False, show_data_types=False
    )
    mo.vstack(
        [
            mo.hstack(
                [mo.md("1 row" if len(rows.rows) == 1 else f"{len(rows.rows):,} rows"), csv],
                justify="space-between",
            ),
            table,
        ]
    )
    return (rows,)


@app.cell
def _(mo, rows):
    names = list(rows.columns)
    axes = mo.ui.dictionary(
        {axis: mo.ui.dropdown(names, label=axis) for axis in ("x", "y", "color")}
    )
    mo.hstack(list(axes.values()), justify="start")
    return (axes,)


@app.cell
def _(Axes, alt, axes, drawn, mo, query, rows, template):
    title = template.question if query.sql == template.statement else f"{query.name}, changed"
    spec, reason = drawn(rows, title, Axes(**axes.value))
    alt.Chart.from_dict(spec) if spec is not None else mo.plain_text(reason)


if __name__ == "__main__":
    app.run()
