"""doctor: whether a run can succeed, and what it will cost."""

import sys
from contextlib import suppress
from functools import partial
from pathlib import Path
from shlex import quote
from typing import Any

import click
from rich.console import Console

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.processes.progress import phase
from perf_assets.cli.bars import shown_progress
from perf_assets.cli.shell import (
    console,
    data_dir_option,
    friendly_errors,
    json_option,
    study_option,
)
from perf_assets.config.data_directory import DataDirectory


@click.command()
@study_option
@data_dir_option
@click.option(
    "--repair",
    is_flag=True,
    help="Mend what is damaged in the data directory, and look at nothing else. What is "
    "replaced is kept in "
    "replaced/ there.",
)
@json_option
@friendly_errors
def doctor(study: str, data_dir: Path, *, repair: bool, is_json: bool) -> None:
    """Say whether a run can succeed, and what it will cost GitHub's rate limit, before it starts.

    First the data directory: whether stored files are damaged, and how to repair them.

    For each token: whether it works, its remaining requests, and when its budget is full again.
    For each repository of the study: whether git and the API can read it, how many issues are not
    stored yet, and how many requests and points they take. One issue is read with all fields that a
    run requests, which reveals a permission that the token lacks, or a server that is too old. The
    check itself costs a few requests. Corpora need no token.

    \b
    Exit code 0: a run can start. 2: it could not succeed, and why, in one sentence each.
    """
    from perf_assets.reports.status import as_json
    from perf_assets.stages.preflight import preflight
    from perf_assets.stages.study_loader import open_study

    is_new = not data_dir.exists()
    directory = DataDirectory.of(data_dir)
    if is_new:  # a look leaves no empty data directory
        click.get_current_context().call_on_close(partial(_remove_if_empty, directory.path))
    if repair:
        _repair(directory)
        return
    messages: list[str] = []
    shown_on = Console(stderr=True) if is_json else console
    damages = [] if is_new else _damages(directory, shown_on)
    if not is_json:
        for damage in damages:
            click.echo(damage["what"] + ": " + damage["remedy"])
        if any(damage["is_mendable"] for damage in damages):
            click.echo(
                f"perf-assets doctor --repair --data-dir {quote(str(directory.path))} does so."
            )
    is_well = preflight(
        open_study(study, directory), directory, messages.append if is_json else click.echo
    )
    is_well &= not damages
    if is_json:
        found = {
            "data_dir": str(directory.path),
            "can_run": is_well,
            "damages": damages,
            "said": messages,
        }
        click.echo(as_json(found))
    if not is_well:
        sys.exit(2)


def _remove_if_empty(path: Path) -> None:
    with suppress(OSError):
        path.rmdir()


def _damages(data_dir: DataDirectory, progress: Console) -> list[dict[str, Any]]:
    """Return what is damaged in the data directory, or that it cannot be looked at."""
    from perf_assets.stages.health import find_damage

    try:
        with shown_progress(progress), phase(f"reading all of {data_dir.path}"):
            return [
                {
                    "what": damage.what,
                    "remedy": damage.remedy,
                    "is_mendable": damage.mend is not None,
                }
                for damage in find_damage(data_dir)
            ]
    except PerfAssetsError as error:
        what, _, remedy = str(error).rpartition(": ")
        return [{"what": what, "remedy": remedy, "is_mendable": False}]


def _repair(data_dir: DataDirectory) -> None:
    from perf_assets.stages.health import repair

    is_sound = True
    with shown_progress(console), phase(f"mending {data_dir.path}"):
        mended = list(repair(data_dir))
    for damage, why_not in mended:
        is_sound &= why_not is None
        click.echo(f"mended: {damage}" if why_not is None else f"{damage.what}: {why_not}")
    if not mended:
        click.echo(f"{data_dir.path}: nothing is damaged.")
    if not is_sound:
        sys.exit(2)
