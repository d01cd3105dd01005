"""The server of the review workbench for tests, and requests to it."""

import json
import os
import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import HTTPErrorProcessor, Request, build_opener

from tests.ports import free_port
from tests.support import serving_process


class _Unfollowed(HTTPErrorProcessor):
    def http_response(self, request, response):  # type: ignore[no-untyped-def]
        return response

    https_response = http_response


OPENER = build_opener(_Unfollowed)


class Server:
    """A server that listens, its address and each rater's link."""

    def __init__(
        self, process: "subprocess.Popen[str]", address: str, links: dict[str, str]
    ) -> None:
        self.process, self.address, self.links = process, address, links

    def cookie(self, rater: str) -> str:
        """The cookie that a rater's link gives."""
        with OPENER.open(self.links[rater]) as answer:
            assert answer.status == 303
            header = str(answer.headers["set-cookie"])
        assert "HttpOnly" in header and "SameSite=strict" in header.replace("Strict", "strict")
        return header.partition(";")[0]

    def get(self, path: str, cookie: str = "", **headers: str) -> tuple[int, str]:
        """Status and text of a page."""
        return self._send(Request(self.address + path, headers={"Cookie": cookie, **headers}))

    def post(self, path: str, content: object, cookie: str = "", **headers: str) -> tuple[int, str]:
        """Status and text of what a page sends."""
        sent = {"Cookie": cookie, "Content-Type": "application/json", **headers}
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        return self._send(Request(self.address + path, data=data, headers=sent))

    def kill(self) -> None:
        """End it as a machine does that loses its power."""
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.wait(20)

    def _send(self, request: Request) -> tuple[int, str]:
        try:
            with OPENER.open(request, timeout=60) as answer:
                return answer.status, answer.read().decode()
        except HTTPError as error:
            return error.code, error.read().decode()


@contextmanager
def serving(data_dir: Path, *options: str) -> Iterator[Server]:
    """A server over a data directory, until the block ends."""
    port = free_port()
    arguments = ("review", "serve", "--data-dir", data_dir, "--port", str(port), *options)
    with serving_process(*arguments) as process:
        assert process.stdout is not None and process.stderr is not None
        links = {}
        while (line := process.stdout.readline()) and not line.startswith("Ctrl-C"):
            rater, _, link = line.strip().partition(": ")
            links[rater] = link
        assert links, process.stderr.read()
        yield Server(process, f"http://127.0.0.1:{port}", links)


def subject_of(page: str) -> str:
    """The subject that a page shows; empty where all is judged."""
    found = re.search(r'data-subject="([^"]*)"', page)
    assert found is not None
    return found[1]
