"""What is published as a static site: site."""

from pathlib import Path

import click

from perf_assets.base.processes import shutdown
from perf_assets.cli.bars import shown_progress
from perf_assets.cli.query import published_of
from perf_assets.cli.shell import console, data_dir_option, friendly_errors


@click.command()
@click.argument("directory", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--tables",
    multiple=True,
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
    directory: Path,
    tables: tuple[str, ...],
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
    from perf_assets.config.data_directory import DataDirectory  # noqa: PLC0415
    from perf_assets.reports.site import SiteOptions, write_site  # noqa: PLC0415

    published_of(data_dir)  # refuses a directory that is not there
    names = tuple(name.strip() for given in tables for name in given.split(",") if name.strip())
    shutdown.set_resume_hint("write it again; what is finished of it is not made again")
    with shown_progress(console):
        written = write_site(
            DataDirectory.of(data_dir), directory, SiteOptions(not has_no_console, names, packages)
        )
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
