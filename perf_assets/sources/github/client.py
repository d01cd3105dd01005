"""One GraphQL request at a time, until it is answered whole: errors, limits and retries."""

import random
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from time import monotonic, time
from typing import Any

import github
from requests.exceptions import ConnectionError as NoConnection
from requests.exceptions import RequestException, Timeout

from perf_assets.config.addresses import is_private
from perf_assets.errors import PerfAssetsError, TransientError
from perf_assets.sanitize import escape_text, shortened
from perf_assets.sources.github.accounts import Account, Accounts, RetryPolicy
from perf_assets.sources.github.credentials import ANONYMOUS, Credential, token_credentials
from perf_assets.sources.github.responses import read_json
from perf_assets.sources.github.transport import Answer, finite, send_request
from perf_assets.sources.http_deadline import within

GITHUB = "https://api.github.com"

# Transient faults, documented or observed. GitHub's "something went wrong" answers (HTTP 502 and
# 504, RESOURCE_LIMITS_EXCEEDED, a bare error) mean that the page was too heavy.
TOO_HEAVY = {"RESOURCE_LIMITS_EXCEEDED", "MAX_NODE_LIMIT_EXCEEDED"}
OUTAGES = (502, 504)
LONGEST_DATE = 40  # characters
GROWS_AFTER = 5  # whole answers in a row
MOST_POINTS = 10_000  # of one query; GitHub refuses those of more than a few hundred
OPERATION = re.compile(r"\s*query\s+(\w+)")
PATIENCE = RetryPolicy()
Send = Callable[[github.Github, str, str, object], Answer]


@dataclass
class Spent:
    """The cost of reads: requests, and rate-limit points as GitHub counts them."""

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

    ``is_limit``: the account rests before its next request, so no pause is due. ``counts`` is False
    where GitHub gave the time to go on, so that trying then is no further attempt. ``is_outage``: a
    status by which GitHub reports its own trouble, which may last longer than a wrong answer is put
    up with.
    """

    reason: str
    is_heavy: bool = False
    is_limit: bool = False
    counts: bool = True
    is_outage: bool = False


class PageSizes:
    """How many entries a page of each operation may have: fewer after faults, more after success.

    A size is halved by a fault and doubled after ``GROWS_AFTER`` whole answers in a row.
    """

    def __init__(self) -> None:
        """Every size is as large as requested."""
        self._sizes: dict[str, int] = {}
        self._whole: dict[str, int] = {}
        self._lock = threading.Lock()

    def size(self, operation: str, best: int) -> int:
        """The size to request where ``best`` would be best."""
        return min(best, self._sizes.get(operation, best))

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
    on_wait : called with a sentence whenever the client waits.
    patience : how long it does.
    send : what carries a request to the server, and its answer back.
    """

    def __init__(
        self,
        base_url: str = GITHUB,
        credentials: str | Sequence[Credential] | None = None,
        on_wait: Callable[[str], None] = lambda sentence: None,
        patience: RetryPolicy = PATIENCE,
        send: Send = send_request,
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
        if credentials and not is_private(self.base_url):
            raise PerfAssetsError(
                f"{self.base_url}: a token would be sent over plain http, where others can read "
                "it: write https:// in the study file, or unset GITHUB_TOKEN"
            )
        self._on_wait, self._patience, self._send = on_wait, patience, send
        self.accounts = Accounts(self.base_url, credentials or [ANONYMOUS], patience, on_wait)
        self._pages = PageSizes()
        self.spent, self.total = Spent(), Spent()
        self._lock = threading.Lock()
        self._charged = threading.local()

    def close(self) -> None:
        """Give the connections back; a thread that is waiting stops."""
        self.accounts.close()

    @contextmanager
    def charging(self, spent: Spent) -> Iterator[None]:
        """Charge requests of this thread inside the block to ``spent``, not to ``self.spent``."""
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
        used, but with ``may_lack``, for a document that looks up whether things are there: null
        says that one is not. At a rate limit the other credentials go on; where all rest, the
        client waits.

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
        patience_left = self._patience.longest_trouble
        while True:
            if first is not None:
                sent["first"] = self._pages.size(operation, first)
            with self.accounts.borrow() as (account, connection):
                started = monotonic()
                with within(min(self._patience.answer, patience_left)):
                    outcome = self._attempt(account, connection, document, sent, may_lack=may_lack)
            if not isinstance(outcome, Fault):
                self.accounts.succeed(account)
                self._pages.grow(operation)
                return outcome
            if outcome.is_heavy and first is not None:
                self._pages.shrink(operation, sent["first"])
            attempts += outcome.counts
            wait = 0.0 if outcome.is_limit else pause * random.uniform(0.5, 1.0)
            if not outcome.is_limit and not outcome.is_outage:
                patience_left -= monotonic() - started + wait
            if attempts == self._patience.attempts or patience_left <= 0:
                raise TransientError(
                    f"GitHub at {self.base_url} did not answer in {attempts} attempts "
                    f"(last: {outcome.reason}): run again later, what was stored is kept"
                )
            if not outcome.is_limit:
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
        except RequestException as error:
            return self._judge_connection(error)
        except ValueError as error:
            return Fault(str(error))
        payload = {"query": document, "variables": dict(variables)}
        try:
            answer = self._send(connection, "POST", connection.requester.graphql_url, payload)
        except RequestException as error:
            self._charge(None)
            return self._judge_connection(error)
        return self._judge(account, answer, variables, may_lack=may_lack)

    def _judge(
        self, account: Account, answer: Answer, variables: Mapping[str, Any], *, may_lack: bool
    ) -> dict[str, Any] | Fault:
        """The data of an answer that is whole, and what is wrong with any other."""
        try:
            content = read_json(answer.text)
        except ValueError:
            content = None  # its status may say more
        account.note(answer.headers)
        self._charge(content)
        if answer.status != 200:
            return self._judge_status(account, answer, content, variables)
        if not isinstance(content, dict):
            return Fault("an answer that is not GraphQL", is_heavy=True)
        if content.get("errors") and not (may_lack and _is_whole_but_missing(content)):
            return self._judge_errors(account, content, variables)
        data = content.get("data")
        if not isinstance(data, dict):
            return Fault("an answer that is not GraphQL", is_heavy=True)
        return data

    def _charge(self, answer: object) -> None:
        """Count a request, and the points that its answer, whole or not, names."""
        data = answer.get("data") if isinstance(answer, dict) else None
        limit = data.get("rateLimit") if isinstance(data, dict) else None
        points = limit.get("cost") if isinstance(limit, dict) else None
        is_cost = isinstance(points, int) and 0 <= points <= MOST_POINTS
        cost = Spent(1, int(points) if is_cost and points is not None else 0)
        with self._lock:
            getattr(self._charged, "to", self.spent).add(cost)
            self.total.add(cost)
        self.accounts.usual_cost = cost.points or self.accounts.usual_cost

    def _judge_renewal(self, account: Account, error: github.GithubException) -> Fault:
        if error.status in (401, 404):
            self.accounts.refuse(account)
            return Fault("refused", is_limit=True, counts=False)
        headers = {key.lower(): value for key, value in (error.headers or {}).items()}
        return self._judge_status(account, Answer(error.status, headers, ""), error.data, {})

    def _judge_connection(self, error: Exception) -> Fault:
        # A server that cannot be found or refuses at the first request will not mend by itself.
        if isinstance(error, NoConnection) and any(
            sign in str(error) for sign in ("NameResolutionError", "Connection refused")
        ):
            raise TransientError(
                f"GitHub at {self.base_url} cannot be reached: check the network and the address"
            ) from None
        if isinstance(error, Timeout) or "timed out" in str(error):
            return Fault("no whole answer in time", is_heavy=True)
        return Fault(f"the connection failed ({type(error).__name__})", is_heavy=True)

    def _judge_status(
        self, account: Account, answer: Answer, content: object, variables: Mapping[str, Any]
    ) -> Fault:
        status = answer.status
        if status == 401:
            self.accounts.refuse(account)
            return Fault("refused", is_limit=True, counts=False)
        if status in (403, 429):
            return self._judge_limit(account, answer, content)
        if status == 404:
            raise PerfAssetsError(self._not_found(content, variables))
        if status >= 500 or status == 408:
            return Fault(f"HTTP {status}", is_heavy=True, is_outage=status in OUTAGES)
        if status < 300:
            return Fault(f"an answer of HTTP {status} without content", is_heavy=True)
        raise PerfAssetsError(
            f"GitHub at {self.base_url} answered with HTTP {status}{self._because(content)}: check "
            "the address (github_url in the study file)"
        )

    def _judge_errors(
        self, account: Account, content: dict[str, Any], variables: Mapping[str, Any]
    ) -> Fault:
        kinds = {str(entry.get("type") or "") for entry in _graphql_errors(content)}
        if "RATE_LIMITED" in kinds:
            return self._at_limit(account)
        if "NOT_FOUND" in kinds:
            raise PerfAssetsError(self._not_found(content, variables))
        words = self._words(content) or "an error without a word"
        if kinds & TOO_HEAVY or kinds == {""}:
            return Fault(words, is_heavy=True, is_outage=bool(kinds & TOO_HEAVY))
        raise PerfAssetsError(f"GitHub at {self.base_url} refused a query: {words}")

    def _judge_limit(self, account: Account, answer: Answer, content: object) -> Fault:
        if "retry-after" in answer.headers:
            seconds = _pause_of(answer.headers["retry-after"])
            if seconds is None:
                return Fault("a limit that names no time (Retry-After)")
            self.accounts.rest(account, seconds)
            return Fault("secondary rate limit", is_limit=True)
        if answer.headers.get("x-ratelimit-remaining") == "0":
            return self._at_limit(account)
        if "rate limit" in self._words(content).lower():
            self.accounts.rest(account, None)
            return Fault("secondary rate limit", is_limit=True)
        raise PerfAssetsError(
            f"GitHub at {self.base_url} forbids this (HTTP {answer.status})"
            f"{self._because(content)}: check what the token may see"
        )

    def _at_limit(self, account: Account) -> Fault:
        # A reset that is past already does not say when to go on.
        is_named = account.reset > time()
        self.accounts.rest_until_reset(account)
        return Fault("rate limit reached", is_limit=True, counts=not is_named)

    def _not_found(self, content: object, variables: Mapping[str, Any]) -> str:
        if "owner" in variables:
            return (
                f"GitHub at {self.base_url} has no repository "
                f"{variables['owner']}/{variables['name']}, or the token may not see it: "
                "check the name in the study file"
            )
        return f"GitHub at {self.base_url} answered 'not found'{self._because(content)}"

    def _because(self, content: object) -> str:
        words = self._words(content)
        return f" ({words})" if words else ""

    def _words(self, content: object) -> str:
        """What an answer says in words: on one line, without our secrets, and not for long."""
        data = content if isinstance(content, dict) else {}
        text = _graphql_errors(data)[0].get("message") or data.get("message")
        return (
            shortened(self.accounts.hide(escape_text(text)), 200) if isinstance(text, str) else ""
        )


def _is_whole_but_missing(content: dict[str, Any]) -> bool:
    """Whether an answer is whole but for things that are not there, the repository among them."""
    data = content.get("data")
    if not isinstance(data, dict) or not data.get("repository"):
        return False
    return {entry.get("type") for entry in _graphql_errors(content)} == {"NOT_FOUND"}


def _graphql_errors(content: dict[str, Any]) -> list[dict[str, Any]]:
    errors = content.get("errors")
    entries = errors if isinstance(errors, list) else []
    found = [entry if isinstance(entry, dict) else {"message": entry} for entry in entries]
    return [
        {**entry, "type": kind if isinstance(kind := entry.get("type"), str) else ""}
        for entry in found
    ] or [{}]


def _pause_of(text: object) -> float | None:
    """How long to wait by Retry-After, in seconds or until a date; None where it says neither."""
    seconds = finite(text)
    if seconds is not None:
        return seconds
    try:
        moment = parsedate_to_datetime(str(text)[:LONGEST_DATE])
        return max(0.0, moment.timestamp() - time())
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
