"""How requests go out and answers come in: within a time, up to a size, from one server.

A time limit of ``requests`` bounds the pause between two bytes, so that a server that sends one now
and then is waited for without end. Here each byte is waited for no longer than what is left of the
whole request's time.
"""

import io
import logging
import math
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPResponse
from typing import Any

import github
from github.Requester import (
    HTTPRequestsConnectionClass,
    HTTPSRequestsConnectionClass,
    Requester,
    RequestsResponse,
)
from requests import Response
from requests.adapters import HTTPAdapter
from requests.exceptions import RequestException
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.poolmanager import PoolManager

LARGEST_ANSWER = 64 << 20  # bytes: a page of 100 issues with 50 long comments each has fewer
CHUNK = 1 << 16
BUDGET_HEADERS = ("x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset")

# It would tell of strange headers with a traceback.
logging.getLogger("urllib3.connection").setLevel(logging.ERROR)

_clock = threading.local()


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """What this thread asks inside the block, all of it, takes no longer than ``seconds``."""
    _clock.end = time.monotonic() + seconds
    try:
        yield
    finally:
        del _clock.end


def ask(connection: github.Github, verb: str, path: str, content: object = None) -> "Answer":
    """The answer to a request, whatever its status; RequestException when none came whole."""
    status, headers, text = connection.requester.requestJson(verb, path, input=content)
    return Answer(status, headers, text)


class Answer:
    """An HTTP answer: status, headers with names in lower case, text."""

    def __init__(self, status: int, headers: Mapping[str, Any], text: str) -> None:
        """Keep all three."""
        self.status, self.headers, self.text = status, headers, text


def finite(text: object) -> float | None:
    """The number that a header says, from 0 on; None where it is none."""
    try:
        number = float(str(text))
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None


def _seconds_left() -> float:
    return float(_clock.end - time.monotonic())


class _Incoming(io.RawIOBase):
    """Reads from a socket for as long as there is time."""

    def __init__(self, raw: io.RawIOBase, sock: socket.socket) -> None:
        self._raw, self._sock = raw, sock

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:  # noqa: ANN401
        left = _seconds_left()
        if left <= 0:
            raise TimeoutError("timed out")
        self._sock.settimeout(left)
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()


class _TimedResponse(HTTPResponse):
    def __init__(self, sock: socket.socket, *arguments: Any, **options: Any) -> None:  # noqa: ANN401
        super().__init__(sock, *arguments, **options)
        self.fp = io.BufferedReader(_Incoming(self.fp.detach(), sock))


class _TimedConnection(HTTPConnection):
    response_class = _TimedResponse


class _TimedTlsConnection(HTTPSConnection):
    response_class = _TimedResponse


class _TimedPool(HTTPConnectionPool):
    ConnectionCls = _TimedConnection


class _TimedTlsPool(HTTPSConnectionPool):
    ConnectionCls = _TimedTlsConnection


class _TimedAdapter(HTTPAdapter):
    """Also through a proxy."""

    def init_poolmanager(self, *arguments: Any, **options: Any) -> None:  # noqa: ANN401
        super().init_poolmanager(*arguments, **options)
        self._time(self.poolmanager)

    def proxy_manager_for(self, proxy: str, **options: Any) -> PoolManager:  # noqa: ANN401
        manager: PoolManager = super().proxy_manager_for(proxy, **options)
        self._time(manager)
        return manager

    def _time(self, manager: PoolManager) -> None:
        manager.pool_classes_by_scheme = {"http": _TimedPool, "https": _TimedTlsPool}


class _WholeResponse(RequestsResponse):
    """An answer that was read to its end."""

    def __init__(self, response: Response, body: bytes) -> None:
        super().__init__(response)
        self._body = body
        if self.status == 202:  # after which PyGithub would ask again, without end
            self.status = 503

    def read(self) -> str:
        """The text; bytes that are no UTF-8 as U+FFFD."""
        return self._body.decode("utf-8", "replace")

    def getheaders(self) -> Any:  # noqa: ANN401
        """The headers but for those that would lead PyGithub astray.

        It follows redirects, without end where they go in a circle, and reads numbers as if they
        were always there.
        """
        return [
            (name, value)
            for name, value in self.headers.items()
            if name.lower() != "location"
            and not (name.lower() in BUDGET_HEADERS and finite(value) is None)
        ]


class _Timed:
    """Makes a connection of PyGithub's keep to the time, its own where no other is set."""

    def __init__(self, *arguments: Any, **options: Any) -> None:  # noqa: ANN401
        super().__init__(*arguments, **options)
        self.session: Any
        self.retry: Any
        for prefix in ("http://", "https://"):
            self.session.mount(prefix, _TimedAdapter(max_retries=self.retry))

    def getresponse(self) -> RequestsResponse:
        if hasattr(_clock, "end"):
            return self._response()
        with within(self.timeout):  # type: ignore[attr-defined]
            return self._response()

    def _response(self) -> RequestsResponse:
        left = _seconds_left()
        if left <= 0:
            raise RequestException("no time is left")
        response = self.session.request(
            self.verb,  # type: ignore[attr-defined]
            f"{self.protocol}://{self.host}:{self.port}{self.url}",  # type: ignore[attr-defined]
            headers=self.headers,  # type: ignore[attr-defined]
            data=self.input,  # type: ignore[attr-defined]
            timeout=left,
            verify=self.verify,  # type: ignore[attr-defined]
            allow_redirects=False,
            stream=True,
        )
        try:
            return _WholeResponse(response, _whole(response))
        except BaseException:
            response.close()
            raise


def _whole(response: Response) -> bytes:
    body = bytearray()
    for chunk in response.iter_content(CHUNK):
        body += chunk
        if len(body) > LARGEST_ANSWER:
            raise RequestException(f"an answer of more than {LARGEST_ANSWER >> 20} MB")
    return bytes(body)


class _TimedHttp(_Timed, HTTPRequestsConnectionClass):
    """A connection without TLS."""


class _TimedHttps(_Timed, HTTPSRequestsConnectionClass):
    """A connection with TLS."""


# PyGithub makes connections by itself too, to renew the token of an App.
Requester.injectConnectionClasses(_TimedHttp, _TimedHttps)
