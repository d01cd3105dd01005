"""A client of a REST API: what its statuses mean, the pauses that it asks for, no redirections."""

import os
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import urljoin, urlsplit

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.sanitize import escape_text, shortened
from perf_assets.config.addresses import is_private
from perf_assets.sources.json_answers import read_json
from perf_assets.sources.json_client import JsonClient, Parameters
from perf_assets.sources.rate_limit import RequestPolicy, pause_of

LONGEST_PAUSE = 24 * 3600.0  # seconds: a limit that names more is wrong
SHORTEST_PAUSE = 1.0
USUAL_PAUSE = 60.0  # of a limit that names none
NO_LETTER = re.compile("[^A-Z0-9]")
LIMITED = (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE)
MOST_MOVES = 3


class RefusedError(PerfAssetsError):
    """The API answers, and does not give what was asked for: a retry is useless."""


class MissingError(RefusedError):
    """It is not there, or not for us."""


@dataclass(frozen=True)
class RestAnswer:
    """The content of an answer, and its headers."""

    data: object
    headers: Mapping[str, str]


class RestClient(JsonClient):
    """Asks the API at ``url``, about ``subject`` in its sentences; one request at a time."""

    def __init__(
        self,
        url: str,
        subject: str,
        on_wait: Callable[[str], None],
        patience: RequestPolicy | None = None,
        secret: tuple[str, str, str] | None = None,
    ) -> None:
        """Prepare the client; no request is sent.

        secret : a header, its secret value, and the variable of the environment that has it.

        Raises
        ------
        PerfAssetsError
            The secret would be sent unencrypted.
        """
        begin = f"{subject} cannot be read from {url.rstrip('/')}"
        super().__init__(url, begin, on_wait, patience)
        self._session.headers["Accept"] = "application/json"
        self._secret = ""
        if secret is not None:
            header, self._secret, variable = secret
            if not is_private(self.url):
                raise PerfAssetsError(
                    f"{self.url}: the token in {variable} would be sent over plain http, where "
                    f"others can read it: write https:// in api_url, or unset {variable}"
                )
            self._session.headers[header] = self._secret

    @property
    def has_token(self) -> bool:
        """Return whether it sends a token."""
        return bool(self._secret)

    def get(self, path: str, parameters: Parameters | None = None) -> RestAnswer:
        """Return the answer to a request, sent again where it went wrong.

        Raises
        ------
        MissingError
            It is not there.
        RefusedError
            The API does not give it.
        PerfAssetsError
            It cannot be had: one sentence.
        """
        return self._tried(lambda: self._answer(path, parameters or {}))

    def _answer(self, path: str, parameters: Parameters) -> RestAnswer:
        """Return one answer, after the pauses that the API requires."""
        moves = 0
        while True:
            status, headers, body = self._fetch(path, parameters)
            moved = self._moved(path, status, headers)
            if moved is not None and moves < MOST_MOVES:
                path, moves = moved, moves + 1
                continue
            pause = self._pause(status, headers, body)
            if pause is None:
                break
            self._limit.until(
                time.time() + pause,
                f"{self.url}: pausing as the API requires, going on",
                self._limit_reached(pause),
                "run again then; what was stored is kept",
            )
        if status != HTTPStatus.OK:
            raise self._refusal(status, body)
        return RestAnswer(read_json(body.decode("utf-8", "replace")), headers)

    def _pause(self, status: int, headers: Mapping[str, str], body: bytes) -> float | None:
        """Return the seconds to wait for a limit, None where the answer is not about one."""
        wait = headers.get("Retry-After")
        if status not in LIMITED or (status == HTTPStatus.SERVICE_UNAVAILABLE and wait is None):
            return None
        seconds = pause_of(wait)
        if seconds is None:
            seconds = USUAL_PAUSE
        return min(max(seconds, SHORTEST_PAUSE), LONGEST_PAUSE)

    def _limit_reached(self, pause: float) -> str:
        """Return the beginning of the error where a limit lasts longer than we wait."""
        return f"{self.url}: its limit of requests is reached for {pause:.0f} seconds"

    def _moved(self, path: str, status: int, headers: Mapping[str, str]) -> str | None:
        """Return the path that something renamed has now; another host is not followed."""
        location = headers.get("Location")
        target = urljoin(f"{self.url}/{path}", location) if location else ""
        is_move = status in (HTTPStatus.MOVED_PERMANENTLY, HTTPStatus.PERMANENT_REDIRECT)
        is_here = is_move and target.startswith(f"{self.url}/")
        return target[len(self.url) + 1 :].partition("?")[0] if is_here else None

    def _refusal(self, status: int, body: bytes) -> Exception:
        """Return the reason for a failed request; a ValueError where a retry may help."""
        said = self._hidden(shortened(escape_text(body[:2000].decode("utf-8", "replace")), 160))
        why = f"{self._begin}: HTTP {status}: {said}"
        if status in (HTTPStatus.NOT_FOUND, HTTPStatus.GONE):
            return MissingError(f"{why}: check the name in the study, and what the token may see")
        if 400 <= status < 500 and status not in (HTTPStatus.REQUEST_TIMEOUT, *LIMITED):
            return RefusedError(f"{why}: check the name, api_url and the token")
        if 300 <= status < 400:
            return RefusedError(f"{why}: it leads elsewhere, which is not followed: check api_url")
        return ValueError(f"HTTP {status}: {said}")

    def _hidden(self, text: str) -> str:
        return text.replace(self._secret, "***") if self._secret else text


def variable_for(variable: str, url: str, usual: str) -> str:
    """Return the variable of the environment that has the token for the API at ``url``.

    It is ``variable`` for the host ``usual`` alone, so that a study which names another host is
    not given its token: GITLAB_TOKEN is for gitlab.com, GITLAB_TOKEN_GIT_EXAMPLE_ORG for
    git.example.org.
    """
    host = urlsplit(url).hostname or ""
    return variable if host == usual else f"{variable}_{NO_LETTER.sub('_', host.upper())}"


def secret_for(header: str, variable: str) -> tuple[str, str, str] | None:
    """Return what a client sends as its secret; None where the environment has none."""
    token = os.environ.get(variable, "").strip()
    return (header, token, variable) if token else None
