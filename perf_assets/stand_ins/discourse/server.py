"""The server: lists of topics with their pages, topics, and further posts of them."""

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from perf_assets.stand_ins.discourse.topics import (
    CATEGORIES,
    category_of,
    posts_of,
    topic_in_list,
    topic_page,
)
from perf_assets.stand_ins.http_server import LoopbackServer
from perf_assets.stand_ins.reply import Reply, json_reply
from perf_assets.stand_ins.stackexchange.site import Item, Site, read_site

USUAL_PAGE, LARGEST_PAGE = 30, 100
CHUNK = 20
ORDERS = {"activity": "bumped_at", "created": "created_at"}
Parameters = Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Request:
    """A line of the server's log."""

    path: str
    parameters: Parameters
    status: int = 200


class DiscourseServer(LoopbackServer):
    """Serves ``site`` as a forum of Discourse would; ``requests`` is the log, oldest first.

    chunk : how many posts come with a topic.
    pinned : the topics before all others.
    """

    def __init__(
        self, site: Site, port: int = 0, *, chunk: int = CHUNK, pinned: Sequence[int] = ()
    ) -> None:
        """Prepare the server without listening."""
        super().__init__(port)
        self.site = site
        self.requests: list[Request] = []
        self._chunk, self._pinned = chunk, frozenset(pinned)
        self._lock = threading.Lock()

    def answer(self, method: str, target: str, authorization: str, body: bytes) -> Reply:
        """Return the reply to a request, which is logged."""
        parts = urlsplit(target)
        log = Request(parts.path.strip("/"), parse_qsl(parts.query))
        with self._lock:
            reply, log = self.respond(log)
            self.requests.append(replace(log, status=reply.status))
        return reply

    def respond(self, log: Request) -> tuple[Reply, Request]:
        """Return the reply to a request, and its line of the log."""
        content = self.content(log.path, log.parameters)
        if content is None:
            message = "The requested URL or resource could not be found."
            return json_reply(404, {"errors": [message], "error_type": "not_found"}), log
        return json_reply(200, content), log

    def content(self, path: str, parameters: Parameters) -> dict[str, Any] | None:
        """Return what is at ``path``; None where nothing is."""
        head, *rest = [unquote(part) for part in path.split("/")]
        if path == "categories.json":
            return self._categories(parameters)
        if head == "t":
            return self._topic(rest, parameters)
        chosen = self._chosen(path, [head, *rest])
        return None if chosen is None else self._list(chosen, parameters)

    def _categories(self, parameters: Parameters) -> dict[str, Any]:
        top, below = CATEGORIES
        is_whole = ("include_subcategories", "true") in parameters
        categories = [{**top, "subcategory_list": [below] if is_whole else None}]
        return {"category_list": {"categories": categories}}

    def _chosen(self, path: str, parts: list[str]) -> list[Item] | None:
        """Return the questions of a list; None where there is no such list."""
        questions = list(self.site.questions.values())
        if path == "latest.json":
            return questions
        match parts:
            case ["tag", tag, "l", "latest.json"] if tag in self.site.tags:
                return [question for question in questions if tag in question["tags"]]
            case ["c", "usage", "1", "l", "latest.json"]:  # with the category in it
                return questions
            case ["c", "usage", "gpu", "2", "l", "latest.json"]:
                return [question for question in questions if category_of(question) == 2]
        return None

    def _list(self, questions: list[Item], parameters: Parameters) -> dict[str, Any]:
        wanted = dict(parameters)
        order = wanted.get("order", "activity")
        size = min(int(wanted.get("per_page", USUAL_PAGE)), LARGEST_PAGE)
        start = int(wanted.get("page", 0)) * size
        topics = [topic_in_list(self.site, question) for question in questions]
        topics = [{**topic, "pinned": topic["id"] in self._pinned} for topic in topics]
        topics.sort(
            key=lambda t: (order == "activity" and t["pinned"], t[ORDERS[order]], t["id"]),
            reverse=True,
        )
        more = {"more_topics_url": "/more"} if start + size < len(topics) else {}
        return {"topic_list": {**more, "per_page": size, "topics": topics[start : start + size]}}

    def _topic(self, rest: list[str], parameters: Parameters) -> dict[str, Any] | None:
        number = rest[0].removesuffix(".json")
        question = self.site.questions.get(int(number)) if number.isdecimal() else None
        if question is None:
            return None
        if rest[1:] == ["posts.json"]:
            chosen = {int(value) for name, value in parameters if name == "post_ids[]"}
            posts = [post for post in posts_of(self.site, question) if post["id"] in chosen]
            return {"post_stream": {"posts": posts}, "id": question["question_id"]}
        return topic_page(self.site, question, self._chunk)


def serve(directory: Path, port: int, on_ready: Callable[[str], None]) -> None:
    """Serve the dump in ``directory`` until Ctrl-C; ``on_ready`` gets the URL once it listens.

    Raises
    ------
    PerfAssetsError
        Where the dump cannot be read or the port cannot be had.
    """
    with DiscourseServer(read_site(directory), port) as server:
        on_ready(server.url)
        with suppress(KeyboardInterrupt):
            threading.Event().wait()
