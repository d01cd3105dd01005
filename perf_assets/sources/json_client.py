"""A client of a public API over HTTP: one request at a time, tried again, bounded in time."""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

import requests
from pydantic import BaseModel, ValidationError
from requests.exceptions import RequestException

from perf_assets.base.errors import PerfAssetsError, TransientError
from perf_assets.base.sanitize import shortened
from perf_assets.sources.http_deadline import TimedAdapter, whole, within
from perf_assets.sources.issues.source import RequestCost
from perf_assets.sources.rate_limit import RateLimitWait, RequestPolicy

log = logging.getLogger(__name__)

Answer = TypeVar("Answer")
Shape = TypeVar("Shape", bound=BaseModel)
Parameters: TypeAlias = Mapping[str, str | int | list[int]]


class JsonClient:
    """What the clients of forums and trackers have in common.

    cost, total : of the requests since ``RequestCost.take``, and of all.
    """

    def __init__(
        self,
        url: str,
        trouble: str,
        on_wait: Callable[[str], None],
        patience: RequestPolicy | None = None,
    ) -> None:
        """Prepare the client; no request is sent. ``trouble`` begins its errors."""
        self.url = url.rstrip("/")
        self.cost, self.total = RequestCost(), RequestCost()
        self._begin = trouble
        self._patience = patience or RequestPolicy()
        self._limit = RateLimitWait(self._patience.longest_wait, on_wait)
        self._session = requests.Session()
        adapter = TimedAdapter()
        self._session.mount("http://", adapter)
        self._session.mount("https://", adapter)

    @property
    def requests(self) -> int:
        """Return the number of requests so far."""
        return self.total.requests

    def close(self) -> None:
        """Give the connections back."""
        self._session.close()

    def _fetch(self, path: str, parameters: Parameters) -> tuple[int, Mapping[str, str], bytes]:
        """Return status, headers and body of one answer; RequestException where none comes."""
        self.cost.requests += 1
        self.total.requests += 1
        with within(self._patience.answer):
            response = self._session.get(
                f"{self.url}/{path}",
                params=parameters,
                timeout=self._patience.answer,
                stream=True,
                allow_redirects=False,
            )
            try:
                return response.status_code, response.headers, whole(response)
            finally:
                response.close()

    def _tried(self, once: Callable[[], Answer]) -> Answer:
        """Return what ``once`` returns, tried again after a RequestException or a ValueError.

        Raises
        ------
        PerfAssetsError
            It went wrong too often; the last reason is in its sentence.
        """
        last = ""
        for _ in self._patience.tries():
            try:
                answer = once()
            except RequestException as error:
                last = (
                    f"it cannot be reached ({type(error).__name__}); check the network and api_url"
                )
            except ValueError as error:
                last = self._hidden(shortened(error, 200))
            else:
                self._limit.succeed()
                return answer
        raise self._trouble(last)

    def _hidden(self, text: str) -> str:
        """Return ``text`` without what is secret in it."""
        return text

    def _trouble(self, why: str) -> PerfAssetsError:
        return TransientError(f"{self._begin}: {why}; run again later, what was stored is kept")


def readable(url: str, rows: Sequence[Any], shape: type[Shape]) -> Iterator[Shape]:
    """Yield the ``rows`` of an answer of ``url`` that are as documented, and report the others."""
    for row in rows:
        try:
            yield shape.model_validate(row)
        except ValidationError as error:
            log.warning("%s: left out %s: %s", url, shape.__name__.lower(), reason_of(error))


def reason_of(error: ValidationError) -> str:
    """Return the first field that is not as documented, and why, without its value."""
    first = error.errors(include_url=False, include_input=False)[0]
    return shortened(f"{'.'.join(map(str, first['loc']))}: {first['msg'].lower()}", 200)
