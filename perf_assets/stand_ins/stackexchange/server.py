"""The server: the lists of the API with their pages, totals, pauses and daily quota."""

import gzip
import json
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from perf_assets.stand_ins.http_server import LoopbackServer
from perf_assets.stand_ins.reply import Reply
from perf_assets.stand_ins.stackexchange.site import Item, Site, read_site

VERSION = "/2.3"
QUOTA = 10_000
DAY = 86_400
LARGEST_PAGE = 100
DEEPEST_PAGE = 25
SORTS = {"activity": "last_activity_date", "creation": "creation_date"}


@dataclass(frozen=True)
class Request:
    """A line of the server's log."""

    path: str
    parameters: Mapping[str, str]
    status: int = 200


class ForumServer(LoopbackServer):
    """Serves ``sites``, by the name that the API gives them, to everybody.

    Everything is refused once ``quota`` requests were made. ``requests`` is the log, oldest first.
    """

    def __init__(
        self,
        sites: Mapping[str, Site],
        port: int = 0,
        *,
        quota: int = QUOTA,
    ) -> None:
        """Prepare the server without listening."""
        super().__init__(port)
        self.sites = dict(sites)
        self.requests: list[Request] = []
        self._quota = self.left = quota
        self._lock = threading.Lock()

    @property
    def url(self) -> str:
        """The base URL of the API."""
        return f"{super().url}{VERSION}"

    def answer(self, method: str, target: str, authorization: str, body: bytes) -> Reply:
        """Return the reply to a request, which is logged."""
        parts = urlsplit(target)
        path = unquote(parts.path).removeprefix(VERSION).strip("/")
        parameters = dict(parse_qsl(parts.query))
        with self._lock:
            reply, log = self.respond(Request(path, parameters))
            self.requests.append(replace(log, status=reply.status))
        return reply

    def respond(self, log: Request) -> tuple[Reply, Request]:
        """Return the reply to a request, and its line of the log."""
        if self.left <= 0:
            return self.throttled(DAY), log
        self.left -= 1
        content = self.content(log.path, log.parameters)
        return content if isinstance(content, Reply) else packed(200, content), log

    def content(self, path: str, parameters: Mapping[str, str]) -> dict[str, Any] | Reply:
        """Return the requested items, or a refusal."""
        if path == "filters/create":
            return self._wrapped([{"filter": "!perf", "included_fields": []}])
        found = self._found(path, parameters)
        return found if isinstance(found, Reply) else self._page(found, parameters)

    def _found(self, path: str, parameters: Mapping[str, str]) -> list[Item] | Reply:
        """Return the items of a list, sorted."""
        site = self.sites.get(parameters.get("site", ""))
        if site is None:
            return error_reply(400, 400, "bad_parameter", "No site found for name")
        head, *rest = path.split("/")
        if head == "tags" and rest[-1:] == ["info"]:
            return [{"name": tag} for tag in rest[0].split(";") if tag in site.tags]
        if head == "questions" and not rest:
            return _chosen(list(site.questions.values()), parameters)
        if head == "questions" and rest[-1:] == ["answers"]:
            numbers = {int(number) for number in rest[0].split(";")}
            of_these = [
                answer for answer in site.answers.values() if answer["question_id"] in numbers
            ]
            return _chosen(of_these, parameters)
        return error_reply(404, 404, "no_method", "no method found with this name")

    def _page(self, found: Sequence[Item], parameters: Mapping[str, str]) -> dict[str, Any]:
        size = min(int(parameters.get("pagesize", "30")), LARGEST_PAGE)
        page = min(int(parameters.get("page", "1")), DEEPEST_PAGE)
        start = (page - 1) * size
        content = self._wrapped(list(found[start : start + size]))
        return {**content, "has_more": start + size < len(found), "total": len(found)}

    def _wrapped(self, items: list[Item]) -> dict[str, Any]:
        quota = {"quota_max": self._quota, "quota_remaining": self.left}
        return {"items": items, "has_more": False, **quota}

    def throttled(self, seconds: int) -> Reply:
        """Return the refusal of a request that has to wait for so many seconds."""
        message = f"too many requests from this IP, more requests available in {seconds} seconds"
        return error_reply(400, 502, "throttle_violation", message)


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
    """Return the items that the parameters select, in their order."""
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


def packed(status: int, content: object) -> Reply:
    """Return a reply with ``content`` as compressed JSON."""
    body = gzip.compress(json.dumps(content).encode(), 1)
    return Reply(status, body, {"Content-Encoding": "gzip"})


def error_reply(status: int, number: int, name: str, message: str) -> Reply:
    """Return a refusal in the form of the API's errors."""
    content = {"error_id": number, "error_name": name, "error_message": message}
    return packed(status, content)
