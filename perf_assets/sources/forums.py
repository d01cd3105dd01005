"""Questions of a forum, whichever software it runs on."""

from collections.abc import Iterator
from datetime import datetime
from importlib import import_module
from typing import Protocol

from perf_assets.config.forums import Forum, TagSet
from perf_assets.sources.posts import Dump, Read
from perf_assets.sources.rate_limit import RequestPolicy

MODULES = {
    "stackexchange": "stackexchange.api_questions",
    "discourse": "discourse.opening",
    "github": "github.discussions.questions",
}
"""What reads each kind of forum; only what is used is imported, as some clients take long to."""


class QuestionSource(Protocol):
    """The questions of one tag set of a forum, read over the network or from a dump.

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

    @property
    def dump(self) -> Dump | None:
        """Return the state of the dump that it reads; None of a forum, which goes on."""

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
    module = import_module(f"perf_assets.sources.{MODULES[forum.kind]}")
    source: QuestionSource = module.open_source(forum, tag_set, patience)
    return source
