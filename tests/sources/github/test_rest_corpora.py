"""Records of GitHub's REST interface, served on loopback and read as from GitHub."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from perf_assets.base.corpus import Record, read_corpus
from perf_assets.sources.github.client import GitHubClient
from perf_assets.sources.github.issues import GitHubIssues
from perf_assets.sources.issues.batches import IssueBatch
from perf_assets.stand_ins.github.server import CorpusServer
from tests.github_stand_in import load

SHA = "ab" * 20
ISSUE = {
    "number": 7,
    "title": "Slow",
    "state": "closed",
    "created_at": "2021-01-31T23:59:59Z",
    "updated_at": "2021-02-01T00:00:00Z",
    "closed_at": "2021-02-01T00:00:00Z",
}
CLOSED = {
    "id": 1,
    "issue_number": 7,
    "event": "closed",
    "actor": {"login": "ann"},
    "created_at": "2021-02-01T00:00:00Z",
    "commit_id": SHA,
}


def read(directory: Path, repository: str = "o/n", **files: list[Record]) -> IssueBatch:
    """Write a corpus, serve it, and read its issues of January 2021."""
    for name, records in ({"issues": [ISSUE], "comments": []} | files).items():
        lines = "".join(f"{json.dumps(record)}\n" for record in records)
        (directory / f"{name}.jsonl").write_text(lines)
    with CorpusServer([read_corpus(directory, repository)]) as server:
        return load(GitHubIssues(GitHubClient(server.url, "t0ken"), repository), ["2021-01"])


@pytest.mark.parametrize(
    ("address", "repository"),
    [
        (f"https://api.github.com/repos/fork/n/commits/{SHA}", "fork/n"),
        (f"https://api.github.com/repos/mona_octo/n/commits/{SHA}", "mona_octo/n"),
        (f"https://git.example.org/api/v3/repos/fork/n/commits/{SHA}", "fork/n"),
        (f"https://api.github.com/repos/o/n/commits/{SHA}", "o/n"),
        (f"https://api.github.com/repos/O/N/commits/{SHA}", "o/n"),
        (None, "o/n"),
    ],
)
def test_a_closing_commit_belongs_to_the_repository_of_its_address(
    tmp_path: Path, address: str | None, repository: str
) -> None:
    events = read(tmp_path, events=[CLOSED | {"commit_url": address}]).events
    assert events.select("commit_sha", "closer_repository").rows() == [(SHA, repository)]


def test_a_closed_event_without_a_commit_has_no_closer(tmp_path: Path) -> None:
    events = read(tmp_path, events=[CLOSED | {"commit_id": None, "commit_url": None}]).events
    assert events.select("event", "commit_sha", "closer_repository").rows() == [
        ("closed", None, None)
    ]


@pytest.mark.parametrize(
    "more",
    [
        {"pull_request": None},
        {"pull_request": {"html_url": None, "diff_url": None, "patch_url": None}},
        {"labels": ["bug", {"name": "slow"}]},
        {"user": {}, "labels": None, "milestone": None, "reactions": None},
        {"state_reason": "duplicate", "locked": True, "active_lock_reason": "spam"},
        {"type": {"name": "Bug"}, "sub_issues_summary": {"total": 1}},
        {"state": "open"},
    ],
)
def test_reads_issues_of_all_years(tmp_path: Path, more: dict[str, Any]) -> None:
    (row,) = read(tmp_path, issues=[ISSUE | more]).issues.rows(named=True)
    assert (row["number"], row["title"]) == (7, "Slow")


def test_takes_a_missing_closing_time_from_the_closed_event(tmp_path: Path) -> None:
    batch = read(tmp_path, issues=[ISSUE | {"closed_at": None}], events=[CLOSED])
    assert batch.issues["closed_at"].to_list() == [datetime(2021, 2, 1, tzinfo=UTC)]


def test_reads_a_repository_of_a_managed_user(tmp_path: Path) -> None:
    assert read(tmp_path, repository="mona-cat_octo/n").issues["number"].to_list() == [7]
