"""Questions of a Discourse forum: a topic is a question, the posts after its first are answers."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, Protocol
from urllib.parse import quote

from perf_assets.base.errors import PerfAssetsError
from perf_assets.config.forums import CATEGORY, Forum, TagSet
from perf_assets.sources.discourse.shapes import (
    CLOSING,
    SMALL_ACTION,
    Categories,
    Category,
    ListedTopic,
    Post,
    Posts,
    Topic,
    TopicPage,
)
from perf_assets.sources.json_client import Parameters, Shape, readable
from perf_assets.sources.newest_first import Described, NewestFirst

PAGE = 100  # topics of a list; older versions give 30, whatever is requested
MOST_PAGES = 100_000
POSTS_AT_ONCE = 20  # as many as pages of Discourse request
ENABLED = ".enabled"


class Client(Protocol):
    """What gives the answers of a forum: its API, or a folder of them.

    url : where they come from.
    """

    url: str

    @property
    def requests(self) -> int:
        """Return the number of requests so far."""

    def read(self, path: str, shape: type[Shape], parameters: Parameters) -> Shape | None:
        """Return what is at ``path``; None if there is nothing."""

    def close(self) -> None:
        """Give back what it holds."""


class DiscourseQuestions(NewestFirst[ListedTopic]):
    """The questions of one tag set, as the API gives them."""

    def __init__(self, client: Client, forum: Forum, tag_set: TagSet) -> None:
        """Prepare the source; no request is sent."""
        super().__init__(forum, tag_set)
        self.client = client
        self._known: dict[int, tuple[str, ...]] | None = None

    @property
    def requests(self) -> int:
        """Return the number of requests so far."""
        return self.client.requests

    @property
    def access(self) -> str:
        """Return a phrase on the key that it sends: none."""
        return "no key"

    def close(self) -> None:
        """Give the connections back."""
        self.client.close()

    def check_tags(self) -> None:
        """Raise PerfAssetsError if the forum has none of the tags; costs a request for each."""
        if self.tag_set.tags and all(page is None for page in self._first_pages()):
            raise PerfAssetsError(
                f"{self.tag_set.name}: {self.forum.address} has no tag or category "
                f"{' or '.join(self.tag_set.tags)}: check the tags of the forum in the study"
            )

    def pages(self, name: str, order: str) -> Iterator[list[ListedTopic]]:
        """Yield the topics of a list."""
        for page in range(MOST_PAGES):
            parameters: Parameters = {"order": order, "page": page, "per_page": PAGE}
            answer = self.client.read(name, TopicPage, parameters)
            if answer is None:
                return
            yield list(readable(self.client.url, answer.topic_list.topics, ListedTopic))
            if not answer.topic_list.more_topics_url or not answer.topic_list.topics:
                return

    def lists(self) -> Iterator[str]:
        """Yield the paths of lists: one for each tag and category, or that of all topics."""
        if not self.tag_set.tags:
            yield "latest.json"
        for tag in self.tag_set.tags:
            if not tag.startswith(CATEGORY):
                yield f"tag/{quote(tag, safe='')}/l/latest.json"
                continue
            for number, slugs in self._categories().items():
                if slugs[-1].lower() == tag.removeprefix(CATEGORY):
                    way = "/".join(quote(slug, safe="") for slug in slugs)
                    yield f"c/{way}/{number}/l/latest.json"

    def _categories(self) -> dict[int, tuple[str, ...]]:
        """Return each category with its slug, after those of the categories that it is in."""
        if self._known is None:
            parameters = {"include_subcategories": "true"}
            answer = self.client.read("categories.json", Categories, parameters)
            rows = [] if answer is None else answer.category_list.categories
            self._known = dict(self._below(rows, ()))
        return self._known

    def _below(
        self, rows: Sequence[Any], parents: tuple[str, ...]
    ) -> Iterator[tuple[int, tuple[str, ...]]]:
        for category in readable(self.client.url, rows, Category):
            # As addresses have a category whose name has no letter that a slug could have.
            slugs = (*parents, category.slug or f"{category.id}-category")
            yield category.id, slugs
            yield from self._below(category.subcategory_list or (), slugs)

    def tags_of(self, item: ListedTopic | Topic) -> list[str]:
        """Return the tags of a topic, and its categories as the study writes them."""
        slugs = self._categories().get(-1 if item.category_id is None else item.category_id, ())
        return [*item.names, *(f"{CATEGORY}{slug.lower()}" for slug in slugs)]

    def describe(self, item: ListedTopic) -> Described | None:
        """Return a topic with its posts; None if it is gone."""
        topic = self.client.read(f"t/{item.id}.json", Topic, {})
        if topic is None or topic.deleted_at is not None or topic.id != item.id:
            return None
        posts = self._posts(topic)
        if not posts or posts[0].post_number != 1 or not posts[0].is_there:
            return None
        answers = [_answer(topic, post) for post in posts[1:] if post.is_there]
        return Described(_question(topic, posts, self.tags_of(topic), item.active_at), answers, [])

    def _posts(self, topic: Topic) -> list[Post]:
        """Return all posts of ``topic`` in their order."""
        first = topic.post_stream
        posts = {post.id: post for post in readable(self.client.url, first.posts, Post)}
        missing = [number for number in dict.fromkeys(first.stream) if number not in posts]
        for start in range(0, len(missing), POSTS_AT_ONCE):
            parameters = {"post_ids[]": missing[start : start + POSTS_AT_ONCE]}
            answer = self.client.read(f"t/{topic.id}/posts.json", Posts, parameters)
            rows = [] if answer is None else answer.post_stream.posts
            posts |= {post.id: post for post in readable(self.client.url, rows, Post)}
        return sorted(posts.values(), key=lambda post: post.post_number)


def _question(
    topic: Topic, posts: Sequence[Post], tags: list[str], active_at: datetime
) -> dict[str, Any]:
    first, *others = posts
    solution = topic.accepted_answer.post_number if topic.accepted_answer else None
    answers = [post for post in others if post.is_there]
    accepted = (p.id for p in answers if p.accepted_answer or p.post_number == solution)
    closed_at, reason = _closing(topic, posts, active_at)
    return {
        "question_id": topic.id,
        "tags": tags,
        "title": topic.title,
        "body_html": first.cooked,
        "score": first.likes,
        "views": topic.views,
        "answers": len(answers),
        "owner": first.owner,
        "created_at": topic.created_at,
        "last_activity_at": active_at,
        "accepted_answer_id": next(accepted, None),
        "closed_at": closed_at,
        "month": f"{topic.created_at:%Y-%m}",
        "closed_reason": reason,
        "duplicate_of": [],
    }


def _closing(
    topic: Topic, posts: Sequence[Post], active_at: datetime
) -> tuple[datetime | None, str | None]:
    """Return when and how a topic was closed; its last activity where no post says when."""
    if not (topic.closed or topic.archived):
        return None, None
    closings = [p for p in posts if p.post_type == SMALL_ACTION and p.action_code in CLOSING]
    if not closings:
        return active_at, "closed" if topic.closed else "archived"
    last = max(closings, key=lambda post: post.created_at)
    return last.created_at, str(last.action_code).removesuffix(ENABLED)


def _answer(topic: Topic, post: Post) -> dict[str, Any]:
    return {
        "answer_id": post.id,
        "question_id": topic.id,
        "score": post.likes,
        "owner": post.owner,
        "created_at": post.created_at,
        "body_html": post.cooked,
    }
