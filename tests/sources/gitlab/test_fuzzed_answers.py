"""Answers spoiled by chance end in right rows, or in one plain sentence."""

import json
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.months import is_month
from perf_assets.sources.gitlab.client import GitLabClient
from perf_assets.sources.gitlab.issues import GitLabIssues
from perf_assets.sources.issues.batches import IssueBatch, joined
from perf_assets.sources.rate_limit import RequestPolicy
from perf_assets.stand_ins.gitlab.server import GitLabServer, Request
from perf_assets.stand_ins.reply import Reply
from tests.answer_fuzzing import CANARY, NUMBERS, OF_TYPE, OTHERS, TEXTS
from tests.effort import IS_THOROUGH
from tests.github_stand_in import load
from tests.sources.gitlab.reading import repository_of
from tests.stand_ins.tracker import RICH

pytestmark = pytest.mark.slow

NUMBER = 1_500 if IS_THOROUGH else 100
HASTE = RequestPolicy(attempts=2, first_pause=0.0, longest_pause=0.0, longest_wait=0.0)
OLDEST = datetime(2000, 1, 1, tzinfo=UTC)
MONTH = ["2021-01"]
VALUES = (*TEXTS, *NUMBERS, *OTHERS, *(value for kind in OF_TYPE.values() for value in kind))
LONGEST_SENTENCE = 700
MOST_REQUESTS = 3_000
KEYS = {
    "issues": ["number"],
    "comments": ["number", "comment_id"],
    "events": ["number", "event_id"],
    "pull_requests": ["number", "pull_request_repository", "pull_request", "relation"],
    "gaps": ["month", "subject", "entity", "lacks", "kind"],
}


class Spoiling(GitLabServer):
    """Answers with one value or header of some answers spoiled, by a seed."""

    def spoil(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.requests.clear()

    def respond(self, log: Request) -> Reply:
        good = super().respond(log)
        if self.chance.random() > 0.2:
            return good
        if self.chance.random() < 0.1:
            name = self.chance.choice(["X-Next-Page", "X-Total", "Retry-After"])
            text = self.chance.choice(["", "-1", "9" * 30, "x", "1"])
            return replace(good, headers={**good.headers, name: text})
        content = json.loads(good.body)
        places = list(_places(content))
        if places:
            holder, key = self.chance.choice(places)
            if self.chance.random() < 0.2:
                del holder[key]
            else:
                holder[key] = self.chance.choice(VALUES)
        body = json.dumps(content).encode() if places else json.dumps(self.chance.choice(VALUES))
        return replace(good, body=body if isinstance(body, bytes) else body.encode())


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    entries = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in list(entries):
        yield value, key
        if isinstance(inner, dict | list):
            yield from _places(inner)


def assert_right(batch: IssueBatch) -> None:
    for part, frame in vars(batch).items():
        assert not frame.select(KEYS[part]).is_duplicated().any(), part
        assert all(is_month(month) for month in frame["month"].drop_nulls()), part
    issues = batch.issues
    closed = issues.filter(state="closed")
    assert set(issues["state"]) <= {"open", "closed"}
    assert closed["closed_at"].null_count() == 0
    assert (closed["closed_at"] >= closed["created_at"]).all()
    assert issues.filter(state="open")["closed_at"].null_count() == issues.height - closed.height
    for part in ("comments", "events", "pull_requests"):
        assert set(getattr(batch, part)["number"]) <= set(issues["number"])
    assert set(batch.events["event"]) <= {
        *("closed", "reopened", "labeled", "unlabeled", "renamed", "transferred"),
        "marked_as_duplicate",
    }
    assert all(
        name is None or name.startswith("gitlab.com/")
        for column in ("closer_repository", "from_repository", "canonical_repository")
        for name in batch.events[column]
    )


def test_a_spoiled_answer_ends_in_right_rows_or_one_plain_sentence(
    capsys: pytest.CaptureFixture[str],
) -> None:
    ends: Counter[str] = Counter()
    with Spoiling([RICH]) as server:
        repository = repository_of("o/n", server.url)
        for seed in range(NUMBER):
            server.spoil(seed)
            client = GitLabClient(
                server.url, repository.name, print, HASTE, ("PRIVATE-TOKEN", CANARY, "GITLAB_TOKEN")
            )
            source = GitLabIssues(client, repository)
            try:
                assert_right(load(source, MONTH))
                pages = list(source.iter_changes(OLDEST, [MONTH]))
                assert_right(joined([page.batch for page in pages]))
                source.find_removed([1, 77])
                source.newest()
                ends["rows"] += 1
            except PerfAssetsError as error:
                sentence = str(error)
                assert sentence.isprintable() and len(sentence) < LONGEST_SENTENCE, sentence
                ends["sentence"] += 1
            finally:
                client.close()
            assert len(server.requests) < MOST_REQUESTS
    with capsys.disabled():
        print(f"\n{dict(ends)}")
    assert ends["rows"] and ends["sentence"]
