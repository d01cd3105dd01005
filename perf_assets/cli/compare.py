"""Two states of a study held against each other: compare."""

import sys
from pathlib import Path

import click

from perf_assets.base.processes.progress import phase
from perf_assets.base.sanitize import escape_text
from perf_assets.cli.bars import shown_progress
from perf_assets.cli.shell import console, friendly_errors, importing

DIFFERENT = 1


@click.command()
@click.argument("first", type=click.Path(path_type=Path))
@click.argument("second", type=click.Path(path_type=Path))
@click.option(
    "--page",
    "output",
    type=click.Path(path_type=Path),
    metavar="OUT.html",
    help="Also write a page to look at.",
)
@friendly_errors
def compare(first: Path, second: Path, output: Path | None) -> None:
    """Say what differs between FIRST and SECOND: archives, data directories or published databases.

    Rows that were read, labels, links and results, and whether the source, the rules or the code
    changed since.

    \b
    Exit code 0: nothing differs. 1: something does. 2: one of them cannot be read.

    \b
    Examples:
        perf-assets compare paper.zip data
        perf-assets compare ours.zip theirs.zip --page differences.html
    """
    with shown_progress(console):
        with phase("starting"), importing():
            from perf_assets.archive.comparing import compare as compared  # noqa: PLC0415
            from perf_assets.archive.comparison_page import lines, page  # noqa: PLC0415
            from perf_assets.base.files import write_output_file  # noqa: PLC0415
        comparison = compared(first, second)
    if output is not None:
        write_output_file(output, page(comparison).encode())
    for line in lines(comparison):
        click.echo(escape_text(line))
    if output is not None:
        click.echo(f"{output}: open it in a browser")
    if not comparison.is_equal:
        sys.exit(DIFFERENT)
