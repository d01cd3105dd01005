"""explore: the published database in a browser."""

import os
from pathlib import Path

import click

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.processes import shutdown
from perf_assets.cli.ports import HOST, check_free
from perf_assets.cli.query import published_of
from perf_assets.cli.shell import data_dir_option, friendly_errors


@click.command()
@data_dir_option
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    default=3001,
    show_default=True,
    help=f"Port on {HOST}.",
)
@friendly_errors
def explore(data_dir: Path, port: int) -> None:
    """Open a page to query the published database, on loopback, until interrupted.

    The queries of the cookbook are ready there; each can be changed, its parameters set, its rows
    and a picture of them seen, and taken along as CSV. It only reads, reaches nothing but that
    database, and a run may publish meanwhile. It needs no network.
    """
    published = published_of(data_dir)
    if not published.exists():
        raise PerfAssetsError(f"{published} is not there yet: perf-assets run makes it")
    check_free(port)
    from perf_assets.web.explore import DATABASE, application, serve  # noqa: PLC0415

    os.environ[DATABASE] = str(published)
    shutdown.set_resume_hint(f"the page of {published} is closed; nothing was changed")
    line = f"Queries: http://{HOST}:{port} (Ctrl-C stops it)"
    serve(application(), HOST, port, lambda: click.echo(line))
