"""A loopback forum whose answers go wrong by a seeded plan, and which asks for pauses."""

import random
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from perf_assets.stand_ins.reply import HTML_TYPE, Reply
from perf_assets.stand_ins.stackexchange.server import (
    DAY,
    QUOTA,
    ForumServer,
    Request,
    error_reply,
    packed,
)
from perf_assets.stand_ins.stackexchange.site import Site

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


@dataclass(frozen=True)
class FaultyRequest(Request):
    """A line of the log: what was made to go wrong, and whether the client should have waited."""

    fault: str | None = None
    is_impolite: bool = False  # it came before a pause was over, or beyond the quota


class UnreliableForum(ForumServer):
    """Serves sites with faults; a method that has to pause is refused until the pause is over."""

    requests: list[FaultyRequest]  # type: ignore[assignment]

    def __init__(
        self, sites: Mapping[str, Site], *, faults: Faults | None = None, quota: int = QUOTA
    ) -> None:
        """Nothing listens yet."""
        super().__init__(sites, quota=quota)
        self._plan = FaultPlan(faults or Faults(0, 0.0))
        self._rests: dict[str, float] = {}

    def respond(self, log: Request) -> tuple[Reply, FaultyRequest]:
        """The reply to a request, and its line of the log."""
        name = "/".join(part for part in log.path.split("/") if not part[:1].isdigit())
        if self.left <= 0 or time.time() < self._rests.get(name, 0.0):
            left = DAY if self.left <= 0 else 1
            return self.throttled(left), FaultyRequest(**vars(log), is_impolite=True)
        fault = self._plan.draw()
        self.left -= 1
        return self._faulty(log, name, fault), FaultyRequest(**vars(log), fault=fault)

    def _faulty(self, log: Request, name: str, fault: str | None) -> Reply:
        wait = self._plan.faults.wait
        if fault == "throttle":
            self._rests[name] = time.time() + wait
            return self.throttled(wait)
        if fault is not None and fault in REFUSALS:
            return REFUSALS[fault]()
        if fault == "slow":
            time.sleep(self._plan.faults.delay)
        content = self.content(log.path, log.parameters)
        if isinstance(content, Reply):
            return content
        if fault == "shifted" and len(content["items"]) > 1:
            content["items"].pop()  # a question that left the list while it was read
            content["has_more"] = False
        if fault == "backoff":
            content["backoff"] = wait
            self._rests[name] = time.time() + wait
        reply = packed(200, content)
        return replace(reply, is_cut=True) if fault == "cut" else reply


def _page_of_html(status: int, title: str) -> Callable[[], Reply]:
    return lambda: Reply(status, f"<html>{title}</html>".encode(), content_type=HTML_TYPE)


REFUSALS: Mapping[str, Callable[[], Reply]] = {
    "internal_error": lambda: error_reply(500, 500, "internal_error", "an error has been logged"),
    "unavailable": lambda: error_reply(503, 503, "temporarily_unavailable", "try again later"),
    "bad_gateway": _page_of_html(502, "502 Bad Gateway"),
    "html": _page_of_html(200, "We are offline"),
}
