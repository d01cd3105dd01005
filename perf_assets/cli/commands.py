"""The commands of perf-assets."""

import click

from perf_assets import __version__
from perf_assets.cli.backup import backup, restore
from perf_assets.cli.corpora import generate, serve_corpus
from perf_assets.cli.docs import docs
from perf_assets.cli.doctor import doctor
from perf_assets.cli.export import export
from perf_assets.cli.query import query
from perf_assets.cli.replicate import replicate
from perf_assets.cli.review import agreement, import_review, sample_for_review
from perf_assets.cli.run import run, status
from perf_assets.cli.tables import tables
from perf_assets.cli.ui import ui


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__)
def commands() -> None:
    """How much of a project's trouble is performance trouble, month by month.

    perf-assets mines the issues and commits of GitHub repositories into DuckDB, labels the
    performance bugs, links the commits that fixed them, and keeps the statistics up to date.

    \b
    Start with the embedded sample, no token needed:
        perf-assets run
    """


for command in (
    run,
    doctor,
    replicate,
    sample_for_review,
    import_review,
    agreement,
    status,
    backup,
    restore,
    query,
    tables,
    export,
    docs,
    ui,
    serve_corpus,
    generate,
):
    commands.add_command(command)
