"""What rules know of the partition whose rows they judge."""

from collections.abc import Collection
from typing import TypedDict


class Parameters(TypedDict, total=False):
    """What the rules know of a partition; a rule that lacks one could not be checked.

    repository, month : those of the partition; a table that is computed whole has none.
    forum, tag_set : the two parts of what a partition of a forum belongs to.
    source_count : how many rows the source itself says there are.
    issue_numbers, commit_shas, question_ids, post_ids, pull_requests : what its rows may speak of.
    least_readable_share : of the commits of a month, of which git must be able to read so many.
    rule_version : the version of the rules by which its rows were decided.
    """

    repository: str | None
    month: str | None
    forum: str
    tag_set: str
    source_count: int | None
    issue_numbers: Collection[int]
    commit_shas: Collection[str]
    question_ids: Collection[int]
    post_ids: Collection[int]
    pull_requests: Collection[int]
    least_readable_share: float
    rule_version: str
