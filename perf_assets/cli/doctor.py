"""doctor: whether a run can succeed, and what it will cost."""

import sys
from pathlib import Path

import click

from perf_assets.cli.shell import explained, home_option, study_option
from perf_assets.storage.home import Home


@click.command()
@study_option
@home_option
@explained
def doctor(study: str, home: Path) -> None:
    """Say whether a run can succeed, and what it will cost GitHub's rate limit, before it starts.

    For each token: does it work, how much it may still ask, and when its budget is full again.
    For each repository of the study: can git and the API read it, how many issues are not stored
    yet, and how many requests and points they take. Costs a few requests itself. Corpora need no
    token.

    \b
    Exit code 0: a run can start. 2: it could not succeed, and why, in one sentence each.
    """
    from perf_assets.reports.forecast import examine  # noqa: PLC0415
    from perf_assets.sample.opening import open_study  # noqa: PLC0415

    place = Home.of(home)
    if not examine(open_study(study, place.path), place, click.echo):
        sys.exit(2)
