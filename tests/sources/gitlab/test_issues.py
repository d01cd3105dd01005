"""Issues as GitLab serves them: refreshes, faults, what is set aside, what a run costs."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from perf_assets.base.corpus import Corpus, read_corpus
from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.months import months_between
from perf_assets.sources import rest_client
from perf_assets.sources.gitlab import client as gitlab_client
from perf_assets.sources.gitlab import host
from perf_assets.sources.issues.batches import IssueBatch
from perf_assets.sources.issues.opening import StoredMonths
from perf_assets.sources.rate_limit import RequestPolicy
from perf_assets.stand_ins.generator import generate
from perf_assets.stand_ins.gitlab.server import GitLabServer, Request
from perf_assets.stand_ins.reply import Reply, json_reply
from tests.effort import some
from tests.github_stand_in import assert_same, load
from tests.sources.gitlab.reading import HASTY, Unreliable, repository_of, source_of
from tests.stand_ins.tracker import RICH, comment, corpus_of, event, issue, moment

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("trusting_auditor")]

MONTHS = months_between("2020-01", "2020-04")
MONTH = ["2021-01"]
OLDEST = datetime(2000, 1, 1, tzinfo=UTC)
LISTED = {"page", "per_page"}
PARAMETERS = {
    "version": set(),
    "issues": {
        *LISTED,
        *("scope", "confidential", "order_by", "sort", "created_after", "created_before"),
        "updated_after",
    },
    "issues_statistics": {"scope", "confidential", "created_after", "created_before"},
    "notes": {*LISTED, "order_by", "sort", "activity_filter"},
    **dict.fromkeys(("resource_state_events", "resource_label_events"), LISTED),
    **dict.fromkeys(("closed_by", "related_merge_requests"), LISTED),
}
"""What GitLab documents for each address, as far as it is used."""


class Answering(GitLabServer):
    """Answers as GitLab would, but for what ``change`` makes of an answer."""

    def __init__(self, corpus: Corpus, change: Callable[[Request, Reply], Reply]) -> None:
        super().__init__([corpus])
        self.change = change

    def respond(self, log: Request) -> Reply:
        return self.change(log, super().respond(log))


def changing(path: str, change: Callable[[Any], object]) -> Callable[[Request, Reply], Reply]:
    """A change of the content of answers whose address ends with ``path``."""

    def changed(log: Request, reply: Reply) -> Reply:
        if not log.path.endswith(path) or reply.status != 200:
            return reply
        return replace(json_reply(200, change(json.loads(reply.body))), headers=reply.headers)

    return changed


def read(change: Callable[[Request, Reply], Reply], corpus: Corpus = RICH) -> IssueBatch:
    with Answering(corpus, change) as server:
        return load(source_of(server, corpus.repository), MONTH)


@pytest.fixture(scope="module")
def expected() -> IssueBatch:
    with GitLabServer([RICH]) as server:
        return load(source_of(server, "o/n"), MONTH)


def test_an_issue_that_was_moved_and_is_still_listed_stays_as_it_is_on_gitlab() -> None:
    batch = read(changing("/issues", lambda found: [{**one, "moved_to_id": 7} for one in found]))
    assert batch.issues.height == len(RICH.issues)


@pytest.mark.parametrize("seed", some(*range(50), few=5))
def test_everything_is_read_whole_whatever_passing_faults_come(
    expected: IssueBatch, seed: int
) -> None:
    patient = RequestPolicy(**{**vars(HASTY), "longest_wait": 60.0})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rest_client, "SHORTEST_PAUSE", 0.001)
        with Unreliable([RICH], seed) as server:
            source = source_of(server, "o/n", patient)
            assert_same(load(source, MONTH), expected)
            found = list(source.iter_changes(OLDEST))
            assert found[-1].batch.issues.height == expected.issues.height
            assert server.faults


@pytest.mark.parametrize(
    "reply",
    [
        json_reply(500, {"message": "500 Internal Server Error"}),
        json_reply(200, None),
        json_reply(200, {"message": "no list"}),
        Reply(200, b"<html>", content_type="text/html"),
        Reply(200, b"[" * 100_000),
        json_reply(401, {"message": "401 Unauthorized"}),
        json_reply(403, {"error": "insufficient_scope"}),
        json_reply(404, {"message": "404 Project Not Found"}),
        Reply(429, b"Retry later", {"Retry-After": "4000"}),
        Reply(429, b"Retry later", {"Retry-After": "soon"}),
        Reply(302, b"", {"Location": "https://example.org/users/sign_in"}),
        Reply(301, b"", {"Location": "https://example.org/api/v4/projects/1"}),
    ],
    ids=lambda reply: f"{reply.status} {reply.body[:12]!r}",
)
@pytest.mark.parametrize("path", ["/issues", "/notes", "/resource_state_events"])
def test_a_fault_that_does_not_pass_ends_with_a_sentence(reply: Reply, path: str) -> None:
    def change(log: Request, good: Reply) -> Reply:
        return reply if log.path.endswith(path) else good

    with pytest.raises(PerfAssetsError, match=r"gitlab\.com/o/n|limit of requests") as raised:
        read(change)
    assert str(raised.value).isprintable()


def endless(log: Request, reply: Reply) -> Reply:
    return replace(reply, headers={**reply.headers, "X-Next-Page": "2"})


def repeated(log: Request, reply: Reply) -> Reply:
    """The first page, whatever was asked for."""
    first = [{"id": n, "iid": n, "created_at": f"2021-01-0{n}T00:00:00Z"} for n in range(1, 9)]
    if not log.path.endswith("/issues"):
        return reply
    return json_reply(200, first, {"X-Next-Page": "2", "X-Total": "8"})


def reversed_order(log: Request, reply: Reply) -> Reply:
    return changing("/issues", lambda found: found[::-1])(log, reply)


@pytest.mark.parametrize("change", [endless, repeated, reversed_order])
def test_pages_without_end_or_order_end_with_a_sentence(change) -> None:
    with pytest.raises(PerfAssetsError, match=r"do not end|not in the order"):
        read(change)


def test_pages_are_read_whole_where_a_proxy_drops_the_headers(expected: IssueBatch) -> None:
    def bare(log: Request, reply: Reply) -> Reply:
        return replace(reply, headers={})

    with pytest.MonkeyPatch.context() as patch, Answering(RICH, bare) as server:
        patch.setattr(gitlab_client, "PER_PAGE", 2)
        source = source_of(server, "o/n")
        assert_same(load(source, MONTH), expected)
        assert source.counts(MONTH) == {"2021-01": len(RICH.issues)}
        assert any("issues_statistics" in request.path for request in server.requests)


def test_many_issues_of_one_moment_are_all_read() -> None:
    at_once = corpus_of([issue(n, 60 if n < 9 else 60 * n) for n in range(1, 20)])
    with GitLabServer([at_once]) as server, pytest.MonkeyPatch.context() as patch:
        patch.setattr(gitlab_client, "PER_PAGE", 3)
        source = source_of(server, "o/n")
        assert load(source, MONTH).issues["number"].to_list() == list(range(1, 20))
        pages = list(source.iter_changes(OLDEST))
        assert pages[-1].batch.issues.height == 19


ODD: list[tuple[str, object]] = [
    ("title", None),
    ("title", 7),
    ("state", None),
    ("state", []),
    ("labels", None),
    ("labels", [None]),
    ("created_at", "yesterday"),
    ("created_at", None),
    ("updated_at", None),
    ("iid", None),
    ("iid", -1),
    ("iid", "1"),
    ("iid", 2**40),
    ("user_notes_count", None),
    ("web_url", "javascript:alert(1)"),
    ("author", {"username": None}),
    ("milestone", {}),
]


@pytest.mark.parametrize(("field", "value"), ODD, ids=str)
def test_an_odd_issue_costs_that_issue(field: str, value: object, expected: IssueBatch) -> None:
    def spoil(found: list[dict]) -> list[object]:
        return [{**one, field: value} if one.get("iid") == 2 else one for one in found]

    batch = read(changing("/issues", spoil))
    assert batch.issues["number"].to_list() == [1, 3, 4, 5]
    assert batch.known_issues == 5
    (gap,) = batch.gaps.iter_rows(named=True)
    assert (gap["entity"], gap["lacks"], gap["kind"]) == ("issues", "entry", "unusable")
    assert gap["reason"].startswith(field)


@pytest.mark.parametrize("entry", [None, 7, "text", [], {}])
def test_an_entry_that_is_not_an_issue_costs_itself(entry: object) -> None:
    batch = read(changing("/issues", lambda found: [*found, entry]))
    assert batch.issues.height == 5
    assert batch.gaps["subject"].to_list() == ["unnamed"]


@pytest.mark.parametrize(
    ("path", "entity"),
    [
        ("/notes", "comments"),
        ("/resource_state_events", "events"),
        ("/resource_label_events", "events"),
        ("/closed_by", "pull_requests"),
    ],
)
@pytest.mark.parametrize(
    "entry",
    [None, 7, {}, {"id": None}, {"id": {}, "source_merge_request_id": {}}, {"id": 5, "body": "x"}],
)
def test_an_odd_entry_of_an_issue_costs_that_entry(
    path: str, entity: str, entry: object, expected: IssueBatch
) -> None:
    batch = read(changing(path, lambda found: [*found, entry] if found else found))
    assert batch.issues.drop("comments", "events").equals(
        expected.issues.drop("comments", "events")
    )
    for part in ("comments", "events", "pull_requests"):
        assert getattr(batch, part).equals(getattr(expected, part)), part
    assert set(batch.gaps["entity"]) == {entity}
    assert batch.announced_comments == batch.comments.height + batch.set_aside("comments")
    assert batch.announced_events == batch.events.height + batch.set_aside("events")


def test_a_closer_that_is_hidden_costs_its_event_nothing_else(expected: IssueBatch) -> None:
    batch = read(changing("merge_requests", lambda _: []))
    assert batch.gaps.select("entity", "lacks", "kind", "entries").rows() == [
        ("events", "closer", "withheld", 1)
    ]
    assert batch.events.height == expected.events.height == batch.announced_events
    assert batch.events.filter(event="closed")["pull_request"].null_count() == 3


def test_words_that_are_new_cost_themselves(expected: IssueBatch) -> None:
    def rename(found: list[dict]) -> list[dict]:
        return [{**one, "state": "paused"} for one in found]

    batch = read(changing("/resource_state_events", rename))
    assert set(batch.gaps["kind"]) == {"unknown"}
    issues = read(changing("/issues", rename)).issues
    assert issues["state"].to_list() == expected.issues["state"].to_list()


HOSTILE = {
    "NUL": "a\x00b",
    "an escape": "\x1b]0;owned\x07\x1b[2J",
    "turned": "\u202egnp.exe",
    "long": "x" * 1_000_000,
    "SQL": "'); DROP TABLE raw.issues; --",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_texts_are_stored_as_they_are(text: str) -> None:
    odd = corpus_of(
        [issue(1, 0, 9, title=text, body=text, user={"login": text}, labels=[{"name": text}])],
        [comment(11, 1, 5, body=text)],
        [event(21, 1, "renamed", 2, rename={"from": text, "to": text})],
    )
    with GitLabServer([odd]) as server:
        batch = load(source_of(server, "o/n"), MONTH)
    row = batch.issues.row(0, named=True)
    assert [row[name] for name in ("title", "body", "author")] == [text] * 3
    assert row["labels"] == [text]
    assert batch.comments["body"].to_list() == [text]
    assert batch.events.select("previous_title", "current_title").row(0) == (text, text)


def test_halves_of_characters_are_replaced() -> None:
    def halve(log: Request, reply: Reply) -> Reply:
        return replace(reply, body=reply.body.replace(b'"Issue 1"', b'"Half \\ud83d"'))

    assert read(halve).issues["title"][0] == "Half \ufffd"


def test_what_is_confidential_is_never_stored() -> None:
    secret = corpus_of(
        [issue(1, 0, 9), issue(2, 1, 9, confidential=True, title="secret")],
        [comment(11, 1, 5), comment(12, 1, 6, internal=True, body="secret")],
    )

    def ignoring(log: Request, reply: Reply) -> Reply:
        """A server that lets the filter pass, and shows internal notes."""
        if log.path.endswith("/issues"):
            asked = {key: one for key, one in log.parameters.items() if key != "confidential"}
            return GitLabServer.respond(server, replace(log, parameters=asked))
        if log.path.endswith("/1/notes"):
            notes = server._projects["o/n"].notes(1)
            return json_reply(200, notes, {"X-Next-Page": ""})
        return reply

    with Answering(secret, ignoring) as server:
        batch = load(source_of(server, "o/n"), MONTH)
        changes = list(source_of(server, "o/n").iter_changes(OLDEST))[-1].batch
        assert source_of(server, "o/n").find_removed([1, 2])[0].number == 2
    for found in (batch, changes):
        assert found.issues["number"].to_list() == [1]
        assert "secret" not in str([frame.rows() for frame in vars(found).values()])
        assert found.comments["comment_id"].to_list() == [11]
        assert found.announced_comments == 2 == 1 + found.set_aside("comments")


def test_an_issue_that_is_deleted_while_it_is_read_is_left_out() -> None:
    def gone(log: Request, reply: Reply) -> Reply:
        is_gone = "/issues/2" in log.path
        return json_reply(404, {"message": "404 Not found"}) if is_gone else reply

    assert read(gone).issues["number"].to_list() == [1, 3, 4, 5]


def test_a_renamed_project_is_read_under_its_name_in_the_study(expected: IssueBatch) -> None:
    renamed = replace(RICH, repository="new/place", former_names=("o/n",))
    with GitLabServer([renamed]) as server:
        batch = load(source_of(server, "o/n"), MONTH)
    assert batch.issues.drop("html_url").equals(expected.issues.drop("html_url"))


def test_old_servers_tell_closings_as_texts() -> None:
    def old(log: Request, reply: Reply) -> Reply:
        if log.path.endswith("/resource_state_events"):
            return json_reply(200, [])
        texts = {1: "closed via merge request !90", 2: f"closed via commit {'ab' * 20}"}
        for number, text in texts.items():
            if log.path.endswith(f"/issues/{number}/notes"):
                note = json.loads(reply.body)[0]
                note |= {"id": 99 + number, "system": True, "body": text, "created_at": moment(20)}
                return json_reply(200, [note], {"X-Next-Page": ""})
        if log.path.endswith("/issues"):
            found = [
                {key: one for key, one in entry.items() if key != "closed_at"}
                for entry in json.loads(reply.body)
            ]
            return json_reply(200, found, reply.headers)
        return reply

    batch = read(old)
    closes = batch.events.filter(event="closed")
    assert closes["pull_request"].to_list() == [90, None]
    assert closes["commit_sha"].to_list() == ["ab" * 20, "ab" * 20]
    assert batch.pull_requests["relation"].to_list() == ["closer", "linked"]
    assert batch.issues.filter(number=2)["closed_at"].item() == closes["created_at"][1]


@pytest.fixture(scope="module")
def thousand(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    directory = tmp_path_factory.mktemp("corpora") / "corpus"
    generate(directory, seed=62, issues=1000, months=15, commits=20)
    return read_corpus(directory)


def test_requests_are_those_that_gitlab_documents_and_few(
    thousand: Corpus, capsys: pytest.CaptureFixture[str]
) -> None:
    months = months_between("2020-01", "2021-03")
    with GitLabServer([thousand]) as server:
        source = source_of(server, thousand.repository)
        batch = load(source, months)
        load_requests = Counter(_kind(request) for request in server.requests)
        newest = batch.issues["updated_at"].max()
        assert isinstance(newest, datetime)
        server.requests.clear()
        list(source.iter_changes(newest, [months]))
        refresh_requests = Counter(_kind(request) for request in server.requests)
        list(source.iter_changes(newest + timedelta(seconds=1), [months]))
        everything = [*server.requests]
    with capsys.disabled():
        print(f"\n1,000 issues: {load_requests.total():,} requests, {dict(load_requests)}")
        print(f"a refresh without changes: {dict(refresh_requests)}")
    assert batch.issues.height == 1000
    assert load_requests.total() <= host.requests_for(dict.fromkeys(months, 1000 // len(months)))
    assert refresh_requests.total() <= 6
    for request in everything:
        assert request.parameters.keys() <= PARAMETERS[_kind(request)], request
        assert request.status == 200


def _kind(request: Request) -> str:
    return request.path.rpartition("/")[2]


LOCAL = "GITLAB_TOKEN_127_0_0_1"


@pytest.fixture
def no_tokens(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    for name in ("GITLAB_TOKEN", LOCAL):
        monkeypatch.delenv(name, raising=False)
    yield monkeypatch


class Asking(GitLabServer):
    """Serves nothing without a token, as GitLab does for notes; it knows by a test alone."""

    def respond(self, log: Request) -> Reply:
        return json_reply(401, {"message": "401 Unauthorized"})


def test_a_token_that_is_missing_or_refused_is_named_and_not_shown(no_tokens, caplog) -> None:
    with Asking([RICH]) as server:
        repository = repository_of("o/n", server.url)
        (missing,) = host.out_of_reach([repository]).values()
        no_tokens.setenv(LOCAL, "glpat-canary")
        (refused,) = host.out_of_reach([repository]).values()
        with host.open_source(repository, 0) as source, pytest.raises(PerfAssetsError) as raised:
            source.newest()
        assert len(server.requests) == 3
    assert "accounts alone" in str(missing) and f"set {LOCAL}" in str(missing)
    assert f"the token in {LOCAL} is refused" in str(refused)
    for text in (str(refused), str(raised.value), caplog.text):
        assert "canary" not in text


def test_a_token_is_for_one_host_whatever_a_study_says(no_tokens) -> None:
    """A study of somebody else may name any address as that of the API."""
    no_tokens.setenv("GITLAB_TOKEN", "glpat-canary")
    usual = repository_of("o/n", "https://gitlab.com/api/v4")
    other = repository_of("o/n", "https://git.example.org:8443/api/v4")
    assert host.variable_of(usual) == "GITLAB_TOKEN"
    assert host.variable_of(other) == "GITLAB_TOKEN_GIT_EXAMPLE_ORG"
    with closing(host.open_client(usual, 0)) as one, closing(host.open_client(other, 0)) as two:
        assert (one.has_token, two.has_token) == (True, False)


def test_a_token_is_never_sent_where_others_can_read_it(no_tokens) -> None:
    no_tokens.setenv("GITLAB_TOKEN_GITLAB_EXAMPLE_ORG", "glpat-canary")
    repository = repository_of("o/n", "http://gitlab.example.org/api/v4")
    (trouble,) = host.out_of_reach([repository]).values()
    assert "over plain http" in str(trouble) and "canary" not in str(trouble)


def test_a_server_that_is_not_gitlab_is_out_of_reach(no_tokens) -> None:
    with GitLabServer([RICH]) as server:
        good = repository_of("o/n", server.url)
        wrong = repository_of("o/other", server.url.removesuffix("/api/v4"))
        troubles = host.out_of_reach([good, wrong])
        assert len(server.requests) == 2
    assert troubles.keys() == {"gitlab.com/o/other"}
    assert "this is not GitLab's API" in str(troubles["gitlab.com/o/other"])


def test_doctor_reports_what_there_is_to_read(no_tokens) -> None:
    said: list[str] = []
    stored = StoredMonths({}, MONTH, 0)
    with GitLabServer([RICH]) as server:
        good = repository_of("o/n", server.url)
        missing = repository_of("o/nothing", server.url)
        assert host.examine([good], lambda _: stored, said.append)
        assert not host.examine([good, missing], lambda _: stored, said.append)
    assert "gitlab.com/o/n" in said[0] and "1 months with 5 issues to load" in said[0]
    assert "404" in said[2] and "gitlab.com/o/nothing" in said[2]
    assert host.cost_of({"2021-01": 1000}) == "about 3,304 requests"
