"""What static checks print, and the exit code that they decide."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.sanitize import escape_text, in_words

if TYPE_CHECKING:
    from perf_assets.lint.files.results import FileResult
    from perf_assets.lint.files.settings import Settings

NAMED_SKIPS = 20  # of more, on the terminal, only the number is shown


def write(
    results: Sequence[FileResult],
    chosen: Settings,
    kind: str,
    output: Path | None,
    *,
    is_counted: bool,
) -> None:
    """Write the findings, or how often each rule found something, and what was not checked."""
    if is_counted:
        content = _statistics(results, chosen, kind)
    else:
        from perf_assets.lint.formats.written import written

        content = written(results, chosen, kind, is_coloured=output is None and _has_colours())
    if output is None:
        say(content)
    else:
        from perf_assets.base.files import write_output_file

        write_output_file(output, content.encode(errors="replace"))
    print_skips(results)


def _statistics(results: Sequence[FileResult], chosen: Settings, kind: str) -> str:
    from perf_assets.lint.formats.as_text import closing
    from perf_assets.lint.formats.statistics import statistics
    from perf_assets.lint.formats.written import by_name

    if kind not in ("full", "concise", "json"):
        raise PerfAssetsError(
            f"--statistics cannot be written as {kind}: choose full, concise or json"
        )
    content = statistics(results, by_name(chosen), is_json=kind == "json")
    return content if kind == "json" else content + "".join(f"{one}\n" for one in closing(results))


def _has_colours() -> bool:
    return (
        sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    )


def say(text: str) -> None:
    """Write to the standard output; its reader may have ended."""
    try:
        click.echo(text.encode(errors="replace"), nl=False)
        sys.stdout.flush()
    except BrokenPipeError:
        # What Python still wants to write when it ends goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def print_skips(results: Sequence[FileResult]) -> None:
    """Print which files and cells were not checked, and why."""
    skipped = [
        (f"{result.path}: not checked", result.skipped.reason, result.skipped.message)
        for result in results
        if result.skipped is not None
    ]
    cells = [
        (f"{result.path}: cell {cell.cell} not checked", cell.reason, cell.message)
        for result in results
        for cell in result.broken_cells
    ]
    for what, reason, message in [*skipped, *cells][:NAMED_SKIPS]:
        click.echo(f"{escape_text(what)} ({in_words(reason)}): {escape_text(message)}", err=True)
    if skipped or cells:
        reasons = Counter(reason for _, reason, _ in [*skipped, *cells])
        counts = ", ".join(
            f"{in_words(reason)} {number:,}" for reason, number in sorted(reasons.items())
        )
        number = f"{len(skipped):,}" if skipped or not cells else ""
        more = f"{len(cells):,} cell{'s' if len(cells) > 1 else ''}" if cells else ""
        is_cut = len(skipped) + len(cells) > NAMED_SKIPS
        all_named = "; --output-format json names all" if is_cut else ""
        click.echo(
            f"{' and '.join(filter(None, [number, more]))} not checked: {counts}{all_named}",
            err=True,
        )
    if not results:
        click.echo("there are no Python files and no notebooks here", err=True)


def fails(results: Sequence[FileResult], chosen: Settings) -> bool:
    """Return whether there is a finding that is a failure."""
    return any(
        finding.severity.rank >= chosen.error_on.rank
        for result in results
        for finding in result.findings
    )


def exit_by(results: Sequence[FileResult], paths: Sequence[Path], *, is_failure: bool) -> None:
    """Exit with 2 where a file that was named cannot be opened, with 1 where it is a failure.

    What a file holds, as Python 2, never decides: beside others or alone it is not checked.
    """
    from perf_assets.lint.files.checking import STANDARD_INPUT
    from perf_assets.lint.files.discovery import shown

    given = {"-" if path == STANDARD_INPUT else shown(path) for path in paths}
    if any(
        result.skipped is not None and result.skipped.reason == "read" and result.path in given
        for result in results
    ):
        sys.exit(2)
    if is_failure:
        sys.exit(1)
