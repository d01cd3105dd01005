"""A client of Bugzilla's REST API: its errors have a code, and some come with HTTP 200."""

from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any, TypeVar

from perf_assets.base.sanitize import escape_text, shortened
from perf_assets.sources.json_answers import read_json
from perf_assets.sources.json_client import Parameters
from perf_assets.sources.rest_client import (
    USUAL_PAUSE,
    MissingError,
    RefusedError,
    RestAnswer,
    RestClient,
)

Answer = TypeVar("Answer")
Filter = tuple[str, str, str]
"""A condition of the search: field, operator and value."""

# Source: Bugzilla/WebService/Constants.pm of Bugzilla 5.2 and of Mozilla's fork.
UNKNOWN_BUG = (100, 101)
ACCESS_DENIED = (102,)
SEARCH_TIMEOUT = 1001
FATAL = (-32000,)  # something went wrong on the server


class BugzillaClient(RestClient):
    """Sends requests to a Bugzilla, and reads each answer before it counts as one."""

    def ask(self, path: str, parameters: Parameters, read: Callable[[Any], Answer]) -> Answer:
        """Return what ``read`` makes of an answer, requested again after its ValueError.

        Raises
        ------
        MissingError
            The bug does not exist, or is not public.
        RefusedError
            The API does not give it.
        PerfAssetsError
            It cannot be had: one sentence.
        """
        return self._tried(lambda: read(self._answer(path, parameters).data))

    def _answer(self, path: str, parameters: Parameters) -> RestAnswer:
        answer = super()._answer(path, parameters)
        if isinstance(answer.data, dict) and answer.data.get("error") is True:
            raise self._error(HTTPStatus.OK, answer.data)
        return answer

    def _pause(self, status: int, headers: Mapping[str, str], body: bytes) -> float | None:
        """Return the seconds to wait for a limit; Mozilla's first refusal has no status of it."""
        if status == HTTPStatus.BAD_REQUEST and b"rate limit" in body[:2000].lower():
            return USUAL_PAUSE
        return super()._pause(status, headers, body)

    def _refusal(self, status: int, body: bytes) -> Exception:
        try:
            content = read_json(body.decode("utf-8", "replace"))
        except ValueError:
            return super()._refusal(status, body)
        if isinstance(content, dict) and isinstance(content.get("code"), int):
            return self._error(status, content)
        return super()._refusal(status, body)

    def _error(self, status: int, content: Mapping[str, Any]) -> Exception:
        """Return what an error of Bugzilla means; a ValueError where a retry may help."""
        code = content.get("code")
        said = self._hidden(shortened(escape_text(content.get("message", "")), 160))
        why = f"{self._begin}: error {code}: {said}"
        if code in UNKNOWN_BUG or code in ACCESS_DENIED:
            return MissingError(f"{why}: check the number, and what the API key may see")
        if code == SEARCH_TIMEOUT or code in FATAL or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            return ValueError(f"error {code}: {said}")
        return RefusedError(f"{why}: check the name, api_url and the API key")


def conditions(filters: list[Filter]) -> dict[str, str]:
    """Return the parameters of conditions that are all to hold."""
    return {
        f"{letter}{place}": text
        for place, condition in enumerate(filters, 1)
        for letter, text in zip("fov", condition, strict=True)
    }
