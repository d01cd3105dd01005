"""GitHub as a host of issues: its API, another one of its kind, or a corpus on loopback."""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager

from perf_assets.base.corpus import read_corpus
from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.processes.progress import phase
from perf_assets.config.repositories import Repository
from perf_assets.sources.github.accounts import GitHubPolicy
from perf_assets.sources.github.client import GitHubClient
from perf_assets.sources.github.credentials import Credential, credentials_of
from perf_assets.sources.github.issues import GitHubIssues
from perf_assets.sources.issues.opening import Say, StoredMonths, ask_each_api, succeeds
from perf_assets.sources.rate_limit import LONGEST_WAIT
from perf_assets.stand_ins.github.server import CorpusServer

log = logging.getLogger(__name__)

UNLIMITED = 2**31 - 1  # points an hour, the largest Int: our own server need not hold us back


@contextmanager
def open_source(repository: Repository, longest_wait: float) -> Iterator[GitHubIssues]:
    """Provide the issues of ``repository``, for the length of the block.

    A corpus is served on loopback meanwhile, and read without credentials; any other API gets
    those of the environment. ``longest_wait`` bounds, in seconds, the waits for a rate limit.
    """
    if repository.corpus is not None:
        with phase(f"reading the corpus at {repository.corpus}"):
            corpus = read_corpus(repository.corpus, repository.name)
        with CorpusServer([corpus], limit=UNLIMITED) as server:
            yield from _source(repository, server.url, [], longest_wait)
        return
    yield from _source(repository, repository.api, credentials_of(), longest_wait)


def out_of_reach(repositories: Sequence[Repository]) -> dict[str, PerfAssetsError]:
    """Return the repositories whose API accepts none of our tokens, or needs one, and why.

    It costs nothing of the rate limit.
    """
    return ask_each_api([entry for entry in repositories if entry.corpus is None], _trouble)


def examine(
    repositories: Sequence[Repository], stored: Callable[[Repository], StoredMonths], say: Say
) -> bool:
    """Report tokens, budgets and what there is to read; see ``sources/github/forecast.py``."""
    from perf_assets.sources.github.forecast import examine_api  # noqa: PLC0415

    results = []
    for repository in repositories:
        if repository.corpus is not None:
            say(f"{repository.name}: read from {repository.corpus}, no token is needed")
    read = [repository for repository in repositories if repository.corpus is None]
    for url in dict.fromkeys(repository.api for repository in read):
        chosen = [repository for repository in read if repository.api == url]
        results.append(succeeds(say, examine_api, url, chosen, stored, say))
    return all(results)


def cost_of(counts: Mapping[str, int]) -> str:
    """Return what reading months with so many issues costs of the hourly budget."""
    from perf_assets.sources.github.forecast import cost_in_words  # noqa: PLC0415

    return cost_in_words(counts)


def open_client(url: str, credentials: list[Credential], longest_wait: float) -> GitHubClient:
    """Return a client that waits aloud, and no longer than ``longest_wait`` seconds."""
    patience = GitHubPolicy(longest_wait=longest_wait)
    return GitHubClient(url, credentials, on_wait=log.warning, patience=patience)


def _trouble(repository: Repository) -> PerfAssetsError | None:
    try:
        with closing(open_client(repository.api, credentials_of(), LONGEST_WAIT)) as client:
            client.accounts.check()
    except PerfAssetsError as error:
        return error
    return None


def _source(
    repository: Repository, url: str, credentials: list[Credential], longest_wait: float
) -> Iterator[GitHubIssues]:
    with closing(open_client(url, credentials, longest_wait)) as client:
        yield GitHubIssues(client, repository.name)
