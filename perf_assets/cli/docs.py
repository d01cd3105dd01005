"""The documentation of the database as a page: docs."""

from pathlib import Path

import click

from perf_assets.cli.shell import data_dir_option, friendly_errors


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
    from perf_assets.base.errors import PerfAssetsError  # noqa: PLC0415
    from perf_assets.base.files import write_output_file  # noqa: PLC0415
    from perf_assets.config.data_directory import PUBLISHED  # noqa: PLC0415
    from perf_assets.reports.pages.page import docs_html  # noqa: PLC0415

    if output is None and not data_dir.is_dir():
        raise PerfAssetsError(
            f"{data_dir}: there is no such data directory; say with --output where to write "
            f"the page"
        )
    published = data_dir / PUBLISHED
    path = output or data_dir / "docs.html"
    write_output_file(path, docs_html(published if published.exists() else None).encode())
    click.echo(f"{path}: open it in a browser")
