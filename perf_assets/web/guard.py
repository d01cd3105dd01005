"""Refuses requests of pages of other origins, whatever a browser lets them send.

A server on loopback is within reach of every page that is open in a browser of the same machine:
by forms, by images, by names that an attacker lets point to 127.0.0.1. Dagster requires no
password, so what such a page could set going is refused here, by what browsers say of themselves
(Host, Origin, Sec-Fetch-Site), and by what a page cannot send without asking first (JSON).
"""

from collections.abc import Sequence
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOOPBACK = frozenset({"127.0.0.1", "localhost", "[::1]"})
READING = frozenset({"GET", "HEAD", "OPTIONS"})
POLICY_VIOLATED = 1008  # RFC 6455, section 7.4.1
NOT_FRAMED = {"x-frame-options": "DENY"}  # no page of another origin shows an answer in itself


def answered_names(more: str) -> frozenset[str]:
    """Return the names that a server answers to: loopback and ``more``, separated by commas.

    ``more`` is the public name of a reverse proxy that requires a password; without a port it
    counts for each.
    """
    return LOOPBACK | {name.strip().lower() for name in more.split(",") if name.strip()}


class Guard:
    """An ASGI application that lets only what ``refusal`` has no word against reach ``app``."""

    def __init__(
        self, app: ASGIApp, hosts: frozenset[str] = LOOPBACK, policy: str | None = None
    ) -> None:
        """Guard ``app``, which answers to the names ``hosts``.

        ``policy`` limits what pages may load in the browser (Content-Security-Policy).
        """
        self._app = app
        self._hosts = hosts
        added = NOT_FRAMED if policy is None else {**NOT_FRAMED, "content-security-policy": policy}
        self._headers = Headers(added).raw

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        refused = refusal(scope, self._hosts)
        if refused is not None and scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": POLICY_VIOLATED})
        elif refused is not None:
            status, reason = refused
            await PlainTextResponse(f"{reason}\n", status, NOT_FRAMED)(scope, receive, send)
        else:
            await self._app(scope, receive, _with_headers(send, self._headers))


def refusal(scope: Scope, hosts: frozenset[str] = LOOPBACK) -> tuple[int, str] | None:
    """Return the HTTP status and the reason why a request is refused; ``None`` where it is not."""
    headers = Headers(scope=scope)
    host = headers.getlist("host")
    if len(host) != 1 or _name(host[0]) not in hosts:
        return 421, f"this server answers to {', '.join(sorted(hosts))} alone"
    if any(urlsplit(origin).netloc != host[0] for origin in headers.getlist("origin")):
        return 403, "a page of another origin may not send requests to this server"
    method = scope.get("method", "GET")
    is_opened = method == "GET" and headers.getlist("sec-fetch-mode") == ["navigate"]
    is_opened = is_opened and headers.getlist("sec-fetch-dest") == ["document"]
    from_elsewhere = set(headers.getlist("sec-fetch-site")) - {"same-origin", "none"}
    if from_elsewhere and not is_opened:
        return 403, "a page of another origin may not send requests to this server"
    if method in READING:
        return _refusal_of_query(scope)
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        return 415, "what changes something has to be sent as application/json"
    return None


def _refusal_of_query(scope: Scope) -> tuple[int, str] | None:
    """GraphQL is queried by POST alone: a link or an image must not be able to query it."""
    parameters = parse_qs(scope.get("query_string", b"").decode("latin-1"), keep_blank_values=True)
    if scope["path"].rstrip("/").endswith("/graphql") and "query" in parameters:
        return 405, "GraphQL is queried by POST, as application/json"
    return None


def _name(host: str) -> str:
    """Return the name in a Host header, without the port."""
    name, colon, port = host.rpartition(":")
    return (name if colon and port.isdecimal() else host).lower()


def _with_headers(send: Send, added: Sequence[tuple[bytes, bytes]]) -> Send:
    """``send``, which adds headers to the answer."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", []), *added]}
        await send(message)

    return sending
