"""HTTP within a time and up to a size, for every source.

A time limit of ``requests`` bounds the pause between two bytes, so that a server that sends one now
and then is waited for without end. Here each byte is waited for no longer than what is left of the
whole request's time.
"""

import io
import logging
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPResponse
from typing import Any

from requests import Response
from requests.adapters import HTTPAdapter
from requests.exceptions import RequestException
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.poolmanager import PoolManager

LARGEST_ANSWER = 64 << 20  # bytes: a page of 100 issues with 50 long comments each has fewer
CHUNK = 1 << 16

# It would tell of strange headers with a traceback.
logging.getLogger("urllib3.connection").setLevel(logging.ERROR)

_clock = threading.local()


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Limit all requests of this thread inside the block together to ``seconds``."""
    _clock.end = time.monotonic() + seconds
    try:
        yield
    finally:
        del _clock.end


def is_timed() -> bool:
    """Return whether this thread is inside of ``within``."""
    return hasattr(_clock, "end")


def seconds_left() -> float:
    """Return the remaining seconds of the time set by ``within``."""
    return float(_clock.end - time.monotonic())


class _Incoming(io.RawIOBase):
    """Reads from a socket for as long as there is time."""

    def __init__(self, raw: io.RawIOBase, sock: socket.socket) -> None:
        self._raw, self._sock = raw, sock

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:  # noqa: ANN401
        left = seconds_left()
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


class TimedAdapter(HTTPAdapter):
    """Keeps a session of ``requests`` to the time, also through a proxy."""

    def init_poolmanager(self, *arguments: Any, **options: Any) -> None:  # noqa: ANN401
        """Make connections that keep to the time."""
        super().init_poolmanager(*arguments, **options)
        self._time(self.poolmanager)

    def proxy_manager_for(self, proxy: str, **options: Any) -> PoolManager:  # noqa: ANN401
        """Make connections through a proxy that keep to the time."""
        manager: PoolManager = super().proxy_manager_for(proxy, **options)
        self._time(manager)
        return manager

    def _time(self, manager: PoolManager) -> None:
        manager.pool_classes_by_scheme = {"http": _TimedPool, "https": _TimedTlsPool}


def whole(response: Response) -> bytes:
    """Return the body of an answer, read to its end; RequestException where it is too large."""
    body = bytearray()
    for chunk in response.iter_content(CHUNK):
        body += chunk
        if len(body) > LARGEST_ANSWER:
            raise RequestException(f"an answer of more than {LARGEST_ANSWER >> 20} MB")
    return bytes(body)
