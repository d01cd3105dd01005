"""Loopback GitHub Discussions whose answers go wrong by a seeded plan."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from perf_assets.stand_ins.discussions.server import DiscussionServer, Request
from perf_assets.stand_ins.reply import HTML_TYPE, Reply, json_reply, message_reply
from perf_assets.stand_ins.stackexchange.site import Site
from tests.unreliable_forum import FaultPlan, Faults

KINDS = ("secondary_limit", "error", "bad_gateway", "html", "cut")
WRONG = {"message": "Something went wrong while executing your query."}


@dataclass(frozen=True)
class FaultyRequest(Request):
    """A line of the log: what was made to go wrong."""

    fault: str | None = None
    is_impolite: bool = False


class UnreliableDiscussions(DiscussionServer):
    """Serves a site with faults."""

    requests: list[FaultyRequest]  # type: ignore[assignment]

    def __init__(self, site: Site, *, faults: Faults | None = None, largest: int = 10) -> None:
        """Nothing listens yet."""
        super().__init__(site, largest=largest)
        self._plan = FaultPlan(replace(faults or Faults(0, 0.0), kinds=KINDS))

    def respond(self, log: Request, body: bytes) -> tuple[Reply, FaultyRequest]:
        """The reply to a request, and its line of the log."""
        fault = self._plan.draw()
        line = FaultyRequest(**vars(log), fault=fault)
        if fault in REFUSALS:
            return REFUSALS[fault](), line
        reply, _ = super().respond(log, body)
        return replace(reply, is_cut=fault == "cut"), line


def _limited() -> Reply:
    message = "You have exceeded a secondary rate limit. Please wait a few minutes."
    return message_reply(403, message, {"Retry-After": "0"})


def _page_of_html(status: int, title: str) -> Callable[[], Reply]:
    return lambda: Reply(status, f"<html>{title}</html>".encode(), content_type=HTML_TYPE)


REFUSALS: Mapping[str | None, Callable[[], Reply]] = {
    "secondary_limit": _limited,
    "error": lambda: json_reply(200, {"data": None, "errors": [WRONG]}),
    "bad_gateway": _page_of_html(502, "502 Bad Gateway"),
    "html": _page_of_html(200, "We are offline"),
}
