"""GitHub's limits: budgets, several tokens, an App, heavy pages, and reading ahead."""

import time
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from hypothesis import given
from hypothesis import strategies as st

from perf_assets.base.corpus import Corpus, read_corpus
from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.months import months_between
from perf_assets.sources import rate_limit
from perf_assets.sources.github import issues, long_lists
from perf_assets.sources.github.accounts import POINTS_PER_HOUR, Accounts, GitHubPolicy
from perf_assets.sources.github.client import GitHubClient
from perf_assets.sources.github.credentials import credentials_of, token_credentials
from perf_assets.sources.github.issues import PAGE_POINTS, GitHubIssues
from perf_assets.sources.github.prefetch import Job, in_order
from perf_assets.sources.rate_limit import LONGEST_WAIT, wait_in_seconds
from perf_assets.stand_ins.generator import generate
from perf_assets.stand_ins.github.server import CorpusServer
from tests.effort import SEEDS
from tests.github_stand_in import HASTY, assert_same, changes, load
from tests.unreliable_github import KINDS, Faults, GitHubApp, UnreliableGitHub

pytestmark = pytest.mark.slow

NAME = "sample-lab/tensorkit"
MONTHS = months_between("2020-01", "2021-03")
CANARIES = ("ghp_canaryONE", "ghp_canaryTWO", "ghp_canaryTHREE")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("corpora") / "corpus"
    generate(directory, seed=3, issues=500, months=15, commits=20)
    return directory


@pytest.fixture(scope="module")
def corpus(folder: Path) -> Corpus:
    return read_corpus(folder)


def source(server: CorpusServer, tokens: str = "a", *waits: Callable[[str], None]) -> GitHubIssues:
    return GitHubIssues(GitHubClient(server.url, tokens, *waits, patience=HASTY), NAME)


def test_tokens_share_the_work_by_what_is_left_of_their_budgets(corpus: Corpus) -> None:
    with UnreliableGitHub([corpus], token=("a", "b", "c"), limit=200) as server:
        shared = source(server, "a, b,c")
        load(shared, MONTHS)
        left = [account.remaining for account in shared.client.accounts.all]
        # Two requests at once, whose answers may come in either order.
        assert 0 <= sum(left) - (600 - server.points) <= 2 * PAGE_POINTS
        assert max(left) - min(left) <= 2 * PAGE_POINTS


def test_what_requests_under_way_may_cost_is_left_to_them(corpus: Corpus) -> None:
    with CorpusServer([corpus]) as server:
        accounts = source(server, "a,b").client.accounts
    accounts.usual_cost = 30
    rich, poor = accounts.all
    rich.remaining, poor.remaining = 133, 100
    with accounts.borrow() as first, accounts.borrow() as second, accounts.borrow() as third:
        assert [account for account, _ in (first, second, third)] == [rich, rich, poor]
    assert [account.remaining for account in accounts.all] == [131, 99]
    with accounts.borrow() as (account, _):
        assert account is rich


def test_where_answers_name_no_budget_none_is_spent(corpus: Corpus) -> None:
    waits: list[str] = []
    with CorpusServer([corpus]) as server:
        accounts = Accounts(server.url, token_credentials("a"), HASTY, waits.append)
        for _ in range(POINTS_PER_HOUR + 2):
            with accounts.borrow() as (account, _):
                accounts.succeed(account)
    assert waits == []
    assert account.rests_until == 0.0


def test_a_spent_token_rests_and_only_when_all_rest_is_waited(corpus: Corpus) -> None:
    with CorpusServer([corpus]) as server:
        expected = load(source(server), MONTHS)
        cost = server.points
    waits: list[str] = []
    with CorpusServer([corpus], limit=cost, window=60) as server:
        assert_same(expected, load(source(server, "a,b", waits.append), MONTHS))
    assert not waits
    # Two pages a token and window: only pages that take half a second each would never wait.
    with CorpusServer([corpus], limit=cost // 4, window=2) as server:
        assert_same(expected, load(source(server, "a,b", waits.append), MONTHS))
    assert waits
    assert all("rate limit reached, going on at" in sentence for sentence in waits)


def test_a_token_known_to_be_spent_is_not_tried(corpus: Corpus) -> None:
    waits: list[str] = []
    with CorpusServer([corpus], limit=3, window=1) as server:
        reader = source(server, "a,b", waits.append)
        for _ in range(7):
            reader.newest()
        assert [request.points for request in server.requests] == [1] * 7
    assert len(waits) == 1


def test_a_wait_is_counted_down(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rate_limit, "COUNTDOWN_SECONDS", 1.0)
    waits: list[str] = []
    with CorpusServer([corpus], limit=1, window=2) as server:
        reader = source(server, "a", waits.append)
        for _ in range(2):
            reader.newest()
    left = [int(sentence.split(", in ")[1].split()[0]) for sentence in waits]
    assert len(left) >= 2
    assert left == sorted(left, reverse=True) and left[-1] < left[0]


def test_a_limit_that_lasts_too_long_stops_with_the_time_of_its_reset(corpus: Corpus) -> None:
    with CorpusServer([corpus], limit=3, window=1800) as server:
        client = GitHubClient(server.url, "a", patience=GitHubPolicy(longest_wait=20 * 60))
        moment = r"until \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC, longer than --max-wait .*20 minutes"
        started = time.monotonic()
        with pytest.raises(PerfAssetsError, match=moment):
            load(GitHubIssues(client, NAME), MONTHS)
        assert time.monotonic() - started < 60


def test_waits_are_summed_until_an_answer_comes_whole(corpus: Corpus) -> None:
    faults = Faults(0, 1.0, ("primary_limit",), max_consecutive=10**6, wait=3)
    patience = GitHubPolicy(reset_margin=0.05, longest_wait=3.5)
    waits: list[str] = []
    with UnreliableGitHub([corpus], faults=faults) as server:
        client = GitHubClient(server.url, "a", waits.append, patience)
        with pytest.raises(PerfAssetsError, match="rate limit is reached until"):
            GitHubIssues(client, NAME).newest()
    assert len(waits) >= 1


@pytest.mark.parametrize("minutes", ["soon", "-1", "nan"])
def test_max_wait_is_a_number_of_minutes(minutes: str) -> None:
    assert (wait_in_seconds(None), wait_in_seconds("1.5")) == (LONGEST_WAIT, 90)
    with pytest.raises(PerfAssetsError, match=f"PERF_ASSETS_MAX_WAIT='{minutes}' is not a number"):
        wait_in_seconds(minutes)


def test_a_refused_token_is_left_out_and_named_by_its_place(corpus: Corpus) -> None:
    messages: list[str] = []
    with UnreliableGitHub([corpus], token=CANARIES[0]) as server:
        known = source(server, CANARIES[0])
        shared = source(server, ",".join(reversed(CANARIES)), messages.append)
        assert_same(load(known, MONTHS), load(shared, MONTHS))
    assert sorted(messages) == [
        "GitHub refused the 1st token (401): it is left out",
        "GitHub refused the 2nd token (401): it is left out",
    ]
    with UnreliableGitHub([corpus], token="other") as server:
        with pytest.raises(PerfAssetsError, match=r"every token in GITHUB_TOKEN \(401\)") as error:
            source(server, ",".join(CANARIES)).newest()
        assert "canary" not in str(error.value)


@pytest.fixture(scope="module")
def keys() -> tuple[str, str]:
    private = rsa.generate_private_key(65537, 2048)
    return (
        private.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.TraditionalOpenSSL,
            serialization.NoEncryption(),
        ).decode(),
        private.public_key()
        .public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
        .decode(),
    )


def app_environment(key: str, installation: str = "77") -> dict[str, str]:
    return {
        "GITHUB_APP_ID": "12",
        "GITHUB_APP_PRIVATE_KEY": key,
        "GITHUB_APP_INSTALLATION_ID": installation,
    }


def test_a_github_app_signs_in_and_renews_its_token(
    corpus: Corpus, keys: tuple[str, str], tmp_path: Path
) -> None:
    path = tmp_path / "app.pem"
    path.write_text(keys[0])
    app = GitHubApp("12", 77, keys[1])
    with UnreliableGitHub([corpus], app=app) as server:
        for key in (keys[0], keys[0].replace("\n", "\\n"), str(path)):
            app.tokens.clear()
            client = GitHubClient(server.url, credentials_of(app_environment(key)))
            assert GitHubIssues(client, NAME).newest().newest_update
            assert len(app.tokens) == 1
        app.tokens.clear()
        app.token_seconds = 10  # PyGithub renews a token 20 s before its end: at each request
        client = GitHubClient(server.url, credentials_of(app_environment(keys[0])))
        for _ in range(2):
            assert GitHubIssues(client, NAME).newest().newest_update
        assert len(app.tokens) >= 2
        assert not any(text in repr(client.accounts.all) for text in (*app.tokens, "PRIVATE"))


def test_a_wrong_app_is_refused_in_one_sentence(corpus: Corpus, keys: tuple[str, str]) -> None:
    with UnreliableGitHub([corpus], app=GitHubApp("13", 77, keys[1])) as server:
        client = GitHubClient(server.url, credentials_of(app_environment(keys[0])))
        with pytest.raises(PerfAssetsError, match="refused the GitHub App of GITHUB_APP_ID"):
            GitHubIssues(client, NAME).newest()
    for environment, words in (
        (app_environment("/no/such/file"), "neither a PEM text nor the path"),
        (app_environment("-----BEGIN s3cret"), "neither an RSA private key"),
        (app_environment(keys[0], "mine"), "GITHUB_APP_INSTALLATION_ID is not a number"),
        ({"GITHUB_APP_ID": "12"}, "GITHUB_APP_INSTALLATION_ID is not set"),
    ):
        with pytest.raises(PerfAssetsError, match=words) as error:
            credentials_of(environment)
        assert "s3cret" not in str(error.value)
        assert error.value.__context__ is None or error.value.__suppress_context__


def test_pages_too_heavy_to_answer_are_made_smaller_and_the_size_is_remembered(
    corpus: Corpus,
) -> None:
    with CorpusServer([corpus]) as server:
        expected = load(source(server), MONTHS)
    with UnreliableGitHub([corpus], faults=Faults(0, 0.0, heaviest=4000)) as server:
        assert_same(expected, load(source(server), MONTHS))
        heavy = [request for request in server.requests if request.status == 502]
    # At first 100 and 50 fail, perhaps twice, as two ask at once; then each attempt to grow.
    assert 2 <= len(heavy) <= 4 + len(server.requests) // long_lists.PAGE + 20 // 5 + 2


@pytest.mark.parametrize("seed", range(SEEDS))
def test_a_fifth_of_the_answers_may_be_faulty(corpus: Corpus, seed: int) -> None:
    with CorpusServer([corpus]) as server:
        expected = load(source(server), MONTHS)
    messages: list[str] = []
    with UnreliableGitHub([corpus], faults=Faults(seed, 0.2, KINDS, delay=0.01)) as faulty:
        tried = source(faulty, ",".join(CANARIES), messages.append)
        assert_same(expected, load(tried, MONTHS))
        for month in MONTHS:
            assert_same(expected.of_month(month), load(tried, [month]))
        since = expected.issues["updated_at"].sort()[expected.issues.height // 2]
        changed = expected.issues.filter(pl.col("updated_at") >= since)["number"].to_list()
        assert_same(expected.of_numbers(changed), changes(tried, since).batch)
        assert any(request.fault for request in faulty.requests)
    assert not any("canary" in sentence for sentence in messages)


def test_what_a_window_cost_is_charged_to_it(corpus: Corpus) -> None:
    with UnreliableGitHub([corpus], faults=Faults(1, 0.2, ("bad_gateway",))) as server:
        reader = source(server)
        counts = reader.counts(MONTHS)
        reader.client.cost.take()
        requests = points = 0
        for months, batch in reader.cohorts(dict(counts)):
            spent = reader.client.cost.take()
            assert spent.requests >= -(-batch.issues.height // long_lists.PAGE), months
            requests, points = requests + spent.requests, points + spent.points
        loading = [entry for entry in server.requests if entry.operation != "Counts"]
        assert points == sum(entry.points for entry in loading)
        assert reader.client.total.requests == len(server.requests)
        assert reader.client.total.points == server.points


@pytest.mark.exhaustive
def test_requests_at_once_save_time_where_answers_take_time(
    corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = Faults(0, 1.0, ("slow",), max_consecutive=10**9, delay=0.3)
    seconds = []
    for at_once in (1, 2):
        monkeypatch.setattr(issues, "REQUESTS_AT_ONCE_PER_ACCOUNT", at_once)
        monkeypatch.setattr(issues, "HELD_ISSUES", 250)
        with UnreliableGitHub([corpus], faults=slow) as server:
            reader = source(server)
            counts = reader.counts(MONTHS)
            started = time.monotonic()
            for _ in reader.cohorts(counts):
                pass
            seconds.append(time.monotonic() - started)
    assert seconds[1] < 0.8 * seconds[0]


@given(st.lists(st.integers(0, 30), max_size=12), st.integers(1, 4), st.integers(1, 40))
def test_results_come_in_order_and_no_more_is_held_than_allowed(
    weights: list[int], workers: int, capacity: int
) -> None:
    begun: list[int] = []
    given_back: list[int] = []

    def noted(place: int) -> int:
        held = [weights[other] for other in {*begun, place} - set(given_back)]
        assert sum(held) <= capacity or len(held) == 1
        begun.append(place)
        return place

    work = [Job(weight, [lambda place=place: noted(place)]) for place, weight in enumerate(weights)]
    for (place,) in in_order(work, workers, capacity):
        assert place == len(given_back)
        given_back.append(place)
    assert given_back == list(range(len(weights)))


def test_an_error_comes_after_what_was_read_before_it() -> None:
    def fail() -> int:
        raise PerfAssetsError("no more")

    read = []
    with pytest.raises(PerfAssetsError, match="no more"):
        for results in in_order([Job(1, [lambda: 1]), Job(1, [lambda: 2, fail])], 2, 10):
            read.append(results)
    assert read == [[1]]


@pytest.mark.parametrize("token", ["ghp_abc\u2026", "ghp a", "ghp_\x07", "gh\u00fcp, ghp_right"])
def test_a_token_that_is_none_is_refused_without_being_shown(token: str) -> None:
    with pytest.raises(PerfAssetsError, match="copy the whole token again") as error:
        token_credentials(token)
    assert not any(part in str(error.value) for part in token.split(","))
