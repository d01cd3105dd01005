"""replicate: the paper reproduced from its published data."""

from pathlib import Path

import click

from perf_assets import stopping
from perf_assets.cli.bars import shown_progress
from perf_assets.cli.memory import check_memory
from perf_assets.cli.shell import console, explained, home_option
from perf_assets.errors import AuditError, PerfAssetsError
from perf_assets.progress import phase
from perf_assets.storage.home import Home


@click.command()
@click.option(
    "--data",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Folder with the published CSV files of one framework or both; default: downloaded.",
)
@click.option(
    "--accept-changes",
    is_flag=True,
    help="Load files of --data whose content differs from the published one.",
)
@home_option
@explained
def replicate(data: Path | None, accept_changes: bool, home: Path) -> None:
    """Reproduce the paper from its published data, figure by figure.

    Loads the data package of the study, PyTorch and TensorFlow, runs the models and statistics of
    live data over it, and compares the results with the paper. Prints the comparison and writes
    replication_report.html to the home directory. What was mined stays as it is.

    Without --data the package is downloaded at a pinned commit and its sums are checked.

    \b
    Examples:
        perf-assets replicate
        perf-assets replicate --data package/
    """
    check_memory()
    from perf_assets.reports.replication.report import read_reproduction  # noqa: PLC0415
    from perf_assets.reports.replication.words import print_comparison  # noqa: PLC0415

    if accept_changes and data is None:
        raise PerfAssetsError("--accept-changes is about the files of --data: give both")
    place = Home.of(home)
    stopping.leave_word(
        f"what was stored before is kept in {place.path}, and the published data replace it as a "
        "whole or not at all; run the same command again"
    )
    with shown_progress(console):
        with phase("starting"):
            from perf_assets.execution import run_replication  # noqa: PLC0415
        failures = run_replication(place, data, accept_changes=accept_changes)
    if failures:
        raise AuditError("; ".join(failures))
    print_comparison(read_reproduction(place.published).comparison, console)
    console.print(f"\nReport: {place.replication_report}", soft_wrap=True, highlight=False)
    console.print(f"Database: {place.published}", soft_wrap=True, highlight=False)
