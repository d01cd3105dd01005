"""Opening the issue source of a repository: GitHub, another API, or a corpus on loopback."""

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager

from perf_assets.sample.server import CorpusServer
from perf_assets.sources.corpus import read_corpus
from perf_assets.sources.github.client import GITHUB, GitHubClient
from perf_assets.sources.github.issues import IssueSource
from perf_assets.study import Repository

log = logging.getLogger(__name__)

UNLIMITED = 10**12  # points an hour: our own server need not hold us back


@contextmanager
def open_issue_source(repository: Repository) -> Iterator[IssueSource]:
    """The issues of ``repository``, for the length of the block.

    A corpus is served on loopback meanwhile. The token is GITHUB_TOKEN; a corpus gets none.
    """
    if repository.corpus is not None:
        corpus = read_corpus(repository.corpus, repository.name)
        with CorpusServer([corpus], limit=UNLIMITED) as server:
            yield from _client(repository, server.url, None)
        return
    yield from _client(repository, repository.github_url or GITHUB, _token())


def check_token(repository: Repository) -> None:
    """PerfAssetsError when ``repository`` needs a token and there is none: before any work."""
    if repository.corpus is None:
        GitHubClient(repository.github_url or GITHUB, _token()).close()


def _token() -> str | None:
    return os.environ.get("GITHUB_TOKEN", "").strip() or None


def _client(repository: Repository, url: str, token: str | None) -> Iterator[IssueSource]:
    client = GitHubClient(url, token, on_wait=log.warning)
    try:
        yield IssueSource(client, repository.name)
    finally:
        client.close()
