"""The alerts: what changed, and what people made of it."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from perf_assets.cli.shell import console, data_dir_option, friendly_errors, json_option
from perf_assets.cli.states import sets_state
from perf_assets.config.data_directory import DataDirectory

if TYPE_CHECKING:
    from perf_assets.stages.alert_states import StateSet

STATES = ("new", "known", "wont_fix", "resolved")


@click.group(invoke_without_command=True)
@click.option("--all", "is_all", is_flag=True, help="Also those that are resolved or wont_fix.")
@data_dir_option
@json_option
@click.pass_context
@friendly_errors
def alerts(context: click.Context, data_dir: Path, *, is_all: bool, is_json: bool) -> None:
    """Say what changed in the monthly series, the newest first.

    It looks for changes of the share of performance bugs, the growth of their backlog, the time to
    the first comment on them and the time until they are fixed. There is one alert for each cause.
    Alerts that are new or known are listed.

    \b
    Examples:
        perf-assets alerts
        perf-assets alerts --all --json
        perf-assets alerts set a0e9ff2519f-2021-05 known --note "the new label" --by Ann
    """
    if context.invoked_subcommand is not None:
        context.obj = data_dir
        return
    from perf_assets.reports.alerts import print_alerts, read_alerts
    from perf_assets.reports.status import as_json

    found = read_alerts(DataDirectory.of(data_dir).published, is_all=is_all)
    if is_json:
        click.echo(as_json({"alerts": found.to_dicts()}))
    else:
        print_alerts(console, found)


@alerts.command("set")
@click.argument("subject", metavar="ALERT")
@click.argument("state", type=click.Choice(STATES))
@sets_state("alerts")
def set_alert() -> "Callable[..., StateSet]":
    """Set the STATE of an ALERT: new, known, wont_fix or resolved.

    ALERT is its identifier, or the beginning of it that no other has. The state stays with the
    alert when the month that is estimated for its change moves by two months or less. States are
    kept as verdicts are: in the warehouse, in the log of the data directory and in backups.

    \b
    Examples:
        perf-assets alerts set a0e9ff2519f-2021-05 known --note "the new label" --by Ann
        perf-assets alerts set a0e9 resolved
    """
    from perf_assets.stages.alert_states import set_alert_state

    return set_alert_state
