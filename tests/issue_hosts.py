"""The hosts of issues, each with its stand-in: what every source is tested against."""

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from perf_assets.base.corpus import Corpus
from perf_assets.config.repositories import Repository
from perf_assets.sources.bugzilla import issues as bugzilla_issues
from perf_assets.sources.github import issues as github_issues
from perf_assets.sources.gitlab import client as gitlab_client
from perf_assets.sources.issues import listing
from perf_assets.stand_ins.bugzilla.server import BugzillaServer
from perf_assets.stand_ins.github.server import CorpusServer
from perf_assets.stand_ins.gitlab.server import GitLabServer
from perf_assets.stand_ins.http_server import LoopbackServer
from perf_assets.stand_ins.reply import HTML_TYPE, Reply, message_reply


@dataclass(frozen=True)
class Host:
    """A kind of host.

    prefix : what the name of a corpus has before it in a study.
    server : makes the stand-in that serves corpora.
    small_pages : modules with the names of their sizes, and values so small that a few issues are
        several pages, stored in several goes.
    """

    source: str
    prefix: str
    server: Callable[[Iterable[Corpus]], Any]
    small_pages: Sequence[tuple[ModuleType, str, int]]

    def name_of(self, corpus: Corpus) -> str:
        """The name in a study of what ``corpus`` is there."""
        return f"{self.prefix}{corpus.repository}"

    def repository(self, corpus: Corpus, url: str, **keys: Any) -> Repository:
        """What a study says of ``corpus``, served at ``url``."""
        address = "github_url" if self.source == "github" else "api_url"
        given = {"name": self.name_of(corpus), "start": "2020-01", "git": "file:///nowhere"}
        return Repository(**{**given, "source": self.source, address: url, **keys})


HOSTS = {
    "github": Host(
        "github",
        "",
        lambda corpora: CorpusServer(corpora, limit=10**9),
        [(github_issues, "PAGE", 2), (github_issues, "HELD_ISSUES", 4)],
    ),
    "gitlab": Host(
        "gitlab",
        "gitlab.example.org/",
        GitLabServer,
        [(gitlab_client, "PER_PAGE", 2), (listing, "HELD_ISSUES", 4)],
    ),
    "bugzilla": Host(
        "bugzilla",
        "bugzilla.example.org/",
        BugzillaServer,
        [(bugzilla_issues, "PAGE", 2), (listing, "HELD_ISSUES", 4)],
    ),
}


def all_hosts(few: int = len(HOSTS)) -> Sequence[Host]:
    """The hosts that tests go through."""
    return list(HOSTS.values())[:few]


def unreliable(server: LoopbackServer, seed: int, rate: float = 0.2) -> LoopbackServer:
    """Let ``rate`` of the answers of ``server`` go wrong, never three in a row."""
    chance = random.Random(seed)
    in_a_row = 0
    answer = server.answer

    def faulty(method: str, target: str, authorization: str, body: bytes) -> Reply:
        nonlocal in_a_row
        if in_a_row >= 2 or chance.random() >= rate:
            in_a_row = 0
            return answer(method, target, authorization, body)
        in_a_row += 1
        return chance.choice(_FAULTS)(lambda: answer(method, target, authorization, body))

    server.answer = faulty  # type: ignore[method-assign]
    return server


_FAULTS: Sequence[Callable[[Callable[[], Reply]], Reply]] = (
    lambda _: message_reply(500, "Internal Server Error"),
    lambda _: Reply(502, b"<html><h1>Bad Gateway</h1></html>", content_type=HTML_TYPE),
    lambda _: message_reply(503, "Service Unavailable", {"Retry-After": "0"}),
    lambda _: message_reply(429, "Too Many Requests", {"Retry-After": "0"}),
    lambda _: Reply(200, b""),
    lambda _: Reply(200, b"<html>maintenance</html>", content_type=HTML_TYPE),
    lambda right: Reply(200, right().body, is_cut=True),
    lambda right: Reply(200, right().body[:-7]),
)
