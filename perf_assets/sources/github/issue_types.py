"""The shapes of issues in GitHub's answers: names, types and nullability of its GraphQL schema.

Reference: https://docs.github.com/graphql/reference
"""

from collections.abc import Collection
from typing import Annotated, Generic, NotRequired, TypeVar

from pydantic import Discriminator, Field, Tag
from typing_extensions import TypedDict

from perf_assets.sources.scalars import (
    BigInt,
    Count,
    EnumValue,
    Flag,
    Moment,
    Number,
    Sha,
    Text,
    Url,
    Word,
)

EVENT_NAMES = {
    "ClosedEvent": "closed",
    "ReopenedEvent": "reopened",
    "LabeledEvent": "labeled",
    "UnlabeledEvent": "unlabeled",
    "RenamedTitleEvent": "renamed",
    "TransferredEvent": "transferred",
    "MarkedAsDuplicateEvent": "marked_as_duplicate",
    "UnmarkedAsDuplicateEvent": "unmarked_as_duplicate",
}
"""The types of events by GitHub's names, and here."""

CLOSERS = ("Commit", "PullRequest")
"""The kinds of closers of which more is requested than that they are there."""

THREADS = ("Issue", "PullRequest")
"""What can be repeated by an issue."""

TAGS = {*EVENT_NAMES, *CLOSERS, *THREADS, "other"}
"""What tells the types of a union apart, and is not part of an answer."""

Node = TypeVar("Node")


def _closer_tag(closer: object) -> str:
    return _kind_among(CLOSERS, closer)


def _thread_tag(thread: object) -> str:
    return _kind_among(THREADS, thread)


def _event_tag(event: object) -> str:
    return _kind_among(EVENT_NAMES, event)


def _kind_among(known: Collection[str], part: object) -> str:
    kind = str(part.get("__typename")) if isinstance(part, dict) else "other"
    return kind if kind in known else "other"


class Named(TypedDict):
    """A repository."""

    nameWithOwner: Annotated[Word, Field(pattern=r"^[^/\s]+/[^/\s]+$")]


class Label(TypedDict):
    """A label."""

    name: Text


class Kinded(TypedDict):
    """Something of one of several kinds, such as one that GitHub has added since."""

    kind: Annotated[EnumValue, Field(alias="__typename")]


class Actor(Kinded):
    """An account, and what kind of one: a user's, a bot's."""

    login: Text


class Total(TypedDict):
    """How many there are."""

    totalCount: Count


class PageInfo(TypedDict):
    """Whether a page has a next one."""

    hasNextPage: Flag
    endCursor: Text | None


class Account(TypedDict):
    """An account, by its name."""

    login: Text


class CommitAuthor(TypedDict):
    """Who wrote a commit, where GitHub knows an account with the address."""

    user: Account | None


class Merge(TypedDict):
    """The commit of a merge."""

    oid: Sha
    author: CommitAuthor | None


class ReactionGroup(TypedDict):
    """How many reacted in one way."""

    content: EnumValue
    reactors: Total


class Milestone(TypedDict):
    """What an issue is planned for."""

    title: Text


class IssueType(TypedDict):
    """The type that an organization gives an issue: Bug, Feature, or a word of its own."""

    name: Text


class Comment(TypedDict):
    """A comment."""

    fullDatabaseId: BigInt | None
    author: Actor | None
    authorAssociation: EnumValue | None
    createdAt: Moment
    body: Text
    reactionGroups: list[ReactionGroup] | None


class ClosingCommit(Kinded):
    """The commit that closed an issue."""

    oid: Sha
    author: CommitAuthor | None
    repository: Named


class ClosingPullRequest(Kinded):
    """The pull request that closed an issue."""

    number: Number
    merged: Flag
    mergeCommit: Merge | None
    repository: Named


Closer = Annotated[
    Annotated[ClosingCommit, Tag("Commit")]
    | Annotated[ClosingPullRequest, Tag("PullRequest")]
    | Annotated[Kinded, Tag("other")],
    Discriminator(_closer_tag),
]


class Happened(Kinded):
    """An event of an issue, such as that it was opened again: when, and who did it."""

    id: Word
    createdAt: Moment
    actor: Actor | None


class Closed(Happened):
    """An issue was closed: by which commit or pull request."""

    closer: Closer | None


class Labelled(Happened):
    """A label was put on, or taken off."""

    label: Label


class Renamed(Happened):
    """An issue got another title."""

    previousTitle: Text
    currentTitle: Text


class Transferred(Happened):
    """An issue came from another repository, which may be gone."""

    fromRepository: Named | None


class Numbered(Kinded):
    """An issue or a pull request, by its number and repository."""

    number: Number
    repository: Named


Thread = Annotated[
    Annotated[Numbered, Tag("Issue")]
    | Annotated[Numbered, Tag("PullRequest")]
    | Annotated[Kinded, Tag("other")],
    Discriminator(_thread_tag),
]


class Duplicated(Happened):
    """An issue was marked as a duplicate, or no longer is; the other report may be gone."""

    canonical: Thread | None


Event = Annotated[
    Annotated[Closed, Tag("ClosedEvent")]
    | Annotated[Happened, Tag("ReopenedEvent")]
    | Annotated[Labelled, Tag("LabeledEvent")]
    | Annotated[Labelled, Tag("UnlabeledEvent")]
    | Annotated[Renamed, Tag("RenamedTitleEvent")]
    | Annotated[Transferred, Tag("TransferredEvent")]
    | Annotated[Duplicated, Tag("MarkedAsDuplicateEvent")]
    | Annotated[Duplicated, Tag("UnmarkedAsDuplicateEvent")]
    | Annotated[Kinded, Tag("other")],
    Discriminator(_event_tag),
]


class PullRequest(TypedDict):
    """A pull request that GitHub relates to an issue."""

    id: Word
    number: Number
    merged: Flag
    mergeCommit: Merge | None
    commits: Total
    repository: Named


class Listed(TypedDict, Generic[Node]):
    """A page of a list."""

    pageInfo: PageInfo
    nodes: list[Node | None] | None


class CountedList(TypedDict, Generic[Node]):
    """A page of a list, with the number of all its entries."""

    totalCount: Count
    pageInfo: PageInfo
    nodes: list[Node | None] | None


class Issue(TypedDict):
    """An issue with the first page of all that belongs to it."""

    id: Word
    number: Number
    title: Text
    body: Text
    author: Actor | None
    authorAssociation: EnumValue | None
    state: EnumValue
    stateReason: EnumValue | None
    activeLockReason: NotRequired[EnumValue | None]
    issueType: NotRequired[IssueType | None]
    createdAt: Moment
    updatedAt: Moment
    closedAt: Moment | None
    url: Url
    milestone: Milestone | None
    reactionGroups: list[ReactionGroup] | None
    labels: Listed[Label] | None
    comments: CountedList[Comment]
    timelineItems: CountedList[Event]
    closedByPullRequestsReferences: Listed[PullRequest] | None
