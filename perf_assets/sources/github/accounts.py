"""The accounts for requests to GitHub: the budget of each, and which one is used next."""

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from math import ceil
from typing import Annotated

import github
from pydantic import Field
from requests.exceptions import RequestException
from typing_extensions import TypedDict

from perf_assets.base.errors import PerfAssetsError, TransientError
from perf_assets.sources.github.credentials import Credential
from perf_assets.sources.github.responses import checked
from perf_assets.sources.github.transport import send_request
from perf_assets.sources.http_deadline import within
from perf_assets.sources.json_answers import AnswerError, read_json
from perf_assets.sources.rate_limit import RateLimitWait, RequestPolicy, finite
from perf_assets.sources.scalars import Count

# Points an hour of a token: https://docs.github.com/graphql/overview/rate-limits-and-query-limits
POINTS_PER_HOUR = 5000
LONGEST_WINDOW = 2 * 86400.0  # seconds: budgets are full again within the hour
CHECK_SECONDS = 5.0


class Budget(TypedDict):
    """The budget left to a credential, and when (seconds since 1970) it is full again."""

    limit: Count
    remaining: Count
    reset: Annotated[float, Field(ge=0, le=2**33, allow_inf_nan=False)]


class Resources(TypedDict):
    """The budgets of a credential."""

    graphql: Budget


class Limits(TypedDict):
    """The answer to GET /rate_limit."""

    resources: Resources


@dataclass(frozen=True)
class GitHubPolicy(RequestPolicy):
    """How long the client of GitHub waits, in seconds.

    ``secondary_pause`` follows a secondary limit without Retry-After, and doubles with each further
    one; GitHub requires at least a minute:
    https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api
    ``reset_margin`` is added to the moment GitHub names, for clocks that differ.

    GitHub gives up an ``answer`` itself after ten seconds, and what takes longer to come in is
    requested in smaller pages. ``longest_trouble`` bounds what is spent on a question that is
    answered wrongly, or not at all.
    """

    attempts: int = 12
    answer: float = 20.0
    longest_trouble: float = 45.0
    secondary_pause: float = 60.0
    reset_margin: float = 1.0


@dataclass
class Account:
    """One credential and its budget, as the newest answers tell it."""

    credential: Credential
    remaining: int = POINTS_PER_HOUR
    limit: int = POINTS_PER_HOUR
    reset: float = 0.0
    rests_until: float = 0.0
    is_refused: bool = False
    strikes: int = 0
    reserved: int = 0  # points that the requests under way may cost
    idle: list[github.Github] = field(default_factory=list, repr=False)

    @property
    def name(self) -> str:
        """Its name in messages; never the credential itself."""
        return self.credential.name

    def note(self, headers: Mapping[str, str]) -> None:
        """Take over the budget that the headers of an answer tell."""
        remaining = finite(headers.get("x-ratelimit-remaining"))
        reset = finite(headers.get("x-ratelimit-reset"))
        if remaining is None or reset is None or reset > time.time() + LONGEST_WINDOW:
            return
        self.remaining, self.reset = int(remaining), reset
        limit = finite(headers.get("x-ratelimit-limit"))
        self.limit = self.limit if limit is None else int(limit)


class Accounts:
    """Hands out accounts, the one with the most points left first; safe to use from threads."""

    def __init__(
        self,
        base_url: str,
        credentials: Sequence[Credential],
        patience: GitHubPolicy,
        on_wait: Callable[[str], None],
    ) -> None:
        """Prepare the accounts; no request is sent."""
        self.base_url = base_url
        self.all = [Account(credential) for credential in credentials]
        self.usual_cost = 1  # points of the last answer
        self._patience, self._on_wait = patience, on_wait
        self._lock = threading.Lock()
        self._waiting = threading.Lock()  # one waits aloud, the others with it
        self._limit = RateLimitWait(patience.longest_wait, on_wait, self.sleep)
        self._closed = threading.Event()

    @contextmanager
    def borrow(self) -> Iterator[tuple[Account, github.Github]]:
        """Provide an account for a request and a connection of it; waits while all of them rest."""
        while (chosen := self._choose()) is None:
            self._wait_for_reset()
        account, reserved = chosen
        connection = account.idle.pop() if account.idle else self._connect(account)
        try:
            yield account, connection
        finally:
            account.idle.append(connection)
            with self._lock:
                account.reserved -= reserved

    def succeed(self, account: Account) -> None:
        """Note that an answer came whole: earlier waits no longer count."""
        account.strikes = 0
        self._limit.succeed()
        # No answer named a reset: a GitHub Enterprise server without limits, which are off there
        # unless an administrator turns them on.
        if account.remaining <= 0 and account.reset:
            self.rest_until_reset(account)

    def rest(self, account: Account, seconds: float | None) -> None:
        """Do not use ``account`` for so long; None: a growing pause."""
        with self._lock:
            if seconds is None:
                seconds = self._patience.secondary_pause * 2**account.strikes
                account.strikes += 1
            account.rests_until = max(account.rests_until, time.time() + seconds)

    def rest_until_reset(self, account: Account) -> None:
        """Ask no more with ``account`` until its budget is full again."""
        until = max(account.reset, time.time()) + self._patience.reset_margin
        with self._lock:
            account.rests_until = max(account.rests_until, until)

    def refuse(self, account: Account, why: str = "401") -> None:
        """Leave ``account`` out; PerfAssetsError when it was the last."""
        with self._lock:
            is_news, account.is_refused = not account.is_refused, True
        if all(other.is_refused for other in self.all):
            raise self._refused(why)
        if is_news:
            self._on_wait(f"GitHub refused {account.name} ({why}): it is left out")

    def probe(self, account: Account, seconds: float | None = None) -> str | None:
        """Ask for the budget of ``account``, which costs nothing; what is wrong, None if nothing.

        It may take ``seconds``, else as long as any answer.

        Source: https://docs.github.com/rest/rate-limit/rate-limit
        """
        connection = self._connect(account)
        try:
            with within(self._patience.answer if seconds is None else seconds):
                account.credential.renew()
                answer = send_request(connection, "GET", "/rate_limit")
            if answer.status == 401:
                account.is_refused = True
                return "refused (401)"
            if answer.status != 200:
                # An Enterprise server without limits says 404.
                is_free = answer.status == 404
                return None if is_free else f"cannot be used now (HTTP {answer.status})"
            limits = checked(Limits, read_json(answer.text), account.name, {})
            budget = limits["resources"]["graphql"]
            account.remaining, account.limit = budget["remaining"], budget["limit"]
            account.reset = min(budget["reset"], time.time() + LONGEST_WINDOW)
        except github.GithubException as error:
            if error.status in (401, 404):
                account.is_refused = True
                return f"refused ({error.status})"
            return f"cannot be used now (HTTP {error.status})"
        except (AnswerError, ValueError, RecursionError):
            return "cannot be used now (its answer contains no budget)"
        except RequestException as error:
            raise TransientError(
                f"GitHub at {self.base_url} cannot be reached ({type(error).__name__}): check the "
                "network and the address"
            ) from None
        finally:
            connection.close()
        return None

    def check(self) -> None:
        """Raise PerfAssetsError if no credential is accepted; a missing answer is not a refusal."""
        for account in self.all:
            with suppress(PerfAssetsError):
                self.probe(account, CHECK_SECONDS)
        if all(account.is_refused for account in self.all):
            raise self._refused()

    def hide(self, text: str) -> str:
        """Return ``text`` with our tokens removed."""
        for account in self.all:
            for secret in account.credential.secrets():
                text = text.replace(secret, "***")
        return text

    def sleep(self, seconds: float) -> None:
        """Pause; PerfAssetsError as soon as the accounts are closed."""
        if self._closed.wait(seconds):
            raise PerfAssetsError(f"GitHub at {self.base_url}: the run was stopped")

    def close(self) -> None:
        """Give the connections back and end every pause."""
        self._closed.set()
        for account in self.all:
            while account.idle:
                account.idle.pop().close()

    def _refused(self, why: str = "401") -> PerfAssetsError:
        # Without a token there is one account, the anonymous one.
        is_one = len(self.all) == 1
        refused = self.all[0].credential.kind if is_one else "every token in GITHUB_TOKEN"
        return PerfAssetsError(
            f"GitHub at {self.base_url} refused {refused} ({why}): "
            "create a new one at https://github.com/settings/tokens and export it"
        )

    def _connect(self, account: Account) -> github.Github:
        # A connection of PyGithub's is for one thread at a time; retries are the client's.
        return github.Github(
            base_url=self.base_url,
            auth=account.credential.auth,
            timeout=ceil(self._patience.answer),
            retry=None,
            seconds_between_requests=0,
            seconds_between_writes=0,
        )

    def _choose(self) -> tuple[Account, int] | None:
        """Return the account with the most points left, and how many of them it now reserves."""
        now = time.time()
        with self._lock:
            rested = [
                account
                for account in self.all
                if not account.is_refused and account.rests_until <= now
            ]
            for account in rested:
                if account.reset and account.reset + self._patience.reset_margin <= now:
                    account.remaining, account.reset = account.limit, 0.0
            if not rested:
                return None
            best = max(rested, key=lambda account: account.remaining - account.reserved)
            best.remaining -= 1  # at least; the answer contains how many it was
            best.reserved += self.usual_cost
            return best, self.usual_cost

    def _wait_for_reset(self) -> None:
        with self._waiting:
            until = min(account.rests_until for account in self.all if not account.is_refused)
            moment = _written(until)
            self._limit.until(
                until,
                f"GitHub: rate limit reached, going on at {moment},",
                f"GitHub at {self.base_url}: the rate limit is reached until {moment}",
                "run again then, what was stored is kept",
            )


def _written(moment: float) -> str:
    """Return a moment that a server named, however far away it is."""
    try:
        return f"{datetime.fromtimestamp(moment, UTC):%Y-%m-%d %H:%M:%S} UTC"
    except (OverflowError, ValueError, OSError):
        return "a year that no calendar has"
