"""Questions of Discourse: which topics and posts are questions and answers, and polite requests."""

import json
import time
from contextlib import closing
from datetime import UTC, datetime

import pytest
from pydantic import ValidationError

from perf_assets.base.errors import PerfAssetsError
from perf_assets.config.forums import Forum
from perf_assets.sources.discourse import questions as reading
from perf_assets.sources.discourse.client import DiscourseClient
from perf_assets.sources.discourse.questions import DiscourseQuestions
from perf_assets.sources.rate_limit import RequestPolicy
from perf_assets.stand_ins.discourse.server import DiscourseServer
from perf_assets.stand_ins.http_server import LoopbackServer
from perf_assets.stand_ins.reply import Reply, json_reply
from perf_assets.stand_ins.stackexchange.site import Site, read_site
from tests.forum_places import planned, written
from tests.sources.github.recordings import files, material
from tests.unreliable_discourse import UnreliableDiscourse, slowed_down, throttled
from tests.unreliable_forum import Faults

PERCEVAL = "chaoss/grimoirelab-perceval"
QUICK = RequestPolicy(first_pause=0.001, longest_pause=0.01, answer=5.0, longest_wait=5.0)
POST = {
    "id": 10,
    "post_number": 1,
    "post_type": 1,
    "user_id": 7,
    "username": "ann",
    "created_at": "2020-01-05T10:00:00.123Z",
    "cooked": "<p>Why is it slow?</p>",
    "actions_summary": [{"id": 2, "count": 3}, {"id": 4, "count": 9}],
}
TOPIC = {
    "id": 1,
    "title": "a < b && c",
    "fancy_title": "a &lt; b &amp;&amp; c",
    "created_at": "2020-01-05T10:00:00.123Z",
    "bumped_at": "2020-01-06T10:00:00.000Z",
    "views": 12,
    "closed": False,
    "archived": False,
    "tags": ["Speed", {"id": 5, "name": "cpu", "slug": "cpu"}],
    "category_id": 4,
}
CATEGORIES = {
    "category_list": {
        "categories": [{"id": 4, "slug": "", "subcategory_list": None}, {"id": "odd"}]
    }
}


class Pages(LoopbackServer):
    """Answers with given pages; a page may be a reply, or a list of pages in their turn."""

    def __init__(self, **pages: object) -> None:
        super().__init__()
        self.pages = {name.replace("__", "/") + ".json": page for name, page in pages.items()}
        self.pages.setdefault("categories.json", CATEGORIES)
        self.requests: list[str] = []

    def answer(self, method: str, target: str, authorization: str, body: bytes) -> Reply:
        self.requests.append(target)
        page = self.pages.get(target.strip("/").partition("?")[0])
        if isinstance(page, list):
            page = page.pop(0) if len(page) > 1 else page[0]
        if page is None:
            return json_reply(404, {"errors": ["not found"]})
        return page if isinstance(page, Reply) else json_reply(200, page)


def listed(*topics: object, more: bool = False) -> dict[str, object]:
    rest = {"more_topics_url": "/latest?page=1"} if more else {}
    return {"topic_list": {"topics": list(topics), **rest}}


def topic(*posts: dict[str, object], **changes: object) -> dict[str, object]:
    stream = {"posts": list(posts), "stream": [post["id"] for post in posts]}
    return {**TOPIC, "post_stream": stream, **changes}


def post(number: int, **changes: object) -> dict[str, object]:
    return {**POST, "id": 9 + number, "post_number": number, "actions_summary": [], **changes}


def forum_at(url: str, *tags: str) -> Forum:
    return Forum(
        name="f", kind="discourse", tags={"x": tags}, start="2020-01", end="2020-06", api_url=url
    )


def source(server: LoopbackServer, *tags: str, **options: object) -> DiscourseQuestions:
    forum = forum_at(server.url, *tags)
    client = DiscourseClient(server.url, patience=QUICK, **options)  # type: ignore[arg-type]
    return DiscourseQuestions(client, forum, forum.tag_sets[0])


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    return read_site(written(tmp_path_factory.mktemp("forum"), planned(30)))


def test_a_topic_is_a_question_and_its_later_posts_are_answers() -> None:
    posts = (
        POST,
        post(2, accepted_answer=True, user_id=None, username="gone"),
        post(3, post_type=3, action_code="autoclosed.enabled", created_at="2020-02-01T00:00:00Z"),
        post(4, post_type=4, cooked="a whisper"),
        post(5, user_deleted=True),
        post(6, deleted_at="2020-01-07T00:00:00Z"),
        post(7, post_type=2),
        post(8, cooked=None),
    )
    page = topic(*posts, closed=True, accepted_answer={"post_number": 2, "username": "gone"})
    with Pages(latest=listed(TOPIC), t__1=page) as server, closing(source(server)) as one:
        batch = one.month("2020-01").batch
    (question,) = batch.questions.to_dicts()
    assert question["title"] == "a < b && c"
    assert question["text"] == "Why is it slow?"
    assert question["tags"] == ["speed", "cpu", "category:4-category"]
    assert (question["score"], question["views"], question["answers"]) == (3, 12, 2)
    assert (question["owner"], question["accepted_answer_id"]) == ("7", 11)
    assert question["last_activity_at"] == datetime(2020, 1, 6, 10, tzinfo=UTC)
    assert question["closed_at"] == datetime(2020, 2, 1, tzinfo=UTC)
    assert question["closed_reason"] == "autoclosed"
    assert question["html_url"] == f"{server.url}/t/1"
    assert batch.answers["answer_id"].to_list() == [11, 16]
    assert batch.answers["is_accepted"].to_list() == [True, False]
    assert batch.answers["owner"].to_list() == ["gone", "7"]
    assert batch.comments.is_empty()


@pytest.mark.parametrize(
    "page",
    [
        None,
        Reply(410, b"{}"),
        topic(post(1, user_deleted=True)),
        topic(post(2)),
        topic(),
        topic(POST, deleted_at="2020-01-08T00:00:00Z"),
        topic(POST, created_at="2020-02-08T00:00:00Z"),
    ],
)
def test_a_topic_that_is_gone_or_elsewhere_by_now_is_left_out(page) -> None:
    with Pages(latest=listed(TOPIC), t__1=page) as server:
        read = source(server).month("2020-01")
    assert (read.questions, read.answers, read.batch.questions.height) == (0, 0, 0)


def test_an_odd_row_costs_that_row(caplog) -> None:
    odd = ({**TOPIC, "id": 2, "created_at": "20200105"}, {"id": 3}, 7, {**TOPIC, "id": "4"})
    page = topic(POST, post(2), post(3, cooked=7), post(4, created_at="0001-01-01T00:00:00Z"))
    with Pages(latest=listed(*odd, TOPIC), t__1=page) as server:
        batch = source(server).month("2020-01").batch
    assert batch.questions["question_id"].to_list() == [1]
    assert batch.answers["answer_id"].to_list() == [11]
    assert "left out listedtopic: created_at" in caplog.text


def test_a_page_that_is_not_as_documented_is_reported_with_its_field() -> None:
    sentence = r"latest.json is not as documented \(topic_list.topics: field required"
    with Pages(latest={"topic_list": {}}) as server, pytest.raises(PerfAssetsError, match=sentence):
        source(server).month("2020-01")


def test_posts_beyond_the_first_are_requested_in_parts(site, monkeypatch) -> None:
    monkeypatch.setattr(reading, "POSTS_AT_ONCE", 2)
    ways = []
    for chunk in (1, 20):
        with DiscourseServer(site, chunk=chunk) as server:
            one = source(server)
            ways.append([one.month(month).batch for month in one.tag_set.months])
    for few, all_at_once in zip(*ways, strict=True):
        assert few.answers.equals(all_at_once.answers)
        assert few.questions.drop("html_url").equals(all_at_once.questions.drop("html_url"))


@pytest.mark.parametrize("tags", [("tensorkit",), ("category:gpu",), ("category:usage",), ()])
def test_tags_and_categories_choose_topics_whatever_is_pinned(site, tags, monkeypatch) -> None:
    monkeypatch.setattr(reading, "PAGE", 5)
    pinned = sorted(site.questions)[:3]
    with DiscourseServer(site, pinned=pinned) as server:
        one = source(server, *tags)
        one.check_tags()
        months = [one.month(month).batch.questions for month in one.tag_set.months]
        since = datetime(2020, 3, 1, tzinfo=UTC)
        changed = [n for read in one.changed(since) for n in read.batch.questions["question_id"]]
        newest = one.newest_activity()
    wanted = {
        "tensorkit": lambda tags: "tensorkit" in tags,
        "category:gpu": lambda tags: "gpu" in tags,
    }.get(*tags or [""], lambda _: True)
    mine = {n: q for n, q in site.questions.items() if wanted(q["tags"])}
    assert {n for month in months for n in month["question_id"]} == mine.keys()
    active = {
        n: max([q["creation_date"], *(a["creation_date"] for a in answers_of(site, n))])
        for n, q in mine.items()
    }
    assert set(changed) == {n for n, at in active.items() if at >= since.timestamp()}
    assert newest is not None and newest.timestamp() == max(active.values())


def answers_of(site: Site, number: int) -> list[dict[str, object]]:
    return [answer for answer in site.answers.values() if answer["question_id"] == number]


@pytest.mark.parametrize("tag", ["tensorkitt", "category:nowhere"])
def test_an_unknown_tag_or_category_is_reported(site, tag) -> None:
    with DiscourseServer(site) as server:
        with pytest.raises(PerfAssetsError, match=f"has no tag or category {tag}: check the tags"):
            source(server, tag).check_tags()
        source(server, tag, "gradlib").check_tags()


def test_lists_are_read_once_for_all_months(site) -> None:
    with DiscourseServer(site) as server:
        one = source(server)
        for month in one.tag_set.months:
            one.month(month)
        assert sum(request.path == "latest.json" for request in server.requests) == 1


@pytest.mark.slow
def test_a_pause_that_it_asks_for_is_kept_to_the_second(site) -> None:
    with UnreliableDiscourse(site, faults=Faults(3, 0.3, wait=1)) as server:
        one = source(server, on_wait=lambda _: None)
        started = time.monotonic()
        one.month("2020-02")
        seconds = time.monotonic() - started
        pauses = [r for r in server.requests if r.fault in {"throttle", "slow_down"}]
        assert pauses and seconds >= len(pauses) - 1
        assert not any(request.is_impolite for request in server.requests)


@pytest.mark.parametrize("refusal", [throttled(3600), slowed_down(3600), Reply(429, b"[]")])
def test_a_pause_longer_than_allowed_ends_the_run_with_what_to_do(refusal) -> None:
    with Pages(latest=refusal) as server:
        with pytest.raises(
            PerfAssetsError, match="the forum requires a pause, longer than"
        ) as error:
            source(server).month("2020-01")
        assert len(server.requests) == 1
    assert "what was stored is kept" in str(error.value)


@pytest.mark.parametrize("status", [301, 302, 400, 422])
def test_an_address_that_is_not_a_forum_is_reported(status) -> None:
    elsewhere = Reply(status, b"", {"Location": "https://example.org/"})
    with Pages(latest=elsewhere) as server:
        with pytest.raises(PerfAssetsError, match=r"refuses to answer .*check api_url and tags"):
            source(server).month("2020-01")
        assert len(server.requests) == 1


@pytest.mark.parametrize(
    "table",
    [
        {"kind": "discourse"},
        {"kind": "discourse", "api_url": "https://x.org", "dump": "Posts.xml"},
        {"tags": {"x": ["category:gpu"]}},
        {"tags": {"x": ["a" * 36]}},
        {"kind": "phpbb"},
    ],
)
def test_a_forum_that_does_not_fit_together_is_refused(table) -> None:
    with pytest.raises(ValidationError):
        Forum(**{"name": "f", "tags": {"x": ["a"]}, "start": "2020-01", **table})


def test_answers_of_a_real_forum_are_read() -> None:
    """Those that Perceval recorded; see tests/sources/github/recordings.py for where they are."""
    path = material(PERCEVAL)
    if path is None:
        pytest.skip(f"{PERCEVAL} was not fetched: set PERF_ASSETS_RECORDINGS")
    found = [json.loads(text) for _, text in files(path, "tests/data/discourse/*_topic_*.json")]
    pages = {f"t__{page['id']}": page for page in found}
    topics = [{**page, "bumped_at": page["last_posted_at"]} for page in pages.values()]
    with Pages(latest=listed(*topics), **pages) as server:
        forum = Forum(
            name="f", kind="discourse", tags={"x": []}, start="2016-01", api_url=server.url
        )
        client = DiscourseClient(server.url, patience=QUICK)
        one = DiscourseQuestions(client, forum, forum.tag_sets[0])
        months = sorted({page["created_at"][:7] for page in pages.values()})
        batches = [one.month(month).batch for month in months]
    assert sum(batch.questions.height for batch in batches) == len(pages)
    posts = sum(len(page["post_stream"]["posts"]) for page in pages.values())
    numbers = {p["id"] for page in pages.values() for p in page["post_stream"]["posts"]}
    assert sum(batch.answers.height for batch in batches) <= posts - len(pages)
    assert {n for batch in batches for n in batch.answers["answer_id"]} <= numbers
    assert all(batch.questions["text"].str.len_chars().min() for batch in batches)


def test_a_list_whose_pages_do_not_end_ends_in_a_sentence() -> None:
    endless = listed(topic(post(1)), more=True)
    with Pages(latest=endless, t__1=topic(post(1))) as server:
        with pytest.raises(PerfAssetsError, match="the pages of a list of the forum do not end"):
            source(server).month("2020-01")
        assert len(server.requests) < 20


def test_a_topic_that_has_another_address_is_read_there() -> None:
    """Not at another host, see test_an_address_that_is_not_a_forum_is_reported."""
    moved = Reply(301, b"", {"Location": "/t/slow/1.json"})
    with Pages(latest=listed(topic(post(1))), t__1=moved, t__slow__1=topic(post(1))) as server:
        assert source(server).month("2020-01").batch.questions.height == 1
