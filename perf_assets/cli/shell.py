"""What the commands share: options, progress on the terminal, and mistakes told in one sentence."""

import atexit
import gc
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from perf_assets import stopping
from perf_assets.errors import AuditError, PerfAssetsError
from perf_assets.garbage import no_search_for_garbage
from perf_assets.plain import plain

console = Console()
LEAST_FREE_BYTES = 1 << 20


def explained(command: Callable[..., None]) -> Callable[..., None]:
    """Turn a user's mistake into one sentence and exit code 2 (1: rows failed their audit)."""

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
            sentence = _mishap(error, options.get("home"))
            if sentence is None:
                raise
            click.echo(f"Error: {plain(sentence)}", err=True)
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


@contextmanager
def importing() -> Iterator[None]:
    """Import what takes long. No garbage is searched for in it: not meanwhile, and not later."""
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
    help="A study.toml, or a packaged study: sample, dl-frameworks. "
    "Environment: PERF_ASSETS_STUDY.",
)
