"""replicate: the studies reproduced from their published data."""

from pathlib import Path

import click

from perf_assets.base.errors import AuditError, PerfAssetsError
from perf_assets.base.processes import shutdown
from perf_assets.base.processes.progress import phase
from perf_assets.base.sanitize import in_words
from perf_assets.cli.bars import shown_progress
from perf_assets.cli.memory import check_memory
from perf_assets.cli.shell import console, data_dir_option, friendly_errors
from perf_assets.config.data_directory import DataDirectory


@click.command()
@click.option(
    "--data",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Folder with the published CSV files of one framework or both; default: downloaded.",
)
@click.option(
    "--problems",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The published file of performance problems; default: in --data, or downloaded.",
)
@click.option(
    "--accept-changes",
    is_flag=True,
    help="Load files of --data and --problems whose content differs from the published one.",
)
@click.option("--all", "everything", is_flag=True, help="Print every figure, with all reasons.")
@data_dir_option
@friendly_errors
def replicate(
    data: Path | None,
    problems: Path | None,
    *,
    accept_changes: bool,
    everything: bool,
    data_dir: Path,
) -> None:
    """Reproduce the papers from their published data, figure by figure.

    Loads the data package of the study of performance bugs, PyTorch and TensorFlow, and the
    labelled problems of the study of performance problems, runs the models and statistics of live
    data over them, and compares the results with the papers. Prints how many figures are the
    same and why others differ, and writes replication_report.html to the data directory. What was
    mined stays as it is.

    Without --data and --problems both are downloaded at pinned commits and their sums are checked.
    With --data alone the problems are those of the folder, as empirical_study.csv or problems.csv.
    Which of them the authors reproduced says benchmark.csv, if it is beside that file.

    \b
    Examples:
        perf-assets replicate
        perf-assets replicate --data package/ --problems empirical_study.csv
    """
    check_memory()
    from perf_assets.core.paper.printed import PROBLEMS
    from perf_assets.reports.replication import print_comparison, print_verdicts, read_comparison
    from perf_assets.reports.terminal import say
    from perf_assets.sources.replication import pinned_problems

    if accept_changes and data is None and problems is None:
        raise PerfAssetsError(
            "--accept-changes is about the files of --data or --problems: give one"
        )
    directory = DataDirectory.of(data_dir)
    shutdown.set_resume_hint(
        f"what was stored before is kept in {directory.path}, and the published data replace it as "
        "a whole or not at all; run the same command again"
    )
    with shown_progress(console):
        with phase("starting"):
            from perf_assets.dagster_app.execution import run_replication
        failures = run_replication(directory, data, problems, accept_changes=accept_changes)
    if failures:
        raise AuditError("; ".join(failures))
    comparison = read_comparison(directory.published)
    if everything:
        print_comparison(comparison, console)
    print_verdicts(comparison, console)
    if comparison.filter(study=PROBLEMS).is_empty():
        console.print()
        say(
            console,
            f"The study of {in_words(PROBLEMS)} is not among them: give its published file by "
            f"--problems (empirical_study.csv of github.com/{pinned_problems().repository}), or "
            "leave out --data and both are downloaded.",
        )
    if not everything:
        console.print("\nEvery figure, with all reasons: add --all.")
    console.print(f"\nReport: {directory.replication_report}", soft_wrap=True, highlight=False)
    console.print(f"Database: {directory.published}", soft_wrap=True, highlight=False)
