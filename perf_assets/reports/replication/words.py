"""The comparison in words: numbers as people read them, and the table on the terminal."""

from collections.abc import Mapping
from datetime import date, timedelta

import polars as pl
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from perf_assets.core.paper.figures import DAY, READINGS, month_of_number
from perf_assets.months import is_month
from perf_assets.plain import plain

COLUMNS = ("place", "repository", "figure", "published", "reproduced", "verdict", "note")


def number_text(value: object) -> str:
    """A number with the digits that matter: ``16,284``, ``20.34``, ``0.2433``, ``9.3e-10``."""
    if not isinstance(value, (int, float)):
        return "–"
    if float(value).is_integer():
        return f"{int(value):,}"
    return f"{value:.4g}" if abs(value) < 1 else f"{value:,.2f}"


def reproduced_text(row: Mapping[str, object]) -> str:
    """The reproduced value of a ``row`` of the comparison; days, months and words as such."""
    value, text = row["reproduced"], str(row["published_text"])
    if isinstance(value, float) and DAY.fullmatch(text):
        return str(date(1970, 1, 1) + timedelta(days=value))
    if isinstance(value, float) and is_month(text):
        return month_of_number(int(value))
    if isinstance(value, float) and text in READINGS:
        return READINGS[int(value)]
    return number_text(value)


def print_comparison(comparison: pl.DataFrame, console: Console) -> None:
    """Print the comparison, a table for each study, with its reasons as numbered notes below.

    What cannot be derived is counted by reason, not listed.
    """
    is_derived = pl.col("verdict") != "not derivable"
    notes: dict[str, int] = {}
    for (study,), rows in comparison.filter(is_derived).group_by("study", maintain_order=True):
        console.print(_table(f"The study of {study} and its reproduction", rows, notes))
    for reason, number in notes.items():
        console.print(f"{number:>3}  {plain(reason)}", highlight=False, markup=False)
    console.print()
    missing = comparison.filter(~is_derived).group_by("reason", maintain_order=True).len()
    for reason, count in missing.iter_rows():
        console.print(f"{count} not derivable: {plain(reason)}", highlight=False, markup=False)
    counts = comparison.group_by("verdict").len().sort("len", descending=True).iter_rows()
    told = ", ".join(f"{count} {verdict}" for verdict, count in counts)
    console.print(f"{comparison.height} figures: {told}", highlight=False)


def _table(title: str, rows: pl.DataFrame, notes: dict[str, int]) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE)
    for name in COLUMNS:
        is_number = name in ("published", "reproduced", "note")
        table.add_column(name, justify="right" if is_number else "left", overflow="fold")
    for row in rows.iter_rows(named=True):
        reason = row["reason"]
        note = "" if reason is None else str(notes.setdefault(reason, len(notes) + 1))
        texts = [row[name] for name in ("place", "repository", "quantity", "published_text")]
        cells = [*texts, reproduced_text(row), row["verdict"], note]
        table.add_row(*(Text(plain(cell)) for cell in cells))
    return table
