"""The dictionary in the terminal: tables."""

import shutil

import click

from perf_assets.cli.shell import friendly_errors

WIDEST = 100


@click.command()
@click.argument("table", required=False)
@friendly_errors
def describe(table: str | None) -> None:
    """Say what the tables of the database mean.

    Without TABLE it lists all of them. With it (as schema.table, or the table's name alone): what a
    row is, its key, what it is made from, and the meaning, type and unit of each column.

    \b
    Examples:
        perf-assets describe
        perf-assets describe marts.bug_metrics
    """
    from perf_assets.reports.dictionary import (  # noqa: PLC0415
        find_table,
        table_text,
        tables_text,
    )

    width = min(shutil.get_terminal_size().columns, WIDEST)
    text = tables_text(width) if table is None else table_text(find_table(table), width)
    click.echo(text, nl=False)
