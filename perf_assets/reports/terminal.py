"""Sentences and tables for a terminal, in which no word is cut."""

import textwrap

import polars as pl
from rich import box
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from perf_assets.base.sanitize import escape_text
from perf_assets.reports.formats import records, rounded, with_words

UNLIMITED = 10_000  # columns


def say(console: Console, text: str, indent: str = "", style: str | None = None) -> None:
    """Print ``text``, what follows its first line further in; whole where no terminal shows it."""
    lines = textwrap.wrap(
        escape_text(text),
        console.width,
        initial_indent=indent,
        subsequent_indent=f"{indent}    ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    for line in lines if console.is_terminal else [f"{indent}{escape_text(text)}"]:
        console.print(line, style=style, soft_wrap=True, highlight=False, markup=False)


def print_table(console: Console, title: str, rows: pl.DataFrame) -> None:
    """Print ``rows`` below their title; where a word would be cut, a line for each value."""
    cells = [[escape_text(rounded(value)) for value in row] for row in with_words(rows).iter_rows()]
    table = Table(box=box.SIMPLE, padding=(0, 1), pad_edge=False, collapse_padding=True)
    for name, kind in rows.schema.items():
        is_number = kind.is_numeric()
        table.add_column(name, justify="right" if is_number else "left", no_wrap=name == "metric")
    for row in cells:
        table.add_row(*map(Text, row))
    say(console, title, style="bold")
    unlimited = console.options.update(max_width=UNLIMITED)
    if Measurement.get(console, unlimited, table).minimum > console.width:
        shown = records(rows.columns, cells, console.width)
        console.print(shown, soft_wrap=True, highlight=False, markup=False)
    else:
        console.print(table)
