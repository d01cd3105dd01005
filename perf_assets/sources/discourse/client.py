"""A client of Discourse that waits as long as a forum says.

Sources: https://docs.discourse.org and https://meta.discourse.org/t/78612 (rate limits).
"""

import logging
import time
from collections.abc import Callable
from http import HTTPStatus
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from perf_assets.base.errors import PerfAssetsError
from perf_assets.sources.discourse.shapes import Refusal
from perf_assets.sources.json_client import JsonClient, Parameters, reason_of
from perf_assets.sources.rate_limit import RequestPolicy, finite, pause_of

log = logging.getLogger(__name__)

USUAL_PAUSE = 60.0  # the longer of the two periods in which Discourse counts requests by default
NOT_THERE = (HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND, HTTPStatus.GONE)
Shape = TypeVar("Shape", bound=BaseModel)


class DiscourseClient(JsonClient):
    """Asks the forum at ``url``; one request at a time, as from one address."""

    def __init__(
        self,
        url: str,
        on_wait: Callable[[str], None] = log.warning,
        patience: RequestPolicy | None = None,
    ) -> None:
        """Prepare the client; no request is sent."""
        super().__init__(url, f"{url.rstrip('/')} cannot be queried", on_wait, patience)
        self._until = 0.0

    def get(self, path: str, shape: type[Shape], parameters: Parameters) -> Shape | None:
        """Return what is at ``path``; None if the forum does not show it, or has it no more.

        Raises
        ------
        PerfAssetsError
            It cannot be had, or is not as documented: one sentence.
        """

        def once() -> Shape | None:
            self._limit.until(
                self._until,
                f"{self.url}: pausing as the forum requires, going on",
                f"{self.url}: the forum requires a pause",
                "run again then; what was stored is kept",
            )
            status, headers, body = self._fetch(path, parameters)
            if status == HTTPStatus.TOO_MANY_REQUESTS:
                pause = _pause(headers.get("Retry-After"), body)
                self._until = time.time() + pause
                raise ValueError(f"it requires a pause of {pause:.0f} seconds")
            if status in NOT_THERE:
                return None
            if status in range(300, 500):
                raise PerfAssetsError(
                    f"{self.url} refuses to answer (HTTP {status}): check api_url and tags of the "
                    "forum in the study"
                )
            if status != HTTPStatus.OK:
                raise ValueError(f"HTTP {status}")
            try:
                return shape.model_validate_json(body)
            except ValidationError as error:
                raise ValueError(f"{path} is not as documented ({reason_of(error)})") from None

        return self._tried(once)


def _pause(header: str | None, body: bytes) -> float:
    """Return the seconds that a refusal says to wait, by its header or else by its text."""
    seconds = pause_of(header)
    if seconds is None:
        try:
            seconds = finite(Refusal.model_validate_json(body).extras.get("wait_seconds"))
        except ValidationError:
            seconds = None
    return USUAL_PAUSE if seconds is None else seconds
