"""Questions of a forum, whichever software it runs on."""

import logging
from collections.abc import Iterator
from datetime import datetime
from typing import Protocol

from perf_assets.config.forums import Forum, TagSet
from perf_assets.sources.discourse.client import DiscourseClient
from perf_assets.sources.discourse.questions import DiscourseQuestions
from perf_assets.sources.discussions.questions import DiscussionQuestions
from perf_assets.sources.github.accounts import GitHubPolicy
from perf_assets.sources.github.client import GitHubClient
from perf_assets.sources.github.credentials import credentials_of
from perf_assets.sources.posts import Read
from perf_assets.sources.rate_limit import RequestPolicy
from perf_assets.sources.stackexchange.api_client import ApiClient
from perf_assets.sources.stackexchange.api_questions import StackExchangeQuestions

log = logging.getLogger(__name__)


class QuestionSource(Protocol):
    """The questions of one tag set of a forum, read over the network.

    Every method raises PerfAssetsError, with one sentence, if the forum cannot be read.
    """

    forum: Forum
    tag_set: TagSet

    @property
    def requests(self) -> int:
        """Return the number of requests so far."""

    @property
    def access(self) -> str:
        """Return a phrase on the key that it sends and the requests that are left."""

    def check_tags(self) -> None:
        """Raise PerfAssetsError if the forum has none of the tags."""

    def newest_activity(self) -> datetime | None:
        """Return the time of the last activity in any of its questions; None without questions."""

    def month(self, month: str) -> Read:
        """Return all questions of ``month``, as they are now."""

    def changed(self, since: datetime) -> Iterator[Read]:
        """Yield the questions in which something happened since, some at a time."""

    def close(self) -> None:
        """Give the connections back."""


def open_questions(forum: Forum, tag_set: TagSet, patience: RequestPolicy) -> QuestionSource:
    """Return the source of the questions of ``tag_set``; no request is sent."""
    url = str(forum.api_url)
    if forum.kind == "discourse":
        return DiscourseQuestions(DiscourseClient(url, patience=patience), forum, tag_set)
    if forum.kind == "github":
        policy = GitHubPolicy(
            first_pause=patience.first_pause,
            longest_pause=patience.longest_pause,
            longest_wait=patience.longest_wait,
        )
        github = GitHubClient(url, credentials_of(), log.warning, policy)
        return DiscussionQuestions(github, forum, tag_set)
    client = ApiClient(url, forum.site, patience=patience)
    return StackExchangeQuestions(client, forum, tag_set)
