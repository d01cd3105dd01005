"""Answers as text and files: for a terminal, a spreadsheet, a page, another program."""

import csv
import io
import json
import math
import re
import textwrap
from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from functools import cache
from typing import Any

import polars as pl
from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from perf_assets.base.sanitize import escape_text, for_spreadsheet, in_words
from perf_assets.reports.markdown_table import markdown_table
from perf_assets.reports.query_result import QueryResult, is_number
from perf_assets.schema import declared

READABLE = 24  # a column of texts that has less room than that is not read with pleasure
WIDEST = 200  # of a column that stands beside others
UNESCAPED = re.compile(r"[\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def as_csv(answer: QueryResult) -> bytes:
    """CSV in UTF-8; no text of it runs as a formula in a spreadsheet."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(map(for_spreadsheet, answer.columns))
    for row in answer.rows:
        writer.writerow([_spreadsheet_cell(value) for value in row])
    return text.getvalue().encode()


def as_json(answer: QueryResult) -> bytes:
    """Return a JSON list of objects; NaN and infinity are null, times are ISO 8601."""
    rows = [dict(zip(answer.columns, map(plain, row), strict=True)) for row in answer.rows]
    text = json.dumps(rows, ensure_ascii=False, indent=1)
    return (UNESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", text) + "\n").encode()


def as_markdown(answer: QueryResult) -> bytes:
    """Return a table in Markdown, in which no text of a cell means anything."""
    numeric = [index for index, kind in enumerate(answer.types) if is_number(kind)]
    rows = ([shown(value) for value in row] for row in answer.rows)
    return f"{markdown_table(answer.columns, rows, numeric=numeric)}\n".encode()


FORMATS: dict[str, Callable[[QueryResult], bytes]] = {
    "csv": as_csv,
    "json": as_json,
    "markdown": as_markdown,
}


def as_parquet(rows: pl.DataFrame) -> bytes:
    """Return a Parquet file."""
    buffer = io.BytesIO()
    rows.write_parquet(buffer, compression="zstd")
    return buffer.getvalue()


def as_text(answer: QueryResult, width: int | None) -> str:
    """Return a table for a terminal of ``width`` columns (None: as wide as it takes).

    Where the columns do not fit beside each other, names are broken at underscores, and columns
    with one value in all rows stand above the table, if no cell is then broken. Otherwise, or if
    one is very wide, each row stands by itself, a line a column.
    """
    rows = [[escape_text(shown(value)) for value in row] for row in answer.rows]
    names = [escape_text(name) for name in answer.columns]
    is_right = [is_number(kind) for kind in answer.types]
    if width is None:
        if any(len(cell) > WIDEST for row in rows for cell in row):
            return _unwrapped_records(names, rows)
        return _grid(names, rows, is_right, width)
    if _least_width(names, rows) <= width:
        return _grid(names, rows, is_right, width)
    heads = [name.replace("_", "_\n") for name in names]
    if _whole_width(heads, rows) <= width:
        return _grid(heads, rows, is_right, width)
    columns = list(zip(*rows, strict=True))
    constant = {index for index, cells in enumerate(columns) if len({*cells}) == 1}
    kept = [index for index in range(len(names)) if index not in constant]
    if len(rows) > 1 and kept:
        heads, rest = [heads[i] for i in kept], [[row[i] for i in kept] for row in rows]
        if _whole_width(heads, rest) <= width:
            above = "".join(
                textwrap.fill(f"{names[i]}: {columns[i][0]}", width) + "\n"
                for i in sorted(constant)
            )
            return above + _grid(heads, rest, [is_right[i] for i in kept], width)
    return records(names, rows, width)


def _grid(
    names: Sequence[str],
    rows: Sequence[Sequence[str]],
    is_right: Sequence[bool],
    width: int | None,
) -> str:
    grid = Table(box=box.SIMPLE_HEAD, padding=(0, 1), pad_edge=False, collapse_padding=True)
    for name, right in zip(names, is_right, strict=True):
        grid.add_column(
            Text(name), justify="right" if right else "left", overflow="fold", no_wrap=right
        )
    for row in rows:
        grid.add_row(*map(Text, row))
    return _rendered(grid, width)


def shown(value: object) -> str:  # noqa: PLR0911
    """Return a value as people read it: - for NULL, lists with commas, moments without a zone."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.6g}" if abs(value) < 1e6 else f"{value:.1f}"
    if isinstance(value, datetime):
        return value.replace(tzinfo=None).isoformat(" ", "auto")
    if isinstance(value, list | tuple) and not any(isinstance(item, dict) for item in value):
        return ", ".join(map(shown, value))
    if isinstance(value, list | dict):
        return json.dumps(plain(value), ensure_ascii=False)
    return str(value)


def rounded(value: object) -> str:
    """Return a value for a report: numbers to the digits that matter, - for NULL."""
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.2g}" if 0 < abs(value) < 0.01 else f"{value:,.2f}".rstrip("0").rstrip(".")
    return f"{value:,}" if isinstance(value, int) else str(value)


def texts(rows: pl.DataFrame) -> Iterator[tuple[str, ...]]:
    """Return the rows of a table for a report: p-values, numbers, words; - for NULL."""
    worded = with_words(rows)
    columns = ([_report_cell(column.name, value) for value in column] for column in worded)
    return zip(*columns, strict=True)


def with_words(rows: pl.DataFrame) -> pl.DataFrame:
    """``rows`` with plain words for the values that columns of ours are declared to have."""
    return rows.with_columns(pl.col(pl.String).replace(_words_of_values()))


@cache
def _words_of_values() -> dict[str, str]:
    columns = (column for table in declared().values() for column in table.columns)
    return {str(value): in_words(str(value)) for column in columns for value in column.values or ()}


def _report_cell(column: str, value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and (column == "p" or column.startswith("p_")):
        return "< 0.001" if value < 0.001 else f"{value:.3f}"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return str(value) if column == "number" and value is not None else rounded(value)


def _spreadsheet_cell(value: object) -> object:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float | Decimal):
        return value
    if isinstance(value, list | dict):  # of which no entry is told apart by a comma
        return json.dumps(plain(value), ensure_ascii=False)
    return for_spreadsheet(str(value))


def plain(value: Any) -> Any:  # noqa: ANN401, PLR0911
    """Return a value as JSON has it: NaN and infinity as null, times as texts of ISO 8601."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return str(value)


def _least_width(names: Sequence[str], rows: Sequence[Sequence[str]]) -> int:
    """Return how wide the columns are where no number is cut and texts still have some room."""
    width = 0
    for index, name in enumerate(names):
        longest = max((cell_len(row[index]) for row in rows), default=0)
        longest_word = max(map(cell_len, name.split() or [""]))  # which a header does not cut
        width += max(longest_word, min(longest, READABLE)) + 1
    return width


def _whole_width(names: Sequence[str], rows: Sequence[Sequence[str]]) -> int:
    """Return how wide the columns are where no cell is broken, and names only between words."""
    widths = (
        max(map(cell_len, (*name.split(), *(row[index] for row in rows))), default=0)
        for index, name in enumerate(names)
    )
    return sum(width + 1 for width in widths)


def records(names: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> str:
    """Return each row by itself, a line a column, in ``width`` columns."""
    parts = []
    for number, row in enumerate(rows, 1):
        grid = Table.grid(padding=(0, 2))
        grid.add_column(no_wrap=True)
        grid.add_column(overflow="fold")
        for name, cell in zip(names, row, strict=True):
            grid.add_row(Text(name), Text(cell))
        parts.append(f"— {number} —\n{_rendered(grid, width)}")
    return "\n".join(parts)


def _unwrapped_records(names: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a line for each cell, however long."""
    wide = max(map(cell_len, names))
    return "".join(
        f"— {number} —\n" + "".join(f"{n:<{wide}}  {c}\n" for n, c in zip(names, row, strict=True))
        for number, row in enumerate(rows, 1)
    )


def _rendered(grid: Table, width: int | None) -> str:
    text = io.StringIO()
    console = Console(file=text, width=width or 100_000, color_system=None, legacy_windows=False)
    console.print(grid)
    lines = [line.rstrip() for line in text.getvalue().splitlines()]
    return "\n".join(line for line in lines if line) + "\n"
