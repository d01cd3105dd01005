"""Dagster's daemon, once runs of a killed UI are ended: ``python -m perf_assets.web.daemon``.

It starts what schedules and sensors ask for, and what waits in the queue of runs.
"""

import os

from dagster._daemon.cli import create_dagster_daemon_cli

from perf_assets.execution import end_lost_runs
from perf_assets.storage.home import Home
from perf_assets.web.services import be_quiet_of_the_code_server

if __name__ == "__main__":
    be_quiet_of_the_code_server()
    end_lost_runs(Home.of(os.environ.get("PERF_ASSETS_HOME")))
    create_dagster_daemon_cli()()
