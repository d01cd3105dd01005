"""The main job: run, and what is stored by it: status."""

from datetime import UTC, datetime
from pathlib import Path
from shlex import quote
from typing import get_args

import click

from perf_assets.base.errors import AuditError
from perf_assets.base.months import is_month
from perf_assets.base.processes import shutdown
from perf_assets.base.processes.progress import phase
from perf_assets.cli.bars import shown_progress
from perf_assets.cli.shell import (
    console,
    data_dir_option,
    friendly_errors,
    importing,
    json_option,
    max_wait_option,
    to_option,
)
from perf_assets.cli.waiting import mentions_waiting_answers
from perf_assets.config.data_directory import DataDirectory
from perf_assets.config.study import Until
from perf_assets.storage.lock import writing


@click.command()
@click.option(
    "--study",
    envvar="PERF_ASSETS_STUDY",
    metavar="FILE",
    help="A study.toml, or a packaged study: sample, dl-frameworks, six-frameworks, "
    "challenges, performance-problems. Default: that of the archive to go on from, else sample. "
    "Environment: PERF_ASSETS_STUDY.",
)
@data_dir_option
@click.option(
    "--repository",
    "repositories",
    multiple=True,
    metavar="OWNER/NAME",
    help="Only this repository of the study, or tag set (forum:tag set); may be given several "
    "times.",
)
@click.option(
    "--from",
    "first",
    metavar="YYYY-MM|ARCHIVE.zip",
    help="First month; default: as the study says. Or an archive to go on from, in a new "
    "--data-dir.",
)
@to_option
@click.option(
    "--reconcile",
    is_flag=True,
    help="Also read a part of the stored issues again, so that within reconcile_months of the "
    "study (default 6) all have been: it finds what GitHub does not list as changed.",
)
@click.option(
    "--force",
    is_flag=True,
    help="Label, link and compute everything again, also where nothing that decides it changed.",
)
@max_wait_option
@click.option(
    "--until",
    type=click.Choice(get_args(Until)),
    default="published",
    show_default=True,
    help="How far to go. labels: mine and label, but derive and publish nothing. links: all but "
    "the analysis of fixes. fix-analysis: all of it, whatever the study says. "
    "published: all that the study wants.",
)
@click.option(
    "--workers",
    type=click.IntRange(1, 256),
    metavar="N",
    help="With a lake: how many repositories are mined at once; default: PERF_ASSETS_WORKERS of "
    "the environment, else one a core.",
)
@friendly_errors
@mentions_waiting_answers
def run(  # noqa: PLR0913
    study: str | None,
    data_dir: Path,
    repositories: tuple[str, ...],
    first: str | None,
    last: str | None,
    *,
    reconcile: bool,
    force: bool,
    max_wait: float,
    until: Until,
    workers: int | None,
) -> None:
    """Materialize everything for a range of months, and print the figures.

    Loads issues, commits and questions, labels, links, and computes the models and statistics,
    through Dagster. Safe to run again and to interrupt: it does only what is missing or changed.

    The analysis of fixes (methods, languages, who introduced the bug) takes most of a first run.
    Leave it out with --until links, or with analyze_fixes = false in the study; a later run with it
    adds what is missing.

    GitHub needs a token in GITHUB_TOKEN (no scopes), or several, separated by commas; the sample
    and corpora need none. Stack Exchange gives 300 requests a day, 10,000 with a key in
    STACKEXCHANGE_KEY.

    \b
    Exit code 0: all is well, but for a few rows that are set aside, which the report counts. 1:
    months or tables failed their audit and are in quarantine, everything else is done and
    published. 2: something you can mend, named in one sentence. 130, 143, 129:
    stopped by Ctrl-C, SIGTERM or a closed terminal (SIGHUP); run it again, and it goes on.

    \b
    Examples:
        perf-assets run
        perf-assets run --study study.toml --from 2023-01
        perf-assets run --study study.toml --until links
        perf-assets run --from paper.zip --data-dir ours
        GITHUB_TOKEN=... perf-assets run --study dl-frameworks --repository pytorch/pytorch
    """
    started = datetime.now(UTC)
    directory = DataDirectory.of(data_dir)
    shutdown.set_resume_hint(
        f"what was stored is kept in {directory.path}; run the same command again, and it goes on "
        "there"
    )
    wait = 60 * max_wait
    # The lock comes first: who has to wait for another run hears so before Dagster is there.
    with writing(directory.path), shown_progress(console):
        with phase("starting"), importing():  # Dagster, for one; --help should not wait for it
            from perf_assets.stages.study_loader import open_study

            if first is not None and not is_month(first) and _is_path(first):
                from perf_assets.archive.extending import begin_from

                study, first = begin_from(Path(first), directory, study), None
                click.echo(f"The study goes on in {directory.path} by --study {quote(str(study))}.")
            chosen = open_study(study, directory)  # a mistake is reported before Dagster is there
            if not directory.warehouse.exists():  # there will be rows to validate
                from perf_assets.storage.audit.process import prepare

                prepare()
            from perf_assets.dagster_app.execution import run_study
            from perf_assets.reports.status import read_status, status_text
            from perf_assets.reports.summary import (
                print_cost,
                print_headlines,
                print_next_steps,
                print_not_whole,
            )
            from perf_assets.stages.preflight import read_again
        if chosen.repositories:
            click.echo(chosen.rule_sentence)
        for repository in chosen.repositories:
            if not repositories or repository.name in repositories:
                read_again(directory, repository, first, last, click.echo)
        failures = run_study(
            chosen,
            directory,
            repositories,
            first,
            last,
            reconcile=reconcile,
            force=force,
            longest_wait=wait,
            until=until,
            workers=workers,
        )
    shutdown.set_resume_hint(
        f"all is stored and published in {directory.path}; only its summary is missing"
    )
    if until == "labels":
        click.echo(status_text(read_status(directory)))
    else:
        print_headlines(directory.published, console)
        print_not_whole(directory.published, console)
        print_cost(directory.warehouse, started, console)
        print_next_steps(chosen, directory, console)
    if failures:
        raise AuditError("; ".join(failures))


def _is_path(text: str) -> bool:
    """Return whether it names an archive, there or not, rather than a misspelt month."""
    return Path(text).suffix.lower() == ".zip" or "/" in text or Path(text).exists()


@click.command()
@data_dir_option
@json_option
@friendly_errors
@mentions_waiting_answers
def status(data_dir: Path, *, is_json: bool) -> None:
    """Say what is stored: repositories, months, rows, last refresh, failed audits."""
    from perf_assets.reports.status import as_json, read_status, status_text

    found = read_status(DataDirectory.existing(data_dir))
    click.echo(as_json(found) if is_json else status_text(found))
