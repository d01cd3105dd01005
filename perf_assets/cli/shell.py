"""What the commands share: options, progress on the terminal, and errors as one sentence."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from perf_assets.base.errors import AuditError
from perf_assets.base.errors.messages import explain_error
from perf_assets.base.processes import shutdown
from perf_assets.base.processes.gc_control import collect_seldom, gc_paused, hold_little_free_memory
from perf_assets.base.sanitize import escape_text
from perf_assets.cli.memory import check_memory

console = Console()
PRINTERS = ("click", "rich")
READER_LEFT = 141  # as a shell reports SIGPIPE
OUR_MISTAKE = 70  # as sysexits.h has it; 1 says that rows are in quarantine


def friendly_errors(command: Callable[..., None]) -> Callable[..., None]:
    """Turn a mistake or a mishap into one sentence and exit code 2 (1: rows failed their audit).

    What nobody foresaw is a mistake of the program: its traceback is shown, and it exits with 70.
    """

    @wraps(command)
    def wrapped(*args: Any, **options: Any) -> None:  # noqa: ANN401
        try:
            command(*args, **options)
        except BrokenPipeError:
            # Whoever read the output has left, as head does: no mistake, and nothing to say.
            _discard_output()
            sys.exit(READER_LEFT)
        except Exception as error:
            shutdown.block_if_stopping(after_failure=True)
            sentence = _output_failure(error) or explain_error(error, options.get("data_dir"))
            if sentence is None:
                traceback.print_exc()
                sys.exit(OUR_MISTAKE)
            click.echo(f"Error: {escape_text(sentence)}", err=True)
            sys.exit(1 if isinstance(error, AuditError) else 2)

    return wrapped


def _output_failure(error: BaseException) -> str | None:
    """Return what to do where ``error`` came from printing; None where it did not."""
    *_, (frame, _) = traceback.walk_tb(error.__traceback__)
    printer = frame.f_globals.get("__name__", "").partition(".")[0]
    if not isinstance(error, OSError) or printer not in PRINTERS:
        return None
    _discard_output()
    return (
        f"standard output cannot be written ({error.strerror}): make room where it leads, or print "
        "elsewhere; what is stored is untouched"
    )


def _discard_output() -> None:
    """Lead standard output nowhere, so that what is left of it fails no second time."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


@contextmanager
def importing() -> Iterator[None]:
    """Import what takes long. No garbage is searched for in it: not meanwhile, and not later.

    Raises
    ------
    PerfAssetsError
        There is too little memory for it.
    """
    check_memory()
    hold_little_free_memory()
    with gc_paused():
        yield
    collect_seldom()


def words(_: click.Context, __: click.Parameter, values: tuple[str, ...]) -> list[str] | None:
    """Return the words of an option, separated by commas; None if it is not given."""
    listed = [word.strip() for value in values for word in value.split(",") if word.strip()]
    return listed if values else None


data_dir_option = click.option(
    "--data-dir",
    "data_dir",
    type=click.Path(path_type=Path),
    envvar=["PERF_ASSETS_DATA_DIR", "PERF_ASSETS_HOME"],
    default="data",
    show_default=True,
    help="Directory for everything that is stored. Environment: PERF_ASSETS_DATA_DIR.",
)


study_option = click.option(
    "--study",
    envvar="PERF_ASSETS_STUDY",
    default="sample",
    show_default=True,
    metavar="FILE",
    help="A study.toml, or a packaged study: sample, dl-frameworks, six-frameworks, "
    "challenges, performance-problems. Environment: PERF_ASSETS_STUDY.",
)


from_option = click.option(
    "--from", "first", metavar="YYYY-MM", help="First month; default: as the study says."
)


to_option = click.option(
    "--to", "last", metavar="YYYY-MM", help="Last month; default: the last full month."
)


max_wait_option = click.option(
    "--max-wait",
    type=click.FloatRange(min=0),
    envvar="PERF_ASSETS_MAX_WAIT",
    default=90,
    show_default=True,
    metavar="MINUTES",
    help="Longest wait for a source's rate limit; then the run stops, and what was stored is kept. "
    "Environment: PERF_ASSETS_MAX_WAIT.",
)


json_option = click.option("--json", "is_json", is_flag=True, help="As JSON, for programs.")
