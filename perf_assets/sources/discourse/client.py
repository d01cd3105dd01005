"""A client of Discourse that waits as long as a forum says.

Sources: https://docs.discourse.org and https://meta.discourse.org/t/78612 (rate limits).
"""

import logging
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from perf_assets.base.errors import PerfAssetsError
from perf_assets.sources.discourse.shapes import Refusal
from perf_assets.sources.json_client import Parameters, reason_of
from perf_assets.sources.rate_limit import RequestPolicy, finite, pause_of
from perf_assets.sources.rest_client import MissingError, RestClient

log = logging.getLogger(__name__)

Shape = TypeVar("Shape", bound=BaseModel)


class DiscourseClient(RestClient):
    """Asks the forum at ``url``; one request at a time, as from one address."""

    def __init__(
        self,
        url: str,
        on_wait: Callable[[str], None] = log.warning,
        patience: RequestPolicy | None = None,
    ) -> None:
        """Prepare the client; no request is sent."""
        super().__init__(url, "the forum", on_wait, patience)

    def read(self, path: str, shape: type[Shape], parameters: Parameters) -> Shape | None:
        """Return what is at ``path``; None if the forum does not show it, or has it no more.

        Raises
        ------
        PerfAssetsError
            It cannot be had, or is not as documented: one sentence.
        """

        def once() -> Shape:
            try:
                return shape.model_validate(self._answer(path, parameters).data)
            except ValidationError as error:
                raise ValueError(f"{path} is not as documented ({reason_of(error)})") from None

        try:
            return self._tried(once)
        except MissingError:
            return None

    def _pause(self, status: int, headers: Mapping[str, str], body: bytes) -> float | None:
        """Return the seconds that a refusal says to wait, by its header or else by its text."""
        if status == HTTPStatus.TOO_MANY_REQUESTS and pause_of(headers.get("Retry-After")) is None:
            try:
                seconds = finite(Refusal.model_validate_json(body).extras.get("wait_seconds"))
            except ValidationError:
                seconds = None
            if seconds is not None:
                headers = {"Retry-After": str(seconds)}
        return super()._pause(status, headers, body)

    def _limit_reached(self, pause: float) -> str:
        return f"{self.url}: the forum requires a pause"

    def _refusal(self, status: int, body: bytes) -> Exception:
        if status == HTTPStatus.FORBIDDEN:
            return MissingError(f"{self._begin}: HTTP {status}")
        refusal = super()._refusal(status, body)
        if isinstance(refusal, MissingError | ValueError):
            return refusal
        return PerfAssetsError(
            f"{self.url} refuses to answer (HTTP {status}): check api_url and tags of the forum in "
            "the study"
        )
