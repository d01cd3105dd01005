"""One GraphQL request at a time, until it is answered whole: errors, limits and retries."""

import random
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from json import JSONDecodeError
from typing import Any

import github
from requests.exceptions import ConnectionError as NoConnection
from requests.exceptions import RequestException

from perf_assets.errors import PerfAssetsError
from perf_assets.sources.github.accounts import Account, Accounts, Patience
from perf_assets.sources.github.credentials import ANONYMOUS, Credential, token_credentials

GITHUB = "https://api.github.com"

# Faults GitHub documents, or is known, to mend by itself. Its "something went wrong" answers
# (HTTP 502 and 504, RESOURCE_LIMITS_EXCEEDED, a bare error) mean that the page was too heavy.
TOO_HEAVY = {"RESOURCE_LIMITS_EXCEEDED", "MAX_NODE_LIMIT_EXCEEDED"}
GROWS_AFTER = 5  # whole answers in a row
OPERATION = re.compile(r"\s*query\s+(\w+)")
PATIENCE = Patience()


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

    def add(self, other: "Spent") -> None:
        """Charge ``other`` too."""
        self.requests += other.requests
        self.points += other.points


@dataclass(frozen=True)
class Fault:
    """A failed attempt: why, and whether a smaller page may help.

    ``is_limit``: the account rests before it asks again, so no pause is due. ``counts`` is False
    where GitHub said when to go on, so that trying then is no further attempt.
    """

    reason: str
    is_heavy: bool = False
    is_limit: bool = False
    counts: bool = True


class PageSizes:
    """How many entries a page of each operation may have: fewer after faults, more after success.

    A size is halved by a fault and doubled after ``GROWS_AFTER`` whole answers in a row.
    """

    def __init__(self) -> None:
        """Every size is as large as asked for."""
        self._sizes: dict[str, int] = {}
        self._whole: dict[str, int] = {}
        self._lock = threading.Lock()

    def size(self, operation: str, wanted: int) -> int:
        """The size to ask for where ``wanted`` would be best."""
        return min(wanted, self._sizes.get(operation, wanted))

    def shrink(self, operation: str, tried: int) -> None:
        """A page of ``tried`` entries failed."""
        with self._lock:
            self._whole[operation] = 0
            self._sizes[operation] = max(1, min(self._sizes.get(operation, tried), tried // 2))

    def grow(self, operation: str) -> None:
        """A page came whole."""
        with self._lock:
            if operation in self._sizes:
                self._whole[operation] += 1
                if self._whole[operation] >= GROWS_AFTER:
                    self._whole[operation] = 0
                    self._sizes[operation] *= 2


class GitHubClient:
    """Sends GraphQL documents to one API; may be used by several threads.

    Parameters
    ----------
    base_url : API base; ``https://api.github.com`` or that of another server.
    credentials : tokens, separated by commas, or credentials; never shown anywhere. Each request
        goes out with the one that has the most points left.
    on_wait : told, in a sentence, whenever the client waits.
    patience : how long it does.
    """

    def __init__(
        self,
        base_url: str = GITHUB,
        credentials: str | Sequence[Credential] | None = None,
        on_wait: Callable[[str], None] = lambda sentence: None,
        patience: Patience = PATIENCE,
    ) -> None:
        """No request is made yet; PerfAssetsError when GitHub itself is meant without a token."""
        self.base_url = base_url.rstrip("/")
        if credentials is None or isinstance(credentials, str):
            credentials = token_credentials(credentials)
        if self.base_url == GITHUB and not credentials:
            raise PerfAssetsError(
                "GitHub's GraphQL interface needs a token and GITHUB_TOKEN is not set: create one "
                "at https://github.com/settings/tokens (no scopes needed) and export it"
            )
        self._on_wait, self._patience = on_wait, patience
        self.accounts = Accounts(self.base_url, credentials or [ANONYMOUS], patience, on_wait)
        self._pages = PageSizes()
        self.spent = Spent()
        self.total = Spent()
        self._lock = threading.Lock()
        self._charged = threading.local()

    def close(self) -> None:
        """Give the connections back; a thread that is waiting stops."""
        self.accounts.close()

    @contextmanager
    def charging(self, spent: Spent) -> Iterator[None]:
        """Charge what this thread asks inside the block to ``spent``, not to ``self.spent``."""
        self._charged.to = spent
        try:
            yield
        finally:
            del self._charged.to

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
        where size is the likely cause, and grows again. Partial data in an error answer is never
        used, but with ``may_lack``, for a document that asks whether things are there: null says
        that one is not. At a rate limit the other credentials go on; where all rest, the client
        waits.

        Raises
        ------
        PerfAssetsError
            A wrong token, a repository that is not there, no network, a limit that lasts longer
            than our patience, or GitHub failing on.
        """
        named = OPERATION.match(document)
        operation = named[1] if named else document
        sent = dict(variables)
        attempts = 0
        pause = self._patience.first_pause
        while True:
            if first is not None:
                sent["first"] = self._pages.size(operation, first)
            with self.accounts.borrow() as (account, connection):
                outcome = self._attempt(account, connection, document, sent, may_lack=may_lack)
            if not isinstance(outcome, Fault):
                self.accounts.succeed(account)
                self._pages.grow(operation)
                return outcome
            if outcome.is_heavy and first is not None:
                self._pages.shrink(operation, sent["first"])
            attempts += outcome.counts
            if attempts == self._patience.attempts:
                raise PerfAssetsError(
                    f"GitHub at {self.base_url} did not answer in {attempts} attempts "
                    f"(last: {outcome.reason}): run again later, what was stored is kept"
                )
            if not outcome.is_limit:
                wait = pause * random.uniform(0.5, 1.0)
                pause = min(pause * 2, self._patience.longest_pause)
                self._on_wait(f"GitHub: {outcome.reason}; trying again in {wait:.1f} s")
                self.accounts.sleep(wait)

    def _attempt(
        self,
        account: Account,
        connection: github.Github,
        document: str,
        variables: Mapping[str, Any],
        *,
        may_lack: bool,
    ) -> dict[str, Any] | Fault:
        try:
            account.credential.renew()
        except github.GithubException as error:
            return self._judge_renewal(account, error)
        except (RequestException, JSONDecodeError, UnicodeDecodeError) as error:
            return self._judge_connection(error)
        try:
            headers, answer = connection.requester.graphql_query(document, dict(variables))
        except github.GithubException as error:
            if not (may_lack and _is_lacking(error.data)):
                self._charge(error.data)
                return self._judge(account, error, variables)
            headers, answer = {}, error.data
        except (RequestException, JSONDecodeError, UnicodeDecodeError) as error:
            self._charge(None)
            return self._judge_connection(error)
        account.note(headers)
        self._charge(answer)
        data = answer.get("data") if isinstance(answer, dict) else None
        if not isinstance(data, dict):
            return Fault("an answer that is not GraphQL", is_heavy=True)
        return data

    def _charge(self, answer: object) -> None:
        """Count a request, and the points that its answer, whole or not, names."""
        data = answer.get("data") if isinstance(answer, dict) else None
        limit = data.get("rateLimit") if isinstance(data, dict) else None
        cost = Spent(1, limit.get("cost", 0) if isinstance(limit, dict) else 0)
        with self._lock:
            getattr(self._charged, "to", self.spent).add(cost)
            self.total.add(cost)

    def _judge_renewal(self, account: Account, error: github.GithubException) -> Fault:
        if error.status in (401, 404):
            self.accounts.refuse(account)
            return Fault("refused", is_limit=True, counts=False)
        return self._judge(account, error, {})

    def _judge_connection(self, error: Exception) -> Fault:
        # A server that cannot be found or refuses at the first request will not mend by itself.
        if isinstance(error, NoConnection) and any(
            sign in str(error) for sign in ("NameResolutionError", "Connection refused")
        ):
            raise PerfAssetsError(
                f"GitHub at {self.base_url} cannot be reached: check the network and the address"
            ) from None
        return Fault(f"the connection failed ({type(error).__name__})", is_heavy=True)

    def _judge(
        self, account: Account, error: github.GithubException, variables: Mapping[str, Any]
    ) -> Fault:
        headers = {key.lower(): value for key, value in (error.headers or {}).items()}
        account.note(headers)
        if error.status == 401:
            self.accounts.refuse(account)
            return Fault("refused", is_limit=True, counts=False)
        if error.status in (403, 429):
            return self._judge_limit(account, error, headers)
        if error.status == 404:
            raise PerfAssetsError(self._not_found(error, variables)) from None
        if error.status >= 500:
            return Fault(f"HTTP {error.status}", is_heavy=True)
        kinds = {entry.get("type", "") for entry in _graphql_errors(error)}
        if "RATE_LIMITED" in kinds:
            return self._at_limit(account)
        if "NOT_FOUND" in kinds:
            raise PerfAssetsError(self._not_found(error, variables)) from None
        if kinds & TOO_HEAVY or kinds == {""}:
            return Fault(_message(error), is_heavy=True)
        raise PerfAssetsError(
            f"GitHub at {self.base_url} refused a query: {_message(error)}"
        ) from None

    def _judge_limit(
        self, account: Account, error: github.GithubException, headers: Mapping[str, str]
    ) -> Fault:
        if "retry-after" in headers:
            self.accounts.rest(account, float(headers["retry-after"]))
            return Fault("secondary rate limit", is_limit=True)
        if headers.get("x-ratelimit-remaining") == "0":
            return self._at_limit(account)
        if "rate limit" in _message(error).lower():
            self.accounts.rest(account, None)
            return Fault("secondary rate limit", is_limit=True)
        raise PerfAssetsError(
            f"GitHub at {self.base_url} forbids this ({error.status}): {_message(error)}"
        ) from None

    def _at_limit(self, account: Account) -> Fault:
        self.accounts.rest_until_reset(account)
        return Fault("rate limit reached", is_limit=True, counts=False)

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
