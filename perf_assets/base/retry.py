"""Retries: their number and the pauses in between."""

import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class RetryPolicy:
    """Number of attempts, and the pauses in between, in seconds.

    ``first_pause`` follows the first failure and doubles with each further one up to
    ``longest_pause``. A pause is shortened at random, to no less than half, so that those who
    failed together do not try again together.
    """

    attempts: int
    first_pause: float
    longest_pause: float

    def pause(self, failures: int) -> float:
        """Return the pause after so many failures."""
        longest = min(self.first_pause * 2.0 ** (failures - 1), self.longest_pause)
        return longest * random.uniform(0.5, 1.0)

    def tries(self, sleep: Callable[[float], object] = time.sleep) -> Iterator[bool]:
        """Yield for each attempt whether it is the last; pause before all but the first."""
        for failures in range(self.attempts):
            if failures:
                sleep(self.pause(failures))
            yield failures == self.attempts - 1
