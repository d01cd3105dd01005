"""Who may ask the web server for what."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from perf_assets.web.guard import LOOPBACK, Guard, answered_names, refusal

OWN = "127.0.0.1:3000"
PAGE = {"host": OWN, "origin": f"http://{OWN}", "sec-fetch-site": "same-origin"}
JSON = {"content-type": "application/json; charset=utf-8"}
QUERY = b"query=mutation%7BlaunchRun%7D"


def scope(
    method: str, path: str, headers: Mapping[str, str], query: bytes = b"", kind: str = "http"
) -> dict[str, Any]:
    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    return {"type": kind, "path": path, "headers": raw, "query_string": query, "method": method}


@pytest.mark.parametrize(
    ("method", "path", "headers"),
    [
        ("POST", "/graphql", {**PAGE, **JSON}),
        ("GET", "/graphql", PAGE),  # the GraphiQL page
        ("GET", "/runs", {"host": "localhost:8080"}),  # through a tunnel
        ("GET", "/", {"host": "[::1]:3000"}),
        ("POST", "/graphql", {"host": OWN, **JSON}),  # a script of one's own
        (
            "GET",
            "/runs",
            {
                "host": OWN,
                "sec-fetch-site": "cross-site",
                "sec-fetch-mode": "navigate",
                "sec-fetch-dest": "document",
            },
        ),
    ],
)
def test_its_own_pages_links_to_it_and_scripts_are_answered(
    method: str, path: str, headers: dict[str, str]
) -> None:
    assert refusal(scope(method, path, headers)) is None


@pytest.mark.parametrize(
    ("method", "headers", "query", "status"),
    [
        ("GET", {"host": OWN}, QUERY, 405),
        ("GET", {"host": OWN}, b"a=1&query=", 405),
        ("POST", {"host": OWN, "content-type": "text/plain"}, b"", 415),
        ("POST", {"host": OWN, "content-type": "application/x-www-form-urlencoded"}, b"", 415),
        ("POST", {"host": OWN, "content-type": "multipart/form-data; boundary=x"}, b"", 415),
        ("POST", {"host": OWN}, b"", 415),
        ("POST", {"host": OWN, "origin": "http://evil.example", **JSON}, b"", 403),
        ("POST", {"host": OWN, "origin": "null", **JSON}, b"", 403),
        ("POST", {"host": OWN, "origin": "http://127.0.0.1:8000", **JSON}, b"", 403),
        ("POST", {"host": OWN, "sec-fetch-site": "cross-site", **JSON}, b"", 403),
        ("POST", {"host": OWN, "sec-fetch-site": "same-site", **JSON}, b"", 403),
        ("DELETE", {"host": OWN, "origin": "http://evil.example"}, b"", 403),
        ("GET", {"host": OWN, "sec-fetch-site": "cross-site"}, b"", 403),
        (
            "GET",
            {
                "host": OWN,
                "sec-fetch-site": "cross-site",
                "sec-fetch-mode": "navigate",
                "sec-fetch-dest": "iframe",
            },
            b"",
            403,
        ),
        ("GET", {"host": "evil.example"}, b"", 421),
        ("GET", {"host": "127.0.0.1.evil.example:3000"}, b"", 421),
        ("GET", {}, b"", 421),
    ],
)
def test_what_a_page_of_another_origin_can_send_is_refused(
    method: str, headers: dict[str, str], query: bytes, status: int
) -> None:
    found = refusal(scope(method, "/graphql", headers, query))
    assert found is not None
    assert found[0] == status


def test_a_name_given_twice_is_refused() -> None:
    twice = scope("GET", "/", {"host": OWN})
    twice["headers"] *= 2
    assert refusal(twice) == (421, "this server answers to 127.0.0.1, [::1], localhost alone")


def sent_by(request: dict[str, Any]) -> list[dict[str, Any]]:
    """What the guarded application sends; it says that it was reached."""

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})

    sent = []

    async def receive() -> dict[str, Any]:
        return {"type": "websocket.connect"}

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(Guard(app)(request, receive, send))
    return sent


def test_a_socket_of_another_origin_is_closed() -> None:
    headers = {"host": OWN, "origin": "http://evil.example"}
    assert sent_by(scope("GET", "/graphql", headers, kind="websocket")) == [
        {"type": "websocket.close", "code": 1008}
    ]


def test_what_is_refused_does_not_reach_the_application_and_nothing_is_framed() -> None:
    refused, body = sent_by(scope("POST", "/graphql", {"host": OWN}))
    assert refused["status"] == 415
    assert b"application/json" in body["body"]
    (answered,) = sent_by(scope("POST", "/graphql", {**PAGE, **JSON}))
    assert answered["status"] == 200
    assert (b"x-frame-options", b"DENY") in answered["headers"]


def test_the_name_of_a_proxy_counts_when_it_is_given() -> None:
    public = {**JSON, "host": "perf.example.org", "origin": "https://perf.example.org"}
    elsewhere = {**public, "origin": "https://evil.example"}
    assert refusal(scope("POST", "/graphql", public)) is not None
    names = answered_names(" Perf.example.org,, ")
    assert refusal(scope("POST", "/graphql", public), names) is None
    assert refusal(scope("POST", "/graphql", elsewhere), names) is not None
    assert answered_names("") == answered_names(",") == LOOPBACK
