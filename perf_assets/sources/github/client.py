"""One GraphQL request at a time, until it is answered whole: errors, limits and retries."""

import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from json import JSONDecodeError
from typing import Any

import github
from requests.exceptions import ConnectionError as NoConnection
from requests.exceptions import RequestException

from perf_assets.errors import PerfAssetsError

GITHUB = "https://api.github.com"
ATTEMPTS = 8
FIRST_PAUSE_SECONDS = 0.5
LONGEST_PAUSE_SECONDS = 60.0
TIMEOUT_SECONDS = 60

# Faults GitHub documents, or is known, to mend by itself. Its "something went wrong" answers
# (HTTP 502 and 504, RESOURCE_LIMITS_EXCEEDED, a bare error) mean that the page was too heavy.
TOO_HEAVY = {"RESOURCE_LIMITS_EXCEEDED", "MAX_NODE_LIMIT_EXCEEDED"}


@dataclass
class Spent:
    """What was asked of GitHub: requests, and rate-limit points as GitHub counts them."""

    requests: int = 0
    points: int = 0

    def take(self) -> "Spent":
        """What was spent since the last call."""
        taken = Spent(self.requests, self.points)
        self.requests = self.points = 0
        return taken


@dataclass(frozen=True)
class Fault:
    """A failed attempt: why, how long GitHub asks to wait, whether a smaller page may help."""

    reason: str
    wait_seconds: float | None = None
    is_heavy: bool = False


class GitHubClient:
    """Sends GraphQL documents to one API.

    Parameters
    ----------
    base_url : API base; ``https://api.github.com`` or that of another server.
    token : sent with each request, and never shown anywhere.
    on_wait : told, in a sentence, whenever the client waits.
    """

    def __init__(
        self,
        base_url: str = GITHUB,
        token: str | None = None,
        on_wait: Callable[[str], None] = lambda sentence: None,
    ) -> None:
        """No request is made yet; PerfAssetsError when GitHub itself is meant without a token."""
        self.base_url = base_url.rstrip("/")
        if self.base_url == GITHUB and not token:
            raise PerfAssetsError(
                "GitHub's GraphQL interface needs a token and GITHUB_TOKEN is not set: create one "
                "at https://github.com/settings/tokens (no scopes needed) and export it"
            )
        self._token = token
        self._on_wait = on_wait
        self._github = github.Github(
            base_url=self.base_url,
            auth=github.Auth.Token(token) if token else None,
            timeout=TIMEOUT_SECONDS,
            retry=None,  # retried here, where a document's page can be made smaller
            seconds_between_requests=0,
            seconds_between_writes=0,
        )
        self.spent = Spent()

    def close(self) -> None:
        """Give the connections back."""
        self._github.close()

    def query(
        self,
        document: str,
        variables: Mapping[str, Any],
        *,
        first: int | None = None,
        may_lack: bool = False,
    ) -> dict[str, Any]:
        """The ``data`` of GitHub's answer, whole.

        Transient faults are retried with growing pauses; ``first``, the page size, is halved
        where size is the likely cause. Partial data in an error answer is never used, but with
        ``may_lack``, for a document that asks whether things are there: null says that one is not.

        Raises
        ------
        PerfAssetsError
            A wrong token, a repository that is not there, no network, or GitHub failing on.
        """
        sent = dict(variables) if first is None else {**variables, "first": first}
        pause = FIRST_PAUSE_SECONDS
        outcome = self._attempt(document, sent, may_lack=may_lack)
        for _ in range(1, ATTEMPTS):
            if not isinstance(outcome, Fault):
                return outcome
            if outcome.is_heavy and sent.get("first", 1) > 1:
                sent["first"] = max(1, sent["first"] // 2)
            wait = outcome.wait_seconds
            if wait is None:
                wait = pause * random.uniform(0.5, 1.0)
                pause = min(pause * 2, LONGEST_PAUSE_SECONDS)
            self._on_wait(f"GitHub: {outcome.reason}; trying again in {wait:.0f} s")
            time.sleep(wait)
            outcome = self._attempt(document, sent, may_lack=may_lack)
        if not isinstance(outcome, Fault):
            return outcome
        raise PerfAssetsError(
            f"GitHub at {self.base_url} did not answer in {ATTEMPTS} attempts "
            f"(last: {outcome.reason}): run again later, what was stored is kept"
        )

    def _attempt(
        self, document: str, variables: Mapping[str, Any], *, may_lack: bool
    ) -> dict[str, Any] | Fault:
        self.spent.requests += 1
        try:
            _, answer = self._github.requester.graphql_query(document, dict(variables))
        except github.GithubException as error:
            answer = error.data
            if not (may_lack and _is_lacking(answer)):
                return self._judge(error, variables)
        except (RequestException, JSONDecodeError, UnicodeDecodeError) as error:
            return self._judge_connection(error)
        data = answer.get("data") if isinstance(answer, dict) else None
        if not isinstance(data, dict):
            return Fault("an answer that is not GraphQL", is_heavy=True)
        self.spent.points += (data.get("rateLimit") or {}).get("cost", 0)
        return data

    def _judge_connection(self, error: Exception) -> Fault:
        # A server that cannot be found or refuses at the first request will not mend by itself.
        if isinstance(error, NoConnection) and any(
            sign in str(error) for sign in ("NameResolutionError", "Connection refused")
        ):
            raise PerfAssetsError(
                f"GitHub at {self.base_url} cannot be reached: check the network and the address"
            ) from None
        return Fault(f"the connection failed ({type(error).__name__})", is_heavy=True)

    def _judge(self, error: github.GithubException, variables: Mapping[str, Any]) -> Fault:
        headers = {key.lower(): value for key, value in (error.headers or {}).items()}
        if error.status == 401:
            raise PerfAssetsError(
                f"GitHub at {self.base_url} refused the token in GITHUB_TOKEN (401): "
                "create a new one at https://github.com/settings/tokens and export it"
            ) from None
        if error.status in (403, 429):
            return self._judge_limit(error, headers)
        if error.status == 404:
            raise PerfAssetsError(self._not_found(error, variables)) from None
        if error.status >= 500:
            return Fault(f"HTTP {error.status}", is_heavy=True)
        kinds = {entry.get("type", "") for entry in _graphql_errors(error)}
        if "RATE_LIMITED" in kinds:
            return Fault("rate limit reached", until_reset(headers))
        if "NOT_FOUND" in kinds:
            raise PerfAssetsError(self._not_found(error, variables)) from None
        if kinds & TOO_HEAVY or kinds == {""}:
            return Fault(_message(error), is_heavy=True)
        raise PerfAssetsError(
            f"GitHub at {self.base_url} refused a query: {_message(error)}"
        ) from None

    def _judge_limit(self, error: github.GithubException, headers: Mapping[str, str]) -> Fault:
        if "retry-after" in headers:
            return Fault("secondary rate limit", float(headers["retry-after"]))
        if headers.get("x-ratelimit-remaining") == "0":
            return Fault("rate limit reached", until_reset(headers))
        if "rate limit" in _message(error).lower():
            return Fault("secondary rate limit", LONGEST_PAUSE_SECONDS)
        raise PerfAssetsError(
            f"GitHub at {self.base_url} forbids this ({error.status}): {_message(error)}"
        ) from None

    def _not_found(self, error: github.GithubException, variables: Mapping[str, Any]) -> str:
        if "owner" in variables:
            return (
                f"GitHub at {self.base_url} has no repository "
                f"{variables['owner']}/{variables['name']}, or the token may not see it: "
                "check the name in the study file"
            )
        return f"GitHub at {self.base_url} answered 'not found': {_message(error)}"


def _is_lacking(answer: object) -> bool:
    """Whether an answer is whole but for things that are not there, the repository among them."""
    if not isinstance(answer, dict) or not (answer.get("data") or {}).get("repository"):
        return False
    return {entry.get("type") for entry in answer.get("errors") or [{}]} == {"NOT_FOUND"}


def _graphql_errors(error: github.GithubException) -> list[dict[str, Any]]:
    data = error.data if isinstance(error.data, dict) else {}
    errors = data.get("errors")
    return [entry for entry in errors if isinstance(entry, dict)] if errors else [{}]


def _message(error: github.GithubException) -> str:
    data = error.data if isinstance(error.data, dict) else {}
    text = _graphql_errors(error)[0].get("message") or data.get("message")
    return str(text)[:200] if text else f"HTTP {error.status}"


def until_reset(headers: Mapping[str, str]) -> float:
    """Seconds until the rate limit that ``headers`` speak of is lifted."""
    reset = float(headers.get("x-ratelimit-reset", 0))
    return max(1.0, reset - datetime.now(UTC).timestamp() + 1)
