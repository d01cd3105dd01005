"""The regressions that benchmarks measured, one a line."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from perf_assets.base.months import is_month
from perf_assets.base.sanitize import escape_text
from perf_assets.cli.shell import data_dir_option, friendly_errors, json_option
from perf_assets.cli.states import sets_state
from perf_assets.config.data_directory import DataDirectory

if TYPE_CHECKING:
    from perf_assets.stages.alert_states import StateSet

STATES = ("new", "known", "intended")


def _month(_: click.Context, __: click.Parameter, value: str | None) -> str | None:
    if value is not None and not is_month(value):
        raise click.BadParameter("this is not a month; write it as YYYY-MM")
    return value


@click.group(invoke_without_command=True)
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
@click.option("--all", "is_all", is_flag=True, help="Also those that are known or intended.")
@data_dir_option
@json_option
@click.pass_context
@friendly_errors
def regressions(
    context: click.Context,
    data_dir: Path,
    since: str | None,
    percent: float,
    machines: int,
    *,
    is_all: bool,
    is_json: bool,
) -> None:
    """List the regressions that benchmarks measured, one a line, the newest first.

    One of the commits that a line names brought it. Machines and benchmarks that are silent for
    longer than usual follow. The exit code is 1 if there is a regression, else 0.

    \b
    Examples:
        perf-assets regressions
        perf-assets regressions --since 2026-01 --percent 10 --machines 2
        perf-assets regressions set r1c0b5a9d3e intended --note "checks the input" --by Ann
    """
    if context.invoked_subcommand is not None:
        context.obj = data_dir
        return
    from perf_assets.reports.regressions import (
        read_regressions,
        read_silences,
        regression_lines,
        silence_lines,
    )
    from perf_assets.reports.status import as_json

    published = DataDirectory.of(data_dir).published
    found = read_regressions(published, since, percent, machines, is_all=is_all)
    silences = read_silences(published)
    if is_json:
        rows = {"regressions": found.to_dicts(), "silences": silences.to_dicts()}
        click.echo(as_json(rows))
    else:
        for line in (*regression_lines(found), *silence_lines(silences)):
            click.echo(escape_text(line))
    sys.exit(1 if found.height else 0)


@regressions.command("set")
@click.argument("subject", metavar="REGRESSION")
@click.argument("state", type=click.Choice(STATES))
@sets_state("regressions")
def set_regression() -> "Callable[..., StateSet]":
    """Set the STATE of a REGRESSION: new, known or intended.

    REGRESSION is its identifier, or the beginning of it that no other has. Of one that is intended
    the new level is the one that counts from then on. The state stays with the regression when
    further results leave fewer commits that may have brought it.

    \b
    Examples:
        perf-assets regressions set r1c0b5a9d3e intended --note "checks the input" --by Ann
        perf-assets regressions set r1c0 known
    """
    from perf_assets.stages.alert_states import set_regression_state

    return set_regression_state
