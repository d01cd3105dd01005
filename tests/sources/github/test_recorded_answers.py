"""Answers of GitHub that public repositories recorded: the client reads or explains all."""

import json
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import github
import pytest

from perf_assets.base.corpus import Corpus, read_corpus
from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.repository_names import is_repository_name, repository_of_commit
from perf_assets.sources.github.accounts import GitHubPolicy
from perf_assets.sources.github.client import GitHubClient
from perf_assets.sources.github.issues import GitHubIssues
from perf_assets.sources.github.transport import Answer
from perf_assets.sources.issues.batches import IssueBatch
from perf_assets.stand_ins.github.server import CorpusServer
from perf_assets.stand_ins.github.tracker import TIMELINE_TYPES
from tests.github_stand_in import load
from tests.sources.github.recordings import (
    KINDS,
    SOURCES,
    VARIABLE,
    Recording,
    Tracker,
    material,
    recordings,
    trackers,
)
from tests.stand_ins.tracker import RICH

TOKEN = "t0ken-canary"
UNLIMITED = 10**9
AT_ONCE = GitHubPolicy(
    attempts=3,
    first_pause=0.0,
    longest_pause=0.0,
    secondary_pause=0.0,
    reset_margin=0.0,
    longest_wait=0.0,
    longest_trouble=20.0,
)

pytestmark = pytest.mark.slow


@pytest.fixture(params=SOURCES)
def source(request: pytest.FixtureRequest) -> str:
    """The repository with recordings; the test is skipped where it was not fetched."""
    if material(request.param) is None:
        pytest.skip(f"{request.param} was not fetched: set {VARIABLE} to a directory that has it")
    return request.param


def test_reads_every_recorded_record_or_counts_why_not(
    source: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recorded = trackers(recordings(source))
    assert recorded, "no record was found"
    read: Counter[str] = Counter()
    left_out: Counter[tuple[str, str]] = Counter()
    corpora: list[tuple[Tracker, Corpus]] = []
    for index, (repository, tracker) in enumerate(sorted(recorded.items())):
        directory = tmp_path / str(index)
        stand_ins = tracker.write(directory)
        if not is_repository_name(repository):
            left_out["repositories", f"{repository} is not a repository name"] += 1
            continue
        corpus = read_corpus(directory, repository)
        corpora.append((tracker, corpus))
        usable = {
            "issues": len(corpus.issues),
            "comments": sum(map(len, corpus.comments.values())),
            "events": sum(event["id"] > 0 for each in corpus.events.values() for event in each),
            "pulls": len(corpus.pulls),
        }
        for kind in KINDS:
            aside = sum(entry.count for entry in corpus.set_aside if entry.kind == kind)
            total = len(tracker.records[kind]) + (stand_ins if kind == "issues" else 0)
            assert usable[kind] + aside == total, (repository, kind)
        left_out.update({(e.kind, e.reason): e.count for e in corpus.set_aside})
        read.update(usable)
        read["stand-ins"] += stand_ins
        read["closed by commits elsewhere"] += sum(
            (repository_of_commit(event.get("commit_url")) or repository).casefold()
            != repository.casefold()
            for events in corpus.events.values()
            for event in events
            if event["event"] == "closed" and event.get("commit_id")
        )
    with CorpusServer([corpus for _, corpus in corpora], limit=UNLIMITED) as server:
        client = GitHubClient(server.url, TOKEN)
        for tracker, corpus in corpora:
            if corpus.issues:
                check(batch_of(client, corpus), corpus, tracker)
        client.close()
    with capsys.disabled():
        total = {kind: sum(len(t.records[kind]) for t in recorded.values()) for kind in KINDS}
        print(f"\n{source}: {len(recorded)} repositories, recorded {total}, usable {dict(read)}")
        for (kind, reason), count in left_out.most_common():
            print(f"  set aside {count} {kind}: {reason}")


def batch_of(client: GitHubClient, corpus: Corpus) -> IssueBatch:
    months = sorted({issue["created_at"][:7] for issue in corpus.issues.values()})
    return load(GitHubIssues(client, corpus.repository), months)


def check(batch: IssueBatch, corpus: Corpus, tracker: Tracker) -> None:
    """Compare what was read with the newest record of each issue, as GitHub sent it."""
    sent: dict[int, dict] = {}
    for record in tracker.records["issues"]:
        number, updated = record["number"], record.get("updated_at") or ""
        if any((record.get("pull_request") or {}).values()):
            continue
        if number in corpus.issues and updated > sent.get(number, {}).get("updated_at", ""):
            sent[number] = record
    rows = {row["number"]: row for row in batch.issues.rows(named=True)}
    endless = {  # closed without a time: the client counts them, no table has them
        number
        for number, issue in corpus.issues.items()
        if issue["state"] == "closed" and issue["closed_at"] is None
    }
    assert rows.keys() == corpus.issues.keys() - endless
    assert sent.keys() <= corpus.issues.keys()
    for number, record in sent.items():
        if number in endless:
            continue
        row = rows[number]
        assert row["title"] == record["title"]
        assert row["state"].lower() == record["state"]
        for key in ("created_at", "updated_at"):
            assert row[key] == datetime.fromisoformat(record[key])
        if record["state"] == "open":
            assert row["closed_at"] is None
        elif record["closed_at"] is not None:
            assert row["closed_at"] == datetime.fromisoformat(record["closed_at"])
    assert set(batch.comments["comment_id"]) == {
        comment["id"] for comments in corpus.comments.values() for comment in comments
    }
    known_events = [
        event
        for events in corpus.events.values()
        for event in events
        if event["event"] in TIMELINE_TYPES
    ]
    assert batch.events.height == len(known_events)
    closed_by = {
        (event["commit_id"], repository_of_commit(event.get("commit_url")) or corpus.repository)
        for event in known_events
        if event["event"] == "closed" and event.get("commit_id")
    }
    found = batch.events.drop_nulls("commit_sha").select("commit_sha", "closer_repository").rows()
    assert {(sha, name.casefold()) for sha, name in found} == {
        (sha, name.casefold()) for sha, name in closed_by
    }


def errors(source: str) -> Iterator[Recording]:
    """Yield the recorded answers that are not good answers to a query of ours."""
    for answer in recordings(source):
        if answer.status >= 300 or answer.is_graphql:
            yield answer


def outcome(server: CorpusServer, recorded: Recording) -> str:
    """Replay an answer, then good ones; return the sentence of the end, or "went on"."""
    answers = iter([Answer(recorded.status, recorded.headers, recorded.text)])

    def send(_: github.Github, verb: str, path: str, content: object) -> Answer:
        first = next(answers, None)
        if first is not None:
            return first
        body = json.dumps(content).encode()
        reply = server.answer(verb, "/graphql", f"token {TOKEN}", body)
        return Answer(reply.status, {}, reply.body.decode())

    messages: list[str] = []
    client = GitHubClient("http://127.0.0.1", TOKEN, messages.append, AT_ONCE, send)
    try:
        GitHubIssues(client, RICH.repository).newest()
    except PerfAssetsError as error:
        messages.append(str(error))
        end = str(error)
    else:
        end = "went on"
    finally:
        client.close()
    for message in messages:
        assert message.isprintable()
        assert 0 < len(message) <= 600
        assert TOKEN not in message
    return end


def test_explains_every_recorded_error_or_goes_on(
    source: str, capsys: pytest.CaptureFixture[str]
) -> None:
    ends: Counter[tuple[int, str, str]] = Counter()
    server = CorpusServer([RICH], limit=UNLIMITED)
    for recorded in errors(source):
        try:
            end = outcome(server, recorded)
        except Exception as error:
            raise AssertionError(f"{recorded}: {type(error).__name__}: {error}") from error
        ends[recorded.status, "graphql" if recorded.is_graphql else "rest", end] += 1
    with capsys.disabled():
        print(f"\n{source}: {sum(ends.values())} answers replayed")
        for (status, interface, end), count in sorted(ends.items()):
            print(f"  {count} of HTTP {status} ({interface}): {end}")
