"""How PyGithub's requests go out and answers come in: within a time, up to a size."""

from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import urljoin, urlsplit

import github
from github.Requester import (
    HTTPRequestsConnectionClass,
    HTTPSRequestsConnectionClass,
    Requester,
    RequestsResponse,
)
from requests import Response
from requests.exceptions import RequestException

from perf_assets.sources.http_deadline import TimedAdapter, is_timed, seconds_left, whole, within
from perf_assets.sources.rate_limit import finite

# A repository that was renamed is redirected to its new address:
# https://docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api
REDIRECTIONS = (301, 302, 307, 308)
MOST_REDIRECTIONS = 5
PORTS = {"http": 80, "https": 443}
BUDGET_HEADERS = ("x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset")


def send_request(
    connection: github.Github, verb: str, path: str, content: object = None
) -> "Answer":
    """Return the answer to a request, whatever its status; RequestException if none is whole."""
    return Answer(*connection.requester.requestJson(verb, path, input=content))


class Answer(NamedTuple):
    """An HTTP answer: status, headers with names in lower case, text."""

    status: int
    headers: Mapping[str, Any]
    text: str


class _WholeResponse(RequestsResponse):
    """An answer that was read to its end."""

    def __init__(self, response: Response, body: bytes) -> None:
        super().__init__(response)
        self._body = body
        if self.status == 202:  # after which PyGithub would repeat the request, without end
            self.status = 503

    def read(self) -> str:
        """Return the text; bytes that are not UTF-8 as U+FFFD."""
        return self._body.decode("utf-8", "replace")

    def getheaders(self) -> Any:  # noqa: ANN401
        """Return the headers but for those that would lead PyGithub astray.

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
            self.session.mount(prefix, TimedAdapter(max_retries=self.retry))

    def getresponse(self) -> RequestsResponse:
        if is_timed():
            return self._response()
        with within(self.timeout):  # type: ignore[attr-defined]
            return self._response()

    def _response(self) -> RequestsResponse:
        base = f"{self.protocol}://{self.host}:{self.port}"  # type: ignore[attr-defined]
        address = base + self.url  # type: ignore[attr-defined]
        for _ in range(MOST_REDIRECTIONS):
            answer = self._request(address)
            target = _redirection(answer, address, base)
            if target is None:
                break
            address = target
        return answer

    def _request(self, address: str) -> "_WholeResponse":
        left = seconds_left()
        if left <= 0:
            raise RequestException("no time is left")
        response = self.session.request(
            self.verb,  # type: ignore[attr-defined]
            address,
            headers=self.headers,  # type: ignore[attr-defined]
            data=self.input,  # type: ignore[attr-defined]
            timeout=left,
            verify=self.verify,  # type: ignore[attr-defined]
            allow_redirects=False,
            stream=True,
        )
        try:
            return _WholeResponse(response, whole(response))
        except BaseException:
            response.close()
            raise


def _redirection(answer: _WholeResponse, address: str, base: str) -> str | None:
    """Return the address on the same server that an answer leads to; None where it leads nowhere.

    Another server gets neither the request nor the token.
    """
    location = answer.headers.get("location")
    if answer.status not in REDIRECTIONS or not location:
        return None
    try:
        target = urljoin(address, location)
        is_there = _server(target) == _server(base)
    except ValueError:
        return None
    return target if is_there else None


def _server(address: str) -> tuple[str, str | None, int | None, str | None]:
    parts = urlsplit(address)
    return parts.scheme, parts.hostname, parts.port or PORTS.get(parts.scheme), parts.username


class _TimedHttp(_Timed, HTTPRequestsConnectionClass):
    """A connection without TLS."""


class _TimedHttps(_Timed, HTTPSRequestsConnectionClass):
    """A connection with TLS."""


# PyGithub makes connections by itself too, to renew the token of an App.
Requester.injectConnectionClasses(_TimedHttp, _TimedHttps)
