"""The regressions that benchmarks measured, one a line."""

import sys
from pathlib import Path

import click

from perf_assets.base.months import is_month
from perf_assets.base.sanitize import escape_text
from perf_assets.cli.shell import data_dir_option, friendly_errors, json_option
from perf_assets.config.data_directory import DataDirectory


def _month(_: click.Context, __: click.Parameter, value: str | None) -> str | None:
    if value is not None and not is_month(value):
        raise click.BadParameter("this is not a month; write it as YYYY-MM")
    return value


@click.command()
@click.option(
    "--since",
    callback=_month,
    help="First month, YYYY-MM; default: of the newest three months with results.",
)
@click.option(
    "--percent",
    type=click.FloatRange(0),
    default=0.0,
    help="By how much at least the median of what changed is worse.",
)
@click.option(
    "--machines", type=click.IntRange(1), default=1, help="On how many machines at least."
)
@data_dir_option
@json_option
@friendly_errors
def regressions(
    data_dir: Path, since: str | None, percent: float, machines: int, *, is_json: bool
) -> None:
    """List the regressions that benchmarks measured, one a line, the newest first.

    The exit code is 1 if there is one, else 0. One of the commits that a line names brought it.

    \b
    Examples:
        perf-assets regressions
        perf-assets regressions --since 2026-01 --percent 10 --machines 2
    """
    from perf_assets.reports.regressions import read_regressions, regression_lines
    from perf_assets.reports.status import as_json

    found = read_regressions(DataDirectory.of(data_dir).published, since, percent, machines)
    if is_json:
        click.echo(as_json({"regressions": found.to_dicts()}))
    else:
        for line in regression_lines(found):
            click.echo(escape_text(line))
    sys.exit(1 if found.height else 0)
