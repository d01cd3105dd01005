"""One GraphQL request at a time, until it is answered whole: errors, limits and retries."""

import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic, time
from typing import Any

import github
from requests.exceptions import ConnectionError as NoConnection
from requests.exceptions import RequestException, Timeout

from perf_assets.base.errors import PerfAssetsError, TransientError
from perf_assets.base.sanitize import escape_text, shortened
from perf_assets.config.addresses import is_private
from perf_assets.sources.github.accounts import Account, Accounts, GitHubPolicy
from perf_assets.sources.github.credentials import ANONYMOUS, Credential, token_credentials
from perf_assets.sources.github.faults import AUTHORISE, Failure, Reaction, Rule, kinds_of, rule_for
from perf_assets.sources.github.page_sizes import PageSizes
from perf_assets.sources.github.queries import OPTIONAL
from perf_assets.sources.github.transport import Answer, send_request
from perf_assets.sources.http_deadline import within
from perf_assets.sources.issues.source import RequestCost
from perf_assets.sources.json_answers import read_json
from perf_assets.sources.rate_limit import pause_of

GITHUB = "https://api.github.com"
LONGEST_PAGE = 2000  # characters
TAG = re.compile(r"<[^>]*>|\s+")
MOST_POINTS = 10_000  # of one query; GitHub refuses those of more than a few hundred
OPERATION = re.compile(r"\s*query\s+(\w+)")
PATIENCE = GitHubPolicy()
Send = Callable[[github.Github, str, str, object], Answer]


@dataclass(frozen=True)
class Fault:
    """A failed attempt: why, and whether a smaller page may help.

    ``is_limit``: the account rests before its next request, so no pause is due. ``counts`` is False
    if GitHub named the time to go on, so that a later try is not a further attempt. ``is_outage``:
    a status by which GitHub reports its own trouble, which may last longer than the wrong answers
    that are tolerated.
    """

    reason: str
    is_heavy: bool = False
    is_limit: bool = False
    counts: bool = True
    is_outage: bool = False


@dataclass(frozen=True)
class Withheld:
    """A part of an answer that GitHub has set to null: where, and why.

    path : the keys and positions that lead to it in the data.
    kind : FORBIDDEN, or NOT_FOUND for what is not there.
    words : GitHub's own.
    remedy : how it can be had; empty where nothing is known.
    """

    path: tuple[str | int, ...]
    kind: str
    words: str
    remedy: str


@dataclass(frozen=True)
class Reply:
    """The data of an answer, and which parts of them GitHub withheld."""

    data: dict[str, Any]
    withheld: tuple[Withheld, ...] = ()


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
        patience: GitHubPolicy = PATIENCE,
        send: Send = send_request,
    ) -> None:
        """Prepare the client; PerfAssetsError if github.com is requested without a token."""
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
        self._on_wait, self.patience, self._send = on_wait, patience, send
        self.accounts = Accounts(self.base_url, credentials or [ANONYMOUS], patience, on_wait)
        self._pages = PageSizes()
        self._left_out: list[str] = []  # of documents
        self.cost, self.total = RequestCost(), RequestCost()
        self._lock = threading.Lock()
        self._charged = threading.local()

    def close(self) -> None:
        """Give the connections back; a thread that is waiting stops."""
        self.accounts.close()

    @contextmanager
    def charging(self, cost: RequestCost) -> Iterator[None]:
        """Charge requests of this thread inside the block to ``cost``, not to ``self.cost``."""
        self._charged.to = cost
        try:
            yield
        finally:
            del self._charged.to

    def query(
        self,
        document: str | Callable[[int], str],
        variables: Mapping[str, Any],
        *,
        first: int | None = None,
    ) -> Reply:
        """Return GitHub's answer, whole but for what GitHub withholds.

        The table of :mod:`perf_assets.sources.github.faults` says what follows from any other
        answer. Transient faults are retried with growing pauses; ``first``, the page size, is
        halved where size is the likely cause, and grows again. A ``document`` has it as a variable,
        or is made for it. At a rate limit the other credentials go on; where all rest, we wait.

        Raises
        ------
        PerfAssetsError
            A wrong token, a repository that is not there, no network, a limit that lasts longer
            than our patience, or GitHub failing on.
        """
        text = document if isinstance(document, str) else document(first or 1)
        named = OPERATION.match(text)
        operation = named[1] if named else text
        sent = dict(variables)
        attempts = failures = 0
        patience_left = self.patience.longest_trouble
        while True:
            if first is not None:
                size = self._pages.size(operation, first)
                if isinstance(document, str):
                    sent["first"] = size
                else:
                    text = document(size)
            with self.accounts.borrow() as (account, connection):
                started = monotonic()
                with within(min(self.patience.answer, patience_left)):
                    outcome = self._attempt(account, connection, self._known(text), sent)
            if isinstance(outcome, Reply):
                self.accounts.succeed(account)
                self._pages.grow(operation)
                return outcome
            if outcome.is_heavy and first is not None:
                self._pages.shrink(operation, size)
            attempts += outcome.counts
            failures += not outcome.is_limit
            wait = 0.0 if outcome.is_limit else self.patience.pause(failures)
            if not outcome.is_limit and not outcome.is_outage:
                patience_left -= monotonic() - started + wait
            if attempts == self.patience.attempts or patience_left <= 0:
                raise TransientError(
                    f"GitHub at {self.base_url} did not answer in {attempts} attempts "
                    f"(last: {outcome.reason}): run again later, what was stored is kept"
                )
            if not outcome.is_limit:
                self._on_wait(f"GitHub: {outcome.reason}; trying again in {wait:.1f} s")
                self.accounts.sleep(wait)

    def _known(self, document: str) -> str:
        """Return ``document`` without the fields that this server does not know."""
        for text in self._left_out:
            document = document.replace(text, "")
        return document

    def _attempt(
        self,
        account: Account,
        connection: github.Github,
        document: str,
        variables: Mapping[str, Any],
    ) -> Reply | Fault:
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
        return self._judge(account, answer, variables)

    def _judge(
        self, account: Account, answer: Answer, variables: Mapping[str, Any]
    ) -> Reply | Fault:
        """Return the data of an answer that can be used, and what is wrong with any other."""
        try:
            content = read_json(answer.text)
        except ValueError:
            content = None  # its status may say more
        account.note(answer.headers)
        self._charge(content)
        errors = _graphql_errors(content)
        data = content.get("data") if isinstance(content, dict) else None
        data = data if isinstance(data, dict) else None
        if answer.status == 200 and not errors and data is not None:
            return Reply(data)
        words = self._words(content)
        if content is None and answer.status != 200:  # a page, of a proxy for one
            words = self._quoted(TAG.sub(" ", answer.text[:LONGEST_PAGE]))
        failure = Failure(answer.status, answer.headers, errors, data, words)
        return self._react(account, failure, variables)

    def _charge(self, answer: object) -> None:
        """Count a request, and the points that its answer, whole or not, names."""
        data = answer.get("data") if isinstance(answer, dict) else None
        limit = data.get("rateLimit") if isinstance(data, dict) else None
        points = limit.get("cost") if isinstance(limit, dict) else None
        is_cost = isinstance(points, int) and 0 <= points <= MOST_POINTS
        cost = RequestCost(1, int(points) if is_cost and points is not None else 0)
        with self._lock:
            getattr(self._charged, "to", self.cost).add(cost)
            self.total.add(cost)
        self.accounts.usual_cost = cost.points or self.accounts.usual_cost

    def _judge_renewal(self, account: Account, error: github.GithubException) -> Fault:
        if error.status in (401, 404):
            self.accounts.refuse(account)
            return Fault("refused", is_limit=True, counts=False)
        headers = {key.lower(): value for key, value in (error.headers or {}).items()}
        failure = Failure(error.status, headers, words=self._words(error.data))
        outcome = self._react(account, failure, {})
        assert isinstance(outcome, Fault)  # without data there is nothing to use
        return outcome

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

    def _react(
        self, account: Account, failure: Failure, variables: Mapping[str, Any]
    ) -> Reply | Fault:
        """Do what the table of faults says about ``failure``."""
        rule = rule_for(failure)
        match rule.reaction:
            case Reaction.REFUSE_TOKEN:
                why = failure.words if failure.words != "Bad credentials" else ""
                self.accounts.refuse(account, f"{failure.status}: {why}" if why else "401")
                return Fault("refused", is_limit=True, counts=False)
            case Reaction.REST | Reaction.PAUSE:
                return self._rest(account, failure, rule)
            case Reaction.LACK:
                return Reply(failure.data or {}, tuple(self._withheld(failure)))
            case Reaction.LEAVE_OUT:
                return self._leave_out(failure)
            case Reaction.END:
                raise PerfAssetsError(self._end(failure, rule, variables))
        return Fault(
            self._reason(failure),
            is_heavy=rule.reaction is Reaction.ASK_LESS,
            is_outage=rule.is_outage,
        )

    def _rest(self, account: Account, failure: Failure, rule: Rule) -> Fault:
        """Let ``account`` rest, as long as Retry-After says, else until its budget is full again.

        Source: https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api
        """
        seconds = pause_of(failure.headers.get("retry-after"))
        is_spent = failure.headers.get("x-ratelimit-remaining") == "0"
        if seconds is not None:
            self.accounts.rest(account, seconds)
            # Zero seconds again and again would be requested without end.
            return Fault("secondary rate limit", is_limit=True, counts=seconds == 0)
        if is_spent or (rule.reaction is Reaction.REST and account.reset > time()):
            # A reset that is past already does not say when to go on.
            is_named = account.reset > time()
            self.accounts.rest_until_reset(account)
            return Fault("rate limit reached", is_limit=True, counts=not is_named)
        self.accounts.rest(account, None)
        return Fault("secondary rate limit", is_limit=True, counts=False)

    def _withheld(self, failure: Failure) -> Iterator[Withheld]:
        for error in failure.errors:
            kind = "NOT_FOUND" if "NOT_FOUND" in kinds_of(error) else "FORBIDDEN"
            words = self._quoted(error.get("message"))
            remedy = AUTHORISE if "SAML" in words else ""
            yield Withheld(tuple(error["path"]), kind, words, remedy)

    def _leave_out(self, failure: Failure) -> Fault:
        """Request no more what this server does not know, and say so once."""
        said = " ".join(str(error.get("message")) for error in failure.errors)
        for name, text in OPTIONAL.items():
            if f"'{name}'" in said and text not in self._left_out:
                self._left_out.append(text)
                self._on_wait(
                    f"GitHub at {self.base_url} is too old to know {name}: it is left out, and "
                    "the column stays empty"
                )
        return Fault(self._reason(failure), is_limit=True)

    def _end(self, failure: Failure, rule: Rule, variables: Mapping[str, Any]) -> str:
        """Return the sentence in which a failure ends that no later attempt mends."""
        kinds = failure.kinds
        if "owner" in variables and ("NOT_FOUND" in kinds or failure.status == 404):
            return (
                f"GitHub at {self.base_url} has no repository "
                f"{variables['owner']}/{variables['name']}, or the token may not see it: "
                "check the name in the study file"
            )
        words = f" ({failure.words})" if failure.words else ""
        if "NOT_FOUND" in kinds or failure.status == 404:
            return f"GitHub at {self.base_url} answered 'not found'{words}"
        remedy = rule.remedy or "check what the token may see"
        if failure.status in (200, 403):
            return f"GitHub at {self.base_url} refused a query{words}: {remedy}"
        return f"GitHub at {self.base_url} answered with HTTP {failure.status}{words}: {remedy}"

    def _reason(self, failure: Failure) -> str:
        """Return a short description of the failure of an answer."""
        if failure.errors:
            return failure.words or "an error without a word"
        if failure.status == 200:
            return "an answer that is not GraphQL"
        if failure.status < 300:
            return f"an answer of HTTP {failure.status} without content"
        return f"HTTP {failure.status}" + (f": {failure.words}" if failure.words else "")

    def _words(self, content: object) -> str:
        """Return the message of an answer: on one line, without our secrets, and not for long."""
        data = content if isinstance(content, dict) else {}
        messages = [*(error.get("message") for error in _graphql_errors(data)), data.get("message")]
        return next((words for words in map(self._quoted, messages) if words), "")

    def _quoted(self, text: object) -> str:
        return (
            shortened(self.accounts.hide(escape_text(text)), 200) if isinstance(text, str) else ""
        )


def _graphql_errors(content: object) -> list[dict[str, Any]]:
    """Return the errors of an answer; anything but a list counts as one without a message."""
    errors = content.get("errors") if isinstance(content, dict) else None
    if not errors:
        return []
    entries = errors if isinstance(errors, list) else [{}]
    return [entry if isinstance(entry, dict) else {"message": entry} for entry in entries]
