"""The loopback GitHub: GraphQL and the REST calls PyGithub makes, over HTTP, from corpora.

``CorpusServer`` is the server as a context manager, ``serve`` the command that runs one.
"""

import json
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from perf_assets.base.corpus import Corpus, read_corpus
from perf_assets.stand_ins.github import graphql_api, rest_api
from perf_assets.stand_ins.github.budget import Budget
from perf_assets.stand_ins.github.graphql_resolvers import Context
from perf_assets.stand_ins.github.tracker import Tracker
from perf_assets.stand_ins.http_server import LoopbackServer
from perf_assets.stand_ins.reply import Reply, json_reply, message_reply

ENTERPRISE_PREFIX = "/api/v3"
GRAPHQL_PATHS = ("/graphql", "/api/graphql")
POINTS_PER_HOUR = 5000
HOUR = 3600.0
PRIMARY_MESSAGE = "API rate limit exceeded for user ID 1."
PRIMARY_ERROR = {
    "type": "RATE_LIMIT",
    "code": "graphql_rate_limit",
    "message": "API rate limit already exceeded for user ID 1.",
}
"""How GraphQL words an exhausted budget, inside HTTP 200."""
Trackers = Mapping[str, Tracker]


@dataclass(frozen=True)
class Request:
    """A line of the server's log.

    ``operation`` is the name of the GraphQL operation, ``points`` what the rate limit was charged,
    ``seconds`` the server's own time before sending.
    """

    method: str
    path: str
    operation: str | None = None
    points: int = 0
    status: int = 200
    seconds: float = 0.0

    @property
    def is_graphql(self) -> bool:
        """Return whether it is a query of GraphQL; else it is one of REST."""
        return self.method == "POST" and self.path in GRAPHQL_PATHS


class CorpusServer(LoopbackServer):
    """Serves corpora as GitHub would, on 127.0.0.1, from entering to leaving the context.

    ``port`` 0 takes a free one. Anyone may send requests; each Authorization header has its own
    budget of ``limit`` points per ``window`` seconds. ``requests`` is the log, oldest first.

    Raises
    ------
    PerfAssetsError
        On entering, where the port cannot be had.
    """

    def __init__(
        self,
        corpora: Iterable[Corpus],
        port: int = 0,
        *,
        limit: int = POINTS_PER_HOUR,
        window: float = HOUR,
    ) -> None:
        """Index the corpora without listening."""
        self.requests: list[Request] = []
        super().__init__(port)
        self._limit, self._window = limit, window
        self._budgets: dict[tuple[str, str], Budget] = {}
        self._lock = threading.Lock()
        self.replace(corpora)

    @property
    def points(self) -> int:
        """The rate-limit points of all requests so far."""
        return sum(request.points for request in self.requests)

    def replace(self, corpora: Iterable[Corpus]) -> None:
        """Serve ``corpora`` from the next request on; requests under way end with the old ones."""
        self._trackers: Trackers = {
            corpus.repository.lower(): Tracker(corpus) for corpus in corpora
        }
        self._former: Trackers = {
            name.lower(): tracker
            for tracker in self._trackers.values()
            for name in tracker.corpus.former_names
        }

    def answer(self, method: str, target: str, authorization: str, body: bytes) -> Reply:
        """Return the reply to a request, which is logged; ``authorization`` is the header's
        value.
        """
        started = time.perf_counter()
        parts = urlsplit(target)
        log = Request(method, parts.path)
        reply, log = self.respond(log, parts.query, authorization, body)
        seconds = time.perf_counter() - started
        self.requests.append(replace(log, status=reply.status, seconds=seconds))
        return reply

    def respond(
        self, log: Request, query: str, authorization: str, body: bytes
    ) -> tuple[Reply, Request]:
        """Return the reply to a request, and its line of the log."""
        budget = self.budget(authorization, "graphql" if log.is_graphql else "core")
        if log.is_graphql:
            reply, log = self._graphql(log, body, budget)
        else:
            reply, log = self._rest(log, query, authorization, budget)
        return replace(reply, headers={**budget.headers(), **reply.headers}), log

    def budget(self, authorization: str, resource: str) -> Budget:
        """Return the budget of an Authorization header."""
        with self._lock:
            return self._budgets.setdefault(
                (authorization, resource), Budget(resource, self._limit, self._window)
            )

    def _graphql(self, log: Request, body: bytes, budget: Budget) -> tuple[Reply, Request]:
        trackers, former = self._trackers, self._former
        content = _read_query(body)
        if content is None:
            return message_reply(400, "Problems parsing JSON"), log
        try:
            query = graphql_api.prepare(
                content["query"], content.get("variables") or {}, content.get("operationName")
            )
        except ExceptionGroup as errors:
            refusal = {"errors": graphql_api.error_list(errors.exceptions)}  # type: ignore[arg-type]
            return json_reply(200, refusal), log
        log = replace(log, operation=query.operation)
        points = query.cost.points
        if not budget.spend(points):
            return json_reply(200, {"errors": [PRIMARY_ERROR]}), log
        context = Context(trackers, budget.graphql(points, query.cost.nodes), former)
        return json_reply(200, graphql_api.execute(query, context)), replace(log, points=points)

    def _rest(
        self, log: Request, query: str, authorization: str, budget: Budget
    ) -> tuple[Reply, Request]:
        prefix = ENTERPRISE_PREFIX if log.path.startswith(ENTERPRISE_PREFIX) else ""
        path = log.path.removeprefix(prefix)
        if log.method == "GET" and path == "/rate_limit":
            return self._rate_limit(authorization), log
        if not budget.spend(1):
            return message_reply(403, PRIMARY_MESSAGE), log
        log = replace(log, points=1)
        if log.method != "GET":
            return message_reply(404, "Not Found"), log
        call = rest_api.Call(self.url + prefix, path, dict(parse_qsl(query)))
        return rest_api.answer(self._trackers, self._former, call), log

    def _rate_limit(self, authorization: str) -> Reply:
        resources = {name: self.budget(authorization, name).rest() for name in ("core", "graphql")}
        return json_reply(200, {"resources": resources, "rate": resources["core"]})


def serve(
    directory: Path, port: int, repository: str | None, on_ready: Callable[[str], None]
) -> None:
    """Serve the corpus in ``directory`` until Ctrl-C; ``on_ready`` gets the URL once it listens.

    Raises
    ------
    PerfAssetsError
        Where the corpus cannot be read or the port cannot be had.
    """
    with CorpusServer([read_corpus(directory, repository)], port) as server:
        on_ready(server.url)
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            return


def _read_query(body: bytes) -> dict[str, Any] | None:
    """Return the content of a GraphQL request; None where it is not one."""
    try:
        content = json.loads(body)
    except (ValueError, RecursionError):
        return None
    if not isinstance(content, dict) or not isinstance(content.get("query"), str):
        return None
    return content if isinstance(content.get("variables") or {}, dict) else None
