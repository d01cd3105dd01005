"""Opening the issue source of a repository: GitHub, another API, or a corpus on loopback."""

import logging
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager

from perf_assets.base.corpus import read_corpus
from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.processes.progress import phase
from perf_assets.config.repositories import Repository
from perf_assets.sources.github.accounts import GitHubPolicy
from perf_assets.sources.github.client import GITHUB, GitHubClient
from perf_assets.sources.github.credentials import Credential, credentials_of
from perf_assets.sources.github.issues import IssueSource
from perf_assets.sources.rate_limit import LONGEST_WAIT
from perf_assets.stand_ins.github.server import CorpusServer

log = logging.getLogger(__name__)

UNLIMITED = 2**31 - 1  # points an hour, the largest Int: our own server need not hold us back


@contextmanager
def open_issue_source(
    repository: Repository, longest_wait: float = LONGEST_WAIT
) -> Iterator[IssueSource]:
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
    url = repository.github_url or GITHUB
    yield from _source(repository, url, credentials_of(), longest_wait)


def out_of_reach(repositories: Sequence[Repository]) -> dict[str, PerfAssetsError]:
    """Return the repositories whose API accepts none of our tokens, or needs one, and why.

    Asked before any work, once for each API; it costs nothing of the rate limit. What else may be
    wrong with it is reported when it is used in earnest.
    """
    urls = {
        repository.name: repository.github_url or GITHUB
        for repository in repositories
        if repository.corpus is None
    }
    troubles = {url: _trouble(url) for url in dict.fromkeys(urls.values())}
    return {name: trouble for name, url in urls.items() if (trouble := troubles[url]) is not None}


def _trouble(url: str) -> PerfAssetsError | None:
    try:
        with closing(open_client(url, credentials_of())) as client:
            client.accounts.check()
    except PerfAssetsError as error:
        return error
    return None


def open_client(
    url: str, credentials: list[Credential], longest_wait: float = LONGEST_WAIT
) -> GitHubClient:
    """Return a client that waits aloud, and no longer than ``longest_wait`` seconds."""
    patience = GitHubPolicy(longest_wait=longest_wait)
    return GitHubClient(url, credentials, on_wait=log.warning, patience=patience)


def _source(
    repository: Repository, url: str, credentials: list[Credential], longest_wait: float
) -> Iterator[IssueSource]:
    with closing(open_client(url, credentials, longest_wait)) as client:
        yield IssueSource(client, repository.name)
