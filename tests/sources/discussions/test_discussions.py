"""Questions of GitHub Discussions: which are read, and the documents that are sent."""

import json
from datetime import UTC, datetime

import pytest
from graphql import build_schema, find_breaking_changes, parse, validate

from perf_assets.base.errors import PerfAssetsError
from perf_assets.config.forums import Forum
from perf_assets.sources.forums import QuestionSource, open_questions
from perf_assets.sources.github.discussions import queries
from perf_assets.sources.rate_limit import RequestPolicy
from perf_assets.stand_ins.discussions.schema import SCHEMA
from perf_assets.stand_ins.discussions.server import REPOSITORY, DiscussionServer
from perf_assets.stand_ins.reply import Reply, json_reply
from perf_assets.stand_ins.stackexchange.site import Site, read_site
from tests.forum_places import planned, written
from tests.published_schema import UnavailableError, published_schema

QUICK = RequestPolicy(first_pause=0.001, longest_pause=0.01, answer=5.0, longest_wait=5.0)
DOCUMENTS = ("DISCUSSIONS", "CATEGORIES", "LABEL", "MORE_COMMENTS", "MORE_REPLIES")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    return read_site(written(tmp_path_factory.mktemp("forum"), planned(30)))


def source(server: DiscussionServer, *tags: str, site: str = REPOSITORY) -> QuestionSource:
    forum = Forum(
        name="f",
        kind="github",
        site=site,
        tags={"x": tags},
        start="2020-01",
        end="2020-06",
        api_url=server.url,
    )
    return open_questions(forum, forum.tag_sets[0], QUICK)


@pytest.mark.parametrize("tags", [("tensorkit",), ("category:gpu",), ()])
def test_labels_and_categories_choose_discussions(site, tags) -> None:
    with DiscussionServer(site, largest=7) as server:
        one = source(server, *tags)
        one.check_tags()
        months = [one.month(month).batch.questions for month in one.tag_set.months]
        since = datetime(2020, 3, 1, tzinfo=UTC)
        changed = [n for read in one.changed(since) for n in read.batch.questions["question_id"]]
    wanted = {"tensorkit": "tensorkit", "category:gpu": "gpu"}.get(*tags or [""])
    mine = {n for n, q in site.questions.items() if wanted is None or wanted in q["tags"]}
    assert {n for month in months for n in month["question_id"]} == mine
    assert set(changed) == {
        n for n in mine if site.questions[n]["last_activity_date"] >= since.timestamp()
    }
    assert months[0]["html_url"].str.starts_with(f"https://github.com/{REPOSITORY}/disc").all()


def test_long_lists_of_comments_and_replies_are_read_to_their_end(site) -> None:
    ways = []
    for largest in (1, 100):
        with DiscussionServer(site, largest=largest) as server:
            one = source(server)
            ways.append([one.month(month).batch for month in one.tag_set.months])
    for few, whole in zip(*ways, strict=True):
        assert few.answers.equals(whole.answers)
        assert few.comments.equals(whole.comments)
    assert sum(batch.comments.height for batch in ways[0])


def test_what_is_not_a_question_is_left_out_and_reported(site) -> None:
    with DiscussionServer(site) as server:
        with pytest.raises(PerfAssetsError, match="no label or category of questions category:id"):
            source(server, "category:ideas").check_tags()
        with pytest.raises(PerfAssetsError, match="has no repository octo/none"):
            source(server, site="octo/none").check_tags()


@pytest.mark.parametrize("site_name", ["stackoverflow", "owner/name/more", "../x"])
def test_a_site_that_is_not_a_repository_is_refused(site_name) -> None:
    with pytest.raises(ValueError, match="site"):
        Forum(name="f", kind="github", site=site_name, tags={"x": []}, start="2020-01")


@pytest.mark.parametrize("name", DOCUMENTS)
def test_documents_are_valid_at_the_stand_in(name) -> None:
    assert validate(build_schema(SCHEMA), parse(getattr(queries, name))) == []


@pytest.mark.slow
def test_documents_and_stand_in_are_as_github_publishes() -> None:
    try:
        published = published_schema()
    except UnavailableError as error:
        pytest.skip(str(error))
    for name in DOCUMENTS:
        assert validate(published, parse(getattr(queries, name))) == []
    assert find_breaking_changes(build_schema(SCHEMA), published) == []


def test_a_cursor_that_is_repeated_ends_in_a_sentence(site) -> None:
    cursors: list[str] = []

    class Circling(DiscussionServer):
        def answer(self, method: str, target: str, authorization: str, body: bytes) -> Reply:
            reply = super().answer(method, target, authorization, body)
            content = json.loads(reply.body)
            found = (content["data"].get("repository") or {}).get("discussions")
            if found:
                cursors.append(found["pageInfo"]["endCursor"])
                found["pageInfo"] = {"hasNextPage": True, "endCursor": cursors[0]}
            return json_reply(reply.status, content)

    with Circling(site) as server, pytest.raises(PerfAssetsError, match="cursor of the next page"):
        source(server).month("2020-01")
