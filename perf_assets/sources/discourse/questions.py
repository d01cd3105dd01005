"""Questions of a Discourse forum: a topic is a question, the posts after its first are answers."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import quote

import polars as pl

from perf_assets.base.errors import PerfAssetsError
from perf_assets.base.months import start_of
from perf_assets.config.forums import CATEGORY, Forum, TagSet
from perf_assets.sources.discourse.client import DiscourseClient
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
from perf_assets.sources.json_client import Parameters
from perf_assets.sources.posts import ANSWER, API_QUESTION, COMMENT, Read, as_stored

PAGE = 100  # topics of a list; older versions give 30, whatever is requested
MOST_PAGES = 100_000
POSTS_AT_ONCE = 20  # as many as pages of Discourse request
TOPICS_AT_ONCE = 50  # topics that changed are handed on together
ENABLED = ".enabled"


class DiscourseQuestions:
    """The questions of one tag set, as the API gives them."""

    def __init__(self, client: DiscourseClient, forum: Forum, tag_set: TagSet) -> None:
        """Prepare the source; no request is sent."""
        self.client, self.forum, self.tag_set = client, forum, tag_set
        self._known: dict[int, tuple[str, ...]] | None = None
        self._created: dict[int, ListedTopic] = {}
        self._created_since: datetime | None = None

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

    def newest_activity(self) -> datetime | None:
        """Return the time of the last activity in any of its questions; None without questions."""
        moments = [topic.active_at for page in self._first_pages() for topic in page or ()]
        return max(moments, default=None)

    def month(self, month: str) -> Read:
        """Return all questions of ``month``, as they are now.

        Lists are sorted by the time of asking and have no beginning but the newest topic: they are
        read once, back to the oldest month that is needed.
        """
        start = start_of(month)
        if self._created_since is None or start < self._created_since:
            self._created = self._listed("created", start, lambda topic: topic.created_at)
            self._created_since = start
        mine = [
            topic
            for topic in self._created.values()
            if f"{topic.created_at:%Y-%m}" == month and self._is_mine(self._tags_of(topic))
        ]
        return self._read(sorted(mine, key=lambda topic: topic.id), month)

    def changed(self, since: datetime) -> Iterator[Read]:
        """Yield the questions with posts or edits of the last post since, oldest first."""
        listed = self._listed("activity", since, lambda topic: topic.active_at)
        found = sorted(listed.values(), key=lambda topic: (topic.active_at, topic.id))
        for start in range(0, len(found), TOPICS_AT_ONCE):
            yield self._read(found[start : start + TOPICS_AT_ONCE])

    def _listed(
        self, order: str, since: datetime, moment: Callable[[ListedTopic], datetime]
    ) -> dict[int, ListedTopic]:
        """Return the topics whose ``moment`` is not before ``since``, in lists sorted by it."""
        found: dict[int, ListedTopic] = {}
        for path in self._paths():
            for page in self._pages(path, order):
                found |= {topic.id: topic for topic in page if moment(topic) >= since}
                # Pinned topics are before all others, however old they are.
                if any(moment(topic) < since for topic in page if not topic.pinned):
                    break
        return found

    def _first_pages(self) -> Iterator[list[ListedTopic] | None]:
        """Yield the topics of the newest activity in each list; None for a list that is not."""
        for path in self._paths():
            yield next(self._pages(path, "activity"), None)

    def _pages(self, path: str, order: str) -> Iterator[list[ListedTopic]]:
        for page in range(MOST_PAGES):
            parameters: Parameters = {"order": order, "page": page, "per_page": PAGE}
            answer = self.client.get(path, TopicPage, parameters)
            if answer is None:
                return
            yield list(self.client.readable(answer.topic_list.topics, ListedTopic))
            if not answer.topic_list.more_topics_url or not answer.topic_list.topics:
                return

    def _paths(self) -> Iterator[str]:
        """Yield the lists of its topics: one for each tag and category, or that of all topics."""
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
            answer = self.client.get("categories.json", Categories, parameters)
            rows = [] if answer is None else answer.category_list.categories
            self._known = dict(self._below(rows, ()))
        return self._known

    def _below(
        self, rows: Sequence[Any], parents: tuple[str, ...]
    ) -> Iterator[tuple[int, tuple[str, ...]]]:
        for category in self.client.readable(rows, Category):
            # As addresses have a category whose name has no letter that a slug could have.
            slugs = (*parents, category.slug or f"{category.id}-category")
            yield category.id, slugs
            yield from self._below(category.subcategory_list or (), slugs)

    def _tags_of(self, topic: ListedTopic | Topic) -> list[str]:
        """Return its tags, and its categories as the study writes them."""
        slugs = self._categories().get(-1 if topic.category_id is None else topic.category_id, ())
        return [*topic.names, *(f"{CATEGORY}{slug.lower()}" for slug in slugs)]

    def _is_mine(self, tags: Sequence[str]) -> bool:
        return self.forum.set_of(set(tags)) == self.tag_set

    def _read(self, listed: Sequence[ListedTopic], month: str | None = None) -> Read:
        """Return the questions of these topics with their answers, as they are stored.

        With ``month`` those of another month, or of an earlier tag set by now, are left out.
        """
        questions: list[dict[str, Any]] = []
        answers: list[dict[str, Any]] = []
        for one in listed:
            topic = self.client.get(f"t/{one.id}.json", Topic, {})
            if topic is None or topic.deleted_at is not None or topic.id != one.id:
                continue
            tags, posts = self._tags_of(topic), self._posts(topic)
            if not posts or posts[0].post_number != 1 or not posts[0].is_there:
                continue
            if month not in {None, f"{topic.created_at:%Y-%m}"}:
                continue
            if month is not None and not self._is_mine(tags):
                continue
            questions.append(_question(topic, posts, tags, one.active_at))
            answers += [_answer(topic, post) for post in posts[1:] if post.is_there]
        batch = as_stored(
            self.forum,
            self.tag_set,
            pl.DataFrame(questions, schema=API_QUESTION),
            # A post may be moved to another topic while they are read.
            pl.DataFrame(answers, schema=ANSWER).unique("answer_id", keep="last"),
            pl.DataFrame(schema={**COMMENT, "question_id": pl.Int64}),
            "api",
        )
        return Read(batch, batch.questions.height, batch.answers.height)

    def _posts(self, topic: Topic) -> list[Post]:
        """Return all posts of ``topic`` in their order."""
        first = topic.post_stream
        posts = {post.id: post for post in self.client.readable(first.posts, Post)}
        missing = [number for number in dict.fromkeys(first.stream) if number not in posts]
        for start in range(0, len(missing), POSTS_AT_ONCE):
            parameters = {"post_ids[]": missing[start : start + POSTS_AT_ONCE]}
            answer = self.client.get(f"t/{topic.id}/posts.json", Posts, parameters)
            rows = [] if answer is None else answer.post_stream.posts
            posts |= {post.id: post for post in self.client.readable(rows, Post)}
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
