"""A Bugzilla whose answers are wrong now and then, or for good."""

import json
import random
from collections.abc import Callable
from dataclasses import replace

import pytest

from perf_assets.base.corpus import Corpus, read_corpus
from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.months import months_between
from perf_assets.sources.bugzilla.host import out_of_reach
from perf_assets.stand_ins.bugzilla.server import BugzillaServer, error_reply
from perf_assets.stand_ins.generator import generate
from perf_assets.stand_ins.reply import HTML_TYPE, Reply
from tests.github_stand_in import assert_same, changes, load
from tests.sources.bugzilla.reading import HASTY, repository, source
from tests.stand_ins.tracker import RICH

MONTHS = months_between("2020-01", "2021-06")
KEY = "canary-key-in-errors"
PAGE = b"<html><body>Bugzilla is down</body></html>"
WAIT = {"Retry-After": "1"}

Spoil = Callable[[Reply], Reply]


def without_lists(reply: Reply) -> Reply:
    content = json.loads(reply.body)
    empty = {
        key: None if isinstance(value, list | dict) else value for key, value in content.items()
    }
    return replace(reply, body=json.dumps(empty).encode())


def reversed_lists(reply: Reply) -> Reply:
    content = json.loads(reply.body)
    bugs = content.get("bugs")
    if not isinstance(bugs, list) or len(bugs) < 2:
        return Reply(500, b"")
    return replace(reply, body=json.dumps({**content, "bugs": bugs[::-1]}).encode())


FAULTS: dict[str, Spoil] = {
    "internal error": lambda _: error_reply(500, -32000, "DBD::mysql::st execute failed"),
    "fatal error with HTTP 200": lambda _: error_reply(200, -32000, "DBD::mysql::st failed"),
    "search timeout": lambda _: error_reply(400, 1001, "Your query took too long."),
    "bad gateway": lambda _: Reply(502, PAGE, content_type=HTML_TYPE),
    "a page with HTTP 200": lambda _: Reply(200, PAGE, content_type=HTML_TYPE),
    "cut": lambda reply: replace(reply, is_cut=True),
    "half of the JSON": lambda reply: replace(reply, body=reply.body[: len(reply.body) // 2]),
    "null": lambda _: Reply(200, b"null"),
    "a list": lambda _: Reply(200, b"[]"),
    "null where a list should be": without_lists,
    "another order": reversed_lists,
}
LIMITS: dict[str, Spoil] = {
    "too many requests": lambda _: Reply(429, b"", WAIT),
    "unavailable": lambda _: Reply(503, PAGE, WAIT, HTML_TYPE),
}


class Unreliable(BugzillaServer):
    """Spoils a part of its answers by ``faults``, in the order of a seed."""

    def __init__(self, corpora: list[Corpus], faults: list[Spoil], seed: int, share: float) -> None:
        super().__init__(corpora, is_fork=seed % 2 == 0)
        self.faults, self.share, self.spoilt = faults, share, 0
        self.chance = random.Random(seed)

    def answer(self, method: str, target: str, authorization: str, body: bytes) -> Reply:
        reply = super().answer(method, target, authorization, body)
        if self.chance.random() >= self.share or reply.status != 200:
            return reply
        self.spoilt += 1
        return self.chance.choice(self.faults)(reply)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    directory = tmp_path_factory.mktemp("corpora") / "corpus"
    generate(directory, seed=7, issues=300, months=15, commits=20)
    return read_corpus(directory)


def reads_the_same(world: Corpus, seed: int) -> None:
    name = world.repository
    good = BugzillaServer([world], is_fork=seed % 2 == 0)
    with good, source(good.url, name) as issues:
        expected = load(issues, MONTHS)
    bad = Unreliable([world], list(FAULTS.values()), seed, 0.3)
    with bad, source(bad.url, name, replace(HASTY, attempts=12)) as issues:
        assert_same(load(issues, MONTHS), expected)
        assert_same(changes(issues).batch, expected)
    assert bad.spoilt


@pytest.mark.parametrize("seed", range(5))
def test_passing_faults_change_no_row(world: Corpus, seed: int) -> None:
    reads_the_same(world, seed)


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", range(5, 50))
def test_passing_faults_change_no_row_whatever_their_order(world: Corpus, seed: int) -> None:
    reads_the_same(world, seed)


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("is_fork", [True, False])
def test_lasting_faults_end_with_a_sentence(
    fault: str, monkeypatch: pytest.MonkeyPatch, *, is_fork: bool
) -> None:
    monkeypatch.setenv("BUGZILLA_API_KEY_127_0_0_1", KEY)
    with (
        Unreliable([RICH], [FAULTS[fault]], not is_fork, 1) as server,
        source(server.url) as issues,
    ):
        for read in (lambda: load(issues, ["2021-01"]), lambda: changes(issues)):
            with pytest.raises(PerfAssetsError) as raised:
                read()
            sentence = str(raised.value)
            assert sentence.isprintable()
            assert KEY not in sentence
            assert "what was stored is kept" in sentence


@pytest.mark.parametrize("limit", LIMITS)
def test_a_limit_is_waited_for(limit: str) -> None:
    with BugzillaServer([RICH], is_fork=False) as server, source(server.url) as issues:
        expected = load(issues, ["2021-01"])
    with Unreliable([RICH], [LIMITS[limit]], 1, 0.5) as server, source(server.url) as issues:
        assert_same(load(issues, ["2021-01"]), expected)
    assert server.spoilt


def first_refusal(_: Reply) -> Reply:
    return error_reply(400, 32000, "You have exceeded the rate limit.")


@pytest.mark.parametrize("limit", [*LIMITS.values(), first_refusal])
def test_a_limit_that_lasts_ends_with_a_sentence(limit: Spoil) -> None:
    server = Unreliable([RICH], [limit], 0, 1)
    with (
        server,
        source(server.url, patience=replace(HASTY, longest_wait=0.5)) as issues,
        pytest.raises(PerfAssetsError, match="longer than --max-wait allows"),
    ):
        issues.newest()


class Repeating(BugzillaServer):
    """Answers each search for a page with the first page."""

    first: Reply | None = None

    def answer(self, method: str, target: str, authorization: str, body: bytes) -> Reply:
        reply = super().answer(method, target, authorization, body)
        if "comments.id" in target:
            self.first = self.first or reply
            return self.first
        return reply


class Endless(BugzillaServer):
    """Has a page more, whatever is asked for."""

    def answer(self, method: str, target: str, authorization: str, body: bytes) -> Reply:
        reply = super().answer(method, target, authorization, body)
        bugs = json.loads(reply.body).get("bugs", [])
        if len(bugs) != 100:
            return reply
        return replace(reply, body=json.dumps({"bugs": bugs * 2}).encode())


@pytest.mark.parametrize("kind", [Repeating, Endless])
def test_a_list_that_does_not_go_on_ends_with_a_sentence(
    world: Corpus, kind: type[BugzillaServer]
) -> None:
    with (
        kind([world]) as server,
        source(server.url, world.repository) as issues,
        pytest.raises(PerfAssetsError, match="a page of the list of bugs"),
    ):
        changes(issues)


class Lacking(BugzillaServer):
    """Lacks the comments of one bug, so often."""

    times: int

    def answer(self, method: str, target: str, authorization: str, body: bytes) -> Reply:
        reply = super().answer(method, target, authorization, body)
        if "/comment" not in target or not self.times:
            return reply
        self.times -= 1
        content = json.loads(reply.body)
        content["bugs"]["1"] = {"comments": None}
        return replace(reply, body=json.dumps(content).encode())


def test_comments_that_an_answer_lacks_are_requested_again() -> None:
    with BugzillaServer([RICH], is_fork=False) as server, source(server.url) as issues:
        expected = load(issues, ["2021-01"])
    with Lacking([RICH], is_fork=False) as server, source(server.url) as issues:
        server.times = 1
        assert_same(load(issues, ["2021-01"]), expected)


def test_a_bug_without_its_comments_is_set_aside() -> None:
    with Lacking([RICH], is_fork=False) as server, source(server.url) as issues:
        server.times = 99
        batch = load(issues, ["2021-01"])
        assert batch.known_issues == issues.counts(["2021-01"])["2021-01"]
    assert batch.gaps["subject"].to_list() == ["#1"]
    assert batch.gaps["reason"].to_list() == ["the answers lack its comments or its history"]


def test_a_refused_key_is_reported_once_for_each_api(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BUGZILLA_API_KEY_127_0_0_1", KEY)
    message = f"The API key {KEY} you specified is invalid."
    with Unreliable([RICH], [lambda _: error_reply(400, 306, message)], 0, 1) as server:
        entries = [repository(server.url), repository(server.url, "o/m")]
        troubles = out_of_reach(entries)
        requests = len(server.requests)
    assert list(troubles) == [entry.name for entry in entries]
    sentence = str(troubles[entries[0].name])
    assert "error 306: The API key *** you specified is invalid" in sentence
    assert requests == 1
