"""What a person reads at the end of a run, and from ``perf-assets review agreement``."""

import os
import sys
from datetime import datetime
from pathlib import Path
from shlex import quote

import click
import polars as pl
from rich.console import Console

from perf_assets.base.errors import PerfAssetsError
from perf_assets.config.data_directory import DEFAULT, DataDirectory
from perf_assets.config.study import SAMPLE, Study
from perf_assets.reports.document import Document, summary
from perf_assets.reports.monthly.contents import read_first, read_heading, read_short
from perf_assets.reports.quality import remarks, warnings
from perf_assets.reports.sql_files import rows_of, sql_of
from perf_assets.reports.terminal import print_table, say
from perf_assets.reports.top_repositories import passed_over, remark, without
from perf_assets.storage.warehouse import reading

ODD_TITLE = "Months and rows to check (perf-assets docs draws them)"
TABLES = {
    "table_1_of_mined": "bug reports",
    "trends": "is the share of performance bugs changing? (p_adjusted: for all headline tests, "
    "Holm)",
    "papers_test": "the paper's test (Cox-Stuart), and how often it finds a rise in permuted "
    "labels",
    "analysis.open_share_changes": "why the open share changes: what is reported, and how long it "
    "stays open",
    "closing": "how often open performance bugs are closed, compared with others of the same age",
    "fixed_within": "how many bugs are fixed within so many days, allowing for those closed "
    "without a fix (Gray's test of the curves)",
    "groups": "performance bugs / other bugs (Mann-Whitney U, pooled van Elteren; Cliff's delta)",
    "asked": "what users ask, and how often an answer is accepted",
    "findings": "findings of static checks, from the first quarter to the newest",
}
"""The tables of results: the query of each, and its title."""

OF_LABELS = ("quality", "agreement", "disagreements")
VERDICTS = {
    "quality": "how good the labels are, with 95 % confidence",
    "agreement": "do the raters agree? (kappa, with 95 % confidence)",
    "disagreements": "answers on which the raters disagree",
    "questions": "how people judged its questions: those with performance stems, and others",
    "question_agreement": "do the raters agree on its questions? (kappa, with 95 % confidence)",
    "endorsement_precision": "how often comments that count as endorsing an answer endorse it, "
    "with 95 % confidence",
    "finding_precision": "how often findings of static checks are right, with 95 % confidence",
    "finding_agreement": "do the raters agree on findings? (kappa, with 95 % confidence)",
}
"""What people judged: the query of each table, and its title. An older version published only
those ``OF_LABELS``."""


def print_headlines(published: Path, console: Console) -> None:
    """Print what was found in a few sentences: the first screen of the report, and the forums."""
    with reading(published) as connection:
        parts = read_short(connection)
    for part in parts:
        say(console, part.title, style="bold")
        for sentence in part.words:
            say(console, sentence, indent="  ")


def print_markdown(published: Path) -> None:
    """Print the first screen of the report as Markdown."""
    with reading(published) as connection:
        title, _ = read_heading(connection)
        first = read_first(connection)
    click.echo(summary(Document(title, [], [], first)), nl=False)


def print_summary(published: Path, console: Console) -> None:
    """Print every table of the results, and what to look at before they are trusted."""
    with reading(published) as connection:
        left_out = passed_over(connection)
        for name, title in TABLES.items():
            _print_by_repository(console, title, without(rows_of(connection, name), left_out))
        for sentence in [*remark(left_out), *remarks(connection)]:
            say(console, sentence)
            console.print()
        odd = warnings(connection)
    if odd:
        say(console, f"{ODD_TITLE}:")
        for sentence in odd:
            say(console, sentence, indent="  ")
        console.print()


def print_not_whole(published: Path, console: Console) -> None:
    """Print which rows are set aside and which tables are not available, where there are some."""
    with reading(published) as connection:
        for name in ("not_whole", "rows_set_aside"):
            for (sentence,) in rows_of(connection, name).iter_rows():
                say(console, sentence)


def print_cost(warehouse: Path, since: datetime, console: Console) -> None:
    """Print how many requests were sent to GitHub and forums from ``since`` on."""
    with reading(warehouse) as connection:
        ((requests, points),) = connection.sql(sql_of("cost"), params=[since]).fetchall()
    if requests:
        limited = f", {points:,} points of GitHub's rate limit" if points else ""
        say(console, f"Requests: {requests:,}{limited}")


def print_next_steps(study: Study, data_dir: DataDirectory, console: Console) -> None:
    """Print where the database is and what to try next, as commands that can be pasted."""
    called = Path(sys.argv[0])
    is_module = called.name == "__main__.py"
    program = f"{_shown(Path(sys.executable))} -m perf_assets" if is_module else _shown(called)
    is_default = data_dir.path == DEFAULT.resolve()
    at_data_dir = "" if is_default else f" --data-dir {_shown(data_dir.path)}"
    is_sample = study.path == data_dir.path / SAMPLE / "study.toml"
    options = f"{'' if is_sample else f' --study {_shown(study.path)}'}{at_data_dir}"
    database = _shown(data_dir.published)
    steps = [
        f"Your own repository: write a study.toml of five lines (README.md), then\n"
        f"     GITHUB_TOKEN=... {program} run --study study.toml --data-dir my-study",
        f"The Dagster UI, with every asset, check and partition:\n     {program} ui{options}",
        f"A query of the cookbook (without a name: all of them):\n"
        f"     {program} query monthly_share_of_new_bugs{at_data_dir}",
    ]
    lines = (
        f"\nReport: {_shown(data_dir.report_page)}\nPublished database: {database}",
        f"All tables of results: {program} report --full{at_data_dir}\n\nNext:",
        *(f"  {place}. {step}" for place, step in enumerate(steps[not is_sample :], 1)),
    )
    console.print("\n".join(lines), soft_wrap=True, highlight=False, markup=False)


def _shown(path: Path) -> str:
    """``path`` as one would type it here, in a command too."""
    absolute = Path(os.path.abspath(path))  # noqa: PTH100  (resolving would leave the venv)
    here = Path.cwd()
    return quote(str(absolute.relative_to(here) if absolute.is_relative_to(here) else path))


def read_agreement(published: Path) -> dict[str, pl.DataFrame]:
    """Return what the verdicts say of the labels (quality), how far raters agree, and what to
    discuss.

    Raises
    ------
    PerfAssetsError
        Nobody has judged anything yet.
    """
    with reading(published) as connection:
        verdicts = {
            name: rows_of(connection, name, is_optional=name not in OF_LABELS) for name in VERDICTS
        }
    precisions = ("quality", "questions", "finding_precision", "endorsement_precision")
    if all(verdicts[name].is_empty() for name in precisions):
        raise PerfAssetsError(
            f"{published} has no verdicts yet: judge in the page of perf-assets review serve and "
            "bring the answers in with perf-assets review collect, or draw a sheet with "
            "perf-assets review sample and bring it back with perf-assets review import"
        )
    return verdicts


def print_agreement(published: Path, console: Console) -> None:
    """Print what the verdicts say of the labels, how far raters agree, and what to discuss.

    Raises
    ------
    PerfAssetsError
        Nobody has judged anything yet.
    """
    verdicts = read_agreement(published)
    agreements = ("agreement", "question_agreement", "finding_agreement")
    for name, title in VERDICTS.items():
        _print_by_repository(console, title, verdicts[name])
        if name == "quality" and all(verdicts[other].is_empty() for other in agreements):
            console.print("Nothing was judged by two raters yet.\n")


def _print_by_repository(console: Console, title: str, rows: pl.DataFrame) -> None:
    column = "forum" if "forum" in rows.columns else "repository"
    groups = rows.group_by(column, maintain_order=True) if rows.height else ()
    for (name,), part in groups:
        print_table(console, f"{name}: {title}", part.drop(column))
