"""Mentions answers of the review page that are not in the database yet."""

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from shlex import quote
from typing import Any

import click

FOLDER = "review"
"""Where answers are kept in the data directory, with the sheets by which they are brought in."""


def mentions_waiting_answers(command: Callable[..., None]) -> Callable[..., None]:
    """Let a command that reads verdicts say on stderr, at its end, how many are not yet collected.

    The command has an option ``--data-dir``. It says so after a mistake too: that there are no
    verdicts may have this reason.
    """

    @wraps(command)
    def wrapped(*args: Any, **options: Any) -> None:  # noqa: ANN401
        try:
            command(*args, **options)
        finally:
            _mention(options["data_dir"])

    return wrapped


def _mention(data_dir: Path) -> None:
    folder = Path(data_dir) / FOLDER
    if not folder.exists():
        return
    from perf_assets.web.review.store import waiting_answers

    if count := waiting_answers(folder):
        answers = "1 answer" if count == 1 else f"{count} answers"
        command = f"perf-assets review collect --data-dir {quote(str(data_dir))}"
        click.echo(f"Not in the database yet: {answers} of the review page; {command}", err=True)
