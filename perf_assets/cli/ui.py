"""ui: Dagster's web server on a home directory."""

import fcntl
import os
import tempfile
from functools import partial
from pathlib import Path
from shutil import rmtree

import click

from perf_assets import stopping
from perf_assets.cli.children import end_children
from perf_assets.cli.memory import check_memory
from perf_assets.cli.ports import HOST, check_free
from perf_assets.cli.shell import explained, home_option, study_option
from perf_assets.errors import PerfAssetsError
from perf_assets.stopping import undoing
from perf_assets.storage.home import Home
from perf_assets.storage.instance import UI, write_instance_config
from perf_assets.web.services import Services

LOCK = "ui.lock"


@click.command()
@study_option
@home_option
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    default=3000,
    show_default=True,
    help=f"Port on {HOST}.",
)
@explained
def ui(study: str, home: Path, port: int) -> None:
    """Open the Dagster UI on a home directory, on loopback, until interrupted.

    Every asset can be materialized there, partition by partition; the monthly schedule can be
    switched on there. It asks for no password: whoever has an account on this machine can reach
    it; pages of other sites, and other machines, cannot.
    """
    check_memory()
    place = Home.of(home)
    handle = _hold(place, port)
    check_free(port)
    stopping.leave_word(
        f"the UI of {place.path} is closed, and so are runs that it started; what they stored is "
        "kept, and the next run goes on there"
    )
    surroundings = {
        **os.environ,
        "PERF_ASSETS_HOME": str(place.path),
        "PERF_ASSETS_STUDY": study,
        "DAGSTER_HOME": str(place.dagster),
        UI: f"http://{HOST}:{port}",
        # As Dagster's own command has it: what goes wrong is shown without Dagster's own frames.
        "DAGSTER_IS_DEV_CLI": "1",
        "DAGSTER_verbose": "",
    }
    write_instance_config(place.dagster)
    with tempfile.TemporaryDirectory() as directory, undoing(partial(rmtree, directory)):
        try:
            services = Services(Path(directory), port, surroundings, handle)
            services.open()
            _check_study(study, place)
            services.wait_for_the_page()
            click.echo(f"Dagster UI: http://{HOST}:{port} (Ctrl-C stops it)")
            services.watch()
        finally:
            end_children()


def _check_study(study: str, home: Home) -> None:
    """A mistake in it is better said here than in the UI; meanwhile that one opens."""
    from perf_assets.storage.added import open_study_of  # noqa: PLC0415

    open_study_of(study, home)


def _hold(home: Home, port: int) -> int:
    """Be the one UI of ``home``, for as long as who has the handle that is returned lives.

    Two of them would be two daemons, and each would start what a schedule asks for.
    """
    handle = os.open(home.path / LOCK, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        taken = os.pread(handle, 5, 0).decode() or "another port"
        raise PerfAssetsError(
            f"the UI of {home.path} is open already, at http://{HOST}:{taken}: look there, or "
            "stop that one first"
        ) from None
    os.ftruncate(handle, 0)
    os.pwrite(handle, str(port).encode(), 0)
    return handle
