"""Waiting for a source: how long for an answer, and how long for its rate limit."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

from perf_assets.base.errors import PerfAssetsError, TransientError
from perf_assets.base.processes.progress import in_words
from perf_assets.base.retry import RetryPolicy
from perf_assets.base.sanitize import shortened

# In seconds: more than the hour after which every budget of GitHub is full again.
LONGEST_WAIT = 90 * 60.0
COUNTDOWN_SECONDS = 60.0
LONGEST_DATE = 40  # characters


@dataclass(frozen=True)
class RequestPolicy(RetryPolicy):
    """How long a client waits, in seconds.

    An answer must be there whole within ``answer``. ``longest_wait`` bounds the waits for rate
    limits between two whole answers.
    """

    attempts: int = 8
    first_pause: float = 0.5
    longest_pause: float = 15.0
    answer: float = 30.0
    longest_wait: float = LONGEST_WAIT


class RateLimitWait:
    """Waits for rate limits, no longer than ``longest`` seconds between two whole answers.

    on_wait : called with a sentence at the beginning of a wait and after each further minute.
    """

    def __init__(
        self,
        longest: float,
        on_wait: Callable[[str], None],
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Start without a wait."""
        self._longest, self._on_wait, self._sleep = longest, on_wait, sleep
        self._waited = 0.0

    def succeed(self) -> None:
        """Note that an answer came whole: earlier waits no longer count."""
        self._waited = 0.0

    def until(self, moment: float, announcement: str, reason: str, remedy: str) -> None:
        """Wait until ``moment``, in seconds since 1970, and say so.

        Raises
        ------
        TransientError
            ``reason``: the waits would be longer than is allowed.
        """
        started = time.time()
        if moment <= started:
            return
        if self._waited + moment - started > self._longest:
            raise TransientError(
                f"{reason}, longer than --max-wait allows ({self._longest / 60:g} minutes): "
                f"{remedy}"
            )
        while (left := moment - time.time()) > 0:
            self._on_wait(f"{announcement} in {in_words(left)}")
            self._sleep(min(left, COUNTDOWN_SECONDS))
        self._waited += time.time() - started


def wait_in_seconds(minutes: str | None) -> float:
    """Return the longest wait that PERF_ASSETS_MAX_WAIT allows.

    Raises
    ------
    PerfAssetsError
        It is not a number of minutes.
    """
    if not minutes:
        return LONGEST_WAIT
    try:
        seconds = 60 * float(minutes)
    except ValueError:
        seconds = -1.0
    if not seconds >= 0:
        shown = shortened(minutes, 60)
        raise PerfAssetsError(
            f"PERF_ASSETS_MAX_WAIT={shown!r} is not a number of minutes; write one such as 90"
        )
    return seconds


def finite(text: object) -> float | None:
    """Return the number that a header says, from 0 on; None where it is none."""
    try:
        number = float(str(text))
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None


def pause_of(text: object) -> float | None:
    """Return the seconds to wait that Retry-After says, or None where it says none."""
    if text is None:
        return None
    seconds = finite(text)
    if seconds is not None:
        return seconds
    try:
        moment = parsedate_to_datetime(str(text)[:LONGEST_DATE])
        return max(0.0, moment.timestamp() - time.time())
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
