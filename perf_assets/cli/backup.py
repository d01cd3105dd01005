"""backup and restore: all that cannot be had again, in one file."""

from pathlib import Path
from shlex import quote

import click

from perf_assets.base.processes import shutdown
from perf_assets.cli.bars import shown_progress
from perf_assets.cli.shell import console, data_dir_option, friendly_errors
from perf_assets.config.data_directory import DataDirectory


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@data_dir_option
@friendly_errors
def backup(file: Path, data_dir: Path) -> None:
    """Write all that is stored to one FILE with checksums, also while a run goes on.

    FILE has the warehouse as of one moment and the verdicts of people. A backup that is there
    already is replaced once the new one is whole. Clones and Dagster's record are left out: the
    next run makes them again.
    """
    from perf_assets.storage.backups import write_backup

    directory = DataDirectory.existing(data_dir)
    shutdown.set_resume_hint(f"no backup was made; what was at {file} is as it was")
    with shown_progress(console):
        manifest = write_backup(directory, file)
    named = quote(str(data_dir))
    of = "" if manifest.taken_of == "warehouse" else " (as last published: a run never rested)"
    click.echo(
        f"{file}: {sum(manifest.rows.values()):,} rows of {len(manifest.rows)} tables, "
        f"{file.stat().st_size / 1e6:,.1f} MB{of}\n"
        f"Bring it back with: perf-assets restore {quote(str(file))} --data-dir {named}"
    )


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@data_dir_option
@friendly_errors
def restore(file: Path, data_dir: Path) -> None:
    """Restore a data directory from FILE, a backup, and publish it.

    What is replaced is kept below the data directory, in replaced/. Verdicts of people are never
    taken back: those that came after the backup stay.
    """
    from perf_assets.storage.restoring import restore as restored

    directory = DataDirectory.of(data_dir)
    shutdown.set_resume_hint("restore it again, it starts anew; nothing is lost")
    with shown_progress(console):
        manifest, replaced = restored(directory, file)
    click.echo(f"{directory.path} is as of {manifest.taken_at} again, and published.")
    if replaced is not None:
        click.echo(f"What it replaced is kept: {replaced}")
    named = quote(str(directory.path))
    click.echo(f"Bring it up to date with: perf-assets run --data-dir {named}")
