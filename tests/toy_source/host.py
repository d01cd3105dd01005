"""The toy tracker as a host of issues; it has no tokens and no limits."""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager

from perf_assets.sources.toy.issues import ToyIssues

from perf_assets.base.errors import PerfAssetsError
from perf_assets.config.repositories import Repository
from perf_assets.sources.issues.listing import examine_listed
from perf_assets.sources.issues.opening import Say, StoredMonths
from perf_assets.sources.rate_limit import RequestPolicy
from perf_assets.sources.rest_client import RestClient

log = logging.getLogger(__name__)


@contextmanager
def open_source(repository: Repository, longest_wait: float) -> Iterator[ToyIssues]:
    """Provide the issues of ``repository``; waits for a rate limit end after so many seconds."""
    patience = RequestPolicy(longest_wait=longest_wait)
    with closing(RestClient(repository.api, repository.name, log.warning, patience)) as client:
        yield ToyIssues(client, repository)


def out_of_reach(_: Sequence[Repository]) -> dict[str, PerfAssetsError]:
    """Return nothing: whoever reaches it may read it."""
    return {}


def examine(
    repositories: Sequence[Repository], stored: Callable[[Repository], StoredMonths], say: Say
) -> bool:
    """Report for each repository what a run reads; return whether it can."""
    return examine_listed(lambda one: open_source(one, 0), repositories, stored, _requests, say)


def cost_of(counts: Mapping[str, int]) -> str:
    """Return what reading months with so many issues costs."""
    return f"{_requests(counts)} requests"


def _requests(counts: Mapping[str, int]) -> int:
    return 2 * len(counts)
