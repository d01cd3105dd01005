"""The API: polite requests, and answers that go wrong."""

import threading
import time
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from perf_assets.base.errors import PerfAssetsError
from perf_assets.config.forums import Forum
from perf_assets.sources.rate_limit import RequestPolicy
from perf_assets.sources.stackexchange import api_questions
from perf_assets.sources.stackexchange.api_client import KEY, ApiClient
from perf_assets.sources.stackexchange.api_questions import StackExchangeQuestions
from perf_assets.sources.stackexchange.api_shapes import Question
from perf_assets.stand_ins.stackexchange.site import Site, read_site
from tests.forum_places import SITE, forum_of, planned, written
from tests.unreliable_forum import Faults, UnreliableForum

QUICK = RequestPolicy(first_pause=0.001, longest_pause=0.01, answer=5.0, longest_wait=5.0)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    return read_site(written(tmp_path_factory.mktemp("forum"), planned()))


def source(
    server: UnreliableForum, forum: Forum | None = None, **options: object
) -> StackExchangeQuestions:
    forum = forum or forum_of(api_url=server.url)
    client = ApiClient(server.url, forum.site, patience=QUICK, **options)  # type: ignore[arg-type]
    return StackExchangeQuestions(client, forum, forum.tag_sets[0])


def everything(one: StackExchangeQuestions) -> list[tuple[object, ...]]:
    months = [one.month(month).batch for month in one.tag_set.months]
    return [row for batch in months for frame in batch.frames.values() for row in frame.rows()]


def test_it_describes_what_the_site_has(site) -> None:
    with UnreliableForum({SITE: site}) as server:
        one = source(server)
        batches = [one.month(month).batch for month in one.tag_set.months]
    stored = {row["question_id"]: row for b in batches for row in b.questions.iter_rows(named=True)}
    ours = {"tensorkit", "tensorkit-lite"}
    mine = {n: item for n, item in site.questions.items() if ours & set(item["tags"])}
    assert stored.keys() == mine.keys()
    for number, row in stored.items():
        assert row["body_html"] == mine[number]["body"]
        assert row["views"] == mine[number]["view_count"]
        assert row["created_at"] == datetime.fromtimestamp(mine[number]["creation_date"], UTC)
    answers = {row for b in batches for row in b.answers["answer_id"]}
    assert answers == {n for n, item in site.answers.items() if item["question_id"] in mine}


def test_titles_are_texts_and_no_html(site) -> None:
    with UnreliableForum({SITE: site}) as server:
        forum = forum_of(api_url=server.url)
        client = ApiClient(server.url, forum.site, patience=QUICK)
        both = [StackExchangeQuestions(client, forum, tag_set) for tag_set in forum.tag_sets]
        titles = {
            title
            for one in both
            for month in one.tag_set.months
            for title in one.month(month).batch.questions["title"]
        }
    assert any("&amp;" in item["title"] for item in site.questions.values())
    assert 'Why does "a < b && c" say &lt;None&gt;?' in titles


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_whatever_goes_wrong_the_rows_are_the_same(site, seed) -> None:
    with UnreliableForum({SITE: site}) as server:
        expected = everything(source(server))
    with UnreliableForum({SITE: site}, faults=Faults(seed, 0.4)) as server:
        assert everything(source(server)) == expected
        assert any(request.fault for request in server.requests)


@pytest.mark.slow
def test_a_pause_that_it_asks_for_is_kept_to_the_second(site) -> None:
    faults = Faults(3, 0.3, kinds=("backoff", "throttle"), wait=1)
    waited: list[str] = []
    with UnreliableForum({SITE: site}, faults=faults) as server:
        one = source(server, on_wait=waited.append)
        started = time.monotonic()
        one.month("2020-02")
        seconds = time.monotonic() - started
        requests = [request for request in server.requests if request.fault]
        assert requests and seconds >= len(requests) - 1
        assert not any(request.is_impolite for request in server.requests)


def test_methods_have_pauses_of_their_own(site) -> None:
    with UnreliableForum({SITE: site}) as server:
        client = ApiClient(server.url, SITE, patience=QUICK)
        client._rests["questions"] = time.time() + 60
        started = time.monotonic()
        answered = {answer["question_id"] for answer in site.answers.values()}
        number = min(site.questions.keys() - answered)
        list(client.items("questions/answers", f"questions/{number}/answers", Question))
        assert time.monotonic() - started < 50  # the pause of questions is 60


def test_when_the_quota_is_used_up_it_stops_and_says_what_to_do(site, monkeypatch) -> None:
    monkeypatch.delenv(KEY, raising=False)
    with UnreliableForum({SITE: site}, quota=3) as server:
        one = source(server)
        with pytest.raises(PerfAssetsError) as error:
            everything(one)
        assert len(server.requests) == 3
        assert not any(request.is_impolite for request in server.requests)
    assert "the quota of requests is used up" in str(error.value)
    assert KEY in str(error.value) and "what was stored is kept" in str(error.value)


def test_a_quota_that_others_used_up_is_waited_for_as_long_as_it_says(site) -> None:
    with UnreliableForum({SITE: site}, quota=0) as server:
        with pytest.raises(PerfAssetsError, match="used up for 24 h 0 min, longer than"):
            source(server).month("2020-01")
        assert len(server.requests) == 1


def test_the_key_goes_to_the_api_and_nowhere_else(site, monkeypatch, capfd, caplog) -> None:
    monkeypatch.setenv(KEY, "s3cret")
    with UnreliableForum({SITE: site}) as server:
        source(server).check_tags()
        assert server.requests[-1].parameters["key"] == "s3cret"
    with pytest.raises(PerfAssetsError) as error:
        source(server).month("2020-01")  # nobody listens any more
    stored = str(error.value) + "".join(capfd.readouterr()) + caplog.text
    assert "cannot be queried about stackoverflow" in stored and "s3cret" not in stored


def test_the_key_is_never_sent_where_others_can_read_it(monkeypatch) -> None:
    monkeypatch.setenv(KEY, "s3cret")
    with pytest.raises(PerfAssetsError, match="over plain http") as error:
        ApiClient("http://api.example.org", SITE)
    assert "s3cret" not in str(error.value)


@pytest.mark.parametrize(
    ("site_name", "tags", "message"),
    [
        ("nowhere", ("tensorkit",), "refuses to answer about nowhere (bad_parameter"),
        (SITE, ("tensorkitt",), "stackoverflow has no tag tensorkitt: check the tags"),
    ],
)
def test_an_unknown_site_or_tag_is_reported(site, site_name, tags, message) -> None:
    with UnreliableForum({SITE: site}) as server:
        forum = Forum(
            name="f", tags={"x": tags}, start="2020-01", api_url=server.url, site=site_name
        )
        one = source(server, forum)
        with pytest.raises(PerfAssetsError) as error:
            one.check_tags()
    assert message in str(error.value)


def test_an_address_that_is_not_an_api_is_reported(site) -> None:
    with UnreliableForum({SITE: site}) as server:
        client = ApiClient(f"{server.url}/elsewhere", SITE, patience=QUICK)
        with pytest.raises(PerfAssetsError, match=r"refuses to answer .*: check api_url"):
            list(client.items("questions", "questions", Question))


def test_an_answer_that_is_not_as_documented_is_reported_with_its_field(site) -> None:
    spoilt = Site({1: {**next(iter(site.questions.values())), "score": "many"}}, {})
    with UnreliableForum({SITE: spoilt}) as server:
        client = ApiClient(server.url, SITE, patience=QUICK)
        with pytest.raises(PerfAssetsError, match=r"an item of questions .*score: input should be"):
            list(client.items("questions", "questions", Question))


def test_lists_too_long_for_the_pages_are_requested_in_parts(site, monkeypatch) -> None:
    with UnreliableForum({SITE: site}) as server:
        expected = everything(source(server))
    monkeypatch.setattr(api_questions, "MOST", 4)
    with UnreliableForum({SITE: site}) as server:
        assert everything(source(server)) == expected


def test_what_changed_is_found_also_where_a_page_does_not_hold_it(site, monkeypatch) -> None:
    monkeypatch.setattr("perf_assets.sources.stackexchange.api_client.PAGE", 3)
    since = datetime(2020, 3, 1, tzinfo=UTC)
    with UnreliableForum({SITE: site}) as server:
        one = source(server)
        found = [n for read in one.changed(since) for n in read.batch.questions["question_id"]]
    ours = {"tensorkit", "tensorkit-lite"}
    wanted = {
        number
        for number, item in site.questions.items()
        if ours & set(item["tags"]) and item["last_activity_date"] >= since.timestamp()
    }
    assert set(found) == wanted


def test_many_changes_in_one_second_are_all_found(site, monkeypatch) -> None:
    monkeypatch.setattr("perf_assets.sources.stackexchange.api_client.PAGE", 3)
    moment = int(datetime(2020, 5, 1, tzinfo=UTC).timestamp())
    at_once = {n: {**q, "last_activity_date": moment} for n, q in site.questions.items()}
    with UnreliableForum({SITE: Site(at_once, site.answers)}) as server:
        one = source(server)
        since = datetime(2020, 5, 1, tzinfo=UTC)
        found = {n for read in one.changed(since) for n in read.batch.questions["question_id"]}
    ours = {"tensorkit", "tensorkit-lite"}
    assert found == {n for n, item in at_once.items() if ours & set(item["tags"])}


def test_the_stand_in_serves_what_the_dump_has(tmp_path: Path) -> None:
    """Read by another parser than the one it is compared with."""
    forum = planned(20)
    site = read_site(written(tmp_path, forum))
    assert {question.number for question in forum.questions} == site.questions.keys()
    for question in forum.questions:
        item = site.questions[question.number]
        assert item["body"].replace("\r\n", "\n") == question.text.html.replace("\r\n", "\n")
        assert ("closed_reason" in item) == (question.closed is not None)


def test_a_redirection_to_another_host_gets_neither_request_nor_key(monkeypatch, site) -> None:
    monkeypatch.setenv(KEY, "s3cret")
    requests: list[str] = []

    class Redirecting(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            requests.append(self.path)
            self.send_response(302)
            self.send_header("Location", f"{elsewhere}{self.path}")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with UnreliableForum({SITE: site}) as other:
        elsewhere = other.url
        server = ThreadingHTTPServer(("127.0.0.1", 0), Redirecting)
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        client = ApiClient(f"http://127.0.0.1:{server.server_port}", SITE, patience=QUICK)
        with pytest.raises(PerfAssetsError) as error:
            list(client.items("questions", "questions", Question))
        server.shutdown()
        server.server_close()
        assert requests and other.requests == [] and "s3cret" not in str(error.value)
