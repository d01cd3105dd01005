"""Progress on a terminal: the lines that are logged, and below them a bar for what goes on."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from perf_assets.base.processes import progress
from perf_assets.base.sanitize import escape_text

BAR_WIDTH = 16
REFRESHES_PER_SECOND = 5


@contextmanager
def shown_progress(console: Console) -> Iterator[None]:
    """Print what the package logs, and show what goes on: as a bar on a terminal, else as lines."""
    logger = logging.getLogger("perf_assets")
    logger.setLevel(logging.INFO)
    if not (console.file.isatty() and console.is_interactive):
        handler = logging.StreamHandler(console.file)
        with _handling(logger, handler):
            yield
        return
    spinner = Spinner("line")
    live = Live(
        get_renderable=lambda: _bar(progress.shown(), spinner),
        console=console,
        refresh_per_second=REFRESHES_PER_SECOND,
        transient=True,
    )
    with _handling(logger, _AboveTheBar(console)), live:
        yield


def _bar(phase: progress.Phase | None, spinner: Spinner) -> RenderableType:
    """Return one line, whatever the width of the terminal: the title gives way."""
    if phase is None:
        return Group()
    line = Table.grid(expand=True, padding=(0, 1, 0, 0))
    line.add_column(ratio=1)
    facts = [Text(text, style) for text, style in _facts(phase)]
    line.add_column(width=BAR_WIDTH if phase.total else 1)
    for fact in facts:
        line.add_column(width=fact.cell_len)
    title = Text(escape_text(phase.title), no_wrap=True, overflow="ellipsis")
    done = min(phase.done, phase.total or 0)
    line.add_row(title, ProgressBar(phase.total, done) if phase.total else spinner, *facts)
    return line


def _facts(phase: progress.Phase) -> Iterator[tuple[str, str]]:
    """Yield what stands beside the bar, and in which style."""
    if phase.done or phase.total:
        yield phase.count(), "progress.download"
    if phase.rate is not None:
        yield progress.per_second(phase.rate), "progress.data.speed"
    if phase.seconds_left is not None:
        yield f"{_clock(phase.seconds_left)} left", "progress.remaining"
    else:
        yield _clock(phase.seconds), "progress.elapsed"


def _clock(seconds: float) -> str:
    hours, rest = divmod(int(seconds), 3600)
    return f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60}:{rest % 60:02}"


@contextmanager
def _handling(logger: logging.Logger, handler: logging.Handler) -> Iterator[None]:
    handler.setFormatter(Lines("%(asctime)s %(message)s", "%H:%M:%S"))
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)


class Lines(logging.Formatter):
    """Messages on one line each, whatever the texts that they quote hold."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802
        """Return the time and the message."""
        return escape_text(super().formatMessage(record))


class _AboveTheBar(logging.Handler):
    """Prints records so that the bar stays below them; the bar itself shows progress."""

    def __init__(self, console: Console) -> None:
        super().__init__()
        self._console = console

    def filter(self, record: logging.LogRecord) -> bool:
        return record.name != progress.log.name and super().filter(record) is not False

    def emit(self, record: logging.LogRecord) -> None:
        try:
            self._console.print(self.format(record), highlight=False, markup=False, soft_wrap=True)
        except Exception:  # as every handler: a log that cannot be written stops no work
            self.handleError(record)
