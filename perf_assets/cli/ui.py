"""ui: Dagster's web server on a home directory."""

import os
import sys
from pathlib import Path

import click

from perf_assets.cli.shell import explained, home_option, study_option
from perf_assets.storage.home import Home


@click.command()
@study_option
@home_option
@click.option("--port", default=3000, show_default=True, help="Port on 127.0.0.1.")
@explained
def ui(study: str, home: Path, port: int) -> None:
    """Open the Dagster UI on a home directory, on loopback, until interrupted.

    Every asset can be materialized there, partition by partition; the monthly schedule can be
    switched on there.
    """
    from perf_assets.assets.record import write_instance_config  # noqa: PLC0415
    from perf_assets.sample.opening import open_study  # noqa: PLC0415

    place = Home.of(home)
    open_study(study, place.path)  # a mistake in it is better said here than in the UI
    os.environ["PERF_ASSETS_HOME"] = str(place.path)
    os.environ["PERF_ASSETS_STUDY"] = study
    os.environ["DAGSTER_HOME"] = str(write_instance_config(place.dagster))
    click.echo(f"Dagster UI: http://127.0.0.1:{port} (Ctrl-C stops it)")
    dagster = [sys.executable, "-m", "dagster", "dev", "-m", "perf_assets.definitions"]
    os.execv(sys.executable, [*dagster, "--host", "127.0.0.1", "--port", str(port)])
