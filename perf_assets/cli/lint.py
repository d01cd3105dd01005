"""Static checks of Python files and notebooks: check."""

import os
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.processes.progress import phase
from perf_assets.base.sanitize import escape_text, in_words
from perf_assets.cli.shell import friendly_errors, words

if TYPE_CHECKING:
    from perf_assets.lint.files.discovery import LintFile
    from perf_assets.lint.files.results import FileResult, Skip
    from perf_assets.lint.files.settings import Settings
    from perf_assets.lint.rules.rule import Rule

Command = TypeVar("Command", bound=Callable[..., None])
WORTH_A_BAR = 50  # files
NAMED_SKIPS = 20  # of more, on the terminal, only the number is shown


def _rules_option(name: str, help_text: str) -> Callable[[Command], Command]:
    return click.option(name, multiple=True, callback=words, metavar="RULE,...", help=help_text)


@click.command()
@click.argument(
    "paths", nargs=-1, type=click.Path(path_type=Path, exists=False), metavar="[PATH]..."
)
@click.option(
    "--format",
    "kind",
    type=click.Choice(["text", "json", "sarif", "github"]),
    default="text",
    show_default=True,
    help="How findings are written.",
)
@click.option("--output", type=click.Path(path_type=Path), help="Write them to this file.")
@_rules_option("--select", "Check these rules: a code, its beginning, a name, or all.")
@_rules_option("--ignore", "Do not check these.")
@_rules_option("--extend-select", "Check these too.")
@click.option(
    "--severity",
    type=click.Choice(["note", "warning"]),
    help="Minimum severity to report.  [default: note]",
)
@click.option(
    "--processes",
    type=click.IntRange(min=1),
    metavar="N",
    help="How many files are checked at once.  [default: one for each core]",
)
@click.option(
    "--config",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The pyproject.toml that counts.  [default: the nearest above the first PATH that has "
    "the table]",
)
@click.option("--diff", is_flag=True, help="Show what --fix would change, and change nothing.")
@click.option(
    "--fix", is_flag=True, help="Change the files where that changes nothing that the program does."
)
@click.option("--exit-zero", is_flag=True, help="Findings are not a failure: exit with 0.")
@click.option("--list-rules", is_flag=True, help="List the rules, and check nothing.")
@click.option("--explain", metavar="RULE", help="Show the page of a rule, and check nothing.")
@friendly_errors
def lint(  # noqa: PLR0913
    *,
    paths: tuple[Path, ...],
    kind: str,
    output: Path | None,
    select: list[str] | None,
    ignore: list[str] | None,
    extend_select: list[str] | None,
    severity: str | None,
    processes: int | None,
    config: Path | None,
    diff: bool,
    fix: bool,
    exit_zero: bool,
    list_rules: bool,
    explain: str | None,
) -> None:
    """Find performance problems in Python code that uses TensorFlow or PyTorch.

    PATH is a file, a folder (its Python files and notebooks are checked), or - for the standard
    input; without one it is the working directory. Files are read, and changed with --fix alone,
    which does what --diff shows. What cannot be read (Python 2, mistakes of syntax) is named on the
    standard error.

    A comment "# noqa: PA103" silences a rule in its line, and the table [tool.perf-assets.lint]
    of pyproject.toml has select, ignore, extend-select, severity, exclude and per-file-ignores.
    The pages of the rules are in docs/checks.

    \b
    Exit code 0: no findings. 1: findings. 2: it could not be done.

    \b
    Examples:
        perf-assets lint .
        perf-assets lint src --select PA103 --severity warning
        perf-assets lint . --format sarif --output perf-assets.sarif
        perf-assets lint src --diff
        perf-assets lint --explain loop-invariant-op
    """
    from perf_assets.lint.files.checking import STANDARD_INPUT, files_of
    from perf_assets.lint.files.settings import rules_of, settings
    from perf_assets.lint.formats.pages import page_of, rules_table

    if list_rules:
        _say(rules_table())
        return
    if explain is not None:
        rule, *more = rules_of([explain], "--explain")
        if more:
            raise PerfAssetsError(f"--explain: {explain} stands for several rules; name one")
        _say(page_of(rule))
        return
    options = {
        "select": select,
        "ignore": ignore,
        "extend-select": extend_select,
        "severity": severity,
    }
    inputs = paths or (Path(),)
    on_disk = [path for path in inputs if path != STANDARD_INPUT]
    for path in on_disk:
        if not os.path.lexists(path):
            raise PerfAssetsError(f"{path}: there is no such file or folder")
    chosen = settings(
        {key: value for key, value in options.items() if value is not None},
        config,
        next(iter(on_disk), None),
    )
    processes = processes or _cores()
    files = files_of(inputs, chosen)
    results = _results(files, chosen, processes)
    if diff or fix:
        if STANDARD_INPUT in inputs:
            raise PerfAssetsError("--diff and --fix are for files: name them instead of -")
        if _fix(results, files, is_applied=fix):
            if not fix:
                sys.exit(0 if exit_zero else 1)
            results = _results(files, chosen, processes)
        elif diff:
            return
    _write(results, chosen.rules, kind, output)
    _exit(results, inputs, is_failure=not exit_zero)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _fix(
    results: "Sequence[FileResult]", files: "Sequence[LintFile | Skip | None]", *, is_applied: bool
) -> int:
    """Show what mends findings, or do it; how many findings that is."""
    from perf_assets.base.files import write_file
    from perf_assets.lint.files.fixed_files import fixed_files
    from perf_assets.lint.files.results import Skip

    paths = [Path() if entry is None or isinstance(entry, Skip) else entry.path for entry in files]
    fixes = changed = 0
    for file in fixed_files(results, paths):
        if is_applied:
            write_file(file.path, file.after)  # a link stays one, and the mode as it is
        else:
            lines = file.diff.split("\n")
            _say("\n".join(map(escape_text, lines)) if sys.stdout.isatty() else file.diff)
        fixes += file.fixes
        changed += 1
    if is_applied:
        click.echo(f"{fixes:,} findings mended in {changed:,} files", err=True)
    return fixes


def _results(
    files: "Sequence[LintFile | Skip | None]", chosen: "Settings", processes: int
) -> "list[FileResult]":
    from perf_assets.lint.files.checking import check

    results = []
    with _bar(len(files)), phase("checking Python", len(files), "files") as progress:
        for result in check(files, chosen, processes):
            results.append(result)
            progress(len(results))
    return results


def _bar(files: int) -> Any:  # noqa: ANN401
    """Return a bar on the standard error, where that is a terminal and it takes long enough."""
    if files < WORTH_A_BAR or not sys.stderr.isatty():
        return nullcontext()
    from rich.console import Console

    from perf_assets.cli.bars import shown_progress

    return shown_progress(Console(stderr=True))


def _write(
    results: "Sequence[FileResult]", rules: "Sequence[Rule]", kind: str, output: Path | None
) -> None:
    by_name = {rule.name: rule for rule in rules}
    if kind == "json":
        from perf_assets.lint.formats.as_json import as_json

        content = as_json(results)
    elif kind == "sarif":
        from perf_assets.lint.formats.as_sarif import as_sarif

        content = as_sarif(results, rules)
    elif kind == "github":
        from perf_assets.lint.formats.as_github import as_github

        content = as_github(results, by_name)
    else:
        from perf_assets.lint.formats.as_text import as_text

        content = as_text(results, by_name, is_coloured=output is None and _has_colours())
    if output is None:
        _say(content)
    else:
        from perf_assets.base.files import write_output_file

        write_output_file(output, content.encode(errors="replace"))
    _print_skips(results)


def _has_colours() -> bool:
    return (
        sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    )


def _say(text: str) -> None:
    """Write to the standard output; its reader may have ended."""
    try:
        click.echo(text.encode(errors="replace"), nl=False)
        sys.stdout.flush()
    except BrokenPipeError:
        # What Python still wants to write when it ends goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _print_skips(results: "Sequence[FileResult]") -> None:
    skipped = [result.skipped for result in results if result.skipped is not None]
    for skip in skipped[:NAMED_SKIPS]:
        click.echo(
            f"{escape_text(skip.path)}: not checked ({in_words(skip.reason)}): "
            f"{escape_text(skip.message)}",
            err=True,
        )
    if skipped:
        reasons = Counter(skip.reason for skip in skipped)
        counts = ", ".join(
            f"{in_words(reason)} {number:,}" for reason, number in sorted(reasons.items())
        )
        all_named = "" if len(skipped) <= NAMED_SKIPS else "; --format json names all"
        click.echo(f"{len(skipped):,} not checked: {counts}{all_named}", err=True)
    if not results:
        click.echo("there are no Python files and no notebooks here", err=True)


def _exit(results: "Sequence[FileResult]", paths: Sequence[Path], *, is_failure: bool) -> None:
    from perf_assets.lint.files.checking import STANDARD_INPUT
    from perf_assets.lint.files.discovery import shown

    given = {"-" if path == STANDARD_INPUT else shown(path) for path in paths}
    lost = any(
        result.skipped is not None and result.skipped.reason == "read" and result.path in given
        for result in results
    )
    if lost or (results and all(result.skipped is not None for result in results)):
        sys.exit(2)
    if is_failure and any(result.findings for result in results):
        sys.exit(1)
