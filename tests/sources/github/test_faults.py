"""Each rule of the table of faults, against a server that answers by it."""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from perf_assets.base.corpus import Corpus, read_corpus
from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.months import months_between
from perf_assets.sources.github.accounts import GitHubPolicy
from perf_assets.sources.github.client import GitHubClient
from perf_assets.sources.github.faults import RULES, UNKNOWN
from perf_assets.sources.github.issues import GitHubIssues
from perf_assets.sources.issues.batches import IssueBatch
from perf_assets.stand_ins.generator import generate
from perf_assets.stand_ins.github.server import CorpusServer
from perf_assets.stand_ins.reply import Reply
from tests.effort import IS_THOROUGH
from tests.github_errors import DEGRADED, FINAL, TRANSIENT, Example
from tests.github_stand_in import HASTY, assert_same, changes, load
from tests.stand_ins.tracker import RICH
from tests.unreliable_github import Faults, UnreliableGitHub

pytestmark = pytest.mark.slow

MONTHS = ["2021-01"]
YEARS = months_between("2020-01", "2021-03")
OLDEST = datetime(2000, 1, 1, tzinfo=UTC)
TOKEN = "ghp_canaryINERRORS"
SHORT = GitHubPolicy(
    attempts=4,
    first_pause=0.001,
    longest_pause=0.002,
    secondary_pause=0.01,
    reset_margin=0.01,
    longest_wait=1.0,
)


class Erring(CorpusServer):
    """Answers GraphQL queries by examples first, as long as there are any."""

    def __init__(self, examples: Iterator[Example]) -> None:
        super().__init__([RICH])
        self.examples = examples

    def answer(self, method: str, target: str, authorization: str, body: bytes) -> Reply:
        good = super().answer(method, target, authorization, body)
        example = next(self.examples, None) if target.endswith("graphql") else None
        return good if example is None else replace(example.reply(), content_type="text/html")


@pytest.fixture(scope="module")
def expected() -> object:
    with CorpusServer([RICH]) as server:
        return load(GitHubIssues(GitHubClient(server.url, TOKEN), "o/n"), MONTHS)


def test_every_rule_has_an_example() -> None:
    rules = {example.rule for example in (*TRANSIENT, *FINAL, *DEGRADED)}
    assert rules == {rule.name for rule in (*RULES, UNKNOWN)}


@pytest.mark.parametrize("example", TRANSIENT, ids=str)
def test_an_error_that_passes_is_waited_out(example: Example, expected: object) -> None:
    messages: list[str] = []
    with Erring(iter([example, example])) as server:
        client = GitHubClient(server.url, TOKEN, messages.append, SHORT)
        assert_same(load(GitHubIssues(client, "o/n"), MONTHS), expected)  # type: ignore[arg-type]
    assert not any(TOKEN in text for text in messages)


@pytest.mark.parametrize("example", FINAL, ids=str)
def test_an_error_that_lasts_ends_at_once_with_a_sentence(example: Example) -> None:
    with Erring(iter([example] * 99)) as server:
        client = GitHubClient(server.url, TOKEN, patience=SHORT)
        with pytest.raises(PerfAssetsError) as raised:
            GitHubIssues(client, "o/n").newest()
        requests = len(server.requests)
    sentence = str(raised.value)
    assert requests == 1
    assert sentence.isprintable() and TOKEN not in sentence
    assert re.search(r": [a-z]|'not found'", sentence), "it names no remedy"


@pytest.mark.parametrize("example", TRANSIENT, ids=str)
def test_an_error_that_does_not_pass_ends_with_a_sentence_in_the_end(example: Example) -> None:
    with Erring(iter([example] * 999)) as server:
        client = GitHubClient(server.url, TOKEN, patience=replace(SHORT, longest_wait=0.05))
        with pytest.raises(PerfAssetsError, match=r"run again (later|then), what was stored is"):
            GitHubIssues(client, "o/n").newest()


@pytest.fixture(scope="module")
def thousand(tmp_path_factory: pytest.TempPathFactory) -> tuple[Corpus, IssueBatch]:
    directory = tmp_path_factory.mktemp("corpora") / "corpus"
    generate(directory, seed=62, issues=1000, months=15, commits=20)
    corpus = read_corpus(directory)
    with CorpusServer([corpus]) as server:
        client = GitHubClient(server.url, TOKEN)
        return corpus, load(GitHubIssues(client, corpus.repository), YEARS)


@pytest.mark.parametrize("seed", range(100 if IS_THOROUGH else 2))
def test_a_thousand_issues_are_read_whole_whatever_passing_errors_come(
    thousand: tuple[Corpus, IssueBatch], seed: int
) -> None:
    corpus, expected = thousand
    plan = Faults(seed, 0.3, ("documented", "cut"), delay=0)
    with UnreliableGitHub([corpus], faults=plan) as server:
        client = GitHubClient(server.url, TOKEN, patience=HASTY)
        source = GitHubIssues(client, corpus.repository)
        assert_same(load(source, YEARS), expected)
        assert_same(changes(source, OLDEST).batch, expected)
        assert any(request.fault for request in server.requests)


def test_another_token_goes_on_where_one_is_spent(expected: object) -> None:
    waits: list[str] = []
    limit = next(example for example in TRANSIENT if example.rule == "the rate limit")
    with Erring(iter([limit])) as server:
        client = GitHubClient(server.url, "one,two", waits.append, replace(SHORT, longest_wait=0))
        assert_same(load(GitHubIssues(client, "o/n"), MONTHS), expected)  # type: ignore[arg-type]
    assert waits == []
