"""What a study found and published: report, describe, docs, export, export-dbt, site, explore."""

import os
import shutil
from pathlib import Path

import click

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.processes import shutdown
from perf_assets.cli.bars import shown_progress
from perf_assets.cli.ports import HOST, check_free, port_option
from perf_assets.cli.shell import console, data_dir_option, friendly_errors, words
from perf_assets.cli.waiting import mentions_waiting_answers
from perf_assets.config.data_directory import PUBLISHED, DataDirectory

WIDEST = 100


@click.command()
@click.option("--full", is_flag=True, help="Every table of results, and every remark.")
@click.option("--markdown", "is_markdown", is_flag=True, help="Ten lines to paste into an issue.")
@data_dir_option
@friendly_errors
@mentions_waiting_answers
def report(data_dir: Path, *, full: bool, is_markdown: bool) -> None:
    """Print what was found in a few sentences, as a run does at its end.

    \b
    Examples:
        perf-assets report
        perf-assets report --full
        perf-assets report --markdown
    """
    import duckdb

    from perf_assets.reports.summary import print_headlines, print_markdown, print_summary

    if full and is_markdown:
        raise PerfAssetsError("--full and --markdown: choose one of the two")

    directory = DataDirectory(data_dir)
    if not directory.published.exists():
        raise PerfAssetsError(
            f"{data_dir}: no database is published there yet; perf-assets run makes one"
        )
    try:
        if is_markdown:
            print_markdown(directory.published)
            return
        (print_summary if full else print_headlines)(directory.published, console)
    except (duckdb.CatalogException, duckdb.BinderException):
        raise PerfAssetsError(
            f"{directory.published}: this database was published by another version, and lacks "
            "what is needed; perf-assets run publishes it anew"
        ) from None
    if directory.report_page.exists():
        click.echo(f"\nReport with charts: {directory.report_page}")


@click.command()
@click.argument("table", required=False)
@data_dir_option
@friendly_errors
def describe(table: str | None, data_dir: Path) -> None:
    """Say what the tables of the database mean.

    Without TABLE it lists all of them. With it (as schema.table, or the table's name alone): what a
    row is, its key, what it is made from, and the meaning, type and unit of each column; and how
    many rows the data directory has published, where it is there.

    \b
    Examples:
        perf-assets describe
        perf-assets describe marts.bug_metrics
    """
    from perf_assets.reports.dictionary import find_table, table_text, tables_text

    width = min(shutil.get_terminal_size().columns, WIDEST)
    if table is None:
        click.echo(tables_text(width), nl=False)
        return
    found = find_table(table)
    click.echo(table_text(found, width), nl=False)
    published = DataDirectory(data_dir).published
    if published.exists():
        from perf_assets.reports.query_runner import run_query
        from perf_assets.schema.models.cookbook import parse_query_file

        ((rows,),) = run_query(
            published, parse_query_file(found.name, f"SELECT count(*) FROM {found.name}"), {}
        ).rows
        click.echo(f"\n{published}: {rows:,} rows")


@click.command()
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    help="Where to write the page; default: docs.html in the data directory.",
)
@data_dir_option
@friendly_errors
def docs(output: Path | None, data_dir: Path) -> None:
    """Write one page that explains the database: tables, columns, lineage, queries.

    It can be searched and opens offline. Where a database is published in the data directory, the
    page also shows the state of its partitions, their audits, and the data quality by month.

    \b
    Example:
        perf-assets docs --output docs.html
    """
    from perf_assets.base.files import write_output_file
    from perf_assets.reports.pages.page import docs_html

    if output is None and not data_dir.is_dir():
        raise PerfAssetsError(
            f"{data_dir}: there is no such data directory; say with --output where to write "
            "the page"
        )
    published = data_dir / PUBLISHED
    path = output or data_dir / "docs.html"
    write_output_file(path, docs_html(published if published.exists() else None).encode())
    click.echo(f"{path}: open it in a browser")


@click.command()
@click.option("--format", "kind", type=click.Choice(["parquet", "csv"]), required=True)
@click.option(
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    metavar="DIR",
    help="The directory to write to; made if missing.",
)
@click.option(
    "--tables",
    multiple=True,
    callback=words,
    metavar="TABLE,...",
    help="Only these tables, or all of these schemas: marts,raw.issues. Default: all that are "
    "stored, views apart.",
)
@click.option(
    "--repository",
    "repositories",
    multiple=True,
    metavar="OWNER/NAME",
    help="Only rows of this repository; may be given several times.",
)
@data_dir_option
@friendly_errors
def export(
    *,
    kind: str,
    output: Path,
    tables: list[str] | None,
    repositories: tuple[str, ...],
    data_dir: Path,
) -> None:
    """Write the published database as Parquet or CSV, a file for each table and repository.

    No cell of a CSV file runs as a formula in a spreadsheet: an apostrophe stands before what
    could. Each file is replaced in one step.

    \b
    Examples:
        perf-assets export --format parquet --output exported
        perf-assets export --format csv --output exported --tables marts,raw.issues
    """
    from perf_assets.reports.exporting import export as exported

    published = DataDirectory.existing(data_dir).published
    files = rows = 0
    for file in exported(published, output, kind, tables or (), repositories):
        files, rows = files + 1, rows + file.rows
        click.echo(f"{file.path}: {file.rows:,} rows")
    click.echo(f"{files} files, {rows:,} rows")


@click.command()
@click.argument("output", metavar="DIR", type=click.Path(path_type=Path))
@friendly_errors
def export_dbt(output: Path) -> None:
    """Write the SQL models as a project of dbt to DIR, for a team that has dbt with dbt-duckdb.

    Its models are those of perf-assets, with their descriptions, contracts and tests; all other
    tables are sources, which it reads from a published database. It holds no data. A project that
    is in DIR is replaced file by file; other files there stay.

    \b
    Example:
        perf-assets export-dbt dbt_project
    """
    from perf_assets.reports.dbt_project import write_project

    project = write_project(output)
    models = sum(path.endswith(".sql") for path in project.entries if path.startswith("models/"))
    click.echo(
        f"{project.path}: {models} models, {len(project.entries)} files; {project.written} of them "
        "are new or changed"
    )
    click.echo(f"How to build it: {project.path / 'README.md'}")


@click.command()
@click.argument("output", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--tables",
    multiple=True,
    callback=words,
    metavar="TABLE,...",
    help="What the console has: these tables, or all of these schemas: marts,analysis. Default: "
    "all that is published.",
)
@click.option("--no-console", "has_no_console", is_flag=True, help="Without the console.")
@click.option(
    "--duckdb-wasm",
    "packages",
    multiple=True,
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE.tgz",
    help="A package that the console needs, as npm pack writes it, where there is no network; may "
    "be given several times.",
)
@data_dir_option
@friendly_errors
def site(
    *,
    output: Path,
    tables: list[str] | None,
    has_no_console: bool,
    packages: tuple[Path, ...],
    data_dir: Path,
) -> None:
    """Write what is published as a static site to DIR, for any web server or host of files.

    It has the report, the tables of results with files of the whole, the data dictionary, and a
    console to query the data with SQL in the browser, by DuckDB-Wasm. A reader's browser asks no
    other host for anything. DuckDB-Wasm is fetched once from the npm registry, which
    NPM_CONFIG_REGISTRY names, checked, and kept. A site that is in DIR is replaced file by file.

    \b
    Examples:
        perf-assets site public
        perf-assets site public --tables marts,analysis
        python3 -m http.server --directory public
    """
    from perf_assets.reports.site import SiteOptions, write_site

    directory = DataDirectory.existing(data_dir)
    shutdown.set_resume_hint("write it again; what is finished of it is not made again")
    with shown_progress(console):
        options = SiteOptions(not has_no_console, tuple(tables or ()), packages)
        written = write_site(directory, output, options)
    click.echo(
        f"{written.path}: {written.files:,} files, {written.size / 1e6:,.1f} MB; "
        f"{written.written:,} of them are new or changed"
    )
    if not has_no_console:
        click.echo(
            f"Its console loads {written.loaded / 1e6:,.1f} MB, and its database takes "
            f"{written.unpacked / 1e6:,.0f} MB of memory."
        )
    if written.is_large:
        click.echo(
            "That is much for a browser: --tables marts,analysis leaves out what is seldom asked "
            "for."
        )
    click.echo(f"Look at it: python3 -m http.server --directory {written.path}")


@click.command()
@data_dir_option
@port_option(3001)
@friendly_errors
def explore(data_dir: Path, port: int) -> None:
    """Open a page to query the published database, on loopback, until interrupted.

    The queries of the cookbook are ready there; each can be changed, its parameters set, its rows
    and a picture of them seen, and taken along as CSV. It only reads, reaches nothing but that
    database, and a run may publish meanwhile. It needs no network.
    """
    published = DataDirectory.existing(data_dir).published
    if not published.exists():
        raise PerfAssetsError(f"{published} is not there yet: perf-assets run makes it")
    check_free(port)
    from perf_assets.web.explore import DATABASE, application, serve

    os.environ[DATABASE] = str(published)
    shutdown.set_resume_hint(f"the page of {published} is closed; nothing was changed")
    line = f"Queries: http://{HOST}:{port} (Ctrl-C stops it)"
    serve(application(), HOST, port, lambda: click.echo(line))
