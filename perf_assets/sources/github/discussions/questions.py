"""Questions of GitHub Discussions: comments are answers, replies are comments, labels are tags."""

import logging
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import ValidationError

from perf_assets.base.errors import PerfAssetsError
from perf_assets.config.forums import CATEGORY, Forum, TagSet
from perf_assets.sources.github.accounts import GitHubPolicy
from perf_assets.sources.github.client import GitHubClient
from perf_assets.sources.github.credentials import credentials_of
from perf_assets.sources.github.discussions.queries import (
    CATEGORIES,
    DISCUSSIONS,
    LABEL,
    MORE,
    MORE_COMMENTS,
    MORE_REPLIES,
)
from perf_assets.sources.github.discussions.shapes import (
    Author,
    Category,
    Comment,
    Connection,
    Discussion,
    Label,
    Reply,
)
from perf_assets.sources.json_client import readable, reason_of
from perf_assets.sources.newest_first import CREATED, Described, NewestFirst
from perf_assets.sources.rate_limit import RequestPolicy

log = logging.getLogger(__name__)

PAGE = 25  # discussions of a list: with 25 comments each, about seven points
EVERY = ""  # the list of all categories
FIELDS = {CREATED: "CREATED_AT"}


class DiscussionQuestions(NewestFirst[Discussion]):
    """The questions of one tag set, as the API gives them."""

    def __init__(self, client: GitHubClient, forum: Forum, tag_set: TagSet) -> None:
        """Prepare the source; no request is sent."""
        super().__init__(forum, tag_set)
        self.client = client
        owner, _, name = forum.site.partition("/")
        self._names = {"owner": owner, "name": name}
        self._known: dict[str, str] | None = None

    @property
    def requests(self) -> int:
        """Return the number of requests so far."""
        return self.client.total.requests

    @property
    def access(self) -> str:
        """Return a phrase on the tokens that it sends."""
        return " and ".join(account.name for account in self.client.accounts.all)

    def close(self) -> None:
        """Give the connections back."""
        self.client.close()

    def check_tags(self) -> None:
        """Raise PerfAssetsError if the repository has none of the labels and categories."""
        slugs = set(self._categories().values())
        if not slugs:
            raise PerfAssetsError(
                f"{self.tag_set.name}: {self.forum.site} has no category of discussions that can "
                "be answered: check the site of the forum in the study"
            )
        tags = self.tag_set.tags
        if tags and not any(tag in slugs or self._has_label(tag) for tag in tags):
            raise PerfAssetsError(
                f"{self.tag_set.name}: {self.forum.site} has no label or category of questions "
                f"{' or '.join(tags)}: check the tags of the forum in the study"
            )

    def lists(self) -> Iterator[str]:
        """Yield the ids of the categories to read, or that of all if labels count."""
        tags = self.tag_set.tags
        if tags and all(tag.startswith(CATEGORY) for tag in tags):
            yield from (number for number, slug in self._categories().items() if slug in tags)
        else:
            yield EVERY

    def pages(self, name: str, order: str) -> Iterator[list[Discussion]]:
        """Yield the discussions of a category, or of all."""
        variables = {
            **self._names,
            "category": name or None,
            "order": FIELDS.get(order, "UPDATED_AT"),
        }
        for page in self._connections(DISCUSSIONS, variables, ("repository", "discussions"), PAGE):
            rows = list(self._rows(page, Discussion))
            yield [row for row in rows if row.category.id in self._categories()]

    def tags_of(self, item: Discussion) -> list[str]:
        """Return the labels of a discussion, and its category as the study writes it."""
        labels = self._rows(item.labels or Connection(), Label)
        return [*(label.name.lower() for label in labels), self._categories()[item.category.id]]

    def describe(self, item: Discussion) -> Described | None:
        """Return a discussion with all of its comments and replies."""
        answers: list[dict[str, Any]] = []
        replies: list[dict[str, Any]] = []
        more = self._all(item.comments, MORE_COMMENTS, item.id, "comments")
        for comment in (one for page in more for one in self._rows(page, Comment)):
            if comment.deleted_at is not None:
                continue
            answers.append(_answer(item, comment))
            pages = self._all(comment.replies, MORE_REPLIES, comment.id, "replies")
            replies += [
                _reply(item, comment, reply)
                for page in pages
                for reply in self._rows(page, Reply)
                if reply.deleted_at is None
            ]
        return Described(_question(item, self.tags_of(item), len(answers)), answers, replies)

    def _categories(self) -> dict[str, str]:
        """Return the categories of questions: the id of each with its name in a study."""
        if self._known is None:
            pages = self._connections(
                CATEGORIES, self._names, ("repository", "discussionCategories"), MORE
            )
            self._known = {
                category.id: f"{CATEGORY}{category.slug.lower()}"
                for page in pages
                for category in self._rows(page, Category)
                if category.is_answerable
            }
        return self._known

    def _has_label(self, tag: str) -> bool:
        data = self.client.query(LABEL, {**self._names, "label": tag}).data
        return bool(_inner(data, ("repository", "label")))

    def _all(
        self, first: Connection, document: str, number: str, name: str
    ) -> Iterator[Connection]:
        """Yield a nested list from its first part on."""
        yield first
        if first.page_info.has_next_page:
            variables = {"id": number, "after": first.page_info.end_cursor}
            yield from self._connections(document, variables, ("node", name), MORE)

    def _connections(
        self, document: str, variables: Mapping[str, Any], path: tuple[str, ...], size: int
    ) -> Iterator[Connection]:
        sent = {"after": None, **variables}
        seen: set[str | None] = {None}
        while True:
            data = self.client.query(document, sent, first=size).data
            page = self._connection(data, path)
            yield page
            after = page.page_info.end_cursor
            if not page.page_info.has_next_page:
                return
            if after in seen:
                raise self._unusable(path, "the cursor of the next page is missing or repeated")
            seen.add(after)
            sent["after"] = after

    def _connection(self, data: dict[str, Any], path: tuple[str, ...]) -> Connection:
        found = _inner(data, path)
        if found is None:  # a discussion that is gone, or what the token may not see
            return Connection()
        try:
            return Connection.model_validate(found)
        except ValidationError as error:
            raise self._unusable(path, reason_of(error)) from None

    def _unusable(self, path: tuple[str, ...], why: str) -> PerfAssetsError:
        return PerfAssetsError(
            f"{self.client.base_url}: {'.'.join(path)} of {self.forum.site} is not as documented "
            f"({why}); run again later, what was stored is kept"
        )

    def _rows(self, page: Connection, shape: Any) -> Iterator[Any]:  # noqa: ANN401
        rows = [row for row in page.nodes or () if row is not None]
        return readable(self.client.base_url, rows, shape)


def _inner(data: object, path: tuple[str, ...]) -> object:
    for name in path:
        data = data.get(name) if isinstance(data, dict) else None
    return data


def _question(item: Discussion, tags: list[str], answers: int) -> dict[str, Any]:
    reason = item.state_reason.lower() if item.closed_at and item.state_reason else None
    return {
        "question_id": item.number,
        "tags": tags,
        "title": item.title,
        "body_html": item.body_html,
        "score": item.upvote_count,
        "views": None,
        "answers": answers,
        "owner": _owner(item.author),
        "created_at": item.created_at,
        "last_activity_at": item.active_at,
        "accepted_answer_id": item.answer.database_id if item.answer else None,
        "closed_at": item.closed_at,
        "month": f"{item.created_at:%Y-%m}",
        "closed_reason": reason,
        "duplicate_of": [],
    }


def _answer(item: Discussion, comment: Comment) -> dict[str, Any]:
    return {
        "answer_id": comment.database_id,
        "question_id": item.number,
        "score": comment.upvote_count,
        "owner": _owner(comment.author),
        "created_at": comment.created_at,
        "body_html": comment.body_html,
    }


def _reply(item: Discussion, comment: Comment, reply: Reply) -> dict[str, Any]:
    return {
        "comment_id": reply.database_id,
        "post_id": comment.database_id,
        "score": reply.upvote_count,
        "owner": _owner(reply.author),
        "created_at": reply.created_at,
        "body": reply.body,
        "question_id": item.number,
    }


def _owner(author: Author | None) -> str | None:
    """Return the number of the account, or the name of one that has none."""
    if author is None:
        return None
    return str(author.database_id) if author.database_id is not None else author.login


def open_source(forum: Forum, tag_set: TagSet, patience: RequestPolicy) -> DiscussionQuestions:
    """Return the source of the questions of ``tag_set``; no request is sent."""
    policy = GitHubPolicy(
        first_pause=patience.first_pause,
        longest_pause=patience.longest_pause,
        longest_wait=patience.longest_wait,
    )
    client = GitHubClient(str(forum.api_url), credentials_of(), log.warning, policy)
    return DiscussionQuestions(client, forum, tag_set)
