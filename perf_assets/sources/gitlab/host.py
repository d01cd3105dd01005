"""GitLab as a host of issues."""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager

from perf_assets.base.errors import PerfAssetsError
from perf_assets.config.repositories import Repository
from perf_assets.sources.gitlab.client import GitLabClient
from perf_assets.sources.gitlab.issues import GitLabIssues
from perf_assets.sources.issues.listing import examine_listed
from perf_assets.sources.issues.opening import Say, StoredMonths, ask_each_api
from perf_assets.sources.rate_limit import RequestPolicy
from perf_assets.sources.rest_client import MissingError, RefusedError, secret_for, variable_for

log = logging.getLogger(__name__)

VARIABLE = "GITLAB_TOKEN"
HEADER = "PRIVATE-TOKEN"
REQUESTS_PER_ISSUE = 3.3
MONTHLY_REQUESTS = 2  # the count, and the list of a month with few issues
ASIDE_REQUESTS = 2


@contextmanager
def open_source(repository: Repository, longest_wait: float) -> Iterator[GitLabIssues]:
    """Provide the issues of ``repository``; waits for a rate limit end after so many seconds."""
    with closing(open_client(repository, longest_wait)) as client:
        yield GitLabIssues(client, repository)


def out_of_reach(repositories: Sequence[Repository]) -> dict[str, PerfAssetsError]:
    """Return the repositories whose API refuses our token or needs one, or is not GitLab's.

    One request for each API.
    """
    return ask_each_api(repositories, _trouble)


def examine(
    repositories: Sequence[Repository], stored: Callable[[Repository], StoredMonths], say: Say
) -> bool:
    """Report for each repository what a run reads, and about how many requests that takes."""
    troubles = out_of_reach(repositories)
    for sentence in dict.fromkeys(map(str, troubles.values())):
        say(sentence)
    reached = [repository for repository in repositories if repository.name not in troubles]
    # A diagnosis does not wait for a limit.
    fine = examine_listed(lambda entry: open_source(entry, 0), reached, stored, requests_for, say)
    return fine and not troubles


def cost_of(counts: Mapping[str, int]) -> str:
    """Return about how many requests months with so many issues cost."""
    return f"about {requests_for(counts):,} requests"


def requests_for(counts: Mapping[str, int]) -> int:
    """Return about how many requests it takes to read months with so many issues."""
    months = MONTHLY_REQUESTS * len(counts)
    return ASIDE_REQUESTS + months + round(REQUESTS_PER_ISSUE * sum(counts.values()))


def open_client(repository: Repository, longest_wait: float) -> GitLabClient:
    """Return a client that waits aloud, with the token for the API of ``repository``."""
    return GitLabClient(
        repository.api,
        repository.name,
        on_wait=log.warning,
        patience=RequestPolicy(longest_wait=longest_wait),
        secret=secret_for(HEADER, variable_of(repository)),
    )


def variable_of(repository: Repository) -> str:
    """Return the variable that has the token for the API of a project."""
    return variable_for(VARIABLE, repository.api, repository.kind.host)


def _trouble(repository: Repository) -> PerfAssetsError | None:
    """Return why an API cannot be read; what passes by itself is not one of the reasons."""
    variable = variable_of(repository)
    try:
        with closing(open_client(repository, 0)) as client:
            try:
                answer = client.get("version").data
            except MissingError:
                answer = None
            except RefusedError as error:
                if client.has_token:
                    return PerfAssetsError(
                        f"{error}; the token in {variable} is refused: make one with the scope "
                        "read_api"
                    )
                return PerfAssetsError(
                    f"{client.url} gives comments and events to accounts alone: make a token with "
                    f"the scope read_api, and set {variable} to it"
                )
    except PerfAssetsError as error:
        return error
    if not isinstance(answer, dict) or "version" not in answer:
        return PerfAssetsError(
            f"{repository.api}: this is not GitLab's API, which ends with /api/v4: check api_url"
        )
    return None
