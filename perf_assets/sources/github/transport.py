"""How PyGithub's requests go out and answers come in: within a time, up to a size."""

import math
from collections.abc import Mapping
from typing import Any

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

BUDGET_HEADERS = ("x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset")


def send_request(
    connection: github.Github, verb: str, path: str, content: object = None
) -> "Answer":
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


class _WholeResponse(RequestsResponse):
    """An answer that was read to its end."""

    def __init__(self, response: Response, body: bytes) -> None:
        super().__init__(response)
        self._body = body
        if self.status == 202:  # after which PyGithub would repeat the request, without end
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
            self.session.mount(prefix, TimedAdapter(max_retries=self.retry))

    def getresponse(self) -> RequestsResponse:
        if is_timed():
            return self._response()
        with within(self.timeout):  # type: ignore[attr-defined]
            return self._response()

    def _response(self) -> RequestsResponse:
        left = seconds_left()
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
            return _WholeResponse(response, whole(response))
        except BaseException:
            response.close()
            raise


class _TimedHttp(_Timed, HTTPRequestsConnectionClass):
    """A connection without TLS."""


class _TimedHttps(_Timed, HTTPSRequestsConnectionClass):
    """A connection with TLS."""


# PyGithub makes connections by itself too, to renew the token of an App.
Requester.injectConnectionClasses(_TimedHttp, _TimedHttps)
