"""forget: take a person out of all that is stored, and keep them out."""

from pathlib import Path
from shlex import quote

import click

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.processes import shutdown
from perf_assets.cli.bars import shown_progress
from perf_assets.cli.shell import console, data_dir_option, friendly_errors
from perf_assets.config.data_directory import DataDirectory
from perf_assets.config.people import checked_login


@click.command()
@click.argument("login")
@click.option(
    "--email", "emails", multiple=True, help="An address of theirs in commits; may be repeated."
)
@click.option("--yes", is_flag=True, help="It is meant so; without it nothing is changed.")
@data_dir_option
@friendly_errors
def forget(login: str, emails: tuple[str, ...], data_dir: Path, *, yes: bool) -> None:
    """Take the person with the account LOGIN out of all tables and of what is published.

    A name that says nothing stands for them instead, the same everywhere, so that all counts stay;
    mentions of them in texts become it too. They are kept out when issues and commits are read
    again, and when a backup is restored. It cannot be undone. The clone of a repository has its
    history as it is; backups that were taken before, warehouses below replaced/, and copies that
    others have, are as they were.

    \b
    Example:
        perf-assets forget octocat --email octocat@example.org
    """
    from perf_assets.storage import forgetting

    directory = DataDirectory.existing(data_dir)
    login = checked_login(login)
    if not yes:
        raise PerfAssetsError(
            f"{login} would be forgotten in {directory.path} for good, which cannot be undone: say "
            "that it is meant so with --yes"
        )
    shutdown.set_resume_hint(f"run perf-assets forget {quote(login)} again; nothing is lost")
    with shown_progress(console):
        addresses, changed = forgetting.forget(directory, login, emails)
    values = sum(changed.values())
    click.echo(
        f"{login} is forgotten: {values:,} values of {len(changed)} tables are others now, with "
        f"{addresses} address{'' if addresses == 1 else 'es'} of commits, and what is published "
        "is new. The report follows with the next run: perf-assets run"
    )
