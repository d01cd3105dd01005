"""The shapes of GitHub's answers to each document: names, types and nullability of its schema.

Reference: https://docs.github.com/graphql/reference
"""

from typing import Annotated, NotRequired

from pydantic import BeforeValidator
from typing_extensions import TypedDict

from perf_assets.sources.github.issue_types import (
    Actor,
    Comment,
    CountedList,
    Event,
    Issue,
    Label,
    Listed,
    PageInfo,
    PullRequest,
)
from perf_assets.sources.scalars import (
    AsideMoment,
    Count,
    EnumValue,
    Flag,
    Int,
    Moment,
    Number,
    Text,
)


def _nothing(node: object) -> object:
    # A node that is not an issue has none of the requested fields.
    return node or None


class Called(TypedDict):
    """A repository, by a name that may be of any form."""

    nameWithOwner: Text


class Updated(TypedDict):
    """When an issue was updated."""

    updatedAt: Moment


class Newest(TypedDict):
    """The issue that was updated last."""

    totalCount: Int
    nodes: list[Updated | None] | None


class ChangedIssues(TypedDict):
    """A repository, and a page of its issues that changed."""

    nameWithOwner: Text
    archivedAt: NotRequired[AsideMoment]
    newest: Newest
    issues: Listed[Issue]


class Changed(TypedDict):
    """The answer to a request for what changed."""

    repository: ChangedIssues


class Numbered(TypedDict):
    """How many there are, as GitHub says."""

    totalCount: Int


class Counted(TypedDict):
    """How many issues a repository has of a kind."""

    nameWithOwner: Text
    issues: Numbered


class ChangedCount(TypedDict):
    """The answer to CHANGED_COUNT."""

    repository: Counted


class Found(TypedDict):
    """A page of a search; a node that is not an issue is an empty object."""

    issueCount: Int
    pageInfo: PageInfo
    nodes: list[Annotated[Issue | None, BeforeValidator(_nothing)]] | None


class Search(TypedDict):
    """The answer to SEARCH."""

    search: Found


class SearchCount(TypedDict):
    """How many issues a search finds."""

    issueCount: Int


Counts = dict[str, SearchCount]


class Here(TypedDict):
    """An issue or pull request, and the repository it is in now; nothing of any other kind."""

    number: NotRequired[Int]
    repository: NotRequired[Called]


class Rest(TypedDict, total=False):
    """An issue with the next page of one of its connections."""

    labels: Listed[Label] | None
    comments: CountedList[Comment]
    timelineItems: CountedList[Event]
    closedByPullRequestsReferences: Listed[PullRequest] | None


class Discussion(TypedDict):
    """A discussion."""

    number: Int


class Review(TypedDict):
    """A review; one that is not submitted yet, which its author alone sees, has no time."""

    author: Actor | None
    submittedAt: Moment | None
    state: EnumValue


class Reviews(TypedDict):
    """The first reviews of a pull request, and how many there are."""

    totalCount: Count
    nodes: list[Review | None] | None


class ReviewedPullRequest(TypedDict):
    """A pull request with its size and reviews; a corpus may not know its size."""

    number: Number
    author: Actor | None
    createdAt: Moment
    closedAt: Moment | None
    merged: Flag
    mergedAt: Moment | None
    additions: Count | None
    deletions: Count | None
    changedFiles: Count | None
    reviews: Reviews | None


Locations = dict[str, Here | None]
Discussions = dict[str, Discussion | None]
Rests = dict[str, Annotated[Rest | None, BeforeValidator(_nothing)]]
