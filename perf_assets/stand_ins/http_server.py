"""HTTP on loopback for the stand-ins of the sources: GitHub's, and forums'."""

import errno
import socket
import sys
import threading
from abc import ABC, abstractmethod
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from perf_assets.base.errors import PerfAssetsError
from perf_assets.stand_ins.reply import Reply, message_reply

HOST = "127.0.0.1"
# How long closing may wait for the accept loop to notice.
POLL_SECONDS = 0.02


class LoopbackServer(ABC):
    """Answers on 127.0.0.1 from entering to leaving the context; ``port`` 0 takes a free one.

    Raises
    ------
    PerfAssetsError
        On entering, where the port cannot be had.
    """

    def __init__(self, port: int = 0) -> None:
        """Prepare the server without listening."""
        self._port = port
        self._http: _HttpServer | None = None

    @abstractmethod
    def answer(self, method: str, target: str, authorization: str, body: bytes) -> Reply:
        """Return the reply to a request; ``authorization`` is the header's value."""

    def __enter__(self) -> Self:
        """Listen."""
        try:
            self._http = _HttpServer(self, self._port)
        except (OSError, OverflowError) as error:
            is_taken = getattr(error, "errno", None) == errno.EADDRINUSE
            reason = "is taken" if is_taken else "may not be used"
            raise PerfAssetsError(
                f"port {self._port} of {HOST} {reason}: choose another one with --port"
            ) from None
        self._port = self._http.server_address[1]
        threading.Thread(
            target=self._http.serve_forever, args=(POLL_SECONDS,), name="corpus-server", daemon=True
        ).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Stop listening and close every connection."""
        if self._http is not None:
            self._http.shutdown()
            self._http.close_all()
            self._http = None  # it knows us: a circle would keep the corpora in memory

    @property
    def url(self) -> str:
        """The base URL."""
        return f"http://{HOST}:{self._port}"


class _HttpServer(ThreadingHTTPServer):
    """Threads of HTTP/1.1 connections, which can all be closed at once."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, api: LoopbackServer, port: int) -> None:
        self.api = api
        self._open: set[socket.socket] = set()
        super().__init__((HOST, port), _Handler)

    def process_request(self, request: Any, client_address: Any) -> None:  # noqa: ANN401
        self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:  # noqa: ANN401
        self._open.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ANN401
        """Report what is wrong here; a client that went away is not."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)

    def close_all(self) -> None:
        self.server_close()
        for connection in list(self._open):
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue


class _Handler(BaseHTTPRequestHandler):
    """Reads a request, lets the server answer, writes the reply in one piece."""

    server: _HttpServer
    protocol_version = "HTTP/1.1"
    server_version = "perf-assets"
    disable_nagle_algorithm = True
    wbufsize = -1

    def do_GET(self) -> None:
        self._handle()

    def do_POST(self) -> None:
        self._handle()

    def _handle(self) -> None:
        length = self.headers.get("Content-Length") or "0"
        if not length.isdecimal():
            self.close_connection = True
            self._send(message_reply(400, "Content-Length is not a number"))
            return
        body = self.rfile.read(int(length))
        authorization = self.headers.get("Authorization") or ""
        self._send(self.server.api.answer(self.command, self.path, authorization, body))

    def _send(self, reply: Reply) -> None:
        self.send_response(reply.status)
        self.send_header("Content-Type", reply.content_type)
        self.send_header("Content-Length", str(len(reply.body)))
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.end_headers()
        if reply.is_cut:
            self.close_connection = True
        self.wfile.write(reply.body[: len(reply.body) // 2] if reply.is_cut else reply.body)
        self.wfile.flush()

    def log_message(self, format: str, *args: object) -> None:
        """Keep the terminal quiet: the server has its own log."""
