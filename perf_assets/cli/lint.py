"""Static checks of Python files and notebooks: check."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from perf_assets import __version__
from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.processes.progress import phase
from perf_assets.base.sanitize import escape_text
from perf_assets.cli.lint_output import exit_by, fails, print_skips, say, write
from perf_assets.cli.shell import friendly_errors, words

if TYPE_CHECKING:
    from perf_assets.lint.files.checking import Piped
    from perf_assets.lint.files.discovery import LintFile
    from perf_assets.lint.files.fixed_files import FixedFile
    from perf_assets.lint.files.results import FileResult, Skip
    from perf_assets.lint.files.settings import Settings

Command = TypeVar("Command", bound=Callable[..., None])
NAME = "perf-assets lint"
# Those of lint/formats/written.py, which takes as long to import as all else here.
FORMATS = ("full", "concise", "json", "sarif", "github", "gitlab", "junit")
OTHER_NAMES = {"text": "full"}
SEVERITIES = ("note", "warning")
WORTH_A_BAR = 50  # files


class LintCommand(click.Command):
    """The command; its help has the name that it was started by."""

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the text, whose examples have that name too."""
        text = self.help
        self.help = text and text.replace(NAME, ctx.command_path)
        super().format_help_text(ctx, formatter)
        self.help = text


def _words_option(name: str, metavar: str, help_text: str) -> Callable[[Command], Command]:
    return click.option(name, multiple=True, callback=words, metavar=metavar, help=help_text)


def _switch(name: str, help_text: str) -> Callable[[Command], Command]:
    return click.option(f"--{name}/--no-{name}", default=None, help=help_text)


def _format(_: click.Context, __: click.Parameter, kind: str) -> str:
    return OTHER_NAMES.get(kind, kind)


@click.command(cls=LintCommand)
@click.version_option(__version__)
@click.argument(
    "paths", nargs=-1, type=click.Path(path_type=Path, exists=False), metavar="[PATH]..."
)
@click.option(
    "--output-format",
    "--format",
    "kind",
    type=click.Choice([*FORMATS, *OTHER_NAMES]),
    callback=_format,
    default="full",
    show_default=True,
    help="How findings are written; text is full.",
)
@click.option(
    "--output",
    "--output-file",
    "output",
    type=click.Path(path_type=Path),
    help="Write them to this file.",
)
@click.option("--statistics", is_flag=True, help="Show how often each rule found something.")
@_words_option("--select", "RULE,...", "Check these rules: a code, its beginning, a name, or all.")
@_words_option("--ignore", "RULE,...", "Do not check these.")
@_words_option("--extend-select", "RULE,...", "Check these too.")
@_words_option("--extend-ignore", "RULE,...", "Do not check these either.")
@_words_option("--exclude", "PATTERN,...", "Pass these files and folders by.")
@_words_option("--extend-exclude", "PATTERN,...", "Pass these by, too.")
@_switch("force-exclude", "Pass them by even where a PATH names them.  [default: no]")
@_switch("respect-gitignore", "Pass by what .gitignore excludes.  [default: yes]")
@click.option(
    "--severity",
    type=click.Choice(SEVERITIES),
    help="Minimum severity to report.  [default: note]",
)
@click.option(
    "--error-on",
    type=click.Choice(SEVERITIES),
    help="Minimum severity that makes the exit code 1.  [default: warning]",
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
@click.option(
    "--stdin-filename",
    "stdin_name",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Check the standard input as the content of this file.",
)
@click.option(
    "--diff", is_flag=True, help="Show what --fix or --add-noqa would change, and change nothing."
)
@click.option(
    "--fix", is_flag=True, help="Change the files where that changes nothing that the program does."
)
@click.option("--add-noqa", is_flag=True, help="Silence each finding by a comment in its line.")
@click.option("--exit-zero", is_flag=True, help="Findings are not a failure: exit with 0.")
@click.option("--list-rules", is_flag=True, help="List the rules, and check nothing.")
@click.option("--explain", metavar="RULE", help="Show the page of a rule, and check nothing.")
@friendly_errors
def lint(  # noqa: PLR0913
    *,
    paths: tuple[Path, ...],
    kind: str,
    output: Path | None,
    statistics: bool,
    processes: int | None,
    config: Path | None,
    stdin_name: Path | None,
    diff: bool,
    fix: bool,
    add_noqa: bool,
    exit_zero: bool,
    list_rules: bool,
    explain: str | None,
    **settings_given: Any,  # noqa: ANN401
) -> None:
    """Find performance problems in Python code that uses TensorFlow or PyTorch.

    PATH is a file, a folder (its Python files and notebooks are checked), or - for the standard
    input; without one it is the working directory. Files are read, and changed with --fix or
    --add-noqa alone, which do what --diff shows. What cannot be read (Python 2, mistakes of
    syntax) is named on the standard error.

    A comment "# noqa: PA103" silences a rule in its line, "# perf-assets: noqa: PA103" in its
    file. The table [tool.perf-assets.lint] of pyproject.toml has select, ignore, extend-select,
    extend-ignore, severity, error-on, exclude, extend-exclude, force-exclude, respect-gitignore
    and per-file-ignores. The pages of the rules are in docs/checks.

    \b
    Exit code 0: no warnings. 1: warnings (--error-on note: or notes).
    2: it could not be done.

    \b
    Examples:
        perf-assets lint .
        perf-assets lint src --select PA103 --severity warning
        perf-assets lint . --output-format sarif --output perf-assets.sarif
        perf-assets lint src --diff
        perf-assets lint --explain loop-invariant-op
    """
    from perf_assets.lint.files.checking import STANDARD_INPUT, files_of
    from perf_assets.lint.files.settings import settings
    from perf_assets.lint.formats.pages import rules_table

    if list_rules:
        say(rules_table())
        return
    if explain is not None:
        say(_page(explain))
        return
    inputs = _inputs(paths, stdin_name)
    on_disk = [path for path in inputs if path != STANDARD_INPUT]
    if fix and add_noqa:
        raise PerfAssetsError("--fix and --add-noqa: give one of them, and then the other")
    if (fix or diff or add_noqa) and len(on_disk) < len(inputs):
        raise PerfAssetsError("--diff, --fix and --add-noqa are for files: name them instead of -")
    chosen = settings(
        {key.replace("_", "-"): one for key, one in settings_given.items() if one is not None},
        config,
        next(iter(on_disk), stdin_name),
    )
    processes = processes or _cores()
    files = files_of(inputs, chosen, stdin_name or STANDARD_INPUT)
    results = _results(files, chosen, processes)
    if diff or fix or add_noqa:
        changed = _changed(results, files, chosen, is_silenced=add_noqa)
        if diff or add_noqa:
            is_failure = _show(changed) if diff else _apply(changed, "comments added")
            print_skips(results)
            exit_by(results, inputs, is_failure=bool(is_failure and diff and not exit_zero))
            return
        if _apply(changed, "findings mended"):
            results = _results(files, chosen, processes)
    write(results, chosen, kind, output, is_counted=statistics)
    exit_by(results, inputs, is_failure=fails(results, chosen) and not exit_zero)


def _page(word: str) -> str:
    from perf_assets.lint.files.settings import rules_of
    from perf_assets.lint.formats.pages import page_of

    rule, *more = rules_of([word], "--explain")
    if more:
        raise PerfAssetsError(f"--explain: {word} stands for several rules; name one")
    return page_of(rule)


def _inputs(paths: Sequence[Path], stdin_name: Path | None) -> Sequence[Path]:
    from perf_assets.lint.files.checking import STANDARD_INPUT

    if stdin_name is not None:
        if any(path != STANDARD_INPUT for path in paths):
            raise PerfAssetsError(
                "--stdin-filename names the standard input: leave out every other path"
            )
        return (STANDARD_INPUT,)
    for path in paths:
        if path != STANDARD_INPUT and not os.path.lexists(path):
            raise PerfAssetsError(f"{path}: there is no such file or folder")
    return paths or (Path(),)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _changed(
    results: Sequence[FileResult],
    files: Sequence[LintFile | Skip | Piped],
    chosen: Settings,
    *,
    is_silenced: bool,
) -> Iterator[FixedFile]:
    """Return the files that are to be changed: with findings mended, or with comments."""
    from perf_assets.lint.files.fixed_files import fixed_files, silenced_files

    paths = [Path(file.path) for file in files]
    return (
        silenced_files(results, paths, chosen.rules) if is_silenced else fixed_files(results, paths)
    )


def _show(changed: Iterator[FixedFile]) -> bool:
    """Show what would change; whether that is anything."""
    is_any = False
    for file in changed:
        lines = file.diff.split("\n")
        say("\n".join(map(escape_text, lines)) if sys.stdout.isatty() else file.diff)
        is_any = True
    return is_any


def _apply(changed: Iterator[FixedFile], what: str) -> int:
    """Write the files, and say so; in how many places they changed."""
    from perf_assets.base.files import write_file

    number = files = 0
    for file in changed:
        write_file(file.path, file.after)  # a link stays one, and the mode as it is
        number += file.fixes
        files += 1
    click.echo(f"{number:,} {what} in {files:,} files", err=True)
    return number


def _results(
    files: Sequence[LintFile | Skip | Piped], chosen: Settings, processes: int
) -> list[FileResult]:
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
