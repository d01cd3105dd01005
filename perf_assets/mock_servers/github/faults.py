"""Misbehaviour on demand: a seeded plan of the ways in which GitHub's API fails its clients."""

import json
import math
import random
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from perf_assets.errors import PerfAssetsError
from perf_assets.mock_servers.reply import HTML_TYPE, Reply, json_reply, message_reply

PRIMARY_MESSAGE = "API rate limit exceeded for user ID 1."
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

    def is_too_heavy(self, nodes: int) -> bool:
        """Whether a query that may return so many nodes is more than can be answered."""
        return self._faults.heaviest is not None and nodes > self._faults.heaviest

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
    return {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(int(time.time() + faults.wait))}


def _page(status: int, title: str) -> Callable[[object], Reply]:
    body = f"<!DOCTYPE html><html><head><title>{title}</title></head><body>{title}</body></html>"
    return lambda _: Reply(status, body.encode(), content_type=HTML_TYPE)


def _primary_limit(fault: Fault) -> Reply:
    status = fault.chance.choice((403, 429))
    return message_reply(status, PRIMARY_MESSAGE, limit_headers(fault.plan))


def _secondary_limit(fault: Fault) -> Reply:
    headers = {"Retry-After": str(math.ceil(fault.plan.wait))}
    return message_reply(403, SECONDARY_MESSAGE, headers)


def rate_limited_reply(headers: Mapping[str, str]) -> Reply:
    """GraphQL's word for an exhausted budget: an error inside HTTP 200."""
    error = {"type": "RATE_LIMITED", "message": PRIMARY_MESSAGE}
    return json_reply(200, {"errors": [error]}, headers)


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


def _lose_nodes(value: Any, chance: random.Random) -> int:  # noqa: ANN401
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
    "graphql_rate_limited": lambda fault: rate_limited_reply(limit_headers(fault.plan)),
}
SPOILERS: Mapping[str, Callable[[Fault, Reply], Reply]] = {
    "resource_limits": _resource_limits,
    "cut": _cut,
    "slow": _slow,
}
KINDS = (*REFUSALS, *SPOILERS)
GRAPHQL_KINDS = ("graphql_rate_limited", "resource_limits")
