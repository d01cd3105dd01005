"""A loopback GitHub that asks for tokens, and whose answers go wrong by a seeded plan."""

import json
import math
import random
import secrets
import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

import jwt

from perf_assets.base.corpus import Corpus
from perf_assets.base.errors import PerfAssetsError
from perf_assets.stand_ins.github.graphql_api import prepare
from perf_assets.stand_ins.github.server import (
    POINTS_PER_HOUR,
    PRIMARY_ERROR,
    PRIMARY_MESSAGE,
    CorpusServer,
    Request,
)
from perf_assets.stand_ins.reply import HTML_TYPE, Reply, json_reply, message_reply
from tests.github_errors import TRANSIENT

TOKEN_SECONDS = 3600.0
SECONDARY_MESSAGE = (
    "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
)


@dataclass(frozen=True)
class Faults:
    """Which answers go wrong, and how.

    ``rate`` (0 to 1) of the answers are faulty, drawn by ``seed`` and the request's number; never
    more than ``max_consecutive`` in a row, so that a patient client always gets on. ``wait`` is
    how many seconds rate-limit answers require, ``delay`` how many a slow answer takes. A GraphQL
    query that may return more than ``heaviest`` nodes is never answered but with 502.
    """

    seed: int
    rate: float
    kinds: Sequence[str] = ()
    max_consecutive: int = 3
    wait: float = 0.0
    delay: float = 0.05
    heaviest: int | None = None

    def __post_init__(self) -> None:
        """Refuse kinds that do not exist."""
        unknown = set(self.kinds) - set(KINDS)
        if unknown:
            raise PerfAssetsError(
                f"faults: there is no kind {min(unknown)!r}; choose from {', '.join(KINDS)}"
            )


@dataclass(frozen=True)
class Fault:
    """One answer's misfortune: its kind and a source of chance of its own."""

    kind: str
    chance: random.Random
    plan: Faults

    @property
    def wants_answer(self) -> bool:
        """Whether the query is run, and counted, before the fault strikes."""
        return self.kind in SPOILERS

    def spoil(self, reply: Reply | None) -> Reply:
        """What is sent instead of ``reply``, which is None where the query was not run."""
        if reply is not None:
            return SPOILERS[self.kind](self, reply)
        return REFUSALS[self.kind](self)


class FaultPlan:
    """Hands out the faults of a plan, request by request."""

    def __init__(self, faults: Faults) -> None:
        """Start at request number 0."""
        self._faults = faults
        self._lock = threading.Lock()
        self._number = 0
        self._consecutive = 0

    def is_too_heavy(self, body: bytes) -> bool:
        """Whether a query may return more nodes than can be answered."""
        if self._faults.heaviest is None:
            return False
        content = json.loads(body)
        query = prepare(content["query"], content["variables"], content.get("operationName"))
        return query.cost.nodes > self._faults.heaviest

    def draw(self, *, is_graphql: bool) -> Fault | None:
        """The fault of the next request; None where it goes well."""
        with self._lock:
            chance = random.Random(f"{self._faults.seed}:{self._number}")
            self._number += 1
            chosen = self._faults.kinds or KINDS
            kinds = [kind for kind in chosen if is_graphql or kind not in GRAPHQL_KINDS]
            is_due = bool(kinds) and chance.random() < self._faults.rate
            if not is_due or self._consecutive >= self._faults.max_consecutive:
                self._consecutive = 0
                return None
            self._consecutive += 1
            return Fault(chance.choice(kinds), chance, self._faults)


def limit_headers(faults: Faults) -> dict[str, str]:
    """The headers of an exhausted budget that is full again soon."""
    return {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": _full_again(faults)}


def _full_again(faults: Faults) -> str:
    return str(int(time.time() + faults.wait))


def _page(status: int, title: str) -> Callable[[object], Reply]:
    body = f"<!DOCTYPE html><html><head><title>{title}</title></head><body>{title}</body></html>"
    return lambda _: Reply(status, body.encode(), content_type=HTML_TYPE)


def _primary_limit(fault: Fault) -> Reply:
    status = fault.chance.choice((403, 429))
    return message_reply(status, PRIMARY_MESSAGE, limit_headers(fault.plan))


def _secondary_limit(fault: Fault) -> Reply:
    headers = {"Retry-After": str(math.ceil(fault.plan.wait))}
    return message_reply(403, SECONDARY_MESSAGE, headers)


def _rate_limited(fault: Fault) -> Reply:
    """GraphQL's words for an exhausted budget, today's and former ones: an error in HTTP 200."""
    former = {"type": "RATE_LIMITED", "message": PRIMARY_MESSAGE}
    error = fault.chance.choice((PRIMARY_ERROR, former))
    return json_reply(200, {"errors": [error]}, limit_headers(fault.plan))


def _documented(fault: Fault) -> Reply:
    """One of the errors that pass, as GitHub documents them or was recorded with them."""
    reply = fault.chance.choice(TRANSIENT).reply()
    headers = dict(reply.headers)
    if "Retry-After" in headers:
        headers["Retry-After"] = str(math.ceil(fault.plan.wait))
    return replace(reply, headers={"X-RateLimit-Reset": _full_again(fault.plan), **headers})


def _resource_limits(fault: Fault, reply: Reply) -> Reply:
    """Partial data: some nodes are null, and an error says so."""
    content = json.loads(reply.body)
    data = content.get("data")
    if not _lose_nodes(data, fault.chance):
        data = None
    error = {
        "type": "RESOURCE_LIMITS_EXCEEDED",
        "message": "Resource limits for this query exceeded.",
    }
    errors = [*content.get("errors", ()), error]
    return json_reply(200, {"data": data, "errors": errors}, reply.headers)


def _lose_nodes(value: Any, chance: random.Random) -> int:
    """Make some entries of the connections null; how many were lost."""
    if isinstance(value, dict):
        lost = 0
        for key in ("nodes", "edges"):
            entries = value.get(key) or []
            for position in range(len(entries)):
                if chance.random() < 0.5:
                    entries[position] = None
                    lost += 1
        return lost + sum(_lose_nodes(inner, chance) for inner in value.values())
    if isinstance(value, list):
        return sum(_lose_nodes(inner, chance) for inner in value)
    return 0


def _slow(fault: Fault, reply: Reply) -> Reply:
    time.sleep(fault.plan.delay)
    return reply


def _cut(_: Fault, reply: Reply) -> Reply:
    return replace(reply, is_cut=True)


BAD_GATEWAY = _page(502, "502 Bad Gateway")
REFUSALS: Mapping[str, Callable[[Fault], Reply]] = {
    "bad_gateway": BAD_GATEWAY,
    "gateway_timeout": _page(504, "504 Gateway Time-out"),
    "html": _page(200, "Unicorn! GitHub"),
    "primary_limit": _primary_limit,
    "secondary_limit": _secondary_limit,
    "graphql_rate_limited": _rate_limited,
    "documented": _documented,
}
SPOILERS: Mapping[str, Callable[[Fault, Reply], Reply]] = {
    "resource_limits": _resource_limits,
    "cut": _cut,
    "slow": _slow,
}
KINDS = (*REFUSALS, *SPOILERS)
GRAPHQL_KINDS = ("graphql_rate_limited", "documented", "resource_limits")


@dataclass
class GitHubApp:
    """The App ``app_id`` with one installation, which hands out tokens that expire.

    ``public_key`` (PEM) checks what the App signs; a token is good for ``token_seconds``.
    ``tokens`` maps those handed out to their ends, in epoch seconds.

    Source: https://docs.github.com/rest/apps/apps#create-an-installation-access-token-for-an-app
    """

    app_id: str
    installation: int
    public_key: str
    token_seconds: float = TOKEN_SECONDS
    tokens: dict[str, float] = field(default_factory=dict)

    @property
    def path(self) -> str:
        """Where tokens are requested."""
        return f"/app/installations/{self.installation}/access_tokens"

    def admits(self, token: str) -> bool:
        """Whether ``token`` was handed out and is still good."""
        return self.tokens.get(token, 0.0) > time.time()

    def hand_out(self, signature: str) -> Reply:
        """A new token, for a JSON Web Token that the App signed."""
        try:
            jwt.decode(signature, self.public_key, algorithms=["RS256"], issuer=self.app_id)
        except jwt.InvalidTokenError:
            return message_reply(401, "A JSON web token could not be decoded")
        token = f"ghs_{secrets.token_hex(18)}"
        self.tokens[token] = time.time() + self.token_seconds
        expires_at = datetime.fromtimestamp(self.tokens[token], UTC)
        return json_reply(
            201, {"token": token, "expires_at": expires_at.isoformat().replace("+00:00", "Z")}
        )


@dataclass(frozen=True)
class FaultyRequest(Request):
    """A line of the log; ``fault`` is what was made to go wrong."""

    fault: str | None = None


class UnreliableGitHub(CorpusServer):
    """Serves corpora to whoever has a token, with faults.

    With ``token`` (one or several) or ``app``, requests need one of theirs. ``faults`` makes some
    answers go wrong.
    """

    requests: list[FaultyRequest]  # type: ignore[assignment]

    def __init__(
        self,
        corpora: Iterable[Corpus],
        *,
        token: str | Collection[str] = (),
        app: GitHubApp | None = None,
        faults: Faults | None = None,
        limit: int = POINTS_PER_HOUR,
    ) -> None:
        """Index the corpora; nothing listens yet."""
        super().__init__(corpora, limit=limit)
        self._app = app
        self._tokens = {token} if isinstance(token, str) else set(token)
        self._plan = FaultPlan(faults) if faults else None

    def respond(
        self, log: Request, query: str, authorization: str, body: bytes
    ) -> tuple[Reply, FaultyRequest]:
        """The reply to a request, and its line of the log."""
        if self._app is not None and (log.method, log.path) == ("POST", self._app.path):
            return self._app.hand_out(authorization.partition(" ")[2]), FaultyRequest(**vars(log))
        if not self._admits(authorization):
            return message_reply(401, "Bad credentials"), FaultyRequest(**vars(log))
        fault = self._plan.draw(is_graphql=log.is_graphql) if self._plan else None
        reply: Reply | None = None
        if log.is_graphql and self._plan is not None and self._plan.is_too_heavy(body):
            reply = BAD_GATEWAY(query)
        elif fault is None or fault.wants_answer:
            reply, log = super().respond(log, query, authorization, body)
        if fault is not None:
            reply = fault.spoil(reply)
        assert reply is not None
        headers = self.budget(authorization, "graphql" if log.is_graphql else "core").headers()
        reply = replace(reply, headers={**headers, **reply.headers})
        return reply, FaultyRequest(**vars(log), fault=fault.kind if fault else None)

    def _admits(self, authorization: str) -> bool:
        if not self._tokens and self._app is None:
            return True
        scheme, _, token = authorization.partition(" ")
        is_known = token in self._tokens or (self._app is not None and self._app.admits(token))
        return scheme.lower() in ("token", "bearer") and is_known
