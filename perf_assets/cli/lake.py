"""lake: what is in it, and moving months between a data directory and the lake."""

from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import click

from perf_assets.base.processes import shutdown
from perf_assets.cli.bars import shown_progress
from perf_assets.cli.shell import console, data_dir_option, friendly_errors
from perf_assets.config.data_directory import DataDirectory

if TYPE_CHECKING:
    from perf_assets.lake.location import Lake

lake_option = click.option(
    "--lake",
    "url",
    required=True,
    envvar="PERF_ASSETS_LAKE",
    metavar="URL",
    help="A folder (/path, file:///path) or s3://bucket/prefix, with credentials from the "
    "environment (AWS_ACCESS_KEY_ID, ...). Environment: PERF_ASSETS_LAKE.",
)
subjects_option = click.option(
    "--repository",
    "subjects",
    multiple=True,
    metavar="NAME",
    help="owner/name, or forum:tag set; may be given several times. Default: all.",
)


@click.group()
def lake() -> None:
    """Push what was mined to a lake of Delta tables, pull it back, and keep the lake small."""


@lake.command()
@lake_option
@friendly_errors
def status(url: str) -> None:
    """Show how large each table of the lake is, and when it was last pushed to."""
    from perf_assets.lake.maintenance import sizes

    tables = sizes(_lake(url))
    click.echo(
        f"{'table':30} {'rows':>12} {'stored':>12} {'files':>7} {'MB':>9} {'commits':>8}  newest"
    )
    for table in tables:
        newest = "" if table.newest is None else f"{table.newest:%Y-%m-%d %H:%M} UTC"
        click.echo(
            f"{table.table:30} {table.rows:>12,} {table.stored:>12,} {table.files:>7,} "
            f"{table.bytes / 1e6:>9,.1f} {table.versions:>8,}  {newest}"
        )


@lake.command()
@lake_option
@subjects_option
@data_dir_option
@friendly_errors
def push(url: str, subjects: tuple[str, ...], data_dir: Path) -> None:
    """Push the months of the data directory that differ from those in the lake."""
    from perf_assets.lake.contents import subjects_in
    from perf_assets.lake.push import push as pushed
    from perf_assets.storage.warehouse import open_warehouse

    directory = DataDirectory.of(data_dir)
    target = _lake(url, directory)
    shutdown.set_resume_hint("push again; what was released is whole")
    with shown_progress(console), open_warehouse(directory.warehouse) as database:
        for subject in subjects or subjects_in(database):
            done = pushed(database, target, subject)
            if done.commits:
                click.echo(
                    f"{subject}: {len(done.months):,} months, {done.rows:,} rows of {done.tables} "
                    f"tables, {done.commits} commits, {done.bytes / 1e6:,.2f} MB"
                )
            else:
                click.echo(f"{subject}: unchanged")


@lake.command()
@lake_option
@subjects_option
@data_dir_option
@friendly_errors
def pull(url: str, subjects: tuple[str, ...], data_dir: Path) -> None:
    """Pull released months into the data directory; other repositories in it stay as they are.

    Months of the pulled repositories that the data directory mined and did not push are replaced.
    """
    from perf_assets.lake.pull import pull as pulled
    from perf_assets.lake.pull import subjects_of
    from perf_assets.storage.forgetting import keep_out
    from perf_assets.storage.warehouse import open_warehouse

    directory = DataDirectory.of(data_dir)
    target = _lake(url, directory)
    shutdown.set_resume_hint("pull again, it goes on where it stopped")
    with shown_progress(console), open_warehouse(directory.warehouse) as database:
        named = subjects or subjects_of(target)
        done = pulled(database, target, named, only=False)
        keep_out(database, directory)
    click.echo(
        f"{len(named):,} repositories and tag sets: {done.months:,} months pulled with "
        f"{done.rows:,} rows of {done.tables} tables, {done.removed:,} months removed."
    )


@lake.command()
@lake_option
@click.option(
    "--retention-days",
    type=click.FloatRange(min=0, max=36_500),
    default=7,
    show_default=True,
    help="How long what was superseded can still be read.",
)
@click.option(
    "--purge",
    "is_purging",
    is_flag=True,
    help="Write files anew however few of their rows were superseded, as for a person who is "
    "forgotten. Rows of the last day stay, as a push may be under way.",
)
@friendly_errors
def optimize(url: str, retention_days: float, *, is_purging: bool) -> None:
    """Remove superseded rows, compact small files, delete files that nobody reads."""
    from perf_assets.lake.maintenance import DEAD_SHARE
    from perf_assets.lake.maintenance import maintain as maintained

    shutdown.set_resume_hint("optimize again; nothing is lost")
    with shown_progress(console):
        dead_share = 0.0 if is_purging else DEAD_SHARE
        done = maintained(_lake(url), timedelta(days=retention_days), dead_share=dead_share)
    for table in done:
        if table.buckets or table.deleted or table.left:
            left = f", {table.left} buckets left for the next time, as workers push to them"
            click.echo(
                f"{table.table}: {table.dropped:,} rows deleted, {table.files_before:,} files are "
                f"{table.files_after:,}, {table.bytes_before / 1e6:,.1f} MB are "
                f"{table.bytes_after / 1e6:,.1f} MB, {table.deleted:,} files deleted"
                f"{left if table.left else ''}"
            )
    before, after = (
        sum(getattr(table, name) for table in done) for name in ("bytes_before", "bytes_after")
    )
    click.echo(f"{len(done)} tables: {before / 1e6:,.1f} MB are {after / 1e6:,.1f} MB.")


def _lake(url: str, data_dir: DataDirectory | None = None) -> "Lake":
    from perf_assets.lake.location import Lake

    return Lake.of(url, data_dir)
