"""The hosts that issues are read from: each is a folder of ``sources``, with a module ``host``."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from importlib import import_module
from itertools import groupby
from operator import attrgetter
from typing import Protocol, TypeVarTuple, cast

from perf_assets.base.errors import PerfAssetsError
from perf_assets.config.repositories import Repository
from perf_assets.sources.issues.source import IssueSource
from perf_assets.sources.rate_limit import LONGEST_WAIT

Say = Callable[[str], None]
Ts = TypeVarTuple("Ts")


@dataclass(frozen=True)
class StoredMonths:
    """The months of a repository as they are stored before a run.

    marks : what each month that is stored whole was read up to.
    missing : those that a run loads.
    outdated : how many of these are stored, and lack fields.
    """

    marks: Mapping[str, datetime]
    missing: Sequence[str]
    outdated: int


class IssueHost(Protocol):
    """What the module ``host`` of a source gives."""

    def open_source(
        self, repository: Repository, longest_wait: float
    ) -> AbstractContextManager[IssueSource]:
        """Provide the issues of a repository; waits for a rate limit end after so many seconds."""

    def out_of_reach(self, repositories: Sequence[Repository]) -> dict[str, PerfAssetsError]:
        """Return the repositories whose API lets us not read at all, and why, by name."""

    def examine(
        self,
        repositories: Sequence[Repository],
        stored: Callable[[Repository], StoredMonths],
        say: Say,
    ) -> bool:
        """Report whether a run can read the repositories, and its cost; return whether it can.

        Raises PerfAssetsError where nothing can be said of any of them.
        """

    def cost_of(self, counts: Mapping[str, int]) -> str:
        """Return what reading months with so many issues costs, without a request; may be empty."""


def host_of(source: str) -> IssueHost:
    """Return the host of a kind, see ``config/hosts.py``; only those that are used are imported."""
    return cast(IssueHost, import_module(f"perf_assets.sources.{source}.host"))


def open_issue_source(
    repository: Repository, longest_wait: float = LONGEST_WAIT
) -> AbstractContextManager[IssueSource]:
    """Provide the issues of ``repository``; ``longest_wait`` is in seconds, for a rate limit."""
    return host_of(repository.source).open_source(repository, longest_wait)


def out_of_reach(repositories: Sequence[Repository]) -> dict[str, PerfAssetsError]:
    """Return the repositories whose API does not let us read, and why.

    Asked before any work, once for each API. What else may be wrong with it is reported when it is
    used in earnest.
    """
    return {
        name: trouble
        for host, theirs in by_host(repositories)
        for name, trouble in host.out_of_reach(theirs).items()
    }


def ask_each_api(
    repositories: Sequence[Repository],
    trouble_of: Callable[[Repository], PerfAssetsError | None],
) -> dict[str, PerfAssetsError]:
    """Return the repositories that ``trouble_of`` says something of, asked once for each API."""
    first = {repository.api: repository for repository in reversed(repositories)}
    troubles = {url: trouble_of(repository) for url, repository in first.items()}
    return {
        repository.name: trouble
        for repository in repositories
        if (trouble := troubles[repository.api]) is not None
    }


def by_host(repositories: Sequence[Repository]) -> Iterator[tuple[IssueHost, list[Repository]]]:
    """Yield the hosts of ``repositories``, each with its own."""
    source = attrgetter("source")
    for word, theirs in groupby(sorted(repositories, key=source), source):
        yield host_of(word), list(theirs)


def succeeds(say: Say, examine: Callable[[*Ts], bool | None], *arguments: *Ts) -> bool:
    """Examine something, and report why it fails; return whether it does not."""
    try:
        return examine(*arguments) is not False
    except PerfAssetsError as error:
        say(str(error))
        return False
