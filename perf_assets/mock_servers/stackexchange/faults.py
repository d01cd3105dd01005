"""Misbehaviour on demand: a seeded plan of the ways in which the API fails its clients."""

import random
import threading
from collections.abc import Sequence
from dataclasses import dataclass

KINDS = (
    *("backoff", "throttle", "internal_error", "unavailable"),
    *("bad_gateway", "html", "cut", "slow", "shifted"),
)


@dataclass(frozen=True)
class Faults:
    """Which answers go wrong, and how.

    ``rate`` (0 to 1) of the answers are faulty, drawn by ``seed`` and the request's number; never
    more than ``max_consecutive`` in a row. ``wait`` is how many whole seconds pauses last,
    ``delay`` how many a slow answer takes.
    """

    seed: int
    rate: float
    kinds: Sequence[str] = KINDS
    max_consecutive: int = 3
    wait: int = 0
    delay: float = 0.02


class FaultPlan:
    """Hands out the kinds of faults of a plan, request by request."""

    def __init__(self, faults: Faults) -> None:
        """Start at request number 0."""
        self.faults = faults
        self._lock = threading.Lock()
        self._number = self._consecutive = 0

    def draw(self) -> str | None:
        """The fault of the next request; ``None`` where it goes well."""
        with self._lock:
            chance = random.Random(f"{self.faults.seed}:{self._number}")
            self._number += 1
            is_due = chance.random() < self.faults.rate
            if not is_due or self._consecutive >= self.faults.max_consecutive:
                self._consecutive = 0
                return None
            self._consecutive += 1
            return chance.choice(self.faults.kinds)
