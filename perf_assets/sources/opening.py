"""Opening the issue source of a repository: GitHub, another API, or a corpus on loopback."""

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager

from perf_assets.errors import PerfAssetsError
from perf_assets.loopback.corpus import read_corpus
from perf_assets.loopback.github.server import CorpusServer
from perf_assets.sources.github.accounts import Patience
from perf_assets.sources.github.client import GITHUB, GitHubClient
from perf_assets.sources.github.credentials import Credential, credentials_of
from perf_assets.sources.github.issues import IssueSource
from perf_assets.study import Repository

log = logging.getLogger(__name__)

MAX_WAIT = "PERF_ASSETS_MAX_WAIT"
UNLIMITED = 10**12  # points an hour: our own server need not hold us back


@contextmanager
def open_issue_source(repository: Repository) -> Iterator[IssueSource]:
    """The issues of ``repository``, for the length of the block.

    A corpus is served on loopback meanwhile, and asked without credentials; any other API gets
    those of the environment.
    """
    if repository.corpus is not None:
        corpus = read_corpus(repository.corpus, repository.name)
        with CorpusServer([corpus], limit=UNLIMITED) as server:
            yield from _source(repository, server.url, [])
        return
    yield from _source(repository, repository.github_url or GITHUB, credentials_of())


def check_token(repository: Repository) -> None:
    """PerfAssetsError when ``repository`` needs a token and there is none: before any work."""
    if repository.corpus is None:
        open_client(repository.github_url or GITHUB, credentials_of()).close()


def open_client(url: str, credentials: list[Credential]) -> GitHubClient:
    """A client that waits aloud, and as long as PERF_ASSETS_MAX_WAIT (minutes) allows."""
    text = os.environ.get(MAX_WAIT)
    patience = Patience()
    if text:
        try:
            patience = Patience(longest_wait=60 * float(text))
        except ValueError:
            raise PerfAssetsError(f"{MAX_WAIT}={text!r} is no number of minutes") from None
    return GitHubClient(url, credentials, on_wait=log.warning, patience=patience)


def _source(
    repository: Repository, url: str, credentials: list[Credential]
) -> Iterator[IssueSource]:
    client = open_client(url, credentials)
    try:
        yield IssueSource(client, repository.name)
    finally:
        client.close()
