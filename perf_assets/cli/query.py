"""Asking the published database by name: query."""

import re
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, NoReturn

import click

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.sanitize import escape_text, without_controls
from perf_assets.cli.shell import data_dir_option, friendly_errors

if TYPE_CHECKING:
    from perf_assets.reports.charts import Axes
    from perf_assets.reports.query_result import QueryResult
    from perf_assets.schema.models.cookbook import Query

NAME = re.compile(r"[\w-]+")
TABLE = re.compile(r"[A-Za-z_]\w*\.[A-Za-z_]\w*")
SUFFIXES = {
    ".txt": "table",
    ".csv": "csv",
    ".json": "json",
    ".parquet": "parquet",
    ".md": "markdown",
}
WIDEST = 100


@click.command()
@click.argument("text", metavar="[NAME|FILE|SQL]", required=False)
@click.option(
    "--search",
    "searched",
    metavar="WORDS",
    help="List the questions of the cookbook that have these words, their groups and synonyms too.",
)
@click.option(
    "--param",
    "given",
    multiple=True,
    metavar="NAME=VALUE",
    help="Sets a parameter of the query; may be given several times.",
)
@click.option(
    "--format",
    "kind",
    type=click.Choice(["table", "csv", "json", "parquet", "markdown"]),
    help="Default: as the name of --output says, else table.",
)
@click.option("--output", type=click.Path(path_type=Path), help="Write the answer to this file.")
@click.option(
    "--rows",
    type=click.IntRange(0, 2**31),
    default=100,
    show_default=True,
    help="How many rows a table shows; 0: all. The other formats have all.",
)
@click.option(
    "--plot",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Draw the answer: a page that opens offline (.html), or a picture (.png, .svg).",
)
@click.option("--x", help="The column on the x-axis of the picture; default: the time, or words.")
@click.option("--y", help="The column on its y-axis; default: the first share or number.")
@click.option("--color", help="The column that has colours; default: repository.")
@data_dir_option
@friendly_errors
def query(  # noqa: PLR0913
    text: str | None,
    *,
    searched: str | None,
    given: tuple[str, ...],
    kind: str | None,
    output: Path | None,
    rows: int,
    plot: Path | None,
    x: str | None,
    y: str | None,
    color: str | None,
    data_dir: Path,
) -> None:
    """Query the published database: by NAME from the cookbook, from a FILE, or as SQL.

    Without one it lists the cookbook, its questions by group. It only reads, and never the
    database that runs write. FILE may be - for the standard input, and schema.table is the whole
    table. A table shows texts without codes that a terminal would obey, and no cell of a CSV file
    runs as a formula.

    \b
    Examples:
        perf-assets query
        perf-assets query --search regression
        perf-assets query fix_coverage
        perf-assets query bug_reports_as_of_a_month --param month=2021-06
        perf-assets query monthly_share_of_new_bugs --plot share.html
        perf-assets query "FROM marts.trend_monthly LIMIT 3" --format json
        perf-assets query marts.bug_metrics --output bugs.parquet
    """
    if text is not None and searched is not None:
        raise PerfAssetsError("--search lists questions: leave out the query beside it")
    if text is None and not given:
        click.echo("\n".join(_listed(searched or "")))
        return
    from perf_assets.config.data_directory import DataDirectory
    from perf_assets.reports.charts import Axes
    from perf_assets.reports.formats import FORMATS, as_parquet
    from perf_assets.reports.query_runner import query_frame, run_query

    values = _values(given)
    if text is None:
        raise PerfAssetsError("--param sets a parameter of a query: name the query before it")
    chosen = _query(text)
    kind = kind or ("table" if output is None else _kind_of(output))
    if kind == "parquet" and output is None and sys.stdout.isatty():
        raise PerfAssetsError("a Parquet file is nothing for a terminal: name one with --output")
    database = DataDirectory.existing(data_dir).published
    if plot is not None:
        _draw(plot, run_query(database, chosen, values), chosen, Axes(x, y, color))
        if output is None:
            return
    if kind == "parquet":
        frame = query_frame(database, chosen, values)
        _write(as_parquet(frame), kind, output, frame.height)
    else:
        answer = run_query(database, chosen, values)
        content = _as_table(answer, output, rows) if kind == "table" else FORMATS[kind](answer)
        _write(content, kind, output, len(answer.rows))


def _listed(searched: str) -> Iterator[str]:
    """Yield the questions that a search finds, by group, each with its name and parameters."""
    from perf_assets.schema.models.cookbook import by_group, cookbook, search

    queries = search(cookbook().values(), searched)
    if not queries:
        raise PerfAssetsError(
            f"--search {escape_text(searched)}: no question of the cookbook has these words; "
            "perf-assets query lists all questions"
        )
    width = min(shutil.get_terminal_size().columns, WIDEST)
    for group, entries in by_group(queries).items():
        yield click.style(f"{group.capitalize()}\n", bold=True)
        for entry in entries:
            yield _wrapped(entry.question, width, 2)
            yield "    " + click.style(entry.name, bold=True)
            for parameter in entry.parameters.values():
                yield _wrapped(f"--param {parameter.assignment}: {parameter.meaning}", width, 4)
        yield ""
    yield "Ask with: perf-assets query NAME [--param NAME=VALUE] [--plot FILE.html]"
    yield "Search with: perf-assets query --search WORDS"


def _wrapped(text: str, width: int, indent: int) -> str:
    return fill(text, width, initial_indent=" " * indent, subsequent_indent=" " * indent)


def _query(text: str) -> "Query":
    from perf_assets.schema.models.cookbook import cookbook, parse_query_file, read_query

    if text in cookbook():
        return cookbook()[text]
    if text == "-":
        return parse_query_file("the query", sys.stdin.read())
    if text.endswith(".sql") or _is_file(text):
        return read_query(Path(text))
    if NAME.fullmatch(text):
        _refuse_name(text)
    if TABLE.fullmatch(text):
        return parse_query_file(text, f"FROM {text}")
    return parse_query_file("the query", text)


def _refuse_name(text: str) -> NoReturn:
    """Raise PerfAssetsError: no query is called so, but perhaps a table is."""
    from perf_assets.base.config_files import nearest
    from perf_assets.schema.models.cookbook import cookbook
    from perf_assets.schema.models.files import described_tables

    tables = [table for table in described_tables() if table.partition(".")[2] == text]
    if tables:
        raise PerfAssetsError(
            f"{text} is a table, and not a query of the cookbook: show it with perf-assets query "
            f"{' or '.join(tables)}"
        )
    raise PerfAssetsError(
        f"{text}: the cookbook has no such query; {nearest(text, cookbook())} (perf-assets query "
        "lists all)"
    )


def _kind_of(output: Path) -> str:
    """Return the format that the name of a file says; PerfAssetsError where it says none."""
    kind = SUFFIXES.get(output.suffix.lower())
    if kind is None:
        *endings, last = SUFFIXES
        raise PerfAssetsError(
            f"{output}: an answer is written as {', '.join(endings)} or {last}; choose another "
            "name, or the format with --format"
        )
    return kind


def _is_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except (OSError, ValueError):  # a name too long, or with NUL: SQL, then
        return False


def _values(given: Sequence[str]) -> dict[str, str]:
    values: dict[str, str] = {}
    for text in given:
        name, sign, value = text.partition("=")
        if not sign or not name:
            raise PerfAssetsError(f"--param {text}: NAME=VALUE is needed here")
        values[name.strip()] = value
    return values


def _as_table(answer: "QueryResult", output: Path | None, rows: int) -> bytes:
    from perf_assets.reports.formats import as_text

    is_shown = output is None and sys.stdout.isatty()
    width = shutil.get_terminal_size().columns if is_shown else None
    text, number = as_text(answer.first(rows) if rows else answer, width), len(answer.rows)
    if rows and number > rows:
        text += f"\n{rows:,} of {number:,} rows: --rows 0 shows all\n"
    return text.encode()


def _write(content: bytes, kind: str, output: Path | None, rows: int) -> None:
    from perf_assets.base.files import write_output_file

    if output is not None:
        write_output_file(output, content)
        click.echo(f"{output}: {rows:,} rows", err=True)
        return
    if kind != "parquet" and sys.stdout.isatty():
        content = without_controls(content.decode()).encode()
    click.echo(content, nl=False)


def _draw(path: Path, answer: "QueryResult", query: "Query", axes: "Axes") -> None:
    from perf_assets.base.files import write_output_file
    from perf_assets.reports.charts import chart, chart_file

    title = query.question or query.name
    try:
        spec = chart(answer, title, axes)
    except PerfAssetsError as error:
        raise PerfAssetsError(f"{escape_text(query.name)}: {error}") from None
    write_output_file(path, chart_file(path, spec, title))
    click.echo(f"{path}: drawn from {len(answer.rows):,} rows", err=True)
