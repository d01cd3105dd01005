"""The documentation of the database as a page: docs."""

from pathlib import Path

import click

from perf_assets.cli.shell import friendly_errors, home_option


@click.command()
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    help="Where to write the page; default: docs.html in the home directory.",
)
@home_option
@friendly_errors
def docs(output: Path | None, home: Path) -> None:
    """Write one page that explains the database: tables, columns, lineage, queries.

    It can be searched and opens offline. Where a database is published in the home directory, the
    page also shows the state of its partitions, their audits, and the data quality by month.

    \b
    Example:
        perf-assets docs --output docs.html
    """
    from perf_assets.errors import PerfAssetsError  # noqa: PLC0415
    from perf_assets.reports.pages.page import docs_html  # noqa: PLC0415
    from perf_assets.reports.writing import write_whole  # noqa: PLC0415
    from perf_assets.storage.home import PUBLISHED  # noqa: PLC0415

    if output is None and not home.is_dir():
        raise PerfAssetsError(
            f"{home}: there is no such home directory; say with --output where to write the page"
        )
    published = home / PUBLISHED
    path = output or home / "docs.html"
    write_whole(path, docs_html(published if published.exists() else None).encode())
    click.echo(f"{path}: open it in a browser")
