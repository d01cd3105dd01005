"""Which pull requests GitHub relates to an issue: asked for with the issue, stored with it."""

from typing import Any

from perf_assets.base.corpus import Corpus, Record
from perf_assets.sources.github.client import GitHubClient
from perf_assets.sources.github.issues import GitHubIssues
from perf_assets.sources.issues.batches import IssueBatch
from perf_assets.stand_ins.github.server import CorpusServer

DAY = "2020-05-03T10:00:00Z"
SHA, OTHER_SHA = "a" * 40, "b" * 40


def issue(number: int) -> Record:
    return {
        "number": number,
        "title": f"Issue {number}",
        "body": None,
        "user": {"login": "a"},
        "state": "closed",
        "created_at": DAY,
        "closed_at": DAY,
        "updated_at": DAY,
        "labels": [],
        "comments": 0,
    }


def pull(number: int, *, merged: bool = True, **changes: Any) -> Record:
    row = {
        "number": number,
        "title": "Mend it",
        "user": {"login": "a"},
        "state": "closed",
        "created_at": DAY,
        "closed_at": DAY,
        "updated_at": DAY,
        "merged_at": DAY if merged else None,
        "merge_commit_sha": SHA,
    }
    return {**row, **changes}


def closed(number: int, /, **closer: Any) -> Record:
    return {
        "id": number,
        "issue_number": number,
        "event": "closed",
        "actor": None,
        "created_at": DAY,
        "closer": {"type": "pull_request", **closer},
    }


def read(*pulls: Record, events: dict[int, list[Record]], issues: int = 3) -> IssueBatch:
    numbers = range(1, issues + 1)
    corpus = Corpus(
        "o/n", {n: issue(n) for n in numbers}, {}, events, {pull["number"]: pull for pull in pulls}
    )
    with CorpusServer([corpus]) as server:
        source = GitHubIssues(GitHubClient(server.url, "t0ken"), "o/n")
        ((_, batch),) = source.cohorts(source.counts(["2020-05"]))
        assert len(server.requests) == 2 + (len(pulls) > 3)
    return batch


def test_closers_and_linked_pull_requests_come_with_the_issues_at_no_request() -> None:
    batch = read(
        pull(90, commits=4),
        pull(91, merged=False, closes=[2]),
        events={1: [closed(1, number=90)], 3: [closed(3, number=7, repository="x/fork")]},
    )
    columns = ["number", "pull_request_repository", "pull_request", "relation"]
    columns += ["is_merged", "merge_commit_sha", "commits", "month"]
    assert batch.pull_requests.select(columns).rows() == [
        (1, "o/n", 90, "closer", True, SHA, 4, "2020-05"),
        (1, "o/n", 90, "linked", True, SHA, 4, "2020-05"),
        (2, "o/n", 91, "linked", False, None, 0, "2020-05"),
        (3, "x/fork", 7, "closer", False, None, None, "2020-05"),
    ]


def test_more_linked_pull_requests_than_come_with_an_issue_are_all_read() -> None:
    pulls = [pull(number, closes=[2]) for number in range(50, 60)]
    found = read(*pulls, events={}).pull_requests
    assert found["pull_request"].to_list() == list(range(50, 60))
