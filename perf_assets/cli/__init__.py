"""The command line of perf-assets; what a command does is in the modules it imports."""

import logging
import os
import shutil
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from functools import wraps
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from perf_assets import __version__
from perf_assets.errors import AuditError, PerfAssetsError
from perf_assets.storage.home import Home

console = Console()
LEAST_FREE_BYTES = 1 << 20


def _explained(command: Callable[..., None]) -> Callable[..., None]:
    """Turn a user's mistake into one sentence and exit code 2 (1: rows failed their audit)."""

    @wraps(command)
    def wrapped(*args: Any, **options: Any) -> None:  # noqa: ANN401
        try:
            command(*args, **options)
        except AuditError as error:
            click.echo(f"Error: {error}", err=True)
            sys.exit(1)
        except PerfAssetsError as error:
            click.echo(f"Error: {error}", err=True)
            sys.exit(2)
        except Exception as error:
            sentence = _mishap(error, options.get("home"))
            if sentence is None:
                raise
            click.echo(f"Error: {sentence}", err=True)
            sys.exit(2)

    return wrapped


def _mishap(error: Exception, home: Path | None) -> str | None:
    """The machine's trouble behind an error, in one sentence; None where it is our own.

    A full disk shows in many guises, among them those of the libraries that could not write.
    """
    place = home if home is not None and home.is_dir() else Path()
    is_full = shutil.disk_usage(place).free < LEAST_FREE_BYTES
    if is_full or any(sign in str(error) for sign in ("No space left", "disk is full")):
        return (
            f"{place}: the disk is full; make room or choose another --home and run again, "
            "what was stored is kept"
        )
    if isinstance(error, PermissionError):
        return f"{error.filename}: permission denied; make it writable or choose another --home"
    return None


home_option = click.option(
    "--home",
    type=click.Path(path_type=Path),
    envvar="PERF_ASSETS_HOME",
    default="data",
    show_default=True,
    help="Directory for everything that is stored. Environment: PERF_ASSETS_HOME.",
)


study_option = click.option(
    "--study",
    envvar="PERF_ASSETS_STUDY",
    default="sample",
    show_default=True,
    metavar="FILE",
    help="A study.toml, or a packaged study: sample, dl-frameworks. "
    "Environment: PERF_ASSETS_STUDY.",
)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__)
def main() -> None:
    """How much of a project's trouble is performance trouble, month by month.

    perf-assets mines the issues and commits of GitHub repositories into DuckDB, labels the
    performance bugs, links the commits that fixed them, and keeps the statistics up to date.

    \b
    Start with the embedded sample, no token needed:
        perf-assets run
    """


@main.command()
@study_option
@home_option
@click.option(
    "--repository",
    "repositories",
    multiple=True,
    metavar="OWNER/NAME",
    help="Only this repository of the study; may be given several times.",
)
@click.option("--from", "first", metavar="YYYY-MM", help="First month; default: as the study says.")
@click.option("--to", "last", metavar="YYYY-MM", help="Last month; default: the last full month.")
@click.option(
    "--verify",
    is_flag=True,
    help="Also read a part of the stored issues again, so that within verify_months of the study "
    "(default 6) such runs all are: it finds what GitHub does not list as changed.",
)
@click.option(
    "--max-wait",
    type=click.FloatRange(min=0),
    envvar="PERF_ASSETS_MAX_WAIT",
    default=90,
    show_default=True,
    metavar="MINUTES",
    help="Longest wait for GitHub's rate limit; then the run stops, and what was stored is kept. "
    "Environment: PERF_ASSETS_MAX_WAIT.",
)
@_explained
def run(
    study: str,
    home: Path,
    repositories: tuple[str, ...],
    first: str | None,
    last: str | None,
    *,
    verify: bool,
    max_wait: float,
) -> None:
    """Materialize everything for a range of months, and print the figures.

    Loads issues and commits, labels, links, and computes the models and statistics, through
    Dagster. Safe to run again and to interrupt: it does only what is missing or changed.

    GitHub needs a token in GITHUB_TOKEN (no scopes), or several, separated by commas; the sample
    and corpora need none.

    \b
    Exit code 0: all is well. 1: some rows failed their audit and are in quarantine,
    everything else is done. 2: something you can mend, said in one sentence.

    \b
    Examples:
        perf-assets run
        perf-assets run --study study.toml --from 2023-01
        GITHUB_TOKEN=... perf-assets run --study dl-frameworks --repository pytorch/pytorch
    """
    # Dagster and Great Expectations take seconds to import; --help should not wait for them.
    from perf_assets.execution import run_study  # noqa: PLC0415
    from perf_assets.reports.summary import print_cost, print_next_steps, print_summary  # noqa: PLC0415
    from perf_assets.sample.opening import open_study  # noqa: PLC0415

    _show_progress()
    started = datetime.now(UTC)
    place = Home.of(home)
    chosen = open_study(study, place.path)
    wait = 60 * max_wait
    failures = run_study(chosen, place, repositories, first, last, verify=verify, longest_wait=wait)
    print_summary(place.published, console)
    print_cost(place.published, started, console)
    print_next_steps(chosen, place, console)
    if failures:
        raise AuditError("; ".join(failures))


@main.command()
@study_option
@home_option
@_explained
def doctor(study: str, home: Path) -> None:
    """Say whether a run can succeed, and what it will cost GitHub's rate limit, before it starts.

    For each token: does it work, how much it may still ask, and when its budget is full again.
    For each repository of the study: can it be read, how many issues are not stored yet, and how
    many requests and points they take. Costs a few requests itself. Corpora need no token.

    \b
    Exit code 0: a run can start. 2: it could not succeed, and why, in one sentence each.
    """
    from perf_assets.cli.doctor import examine  # noqa: PLC0415
    from perf_assets.sample.opening import open_study  # noqa: PLC0415

    place = Home.of(home)
    if not examine(open_study(study, place.path), place, click.echo):
        sys.exit(2)


@main.command()
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
@_explained
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
    from perf_assets.execution import run_replication  # noqa: PLC0415
    from perf_assets.reports.replication.report import read_findings  # noqa: PLC0415
    from perf_assets.reports.replication.words import print_comparison  # noqa: PLC0415

    if accept_changes and data is None:
        raise PerfAssetsError("--accept-changes is about the files of --data: give both")
    _show_progress()
    place = Home.of(home)
    failures = run_replication(place, data, accept_changes=accept_changes)
    if failures:
        raise AuditError("; ".join(failures))
    print_comparison(read_findings(place.published).comparison, console)
    console.print(f"\nReport: {place.replication_report}", soft_wrap=True, highlight=False)
    console.print(f"Database: {place.published}", soft_wrap=True, highlight=False)


@main.command("sample-for-review")
@click.option("--n", "labelled", type=int, required=True, help="How many labelled bugs.")
@click.option(
    "--unlabelled",
    type=int,
    default=0,
    show_default=True,
    help="How many other bug reports, mixed in; recall is measured by them.",
)
@click.option("--seed", type=int, required=True, help="The same seed draws the same sample.")
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    help="Where to write the sheet; default: review-N-SEED.csv in the home directory.",
)
@home_option
@_explained
def sample_for_review(
    labelled: int, unlabelled: int, seed: int, output: Path | None, home: Path
) -> None:
    """Write a review sheet: a random sample of bug reports for people to judge.

    A CSV file that spreadsheets open safely. Fill in, for each row, is_performance (yes, no or
    unsure) and for performance bugs, if you like, category and impact, as the codebook describes
    them. Rows left empty are not judged. A sheet that is there already is never overwritten.

    \b
    Example:
        perf-assets sample-for-review --n 160 --seed 1
    """
    from perf_assets.sources.review_sheets.codebook import PATH  # noqa: PLC0415
    from perf_assets.stages.reviewing import sample_sheet, write_sheet  # noqa: PLC0415

    place = Home.of(home)
    text = sample_sheet(place.published, labelled, unlabelled, seed)
    path = output or place.path / f"review-{labelled}-{seed}.csv"
    write_sheet(path, text)
    click.echo(f"{path}: {labelled + unlabelled} bug reports to judge")
    click.echo(f"Codebook: {PATH}")
    click.echo(f"Bring it back with: perf-assets import-review {path} --rater YOUR_NAME")


@main.command("import-review")
@click.argument("sheet", type=click.Path(path_type=Path))
@click.option("--rater", required=True, help="Who filled it in.")
@home_option
@_explained
def import_review(sheet: Path, rater: str, home: Path) -> None:
    """Bring the verdicts of a filled-in review SHEET into the database.

    Verdicts are added and never overwritten; the last one of a rater on a bug report is in force.
    A sheet with a mistake is refused whole. The same sheet again changes nothing.

    \b
    Example:
        perf-assets import-review review-160-1.csv --rater Ann
    """
    from perf_assets.execution import run_import  # noqa: PLC0415
    from perf_assets.reports.summary import print_agreement  # noqa: PLC0415

    place = Home.of(home)
    imported = run_import(place, sheet, rater)
    if imported.imported_before is not None:
        click.echo(
            f"{sheet}: imported already on {imported.imported_before:%Y-%m-%d %H:%M UTC}; "
            "nothing changed"
        )
    else:
        click.echo(
            f"{sheet}: {imported.added} verdicts added, {imported.superseding} supersede an "
            f"earlier one, {imported.unchanged} as before"
        )
    if imported.added + imported.superseding + imported.unchanged:
        print_agreement(place.published, console)


@main.command()
@home_option
@_explained
def agreement(home: Path) -> None:
    """Say how good the labels are by the verdicts of people, and how far these agree.

    Precision by rule, recall where other bug reports were judged too, Cohen's and Fleiss' kappa,
    and the bug reports on which raters differ.
    """
    from perf_assets.reports.summary import print_agreement  # noqa: PLC0415

    print_agreement(Home.of(home).published, console)


@main.command()
@home_option
@_explained
def status(home: Path) -> None:
    """Say what is stored: repositories, months, rows, last refresh, failed audits."""
    from perf_assets.reports.summary import print_status  # noqa: PLC0415

    if not home.is_dir():
        raise PerfAssetsError(f"{home}: there is no such home directory; perf-assets run makes one")
    print_status(Home.of(home), console)


@main.command()
@study_option
@home_option
@click.option("--port", default=3000, show_default=True, help="Port on 127.0.0.1.")
@_explained
def ui(study: str, home: Path, port: int) -> None:
    """Open the Dagster UI on a home directory, on loopback, until interrupted.

    Every asset can be materialized there, partition by partition; the monthly schedule can be
    switched on there.
    """
    from perf_assets.execution import write_instance_config  # noqa: PLC0415
    from perf_assets.sample.opening import open_study  # noqa: PLC0415

    place = Home.of(home)
    open_study(study, place.path)  # a mistake in it is better said here than in the UI
    os.environ["PERF_ASSETS_HOME"] = str(place.path)
    os.environ["PERF_ASSETS_STUDY"] = study
    os.environ["DAGSTER_HOME"] = str(write_instance_config(place.dagster))
    click.echo(f"Dagster UI: http://127.0.0.1:{port} (Ctrl-C stops it)")
    dagster = [sys.executable, "-m", "dagster", "dev", "-m", "perf_assets.definitions"]
    os.execv(sys.executable, [*dagster, "--host", "127.0.0.1", "--port", str(port)])


@main.command("serve-corpus")
@click.argument("directory", type=click.Path(path_type=Path))
@click.option("--port", default=0, show_default=True, help="Port on 127.0.0.1; 0: any free one.")
@click.option(
    "--repository", metavar="OWNER/NAME", help="Its name, where the corpus does not tell."
)
@_explained
def serve_corpus(directory: Path, port: int, repository: str | None) -> None:
    """Serve a corpus DIRECTORY as GitHub would, on loopback, until interrupted.

    Prints its URL when ready. Give that as github_url in a study file, or to any GitHub client.
    The directory holds issues.jsonl[.gz], comments.jsonl[.gz] and, if there are any,
    events.jsonl[.gz] and pulls.jsonl[.gz]: GitHub's REST answers, one JSON object a line.
    """
    from perf_assets.loopback.github.server import serve  # noqa: PLC0415

    serve(directory, port, repository, lambda url: click.echo(f"{directory} is served at {url}"))


@main.command()
@click.argument("directory", type=click.Path(path_type=Path))
@click.option("--seed", default=0, show_default=True, help="The same seed gives the same corpus.")
@click.option("--issues", default=400, show_default=True, help="Number of issues.")
@click.option("--months", default=30, show_default=True, help="Number of months.")
@click.option("--commits", default=800, show_default=True, help="Number of commits.")
@click.option("--start", default="2020-01", show_default=True, help="First month, YYYY-MM.")
@click.option(
    "--repository", default="sample-lab/tensorkit", show_default=True, help="Its owner/name."
)
@click.option(
    "--workflow", metavar="NAME", help="Land fixes by pull requests: merge, squash or rebase."
)
@_explained
def generate(
    directory: Path,
    seed: int,
    issues: int,
    months: int,
    commits: int,
    start: str,
    repository: str,
    workflow: str | None,
) -> None:
    """Write a synthetic corpus with its git repository and its planted truth to DIRECTORY.

    Run it with: perf-assets run --study DIRECTORY/study.toml
    """
    from perf_assets.sample.generator import generate as write_corpus  # noqa: PLC0415

    write_corpus(
        directory,
        seed=seed,
        issues=issues,
        months=months,
        commits=commits,
        start=start,
        repository=repository,
        workflow=workflow,
    )
    click.echo(f"{directory}: {issues} issues and {commits} commits over {months} months")
    click.echo(f"Run it with: perf-assets run --study {directory / 'study.toml'}")


def _show_progress() -> None:
    handler = logging.StreamHandler(sys.stdout)
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s", "%H:%M:%S"))
    logger = logging.getLogger("perf_assets")
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
