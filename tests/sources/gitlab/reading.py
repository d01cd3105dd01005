"""Reading from a stand-in for GitLab: hastily, whole, and with faults."""

import random
from collections.abc import Iterable
from dataclasses import replace

from perf_assets.base.corpus import Corpus
from perf_assets.config.repositories import Repository
from perf_assets.sources.gitlab.client import GitLabClient
from perf_assets.sources.gitlab.issues import GitLabIssues
from perf_assets.sources.rate_limit import RequestPolicy
from perf_assets.stand_ins.gitlab.server import GitLabServer, Request
from perf_assets.stand_ins.reply import HTML_TYPE, Reply, json_reply

HASTY = RequestPolicy(attempts=6, first_pause=0.001, longest_pause=0.002, longest_wait=3.0)


def repository_of(name: str, url: str) -> Repository:
    return Repository(name=f"gitlab.com/{name}", start="2020-01", api_url=url)


def source_of(server: GitLabServer, name: str, patience: RequestPolicy = HASTY) -> GitLabIssues:
    repository = repository_of(name, server.url)
    client = GitLabClient(server.url, repository.name, lambda _: None, patience)
    return GitLabIssues(client, repository)


class Unreliable(GitLabServer):
    """Answers wrongly at a rate, by a seed; never more than three times in a row."""

    def __init__(self, corpora: Iterable[Corpus], seed: int, rate: float = 0.3) -> None:
        super().__init__(corpora)
        self.chance, self.rate = random.Random(seed), rate
        self.in_a_row = self.faults = 0

    def respond(self, log: Request) -> Reply:
        if self.in_a_row == 3 or self.chance.random() >= self.rate:
            self.in_a_row = 0
            return super().respond(log)
        self.in_a_row += 1
        self.faults += 1
        fault = self.chance.choice(FAULTS)
        return fault if isinstance(fault, Reply) else replace(super().respond(log), is_cut=True)


FAULTS = (
    "cut",
    json_reply(500, {"message": "500 Internal Server Error"}),
    Reply(502, b"<html>GitLab is not responding</html>", content_type=HTML_TYPE),
    json_reply(503, {"message": "busy"}, {"Retry-After": "0"}),
    Reply(429, b"Retry later\n", {"Retry-After": "0"}, "text/plain"),
    Reply(200, b"<html>Deploy in progress</html>", content_type=HTML_TYPE),
    Reply(200, b'[{"iid": 1,'),
    json_reply(200, None),
    json_reply(200, {"message": "null where a list should be"}),
)
