"""Progress: what is being done, how far it is, and how long it will take.

Work says what it is at with ``phase``. As long as that lasts, a line is logged now and then; a
terminal shows the open phases instead, see ``perf_assets.cli.bars``.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

log = logging.getLogger(__name__)

SHOWN_AFTER_SECONDS = 2.0  # what is over sooner is not worth a look
LINE_SECONDS = 10.0  # between two lines, whatever they tell of
CHECK_SECONDS = 0.5
LEAST_TO_FORESEE = 0.01  # of all: what is left cannot be estimated from less


@dataclass(eq=False)
class Phase:
    """A piece of work; call it with how much of it is done.

    title : what is done, to what, as ``mining commits of owner/name``.
    total : how much there is to do, where that is given; in ``unit``, a plural noun.
    """

    title: str
    total: int | None = None
    unit: str = ""
    done: int = 0
    started: float = field(default_factory=lambda: time.monotonic())  # noqa: PLW0108 (a test has another)

    def __call__(self, done: int, total: int | None = None) -> None:
        """So much is done now, and, where there is a better estimate by now, of so much."""
        self.done = done
        self.total = total if total is not None else self.total

    @property
    def seconds(self) -> float:
        """Return how long it has been going on."""
        return time.monotonic() - self.started

    @property
    def is_shown(self) -> bool:
        """Return whether it takes long enough to be shown."""
        return self.seconds >= SHOWN_AFTER_SECONDS

    @property
    def rate(self) -> float | None:
        """Return how much is done in a second."""
        return self.done / self.seconds if self.done and self.seconds else None

    @property
    def seconds_left(self) -> float | None:
        """Return how long it will take if it goes on so; ``None`` where nobody can tell yet."""
        if not self.total or self.rate is None or self.done < self.total * LEAST_TO_FORESEE:
            return None
        return max(0, self.total - self.done) / self.rate

    def sentence(self) -> str:
        """Return how far it is, for a log."""
        facts = [f"{self.count()} {self.unit}".rstrip()] if self.done or self.total else []
        if self.rate is not None:
            facts.append(per_second(self.rate))
        if self.seconds_left is not None:
            facts.append(f"{in_words(self.seconds_left)} left")
        else:
            facts.append(f"{in_words(self.seconds)} so far")
        return f"{self.title}: {', '.join(facts)}"

    def count(self) -> str:
        """Return how much is done, and of how much."""
        return f"{self.done:,}" if self.total is None else f"{self.done:,} of {self.total:,}"


_open: list[Phase] = []
_lock = threading.Lock()
_last_line = 0.0


@contextmanager
def phase(title: str, total: int | None = None, unit: str = "") -> Iterator[Phase]:
    """Do a piece of work, in sight; call what you get with how much of it is done.

    Phases may be nested, where the inner one says more of what is going on.
    """
    opened = Phase(title, total, unit)
    with _lock:
        _open.append(opened)
        is_first = len(_open) == 1
    if is_first:
        threading.Thread(target=_log_lines, name="progress", daemon=True).start()
    try:
        yield opened
    finally:
        with _lock:
            _open.remove(opened)


def current() -> Phase | None:
    """Return the innermost phase that goes on."""
    with _lock:
        return _open[-1] if _open else None


def shown() -> Phase | None:
    """Return the innermost phase that has been going on for long enough to be shown."""
    with _lock:
        return next((opened for opened in reversed(_open) if opened.is_shown), None)


def in_words(seconds: float) -> str:
    """``seconds`` as 12 s, 12 min or 2 h 5 min."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"


def per_second(rate: float) -> str:
    """``rate`` as 1,234/s or 0.5/s."""
    return f"{rate:,.0f}/s" if rate >= 10 else f"{rate:.1f}/s"


def _log_lines() -> None:
    """Log a line now and then, as long as phases go on."""
    global _last_line  # noqa: PLW0603
    while current() is not None:
        time.sleep(CHECK_SECONDS)
        running = shown()
        with _lock:  # the thread of a phase that has just ended may still be here
            is_due = running is not None and time.monotonic() - _last_line >= LINE_SECONDS
            if is_due:
                _last_line = time.monotonic()
        if running is not None and is_due:
            log.info(running.sentence())
