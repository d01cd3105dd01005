"""Dagster's daemon, once runs of a killed UI are ended: ``python -m perf_assets.web.daemon``.

It starts what schedules and sensors request, and what waits in the queue of runs.
"""

import os
import sys
import time
from datetime import UTC, datetime

from perf_assets.base.errors.messages import explain_error
from perf_assets.config.data_directory import DataDirectory
from perf_assets.dagster_app.dagster_internals import create_dagster_daemon_cli
from perf_assets.dagster_app.execution import end_lost_runs, set_limits
from perf_assets.stages.study_loader import open_study
from perf_assets.web.services import OPENED, silence_code_server_warnings

if __name__ == "__main__":
    silence_code_server_warnings()
    data_dir = DataDirectory.of(os.environ.get("PERF_ASSETS_DATA_DIR"))
    opened = float(os.environ.get(OPENED, time.time()))
    try:
        set_limits(open_study(os.environ.get("PERF_ASSETS_STUDY"), data_dir), data_dir)
        end_lost_runs(data_dir, datetime.fromtimestamp(opened, UTC))
    except Exception as error:
        sentence = explain_error(error, data_dir.path)
        if sentence is None:
            raise
        sys.exit(sentence)
    create_dagster_daemon_cli()()
