"""Archives: archive, check-archive, compare."""

import sys
from collections.abc import Mapping
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Literal

import click

from perf_assets.base.processes import shutdown
from perf_assets.base.processes.progress import phase
from perf_assets.base.sanitize import escape_text
from perf_assets.cli.bars import shown_progress
from perf_assets.cli.shell import console, data_dir_option, friendly_errors, importing
from perf_assets.config.data_directory import DataDirectory

if TYPE_CHECKING:
    import polars as pl

    from perf_assets.archive.findings import Check, Finding

DIFFERENT = 1
MOST_SECRETS = 50
MOST_WORDS = 20


@click.command()
@click.argument("output", metavar="OUT.zip", type=click.Path(path_type=Path))
@click.option(
    "--study",
    envvar="PERF_ASSETS_STUDY",
    metavar="FILE",
    help="The study that the data directory was made by; default: the packaged one of its name. "
    "Environment: PERF_ASSETS_STUDY.",
)
@click.option(
    "--pseudonymise",
    "is_pseudonymised",
    is_flag=True,
    help="Keyed hashes stand for people, in columns and inside texts; the key stays in the data "
    "directory.",
)
@click.option(
    "--without-texts",
    is_flag=True,
    help="Leave out titles and bodies; what follows from them stays, but cannot be computed again.",
)
@click.option(
    "--secrets",
    type=click.Choice(["refuse", "remove", "keep"]),
    default="refuse",
    show_default=True,
    help="What becomes of tokens and keys that people pasted into texts.",
)
@click.option(
    "--author",
    "authors",
    multiple=True,
    metavar="NAME",
    help="Who is to be cited for it; may be given several times.",
)
@data_dir_option
@friendly_errors
def archive(
    *,
    output: Path,
    study: str | None,
    is_pseudonymised: bool,
    without_texts: bool,
    secrets: Literal["refuse", "remove", "keep"],
    authors: tuple[str, ...],
    data_dir: Path,
) -> None:
    """Write the whole study to OUT.zip, a file that others can cite, check and go on with.

    It holds the published tables as Parquet and as a DuckDB database, the report, the meaning of
    every column, the study file, rules, codebooks and verdicts, the versions of all libraries, and
    metadata as RO-Crate, Frictionless data package, Croissant and CITATION.cff. Everybody can check
    it with perf-assets check-archive. The same database gives the same bytes.

    Secrets that are found in texts are listed, and nothing is written until you say what is to
    become of them. People who were forgotten, and issues that were deleted, are not in it.

    \b
    Examples:
        perf-assets archive study.zip
        perf-assets archive study.zip --study study.toml --pseudonymise --author "Ada Lovelace"
    """
    directory = DataDirectory.existing(data_dir)
    shutdown.set_resume_hint(f"nothing is at {output} yet; run the same command again")
    with shown_progress(console):
        with phase("starting"), importing():
            from perf_assets.archive.preparing import Options, SecretsFoundError, study_of
            from perf_assets.archive.writing import write_archive
        options = Options(is_pseudonymised, not without_texts, secrets, authors)
        try:
            written = write_archive(directory, study_of(directory, study), output, options)
        except SecretsFoundError as error:
            _list_secrets(error.found)
            raise
    if written.secrets.height:
        _list_secrets(written.secrets)
        removed = "are removed" if written.manifest.secrets_removed else "are in it"
        click.echo(f"These {removed}.")
    if written.ordinary:
        shown = ", ".join(written.ordinary[:MOST_WORDS])
        more = len(written.ordinary) - MOST_WORDS
        click.echo(
            f"{len(written.ordinary)} logins are words of the texts too, and stand in these where "
            f"nobody is mentioned: {escape_text(shown)}{f' and {more} more' if more > 0 else ''}"
        )
    rows = sum(written.manifest.rows.values())
    click.echo(
        f"{output}: {len(written.manifest.rows)} tables, {rows:,} rows, "
        f"{written.size / 1e6:,.1f} MB; check it with "
        f"perf-assets check-archive {quote(str(output))}"
    )


@click.command("check-archive")
@click.argument("path", metavar="ARCHIVE.zip", type=click.Path(path_type=Path))
@click.option(
    "--explain",
    is_flag=True,
    help="Say of what differs which rules changed since, as the changelog has them.",
)
@click.option("--all", "is_whole", is_flag=True, help="Also list what is equal.")
@friendly_errors
def check_archive(path: Path, *, explain: bool, is_whole: bool) -> None:
    """Recompute the results in ARCHIVE.zip from its raw tables alone, and compare.

    Needs no network and no data directory, and writes nothing but temporary files. Says of each
    table and each figure of the report whether it is equal, which rows differ, or why it cannot be
    computed again.

    \b
    Exit code 0: all that can be computed again is equal. 1: something differs. 2: it is no
    archive, or cannot be read.

    \b
    Example:
        perf-assets check-archive study.zip
    """
    shutdown.set_resume_hint("nothing was changed; run it again")
    with shown_progress(console):
        with phase("starting"), importing():
            from perf_assets.archive.checking import check_archive as checked
            from perf_assets.archive.findings import explanations
            from perf_assets.storage.audit.process import prepare

            prepare()
        check = checked(path)
    _print_check(check, is_whole=is_whole)
    if explain:
        for line in explanations(check):
            click.echo(escape_text(line))
    if not check.is_equal:
        sys.exit(DIFFERENT)


@click.command()
@click.argument("first", type=click.Path(path_type=Path))
@click.argument("second", type=click.Path(path_type=Path))
@click.option(
    "--page",
    "output",
    type=click.Path(path_type=Path),
    metavar="OUT.html",
    help="Also write a page to look at.",
)
@friendly_errors
def compare(first: Path, second: Path, output: Path | None) -> None:
    """Say what differs between FIRST and SECOND: archives, data directories or published databases.

    Rows that were read, labels, links and results, and whether the source, the rules or the code
    changed since.

    \b
    Exit code 0: nothing differs. 1: something does. 2: one of them cannot be read.

    \b
    Examples:
        perf-assets compare paper.zip data
        perf-assets compare ours.zip theirs.zip --page differences.html
    """
    with shown_progress(console):
        with phase("starting"), importing():
            from perf_assets.archive.comparing import compare as compared
            from perf_assets.archive.comparison_page import lines, page
            from perf_assets.base.files import write_output_file
        comparison = compared(first, second)
    if output is not None:
        write_output_file(output, page(comparison).encode())
    for line in lines(comparison):
        click.echo(escape_text(line))
    if output is not None:
        click.echo(f"{output}: open it in a browser")
    if not comparison.is_equal:
        sys.exit(DIFFERENT)


def _print_check(check: "Check", *, is_whole: bool) -> None:
    by_state: Mapping[str, list[Finding]] = {
        state: [finding for finding in check.findings if finding.state == state]
        for state in ("equal", "not recomputed", "differs")
    }
    for state, findings in by_state.items():
        if state == "not recomputed":
            reasons: dict[str, list[str]] = {}
            for finding in findings:
                reasons.setdefault("; ".join(finding.details), []).append(finding.subject)
            for reason, subjects in reasons.items():
                subject = escape_text(", ".join(subjects))
                click.echo(f"not recomputed, {escape_text(reason)}: {subject}")
        elif state == "differs" or is_whole:
            for finding in findings:
                first, *rest = (*finding.details, "")
                click.echo(
                    f"{state}: {escape_text(finding.subject)}{first and f': {escape_text(first)}'}"
                )
                for line in filter(None, rest):
                    click.echo(f"    {escape_text(line)}")
    for note in check.notes:
        click.echo(escape_text(note))
    counts = ", ".join(f"{len(findings)} {state}" for state, findings in by_state.items())
    verdict = "all that can be computed again is equal" if check.is_equal else "NOT as archived"
    made = escape_text(f"{check.manifest.study}, made by perf-assets {check.manifest.perf_assets}")
    click.echo(f"{made}: {verdict} ({counts})")


def _list_secrets(secrets: "pl.DataFrame") -> None:
    for row in secrets.head(MOST_SECRETS).iter_rows(named=True):
        where = f"{row['table']} {row['key']}, {row['column']}"
        click.echo(
            escape_text(f"{where}: {row['kind']} {row['masked']} ({row['count']})"), err=True
        )
    if secrets.height > MOST_SECRETS:
        click.echo(f"and {secrets.height - MOST_SECRETS} more", err=True)
