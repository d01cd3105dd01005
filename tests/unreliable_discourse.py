"""A loopback Discourse whose answers go wrong by a seeded plan, and which asks for pauses."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from perf_assets.stand_ins.discourse.server import DiscourseServer, Request
from perf_assets.stand_ins.reply import HTML_TYPE, Reply, json_reply
from perf_assets.stand_ins.stackexchange.site import Site
from tests.unreliable_forum import FaultPlan, Faults

KINDS = ("throttle", "slow_down", "error", "unavailable", "html", "cut", "slow")


@dataclass(frozen=True)
class FaultyRequest(Request):
    """A line of the log: what was made to go wrong, and whether the client should have waited."""

    fault: str | None = None
    is_impolite: bool = False


class UnreliableDiscourse(DiscourseServer):
    """Serves a site with faults; everything is refused until a pause is over."""

    requests: list[FaultyRequest]  # type: ignore[assignment]

    def __init__(
        self,
        site: Site,
        *,
        faults: Faults | None = None,
        chunk: int = 2,
        pinned: Sequence[int] = (),
    ) -> None:
        """Nothing listens yet."""
        super().__init__(site, chunk=chunk, pinned=pinned)
        self._plan = FaultPlan(replace(faults or Faults(0, 0.0), kinds=KINDS))
        self._until = 0.0

    def respond(self, log: Request) -> tuple[Reply, FaultyRequest]:
        """The reply to a request, and its line of the log."""
        if time.time() < self._until:
            return throttled(1), FaultyRequest(**vars(log), is_impolite=True)
        fault = self._plan.draw()
        line = FaultyRequest(**vars(log), fault=fault)
        if fault in ("throttle", "slow_down"):
            wait = self._plan.faults.wait
            self._until = time.time() + wait
            return (throttled if fault == "throttle" else slowed_down)(wait), line
        if fault in REFUSALS:
            return REFUSALS[fault](), line
        if fault == "slow":
            time.sleep(self._plan.faults.delay)
        reply, _ = super().respond(log)
        return replace(reply, is_cut=fault == "cut"), line


def throttled(seconds: int) -> Reply:
    """The refusal of a limit that Discourse keeps: seconds to wait in its text."""
    refusal = {"errors": ["You've performed this action too many times."]}
    extras = {"wait_seconds": seconds, "time_left": f"{seconds} seconds"}
    return json_reply(429, {**refusal, "error_type": "rate_limit", "extras": extras})


def slowed_down(seconds: int) -> Reply:
    """The refusal of the limit for an address: seconds to wait in its header."""
    body = b"Slow down, too many requests from this IP address."
    return Reply(429, body, {"Retry-After": str(seconds)}, content_type="text/plain")


def _page_of_html(status: int, title: str) -> Callable[[], Reply]:
    return lambda: Reply(status, f"<html>{title}</html>".encode(), content_type=HTML_TYPE)


REFUSALS: Mapping[str | None, Callable[[], Reply]] = {
    "error": _page_of_html(500, "Oops"),
    "unavailable": _page_of_html(502, "502 Bad Gateway"),
    "html": _page_of_html(200, "We are offline"),
}
