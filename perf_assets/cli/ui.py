"""ui: Dagster's web server on a data directory."""

import fcntl
import os
import tempfile
import time
from functools import partial
from pathlib import Path
from shutil import rmtree

import click

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.pids import is_alive
from perf_assets.base.processes import shutdown
from perf_assets.base.processes.children import end_children
from perf_assets.base.processes.shutdown import cleanup_on_stop
from perf_assets.cli.memory import check_memory
from perf_assets.cli.ports import HOST, check_free, port_option
from perf_assets.cli.shell import data_dir_option, friendly_errors, study_option
from perf_assets.config.data_directory import DataDirectory
from perf_assets.dagster_app.settings import UI, write_instance_config
from perf_assets.storage.lock import LOOKS, SECONDS_BETWEEN
from perf_assets.web.services import Services

LOCK = "ui.lock"


@click.command()
@study_option
@data_dir_option
@port_option(3000)
@friendly_errors
def ui(study: str, data_dir: Path, port: int) -> None:
    """Open the Dagster UI on a data directory, on loopback, until interrupted.

    Every asset can be materialized there, partition by partition; the monthly schedule can be
    switched on there. It asks for no password: every account on this machine can reach it; pages of
    other sites, and other machines, cannot.
    """
    check_memory()
    data_directory = DataDirectory.of(data_dir)
    handle = _hold(data_directory, port)
    check_free(port)
    shutdown.set_resume_hint(
        f"the UI of {data_directory.path} is closed, and so are runs that it started; what they "
        "stored is kept, and the next run goes on there"
    )
    surroundings = {
        **os.environ,
        "PERF_ASSETS_DATA_DIR": str(data_directory.path),
        "PERF_ASSETS_STUDY": study,
        "DAGSTER_HOME": str(data_directory.dagster),
        UI: f"http://{HOST}:{port}",
        # As Dagster's own command has it: what goes wrong is shown without Dagster's own frames.
        "DAGSTER_IS_DEV_CLI": "1",
        "DAGSTER_verbose": "",
    }
    write_instance_config(data_directory.dagster)
    _make_record(data_directory)
    with tempfile.TemporaryDirectory() as directory, cleanup_on_stop(partial(rmtree, directory)):
        try:
            services = Services(Path(directory), port, surroundings, handle)
            services.open()
            from perf_assets.stages.study_loader import open_study

            open_study(study, data_directory)  # a mistake is better reported here than in the UI
            services.wait_for_the_page()
            click.echo(f"Dagster UI: http://{HOST}:{port} (Ctrl-C stops it)")
            services.watch()
        finally:
            end_children()


def _make_record(data_dir: DataDirectory) -> None:
    """Have Dagster's record made by one process, where there is none.

    Its services start at once, and two that make it may leave files that none opens any more.
    """
    if not (data_dir.dagster / "schedules" / "schedules.db").exists():  # made last
        from perf_assets.dagster_app.instance import open_instance

        with open_instance(data_dir.dagster):
            pass


def _hold(data_dir: DataDirectory, port: int) -> int:
    """Be the one UI of ``data_dir``, for as long as who has the handle that is returned lives.

    Two of them would be two daemons, and each would start the runs of a schedule.
    """
    handle = os.open(data_dir.path / LOCK, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise PerfAssetsError(_refusal(data_dir, handle)) from None
    os.ftruncate(handle, 0)
    os.pwrite(handle, f"{os.getpid()} {port}".encode(), 0)
    return handle


def _refusal(data_dir: DataDirectory, handle: int) -> str:
    """Return why there can be no second UI, and how to stop the first."""
    for _ in range(LOOKS):
        process, _, port = os.pread(handle, 40, 0).decode(errors="replace").partition(" ")
        if is_alive(process):
            return (
                f"the UI of {data_dir.path} is open already, at http://{HOST}:{port} (process "
                f"{process}): look there, or stop it with 'kill {process}' and run this again"
            )
        time.sleep(SECONDS_BETWEEN)  # it may have just begun, and not be written down yet
    return (
        f"the UI of {data_dir.path} was killed, and what it had started has not ended yet: "
        f"run this "
        f"again in some seconds, or end what is left with 'fuser -k {data_dir.path / LOCK}'"
    )
