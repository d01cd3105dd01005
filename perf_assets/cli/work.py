"""The command ``perf-assets work``: a worker for schedulers other than Dagster."""

from pathlib import Path
from typing import get_args

import click

from perf_assets.base.errors import AuditError, PerfAssetsError
from perf_assets.base.processes import shutdown
from perf_assets.base.processes.progress import phase
from perf_assets.cli.bars import shown_progress
from perf_assets.cli.shell import (
    console,
    data_dir_option,
    friendly_errors,
    from_option,
    importing,
    max_wait_option,
    study_option,
    to_option,
)
from perf_assets.config.data_directory import DataDirectory
from perf_assets.config.study import Until


@click.command()
@study_option
@data_dir_option
@click.option(
    "--repository",
    "repositories",
    multiple=True,
    metavar="OWNER/NAME",
    help="A repository of the study; may be given several times.",
)
@from_option
@to_option
@click.option("--reconcile", is_flag=True, help="As of perf-assets run.")
@click.option("--force", is_flag=True, help="As of perf-assets run.")
@max_wait_option
@click.option("--until", type=click.Choice(get_args(Until)), default="published", hidden=True)
@click.option(
    "--listen",
    is_flag=True,
    help="Read the names of repositories from standard input, a line each, and answer each with "
    "a line of JSON.",
)
@friendly_errors
def work(  # noqa: PLR0913
    study: str,
    data_dir: Path,
    repositories: tuple[str, ...],
    first: str | None,
    last: str | None,
    *,
    reconcile: bool,
    force: bool,
    max_wait: float,
    until: Until,
    listen: bool,
) -> None:
    """Mine repositories of a study that has a lake, and push what changed.

    Each is mined and decided in a data directory of its own, below workers/ of --data-dir, and what
    changed goes to the lake; perf-assets run, or the job derive of the UI, computes and publishes
    from there. A data directory that is gone is restored from the lake. Two workers at one
    repository: the second one stops with a sentence.

    perf-assets run does all this by itself, with as many workers as there are cores. This command
    is for machines beside that one.

    \b
    Examples:
        perf-assets work --study study.toml --repository owner/name
    """
    directory = DataDirectory.of(data_dir)
    shutdown.set_resume_hint(
        "what was pushed is in the lake; a worker that is started again goes on"
    )
    with shown_progress(console):
        with phase("starting"), importing():
            from perf_assets.dagster_app.execution import worker
            from perf_assets.dagster_app.workers import Task, serve
            from perf_assets.stages.study_loader import open_study

            chosen = open_study(study, directory)
            if chosen.lake is None:
                raise PerfAssetsError(
                    f"{chosen.path}: the study has no lake to push to: add [lake] with its url, "
                    "or use perf-assets run"
                )

        if not listen and not repositories:
            raise PerfAssetsError("name what to work on: --repository OWNER/NAME")
        with worker(
            chosen, directory, Task(first, last, reconcile, force, 60 * max_wait, until)
        ) as work_on:
            if listen:
                serve(work_on, directory)
            failures = [sentence for name in repositories for sentence in work_on(name)]
    if failures:
        raise AuditError("; ".join(failures))
