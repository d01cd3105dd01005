"""The server: the lists of the API with their pages, totals, pauses and daily quota."""

import gzip
import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from perf_assets.mock_servers.http_server import LoopbackServer
from perf_assets.mock_servers.reply import HTML_TYPE, Reply
from perf_assets.mock_servers.stackexchange.faults import FaultPlan, Faults
from perf_assets.mock_servers.stackexchange.site import Item, Site, read_site

VERSION = "/2.3"
QUOTA = 10_000
LARGEST_PAGE = 100
DEEPEST_PAGE = 25
SORTS = {"activity": "last_activity_date", "creation": "creation_date"}


@dataclass(frozen=True)
class Request:
    """A line of the server's log."""

    path: str
    parameters: Mapping[str, str]
    status: int = 200
    fault: str | None = None
    is_impolite: bool = False  # a request came before a pause was over, or beyond the quota


class ForumServer(LoopbackServer):
    """Serves ``sites``, by the name that the API gives them, to everybody.

    A method that has to pause is refused until the pause is over; so is everything once
    ``quota`` requests were made. ``requests`` is the log, oldest first.
    """

    def __init__(
        self,
        sites: Mapping[str, Site],
        port: int = 0,
        *,
        faults: Faults | None = None,
        quota: int = QUOTA,
    ) -> None:
        """Nothing listens yet."""
        super().__init__(port)
        self.sites = dict(sites)
        self.requests: list[Request] = []
        self._plan = FaultPlan(faults) if faults else None
        self._quota = self._left = quota
        self._rests: dict[str, float] = {}
        self._lock = threading.Lock()

    @property
    def url(self) -> str:
        """The base URL of the API."""
        return f"{super().url}{VERSION}"

    def answer(self, method: str, target: str, authorization: str, body: bytes) -> Reply:
        """The reply to a request, which is logged."""
        parts = urlsplit(target)
        path = unquote(parts.path).removeprefix(VERSION).strip("/")
        parameters = dict(parse_qsl(parts.query))
        with self._lock:
            reply, log = self._answer(path, parameters)
            self.requests.append(replace(log, status=reply.status))
        return reply

    def _answer(self, path: str, parameters: Mapping[str, str]) -> tuple[Reply, Request]:
        log = Request(path, parameters)
        name = "/".join(part for part in path.split("/") if not part[:1].isdigit())
        if self._left <= 0 or time.time() < self._rests.get(name, 0.0):
            left = 86_400 if self._left <= 0 else 1
            return self._throttled(left), replace(log, is_impolite=True)
        fault = self._plan.draw() if self._plan else None
        log = replace(log, fault=fault)
        wait = self._plan.faults.wait if self._plan else 0
        self._left -= 1
        if fault == "throttle":
            self._rests[name] = time.time() + wait
            return self._throttled(wait), log
        if fault is not None and fault in REFUSALS:
            return REFUSALS[fault](), log
        if fault == "slow" and self._plan is not None:
            time.sleep(self._plan.faults.delay)
        if path == "filters/create":
            content = self._wrapped([{"filter": "!perf", "included_fields": []}])
        else:
            found = self._found(path, parameters)
            if isinstance(found, Reply):
                return found, log
            content = self._page(found, parameters)
        if fault == "shifted" and len(content["items"]) > 1:
            content["items"].pop()  # a question that left the list while it was read
            content["has_more"] = False
        if fault == "backoff":
            content["backoff"] = wait
            self._rests[name] = time.time() + wait
        reply = _packed(200, content)
        return (replace(reply, is_cut=True) if fault == "cut" else reply), log

    def _found(self, path: str, parameters: Mapping[str, str]) -> list[Item] | Reply:
        """The items of a list, sorted."""
        site = self.sites.get(parameters.get("site", ""))
        if site is None:
            return _error(400, 400, "bad_parameter", "No site found for name")
        head, *rest = path.split("/")
        if head == "tags" and rest[-1:] == ["info"]:
            return [{"name": tag} for tag in rest[0].split(";") if tag in site.tags]
        if head == "questions" and not rest:
            return _chosen(list(site.questions.values()), parameters)
        if head == "questions" and rest[-1:] == ["answers"]:
            numbers = {int(number) for number in rest[0].split(";")}
            of_these = [one for one in site.answers.values() if one["question_id"] in numbers]
            return _chosen(of_these, parameters)
        return _error(404, 404, "no_method", "no method found with this name")

    def _page(self, found: Sequence[Item], parameters: Mapping[str, str]) -> dict[str, Any]:
        size = min(int(parameters.get("pagesize", "30")), LARGEST_PAGE)
        page = min(int(parameters.get("page", "1")), DEEPEST_PAGE)
        start = (page - 1) * size
        content = self._wrapped(list(found[start : start + size]))
        return {**content, "has_more": start + size < len(found), "total": len(found)}

    def _wrapped(self, items: list[Item]) -> dict[str, Any]:
        quota = {"quota_max": self._quota, "quota_remaining": self._left}
        return {"items": items, "has_more": False, **quota}

    def _throttled(self, seconds: int) -> Reply:
        message = f"too many requests from this IP, more requests available in {seconds} seconds"
        return _error(400, 502, "throttle_violation", message)


def serve(directory: Path, port: int, on_ready: Callable[[str], None]) -> None:
    """Serve the dump in ``directory`` until Ctrl-C; ``on_ready`` gets the URL once it listens.

    Raises
    ------
    PerfAssetsError
        Where the dump cannot be read or the port cannot be had.
    """
    site = read_site(directory)
    with ForumServer({directory.resolve().name: site}, port) as server:
        on_ready(server.url)
        with suppress(KeyboardInterrupt):
            threading.Event().wait()


def _chosen(items: list[Item], parameters: Mapping[str, str]) -> list[Item]:
    """Those that the parameters select, in their order."""
    key = SORTS[parameters.get("sort", "activity")]
    if tagged := parameters.get("tagged"):
        items = [item for item in items if set(tagged.split(";")) <= set(item["tags"])]
    bounds = (("fromdate", "todate", "creation_date"), ("min", "max", key))
    for low, high, name in bounds:
        lowest, highest = int(parameters.get(low, 0)), int(parameters.get(high, 2**40))
        items = [item for item in items if lowest <= item[name] <= highest]
    number = "question_id" if items and "title" in items[0] else "answer_id"
    is_descending = parameters.get("order", "desc") == "desc"
    return sorted(items, key=lambda item: (item[key], item[number]), reverse=is_descending)


def _packed(status: int, content: object) -> Reply:
    body = gzip.compress(json.dumps(content).encode(), 1)
    return Reply(status, body, {"Content-Encoding": "gzip"})


def _error(status: int, number: int, name: str, message: str) -> Reply:
    content = {"error_id": number, "error_name": name, "error_message": message}
    return _packed(status, content)


def _page_of_html(status: int, title: str) -> Callable[[], Reply]:
    return lambda: Reply(status, f"<html>{title}</html>".encode(), content_type=HTML_TYPE)


REFUSALS: Mapping[str, Callable[[], Reply]] = {
    "internal_error": lambda: _error(500, 500, "internal_error", "an error has been logged"),
    "unavailable": lambda: _error(503, 503, "temporarily_unavailable", "try again later"),
    "bad_gateway": _page_of_html(502, "502 Bad Gateway"),
    "html": _page_of_html(200, "We are offline"),
}
