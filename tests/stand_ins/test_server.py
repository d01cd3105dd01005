"""The loopback GitHub as a server: budgets, REST, faults, beginning and end."""

import http.client
import json
import signal
import subprocess
import sys
import time
from collections import Counter
from datetime import UTC, datetime, timedelta

import github
import pytest

from perf_assets.base.corpus import read_corpus
from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.months import end_of
from perf_assets.stand_ins.github.server import CorpusServer
from tests.paths import CHAINER
from tests.stand_ins.tracker import (
    RICH,
    SHA,
    START,
    ask,
    client,
    corpus_of,
    error_of,
    in_repository,
    issue,
    page_of,
    post,
    search_numbers,
    walk,
)
from tests.unreliable_github import KINDS, Faults, UnreliableGitHub

# --- cost and rate limits ---


def test_points_follow_githubs_worked_example():
    """100 x 50 x 60 nested connections: 5,101 requests, 51 points (GitHub's rate-limit page)."""
    query = in_repository("""issues(first: 100) { nodes { comments(first: 50) { nodes { issue {
        labels(first: 60) { nodes { id } } } } } } }""").replace(
        "{ repository",
        "query Deep { rateLimit { cost limit remaining used nodeCount resetAt } repository",
    )
    with CorpusServer([RICH]) as server:
        answer, headers = post(server, query)
        limit = answer["data"]["rateLimit"]
        assert (limit["cost"], limit["nodeCount"]) == (51, 100 + 100 * 50 + 100 * 50 * 60)
        assert (limit["limit"], limit["remaining"], limit["used"]) == (5000, 4949, 51)
        names = ("Limit", "Remaining", "Used", "Resource")
        assert [headers[f"X-RateLimit-{name}"] for name in names] == [
            "5000",
            "4949",
            "51",
            "graphql",
        ]
        reset = datetime.fromisoformat(limit["resetAt"])
        assert int(headers["X-RateLimit-Reset"]) == reset.timestamp()
        # An hour, rounded up to a whole second.
        assert timedelta(minutes=59) < reset - datetime.now(UTC) <= timedelta(hours=1, seconds=1)
        (logged,) = server.requests
        assert (logged.method, logged.path, logged.operation) == ("POST", "/graphql", "Deep")
        assert (logged.points, logged.status, server.points) == (51, 200, 51)


def test_fragments_aliases_and_node_lists_are_counted_and_skipped_fields_are_not(server):
    query = """query($deep: Boolean!, $ids: [ID!]!) { rateLimit { cost nodeCount }
        nodes(ids: $ids) { ...thread }
        a: repository(owner: "o", name: "n") { issues(first: 100) { nodes { ...thread } } } }
        fragment thread on Issue { labels(first: 10) @include(if: $deep) { nodes { id } } }"""
    issue_id = ask(server, in_repository("issue(number: 1) { id }"))["repository"]["issue"]["id"]
    shallow = ask(server, query, deep=False, ids=[issue_id] * 50)["rateLimit"]
    deep = ask(server, query, deep=True, ids=[issue_id] * 50)["rateLimit"]
    assert shallow == {"cost": 1, "nodeCount": 150}
    assert deep == {"cost": round((1 + 50 + 1 + 100) / 100), "nodeCount": 150 + 500 + 1000}
    assert error_of(server, query, deep=True, ids=[issue_id] * 101)["type"] == "ARGUMENT_LIMIT"


# What is documented looks as its examples do.
RECOGNISED = [kind for kind in KINDS if kind != "documented"]


@pytest.mark.slow
def test_a_budget_is_full_again_after_its_window():
    with CorpusServer([RICH], limit=1, window=0.1) as server:
        for _ in range(3):
            assert "errors" not in post(server, in_repository("id"))[0]
            time.sleep(0.15)


def test_a_spent_budget_is_refused_and_belongs_to_one_token():
    with CorpusServer([RICH], limit=2) as server:
        query = in_repository("id")
        for _ in range(2):
            assert "errors" not in post(server, query, token="a")[0]
        answer, headers = post(server, query, token="a")
        assert answer["errors"][0]["type"] == "RATE_LIMIT" and "data" not in answer
        assert headers["X-RateLimit-Remaining"] == "0"
        assert "errors" not in post(server, query, token="b")[0]
        api = client(server.url, auth=github.Auth.Token("a"))
        for _ in range(2):
            api.get_repo("o/n")
        with pytest.raises(github.RateLimitExceededException):
            api.get_repo("o/n")


def test_only_the_right_token_is_let_in():
    with UnreliableGitHub([RICH], token="right") as server:
        for auth in (None, github.Auth.Token("wrong")):
            with pytest.raises(github.GithubException) as refused:
                client(server.url, auth=auth).requester.graphql_query("{ rateLimit { cost } }", {})
            assert (refused.value.status, refused.value.data["message"]) == (401, "Bad credentials")
        right = client(server.url, auth=github.Auth.Token("right"))
        assert right.get_repo("o/n").full_name == "o/n"


# --- REST ---


@pytest.mark.parametrize("prefix", ["", "/api/v3"])
def test_pygithub_reads_the_tracker_over_rest_and_graphql_with_either_base_url(server, prefix):
    api = client(server.url + prefix, per_page=2)
    repository = api.get_repo("o/n")
    everything = list(repository.get_issues(state="all", sort="created", direction="asc"))
    assert [entry.number for entry in everything] == [1, 2, 3, 4, 5, 90]
    assert [entry.number for entry in everything if entry.pull_request] == [90]
    assert [entry.number for entry in repository.get_issues()] == [5, 4, 3, 1]
    since = START + timedelta(seconds=30)
    assert {entry.number for entry in repository.get_issues(state="all", since=since)} == {
        1,
        4,
        5,
        90,
    }
    first = repository.get_issue(1)
    assert (first.title, first.body, first.user.login, first.comments) == (
        "Issue 1",
        "Body",
        "ann",
        2,
    )
    assert [entry.id for entry in first.get_comments()] == [11, 12]
    assert [entry.event for entry in first.get_events()][:2] == ["labeled", "renamed"]
    assert next(iter(repository.get_issue(2).get_events())).commit_id == SHA
    assert api.requester.graphql_query("{ rateLimit { limit } }", {})[1]["data"]


def test_what_rest_does_not_have_is_404(server):
    api = client(server.url)
    for name, number in (("no/where", 1), ("o/n", 77)):
        with pytest.raises(github.UnknownObjectException) as missing:
            client(server.url, lazy=True).get_repo(name).get_issue(number).title  # noqa: B018
        assert missing.value.data["message"] == "Not Found"
    with pytest.raises(github.UnknownObjectException):
        api.get_user("ann").name  # noqa: B018


def test_asking_for_the_rate_limit_is_free():
    with CorpusServer([RICH]) as server:
        api = client(server.url)
        api.get_repo("o/n")
        for _ in range(3):
            limits = api.get_rate_limit().resources
        assert (limits.core.limit, limits.core.remaining, limits.core.used) == (5000, 4999, 1)
        assert limits.graphql.remaining == 5000


# --- changing and misbehaving ---


def test_a_replaced_corpus_is_served_from_the_next_request_on():
    with CorpusServer([RICH]) as server:
        query = in_repository("issues { totalCount }")
        assert ask(server, query)["repository"]["issues"]["totalCount"] == 5
        server.replace([corpus_of([issue(1)])])
        assert ask(server, query)["repository"]["issues"]["totalCount"] == 1


SLOW_SECONDS = 1.0  # longer than a good answer takes on a busy machine


def outcome(server, number: int = 1) -> str:
    """One raw request's fate, as the kind of fault it looks like."""
    connection = http.client.HTTPConnection(
        "127.0.0.1", int(server.url.rpartition(":")[2]), timeout=60
    )
    query = in_repository("issues(first: 5) { nodes { number } }")
    started = time.perf_counter()
    connection.request("POST", "/graphql", json.dumps({"query": query}))
    answer = connection.getresponse()
    try:
        body = answer.read()
    except http.client.IncompleteRead:
        return "cut"
    finally:
        connection.close()
    took = time.perf_counter() - started
    if answer.headers["Content-Type"].startswith("text/html"):
        assert b"<html" in body
        return {502: "bad_gateway", 504: "gateway_timeout", 200: "html"}[answer.status]
    content = json.loads(body)
    if answer.status in (403, 429):
        if "Retry-After" in answer.headers:
            assert "secondary rate limit" in content["message"]
            return "secondary_limit"
        assert answer.headers["X-RateLimit-Remaining"] == "0"
        assert abs(int(answer.headers["X-RateLimit-Reset"]) - time.time()) < 60
        assert content["message"].startswith("API rate limit exceeded")
        return "primary_limit"
    if "errors" in content:
        (error,) = content["errors"]
        if error["type"] == "RESOURCE_LIMITS_EXCEEDED":
            assert (
                content["data"] is None or None in content["data"]["repository"]["issues"]["nodes"]
            )
            return "resource_limits"
        assert error["type"] in ("RATE_LIMIT", "RATE_LIMITED")
        assert answer.headers["X-RateLimit-Remaining"] == "0"
        return "graphql_rate_limited"
    assert [node["number"] for node in content["data"]["repository"]["issues"]["nodes"]] == [
        1,
        2,
        3,
        4,
        5,
    ]
    return "slow" if took >= SLOW_SECONDS else "good"


@pytest.mark.parametrize("kind", RECOGNISED)
def test_each_kind_of_fault_looks_as_github_makes_it(kind):
    faults = Faults(1, 1.0, [kind], max_consecutive=2, delay=SLOW_SECONDS)
    with UnreliableGitHub([RICH], faults=faults) as server:
        assert [outcome(server) for _ in range(3)] == [kind, kind, "good"]
        assert [request.fault for request in server.requests] == [kind, kind, None]


def test_the_same_seed_makes_the_same_faults_and_another_seed_others():
    def faults(seed: int) -> list[str | None]:
        plan = Faults(seed, 0.5, RECOGNISED, delay=0)
        with UnreliableGitHub([RICH], faults=plan) as server:
            for _ in range(60):
                outcome(server)
            return [request.fault for request in server.requests]

    first = faults(1)
    assert faults(1) == first != faults(2)
    assert 20 <= sum(fault is not None for fault in first) <= 40


def test_faults_never_come_more_than_the_allowed_number_in_a_row():
    plan = Faults(3, 1.0, ["bad_gateway"], max_consecutive=4)
    with UnreliableGitHub([RICH], faults=plan) as server:
        assert [outcome(server) for _ in range(10)] == (["bad_gateway"] * 4 + ["good"]) * 2


def test_graphql_faults_leave_rest_alone():
    kinds = ["graphql_rate_limited", "resource_limits"]
    with UnreliableGitHub([RICH], faults=Faults(1, 1.0, kinds)) as server:
        assert client(server.url).get_repo("o/n").get_issue(1).number == 1


def test_pygithubs_own_retries_get_through_rest_faults():
    kinds = ["bad_gateway", "gateway_timeout", "secondary_limit"]
    plan = Faults(1, 0.6, kinds, max_consecutive=2)
    with UnreliableGitHub([RICH], faults=plan) as server:
        retry = github.GithubRetry(total=5, backoff_factor=0)
        repository = client(server.url, retry=retry, per_page=1).get_repo("o/n")
        assert [entry.number for entry in repository.get_issues(state="all")] == [90, 5, 4, 3, 2, 1]
        assert {request.fault for request in server.requests} >= {"bad_gateway", None}


def test_an_unknown_kind_of_fault_is_refused_with_the_known_ones():
    with pytest.raises(PerfAssetsError, match="no kind 'earthquake'; choose from bad_gateway"):
        Faults(1, 0.5, ["earthquake"])


# --- the server itself ---


def test_closing_ends_open_connections_at_once():
    with CorpusServer([RICH]) as server:
        connection = http.client.HTTPConnection(
            "127.0.0.1", int(server.url.rpartition(":")[2]), timeout=60
        )
        connection.request("GET", "/rate_limit")
        connection.getresponse().read()
        started = time.perf_counter()
    assert time.perf_counter() - started < 30
    with pytest.raises((http.client.RemoteDisconnected, ConnectionError)):
        connection.request("GET", "/rate_limit")
        connection.getresponse()


def test_a_taken_port_is_named():
    with CorpusServer([RICH]) as server:
        port = int(server.url.rpartition(":")[2])
        with (
            pytest.raises(PerfAssetsError, match=f"port {port} of 127.0.0.1"),
            CorpusServer([], port),
        ):
            pass


@pytest.mark.slow
def test_serving_a_directory_shows_its_url_and_ends_with_an_interrupt(tmp_path):
    (tmp_path / "issues.jsonl").write_text(json.dumps(issue(1)) + "\n")
    (tmp_path / "comments.jsonl").write_text("")
    program = (
        "import sys; from pathlib import Path; "
        "from perf_assets.stand_ins.github.server import serve; "
        "serve(Path(sys.argv[1]), 0, 'o/n', lambda url: print(url, flush=True))"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path)], stdout=subprocess.PIPE, text=True
    ) as process:
        url = process.stdout.readline().strip()
        assert client(url).get_repo("o/n").get_issue(1).title == "Issue 1"
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0


@pytest.mark.skipif(not CHAINER.is_dir(), reason="the shared chainer data is not on this machine")
def test_the_chainer_corpus_is_served_whole():
    corpus = read_corpus(CHAINER, "chainer/chainer")
    query = f"""query($first: Int!, $after: String) {{
        repository(owner: "chainer", name: "chainer") {{ issues(first: $first, after: $after) {{
        {page_of("number createdAt comments(first: 100) { totalCount nodes { body } }")} }} }} }}"""
    with CorpusServer([corpus]) as server:
        found = walk(server, query, ["repository", "issues"], 100)
        assert len(found) == 338
        assert sum(node["comments"]["totalCount"] for node in found) == 701
        for month, count in Counter(node["createdAt"][:7] for node in found).items():
            last = end_of(month) - timedelta(seconds=1)
            terms = f"repo:chainer/chainer created:{month}-01..{last:%Y-%m-%d}"
            assert len(search_numbers(server, terms)) == count
