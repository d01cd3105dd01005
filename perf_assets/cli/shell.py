"""What the commands share: options, progress on the terminal, and mistakes told in one sentence."""

import atexit
import gc
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from perf_assets import stopping
from perf_assets.cli.memory import check_memory
from perf_assets.errors import AuditError, PerfAssetsError
from perf_assets.garbage import no_search_for_garbage
from perf_assets.mishaps import mishap
from perf_assets.plain import plain

console = Console()
OUR_MISTAKE = 70  # as sysexits.h has it; 1 says that rows are in quarantine


def explained(command: Callable[..., None]) -> Callable[..., None]:
    """Turn a mistake or a mishap into one sentence and exit code 2 (1: rows failed their audit).

    What nobody foresaw is a mistake of the program: its traceback is shown, and it exits with 70.
    """

    @wraps(command)
    def wrapped(*args: Any, **options: Any) -> None:  # noqa: ANN401
        try:
            command(*args, **options)
        except AuditError as error:
            stopping.go_on(after_failure=True)
            click.echo(f"Error: {plain(error)}", err=True)
            sys.exit(1)
        except PerfAssetsError as error:
            stopping.go_on(after_failure=True)
            click.echo(f"Error: {plain(error)}", err=True)
            sys.exit(2)
        except Exception as error:
            stopping.go_on(after_failure=True)
            sentence = mishap(error, options.get("home"))
            if sentence is None:
                traceback.print_exception(error)
                sys.exit(OUR_MISTAKE)
            click.echo(f"Error: {plain(sentence)}", err=True)
            sys.exit(2)

    return wrapped


@contextmanager
def importing() -> Iterator[None]:
    """Import what takes long. No garbage is searched for in it: not meanwhile, and not later.

    Raises
    ------
    PerfAssetsError
        There is too little memory for it.
    """
    check_memory()
    with no_search_for_garbage():
        yield
    gc.freeze()
    atexit.register(gc.unfreeze)  # libraries tidy up at the end


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
    help="A study.toml, or a packaged study: sample, dl-frameworks, challenges, "
    "performance-problems. "
    "Environment: PERF_ASSETS_STUDY.",
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


json_option = click.option(
    "--json", "is_json", is_flag=True, help="As JSON, for programs; see the README."
)
