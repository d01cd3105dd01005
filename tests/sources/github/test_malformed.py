"""Answers that are not as GitHub documents them: right rows, or one sentence that says why not."""

import json
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from perf_assets.base.corpus import Corpus, read_corpus
from perf_assets.base.errors import PerfAssetsError
from perf_assets.sources.github.accounts import GitHubPolicy
from perf_assets.sources.github.client import GitHubClient
from perf_assets.sources.github.issues import GitHubIssues
from perf_assets.sources.http_deadline import LARGEST_ANSWER
from perf_assets.sources.issues.batches import IssueBatch, joined
from perf_assets.stand_ins.generator import generate
from perf_assets.stand_ins.github.server import CorpusServer
from perf_assets.stand_ins.reply import Reply
from tests.github_stand_in import assert_same, batches_of, changes

pytestmark = pytest.mark.slow

NAME = "sample-lab/tensorkit"
TOKEN = "ghp_canaryINANSWERS"
OLDEST = datetime(2000, 1, 1, tzinfo=UTC)
SHORT = GitHubPolicy(
    first_pause=0.001,
    longest_pause=0.002,
    secondary_pause=0.01,
    reset_margin=0.01,
    longest_wait=1.0,
    answer=30.0,
    longest_trouble=30.0,
)
Spoil = Callable[[Reply], Reply]
Change = Callable[[Any], Any]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    directory: Path = tmp_path_factory.mktemp("corpora") / "corpus"
    generate(directory, seed=5, issues=24, months=3, commits=20)
    return read_corpus(directory)


class SpoiledServer(CorpusServer):
    """Answers GraphQL queries as ``spoil`` makes of the right answer."""

    spoil: Spoil = staticmethod(lambda reply: reply)

    def answer(self, method: str, target: str, authorization: str, body: bytes) -> Reply:
        reply = super().answer(method, target, authorization, body)
        return self.spoil(reply) if target.endswith("graphql") else reply


def read_all(url: str, corpus: Corpus, messages: list[str] | None = None) -> IssueBatch:
    """The changes since ever, and then every cohort; both must agree."""
    client = GitHubClient(url, TOKEN, (messages if messages is not None else []).append, SHORT)
    source = GitHubIssues(client, NAME)
    try:
        months = sorted({issue["created_at"][:7] for issue in corpus.issues.values()})
        cohorts = joined(batches_of(source, source.counts(months)))
        page = changes(source, OLDEST)
        assert page.newest_update is not None and page.newest_update <= datetime.now(UTC)
        if cohorts.gaps.is_empty():
            assert_same(cohorts, page.batch)
        return cohorts
    finally:
        client.close()


@pytest.fixture(scope="module")
def expected(corpus: Corpus) -> IssueBatch:
    with CorpusServer([corpus]) as server:
        return read_all(server.url, corpus)


def refused(spoil: Spoil, corpus: Corpus, expected: IssueBatch) -> str | None:
    """The sentence in which reading ends; None where it gives the right rows."""
    messages: list[str] = []
    with SpoiledServer([corpus]) as server:
        server.spoil = spoil  # type: ignore[method-assign]
        started = time.monotonic()
        try:
            found = read_all(server.url, corpus, messages)
            sentence = set_aside(found, expected)
            if sentence is None:
                assert_same(expected, found)
        except PerfAssetsError as error:
            sentence = str(error)
        assert time.monotonic() - started < 60
    for text in [*messages, sentence or ""]:
        assert text.isprintable() and len(text) < 500
        assert TOKEN not in text
    return sentence


def set_aside(found: IssueBatch, expected: IssueBatch) -> str | None:
    """What was set aside, in words; None for nothing. All that GitHub counts is accounted for."""
    if found.gaps.is_empty():
        return None
    assert found.known_issues == expected.issues.height
    assert found.announced_comments == found.comments.height + found.set_aside("comments")
    assert found.announced_events == found.events.height + found.set_aside("events")
    gap = found.gaps.row(0, named=True)
    return f"{gap['subject']}: {gap['entity']}: {gap['lacks']} {gap['kind']}: {gap['reason']}"


def status(code: int, body: bytes = b"", **headers: str) -> Spoil:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda reply: Reply(code, body, {**reply.headers, **named})


def text(body: str) -> Spoil:
    return lambda reply: replace(reply, body=body.encode("utf-8", "surrogatepass"))


def headers(**named: str) -> Spoil:
    added = {name.replace("_", "-"): value for name, value in named.items()}
    return lambda reply: replace(reply, headers={**reply.headers, **added})


def put(path: str, value: object) -> Spoil:
    """``value`` wherever an answer has something at the end of ``path``; a name alone: anywhere."""

    def spoil(reply: Reply) -> Reply:
        content = json.loads(reply.body)
        *parents, last = path.split(".")
        _put(content, parents, last, value)
        return replace(reply, body=json.dumps(content).encode())

    return spoil


def _put(found: object, parents: list[str], last: str, value: object) -> None:
    if isinstance(found, list):
        for entry in found:
            _put(entry, parents, last, value)
    elif isinstance(found, dict):
        for key, inner in found.items():
            _put(inner, parents[1:] if parents and key == parents[0] else parents, last, value)
        if not parents and last in found:
            if value is GONE:
                del found[last]
            else:
                found[last] = value(found[last]) if callable(value) else value


GONE = object()
DEEP = "[" * 100_000 + "]" * 100_000
DIGITS = "9" * 5000
ISSUE = r"#\d+: (issues|comments|events|labels): entry unusable: "
ANY = NAME + r"(#\d+)?: GitHub's answer cannot be used: "
NOT_GRAPHQL = r"did not answer in \d+ attempts \(last: an answer that is not GraphQL\)"
NEXT = {"hasNextPage": True}


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        # Status, and nothing.
        (status(204), "did not answer .*HTTP 204 without content"),
        (status(422), "answered with HTTP 422"),
        (status(200), NOT_GRAPHQL),
        (status(202), "did not answer .*HTTP 503"),
        (status(301, Location="http://elsewhere.invalid/"), "HTTP 301.*check the address"),
        (status(302, Location="/graphql"), "HTTP 302.*check the address"),
        (status(500), "did not answer .*HTTP 500"),
        (status(404), "answered 'not found'"),
        (status(401), r"refused the token in GITHUB_TOKEN \(401\)"),
        (status(418, b'{"message": "\x1b[2J' + TOKEN.encode() + b'"}'), "answered with HTTP 418"),
        (status(418, json.dumps({"message": f"\n{TOKEN[:5]}\0{TOKEN[5:]}"}).encode()), "418"),
        (status(403, b'{"message": 7}'), r"did not answer .*HTTP 403"),
        # What is not JSON, or none that can be read.
        (text("<html>"), NOT_GRAPHQL),
        (text('{"data": '), NOT_GRAPHQL),
        (text(DEEP), NOT_GRAPHQL),
        (text(f'{{"data": {{"a": {DEEP}}}}}'), NOT_GRAPHQL),
        (text(f'{{"data": {{"a": {DIGITS}}}}}'), NOT_GRAPHQL),
        (text('{"data": {"a": NaN}}'), NOT_GRAPHQL),
        (text('{"data": {"a": -Infinity}}'), NOT_GRAPHQL),
        (text('{"data": {"a": 1e999}}'), ANY + "c0: this key is missing"),
        (text(f'{{"\\ud800": {DEEP}}}'), NOT_GRAPHQL),
        (text("\ufeff{}"), NOT_GRAPHQL),
        (lambda reply: replace(reply, body=b"\xff\xfe\x00" + reply.body), NOT_GRAPHQL),
        (text("[]"), NOT_GRAPHQL),
        (text("7"), NOT_GRAPHQL),
        (text("null"), NOT_GRAPHQL),
        (text('{"data": null}'), NOT_GRAPHQL),
        (text('{"data": []}'), NOT_GRAPHQL),
        (text('{"data": {}}'), ANY),
        # Errors that are none.
        (text('{"errors": 7}'), "an error without a word"),
        (text('{"errors": "no"}'), "an error without a word"),
        (text('{"errors": [7, null]}'), "an error without a word"),
        (text('{"errors": ["no\\u001b[2J"]}'), r"last: no\[2J"),
        (text('{"errors": [{"type": ["A"], "message": {}}]}'), "an error without a word"),
        (
            text('{"errors": [{"type": "X", "message": "[/x] <b>"}]}'),
            r"did not answer .*last: \[/x\] <b>",
        ),
        (text('{"errors": {"a": 1}, "data": {}}'), "an error without a word"),
        # Null, or gone, or of another kind.
        (put("search", None), ANY + "search: .*null"),
        (put("repository.issues", None), ANY + "repository.issues: .*null"),
        (put("search.pageInfo", None), ANY + "search.pageInfo: .*null"),
        (put("search.pageInfo", GONE), ANY + "search.pageInfo: this key is missing"),
        (put("search.nodes", None), "unnamed: issues: entry missing: GitHub left it out"),
        (put("labels", None), r"#\d+: labels: entry missing: GitHub left it out"),
        (put("search.nodes", GONE), ANY + "search.nodes: this key is missing"),
        (put("issueCount", None), ANY + ".*issueCount: .*null"),
        (put("issueCount", "many"), ANY + ".*issueCount: .*'many'"),
        (put("issueCount", -1), ANY + ".*issueCount is -1"),
        (put("issueCount", 10**40), ANY + ".*issueCount"),
        (put("comments.totalCount", None), ISSUE + "comments.totalCount: .*null"),
        (put("comments.nodes", None), r"#\d+: comments: entry missing: GitHub left it out"),
        (put("timelineItems.nodes", GONE), ISSUE + "timelineItems.nodes: this key is missing"),
        (put("nodes.createdAt", None), ISSUE + "createdAt: .*null"),
        (put("createdAt", "yesterday"), ISSUE + ".*createdAt: a moment in time.*'yesterday'"),
        (put("createdAt", "2020-02-31T00:00:00Z"), ISSUE + ".*createdAt: a moment in time"),
        (put("createdAt", "0001-01-01T00:00:00+14:00"), ISSUE + ".*createdAt: a moment in time"),
        (put("createdAt", 1577836800), ISSUE + ".*createdAt: a text is needed here"),
        (put("title", None), ISSUE + "title: a text is needed here"),
        (put("title", {"x": ["\x1b"]}), ISSUE + "title: a text is needed here .an object"),
        (put("number", 0), "unnamed: issues: .*number: .*greater than or equal to 1"),
        (put("number", 2**63), "unnamed: issues: .*number: "),
        (put("number", 2**200), "unnamed: issues: .*number: "),
        (put("fullDatabaseId", 2**63), ISSUE + r"comments.nodes\[\d+\].fullDatabaseId"),
        (put("state", "AJAR"), r"#\d+: issues: state unknown: AJAR is not a known state"),
        (put("url", "javascript:alert(1)"), ISSUE + "url: "),
        (put("label", None), ISSUE + r"timelineItems.nodes\[\d+\].label: .*null"),
        (put("labels.nodes.name", None), ISSUE + r"labels.nodes\[\d+\].name: a text"),
        (
            put("timelineItems.nodes.__typename", "Odd"),
            r"#\d+: events: entry unknown: Odd is not a known kind of event",
        ),
        (put("oid", "../../x"), ISSUE + ".*oid"),
        (put("fullDatabaseId", None), r"#\d+: comments: entry missing: it has no fullDatabaseId"),
        (put("fullDatabaseId", DIGITS), ISSUE + r"comments.nodes\[\d+\].fullDatabaseId"),
        (put("nameWithOwner", 7), ANY + ".*nameWithOwner"),
        (put("login", ["x"]), ISSUE + ".*login: a text is needed here .a list"),
        # Pages without end.
        (
            put("search.pageInfo", {**NEXT, "endCursor": None}),
            ANY + ".*cursor of the next page is missing or repeated",
        ),
        (
            put("search.pageInfo", {**NEXT, "endCursor": "WzFd"}),
            ANY + ".*cursor of the next page is missing or repeated",
        ),
        (put("comments.pageInfo", lambda info: {**info, **NEXT}), None),
        # What does not matter, or can be read nevertheless.
        (put("rateLimit", None), None),
        (put("cost", "NaN"), None),
        (put("cost", -5), None),
        (put("fullDatabaseId", str), None),
        (put("createdAt", lambda moment: moment.replace("Z", "+00:00")), None),
        (put("updatedAt", lambda moment: moment.replace("Z", ".000000Z")), None),
        (headers(X_RateLimit_Remaining="lots", X_RateLimit_Reset="soon"), None),
        (headers(X_RateLimit_Remaining="inf", X_RateLimit_Reset="nan"), None),
        (headers(X_RateLimit_Remaining="0", X_RateLimit_Reset=DIGITS), None),
        (headers(X_RateLimit_Limit="-5", X_RateLimit_Reset="1e999"), None),
        (status(403, Retry_After="later"), "rate limit is reached until"),
        (status(429, Retry_After="nan"), "rate limit is reached until"),
        (status(429, Retry_After=DIGITS), "rate limit|names no time"),
        (status(429, Retry_After="1e300"), "rate limit is reached until a year that no calendar"),
        (status(403, Retry_After="Fri, 31 Dec 9999 23:59:59 GMT"), "is reached until 9999-12-31"),
        (status(403, X_RateLimit_Remaining="0", X_RateLimit_Reset="0"), "rate limit reached"),
    ],
)
def test_a_malformed_answer_ends_in_right_rows_or_one_sentence(
    corpus: Corpus, expected: IssueBatch, spoil: Spoil, sentence: str | None
) -> None:
    found = refused(spoil, corpus, expected)
    if sentence is None:
        assert found is None
    else:
        assert found is not None and re.search(sentence, found), found


@contextmanager
def listening(serve: Callable[[socket.socket], None]) -> Iterator[str]:
    """A server that reads a request and then does what ``serve`` says, until the block ends."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def accept() -> None:
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                threading.Thread(target=answer, args=(connection,), daemon=True).start()

        def answer(connection: socket.socket) -> None:
            with connection:
                try:
                    connection.recv(1 << 16)
                    serve(connection)
                except OSError:
                    return

        threading.Thread(target=accept, daemon=True).start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        listener.shutdown(socket.SHUT_RDWR)


def drip(start: bytes, piece: bytes) -> Callable[[socket.socket], None]:
    def serve(connection: socket.socket) -> None:
        connection.sendall(start)
        while True:
            connection.sendall(piece)
            time.sleep(0.02)

    return serve


OK = b"HTTP/1.1 200 OK\r\n"


@pytest.mark.parametrize(
    ("serve", "reason"),
    [
        (lambda connection: time.sleep(600), "no whole answer in time"),
        (drip(b"", b"H"), "the connection failed|in time"),
        (drip(OK, b"X"), "no whole answer in time"),
        (drip(OK + b"X: ", b"y"), "no whole answer in time"),
        (drip(b"", b"HTTP/1.1 100 Continue\r\n\r\n"), "no whole answer in time"),
        (drip(OK + b"Content-Length: 100000\r\n\r\n", b" "), "no whole answer in time"),
        (drip(OK + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n"), "in time"),
        (drip(OK + b"\r\n", b" "), "no whole answer in time"),
        (lambda connection: connection.sendall(b"SSH-2.0-x\r\n"), "the connection failed"),
        (lambda connection: connection.sendall(OK + b"A: b\r\n" * 200), "the connection failed"),
        (
            lambda connection: connection.sendall(OK + b"Content-Length: 1, 2\r\n\r\n{}"),
            "the connection failed",
        ),
        (
            lambda connection: connection.sendall(
                OK + b"Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}"
            ),
            "the connection failed",
        ),
        (
            lambda connection: connection.sendall(
                OK + b"\x1b[2J: \xff\r\nContent-Length: 2\r\n\r\n{}"
            ),
            "an answer that is not GraphQL|the connection failed",
        ),
    ],
)
def test_a_server_that_is_silent_drips_or_babbles_is_left_after_a_while(
    serve: Callable[[socket.socket], None], reason: str
) -> None:
    seconds = 0.15 if "in time" in reason else 60  # on a busy machine an answer takes longer
    patience = replace(SHORT, answer=seconds, longest_trouble=0.4)
    with listening(serve) as url:
        started = time.monotonic()
        with pytest.raises(PerfAssetsError, match=f"did not answer in .*({reason})") as raised:
            GitHubIssues(GitHubClient(url, TOKEN, patience=patience), NAME).newest()
        assert time.monotonic() - started < 60
    assert str(raised.value).isprintable()


def test_an_answer_without_end_is_left_when_it_is_too_long() -> None:
    sent = [0]

    def pour(connection: socket.socket) -> None:
        connection.sendall(OK + b"\r\n")
        while True:
            sent[0] += connection.send(b" " * (1 << 20))

    patience = replace(SHORT, attempts=1, answer=20.0, longest_trouble=20.0)
    with listening(pour) as url, pytest.raises(PerfAssetsError, match="the connection failed"):
        GitHubIssues(GitHubClient(url, TOKEN, patience=patience), NAME).newest()
    # What is sent last is counted only once `send` returns, which may be after the client left.
    assert LARGEST_ANSWER - (1 << 20) <= sent[0] < LARGEST_ANSWER + (32 << 20)


def test_an_issue_that_cannot_be_used_costs_that_issue_alone(
    corpus: Corpus, expected: IssueBatch
) -> None:
    number, month = expected.issues.row(0, named=True)["number"], expected.issues["month"][0]

    def spoil(reply: Reply) -> Reply:
        content = json.loads(reply.body)
        for node in (content["data"].get("search") or {}).get("nodes", []):
            if node["number"] == number:
                node["createdAt"] = None
        return replace(reply, body=json.dumps(content).encode())

    with SpoiledServer([corpus]) as server:
        server.spoil = spoil  # type: ignore[method-assign]
        source = GitHubIssues(GitHubClient(server.url, patience=SHORT), NAME)
        months = sorted(set(expected.issues["month"]))
        read = joined(batches_of(source, source.counts(months)))
        requests = source.client.cost.requests
    others = [one for one in expected.issues["number"] if one != number]
    (gap,) = read.gaps.rows(named=True)
    assert (gap["number"], gap["month"], gap["kind"]) == (number, month, "unusable")
    assert_same(replace(read, gaps=read.gaps.clear()), expected.of_numbers(others))
    assert requests == len(server.requests)


def test_halves_of_characters_become_a_sign_that_stands_for_them(
    corpus: Corpus, expected: IssueBatch
) -> None:
    titles = {}

    def spoil(reply: Reply) -> Reply:
        def odd(title: str) -> str:
            titles[title] = f"{title} \ufffd\ufffdx 😀"
            return f"{title} \ud800\ufffdx 😀"

        return put("title", odd)(reply)

    with SpoiledServer([corpus]) as server:
        server.spoil = spoil  # type: ignore[method-assign]
        read = read_all(server.url, corpus)
    assert read.issues["title"].to_list() == [titles[one] for one in expected.issues["title"]]


def test_an_update_that_is_still_to_come_hides_no_change_and_is_corrected(corpus: Corpus) -> None:
    later = put("updatedAt", "2999-01-01T00:00:00Z")
    with SpoiledServer([corpus]) as server:
        server.spoil = later  # type: ignore[method-assign]
        read = read_all(server.url, corpus)  # which looks at the newest update
    assert {moment.year for moment in read.issues["updated_at"]} == {2020}
    assert set(read.gaps["lacks"]) == {"updated_at"}


def test_fractions_of_seconds_are_kept(corpus: Corpus) -> None:
    with SpoiledServer([corpus]) as server:
        server.spoil = put("createdAt", lambda text: text.replace("Z", ".25+01:00"))  # type: ignore[method-assign]
        source = GitHubIssues(GitHubClient(server.url, patience=SHORT), NAME)
        read = changes(source, OLDEST).batch
    given = {number: issue["created_at"] for number, issue in corpus.issues.items()}
    for number, moment in read.issues.select("number", "created_at").iter_rows():
        wanted = datetime.fromisoformat(given[number].replace("Z", ".25+01:00"))
        assert moment == wanted


@pytest.mark.parametrize(
    "url", ["http://github.invalid", "http://127.0.0.2.invalid:1", "http://10.0.0.1"]
)
def test_no_token_goes_over_plain_http_but_to_this_machine(url: str) -> None:
    with pytest.raises(PerfAssetsError, match="a token would be sent over plain http") as raised:
        GitHubClient(url, TOKEN)
    assert TOKEN not in str(raised.value)
    GitHubClient(url).close()
    for private in ("http://localhost:1", "http://127.3.2.1", "http://[::1]:80", "https://h"):
        GitHubClient(private, TOKEN).close()


@pytest.mark.parametrize("code", [301, 302, 307, 308])
def test_a_redirection_to_another_host_gets_neither_request_nor_token(code: int) -> None:
    heard: list[bytes] = []

    def elsewhere(connection: socket.socket) -> None:
        heard.append(b"somebody came")

    with listening(elsewhere) as other:
        location = f"Location: {other}/graphql\r\nContent-Length: 0\r\n\r\n".encode()
        with (
            listening(lambda one: one.sendall(b"HTTP/1.1 %d Moved\r\n" % code + location)) as url,
            pytest.raises(PerfAssetsError, match=f"HTTP {code}.*check the address"),
        ):
            GitHubIssues(GitHubClient(url, TOKEN, patience=SHORT), NAME).newest()
    assert heard == []
