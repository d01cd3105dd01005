"""ui: Dagster's web server on a home directory."""

import fcntl
import os
import socket
import subprocess
import sys
from pathlib import Path

import click

from perf_assets import stopping
from perf_assets.cli.memory import check_memory
from perf_assets.cli.shell import explained, home_option, study_option
from perf_assets.errors import PerfAssetsError
from perf_assets.storage.home import Home

HOST = "127.0.0.1"
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
    from perf_assets.execution import end_lost_runs  # noqa: PLC0415
    from perf_assets.sample.opening import open_study  # noqa: PLC0415

    place = Home.of(home)
    open_study(study, place.path)  # a mistake in it is better said here than in the UI
    handle = _hold(place, port)
    _check_free(port)
    end_lost_runs(place)
    surroundings = {
        **os.environ,
        "PERF_ASSETS_HOME": str(place.path),
        "PERF_ASSETS_STUDY": study,
        "DAGSTER_HOME": str(place.dagster),
    }
    stopping.leave_word(
        f"the UI of {place.path} is closed, and so are runs that it started; what they stored is "
        "kept, and the next run goes on there"
    )
    click.echo(f"Dagster UI: http://{HOST}:{port} (Ctrl-C stops it)")
    dagster = [sys.executable, "-m", "perf_assets.web.dev", "-m", "perf_assets.definitions"]
    options = ["--host", HOST, "--port", str(port)]
    done = subprocess.run([*dagster, *options], env=surroundings, pass_fds=[handle], check=False)
    raise PerfAssetsError(
        f"Dagster's web server ended by itself (exit code {done.returncode}); what it said stands "
        "above: open the UI again, and if that does not help, run perf-assets doctor"
    )


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


def _check_free(port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            reason = "may not be used" if isinstance(error, PermissionError) else "is taken"
            raise PerfAssetsError(
                f"port {port} of {HOST} {reason}: choose another one with --port"
            ) from None
