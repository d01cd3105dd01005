"""What a study found, on the terminal: report."""

from pathlib import Path

import click

from perf_assets.base.errors import PerfAssetsError
from perf_assets.cli.shell import console, data_dir_option, friendly_errors
from perf_assets.config.data_directory import DataDirectory


@click.command()
@click.option("--full", is_flag=True, help="Every table of results, and every remark.")
@data_dir_option
@friendly_errors
def report(data_dir: Path, *, full: bool) -> None:
    """Print what was found in a few sentences for each repository, as a run does at its end.

    \b
    Examples:
        perf-assets report
        perf-assets report --full
    """
    import duckdb  # noqa: PLC0415

    from perf_assets.reports.summary import print_headlines, print_summary  # noqa: PLC0415

    directory = DataDirectory(data_dir)
    if not directory.published.exists():
        raise PerfAssetsError(
            f"{data_dir}: no database is published there yet; perf-assets run makes one"
        )
    try:
        (print_summary if full else print_headlines)(directory.published, console)
    except duckdb.CatalogException:
        raise PerfAssetsError(
            f"{directory.published}: this database was published by another version, and lacks "
            "what is needed; perf-assets run publishes it anew"
        ) from None
    if directory.report_page.exists():
        click.echo(f"\nReport with charts: {directory.report_page}")
