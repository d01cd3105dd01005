"""The published database as files: export."""

from pathlib import Path

import click

from perf_assets.cli.query import published_of
from perf_assets.cli.shell import data_dir_option, friendly_errors


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
    tables: tuple[str, ...],
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
    from perf_assets.reports.exporting import export as exported  # noqa: PLC0415

    names = [name.strip() for given in tables for name in given.split(",") if name.strip()]
    files = rows = 0
    for one in exported(published_of(data_dir), output, kind, names, repositories):
        files, rows = files + 1, rows + one.rows
        click.echo(f"{one.path}: {one.rows:,} rows")
    click.echo(f"{files} files, {rows:,} rows")
