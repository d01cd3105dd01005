"""Opening a forum of Discourse: by its API, or as a folder of its answers."""

import hashlib
from functools import cached_property

from perf_assets.base.errors import PerfAssetsError
from perf_assets.config.forums import CATEGORY, Forum, TagSet
from perf_assets.sources.discourse.client import DiscourseClient
from perf_assets.sources.discourse.folder import FolderClient
from perf_assets.sources.discourse.questions import DiscourseQuestions
from perf_assets.sources.posts import Dump
from perf_assets.sources.rate_limit import RequestPolicy

VERSION = 1  # of what is taken out of a folder; another one reads all months again


class DumpedQuestions(DiscourseQuestions):
    """The questions of one tag set, as a folder of answers has them."""

    def __init__(self, folder: FolderClient, forum: Forum, tag_set: TagSet) -> None:
        """Prepare the source; no file is read."""
        super().__init__(folder, forum, tag_set)
        self.folder = folder

    @cached_property
    def dump(self) -> Dump:
        """The state of the folder, and of what is taken out of it."""
        tags = [(tag_set.label, tag_set.tags) for tag_set in self.forum.tag_sets]
        taken = repr((VERSION, self.forum.question_url, tags, self.folder.digest))
        return Dump(hashlib.sha256(taken.encode()).hexdigest()[:16], self.folder.newest_at)

    @property
    def access(self) -> str:
        """Return a phrase on what the folder holds."""
        return f"{self.folder.topics:,} topics"

    def check_tags(self) -> None:
        """Raise PerfAssetsError if the folder has none of the tags, or cannot name categories."""
        categories = [tag for tag in self.tag_set.tags if tag.startswith(CATEGORY)]
        if categories and not self.folder.has_categories:
            raise PerfAssetsError(
                f"{self.tag_set.name}: {self.folder.url} does not say which category "
                f"{' or '.join(categories)} is: put the answer of /site.json or /categories.json "
                "of the forum there"
            )
        super().check_tags()


def open_source(forum: Forum, tag_set: TagSet, patience: RequestPolicy) -> DiscourseQuestions:
    """Return the source of the questions of ``tag_set``; nothing is read."""
    if forum.dump is not None:
        return DumpedQuestions(FolderClient(forum.dump), forum, tag_set)
    client = DiscourseClient(str(forum.api_url), patience=patience)
    return DiscourseQuestions(client, forum, tag_set)
