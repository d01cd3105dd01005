"""What people say of alerts and regressions: the options of the commands, and what is printed."""

import getpass
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import click

from perf_assets.base.processes import shutdown
from perf_assets.base.processes.progress import phase
from perf_assets.cli.bars import shown_progress
from perf_assets.cli.memory import check_memory
from perf_assets.cli.shell import console, friendly_errors
from perf_assets.config.data_directory import DataDirectory


def sets_state(of: str) -> Callable[[Callable[..., Any]], Callable[..., None]]:
    """Return a decorator of functions that give what stores a state, once it may be imported."""

    def decorate(storing: Callable[[], Callable[..., Any]]) -> Callable[..., None]:
        @click.option("--note", help="Why.")
        @click.option("--by", "person", help="Who says so; default: the name of the login.")
        @click.option(
            "--data-dir",
            "own_data_dir",
            type=click.Path(path_type=Path),
            help=f"Directory for everything that is stored; default: as of perf-assets {of}.",
        )
        @click.pass_context
        @friendly_errors
        @wraps(storing)
        def command(
            context: click.Context,
            subject: str,
            state: str,
            note: str | None,
            person: str | None,
            own_data_dir: Path | None,
        ) -> None:
            shutdown.set_resume_hint(
                "the state is stored or not; set it again, which adds nothing twice"
            )
            directory = DataDirectory.of(own_data_dir or context.obj)
            with shown_progress(console):
                with phase("starting"):
                    check_memory()
                    from perf_assets.dagster_app.execution import run_state
                said = (subject, state, note, person or getpass.getuser())
                done = run_state(directory, storing(), *said)
            if done.is_changed:
                click.echo(f"{done.identifier}: {state}, before {done.state_before}")
            else:
                click.echo(f"{done.identifier}: {state} already; nothing changed")

        return command

    return decorate
