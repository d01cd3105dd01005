"""Bugzilla as a host of issues: its API, and the key in BUGZILLA_API_KEY if there is one."""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from math import ceil

from perf_assets.base.errors import PerfAssetsError
from perf_assets.config.repositories import Repository
from perf_assets.sources.bugzilla.client import BugzillaClient
from perf_assets.sources.bugzilla.issues import PAGE, BugzillaIssues
from perf_assets.sources.issues.opening import Say, StoredMonths, ask_each_api, succeeds
from perf_assets.sources.rate_limit import LONGEST_WAIT, RequestPolicy
from perf_assets.sources.rest_client import secret_for, variable_for

log = logging.getLogger(__name__)

VARIABLE = "BUGZILLA_API_KEY"
HEADER = "X-BUGZILLA-API-KEY"  # never a parameter, which would be in the address
LISTS = 3  # requests for a page: bugs, and from most servers also comments and history


@contextmanager
def open_source(repository: Repository, longest_wait: float) -> Iterator[BugzillaIssues]:
    """Provide the bugs of ``repository``, for the length of the block."""
    with closing(open_client(repository, longest_wait)) as client:
        yield BugzillaIssues(client, repository)


def out_of_reach(repositories: Sequence[Repository]) -> dict[str, PerfAssetsError]:
    """Return the repositories whose API refuses the key or is not Bugzilla's, and why."""
    return ask_each_api(repositories, _trouble)


def examine(
    repositories: Sequence[Repository], stored: Callable[[Repository], StoredMonths], say: Say
) -> bool:
    """Report what there is to read of each repository, and about how many requests that costs."""
    results = [succeeds(say, _examine, entry, stored(entry), say) for entry in repositories]
    return all(results)


def cost_of(counts: Mapping[str, int]) -> str:
    """Return what reading months with so many bugs costs."""
    return f"up to {_requests(counts):,} requests"


def open_client(
    repository: Repository, longest_wait: float, patience: RequestPolicy | None = None
) -> BugzillaClient:
    """Return a client that waits aloud, and no longer than ``longest_wait`` seconds."""
    variable = variable_for(VARIABLE, repository.api, repository.kind.host)
    return BugzillaClient(
        repository.api,
        repository.name,
        log.warning,
        patience or RequestPolicy(longest_wait=longest_wait),
        secret_for(HEADER, variable),
    )


def _trouble(repository: Repository) -> PerfAssetsError | None:
    try:
        with open_source(repository, LONGEST_WAIT) as source:
            source.newest()
    except PerfAssetsError as error:
        return error
    return None


def _examine(repository: Repository, stored: StoredMonths, say: Say) -> bool:
    with open_source(repository, LONGEST_WAIT) as source:
        if source.newest().newest_update is None:
            say(
                f"{repository.name}: it has no public bugs: check the names of the product and of "
                "the component, which are as on its pages"
            )
            return False
        counts = source.counts(stored.missing)
    again = f", {stored.outdated} of them again" if stored.outdated else ""
    say(
        f"{repository.name}: {repository.start} to {repository.end}, {len(counts)} months with "
        f"{sum(counts.values()):,} issues to load{again}, {len(stored.marks)} stored: "
        f"{cost_of(counts)}, and for each 100 issues to refresh up to {LISTS} more"
    )
    return True


def _requests(counts: Mapping[str, int]) -> int:
    """Return the number of requests: counts, and pages of whole months."""
    return len(counts) + 1 + LISTS * (ceil(sum(counts.values()) / PAGE) + len(counts))
