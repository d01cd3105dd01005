"""Reading from a stand-in for Bugzilla on loopback: hastily, whole, and compared."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace

from perf_assets.base.corpus import Corpus
from perf_assets.config.repositories import Repository
from perf_assets.sources.bugzilla.host import open_client
from perf_assets.sources.bugzilla.issues import BugzillaIssues
from perf_assets.sources.rate_limit import RequestPolicy

HOST = "bugs.example.org"
HASTY = RequestPolicy(attempts=6, first_pause=0.001, longest_pause=0.002, longest_wait=60)


def repository(url: str, name: str = "o/n") -> Repository:
    return Repository(
        name=f"{HOST}/{name}",
        source="bugzilla",
        api_url=url,
        git="https://example.org/code.git",
        start="2020-01",
    )


@contextmanager
def source(
    url: str, name: str = "o/n", patience: RequestPolicy = HASTY
) -> Iterator[BugzillaIssues]:
    entry = repository(url, name)
    with closing(open_client(entry, 1.0, patience)) as client:
        yield BugzillaIssues(client, entry)


def changed(corpus: Corpus, number: int, **more: object) -> Corpus:
    """The corpus with other values of an issue."""
    issues = {**corpus.issues, number: {**corpus.issues[number], **more}}
    return replace(corpus, issues=issues)
